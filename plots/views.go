package plots

import (
	"fmt"
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// A poolView is one pool that a figure shows.
type poolView struct {
	of   *numbers.Variant
	pool *numbers.Pool
}

// viewsOf are the pools of a variant at the steps asked for, or at its last one where none is
// asked for. What does not train has one pool.
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
		out[i] = poolView{of: v, pool: pool}
	}
	return out, nil
}

// viewRows arranges the pools that a figure shows: a row for every variant where
// several steps are shown, else as many beside each other as columns.
func viewRows(shown []numbers.Variant, steps []int, columns int) ([][]poolView, error) {
	var rows [][]poolView
	var flow []poolView
	for i := range shown {
		views, err := viewsOf(&shown[i], steps)
		if err != nil {
			return nil, err
		}
		rows, flow = append(rows, views), append(flow, views...)
	}
	if len(steps) > 1 {
		return rows, nil
	}
	return slices.Collect(slices.Chunk(flow, columns)), nil
}

// poolViews are the pools that a figure shows, in its order.
func poolViews(fig record.Figure, shown []numbers.Variant) ([]poolView, error) {
	rows, err := viewRows(shown, fig.Steps, 1)
	return slices.Concat(rows...), err
}

// head is the text above a panel: the variant, and its step where the figure shows several.
func (v poolView) head(steps []int) string {
	if len(steps) < 2 || !v.of.Trains {
		return v.of.Called
	}
	return fmt.Sprintf("%s, step %d", v.of.Called, v.pool.Step)
}

// poolNote says which pools a figure shows. The step stands over the panels where there
// are several, else here.
func poolNote(fig record.Figure, views []poolView) string {
	first := views[0]
	note := fmt.Sprintf("Problem %s, seed %d", first.pool.ID, first.of.Seeds[0])
	low, high := len(first.pool.Answers), len(first.pool.Answers)
	var shown []numbers.Variant
	trained := false
	for _, view := range views {
		n := len(view.pool.Answers)
		low, high = min(low, n), max(high, n)
		trained = trained || view.pool.Step > 0
		v := *view.of
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

// poolsNote is what the numbers of a figure of answers are.
const poolsNote = "Of the answers shown, which are of one seed."

// checkPools is the check of a figure of answers: the answers to its problem are recorded,
// and its steps are evaluated. It calls each for every variant that the figure shows and that
// has answers, unless each is nil.
func checkPools(each func(fig record.Figure, v record.RecordedVariant) error) func(record.Figure, record.Recorded) error {
	return func(fig record.Figure, of record.Recorded) error {
		if fig.Problem >= of.Keep {
			return fmt.Errorf("figure %q draws answers to problem %d, and keep = %d in [eval] keeps those to so many problems, from 0", fig.Name, fig.Problem, of.Keep)
		}
		for _, v := range of.Variants {
			if v.Optimum || !shows(fig, v) {
				continue
			}
			for _, step := range fig.Steps {
				if v.Steps > 0 && (step > v.Steps || step < v.Steps && step%of.Every != 0) {
					return wrongField("steps", "figure %q: %s is not evaluated at step %d, but every %d steps up to %d", fig.Name, v.Label, step, of.Every, v.Steps)
				}
			}
			if each == nil {
				continue
			}
			if err := each(fig, v); err != nil {
				return err
			}
		}
		return nil
	}
}

// exactly is a number about a pool of n answers. It has no interval.
func exactly(n int, x float64) stats.Interval {
	return stats.Interval{N: n, Mean: x, Low: math.NaN(), High: math.NaN()}
}

// onFront says how many vectors of the exact front the answers of a pool reach, and which
// share of the answers is on it.
func (v poolView) onFront() string {
	held, on := 0, 0
	for _, f := range v.of.Pools.Front {
		n := 0
		for _, a := range v.pool.Answers {
			if slices.Equal(a.Reward, f) {
				n++
			}
		}
		if on += n; n > 0 {
			held++
		}
	}
	return fmt.Sprintf("%d of %s; %.0f%%", held, draw.Counted(len(v.of.Pools.Front), "vector"), 100*float64(on)/float64(len(v.pool.Answers)))
}

// rewards are those of the answers.
func (v poolView) rewards() [][]float64 {
	out := make([][]float64, len(v.pool.Answers))
	for i, a := range v.pool.Answers {
		out[i] = a.Reward
	}
	return out
}
