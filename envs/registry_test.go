package envs_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

func TestRegistry(t *testing.T) {
	envs.Register(envs.Definition{Name: "test-b", Summary: "second"})
	envs.Register(envs.Definition{Name: "test-a", Summary: "first"})
	// The examples of this package register two environments.
	if d := cmp.Diff([]string{"bandit", "coins", "test-a", "test-b"}, envs.Names()); d != "" {
		t.Errorf("names are in alphabetical order, not in that of registration (-want +got):\n%s", d)
	}
	if d, err := envs.Lookup("test-b"); err != nil || d.Summary != "second" {
		t.Errorf("lookup: got %+v, error %v", d, err)
	}
	for _, c := range []struct{ name, want, reason string }{
		{"maze", `unknown environment "maze"; known environments: bandit, coins, test-a, test-b`, "nothing is near"},
		{"testb", `unknown environment "testb"; did you mean test-b? known environments: bandit, coins, test-a, test-b`, "a hyphen is missing"},
	} {
		if _, err := envs.Lookup(c.name); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
	}
	defer func() {
		if got := fmt.Sprint(recover()); got != "envs: two environments are named test-a" {
			t.Errorf("a name taken twice: got %q, want a panic that names it", got)
		}
		if d, _ := envs.Lookup("test-a"); d.Summary != "first" {
			t.Error("the refused definition replaced the first one")
		}
	}()
	envs.Register(envs.Definition{Name: "test-a", Summary: "third"})
}

func TestParseSplit(t *testing.T) {
	for _, s := range []envs.Split{"pretrain", "train", "test", "ood"} {
		if got, err := envs.ParseSplit(string(s)); err != nil || got != s {
			t.Errorf("%q: got %q, error %v", s, got, err)
		}
		if !slices.Contains(envs.Splits(), s) {
			t.Errorf("Splits lacks %q", s)
		}
	}
	for name, hint := range map[string]string{"": "", "Train": "did you mean train? ", "train ": "did you mean train? ", "dev": ""} {
		want := fmt.Sprintf("unknown split %q; %sknown splits: pretrain, train, test, ood", name, hint)
		if got, err := envs.ParseSplit(name); got != "" || err == nil || err.Error() != want {
			t.Errorf("%q: got %q, error %v\nwant %s", name, got, err, want)
		}
	}
	// The result of Splits must not be the list that ParseSplit reads.
	envs.Splits()[0] = "changed"
	if _, err := envs.ParseSplit("pretrain"); err != nil {
		t.Error("writing to Splits() changed the known splits")
	}
}
