package metrics

import (
	"encoding/json"
	"math"
	"os"
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

// TestMeasuredErrorsAreOfTheseDeltas: the errors of answers that package stats publishes are
// measured with the deltas of the metrics, which it does not know.
func TestMeasuredErrorsAreOfTheseDeltas(t *testing.T) {
	var file struct {
		Populations []struct {
			Name  string // environment, metric, training steps
			Delta float64
		}
	}
	text, err := os.ReadFile("stats/testdata/paired.json")
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil || len(file.Populations) == 0 {
		t.Fatalf("%d populations, %v", len(file.Populations), err)
	}
	for _, p := range file.Populations {
		words := strings.Fields(p.Name)
		if len(words) != 3 {
			t.Fatalf("population %q: want environment, metric, steps", p.Name)
		}
		const unit = 0.0001
		if d, ok := DeltaOf(words[1]); !ok || math.Abs(p.Delta*unit-d.Size) > 1e-12 {
			t.Errorf("%s: delta %v times %v, and the metric's is %v", p.Name, p.Delta, unit, d.Size)
		}
	}
}
