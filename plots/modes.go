package plots

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
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
	blocks = append(blocks, legend(riverEntries(layers), pageWidth))
	blocks = append(blocks, paragraphs(smallFont, subtle, pageWidth, riverNote(shown))...)
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
	rows := [][]*plot.Plot{make([]*plot.Plot, columns)}
	if severalSeeds(all) {
		rows = append(rows, make([]*plot.Plot, columns))
	}
	for j, s := range part {
		for i := range rows {
			seeds := s.seeds
			if i == 1 {
				seeds = s.seeds[:1]
			}
			p, err := river(s, seeds, layers, first, last)
			if err != nil {
				return block{}, err
			}
			if j == 0 {
				p.Y.Label.Text = "probability mass"
			} else {
				p.Y.Tick.Marker = plot.ConstantTicks{}
			}
			if i == len(rows)-1 {
				p.X.Label.Text = "training step"
			}
			p.X.Tick.Marker = niceTicks{count: 8/columns + 1, whole: true}
			rows[i][j] = p
		}
	}
	upper := tileMeans(rows[:1], part)
	if len(rows) == 1 {
		return upper, nil
	}
	lower := tile(rows[1:], pageWidth, riverHeight, headLine+3, func(c draw.Canvas, j int) {
		write(c, smallFont, black, c.Min.X, c.Min.Y+4, 0, seedHead(part[j]))
	})
	return above(upper, lower), nil
}

// tileMeans lays out the upper row, which bears the variants' names.
func tileMeans(row [][]*plot.Plot, part []sample) block {
	width := (pageWidth-40)/vg.Length(len(row[0])) - panelGap
	names := make([][]string, len(part))
	most := 1
	for j, s := range part {
		names[j] = wrap(panelFont, s.variant.Label, width)
		most = max(most, len(names[j]))
	}
	return tile(row, pageWidth, riverHeight, headLine*vg.Length(most+1)+3, func(c draw.Canvas, j int) {
		write(c, smallFont, black, c.Min.X, c.Min.Y+4, 0, meanHead(part[j]))
		for i, line := range names[j] {
			write(c, panelFont, black, c.Min.X, c.Min.Y+5+headLine*vg.Length(len(names[j])-i), 0, line)
		}
	})
}

func severalSeeds(shown []sample) bool {
	return slices.ContainsFunc(shown, func(s sample) bool { return len(s.seeds) > 1 })
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
	if len(s.seeds) == 1 {
		return seedHead(s)
	}
	head := fmt.Sprintf("mean of %d seeds", len(s.seeds))
	if at := s.interval(aliveMetric, s.last()); at.N > 0 {
		head += fmt.Sprintf(": %.1f alive", at.Mean)
	}
	return head
}

func seedHead(s sample) string {
	head := fmt.Sprintf("seed %d alone", s.variant.Cells[0].Seed)
	if alive, ok := s.seeds[0][s.last()].Metrics[aliveMetric]; ok {
		head += ": " + strconv.FormatFloat(alive, 'g', 3, 64) + " alive"
	}
	return head
}

func riverNote(shown []sample) string {
	var notes []string
	if severalSeeds(shown) {
		notes = append(notes, "Above: mean over seeds; below: one seed by itself (seeds may keep different modes, which a mean hides).")
	}
	for _, s := range shown {
		if s.interval(aliveMetric, s.last()).N > 0 {
			notes = append(notes, "Alive: rewarded modes with more than 2% of the mass at the last step.")
			break
		}
	}
	return strings.Join(notes, " ")
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
	if lastRewarded(layers) >= 0 {
		entries = append(entries, lineEntry("all rewarded modes", rewardLine, nil))
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
