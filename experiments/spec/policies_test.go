package spec

import (
	"slices"
	"strings"
	"testing"
)

const twoSizes = `
[env]
name = "countdown"
[[policy]]
name = "transformer"
pretrain_lr = 0.004
width = 32
pretrain_steps = 400
[[policy]]
name = "transformer"
pretrain_lr = 0.004
width = 64
pretrain_steps = 200
[[method]]
name = "base"
[[method]]
name = "grpo"
train = { lr = [1e-4, 1e-3] }
`

// TestSeveralPolicies: each [[policy]] is run as a spec with that [policy] alone would be,
// and the first field that tells them apart names it.
func TestSeveralPolicies(t *testing.T) {
	spec, err := parseText("my.toml", []byte(twoSizes))
	if err != nil {
		t.Fatal(err)
	}
	var labels, cells []string
	for _, v := range spec.Variants {
		setup, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		id, err := setup.Cell(0).ID()
		if err != nil {
			t.Fatal(err)
		}
		labels, cells = append(labels, v.Label), append(cells, id)
	}
	want := []string{
		"base width=32", "grpo width=32 lr=0.0001", "grpo width=32 lr=0.001",
		"base width=64", "grpo width=64 lr=0.0001", "grpo width=64 lr=0.001",
	}
	if !slices.Equal(labels, want) {
		t.Errorf("variants %q, want %q", labels, want)
	}
	first, second, _ := strings.Cut(twoSizes, "[[policy]]\nname = \"transformer\"\npretrain_lr = 0.004\nwidth = 64")
	var alone []string
	for _, one := range []string{
		strings.Replace(first, "[[policy]]", "[policy]", 1) + second[strings.Index(second, "[[method]]"):],
		first[:strings.Index(first, "[[policy]]")] + "[policy]\nname = \"transformer\"\npretrain_lr = 0.004\nwidth = 64" + second,
	} {
		spec, err := parseText("my.toml", []byte(one))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range spec.Variants {
			setup, err := v.Setup()
			if err != nil {
				t.Fatal(err)
			}
			id, err := setup.Cell(0).ID()
			if err != nil {
				t.Fatal(err)
			}
			alone = append(alone, id)
		}
	}
	if !slices.Equal(cells, alone) {
		t.Errorf("cells %q, those of specs with one policy are %q", cells, alone)
	}
}

func TestSeveralPoliciesErrors(t *testing.T) {
	for _, c := range []struct{ reason, old, new, want string }{
		{"none", twoSizes[strings.Index(twoSizes, "[[policy]]"):], "[[method]]\nname = \"grpo\"\n", `my.toml:1: no policy: want [policy], or one [[policy]] at least`},
		{"nothing that tells them apart", "width = 64\npretrain_steps = 200", "width = 32\npretrain_steps = 400", `my.toml:4: no field has another value in each [[policy]]; want a field that differs, such as width`},
		{"of two kinds", "name = \"transformer\"\npretrain_lr = 0.004\nwidth = 64\npretrain_steps = 200", "name = \"tabular\"", `my.toml:9: policy tabular beside policy transformer: want several of one kind`},
		{"an unknown field", "width = 64", "wodth = 64", `my.toml:12: unknown field "wodth" of policy`},
		{"a value out of range", "width = 64", "width = 0", `my.toml:12: field "width"`},
	} {
		text := strings.Replace(twoSizes, c.old, c.new, 1)
		if c.reason == "none" {
			text = "policy = []\n" + text
		}
		if _, err := parseText("my.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s...", c.reason, err, c.want)
		}
	}
}
