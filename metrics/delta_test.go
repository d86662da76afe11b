package metrics

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

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
		if m, ok := Lookup(words[1]); !ok || math.Abs(p.Delta*unit-m.Delta.Size) > 1e-12 {
			t.Errorf("%s: delta %v times %v, and the metric's is %v", p.Name, p.Delta, unit, m.Delta.Size)
		}
	}
}
