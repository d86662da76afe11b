package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// TestTreeIsThePool: every beginning has the width of its share, siblings lie below each
// other within the panel, and the colours of a branch are those of its answers.
func TestTreeIsThePool(t *testing.T) {
	crowd := crowdedPool(8, 64)
	pool := numbers.NewPool(&crowd, modeAndTokens)
	ranked := []string{"frequent", "m5"}
	root := branchesOf(&pool, ranked)
	const height = vg.Length(100)
	root.layOut(height)
	unit := (1 - treeSpace) * float64(height) / 64
	seen := 0
	root.walk(func(n *treeNode) {
		var words []string
		for at := n; at.parent != nil; at = at.parent {
			words = append([]string{at.word}, words...)
		}
		begin, ranks := 0, map[int]int{}
		for i := range pool.Answers {
			a := &pool.Answers[i]
			if len(a.Tokens) >= len(words) && slices.Equal(a.Tokens[:len(words)], words) {
				begin++
				ranks[rankOf(a, ranked)]++
			}
		}
		seen++
		if got := float64(n.to - n.from); n.answers != begin || math.Abs(got-unit*float64(begin)) > 1e-9 {
			t.Errorf("%v: %d answers, %.3f wide; %d begin so, want %.3f", words, n.answers, got, begin, unit*float64(begin))
		}
		if n.from < -1e-9 || n.to > height+1e-9 {
			t.Errorf("%v lies from %.2f to %.2f of %v", words, n.from, n.to, height)
		}
		for i, kid := range n.kids[:max(0, len(n.kids)-1)] {
			if kid.from < n.kids[i+1].to-1e-9 {
				t.Errorf("%v: %s at %.2f lies over %s", words, kid.word, kid.from, n.kids[i+1].word)
			}
		}
		before := 0
		for _, run := range n.runs() {
			if run.before != before {
				t.Errorf("%v: a colour begins after %d answers, want %d", words, run.before, before)
			}
			before += run.answers
			ranks[run.rank] -= run.answers
		}
		for rank, left := range ranks {
			if left != 0 {
				t.Errorf("%v: %d answers of rank %d have no colour", words, left, rank)
			}
		}
	})
	if seen < 40 {
		t.Errorf("%d beginnings, want a crowd", seen)
	}
}

// TestTree reads counts off a figure, and the widths of the common beginnings.
func TestTree(t *testing.T) {
	run := emptyRun(t)
	answer := func(mode string, correct bool, words string) record.PoolAnswer {
		return record.PoolAnswer{Mode: mode, Correct: correct, Reward: []float64{1}, Tokens: strings.Fields(words)}
	}
	addAnswers(t, run, record.Variant{Method: "grpo"}, "bandit", record.Pool{ID: "train/0", Answers: []record.PoolAnswer{
		answer("x", true, "a b c"), answer("x", true, "a b c"), answer("x", true, "a d"), answer("y", true, "a d e"), answer("z", false, "e f"),
	}})
	d := drawSVG(t, run, record.Figure{Kind: "tree", Title: "Tree"})
	drawtest.CheckTexts(t, d)
	drawtest.WantLabels(t, d, "4 different; 80% correct in 2 modes", "mode x", "incorrect answers", "position h (tokens)")
	// At the left edge three answers of five are x's, one y's and one incorrect.
	widths := map[string]float64{}
	bottom, top := math.Inf(1), math.Inf(-1)
	left := math.Inf(1)
	for _, p := range d.Drawn {
		if len(p.Points) > 8 {
			x, _, _, _ := p.Box()
			left = min(left, x)
		}
	}
	for _, p := range d.Drawn {
		if x, _, _, _ := p.Box(); len(p.Points) <= 8 || x > left+0.5 || !strings.Contains(p.Style, "fill:#") {
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, q := range p.Points {
			if q[0] < left+0.5 {
				low, high = min(low, q[1]), max(high, q[1])
			}
		}
		widths[p.Style[:len("fill:#000000")]] += high - low
		bottom, top = min(bottom, low), max(top, high)
	}
	all := 0.0
	for _, w := range widths {
		all += w
	}
	if math.Abs(all-(top-bottom)) > 0.5 {
		t.Errorf("branches are %.1f wide at the left edge, which is %.1f high: they overlap, or leave gaps", all, top-bottom)
	}
	for fill, want := range map[string]float64{sheets.Hex(draw.RouteColors[0]): 0.6, sheets.Hex(draw.RouteColors[1]): 0.2, sheets.Hex(draw.PlainColors[0]): 0.2} {
		if got := widths["fill:"+fill] / all; math.Abs(got-want) > 0.01 {
			t.Errorf("%s has %.3f of the left edge, want %.1f", fill, got, want)
		}
	}
	addPools(t, run, "bandit", record.Pool{ID: "train/0", Answers: []record.PoolAnswer{answer("", false, "")}})
	wantError(t, run, record.Figure{Kind: "tree"}, "none of the answers to problem 0 has tokens")
}

// TestAgreement holds a figure of agreement against counting pairs.
func TestAgreement(t *testing.T) {
	run := settingsRun(t, 6)
	fig := record.Figure{Kind: "agreement", Metrics: []string{"pass@1", "distinct_correct", "entropy_mode", "pass@1"}, Cols: []string{"env.modes"}}
	_, values := drawValues(t, run, fig)
	if len(values) != 1 || len(values[0].Columns) != 4 || len(values[0].Rows) != 3 {
		t.Fatalf("%+v", values)
	}
	shown := gathered(t, run, fig).Variants
	for i, column := range values[0].Columns {
		n, sum := 0, 0.0
		for j, v := range shown {
			if value, ok := v.Value("env.modes"); !ok || value != column.Label {
				continue
			}
			n++
			for _, w := range shown[:j] {
				if value, ok := w.Value("env.modes"); ok && value == column.Label {
					sum += math.Copysign(1, (v.AtLast("pass@1").Mean-w.AtLast("pass@1").Mean)*(v.AtLast("entropy_mode").Mean-w.AtLast("entropy_mode").Mean))
				}
			}
		}
		for j, want := range []float64{1, sum / 3, 1} {
			got := values[0].Rows[j].Cells[i]
			if n != 3 || got.N != n || math.Abs(got.Mean-want) > 1e-12 {
				t.Errorf("%s, column %q: %+v, want %v of %d variants", values[0].Rows[j].Name, column.Label, got, want, n)
			}
		}
	}
	for want, fig := range map[string]record.Figure{
		"takes a metric and others":                    {Kind: "agreement"},
		"want two or more":                             {Kind: "agreement", Metrics: []string{"pass@1"}},
		`has a metric "rewrad"; known names: distinct`: {Kind: "agreement", Metrics: []string{"pass@1", "rewrad"}},
		"cols: no variant has a field lr":              {Kind: "agreement", Metrics: []string{"pass@1", "distinct_correct"}, Cols: []string{"lr"}},
	} {
		wantError(t, run, fig, want)
	}
}

// TestPoolTables: the tables behind figures of answers count all answers.
func TestPoolTables(t *testing.T) {
	sum := func(p PanelValues, column int) (n float64) {
		for _, row := range p.Rows {
			n += row.Cells[column].Mean
		}
		return n
	}
	_, front := drawValues(t, frontRun(t), record.Figure{Kind: "front", Components: []string{"gold", "diamond"}, Panel: []string{"vpo"}})
	if p := front[0]; sum(p, 0) != 9 || p.Rows[0].Name != "0.75, 0" || p.Rows[0].Cells[0].Mean != 4 || p.Rows[0].Cells[1].Mean != 0 || p.Rows[1].Cells[1].Mean != 1 {
		t.Errorf("front: %+v", p)
	}
	vectors := 0.0
	for _, row := range front[0].Rows {
		vectors += row.Cells[1].Mean
	}
	if vectors != 3 {
		t.Errorf("front: %v vectors, want 3", vectors)
	}
	beside := emptyRun(t) // an answer that lies on a vector in these two components alone
	pool := rewards(0, []float64{0, 0.5, 0.5, 0})
	pool.Front = [][]float64{{1, 0.5, 0.5, 0}}
	addAnswers(t, beside, record.Variant{Method: "vpo"}, "maze", pool)
	_, front = drawValues(t, beside, record.Figure{Kind: "front", Components: []string{"gold", "diamond"}})
	if p := front[0]; len(p.Rows) != 2 || p.Rows[0].Cells[1].Mean != 0 || p.Rows[1].Cells[0].Mean != 0 || p.Rows[1].Cells[1].Mean != 1 {
		t.Errorf("an answer beside the front: %+v", p)
	}
	maze := answersRun(t, "maze")
	_, answers := drawValues(t, maze, record.Figure{Kind: "answers", Steps: []int{0, 8}})
	for i, want := range []float64{12, 16, 12, 17} {
		if got := sum(answers[0], i); got != want {
			t.Errorf("answers: %s has %v answers, want %v", answers[0].Columns[i].Label, got, want)
		}
	}
	_, marks := drawValues(t, maze, record.Figure{Kind: "map", Steps: []int{8}})
	_, tree := drawValues(t, maze, record.Figure{Kind: "tree", Steps: []int{8}})
	for i, want := range []float64{16, 17} {
		if got := sum(marks[i], 0); got != want {
			t.Errorf("map: %s has %v marks, want %v", marks[i].Title, got, want)
		}
		if first := tree[i].Rows[0]; first.Cells[0].Mean != want || first.Cells[1].Mean > 4 || first.Cells[2].Mean > 1 || len(tree[i].Rows) < 10 {
			t.Errorf("tree: %s begins with %+v and has %d rows", tree[i].Title, first, len(tree[i].Rows))
		}
	}
}
