package reference_test

import (
	"strings"
	"testing"

	"modebench/envs"
	_ "modebench/envs/bandit"
	_ "modebench/envs/coins"
	_ "modebench/envs/countdown"
	_ "modebench/envs/derivation"
	_ "modebench/envs/maze"
	_ "modebench/envs/multiplication"
	_ "modebench/envs/polynomial"
	"modebench/envs/reference"
	"modebench/internal/params"
	"modebench/internal/testkit"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"no settings", "countdown/train/17", "countdown/train/17"},
		{"defaults are left out", "countdown/train/17?numbers=4&q=0.6&candidates=1&stops=false", "countdown/train/17"},
		{"the order of declaration", "countdown/ood/0?env_seed=3&at_most_once=true&numbers=5", "countdown/ood/0?numbers=5&at_most_once=true&env_seed=3"},
		{"lists", "coins/test/2?denominations=1,2,5,10,20,50", "coins/test/2?denominations=1,2,5,10,20,50"},
		{"signs in a value", "derivation/pretrain/0?operations=%2B", ""},
		{"a plus is a plus", "derivation/pretrain/0?operations=+", "derivation/pretrain/0?operations=+"},
		{"numbers in another form", "bandit/train/0?jitter=2.50e-1&form=shared", "bandit/train/0?jitter=0.25&form=shared"},
		{"a pose stands last", "maze/train/1?weights=1,0,0.50,0&stops=1&candidates=3&slack=11", "maze/train/1?slack=11&candidates=3&stops=true&weights=1,0,0.5,0"},
	} {
		r, err := reference.Parse(c.text)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: no error", c.reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		} else if got := r.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.reason, got, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "want environment/split/index, such as countdown/train/17"},
		{"countdown", "want environment/split/index"},
		{"countdown/train/1/2", "want environment/split/index"},
		{"countdwn/train/1", `unknown environment "countdwn"; did you mean countdown? known environments: bandit, coins`},
		{"countdown/trian/1", `unknown split "trian"; did you mean train? known splits: pretrain, train, test, ood`},
		{"countdown/train/-1", `the index is "-1", want a whole number from 0 to 9223372036854775807`},
		{"countdown/train/01", `the index is "01"`},
		{"countdown/train/9223372036854775808", "the index is"},
		{"countdown/train/1?", `after the ? is "", want field=value`},
		{"countdown/train/1?numbers", `after the ? is "numbers", want field=value`},
		{"countdown/train/1?number=5", `unknown field "number"; did you mean numbers? known fields: numbers, min_number`},
		{"countdown/train/1?candidate=5", `did you mean candidates?`},
		{"countdown/train/1?numbers=7", `field "numbers": got 7, want int from 3 to 6`},
		{"countdown/train/1?numbers=5&numbers=5", `field "numbers" is there twice`},
		{"countdown/train/1?numbers=five", `field "numbers": "five" is not valid, want int from 3 to 6`},
		{"countdown/train/1?candidates=0", `field "candidates": got 0, want int from 1 to 255`},
		{"countdown/train/1?candidates=256", `field "candidates": got 256, want int from 1 to 255`},
		{"countdown/train/1?stops=true", `field "stops": is about several answers: want candidates of 2 or more`},
		{"countdown/train/1?stops=perhaps", `field "stops": "perhaps" is not valid, want bool`},
		{"countdown/train/1?weights=0,0", `field "weights": all are 0`},
		{"countdown/train/1?weights=-1,2", `field "weights": got -1, want numbers of at least 0`},
		{"countdown/train/1?weights=NaN,2", `field "weights": entry 0: got NaN`},
		{"countdown/train/1?weights=1,,2", `field "weights": "1,,2" is not valid, want list of float`},
		{strings.Repeat("a", 5000), "5000 bytes, want at most 2048"},
	} {
		_, err := reference.Parse(c.text)
		testkit.WantError(t, err, `reference "`, c.want)
	}
}

// TestFindErrors: faults that only show when the problem is made.
func TestFindErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"countdown/train/1?min_number=20&max_number=10", `field "min_number": got 20, want 1 to max_number, 10`},
		{"countdown/train/1?weights=1,2,3", `field "weights": got 3 numbers, want 2: correct, format`},
		{"countdown/train/0?min_modes=1000", "none of the 100000 draws"},
	} {
		r, err := reference.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Find()
		testkit.WantError(t, err, `reference "countdown/train/`, c.want)
	}
}

// TestNothingToEscape: every value that a field of an environment can have is written in a
// reference as it is, and no field has the name of a pose's field.
func TestNothingToEscape(t *testing.T) {
	for _, name := range envs.Names() {
		d, _ := envs.Lookup(name)
		for _, field := range params.Fields(d.Default()) {
			if field.Type == "text" && field.Choices == nil {
				t.Errorf("%s: field %s takes any text", name, field.Name)
			}
			for _, text := range append(field.Choices, field.Name) {
				if strings.ContainsAny(text, "&=?/") {
					t.Errorf("%s: field %s has %q", name, field.Name, text)
				}
			}
			if field.Name == "candidates" || field.Name == "stops" || field.Name == "weights" {
				t.Errorf("%s: field %s is one of a pose too", name, field.Name)
			}
		}
	}
}

// TestFind: the problem is the environment's under these settings.
func TestFind(t *testing.T) {
	r, err := reference.Parse("maze/test/3?slack=11&env_seed=2&candidates=3&weights=1,0,0,0")
	if err != nil {
		t.Fatal(err)
	}
	q, err := r.Find()
	if err != nil {
		t.Fatal(err)
	}
	d, _ := envs.Lookup("maze")
	config := d.Default()
	for _, pair := range []string{"slack=11", "env_seed=2"} {
		if err := params.SetPair(config, pair); err != nil {
			t.Fatal(err)
		}
	}
	env, err := config.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := env.Problem(envs.Test, 3)
	if err != nil {
		t.Fatal(err)
	}
	if q.Problem.PromptText() != p.PromptText() || q.Chain == nil || !q.Stated || q.Chain.Answers() != 3 {
		t.Errorf("another problem, or posed otherwise: %s", q.Prompt())
	}
	if want := "<route_3>"; !strings.Contains(q.Prompt(), want) || !strings.Contains(q.Prompt(), "completion: 1.00") {
		t.Errorf("the prompt lacks %s or the weights:\n%s", want, q.Prompt())
	}
	if best := q.Truth().Best; best != 1 {
		t.Errorf("the best reward under completion alone is %v", best)
	}
}

// FuzzParse: no text is a panic, an error is one line, and the canonical form of a
// reference is read as itself.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"countdown/train/17", "countdown/train/17?numbers=5&env_seed=3", "maze/test/0?slack=11&candidates=3&stops=true&weights=0.5,0.5,0,0",
		"coins/ood/2?denominations=1,2,5", "derivation/pretrain/0?operations=+-*", "bandit/train/1?jitter=0x1p-3&form=shared", "//?=&", "a/b/c?d", "bandit/train/00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := reference.Parse(text)
		if err != nil {
			testkit.OneLine(t, err)
			return
		}
		canonical := r.String()
		again, err := reference.Parse(canonical)
		if err != nil {
			t.Fatalf("%q gave %q: %v", text, canonical, err)
		}
		if twice := again.String(); twice != canonical {
			t.Fatalf("%q gave %q, and that %q", text, canonical, twice)
		}
	})
}
