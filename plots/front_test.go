package plots

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modebench/envs/maze"
	"modebench/experiments/record"
	"modebench/plots/draw/drawtest"
	"modebench/plots/sheets"
)

// addAnswers adds a variant of one seed with the answers it gave at some steps.
func addAnswers(t testing.TB, run *record.Run, v record.Variant, env string, pools ...record.Pool) {
	t.Helper()
	addVariant(t, run, v, 1, func(int) (evals []record.Eval) {
		for _, pool := range pools {
			evals = append(evals, record.Eval{Step: pool.Step})
		}
		return evals
	})
	addPools(t, run, env, pools...)
}

// addPools writes the answers that the first cell of the last variant kept, and its settings.
func addPools(t testing.TB, run *record.Run, env string, pools ...record.Pool) {
	t.Helper()
	v := run.Variants[len(run.Variants)-1]
	dir := run.Folder(v.Cells[0])
	var data []byte
	for _, p := range pools {
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		data = append(append(data, line...), '\n')
	}
	cell, err := json.Marshal(record.Cell{Version: record.Version, Env: record.Component{Name: env, Params: map[string]any{}}, Method: v.Method, Eval: map[string]any{"split": "train"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{record.PoolsFile: data, record.CellFile: cell} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// rewards is a pool of answers with these reward vectors.
func rewards(step int, vectors ...[]float64) record.Pool {
	p := record.Pool{Step: step, ID: "train/0"}
	for i, r := range vectors {
		p.Answers = append(p.Answers, record.PoolAnswer{Rollout: i, Reward: r, Mode: fmt.Sprint(r), Correct: r[0] == 1, Valid: true})
	}
	return p
}

// frontRun has a variant with two pools on a front of three vectors, one that does not
// train, and an optimum without answers.
func frontRun(t testing.TB) *record.Run {
	run := emptyRun(t)
	front := [][]float64{{1, 0, 1, 1}, {1, 0.5, 0.5, 0}, {1, 1, 0, 1}}
	before, after := rewards(0, []float64{0, 0, 0, 1}), rewards(8, []float64{1, 0, 1, 1}, []float64{1, 0, 1, 1}, []float64{1, 0, 1, 1}, []float64{1, 0, 1, 0},
		[]float64{1, 1, 0, 1}, []float64{1, 0.75, 0, 1}, []float64{1, 0.75, 0, 1}, []float64{1, 0.75, 0, 1}, []float64{1, 0.75, 0, 1})
	before.Front = front
	addAnswers(t, run, record.Variant{Method: "vpo"}, "maze", before, after)
	addAnswers(t, run, record.Variant{Method: "base"}, "maze", before)
	addAnswers(t, run, record.Variant{Method: "optimum"}, "maze", record.Pool{ID: "train/0", Front: front, Answers: []record.PoolAnswer{}})
	return run
}

// TestFrontIsTheRecords reads the discs of a panel off the page: their places and areas.
func TestFrontIsTheRecords(t *testing.T) {
	run := frontRun(t)
	d := drawSVG(t, run, record.Figure{Kind: "front", Title: "Front", Components: []string{"gold", "diamond"}, Panel: []string{"vpo"}})
	drawtest.CheckTexts(t, d)
	if !d.Has("2 of 3 vectors; 44%") { // four of nine answers, on the first and last
		t.Errorf("texts: %s", d.Joined())
	}
	xs, ys := rulers(t, d, drawtest.Number)
	// Per place and kind: three and one at (0, 1), one at (1, 0), four at (0.75, 0).
	want := map[string]float64{"on 0.00 1.00": 3, "off 0.00 1.00": 1, "on 1.00 0.00": 1, "off 0.75 0.00": 4}
	got := map[string]float64{}
	for _, p := range d.Drawn {
		kind := map[bool]string{true: "on"}[strings.Contains(p.Style, "fill:"+sheets.Hex(onFrontFill))]
		if strings.Contains(p.Style, "fill:"+sheets.Hex(offFrontFill)) {
			kind = "off"
		}
		x, y := p.Center()
		if left, right, _, _ := p.Box(); kind != "" && len(p.Points) >= 32 && y > d.Find(t, "gold").Top {
			radius := (right - left) / 2
			share := radius * radius / (largestDisc.Points() * largestDisc.Points())
			got[fmt.Sprintf("%s %.2f %.2f", kind, math.Abs(xs.of(x)), math.Abs(ys.of(y)))] = 9 * share
		}
	}
	for at, n := range want {
		if math.Abs(got[at]-n) > 0.05 {
			t.Errorf("%s: a disc of %.3f answers, want %v", at, got[at], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("discs at %v, want %v", got, want)
	}
}

func TestFrontLayouts(t *testing.T) {
	run := frontRun(t)
	for _, c := range []struct {
		reason string
		fig    record.Figure
		panels int
	}{
		{"one step of each", record.Figure{Components: []string{"gold", "diamond"}}, 2},
		{"a row for each variant; base has one step", record.Figure{Components: []string{"gold", "diamond"}, Steps: []int{0, 8}}, 3},
		{"three pairs of components for each pool", record.Figure{Components: []string{"gold", "diamond", "avoid_lava"}}, 6},
	} {
		c.fig.Kind = "front"
		d := drawSVG(t, run, c.fig)
		drawtest.CheckTexts(t, d)
		// Every panel has its own line of the front, and the legend one.
		if got := d.Paths("stroke:#000000;stroke-width:0.9"); got-1 < c.panels {
			t.Errorf("%s: %d panels, want %d", c.reason, got-1, c.panels)
		}
		again := drawSVG(t, run, c.fig)
		if string(again.Bytes) != string(d.Bytes) {
			t.Errorf("%s: two drawings differ", c.reason)
		}
		if d.Has("optimum") {
			t.Errorf("%s: an optimum without answers has a panel", c.reason)
		}
	}
}

func TestPoolErrors(t *testing.T) {
	run := frontRun(t)
	two := []string{"gold", "diamond"}
	for want, fig := range map[string]record.Figure{
		"variant vpo kept no answers to problem 3; keep in [eval]":                           {Problem: 3, Components: two},
		"variant vpo kept no answers at step 3; it did at [0 8]":                             {Steps: []int{3}, Components: two},
		`components names "silver"; those of maze are completion, gold, diamond, avoid_lava`: {Components: []string{"gold", "silver"}},
		"two or three components, not 4":                                                     {},
		`panel names the variant "grpo"`:                                                     {Components: two, Panel: []string{"grpo"}},
		"none of the variants shown has answers":                                             {Components: two, Where: []record.Filter{{Field: "method", Values: []string{"optimum"}}}},
	} {
		fig.Kind = "front"
		wantError(t, run, fig, want)
	}
	addAnswers(t, run, record.Variant{Label: "odd", Method: "grpo"}, "labyrinth", rewards(0, []float64{1, 1}))
	wantError(t, run, record.Figure{Kind: "front", Components: two, Panel: []string{"odd"}}, `"labyrinth"`)
}
