package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "modes", Place: 2, Doc: "the probability of each mode by step",
			// It draws no metrics, but takes them: a figure may have changed its kind.
			Fields: []string{"metrics", "panel"},
			Check: func(fig record.Figure, of record.Recorded) error {
				if !of.Modes {
					return fmt.Errorf("figure %q draws modes, which are recorded only with modes = true in [eval]", fig.Name)
				}
				return nil
			},
		},
		note:   "Probability mass, mean over seeds: the rewarded modes by rank, then the others.",
		gather: gatherModes,
		draw:   modesFigure,
		values: modesValues,
	})
}

// gatherModes gathers the masses of modes of the variants that the figure draws.
func gatherModes(run *record.Run, d *Data) error {
	shown, err := d.load(run)
	if err != nil {
		return err
	}
	for _, e := range withRivers(d.Figure.Panel, shown) {
		all := e
		e.Thin()
		e.Rivers = all.RiversAt(e.Steps)
		d.Variants = append(d.Variants, e.Variant)
	}
	return nil
}

// withRivers picks the variants that the figure draws: those that panel names and that have
// masses of modes. Where no variant has masses, or panel names an unknown one, it returns
// all, and the drawing says what is wrong.
func withRivers(panel []string, shown []numbers.Evaluated) []numbers.Evaluated {
	for _, label := range panel {
		if !slices.ContainsFunc(shown, func(e numbers.Evaluated) bool { return e.Label == label }) {
			return shown
		}
	}
	var out []numbers.Evaluated
	for _, e := range shown {
		if e.RiversAt(nil) != nil && (len(panel) == 0 || slices.Contains(panel, e.Label)) {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return shown
	}
	return out
}

// modesFigure shows where the probability goes during training, after SetPO
// fig. 1: for each variant a river of bands, rewarded modes below. A mean over
// seeds of each mode's mass hides a collapse when different seeds collapse onto
// different modes. So the upper row sorts the rewarded modes of every seed and
// step by mass and averages rank by rank (see byRank): a collapse is one dark
// band that fills the panel. The lower row shows which modes they are in a single
// seed, the one with the median entropy over modes at the last step (see
// numbers.Rivers). With one seed only, the lower row stands alone.
func modesFigure(d *Data) (*draw.Figure, error) {
	shown, err := numbers.Picked(d.Figure.Panel, withMasses(d.Variants))
	if err != nil {
		return nil, err
	}
	shown, common := numbers.Shorten(shown)
	layers, err := layersOf(shown)
	if err != nil {
		return nil, err
	}
	rows := riverRows(layers, severalSeeds(shown))
	blocks := draw.Heading(d.Figure.Title, draw.PageWidth)
	columns := draw.EvenColumns(len(shown), 4)
	for start := 0; start < len(shown); start += columns {
		b, err := riverBlock(shown[start:min(start+columns, len(shown))], shown, rows, columns)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	blocks = append(blocks, riverLegend(layers, severalSeeds(shown)))
	note := draw.Sentences(common, riverNote(shown))
	return draw.NotedPage(draw.PageWidth, note, blocks...), nil
}

// withMasses leaves out variants without masses of modes, such as an exact optimum. Where
// none has any it returns all, so that the error names the first.
func withMasses(shown []numbers.Variant) []numbers.Variant {
	var out []numbers.Variant
	for _, s := range shown {
		if s.Rivers != nil {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return shown
	}
	return out
}

const riverHeight = vg.Length(74)

// A riverRow says what the panels of one row show of their variants.
type riverRow struct {
	by   stacking
	head func(numbers.Variant) []string // the parts of the line above a panel
}

func riverRows(layers []draw.Layer, several bool) []riverRow {
	one := riverRow{by: byMode(layers), head: seedHead}
	if !several {
		return []riverRow{one}
	}
	return []riverRow{{by: byRank(layers), head: meanHead}, one}
}

// riverBlock draws one line of variants, row below row.
func riverBlock(part, all []numbers.Variant, rows []riverRow, columns int) (draw.Block, error) {
	first, last := stepRange(all)
	var out draw.Block
	for i, row := range rows {
		panels := make([]*plot.Plot, columns)
		for j, s := range part {
			p, err := river(s, row.by, first, last)
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
			p.X.Tick.Marker = draw.Ticks{Count: 8/columns + 1, Whole: true}
			panels[j] = p
		}
		b := headed(panels, part, row.head, i == 0)
		if i > 0 {
			b = draw.Above(out, b)
		}
		out = b
	}
	return out, nil
}

// headed is a row of panels below their heads, and below the names of their variants if
// named.
func headed(row []*plot.Plot, part []numbers.Variant, head func(numbers.Variant) []string, named bool) draw.Block {
	width := (draw.PageWidth-40)/vg.Length(len(row)) - draw.PanelGap
	texts := make([][]string, len(part))
	for j, s := range part {
		texts[j] = head(s)
	}
	texts = broken(draw.SmallFont, texts, width)
	names := make([][]string, len(part))
	most, mostNames := 1, 0
	for j, s := range part {
		most = max(most, len(texts[j]))
		if named {
			names[j] = draw.Wrap(draw.PanelFont, s.Called, width)
			mostNames = max(mostNames, len(names[j]))
		}
	}
	room := draw.HeadLine*vg.Length(most+mostNames) + 3
	return draw.Tile([][]*plot.Plot{row}, draw.PageWidth, riverHeight, room, func(c draw.Canvas, j int) {
		for i, line := range texts[j] {
			draw.Write(c, draw.SmallFont, draw.Black, c.Min.X, c.Min.Y+4+draw.HeadLine*vg.Length(len(texts[j])-1-i), 0, line)
		}
		for i, line := range names[j] {
			draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, c.Min.Y+5+draw.HeadLine*vg.Length(most+len(names[j])-1-i), 0, line)
		}
	})
}

// broken joins the parts of every text to one line if all texts of the row then fit into
// width. Otherwise each part has a line of its own.
func broken(f font.Font, texts [][]string, width vg.Length) [][]string {
	fit := true
	for _, parts := range texts {
		fit = fit && draw.TextWidth(f, strings.Join(parts, " ")) <= width
	}
	out := make([][]string, len(texts))
	for i, parts := range texts {
		if fit {
			parts = []string{strings.Join(parts, " ")}
		}
		for _, part := range parts {
			out[i] = append(out[i], draw.Wrap(f, part, width)...)
		}
	}
	return out
}

func severalSeeds(shown []numbers.Variant) bool {
	return slices.ContainsFunc(shown, func(s numbers.Variant) bool { return s.SeedCount() > 1 })
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

func riverNote(shown []numbers.Variant) string {
	var notes []string
	if severalSeeds(shown) {
		notes = append(notes,
			"Above: the rewarded modes are ranked by mass in each seed at each step; every rank is averaged over seeds.",
			"Below: the seed whose entropy over modes at the last step is the lower median (ties: the lowest seed).")
	}
	for _, s := range shown {
		if s.Rivers.MeanAlive != nil {
			notes = append(notes, "Alive: rewarded modes with more than 2% of the mass at the last step.")
			break
		}
	}
	return strings.Join(notes, " ")
}

// riverLegend explains the layers: first those of each row, then those of both.
func riverLegend(layers []draw.Layer, several bool) draw.Block {
	var ranks, modes []draw.Entry
	for i, l := range rankLayers(layers) {
		ranks = append(ranks, draw.SwatchEntry(rankName(i), l.Color))
	}
	for _, l := range layers {
		if l.Group < draw.PlainModes {
			modes = append(modes, draw.SwatchEntry(l.Name(), l.Color))
		}
	}
	rest := restEntries(layers)
	if !several {
		return draw.Legend(append(modes, rest...), draw.PageWidth)
	}
	return draw.GroupedLegend([]string{"Above:", "Below:", "Both:"}, [][]draw.Entry{ranks, modes, rest}, draw.PageWidth)
}

// restEntries explain what is above the rewarded modes: the line that ends them, the greys as
// one entry, and degenerate answers.
func restEntries(layers []draw.Layer) []draw.Entry {
	var entries, last []draw.Entry
	var greys []color.NRGBA
	unrewarded := 0
	for _, l := range layers {
		switch l.Group {
		case draw.PlainModes:
			greys = append(greys, l.Color)
			unrewarded += len(l.Modes)
		case draw.Degenerate:
			last = append(last, draw.SwatchEntry(l.Name(), l.Color))
		}
	}
	if draw.LastRewarded(layers) >= 0 {
		entries = append(entries, draw.LineEntry("all rewarded modes", rewardLine, nil))
	}
	if len(greys) > 0 {
		text := fmt.Sprintf("%d modes without reward", unrewarded)
		if unrewarded == 1 {
			text = "1 mode without reward"
		}
		entries = append(entries, draw.SwatchEntry(text, greys[:min(len(greys), 6)]...))
	}
	return append(entries, last...)
}

// modesValues are the mean masses of the upper row of a figure of modes: the rewarded
// modes by rank, then the others.
func modesValues(d *Data) (Values, error) {
	shown, err := numbers.Picked(d.Figure.Panel, withMasses(d.Variants))
	if err != nil {
		return nil, err
	}
	shown, _ = numbers.Shorten(shown)
	layers, err := layersOf(shown)
	if err != nil {
		return nil, err
	}
	by := byRank(layers)
	var out Values
	for _, s := range shown {
		p := PanelValues{Title: s.Called, Axis: "training step", Columns: layerColumns(by.layers)}
		for _, step := range listed([]numbers.Variant{s}) {
			row := ValueRow{Name: fmt.Sprint(step), X: float64(step), Cells: make([]stats.Interval, len(by.layers))}
			floor := 0.0
			for i, top := range stack(s.Rivers, slices.Index(s.Steps, step), by) {
				row.Cells[i] = stats.Interval{N: s.SeedCount(), Mean: top - floor, Low: math.NaN(), High: math.NaN()}
				floor = top
			}
			p.Rows = append(p.Rows, row)
		}
		out = append(out, p)
	}
	return out, nil
}

func layerColumns(layers []draw.Layer) []ValueColumn {
	out := make([]ValueColumn, len(layers))
	for i, l := range layers {
		out[i] = ValueColumn{Label: rankName(i), Color: sheets.Hex(l.Color)}
		switch l.Group {
		case draw.PlainModes:
			out[i].Label = "without reward"
		case draw.Degenerate:
			out[i].Label = "degenerate"
		}
	}
	return out
}
