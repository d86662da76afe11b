package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "tree", Place: 12, Doc: "how they part, token by token",
			Fields: poolFields, Answers: true, Check: checkPools(nil),
		},
		note:   poolsNote,
		gather: poolKind{keep: modeAndTokens}.gather,
		draw:   treeFigure,
	})
}

type treeNode struct {
	word    string
	depth   int // tokens from the root
	parent  *treeNode
	kids    []*treeNode
	answers int
	ends    int // answers that are no longer than this
	rank    int // of the answers that end here, by rankOf: equal answers have one verdict
	ranks   int // sum over the answers, for the order

	from, to vg.Length // its ends, upwards from the foot of the panel
}

// branchesOf joins the answers of a pool by their beginnings. Of siblings those whose
// answers are of larger modes come first, incorrect ones last.
func branchesOf(pool *numbers.Pool, ranked []string) *treeNode {
	root := new(treeNode)
	for i := range pool.Answers {
		a := &pool.Answers[i]
		rank, node := rankOf(a, ranked), root
		node.answers, node.ranks = node.answers+1, node.ranks+rank
		for _, word := range a.Tokens {
			k := slices.IndexFunc(node.kids, func(n *treeNode) bool { return n.word == word })
			if k < 0 {
				k = len(node.kids)
				node.kids = append(node.kids, &treeNode{word: word, depth: node.depth + 1, parent: node})
			}
			node = node.kids[k]
			node.answers, node.ranks = node.answers+1, node.ranks+rank
		}
		node.ends, node.rank = node.ends+1, rank
	}
	root.order()
	return root
}

func (n *treeNode) order() {
	slices.SortStableFunc(n.kids, func(a, b *treeNode) int {
		return cmp.Or(cmp.Compare(a.ranks*b.answers, b.ranks*a.answers), draw.Compare(a.word, b.word))
	})
	for _, kid := range n.kids {
		kid.order()
	}
}

func (n *treeNode) walk(visit func(*treeNode)) {
	visit(n)
	for _, kid := range n.kids {
		kid.walk(visit)
	}
}

// endings are the nodes at which answers end, in their order from the top: the different
// answers.
func (n *treeNode) endings() []*treeNode {
	var out []*treeNode
	n.walk(func(node *treeNode) {
		if node.ends > 0 {
			out = append(out, node)
		}
	})
	return out
}

// treeSpace is the share of a panel's height that is left free between branches.
const treeSpace = 0.45

// layOut places the tree in a panel: a branch is as high as its share of the answers, and
// in the middle of its continuations.
func (n *treeNode) layOut(height vg.Length) {
	ends := n.endings()
	unit := (1 - treeSpace) * height / vg.Length(n.answers)
	gap := treeSpace * height
	if len(ends) > 1 {
		gap /= vg.Length(len(ends) - 1)
	}
	top := height
	if len(ends) == 1 {
		top -= treeSpace * height / 2
	}
	middles := map[*treeNode][2]vg.Length{} // of the first and the last ending below a node
	for _, e := range ends {
		middle := top - unit*vg.Length(e.ends)/2
		top -= unit*vg.Length(e.ends) + gap
		for node := e; node != nil; node = node.parent {
			if _, known := middles[node]; !known {
				middles[node] = [2]vg.Length{middle, middle}
			}
			middles[node] = [2]vg.Length{middles[node][0], middle}
		}
	}
	n.walk(func(node *treeNode) {
		half := unit * vg.Length(node.answers) / 2
		middle := (middles[node][0] + middles[node][1]) / 2
		middle = min(max(middle, half), height-half)
		node.from, node.to = middle-half, middle+half
	})
}

// A treeRun is neighbouring answers of one colour in a branch, from the branch's top.
type treeRun struct{ rank, before, answers int }

// runs are the colours of a branch from the top, in the order in which its answers leave
// it: its own answers first, then the branches that continue it.
func (n *treeNode) runs() []treeRun {
	var out []treeRun
	before := 0
	for _, e := range n.endings() {
		if last := len(out) - 1; last >= 0 && out[last].rank == e.rank {
			out[last].answers += e.ends
		} else {
			out = append(out, treeRun{e.rank, before, e.ends})
		}
		before += e.ends
	}
	return out
}

// treeFigure shows how the answers of pools part, a panel for every pool (after Poly-EPO
// fig. 3, left): from left to right by token position, a branch as wide as the share of
// the answers that begin so, in the colours of their modes. An answer ends at a mark that
// tells its mode without colour.
func treeFigure(d *Data) (*draw.Figure, Values, error) {
	fig := d.Figure
	rows, views, columns, err := d.poolRows(3)
	if err != nil {
		return nil, nil, err
	}
	ranked, longest := rankedModes(views), 0
	for _, v := range views {
		for _, a := range v.pool.Answers {
			longest = max(longest, len(a.Tokens))
		}
	}
	if longest == 0 {
		return nil, nil, fmt.Errorf("none of the answers to problem %d has tokens", fig.Problem)
	}
	width := draw.PageWidth
	if columns == 1 {
		width = draw.ColumnWidth
	}
	width = sheets.Width(fig, width)
	each := width/vg.Length(columns) - 14
	var blocks []draw.Block
	for i, row := range rows {
		panels, heads := make([]*plot.Plot, columns), make([][2]string, columns)
		for j, v := range row {
			root := branchesOf(v.pool, ranked)
			panels[j] = root.panel(longest, each)
			if i == len(rows)-1 {
				panels[j].X.Label.Text = positionAxis
			}
			heads[j] = [2]string{draw.ElidedIn(draw.PanelFont, v.head(fig.Steps), each), draw.ElidedIn(draw.SmallFont, treeCounts(v.pool, root), each)}
		}
		blocks = append(blocks, poolBlock(panels, heads, width, poolHeight))
	}
	note := draw.Sentences("The width of a branch is the share of the answers that begin so.", poolNote(fig, views))
	return sheets.Page(fig, width, note, draw.Legend(markLegend(ranked, paintSample), width), blocks...), treeValues(fig, views), nil
}

// treeCounts counts the different answers of a pool, the share of correct ones, and their modes.
func treeCounts(pool *numbers.Pool, root *treeNode) string {
	modes, correct := map[string]bool{}, 0
	for _, a := range pool.Answers {
		if a.Correct {
			correct++
			modes[a.Mode] = true
		}
	}
	return fmt.Sprintf("%d different; %.0f%% correct in %s", len(root.endings()), 100*float64(correct)/float64(len(pool.Answers)), plural.Count(len(modes), "mode"))
}

// panel has room for answers of that many tokens.
func (n *treeNode) panel(longest int, width vg.Length) *plot.Plot {
	p := draw.Panel()
	p.Y.Tick.Marker, p.Y.LineStyle.Width = plot.ConstantTicks{}, 0
	p.X.Tick.Marker = draw.Ticks{Count: max(2, int(width/24)), Whole: true}
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(draw.Painted(n.paint))
	draw.SetRanges(p, 0, float64(longest)+0.6, 0, 1)
	return p
}

// paint draws a tree: long branches first, then the marks at the ends.
func (n *treeNode) paint(c draw.Canvas, p *plot.Plot) {
	const room = vg.Length(2) // above and below, for marks
	height := c.Max.Y - c.Min.Y - 2*room
	n.layOut(height)
	x, _ := p.Transforms(&c)
	place := func(depth float64, y vg.Length) vg.Point { return vg.Point{X: x(depth), Y: c.Min.Y + room + y} }
	unit := (n.to - n.from) / vg.Length(n.answers)
	n.walk(func(node *treeNode) {
		if node != n && node.passes() {
			return // drawn with the branch that it is in
		}
		upper := node.to - unit*vg.Length(node.ends)
		for _, kid := range node.kids {
			paintBranch(c, place, node.depth, upper, kid, unit)
			upper -= unit * vg.Length(kid.answers)
		}
	})
	ends := n.endings()
	radius := 1.0
	if len(ends) > 1 {
		radius = float64(min(1, height/vg.Length(len(ends))/4.5))
	}
	for _, e := range ends {
		style := markOf(e.rank)
		style.Radius *= vg.Length(max(radius, 0.4))
		// Answers that end in a branch that continues end in its upper part.
		c.DrawGlyphNoClip(style, place(float64(e.depth)+0.25, e.to-unit*vg.Length(e.ends)/2))
	}
}

// passes reports whether no answer ends at the node and all continue alike.
func (n *treeNode) passes() bool { return n.ends == 0 && len(n.kids) == 1 }

// paintBranch draws the branch that leads to kid and on to the next node where something
// happens. It leaves its parent at that depth, and its upper edge there is upper.
func paintBranch(c draw.Canvas, place func(float64, vg.Length) vg.Point, depth int, upper vg.Length, kid *treeNode, unit vg.Length) {
	end := kid
	for end.passes() {
		end = end.kids[0]
	}
	// Neighbours overlap a little, or light would show between them.
	const bends, over = 5, vg.Length(0.08)
	for _, run := range kid.runs() {
		before, high := unit*vg.Length(run.before), unit*vg.Length(run.answers)
		var above, below []vg.Point
		add := func(x float64, top vg.Length) {
			above, below = append(above, place(x, top-before+over)), append(below, place(x, top-before-high-over))
		}
		for i := range bends + 1 {
			s := float64(i) / bends
			bend := vg.Length(s * s * (3 - 2*s))
			if i == 0 || i == bends || math.Abs(float64(kid.to-upper)) > 0.01 {
				add(float64(depth)+s, upper+bend*(kid.to-upper))
			}
		}
		if end != kid {
			add(float64(end.depth), kid.to)
		}
		last := len(above) - 1
		above[last].X, below[last].X = above[last].X+2*over, below[last].X+2*over
		slices.Reverse(below)
		draw.Polygon(c, branchFill(run.rank), draw.LineStyle{}, append(above, below...))
	}
}

// branchFill is the colour of a branch: that of the mark at its end, but lighter for
// incorrect answers, which a grey print would not tell from some modes.
func branchFill(rank int) color.Color {
	if rank > mapModes {
		return draw.PlainColors[0]
	}
	return markOf(rank).Color
}

func paintSample(c draw.Canvas, rank int) {
	mid := c.Center().Y
	c.StrokeLine2(draw.LineStyle{Color: branchFill(rank), Width: 3}, c.Min.X, mid, c.Max.X-8, mid)
	c.DrawGlyphNoClip(markOf(rank), vg.Point{X: c.Max.X - 4, Y: mid})
}

// treeValues are, by token position, how many answers of each pool are that long, how
// many different beginnings they have, and the share of the most frequent one.
func treeValues(fig record.Figure, views []poolView) (out Values) {
	for _, v := range views {
		p := PanelValues{Title: v.head(fig.Steps), Axis: positionAxis, Columns: []ValueColumn{{Label: "answers"}, {Label: "different beginnings"}, {Label: "share of the most frequent"}}}
		for h := 1; h <= maxRows; h++ {
			counts := map[string]int{}
			n, frequent := 0, 0
			for _, a := range v.pool.Answers {
				if len(a.Tokens) >= h {
					beginning := strings.Join(a.Tokens[:h], " ")
					counts[beginning]++
					n, frequent = n+1, max(frequent, counts[beginning])
				}
			}
			if n == 0 {
				break
			}
			p.Rows = append(p.Rows, ValueRow{Name: fmt.Sprint(h), X: float64(h), Cells: []stats.Interval{
				exactly(n, float64(n)), exactly(n, float64(len(counts))), exactly(n, float64(frequent)/float64(len(v.pool.Answers))),
			}})
		}
		out = append(out, p)
	}
	return out
}
