package claims

import (
	"slices"
	"testing"

	"modebench/experiments/record"
)

// TestLabel: the label of a setting has the parts in which it differs from others of its claim.
func TestLabel(t *testing.T) {
	setting := func(metric, b, lr string) Setting {
		return Setting{Metric: metric, A: "x", B: b, Axes: []record.Axis{{Field: "env.modes", Value: "4"}, {Field: "train.lr", Value: lr}}, a: record.Variant{Name: "x"}, b: record.Variant{Name: b}}
	}
	for _, c := range []struct {
		settings []Setting
		want     []string
	}{
		{[]Setting{setting("reward", "grpo", "0.1")}, []string{"reward"}},
		{[]Setting{setting("reward", "grpo", "0.1"), setting("reward", "grpo", "1")}, []string{"lr=0.1", "lr=1"}},
		{[]Setting{setting("reward", "grpo", "1"), setting("pass@4", "base", "1")}, []string{"reward against grpo", "pass@4 against base"}},
		{[]Setting{{Metric: "reward", a: record.Variant{Name: "w = w*"}}, {Metric: "reward", a: record.Variant{Name: "w ~ Dir(1)"}}}, []string{"w = w*", "w ~ Dir(1)"}},
		{[]Setting{setting("reward", "grpo", "1"), {Metric: "reward", a: record.Variant{Name: "x"}, b: record.Variant{Name: "grpo"}}}, []string{"modes=4 lr=1", "reward"}},
	} {
		v := Verdict{Settings: c.settings}
		var got []string
		for i := range c.settings {
			got = append(got, v.Label(i))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestPapers: in the order of their first claims, our own last; and a paper is found by its name in
// any case.
func TestPapers(t *testing.T) {
	list := []Verdict{answered("s", "", "none", ""), answered("s", "", "VPO fig. 4", ""), answered("s", "", "SetPO table 1", ""), answered("s", "", "VPO sec. 5", "")}
	if got := Papers(list); !slices.Equal(got, []string{"VPO", "SetPO", "our own"}) {
		t.Errorf("%q", got)
	}
	if n := len(OfPaper(list, "vpo")); n != 2 || OfPaper(list, "GRPO") != nil {
		t.Errorf("%d claims of VPO", n)
	}
}
