package stats

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	"modebench/internal/rng"
)

// pythonAnswers runs the script with question as JSON on its input, and reads its answer. The
// test is skipped where no Python has the modules.
func pythonAnswers(t *testing.T, modules, script string, question, answer any) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Python")
	}
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+modules).Run() != nil {
			continue
		}
		input, err := json.Marshal(question)
		if err != nil {
			t.Fatal(err)
		}
		python := exec.Command(name, "-c", "import json, sys\nq = json.load(sys.stdin)\n"+script)
		python.Stdin = bytes.NewReader(input)
		var complaints bytes.Buffer
		python.Stderr = &complaints
		output, err := python.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, complaints.String())
		}
		if err := json.Unmarshal(output, answer); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Skipf("no Python with %s", modules)
}

// scoresOf lists a table as tasks of seeds.
func scoresOf(table Table) (scores [][]float64) {
	for _, task := range shared(table, table) {
		scores = append(scores, table[task])
	}
	return scores
}

// TestRliable: the estimates of rliable's metrics. Its IQM cuts whole runs, so it is given
// every score four times over too, where both agree whatever the number of runs. Its probability of
// improvement gets every run as a task of its own.
func TestRliable(t *testing.T) {
	type question struct{ Old, New [][]float64 }
	var questions []question
	var tables [][2]Table
	for _, size := range [][2]int{{7, 10}, {4, 5}, {5, 8}, {1, 4}, {3, 7}} {
		both := boardLike(2, size[0], size[1])
		ties := boardLike(2, size[0], size[1])
		for _, table := range ties {
			for _, xs := range table {
				for k := range xs {
					xs[k] = math.Round(xs[k]*8) / 8
				}
			}
		}
		for _, pair := range [][]Table{both, ties} {
			tables = append(tables, [2]Table{pair[0], pair[1]})
			questions = append(questions, question{scoresOf(pair[0]), scoresOf(pair[1])})
		}
	}
	var answers []struct{ IQM, Fourfold, Improvement float64 }
	pythonAnswers(t, "numpy, scipy.stats, rliable.metrics", `
import numpy as np
from rliable import metrics
out = []
for one in q:
    old, new = np.array(one["Old"]).T, np.array(one["New"]).T
    out.append({"IQM": metrics.aggregate_iqm(new), "Fourfold": metrics.aggregate_iqm(np.tile(new, (4, 1))),
                "Improvement": metrics.probability_of_improvement(new.reshape(1, -1), old.reshape(1, -1))})
print(json.dumps(out))`, questions, &answers)
	for i, both := range tables {
		iqm, err := StratifiedIQM(both[1])
		if err != nil {
			t.Fatal(err)
		}
		improvement, err := PairedImprovement(both[0], both[1])
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(iqm.Mean-answers[i].Fourfold) > 1e-12 || iqm.N%4 == 0 && math.Abs(iqm.Mean-answers[i].IQM) > 1e-12 {
			t.Errorf("%d: IQM %v, rliable %v, with every score four times %v", i, iqm.Mean, answers[i].IQM, answers[i].Fourfold)
		}
		if math.Abs(improvement.Mean-answers[i].Improvement) > 1e-12 {
			t.Errorf("%d: improvement %v, rliable %v", i, improvement.Mean, answers[i].Improvement)
		}
	}
}

// TestRliableIntervals: bounds from rliable's own bootstrap with 20,000 resamples, on a number of runs that 4
// divides.
func TestRliableIntervals(t *testing.T) {
	tables := boardLike(1, 6, 10)
	var bounds []float64
	pythonAnswers(t, "numpy, scipy.stats, rliable.library, rliable.metrics", `
import numpy as np
from rliable import library, metrics
np.random.seed(1)
_, bounds = library.get_interval_estimates({"x": np.array(q).T}, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=20000)
print(json.dumps(bounds["x"][:, 0].tolist()))`, scoresOf(tables[0]), &bounds)
	got, err := StratifiedIQM(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	// A quantile at 2.5% of 2000 resamples is uncertain by 3% of the width or so.
	if width := got.High - got.Low; math.Abs(got.Low-bounds[0]) > 0.06*width || math.Abs(got.High-bounds[1]) > 0.06*width {
		t.Errorf("got [%v, %v], rliable %v", got.Low, got.High, bounds)
	}
}

// TestScipyKendall: tau-b, with ties in either list.
func TestScipyKendall(t *testing.T) {
	var questions [][2][]float64
	r := rng.New(6).Rand()
	for _, values := range []int{2, 5, 30, 1000} {
		for _, n := range []int{5, 12, 110} {
			count := func(r *rand.Rand) float64 { return float64(r.IntN(values)) }
			x, y := draw(r, n, count), draw(r, n, count)
			if slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
				continue
			}
			for i := range y {
				y[i] += x[i] * float64(n%5)
			}
			questions = append(questions, [2][]float64{x, y})
		}
	}
	var answers []float64
	pythonAnswers(t, "scipy.stats", `
from scipy.stats import kendalltau
print(json.dumps([float(kendalltau(x, y, variant="b")[0]) for x, y in q]))`, questions, &answers)
	for i, both := range questions {
		got, err := KendallTau(both[0], both[1])
		if err != nil || math.Abs(got.Mean-answers[i]) > 1e-12 {
			t.Errorf("%v: tau %v, %v, scipy %v", both, got.Mean, err, answers[i])
		}
	}
}
