package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
)

// exactly is a number of a pool of n answers: it has no interval.
func exactly(n int, x float64) stats.Interval {
	return stats.Interval{N: n, Mean: x, Low: math.NaN(), High: math.NaN()}
}

// poolViews are the pools that a figure shows, in its order.
func poolViews(fig record.Figure, shown []*pooled) ([]poolView, error) {
	rows, err := viewRows(shown, fig.Steps, 1)
	return slices.Concat(rows...), err
}

// answersValues are the answers of each pool by mode: a row for every mode, the correct
// ones first.
func answersValues(fig record.Figure, shown []*pooled) (Values, error) {
	views, err := poolViews(fig, shown)
	if err != nil {
		return nil, err
	}
	counts := map[draw.ModeKey][]int{}
	total := map[draw.ModeKey]int{}
	p := PanelValues{Title: "answers by mode", Axis: "mode"}
	for i, v := range views {
		p.Columns = append(p.Columns, ValueColumn{Label: v.head(fig.Steps)})
		for _, a := range v.pool.Answers {
			key := draw.ModeKey{Name: a.Mode, Correct: a.Correct && a.Mode != ""}
			if counts[key] == nil {
				counts[key] = make([]int, len(views))
			}
			counts[key][i]++
			total[key]++
		}
	}
	for _, key := range orderedModes(total) {
		name := key.Name
		switch {
		case name == "":
			name = "degenerate"
		case !key.Correct:
			name += " (incorrect)"
		}
		row := ValueRow{Name: name}
		for i, n := range counts[key] {
			row.Cells = append(row.Cells, exactly(len(views[i].pool.Answers), float64(n)))
		}
		p.Rows = append(p.Rows, row)
	}
	p.Rows = p.Rows[:min(len(p.Rows), maxRows)]
	return Values{p}, nil
}

// orderedModes are modes with the correct ones first, then by how many answers they have.
func orderedModes(total map[draw.ModeKey]int) []draw.ModeKey {
	keys := make([]draw.ModeKey, 0, len(total))
	for key := range total {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b draw.ModeKey) int {
		switch {
		case a.Correct != b.Correct:
			if a.Correct {
				return -1
			}
			return 1
		case total[a] != total[b]:
			return cmp.Compare(total[b], total[a])
		case a.Name == b.Name:
			return 0
		case draw.Before(a.Name, b.Name):
			return -1
		}
		return 1
	})
	return keys
}

// frontValues are the places of each panel of a front: how many answers are there, and
// whether they are on the exact front; its vectors without answers have none.
func frontValues(fig record.Figure, shown []*pooled) (Values, error) {
	views, err := poolViews(fig, shown)
	if err != nil {
		return nil, err
	}
	pairs, err := frontPairs(fig, shown)
	if err != nil {
		return nil, err
	}
	var out Values
	for _, v := range views {
		for _, pair := range pairs {
			f, err := newFrontPanel(v, pair)
			if err != nil {
				return nil, err
			}
			p := PanelValues{
				Title: v.head(fig.Steps) + ": " + pair[0] + ", " + pair[1], Axis: pair[0] + ", " + pair[1],
				Columns: []ValueColumn{{Label: "answers"}, {Label: "on the exact front"}},
			}
			points := slices.Clone(f.answers)
			for _, q := range f.vectors {
				if !slices.ContainsFunc(points, func(a frontPoint) bool { return a.front && a.x == q.x && a.y == q.y }) {
					points = append(points, q)
				}
			}
			for _, q := range points[:min(len(points), maxRows)] {
				on := 0.0
				if q.front {
					on = 1
				}
				n := len(v.pool.Answers)
				p.Rows = append(p.Rows, ValueRow{
					Name:  strconv.FormatFloat(q.x, 'g', 4, 64) + ", " + strconv.FormatFloat(q.y, 'g', 4, 64),
					Cells: []stats.Interval{exactly(n, float64(q.times)), exactly(n, on)},
				})
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// mapValues are, by what the marks of a map say, how many answers of each pool have that
// mark and where they lie in the plane on average.
func mapValues(fig record.Figure, shown []*pooled) (Values, error) {
	views, err := poolViews(fig, shown)
	if err != nil {
		return nil, err
	}
	plane, _, err := planeOf(views)
	if err != nil {
		return nil, err
	}
	ranked := rankedModes(views)
	var out Values
	for _, v := range views {
		p := PanelValues{Title: v.head(fig.Steps), Axis: "answers", Columns: []ValueColumn{{Label: "shown"}, {Label: "PC 1, mean"}, {Label: "PC 2, mean"}}}
		for rank := range mapModes + 2 {
			n, x, y := 0, 0.0, 0.0
			for i := range v.pool.Answers {
				a := &v.pool.Answers[i]
				if a.Embedding != nil && rankOf(a, ranked) == rank {
					at, up := plane.of(wide(a.Embedding))
					n, x, y = n+1, x+at, y+up
				}
			}
			if n == 0 {
				continue
			}
			p.Rows = append(p.Rows, ValueRow{
				Name:  rankText(rank, ranked),
				Cells: []stats.Interval{exactly(n, float64(n)), exactly(n, x/float64(n)), exactly(n, y/float64(n))},
			})
		}
		out = append(out, p)
	}
	return out, nil
}

// rankText is what a mark stands for.
func rankText(rank int, ranked []string) string {
	switch {
	case rank > mapModes:
		return "incorrect answers"
	case rank == mapModes:
		return "other correct answers"
	}
	return "mode " + ranked[rank]
}

// treeValues are, by token position, how many answers of each pool are that long, how
// many different beginnings they have, and the share of the most frequent one.
func treeValues(fig record.Figure, shown []*pooled) (Values, error) {
	views, err := poolViews(fig, shown)
	if err != nil {
		return nil, err
	}
	var out Values
	for _, v := range views {
		p := PanelValues{Title: v.head(fig.Steps), Axis: positionAxis, Columns: []ValueColumn{{Label: "answers"}, {Label: "different beginnings"}, {Label: "share of the most frequent"}}}
		for h := 1; h <= maxRows; h++ {
			counts := map[string]int{}
			n, most := 0, 0
			for _, a := range v.pool.Answers {
				if len(a.Tokens) >= h {
					beginning := strings.Join(a.Tokens[:h], " ")
					counts[beginning]++
					n, most = n+1, max(most, counts[beginning])
				}
			}
			if n == 0 {
				break
			}
			p.Rows = append(p.Rows, ValueRow{Name: fmt.Sprint(h), X: float64(h), Cells: []stats.Interval{
				exactly(n, float64(n)), exactly(n, float64(len(counts))), exactly(n, float64(most)/float64(len(v.pool.Answers))),
			}})
		}
		out = append(out, p)
	}
	return out, nil
}
