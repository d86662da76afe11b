package metrics

import (
	"slices"
	"strings"
	"testing"
)

// TestMetricsAreComplete: listings and docs have a text for each metric, and a claim on any metric
// can be planned and judged.
func TestMetricsAreComplete(t *testing.T) {
	var groups []string
	for _, g := range Groups() {
		groups = append(groups, g.Name)
	}
	used := map[string]bool{"": true}
	for _, m := range All() {
		for _, text := range []string{m.Doc, m.Detail, m.Delta.Why} {
			if text == "" || strings.Contains(text, "\n") {
				t.Errorf("%s: %q is no line", m.Name, text)
			}
		}
		if m.Delta.Size <= 0 {
			t.Errorf("%s has delta %v, want one above 0", m.Name, m.Delta.Size)
		}
		if used[m.Measure] = true; m.Measure != "" && !slices.Contains(groups, m.Measure) {
			t.Errorf("%s is of the unknown group %q", m.Name, m.Measure)
		}
	}
	for _, g := range groups {
		if !used[g] {
			t.Errorf("no metric is of the group %q", g)
		}
	}
}

func TestLookupTakesNamesAtAnyK(t *testing.T) {
	for name, want := range map[string]string{"pass@16": "pass@k", "pass@k": "pass@k", "pass": "pass@k", "accuracy": "accuracy", "branches@3": "branches@h"} {
		if m, ok := Lookup(name); !ok || m.Name != want || All()[Place(name)].Name != want {
			t.Errorf("%s: %q, %v; want %s", name, m.Name, ok, want)
		}
	}
	if m, ok := Lookup("nonsense@3"); ok || Place("nonsense@3") != -1 {
		t.Errorf("nonsense@3 is %q", m.Name)
	}
}

func TestMetricsCannotBeChangedByUsers(t *testing.T) {
	name := All()[0].Name
	if All()[0].Name = "changed"; All()[0].Name != name {
		t.Error("All returns the registry itself")
	}
}

func TestTakenRanksAndNamesPanic(t *testing.T) {
	for _, m := range []Metric{{Name: "new", rank: All()[0].rank}, {Name: All()[0].Name, rank: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s with rank %d is registered", m.Name, m.rank)
				}
			}()
			register(m)
		}()
	}
}
