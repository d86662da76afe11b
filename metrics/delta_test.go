package metrics

import (
	"strings"
	"testing"
)

// TestEveryMetricHasADelta: a claim on any metric can be planned and judged.
func TestEveryMetricHasADelta(t *testing.T) {
	known := map[string]bool{}
	for _, m := range All() {
		family, _, _ := strings.Cut(m.Name, "@")
		known[family] = true
		if d, ok := DeltaOf(m.Name); !ok || d.Size <= 0 || d.Why == "" {
			t.Errorf("%s has delta %+v: want one above 0 with its reason", m.Name, d)
		}
	}
	for family := range deltas {
		if !known[family] {
			t.Errorf("%s has a delta and is no metric", family)
		}
	}
	if _, ok := DeltaOf("nonsense@3"); ok {
		t.Error("nonsense@3 has a delta")
	}
}
