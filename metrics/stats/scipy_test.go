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
