package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

type poolView struct {
	variant *numbers.Variant
	pool    *numbers.Pool
}

// viewsOf are the pools of a variant at the steps, or at its last one if there are no steps.
// A variant that does not train has one pool.
func viewsOf(v *numbers.Variant, steps []int) ([]poolView, error) {
	if len(steps) == 0 || !v.Trains {
		steps = []int{v.Last()}
	}
	out := make([]poolView, len(steps))
	for i, step := range steps {
		pool := v.Pools.OfStep(step)
		if pool == nil {
			return nil, fmt.Errorf("variant %s kept no answers at step %d; it did at %v", v.Label, step, v.Steps)
		}
		out[i] = poolView{v, pool}
	}
	return out, nil
}

// poolRows arranges the pools of a figure of answers, under the short names of their variants: a
// row for every variant if several steps are shown, else at most limit pools beside each other.
// views are the same in one list, columns the length of the longest row. Pools of different
// problems are an error.
func (d *Data) poolRows(limit int) (rows [][]poolView, views []poolView, columns int, err error) {
	shown, _ := numbers.Shorten(d.Variants)
	for i := range shown {
		if err := sameProblem(shown[0], shown[i]); err != nil {
			return nil, nil, 0, err
		}
		row, err := viewsOf(&shown[i], d.Figure.Steps)
		if err != nil {
			return nil, nil, 0, err
		}
		rows, views = append(rows, row), append(views, row...)
	}
	if len(d.Figure.Steps) < 2 {
		rows = slices.Collect(slices.Chunk(views, draw.EvenColumns(len(shown), min(limit, sheets.Fitting(d.Figure, leastPool)))))
	}
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	return rows, views, columns, wantRoom(d.Figure, columns)
}

// leastPool is the least width of a panel in a figure of its own width.
const leastPool = 1.2 * vg.Inch

// wantRoom returns an error if a figure of its own width is too narrow for panels beside each other.
func wantRoom(fig record.Figure, columns int) error {
	if sheets.Fitting(fig, leastPool) < columns {
		return fmt.Errorf("%d panels beside each other need a width of at least %.1f inches, not %g", columns, float64(columns)*leastPool.Points()/72, fig.Width)
	}
	return nil
}

// head is the text above a panel: the variant, and its step if the figure shows several.
func (v poolView) head(steps []int) string {
	if len(steps) < 2 || !v.variant.Trains {
		return v.variant.Called
	}
	return fmt.Sprintf("%s, step %d", v.variant.Called, v.pool.Step)
}

// poolHeight is the largest height of the data of a panel of a pool.
const poolHeight = vg.Length(118)

// poolBlock draws panels of a height beside each other, each below its head: a name, and a line in
// small print if it is not "".
func poolBlock(panels []*plot.Plot, heads [][2]string, width, height vg.Length) draw.Block {
	room, base := draw.HeadLine+3, vg.Length(4)
	if slices.ContainsFunc(heads, func(head [2]string) bool { return head[1] != "" }) {
		room, base = 2*draw.HeadLine+4, draw.HeadLine+5
	}
	return draw.Tile([][]*plot.Plot{panels}, width, height, room, func(c draw.Canvas, col int) {
		draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, c.Min.Y+base, 0, heads[col][0])
		draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X, c.Min.Y+5, 0, heads[col][1])
	})
}

// poolNote names the pools of a figure. Their step is above the panels if there are several
// steps, else here.
func poolNote(fig record.Figure, views []poolView) string {
	first := views[0]
	note := fmt.Sprintf("Problem %s, seed %d", first.pool.ID, first.variant.Seeds[0])
	low, high := len(first.pool.Answers), len(first.pool.Answers)
	var shown []numbers.Variant
	trained := false
	for _, view := range views {
		n := len(view.pool.Answers)
		low, high = min(low, n), max(high, n)
		trained = trained || view.pool.Step > 0
		v := *view.variant
		v.Steps = []int{view.pool.Step}
		shown = append(shown, v)
	}
	if low == high {
		note += fmt.Sprintf(", %d answers a panel", high)
	}
	switch {
	case len(fig.Steps) > 1:
		return note + "."
	case !trained:
		return draw.Sentences(note+".", "Before training.")
	}
	return draw.Sentences(note+".", sheets.LastStepNote(shown))
}

// poolsNote explains the numbers of a figure of answers.
const poolsNote = "Of the answers shown, which are of one seed."

// checkPools is the check of a figure of answers: the answers to its problem are recorded,
// and its steps are evaluated. It calls each, unless it is nil, for every variant that the figure
// shows and that has answers.
func checkPools(each func(fig record.Figure, v record.RecordedVariant) error) func(record.Figure, record.Recorded) error {
	return func(fig record.Figure, recorded record.Recorded) error {
		if fig.Problem >= recorded.Keep {
			return fmt.Errorf("figure %q draws answers to problem %d, and keep = %d in [eval] keeps those to so many problems, from 0", fig.Name, fig.Problem, recorded.Keep)
		}
		for _, v := range recorded.Variants {
			if v.Optimum || !fig.Shows(v.Variant) || fig.Panel != nil && !slices.Contains(fig.Panel, v.Label) {
				continue
			}
			for _, step := range fig.Steps {
				if v.Steps > 0 && (step > v.Steps || step < v.Steps && step%recorded.Every != 0) {
					return wrongField("steps", "figure %q: %s is not evaluated at step %d, but every %d steps up to %d", fig.Name, v.Label, step, recorded.Every, v.Steps)
				}
			}
			if each != nil {
				if err := each(fig, v); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// exactly is a number about a pool of n answers. It has no interval.
func exactly(n int, x float64) stats.Interval {
	return stats.Interval{N: n, Mean: x, Low: math.NaN(), High: math.NaN()}
}
