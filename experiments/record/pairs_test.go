package record

import (
	"slices"
	"testing"
)

// TestPairs: names compare what agrees, whole labels compare these two.
func TestPairs(t *testing.T) {
	variant := func(name, temperature string) Variant {
		return Variant{Label: name + " temperature=" + temperature, Name: name, Method: name, Axes: []Axis{{"env", "maze"}, {"eval.temperature", temperature}}}
	}
	variants := []Variant{variant("base", "0.6"), variant("base", "1"), variant("grpo", "0.6"), variant("grpo", "1")}
	for _, c := range []struct {
		a    string
		b    []string
		want []string
	}{
		{"base", []string{"grpo"}, []string{"base temperature=0.6 / grpo temperature=0.6, 2 axes", "base temperature=1 / grpo temperature=1, 2 axes"}},
		{"base temperature=0.6", []string{"grpo"}, []string{"base temperature=0.6 / grpo temperature=0.6, 2 axes"}},
		{"base temperature=0.6", []string{"grpo temperature=1", "grpo temperature=0.6"}, []string{"base temperature=0.6 / grpo temperature=1, 1 axes", "base temperature=0.6 / grpo temperature=0.6, 2 axes"}},
		{"base", []string{"grpo temperature=1"}, []string{"base temperature=1 / grpo temperature=1, 2 axes"}},
		{"base", []string{"vpo"}, nil},
	} {
		var got []string
		for _, p := range Pairs(variants, c.a, c.b...) {
			got = append(got, p.A.Label+" / "+p.B.Label+", "+string(rune('0'+len(p.Axes)))+" axes")
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s against %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
