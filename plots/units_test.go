package plots

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/plotter"

	"modebench/experiments/record"
	"modebench/plots/draw"
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

func TestLastStepNote(t *testing.T) {
	at := func(method string, step int) numbers.Variant {
		v := methodsShown(method)[0]
		v.Steps = []int{0, step}
		return v
	}
	of := func(tokens int, v numbers.Variant) numbers.Variant {
		v.Tokens = tokens
		return v
	}
	for want, shown := range map[string][]numbers.Variant{
		"After 50 training steps or 900 tokens, whichever came first.":               {at("base", 0), of(900, at("grpo", 50)), of(900, at("gspo", 50))},
		"After 50 training steps or 300 to 900 tokens, whichever came first.":        {of(300, at("gspo", 50)), of(900, at("grpo", 50))},
		"After 50 training steps, or fewer where a budget of tokens ended training.": {at("grpo", 50), of(900, at("gspo", 50))},
		"Before training.":                       {at("base", 0)},
		"After 50 training steps.":               {at("base", 0), at("grpo", 50)},
		"At the last evaluated step (40 to 50).": {at("gspo", 40), at("grpo", 50)},
	} {
		if got := lastStepNote(shown); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
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

// Forty variants look different, and the same method always has its colour.
func TestLooks(t *testing.T) {
	shown := methodsShown(slices.Repeat([]string{"grpo", "vpo", "unheard-of"}, 14)...)
	seen := map[string]bool{}
	for _, l := range looks(shown) {
		key := fmt.Sprint(l.Dashes, l.Mark)
		if seen[key] {
			t.Errorf("two lines with dashes and mark %s", key)
		}
		seen[key] = true
	}
	if Look("grpo").Color != Look("grpo@setpo").Color || Look("grpo").Color == Look("setpo+grpo").Color {
		t.Error("a paper's setting has its method's colour, another method has another")
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
		if got := kNote(shown, c.families); got != c.want {
			t.Errorf("%v: %q, want %q", c.families, got, c.want)
		}
	}
}

// What does not train has no mark and differs by dash and by shade; the
// exact optimum is thin, dotted and without a band.
func TestLooksOfWhatDoesNotTrain(t *testing.T) {
	shown := methodsShown("vpo", "base", "base", "optimum")
	l := looks(shown)
	for i, still := range l[1:] {
		if still.Mark != nil || still.Color.R != still.Color.G || still.Color.G != still.Color.B {
			t.Errorf("line %d looks like %+v", i+1, still)
		}
	}
	if slices.Equal(l[1].Dashes, l[2].Dashes) || int(l[2].Color.R)-int(l[1].Color.R) < 100 {
		t.Errorf("two base policies look like %+v and %+v", l[1], l[2])
	}
	if ceiling := l[3]; ceiling.Color != draw.Black || !ceiling.Exact || ceiling.Width >= l[0].Width || l[1].Exact {
		t.Errorf("the ceiling looks like %+v", ceiling)
	}
	if alone := looks(shown[1:2])[0]; alone.Color != draw.Black || !slices.Equal(alone.Dashes, draw.StillDashes[0]) {
		t.Errorf("a single base policy looks like %+v", alone)
	}
}
