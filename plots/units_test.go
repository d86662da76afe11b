package plots

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/plotter"

	"modebench/experiments/record"
	"modebench/plots/numbers"
)

// methodsShown are variants of methods, without numbers.
func methodsShown(methods ...string) []numbers.Variant {
	var out []numbers.Variant
	for _, method := range methods {
		out = append(out, unmeasured(usual(record.Variant{Method: method})))
	}
	return out
}

// unmeasured is a variant of the manifest as figures have it, without numbers.
func unmeasured(v record.Variant) numbers.Variant {
	return numbers.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Trains: v.Trains, Axes: v.Axes, Called: v.Label}
}

func TestDescribe(t *testing.T) {
	for metric, want := range map[string]string{
		"entropy_mode":        "mode entropy (nats)",
		"correct_modes_alive": "rewarded modes alive (mass > 2%)",
		"pass@8":              "pass@8",
		"mystery":             "mystery",
		"mystery@3":           "mystery@3",
		"best_first@30":       "best of the first 30 drawn",
		"ew_best@5":           "E_w[best@5] (w ~ Dir(1))",
		"front_coverage@10":   "front coverage@10",
		"hypervolume":         "hypervolume / exact front's",
		"headroom":            "headroom (best@K − best@1)",
	} {
		if got := describe(metric).Title(); got != want {
			t.Errorf("%s: %q, want %q", metric, got, want)
		}
	}
	if !describe("coverage@4").Share || describe("mystery@3").Share {
		t.Error("coverage is a share, mystery is not known to be one")
	}
}

// A mode that dies out and comes back has a line before and after.
func TestSeams(t *testing.T) {
	tops := [][]float64{{0.5}, {0.4}, {0.001}, {0.3}, {0.4}, {0}, {0.2}}
	got := seams([]float64{0, 1, 2, 3, 4, 5, 6}, tops, 0, 0.01)
	want := []plotter.XYs{{{X: 0, Y: 0.5}, {X: 1, Y: 0.4}}, {{X: 3, Y: 0.3}, {X: 4, Y: 0.4}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A share that falls while k grows looks like a mistake where nothing says what of.
func TestKNote(t *testing.T) {
	shown := methodsShown("base")
	const share = "coverage@k: share of the min(k, existing) modes that k answers could find."
	for _, c := range []struct {
		families []string
		want     string
	}{
		{[]string{"pass", "coverage"}, "Before training. " + share},
		{[]string{"pass", "front_coverage"}, "Before training."},
	} {
		if got := kCurveLines.note(shown, c.families); got != c.want {
			t.Errorf("%v: %q, want %q", c.families, got, c.want)
		}
	}
}
