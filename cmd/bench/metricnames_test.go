package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/metrics"
)

// wholePool is a pool document with everything that a metric reads.
const wholePool = `{"k": [1, 2], "weights": [1, 0.5], "problems": [{"modes": 3, "front": [[1, 1]], "named": [1, 0], "chains": [
	[{"reward": [1, 0], "correct": true, "valid": true, "answer": "7", "mode": "A", "embedding": [0.6, 0.8], "variant": "a"},
	 {"reward": [0, 1], "correct": true, "valid": true, "answer": "8", "mode": "B", "embedding": [1, 0], "variant": "b"}],
	[{"reward": [0, 0], "correct": false, "valid": true, "answer": "8", "mode": "C", "embedding": [0, 1], "variant": "c"},
	 {"reward": [1, 0.5], "correct": true, "valid": true, "answer": "7", "mode": "A", "embedding": [0.6, 0.8], "variant": "a"}]]}]}`

// wholeRun is a spec whose records hold every metric of an evaluation.
const wholeRun = `seeds = 1
[env]
name = "multiplication"
slip = 0.4
[train]
steps = 20
problems = 12
batch = 12
group = 4
candidates = 2
[eval]
every = 1
k = [1, 2]
samples = 8
measure = ["votes", "rollouts", "embeddings", "branches", "kl", "search", "updates", "drawn", "boundary", "boundary_null", "law", "lengths"]
positions = [1]
[[method]]
name = "multi-rlvr"
`

// listedAs is the name under which bench list metrics has a metric: best@4 is best@k.
func listedAs(name string) string {
	family, _, ofFamily := strings.Cut(name, "@")
	switch {
	case !ofFamily:
		return name
	case family == metrics.BranchFamily:
		return family + "@h"
	}
	return family + "@k"
}

// TestListedMetricsAreGiven: bench list metrics names the metrics that bench metrics prints and
// bench run records, no more and no less.
func TestListedMetricsAreGiven(t *testing.T) {
	inDir(t)
	var ofAnswers, ofEvaluations []string
	for _, m := range metrics.All() {
		if !m.Policy {
			ofAnswers = append(ofAnswers, m.Name)
		}
		if !m.Run {
			ofEvaluations = append(ofEvaluations, m.Name)
		}
	}
	code, out, errs := call(t, wholePool, "metrics")
	var printed map[string]float64
	if err := json.Unmarshal([]byte(out), &printed); err != nil {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	same := func(what string, want []string, got map[string]float64) {
		t.Helper()
		var names []string
		for name := range got {
			names = append(names, listedAs(name))
		}
		slices.Sort(want)
		slices.Sort(names)
		if d := cmp.Diff(want, slices.Compact(names)); d != "" {
			t.Errorf("%s (-listed +given):\n%s", what, d)
		}
	}
	same("bench metrics", ofAnswers, printed)
	if want := printed["best@2"] - printed["best@1"]; printed[metrics.HeadroomMetric] != want {
		t.Errorf("headroom %v, want %v", printed[metrics.HeadroomMetric], want)
	}

	write(t, "whole.toml", wholeRun)
	succeed(t, "run", "whole.toml", "--figure-format", "none")
	run, err := record.Open(filepath.Join("results", "whole"))
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]float64{}
	evals, err := run.Evals(run.Variants[0].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range evals {
		maps.Copy(recorded, e.Metrics)
	}
	same("bench run", ofEvaluations, recorded)
}
