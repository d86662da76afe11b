package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
	"modebench/metrics/stats"
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
	for _, p := range drawtest.Paths(t, d) {
		if len(p.Points) > 8 {
			x, _, _, _ := p.Box()
			left = min(left, x)
		}
	}
	for _, p := range drawtest.Paths(t, d) {
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

// TestProfile holds a profile against counting, and its band against the intervals of
// each seed's own share.
func TestProfile(t *testing.T) {
	runs := []Score{{0, 0.5}, {0, 0.25}, {1, 0.5}, {1, 0.75}, {2, 0}, {2, 1}, {3, 0.25}, {3, 0.5}}
	line := Performance(runs, 0, 1)
	for i := 1; i < len(line); i++ {
		if line[i].X < line[i-1].X || line[i].At.Mean > line[i-1].At.Mean {
			t.Errorf("from %v to %v it does not fall to the right", line[i-1], line[i])
		}
	}
	if first, last := line[0], line[len(line)-1]; first.X != 0 || last.X != 1 || first.At.Mean != 1 || last.At.Mean != 0 {
		t.Errorf("it goes from %v to %v", first, last)
	}
	for _, tau := range []float64{0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1} {
		var shares []float64
		for seed := range 4 {
			share := 0.0
			for _, r := range runs {
				if r.Seed == seed && r.Value > tau {
					share += 0.5
				}
			}
			shares = append(shares, share)
		}
		want := stats.MeanInterval(shares)
		got := profileAt(line, tau)
		if got.Mean != want.Mean || got.Low != max(want.Low, 0) || got.High != min(want.High, 1) || got.N != 4 {
			t.Errorf("above %v: %+v, want %+v", tau, got, want)
		}
	}
	for _, p := range Performance([]Score{{0, 0.5}, {0, 0.25}}, 0, 1) {
		if !math.IsInf(p.At.Low, -1) || !math.IsInf(p.At.High, 1) {
			t.Errorf("one seed has the band %+v", p.At)
		}
	}
	var many []Score
	for i := range 3000 {
		many = append(many, Score{i % 10, math.Sqrt(float64(i)) / 55})
	}
	if n := len(Performance(many, 0, 1)); n > 2*maxThresholds+6 {
		t.Errorf("%d points of 3000 scores", n)
	}
}

func TestProfilesFigure(t *testing.T) {
	run := profileRun(t, 6)
	d := drawSVG(t, run, record.Figure{Kind: "profiles", Metrics: []string{"pass@1"}})
	drawtest.WantTexts(t, d, "Runs: the seeds of a line at each of 4 settings.", "score τ: pass@1", "poly-epo")
	rows := drawSVG(t, run, record.Figure{Kind: "profiles", Metrics: []string{"pass@1"}, Rows: []string{"env.modes"}})
	drawtest.WantLabels(t, rows, "base", "4 modes", "10 modes")
	for want, fig := range map[string]record.Figure{
		"at least one metric":                          {Kind: "profiles"},
		`has a metric "rewrad"; known names: distinct`: {Kind: "profiles", Metrics: []string{"rewrad"}},
		"rows: no variant has a field lr":              {Kind: "profiles", Metrics: []string{"pass@1"}, Rows: []string{"lr"}},
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
