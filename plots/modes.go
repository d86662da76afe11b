package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/internal/plural"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "modes", Place: 2, Doc: "the probability of each mode by step",
			// It draws no metrics, but takes them: a figure may have changed its kind.
			Fields: append([]string{"metrics", "panel"}, sizeFields...),
			Check: func(fig record.Figure, recorded record.Recorded) error {
				if !recorded.Modes {
					return fmt.Errorf("figure %q draws modes, which are recorded only with modes = true in [eval]", fig.Name)
				}
				return nil
			},
		},
		note:   "Probability mass, mean over seeds: the rewarded modes by rank, then the others.",
		gather: gatherModes,
		draw:   modesFigure,
	})
}

// gatherModes gathers the masses of modes of the variants that the figure draws: those that panel
// names and that have masses. If no variant has masses, or panel names an unknown one, it
// gathers all, and the drawing returns the error.
func gatherModes(run *record.Run, d *Data) error {
	shown, err := d.load(run)
	if err != nil {
		return err
	}
	panel := d.Figure.Panel
	if !slices.ContainsFunc(panel, func(label string) bool {
		return !slices.ContainsFunc(shown, func(e numbers.Evaluated) bool { return e.Label == label })
	}) {
		shown = someOrAll(shown, func(e numbers.Evaluated) bool {
			return e.RiversAt(nil) != nil && (len(panel) == 0 || slices.Contains(panel, e.Label))
		})
	}
	for _, e := range shown {
		all := e
		e.Thin()
		e.Rivers = all.RiversAt(e.Steps)
		d.Variants = append(d.Variants, e.Variant)
	}
	return nil
}

// someOrAll picks the variants that pass, or all if no variant does.
func someOrAll[V any](shown []V, pass func(V) bool) []V {
	if out := slices.DeleteFunc(slices.Clone(shown), func(v V) bool { return !pass(v) }); len(out) > 0 {
		return out
	}
	return shown
}

// modesFigure shows where the probability goes during training, after SetPO
// fig. 1: for each variant a river of bands, rewarded modes below. A mean over
// seeds of each mode's mass hides a collapse when different seeds collapse onto
// different modes. So the upper row sorts the rewarded modes of every seed and
// step by mass and averages rank by rank (see byRank): a collapse is one dark
// band that fills the panel. The lower row shows which modes they are in a single
// seed, the one with the median entropy over modes at the last step (see
// numbers.Rivers). With one seed, there is the lower row alone.
func modesFigure(d *Data) (*draw.Figure, Values, error) {
	// Without its masses, a variant such as an exact optimum is left out.
	shown := someOrAll(d.Variants, func(v numbers.Variant) bool { return v.Rivers != nil })
	shown, err := numbers.Picked(d.Figure.Panel, shown)
	if err != nil {
		return nil, nil, err
	}
	shown, common := numbers.Shorten(shown)
	layers, err := layersOf(shown)
	if err != nil {
		return nil, nil, err
	}
	rows := []riverRow{{by: byMode(layers), head: seedHead}}
	several := slices.ContainsFunc(shown, func(v numbers.Variant) bool { return v.SeedCount() > 1 })
	if several {
		rows = []riverRow{{by: byRank(layers), head: meanHead}, rows[0]}
	}
	var blocks []draw.Block
	width := sheets.Width(d.Figure, draw.PageWidth)
	columns := draw.EvenColumns(len(shown), min(4, sheets.Fitting(d.Figure, leastRiver)))
	for part := range slices.Chunk(shown, columns) {
		b, err := riverBlock(part, shown, rows, columns, width)
		if err != nil {
			return nil, nil, err
		}
		blocks = append(blocks, b)
	}
	note := draw.Sentences(common, riverNote(shown, several))
	return sheets.Page(d.Figure, width, note, riverLegend(layers, several, width), blocks...), modesValues(shown, byRank(layers)), nil
}

const (
	riverHeight = vg.Length(74)
	leastRiver  = 1.6 * vg.Inch // of a panel in a figure of its own width
)

// A riverRow is the panels of one row, which show their variants in the same way.
type riverRow struct {
	by   stacking
	head func(numbers.Variant) []string // the parts of the line above a panel
}

func riverBlock(part, all []numbers.Variant, rows []riverRow, columns int, width vg.Length) (draw.Block, error) {
	steps := stepsOf(all)
	var out []draw.Block
	for i, row := range rows {
		panels := make([]*plot.Plot, columns)
		for j, v := range part {
			p, err := river(v, row.by, steps[0], steps[len(steps)-1])
			if err != nil {
				return draw.Block{}, err
			}
			if j == 0 {
				p.Y.Label.Text = "probability mass"
			} else {
				p.Y.Tick.Marker = plot.ConstantTicks{}
			}
			if i == len(rows)-1 {
				p.X.Label.Text = "training step"
			}
			p.X.Tick.Marker = draw.Ticks{Count: int(8*width/draw.PageWidth)/columns + 1, Whole: true}
			panels[j] = p
		}
		out = append(out, headed(panels, part, row.head, i == 0, width))
	}
	return draw.Stacked(out), nil
}

// headed is a row of panels below their heads, and below the names of their variants if
// named. The parts of a head are one line if all heads of the row then fit.
func headed(row []*plot.Plot, part []numbers.Variant, head func(numbers.Variant) []string, named bool, page vg.Length) draw.Block {
	width := (page-40)/vg.Length(len(row)) - draw.PanelGap
	oneLine := true
	for _, v := range part {
		oneLine = oneLine && draw.TextWidth(draw.SmallFont, strings.Join(head(v), " ")) <= width
	}
	texts, names := make([][]string, len(part)), make([][]string, len(part))
	lines, nameLines := 1, 0
	for j, v := range part {
		parts := head(v)
		if oneLine {
			parts = []string{strings.Join(parts, " ")}
		}
		for _, text := range parts {
			texts[j] = append(texts[j], draw.Wrap(draw.SmallFont, text, width)...)
		}
		lines = max(lines, len(texts[j]))
		if named {
			names[j] = draw.Wrap(draw.PanelFont, v.Called, width)
			nameLines = max(nameLines, len(names[j]))
		}
	}
	room := draw.HeadLine*vg.Length(lines+nameLines) + 3
	return draw.Tile([][]*plot.Plot{row}, page, riverHeight, room, func(c draw.Canvas, j int) {
		for i, line := range texts[j] {
			draw.Write(c, draw.SmallFont, draw.Black, c.Min.X, c.Min.Y+4+draw.HeadLine*vg.Length(len(texts[j])-1-i), 0, line)
		}
		for i, line := range names[j] {
			draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, c.Min.Y+5+draw.HeadLine*vg.Length(lines+len(names[j])-1-i), 0, line)
		}
	})
}

func meanHead(s numbers.Variant) []string {
	who := fmt.Sprintf("mean of %d seeds,", s.SeedCount())
	if s.SeedCount() == 1 {
		who = fmt.Sprintf("seed %d alone,", s.Seeds[0])
	}
	what := "modes ranked"
	if alive := s.Rivers.MeanAlive; alive != nil {
		what += fmt.Sprintf(": %.1f alive", *alive)
	}
	return []string{who, what}
}

func seedHead(s numbers.Variant) []string {
	who := fmt.Sprintf("seed %d (median entropy)", s.Rivers.Seed)
	if s.SeedCount() == 1 {
		who = fmt.Sprintf("seed %d alone", s.Rivers.Seed)
	}
	if alive := s.Rivers.Alive; alive != nil {
		return []string{who + ":", strconv.FormatFloat(*alive, 'g', 3, 64) + " alive"}
	}
	return []string{who}
}

func riverNote(shown []numbers.Variant, several bool) string {
	note := ""
	if several {
		note = "Above: the rewarded modes are ranked by mass in each seed at each step; every rank is averaged over seeds. " +
			"Below: the seed whose entropy over modes at the last step is the lower median (ties: the lowest seed)."
	}
	if slices.ContainsFunc(shown, func(v numbers.Variant) bool { return v.Rivers.MeanAlive != nil }) {
		note = draw.Sentences(note, "Alive: rewarded modes with more than 2% of the mass at the last step.")
	}
	return note
}

// riverLegend explains the layers: first those of each row, then those of both.
func riverLegend(layers []layer, several bool, width vg.Length) draw.Block {
	var ranks, modes, rest, last []draw.Entry
	var greys []color.NRGBA
	unrewarded := 0
	for i, l := range rankLayers(layers) {
		ranks = append(ranks, draw.SwatchEntry(rankName(i), l.color))
	}
	for _, l := range layers {
		switch {
		case l.group < plainModes:
			modes = append(modes, draw.SwatchEntry(l.name(), l.color))
		case l.group == plainModes:
			greys = append(greys, l.color)
			unrewarded += len(l.modes)
		default:
			last = append(last, draw.SwatchEntry(l.name(), l.color))
		}
	}
	if len(modes) > 0 {
		rest = append(rest, draw.LineEntry("all rewarded modes", rewardLine, nil))
	}
	if len(greys) > 0 {
		rest = append(rest, draw.SwatchEntry(plural.Count(unrewarded, "mode")+" without reward", greys[:min(len(greys), 6)]...))
	}
	rest = append(rest, last...)
	if !several {
		return draw.Legend(append(modes, rest...), width)
	}
	return draw.GroupedLegend([]string{"Above:", "Below:", "Both:"}, [][]draw.Entry{ranks, modes, rest}, width)
}

// modesValues are the mean masses of the upper row of a figure of modes: the rewarded
// modes by rank, then the others.
func modesValues(shown []numbers.Variant, by stacking) (out Values) {
	for _, v := range shown {
		p := PanelValues{Title: v.Called, Axis: "training step"}
		for i, l := range by.layers {
			label := map[int]string{plainModes: "without reward", degenerate: "degenerate"}[l.group]
			p.Columns = append(p.Columns, ValueColumn{Label: cmp.Or(label, rankName(i)), Color: sheets.Hex(l.color)})
		}
		for _, step := range numbers.Thinned(v.Steps, maxRows) {
			row := ValueRow{Name: fmt.Sprint(step), X: float64(step)}
			below := 0.0
			for _, top := range stack(v.Rivers, slices.Index(v.Steps, step), by) {
				row.Cells = append(row.Cells, exactly(v.SeedCount(), top-below))
				below = top
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out
}
