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
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "tree", Place: 12, Doc: "how they part, token by token",
			Fields: answerFields, Answers: true, Check: checkPools(nil),
		},
		note:   poolsNote,
		gather: poolKind{keep: modeAndTokens}.gather,
		draw:   treeFigure,
		values: treeValues,
	})
}

// A treeNode is a beginning that some answers share.
type treeNode struct {
	word    string
	depth   int // tokens from the root
	parent  *treeNode
	kids    []*treeNode
	answers int
	ends    int // answers that are no longer than this
	rank    int // of the answers that end here, as rankOf says: equal answers have one verdict
	ranks   int // sum over the answers, for the order

	from, to vg.Length // its ends, upwards from the foot of the panel
}

// branchesOf joins the answers of a pool by what they begin with. Of siblings those whose
// answers are of larger modes come first, incorrect ones last.
func branchesOf(pool *numbers.Pool, ranked []string) *treeNode {
	root := new(treeNode)
	for i := range pool.Answers {
		a := &pool.Answers[i]
		rank, at := rankOf(a, ranked), root
		at.answers, at.ranks = at.answers+1, at.ranks+rank
		for _, word := range a.Tokens {
			k := slices.IndexFunc(at.kids, func(n *treeNode) bool { return n.word == word })
			if k < 0 {
				k = len(at.kids)
				at.kids = append(at.kids, &treeNode{word: word, depth: at.depth + 1, parent: at})
			}
			at = at.kids[k]
			at.answers, at.ranks = at.answers+1, at.ranks+rank
		}
		at.ends, at.rank = at.ends+1, rank
	}
	root.order()
	return root
}

func (n *treeNode) order() {
	slices.SortStableFunc(n.kids, func(a, b *treeNode) int {
		x, y := a.ranks*b.answers, b.ranks*a.answers
		if x != y {
			return cmp.Compare(x, y)
		}
		if a.word == b.word {
			return 0
		}
		if draw.Before(a.word, b.word) {
			return -1
		}
		return 1
	})
	for _, kid := range n.kids {
		kid.order()
	}
}

// walk visits a node before what continues it.
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
	n.walk(func(at *treeNode) {
		if at.ends > 0 {
			out = append(out, at)
		}
	})
	return out
}

// treeSpace is the share of a panel's height that is left free between branches.
const treeSpace = 0.45

// layOut places the tree in a panel: a branch is as high as its share of the answers, and
// in the middle of what continues it.
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
		for at := e; at != nil; at = at.parent {
			if _, seen := middles[at]; !seen {
				middles[at] = [2]vg.Length{middle, middle}
			}
			middles[at] = [2]vg.Length{middles[at][0], middle}
		}
	}
	n.walk(func(at *treeNode) {
		half := unit * vg.Length(at.answers) / 2
		middle := (middles[at][0] + middles[at][1]) / 2
		middle = min(max(middle, half), height-half)
		at.from, at.to = middle-half, middle+half
	})
}

// A treeRun is neighbouring answers of one colour in a branch, from the branch's top.
type treeRun struct{ rank, before, answers int }

// runs are the colours of a branch from the top, in the order in which its answers leave
// it: what ends first, then the branches that continue it.
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

// treePanels are what the panels of a figure share.
type treePanels struct {
	ranked  []string
	longest int // tokens
}

const treeHeight = vg.Length(118)

// treeFigure shows how the answers of pools part, a panel for every pool (after Poly-EPO
// fig. 3, left): from left to right by token position, a branch as wide as the share of
// the answers that begin so, in the colours of what they come to. An answer ends at a
// mark that says the same without colour.
func treeFigure(d *Data) (*draw.Figure, error) {
	fig := d.Figure
	shown, err := d.answering()
	if err != nil {
		return nil, err
	}
	rows, err := viewRows(shown, fig.Steps, draw.EvenColumns(len(shown), 3))
	if err != nil {
		return nil, err
	}
	views := slices.Concat(rows...)
	t := treePanels{ranked: rankedModes(views)}
	for _, v := range views {
		for _, a := range v.pool.Answers {
			t.longest = max(t.longest, len(a.Tokens))
		}
	}
	if t.longest == 0 {
		return nil, fmt.Errorf("none of the answers to problem %d has tokens", fig.Problem)
	}
	width, columns := draw.PageWidth, 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	if columns == 1 {
		width = draw.ColumnWidth
	}
	blocks := draw.Heading(fig.Title, width)
	for i, row := range rows {
		blocks = append(blocks, t.row(fig, row, columns, width, i == len(rows)-1))
	}
	blocks = append(blocks, draw.Legend(treeLegend(t.ranked), width))
	note := draw.Sentences("The width of a branch is the share of the answers that begin so.", poolNote(fig, views))
	return draw.NotedPage(width, note, blocks...), nil
}

// row draws a row of pools.
func (t treePanels) row(fig record.Figure, row []poolView, columns int, width vg.Length, last bool) draw.Block {
	panels, heads := make([]*plot.Plot, columns), make([][2]string, columns)
	each := width/vg.Length(columns) - 14
	for i, v := range row {
		root := branchesOf(v.pool, t.ranked)
		panels[i] = t.panel(root, each)
		if last {
			panels[i].X.Label.Text = positionAxis
		}
		heads[i] = [2]string{draw.ElidedIn(draw.PanelFont, v.head(fig.Steps), each), draw.ElidedIn(draw.SmallFont, treeCounts(v.pool, root), each)}
	}
	const head = 2*draw.HeadLine + 4
	return draw.Tile([][]*plot.Plot{panels}, width, treeHeight, head, func(c draw.Canvas, col int) {
		draw.Write(c, draw.PanelFont, draw.Black, c.Min.X, c.Min.Y+draw.HeadLine+5, 0, heads[col][0])
		draw.Write(c, draw.SmallFont, draw.Subtle, c.Min.X, c.Min.Y+5, 0, heads[col][1])
	})
}

// treeCounts says how many different answers a pool has, how many are correct, and in how
// many modes.
func treeCounts(pool *numbers.Pool, root *treeNode) string {
	modes, correct := map[string]bool{}, 0
	for _, a := range pool.Answers {
		if a.Correct {
			correct++
			modes[a.Mode] = true
		}
	}
	return fmt.Sprintf("%d different; %.0f%% correct in %s", len(root.endings()), 100*float64(correct)/float64(len(pool.Answers)), draw.Counted(len(modes), "mode"))
}

func (t treePanels) panel(root *treeNode, width vg.Length) *plot.Plot {
	p := draw.Panel()
	p.Y.Tick.Marker, p.Y.LineStyle.Width = plot.ConstantTicks{}, 0
	p.X.Tick.Marker = draw.Ticks{Count: max(2, int(width/24)), Whole: true}
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(draw.Painted(func(c draw.Canvas, p *plot.Plot) { t.paint(c, p, root) }))
	draw.SetRanges(p, 0, float64(t.longest)+0.6, 0, 1)
	return p
}

// paint draws a tree: long branches first, then the marks at the ends.
func (t treePanels) paint(c draw.Canvas, p *plot.Plot, root *treeNode) {
	const room = vg.Length(2) // above and below, for marks
	height := c.Max.Y - c.Min.Y - 2*room
	root.layOut(height)
	x, _ := p.Transforms(&c)
	at := func(depth float64, y vg.Length) vg.Point { return vg.Point{X: x(depth), Y: c.Min.Y + room + y} }
	unit := (root.to - root.from) / vg.Length(root.answers)
	root.walk(func(n *treeNode) {
		if n != root && n.passes() {
			return // drawn with the branch that it is in
		}
		upper := n.to - unit*vg.Length(n.ends)
		for _, kid := range n.kids {
			paintBranch(c, at, n.depth, upper, kid, unit)
			upper -= unit * vg.Length(kid.answers)
		}
	})
	ends := root.endings()
	radius := 1.0
	if len(ends) > 1 {
		radius = float64(min(1, height/vg.Length(len(ends))/4.5))
	}
	for _, e := range ends {
		style := markOf(e.rank)
		style.Radius *= vg.Length(max(radius, 0.4))
		// What ends in a branch that goes on ends in its upper part.
		c.DrawGlyphNoClip(style, at(float64(e.depth)+0.25, e.to-unit*vg.Length(e.ends)/2))
	}
}

// passes says whether no answer ends at the node and all go on alike.
func (n *treeNode) passes() bool { return n.ends == 0 && len(n.kids) == 1 }

// paintBranch draws the branch that leads to kid and on to the next node where something
// happens. It leaves its parent at that depth, and its upper edge there is upper.
func paintBranch(c draw.Canvas, at func(float64, vg.Length) vg.Point, depth int, upper vg.Length, kid *treeNode, unit vg.Length) {
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
			above, below = append(above, at(x, top-before+over)), append(below, at(x, top-before-high-over))
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

func treeLegend(ranked []string) []draw.Entry {
	var out []draw.Entry
	for rank := range mapModes + 2 {
		if rank < mapModes && rank >= len(ranked) || rank == mapModes && len(ranked) < mapModes {
			continue
		}
		out = append(out, draw.Entry{Text: rankText(rank, ranked), Paint: func(c draw.Canvas) {
			mid := c.Center().Y
			c.StrokeLine2(draw.LineStyle{Color: branchFill(rank), Width: 3}, c.Min.X, mid, c.Max.X-8, mid)
			c.DrawGlyphNoClip(markOf(rank), vg.Point{X: c.Max.X - 4, Y: mid})
		}})
	}
	return out
}

// treeValues are, by token position, how many answers of each pool are that long, how
// many different beginnings they have, and the share of the most frequent one.
func treeValues(d *Data) (Values, error) {
	fig := d.Figure
	shown, err := d.answering()
	if err != nil {
		return nil, err
	}
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
