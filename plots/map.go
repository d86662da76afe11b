package plots

import (
	"errors"
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

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "map", Place: 11, Doc: "their embeddings in a plane (PCA), by step",
			Fields: poolFields, Answers: true,
			Check: checkPools(func(fig record.Figure, v record.RecordedVariant) error {
				if !v.Embeddings {
					return fmt.Errorf("figure %q is a map of embeddings, and answers of %s have none", fig.Name, v.Env)
				}
				return nil
			}),
		},
		note: poolsNote,
		gather: poolKind{steps: quarters, keep: func(a *record.PoolAnswer) numbers.Answer {
			return numbers.Answer{Mode: a.Mode, Correct: a.Correct, Embedding: a.Embedding}
		}}.gather,
		draw: mapFigure,
	})
}

// mapFigure shows the embeddings of pools on one plane, which is fitted to all of them:
// a row for every variant, a column for every step.
func mapFigure(d *Data) (*draw.Figure, Values, error) {
	rows, views, columns, err := d.poolRows(4)
	if err != nil {
		return nil, nil, err
	}
	plane, points, err := planeOf(views)
	if err != nil {
		return nil, nil, err
	}
	ranked := rankedModes(views)
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range points {
		a, b := plane.coordinates(x)
		low, high = min(low, a, b), max(high, a, b)
	}
	room := 0.1*(high-low) + 1e-3
	var blocks []draw.Block
	width := sheets.Width(d.Figure, draw.PageWidth)
	each := width/vg.Length(columns) - 20
	for i, row := range rows {
		panels, heads := make([]*plot.Plot, columns), make([][2]string, columns)
		for j, v := range row {
			p := mapPanel(v, plane, ranked)
			draw.SetRanges(p, low-room, high+room, low-room, high+room)
			if i == len(rows)-1 {
				p.X.Label.Text = fmt.Sprintf("PC 1 (%.0f%%)", 100*plane.shares[0])
			}
			if j == 0 {
				p.Y.Label.Text = fmt.Sprintf("PC 2 (%.0f%%)", 100*plane.shares[1])
			}
			panels[j], heads[j][0] = p, draw.ElidedIn(draw.PanelFont, v.head(d.Figure.Steps), each)
		}
		blocks = append(blocks, poolBlock(panels, heads, width, min(each, poolHeight)))
	}
	legend := draw.Legend(markLegend(ranked, func(c draw.Canvas, rank int) {
		c.DrawGlyphNoClip(markOf(rank), c.Center())
	}), width)
	note := draw.Sentences(poolNote(d.Figure, views), fmt.Sprintf("The plane in which the answers of all panels vary most, with its shares of their variance; at most %d answers a panel. Larger: several answers in one place.", record.MaxEmbedded))
	return sheets.Page(d.Figure, width, note, legend, blocks...), mapValues(d.Figure, views, plane, ranked), nil
}

// planeOf is the plane of the embeddings of all pools, and those embeddings.
func planeOf(views []poolView) (principalPlane, [][]float64, error) {
	var points [][]float64
	for _, v := range views {
		for _, a := range v.pool.Answers {
			if a.Embedding == nil {
				continue
			}
			x := wide(a.Embedding)
			if len(points) > 0 && len(x) != len(points[0]) {
				return principalPlane{}, nil, fmt.Errorf("variant %s has embeddings of %d numbers, others of %d: one map cannot show both", v.variant.Label, len(x), len(points[0]))
			}
			points = append(points, x)
		}
	}
	if len(points) == 0 {
		return principalPlane{}, nil, errors.New("none of the answers kept has an embedding")
	}
	return principal(points), points, nil
}

// wide is an embedding in double precision.
func wide(embedding []float32) []float64 {
	out := make([]float64, len(embedding))
	for i, e := range embedding {
		out[i] = float64(e)
	}
	return out
}

// quarters are four evaluations that all trained variants have, from the first to the last.
func quarters(shown []numbers.Variant) []int {
	var common []int
	for _, p := range shown {
		switch {
		case !p.Trains:
		case common == nil:
			common = slices.Clone(p.Steps)
		default:
			common = slices.DeleteFunc(common, func(step int) bool { return p.Pools.OfStep(step) == nil })
		}
	}
	var out []int
	for _, share := range []float64{0, 0.25, 0.5, 1} {
		if len(common) > 0 {
			if step := common[int(math.Round(share*float64(len(common)-1)))]; !slices.Contains(out, step) {
				out = append(out, step)
			}
		}
	}
	return out
}

// mapPanel draws a pool: incorrect answers below.
func mapPanel(v poolView, plane principalPlane, ranked []string) *plot.Plot {
	type mark struct {
		x, y        float64
		rank, times int
	}
	var all []mark
	for i := range v.pool.Answers {
		a := &v.pool.Answers[i]
		if a.Embedding == nil {
			continue
		}
		x, y := plane.coordinates(wide(a.Embedding))
		rank := rankOf(a, ranked)
		known := slices.IndexFunc(all, func(m mark) bool {
			return m.rank == rank && math.Abs(m.x-x) < 1e-9 && math.Abs(m.y-y) < 1e-9
		})
		if known < 0 {
			known, all = len(all), append(all, mark{x: x, y: y, rank: rank})
		}
		all[known].times++
	}
	slices.SortStableFunc(all, func(a, b mark) int { return b.rank - a.rank })
	p := draw.Panel()
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(draw.Painted(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for _, m := range all {
			style := markOf(m.rank)
			style.Radius *= vg.Length(min(2.2, math.Pow(float64(m.times), 0.25)))
			c.DrawGlyphNoClip(style, vg.Point{X: x(m.x), Y: y(m.y)})
		}
	}))
	return p
}

// mapValues have a row for each sort of mark in a pool: how many answers have it, and where
// in the plane they are on average.
func mapValues(fig record.Figure, views []poolView, plane principalPlane, ranked []string) (out Values) {
	for _, v := range views {
		p := PanelValues{Title: v.head(fig.Steps), Axis: "answers", Columns: []ValueColumn{{Label: "shown"}, {Label: "PC 1, mean"}, {Label: "PC 2, mean"}}}
		for rank := range mapModes + 2 {
			n, x, y := 0, 0.0, 0.0
			for i := range v.pool.Answers {
				if a := &v.pool.Answers[i]; a.Embedding != nil && rankOf(a, ranked) == rank {
					right, up := plane.coordinates(wide(a.Embedding))
					n, x, y = n+1, x+right, y+up
				}
			}
			if n > 0 {
				p.Rows = append(p.Rows, ValueRow{
					Name:  rankText(rank, ranked),
					Cells: []stats.Interval{exactly(n, float64(n)), exactly(n, x/float64(n)), exactly(n, y/float64(n))},
				})
			}
		}
		out = append(out, p)
	}
	return out
}
