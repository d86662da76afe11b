package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
)

// TestNested: the parts that each seed has of its own, from the numbers of seeds that share
// one.
func TestNested(t *testing.T) {
	for _, c := range []struct {
		reason, top, policy string
		want                string // first seed, then draw and base policy of each
	}{
		{"as ever", "", exptest.TinyPolicy, "0: -/0 -/0 -/0 -/0"},
		{"each its own", "nested = 1", exptest.TinyPolicy, "0: 1/1 2/2 3/3 4/4"},
		{"likewise", "nested = [1, 1]", exptest.TinyPolicy, "0: 1/1 2/2 3/3 4/4"},
		{"one number is of both", "nested = [2]", exptest.TinyPolicy, "0: 1/1 1/1 2/2 2/2"},
		{"base policies within draws", "nested = [2, 1]", exptest.TinyPolicy, "0: 1/1 1/2 2/3 2/4"},
		{"four to a draw", "nested = [4, 2]", exptest.TinyPolicy, "0: 1/1 1/1 1/2 1/2"},
		{"the numbers go by the seed, not its place", "first_seed = 3\nnested = [2, 1]", exptest.TinyPolicy, "3: 2/4 3/5 3/6 4/7"},
		{"a table has no base policy", "nested = [2, 1]", "", "0: 1/- 1/- 2/- 2/-"},
		{"other seeds", "first_seed = 7", "", "7: -/- -/- -/- -/-"},
	} {
		s := exptest.Load(t, "my.toml", c.top+"\nseeds = 4\n[env]\nname = \"maze\"\n"+c.policy+"[[method]]\nname = \"grpo\"\n")
		v := s.Variants[0]
		anyone, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d:", s.FirstSeed)
		for _, seed := range s.SeedNumbers() {
			p, err := v.SetupFor(seed)
			if err != nil {
				t.Fatal(err)
			}
			cell := p.Cell(seed)
			id, _ := cell.ID()
			if other, err := anyone.Cell(seed).ID(); err != nil || other != id {
				t.Errorf("%s: seed %d is %s, and from what is of no seed %s (%v)", c.reason, seed, id, other, err)
			}
			word := func(params map[string]any, field string) string {
				if x, ok := params[field]; ok {
					return fmt.Sprint(x)
				}
				return "-"
			}
			got += " " + word(cell.Env.Params, "env_seed") + "/" + word(cell.Policy.Params, "pretrain_seed")
			problem, err := p.Env.Problem(envs.Train, 0)
			if err != nil {
				t.Fatal(err)
			}
			want := "train/0"
			if draw := s.Nested.Draw(seed); draw > 0 {
				want = fmt.Sprintf("draw%d/train/0", draw)
			}
			if problem.ID() != want {
				t.Errorf("%s: seed %d has problem %s, want %s", c.reason, seed, problem.ID(), want)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s:\n%s", c.reason, d)
		}
	}
}

// TestNestedMistakes: each error names its line and the correct form.
func TestNestedMistakes(t *testing.T) {
	const shape = "want [p, b]: p seeds in turn share a draw of problems, and b of them, which divides p, a base policy"
	for _, c := range []struct{ top, env, policy, want string }{
		{"nested = [3, 2]", "", "", `my.toml:1: field "nested": got [3 2], ` + shape},
		{"nested = [4, 2, 1]", "", "", `my.toml:1: field "nested": got [4 2 1], ` + shape},
		{"nested = 0", "", "", `my.toml:1: field "nested": entry 0: got 0, want a list of whole numbers from 1 to 100000`},
		{"nested = [2, -1]", "", "", `my.toml:1: field "nested": entry 1: got -1, want a list of whole numbers from 1 to 100000`},
		{"nested = true", "", "", `my.toml:1: field "nested": got true, want a list of whole numbers from 1 to 100000`},
		{"first_seed = -1", "", "", `my.toml:1: field "first_seed": got -1, want int from 0 to 1000000000`},
		{"nested = 1", "env_seed = 4", "", `my.toml:4: field "env_seed": nested gives each group of seeds a value of its own; leave out the field, or nested`},
		{"nested = 1", "env_seed = [1, 2]", "", `my.toml:4: field "env_seed": nested gives`},
		{"nested = 1", "", exptest.TinyPolicy + "pretrain_seed = 2", `my.toml:13: field "pretrain_seed": nested gives`},
		{"nested = 1", "", exptest.TinyPolicy + "pretrain_seed = [1, 2]", `my.toml:13: field "pretrain_seed": nested gives`},
	} {
		_, err := exptest.TryLoad(t, "my.toml", c.top+"\n[env]\nname = \"maze\"\n"+c.env+"\n"+c.policy+"\n[[method]]\nname = \"grpo\"\n")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v\nwant %s", c.top, c.env, err, c.want)
		}
	}
}

// TestNestedNote: a base policy that no policy has is noted, under the policy that holds.
func TestNestedNote(t *testing.T) {
	text := "nested = [2, 1]\n[env]\nname = \"maze\"\n[[method]]\nname = \"grpo\"\n"
	const want = "nested: the second number, 1, makes no difference: policy tabular has no base policy that is trained"
	if notes := exptest.Load(t, "my.toml", text).Notes; !strings.Contains(strings.Join(notes, "\n"), want) {
		t.Errorf("tabular: %q, want %q", notes, want)
	}
	if notes := exptest.Load(t, "my.toml", text+exptest.TinyPolicy).Notes; strings.Contains(strings.Join(notes, "\n"), "nested") {
		t.Errorf("transformer: %q", notes)
	}
}
