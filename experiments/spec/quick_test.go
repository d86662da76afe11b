package spec

import (
	"strings"
	"testing"
)

const quickText = `title = "long"
seeds = 20
quick = ["seeds=2", "train.steps=5", "method.setpo+grpo.lambda=[1, 2]"]
[env]
name = "bandit"
[train]
steps = 500
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
lambda = 3
`

// TestQuickForm: the quick form has the seeds and the fields that it lists, values set from
// outside go before it, and the spec itself is unchanged.
func TestQuickForm(t *testing.T) {
	load := func(opt LoadOptions) *Spec {
		t.Helper()
		s, err := Parse("long.toml", []byte(quickText), opt)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		opt             LoadOptions
		name            string
		seeds, steps, n int
	}{
		{LoadOptions{}, "long", 20, 500, 2},
		{LoadOptions{Quick: true}, "long-quick", 2, 5, 3},
		{LoadOptions{Quick: true, Set: []string{"train.steps=7"}}, "long-quick-train.steps-7", 2, 7, 3},
	} {
		s := load(c.opt)
		p, err := s.Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != c.name || s.Seeds != c.seeds || p.Train.Steps != c.steps || len(s.Variants) != c.n {
			t.Errorf("%+v: %s has %d seeds, %d steps and %d variants; want %s, %d, %d, %d", c.opt, s.Name, s.Seeds, p.Train.Steps, len(s.Variants), c.name, c.seeds, c.steps, c.n)
		}
	}
}

// TestQuickFormErrors: each mistake is one line.
func TestQuickFormErrors(t *testing.T) {
	for _, c := range []struct{ quick, want string }{
		{"", "long.toml: the spec has no quick form: want quick ="},
		{`quick = ["seeds=0"]`, `long.toml:3: field "quick": got "seeds=0", want seeds=N`},
		{`quick = ["train.stepz=5"]`, "did you mean"},
		{`quick = [3]`, `long.toml:3: `},
	} {
		text := strings.Replace(quickText, `quick = ["seeds=2", "train.steps=5", "method.setpo+grpo.lambda=[1, 2]"]`, c.quick, 1)
		_, err := Parse("long.toml", []byte(text), LoadOptions{Quick: true})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", c.quick, err, c.want)
		}
	}
}

// TestBuiltinsQuick: every built-in spec with a quick form loads in it.
func TestBuiltinsQuick(t *testing.T) {
	n := 0
	for _, name := range BuiltinNames() {
		text, err := BuiltinText(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\nquick = ") {
			continue
		}
		n++
		if _, err := LoadWith(name, LoadOptions{Quick: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n < 3 {
		t.Errorf("%d specs have a quick form", n)
	}
}
