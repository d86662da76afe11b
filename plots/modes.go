package plots

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"modebench/experiments/record"
)

// aliveMetric counts the rewarded modes that a policy still uses.
const aliveMetric = "correct_modes_alive"

// modesFigure shows where the probability goes during training, after SetPO
// fig. 1: for each variant a river of bands, one a mode, rewarded modes below.
// A mean over seeds hides collapse when different seeds collapse onto different
// modes, so a single seed is drawn below it.
func modesFigure(fig record.Figure, shown []sample) (*Figure, error) {
	shown, err := panelled(fig.Panel, shown)
	if err != nil {
		return nil, err
	}
	layers, err := layersOf(shown)
	if err != nil {
		return nil, err
	}
	blocks := heading(fig.Title, pageWidth)
	columns := riverColumns(len(shown))
	for start := 0; start < len(shown); start += columns {
		b, err := riverBlock(shown[start:min(start+columns, len(shown))], shown, layers, columns)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	blocks = append(blocks, legend(riverEntries(layers), pageWidth), paragraph(smallFont, subtle, pageWidth, riverNote(shown)))
	return page(pageWidth, blocks...), nil
}

// panelled picks the variants that the figure lists, in its order.
func panelled(labels []string, shown []sample) ([]sample, error) {
	if len(labels) == 0 {
		return shown, nil
	}
	known := make([]string, len(shown))
	for i, s := range shown {
		known[i] = s.variant.Label
	}
	var out []sample
	for _, label := range labels {
		found := false
		for _, s := range shown {
			if s.variant.Label == label {
				out = append(out, s)
				found = true
			}
		}
		if !found {
			return nil, fmt.Errorf("panel names the variant %q, which the figure does not keep; it keeps %s", label, strings.Join(known, ", "))
		}
	}
	return out, nil
}

// riverColumns spreads n variants evenly over lines of at most four.
func riverColumns(n int) int {
	lines := (n + 3) / 4
	return (n + lines - 1) / lines
}

const (
	riverHeight = vg.Length(74)
	headLine    = vg.Length(10)
)

// riverBlock draws one line of variants: the means above, single seeds below.
func riverBlock(part, all []sample, layers []layer, columns int) (block, error) {
	first, last := stepRange(all)
	rows := [][]*plot.Plot{make([]*plot.Plot, columns), make([]*plot.Plot, columns)}
	for j, s := range part {
		for i, seeds := range [][]map[int]record.Eval{s.seeds, s.seeds[:1]} {
			p, err := river(s, seeds, layers, first, last)
			if err != nil {
				return block{}, err
			}
			if j == 0 {
				p.Y.Label.Text = "probability mass"
			} else {
				p.Y.Tick.Marker = plot.ConstantTicks{}
			}
			if i == 1 {
				p.X.Label.Text = "training step"
			}
			p.X.Tick.Marker = niceTicks{count: 8/columns + 1, whole: true}
			rows[i][j] = p
		}
	}
	width := (pageWidth-40)/vg.Length(columns) - panelGap
	names := make([][]string, len(part))
	most := 1
	for j, s := range part {
		names[j] = wrap(panelFont, s.variant.Label, width)
		most = max(most, len(names[j]))
	}
	upper := tile(rows[:1], pageWidth, riverHeight, headLine*vg.Length(most+1), func(c draw.Canvas, j int) {
		write(c, smallFont, black, c.Min.X, c.Min.Y+4, 0, meanHead(part[j]))
		for i, line := range names[j] {
			write(c, panelFont, black, c.Min.X, c.Min.Y+5+headLine*vg.Length(len(names[j])-i), 0, line)
		}
	})
	lower := tile(rows[1:], pageWidth, riverHeight, headLine+3, func(c draw.Canvas, j int) {
		write(c, smallFont, black, c.Min.X, c.Min.Y+4, 0, seedHead(part[j]))
	})
	return above(upper, lower), nil
}

// above puts one block on top of another without a gap.
func above(upper, lower block) block {
	return block{height: upper.height + lower.height, paint: func(c draw.Canvas) {
		top, bottom := c, c
		top.Min.Y = c.Max.Y - upper.height
		bottom.Max.Y = top.Min.Y
		upper.paint(top)
		lower.paint(bottom)
	}}
}

func meanHead(s sample) string {
	head := fmt.Sprintf("mean of %d seeds", len(s.seeds))
	if len(s.seeds) == 1 {
		head = "the only seed"
	}
	if at := s.interval(aliveMetric, s.last()); at.N > 0 {
		head += fmt.Sprintf(": %.1f alive", at.Mean)
	}
	return head
}

func seedHead(s sample) string {
	head := fmt.Sprintf("seed %d alone", s.variant.Cells[0].Seed)
	if alive, ok := s.seeds[0][s.last()].Metrics[aliveMetric]; ok {
		head += ": " + strconv.FormatFloat(alive, 'f', -1, 64) + " alive"
	}
	return head
}

func riverNote(shown []sample) string {
	note := "Above: mean over seeds; below: one seed by itself (seeds may keep different modes, which a mean hides)."
	for _, s := range shown {
		if s.interval(aliveMetric, s.last()).N > 0 {
			return note + " Alive: rewarded modes with more than 2% of the mass at the last step."
		}
	}
	return note
}

// river stacks the layers' masses, averaged over the seeds, by training step.
func river(s sample, seeds []map[int]record.Eval, layers []layer, first, last int) (*plot.Plot, error) {
	p := panel()
	p.X.Padding, p.Y.Padding = 0, 0
	p.Y.Tick.Marker = niceTicks{count: 2}
	var xs []float64
	var tops [][]float64 // of the layers, by step
	for _, i := range thinned(len(s.steps)) {
		xs = append(xs, float64(s.steps[i]))
		tops = append(tops, stack(seeds, s.steps[i], layers))
	}
	if isBase(s.variant) && len(xs) == 1 {
		xs, tops = []float64{float64(first), float64(last)}, [][]float64{tops[0], tops[0]}
	}
	for i, l := range layers {
		if err := addArea(p, outline(xs, tops, i), l.color); err != nil {
			return nil, err
		}
	}
	// After all areas, so that no line is half covered.
	for i, l := range layers {
		if l.group == plainModes || i == len(layers)-1 {
			continue
		}
		for _, seam := range seams(xs, tops, i) {
			line, err := plotter.NewLine(seam)
			if err != nil {
				return nil, err
			}
			line.LineStyle = draw.LineStyle{Color: white, Width: 0.35}
			p.Add(line)
		}
	}
	fix(p, float64(first), float64(last), 0, 1)
	return p, nil
}

// floor is the bottom of the i-th layer.
func floor(tops []float64, i int) float64 {
	if i == 0 {
		return 0
	}
	return tops[i-1]
}

// outline goes along the top of the i-th layer and back along its bottom.
func outline(xs []float64, tops [][]float64, i int) plotter.XYs {
	out := make(plotter.XYs, 0, 2*len(xs))
	for t, x := range xs {
		out = append(out, plotter.XY{X: x, Y: tops[t][i]})
	}
	for t := len(xs) - 1; t >= 0; t-- {
		out = append(out, plotter.XY{X: xs[t], Y: floor(tops[t], i)})
	}
	return out
}

// seams are the stretches of the i-th layer's top along which the layer is wide
// enough to bear a line; a mode that has died out has none.
func seams(xs []float64, tops [][]float64, i int) []plotter.XYs {
	const wide = 0.015
	var all []plotter.XYs
	var seam plotter.XYs
	for t, x := range xs {
		if tops[t][i]-floor(tops[t], i) >= wide {
			seam = append(seam, plotter.XY{X: x, Y: tops[t][i]})
			continue
		}
		if len(seam) > 1 {
			all = append(all, seam)
		}
		seam = nil
	}
	if len(seam) > 1 {
		all = append(all, seam)
	}
	return all
}

// stack sums the layers' masses up from the bottom.
func stack(seeds []map[int]record.Eval, step int, layers []layer) []float64 {
	place := map[modeKey]int{}
	for i, l := range layers {
		for _, key := range l.modes {
			place[key] = i
		}
	}
	tops := make([]float64, len(layers))
	for _, seed := range seeds {
		for _, m := range seed[step].Modes {
			tops[place[keyOf(m)]] += m.Mass / float64(len(seeds))
		}
	}
	for i := 1; i < len(tops); i++ {
		tops[i] += tops[i-1]
	}
	return tops
}

// riverEntries names the layers: rewarded ones singly, the greys as one.
func riverEntries(layers []layer) []entry {
	var entries []entry
	var greys []color.NRGBA
	unrewarded := 0
	for _, l := range layers {
		if l.group != plainModes {
			continue
		}
		greys = append(greys, l.color)
		unrewarded += len(l.modes)
	}
	for _, l := range layers {
		if l.group != plainModes {
			entries = append(entries, swatchEntry(l.name(), l.color))
		}
	}
	if len(greys) > 0 {
		text := fmt.Sprintf("%d modes without reward", unrewarded)
		if unrewarded == 1 {
			text = "1 mode without reward"
		}
		entries = append(entries, swatchEntry(text, greys[:min(len(greys), 6)]...))
	}
	return entries
}

// swatchEntry shows colours side by side.
func swatchEntry(text string, colors ...color.NRGBA) entry {
	return entry{text: text, paint: func(c draw.Canvas) {
		width := (c.Max.X - c.Min.X) / vg.Length(len(colors))
		for i, fill := range colors {
			left := c.Min.X + vg.Length(i)*width
			c.SetColor(fill)
			c.Fill(vg.Rectangle{Min: vg.Point{X: left, Y: c.Min.Y + 2}, Max: vg.Point{X: left + width, Y: c.Max.Y - 2}}.Path())
		}
	}}
}
