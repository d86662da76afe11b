package plots

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/numbers"
)

// TestInteractive holds the numbers of interactive figures against those of the drawn ones.
func TestInteractive(t *testing.T) {
	run := interactiveRun(t)
	data, err := NewInteractive(run, func(i int) string { return fmt.Sprint("figure", i) })
	if err != nil {
		t.Fatal(err)
	}
	for i, fig := range run.Figures {
		chart := slices.IndexFunc(data.Charts, func(c Chart) bool { return c.ID == fmt.Sprint("figure", i) })
		if has := fig.Kind == "curve" || fig.Kind == "k-curve" || fig.Kind == "scatter"; has != (chart >= 0) {
			t.Errorf("%s of kind %s is interactive: %v", fig.Name, fig.Kind, !has)
		}
		if fig.Kind != "curve" {
			continue
		}
		drawn, err := Gather(run, fig)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range fig.Metrics {
			at := slices.IndexFunc(data.Metrics, func(m InteractiveMetric) bool { return m.Name == metric })
			for j, v := range drawn.Variants {
				for k, step := range data.Slices {
					var n int
					fmt.Sscan(step, &n)
					want, got := v.Interval(metric, n), data.Values[at][j]
					if want.N > 0 && (float64(got.Mean[k]) != want.Mean || got.Low != nil && float64(got.Low[k]) != want.Low) {
						t.Errorf("%s of %s at %s: %v, want %v", metric, v.Label, step, got.Mean[k], want)
					}
				}
			}
		}
	}
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := NewInteractive(run, func(i int) string { return fmt.Sprint("figure", i) })
	if other, _ := json.Marshal(again); string(other) != string(text) {
		t.Error("the same records give other data")
	}
}

// interactiveRun is a run with figures of several kinds.
func interactiveRun(t *testing.T) *record.Run {
	t.Helper()
	run := banditRun(t, 5, 60, 3)
	run.Figures = []record.Figure{
		{Name: "a", Kind: "curve", Metrics: []string{"reward", "entropy_mode"}},
		{Name: "b", Kind: "k-curve", Metrics: []string{"pass"}},
		{Name: "c", Kind: "bars", Metrics: []string{"reward"}},
		{Name: "d", Kind: "scatter", Metrics: []string{"reward", "entropy_mode"}},
	}
	return run
}

func TestRounded(t *testing.T) {
	for x, want := range map[float64]string{0: "0", math.Copysign(0, -1): "0", 1.0 / 3: "0.333333", 123456789: "1.23457e+08", math.Inf(1): "null", 1e-9: "1e-9"} {
		if got, err := json.Marshal(Rounded(x)); err != nil || strings.ReplaceAll(string(got), "e-0", "e-") != want {
			t.Errorf("%v is %s, want %s (%v)", x, got, want, err)
		}
	}
}

func TestFewer(t *testing.T) {
	list := make([]int, 1000)
	for i := range list {
		list[i] = i
	}
	if got := fewer(list, 101); len(got) != 101 || got[0] != 0 || got[100] != 999 {
		t.Errorf("%d steps from %d to %d", len(got), got[0], got[len(got)-1])
	}
	if got := fewer(list[:7], 101); len(got) != 7 {
		t.Errorf("%d steps of 7", len(got))
	}
}

// TestSlicesOf: the first and the last step of every variant are among the slices, however many
// steps there are, and there are fewer slices where there are many numbers at each.
func TestSlicesOf(t *testing.T) {
	upTo := func(first, last, by int) (out []int) {
		for i := first; i <= last; i += by {
			out = append(out, i)
		}
		return out
	}
	shown := []numbers.Variant{{Trains: true, Steps: upTo(0, 1000, 1)}, {Trains: true, Steps: upTo(3, 777, 1)}, {Steps: []int{0}}}
	for _, c := range []struct{ each, most int }{{1, maxSlices + 2}, {1000, minSlices + 2}, {500, maxNumbers/1000 + 2}} {
		got := slicesOf(shown, c.each)
		if len(got) > c.most || len(got) < c.most-2 || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("%d numbers a step: %d slices, want about %d: %v", c.each, len(got), c.most, got)
		}
		for _, end := range []int{0, 3, 777, 1000} {
			if !slices.Contains(got, end) {
				t.Errorf("%d numbers a step: the end %d of a variant is no slice", c.each, end)
			}
		}
	}
}

// TestRings: the interactive form of a figure over doses has the rings of the drawn one.
func TestRings(t *testing.T) {
	shown := []numbers.Variant{{Label: "a 0.1", Name: "a"}, {Label: "a 0.2", Name: "a"}, {Label: "b", Name: "b"}}
	for kind, want := range map[string][]int{"dose": {1}, "scatter": nil} {
		c := chartOf(record.Figure{Name: "x", Kind: kind, Metrics: []string{"p", "q"}, Panel: []string{"a 0.2"}}, shown)
		if !slices.Equal(c.Rings, want) {
			t.Errorf("%s has rings at %v, want %v", kind, c.Rings, want)
		}
	}
}

// TestFamilies: a family is titled as the axis of a drawn figure is.
func TestFamilies(t *testing.T) {
	var data Interactive
	for _, name := range []string{"reward", "ew_best@2", "ew_best@4", "pass@1"} {
		data.Add(InteractiveMetric{name, describe(name).Title()}, nil)
	}
	want := []InteractiveMetric{{"ew_best", describeFamily("ew_best").Title()}, {"pass", "pass@k"}}
	if !slices.Equal(data.Families, want) || want[0].Title == "ew_best@k" {
		t.Errorf("%v, want %v", data.Families, want)
	}
}
