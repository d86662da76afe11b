package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTransformerErrors: a field that a transformer cannot have is refused when the spec is
// loaded.
func TestTransformerErrors(t *testing.T) {
	text := "[env]\nname = \"bandit\"\n[policy]\nname = \"transformer\"\n[train]\nsteps = 2\n[eval]\nevery = 1\n[[method]]\nname = \"grpo\"\n"
	for _, c := range []struct{ reason, old, new, want string }{
		{"a table's field in its table", `"transformer"`, "\"transformer\"\nsharing = \"shared\"", `my.toml:5: unknown field "sharing" of policy; known fields: layers, width, `},
		{"an optimiser of tables", "steps = 2", "steps = 2\noptimizer = \"natural\"", `my.toml:7: field "optimizer": got natural, which is for a tabular policy`},
		{"answers that are listed", "every = 1", "every = 1\nenumerate = 10", `my.toml:9: field "enumerate": got 10, but the answers of a transformer are sampled`},
		{"heads that do not divide the width", `"transformer"`, "\"transformer\"\nwidth = 33", `my.toml:`},
		{"a baseline that trains", `"grpo"`, "\"grpo\"\npolicy = \"baseline\"", `my.toml:11: method grpo trains the policy of the spec`},
		{"an unknown policy of a method", `"grpo"`, "\"base\"\npolicy = \"blind\"", `my.toml:11: unknown policy "blind"; known policies: tabular, transformer, baseline`},
		{"a policy that is no text", `"grpo"`, "\"base\"\npolicy = 3", `my.toml:11: the policy of a method must be a text`},
		{"more of split ood than is held out", "\"transformer\"\n[train]\nsteps = 2\n[eval]\n", "\"transformer\"\npretrain_ood = 0.1\n[train]\nsteps = 2\n[eval]\nsplit = \"ood\"\nproblems = 1001\n", `my.toml:10: field "problems": got 1001 of split ood, of which pretrain_ood holds the first 1000 out`},
		{"an array where there is one table", "[train]", "[[train]]", `my.toml:5: "train" must be a table: [train]`},
		{"a baseline where there is none", `"grpo"`, "\"base\"\npolicy = \"baseline\"", `my.toml:9: no method of the spec fits its environments: this environment has no baseline policy`},
	} {
		_, err := parseText("my.toml", []byte(strings.Replace(text, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant %s...", c.reason, err, c.want)
		}
	}
}

// TestRowsOfOtherPoliciesErrors: the error of a row's policy is at the row if nothing in the
// spec sets the field, else at the place that sets it.
func TestRowsOfOtherPoliciesErrors(t *testing.T) {
	const text = "[env]\nname = \"bandit\"\n[[method]]\nname = \"base\"\npolicy = \"transformer\"\n"
	const listed = `, but the answers of a transformer are sampled and cannot be listed; want 0 in [eval]`
	for _, c := range []struct{ reason, more, want string }{
		{"no [eval]", "", `my.toml:5: field "enumerate": got 4096` + listed},
		{"an [eval] without it", "[eval]\nk = [1]\n", `my.toml:5: field "enumerate": got 4096` + listed},
		{"an [eval] that sets it", "[eval]\nenumerate = 7\n", `my.toml:7: field "enumerate": got 7` + listed},
		{"an optimiser that is set", "[eval]\nenumerate = 0\n[train]\noptimizer = \"natural\"\n", `my.toml:9: field "optimizer": got natural, which is for a tabular policy; want adam or sgd for a transformer`},
	} {
		if _, err := parseText("my.toml", []byte(text+c.more)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
	if _, err := parseText("my.toml", []byte(text+"[eval]\nenumerate = 0\n")); err != nil {
		t.Errorf("without listing: %v", err)
	}
}

// TestRowsOfOtherPolicies: a method that does not train may have a policy of its own, which
// knows nothing of the spec's [policy], and is left out on an environment that lacks its
// requirements.
func TestRowsOfOtherPolicies(t *testing.T) {
	spec, err := parseText("my.toml", []byte(`
[[env]]
name = "maze"
[[env]]
name = "countdown"
[policy]
name = "transformer"
width = [32, 64]
[[method]]
name = "base"
[[method]]
name = "base"
label = "blind"
policy = "baseline"
[[method]]
name = "base"
label = "table"
policy = "tabular"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"base env=maze width=32", "blind env=maze", "table env=maze", "base env=maze width=64",
		"base env=countdown width=32", "table env=countdown", "base env=countdown width=64",
	}
	if d := cmp.Diff(want, spec.labels()); d != "" {
		t.Errorf("variants (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]LeftOut{{"blind", "countdown", errNoBaseline.Error()}}, slices.Compact(spec.LeftOut)); d != "" {
		t.Errorf("left out (-want +got):\n%s", d)
	}
	for _, v := range spec.Variants {
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		if p.Eval.Split != "test" || p.Eval.Enumerate != 0 {
			t.Errorf("%s is evaluated on %s, listing %d; want as the others", v.Label, p.Eval.Split, p.Eval.Enumerate)
		}
	}
}
