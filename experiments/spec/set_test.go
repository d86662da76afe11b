package spec

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
)

const setSpec = `title = "t"
seeds = 2
[env]
name = "bandit"
[train]
steps = 30
lr = 0.1
[[method]]
name = "grpo@setpo"
[[method]]
name = "setpo+grpo"
label = "v1.5 of mine"
lambda = 0.5
train = { lr = 0.3 }
[[figure]]
name = "f"
kind = "curve"
metrics = ["reward"]
`

// cellsOf lists what a spec runs: labels and the hashes of their cells.
func cellsOf(t *testing.T, s *Spec) (out []string) {
	t.Helper()
	for _, v := range s.Variants {
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		for seed := range s.Seeds {
			id, err := p.Cell(seed).ID()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, v.Label+" "+id)
		}
	}
	return out
}

// A value set from outside gives the same cells as the same text written into the spec.
func TestSet(t *testing.T) {
	for _, tt := range []struct {
		pairs    []string
		old, new string // replaced in the text
		name     string
		note     string
	}{
		{[]string{"train.steps=40"}, "steps = 30", "steps = 40", "mine-train.steps-40", ""},
		{[]string{"train.lr=[0.1, 1e-2]"}, "lr = 0.1\n", "lr = [0.1, 1e-2]\n", "mine-train.lr-_0.1__1e-2_-*", `--set train.lr=[0.1, 1e-2]: not of "v1.5 of mine", which the spec gives another value`},
		{[]string{"train.optimizer=sgd"}, "lr = 0.1\n", "lr = 0.1\noptimizer = 'sgd'\n", "mine-train.optimizer-sgd", ""},
		{[]string{"env.modes=6", "env.rewarded=2"}, `name = "bandit"`, "name = 'bandit'\nmodes = 6\nrewarded = 2", "mine-env.modes-6-env.rewarded-2", ""},
		{[]string{"eval.every=10"}, "[train]", "[eval]\nevery = 10\n[train]", "mine-eval.every-10", ""},
		{[]string{"method.grpo@setpo.kl_coef=0.01"}, `name = "grpo@setpo"`, "name = 'grpo@setpo'\nkl_coef = 0.01", "mine-method.grpo_setpo.kl_coef-0.01-*", ""},
		// A label may have dots; the name under it names the method as well.
		{[]string{"method.v1.5 of mine.lambda=5"}, "lambda = 0.5", "lambda = 5", "mine-method.v1.5_of_mine.lambda-5-*", ""},
		{[]string{"method.setpo+grpo.train.lr=1"}, "lr = 0.3", "lr = 1", "mine-method.setpo_grpo.train.lr-1-*", ""},
		{[]string{"method.grpo@setpo.eval.temperature=1.5"}, `name = "grpo@setpo"`, "name = 'grpo@setpo'\neval = { temperature = 1.5 }", "mine-method.grpo_setpo.eval.temperature-1.5-*", ""},
		{[]string{"method.setpo+grpo.eval.interpolate=[0, 0.5]"}, "train = { lr = 0.3 }", "train = { lr = 0.3 }\neval.interpolate = [0, 0.5]", "mine-method.setpo_grpo.eval.interpolate-*", ""},
		// The last one holds.
		{[]string{"train.steps=40", "train.steps=50"}, "steps = 30", "steps = 50", "mine-train.steps-40-train.steps-50", ""},
	} {
		t.Run(strings.Join(tt.pairs, " "), func(t *testing.T) {
			got, err := Parse("mine.toml", []byte(setSpec), LoadOptions{Set: tt.pairs})
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(setSpec, tt.old, tt.new, 1)
			if text == setSpec {
				t.Fatal("the row changes nothing")
			}
			want, err := parseText("mine.toml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(cellsOf(t, want), cellsOf(t, got)); d != "" {
				t.Errorf("cells (-written into the spec +set):\n%s", d)
			}
			if ok, _ := path.Match(tt.name, got.Name); !ok || strings.Join(otherNotes(got.Notes), "; ") != tt.note {
				t.Errorf("named %q with notes %q, want %q and %q", got.Name, got.Notes, tt.name, tt.note)
			}
			if want := "t (" + strings.Join(tt.pairs, ", ") + ")"; got.Title != want {
				t.Errorf("titled %q, want %q", got.Title, want)
			}
		})
	}
}

// Of several environments those are set that have the field, under an overlay it is set
// last of all, and a name may be given.
func TestSetEverywhere(t *testing.T) {
	spec, err := LoadWith("synthetic-strategies", LoadOptions{Policy: "transformer", Set: []string{"train.steps=7", "env.lapse=0.05"}, Name: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if spec.Name != "mine" {
		t.Errorf("named %q, want mine", spec.Name)
	}
	for _, v := range spec.Variants {
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		cell := p.Cell(0)
		if v.Trains && p.Train.Steps != 7 {
			t.Errorf("%s trains %d steps, want 7", v.Label, p.Train.Steps)
		}
		if lapse, has := cell.Env.Params["lapse"]; has != (v.Env == "multiplication") || has && lapse != 0.05 {
			t.Errorf("%s: lapse %v, want .05 where the environment has it", v.Label, lapse)
		}
	}
}

// A figure or claim about variants that are gone falls away with a note.
func TestSetLeavesOut(t *testing.T) {
	spec, err := LoadWith("countdown-passk", LoadOptions{Set: []string{"train.steps=10"}})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Load("countdown-passk")
	if err != nil {
		t.Fatal(err)
	}
	if len(spec.Figures) >= len(plain.Figures) || len(otherNotes(spec.Notes)) != len(plain.Figures)-len(spec.Figures) {
		t.Errorf("%d of %d figures, with notes %q", len(spec.Figures), len(plain.Figures), spec.Notes)
	}
	if len(spec.Claims) != len(plain.Claims) {
		t.Errorf("%d claims of %d, and all of them fit", len(spec.Claims), len(plain.Claims))
	}
}

func TestSetErrors(t *testing.T) {
	for _, tt := range []struct{ pair, want string }{
		{"train.lr", "--set train.lr: there is no value: want train.lr=VALUE"},
		{"nested", "--set nested: there is no value: want nested=VALUE"},
		{"first_sed=3", "did you mean first_seed? want env.FIELD"},
		{"trian.lrr=1", "did you mean train.FIELD? want env.FIELD"},
		{"methd.grpo.scale=1", "did you mean method.NAME.FIELD? want env.FIELD"},
		{"evn.modes=1", "did you mean env.FIELD? want env.FIELD"},
		{"train.=1", "--set train.=1: want env.FIELD"},
		{"quiet=1", "--set quiet=1: want env.FIELD"},
		{"seeds.x=1", "want env.FIELD"},
		{"train.learning=1", `--set train.learning=1: unknown field "learning" of train`},
		{"train.lr=fast", `--set train.lr=fast: field "lr"`},
		{"train.lr=-1", `--set train.lr=-1: field "lr"`},
		{"train.lr=[0.1, 0.1]", `--set train.lr=[0.1, 0.1]: field "lr": the value 0.1 is listed twice`},
		{"train.lr=", "neither a TOML value nor a plain text"},
		{"train.lr=[0.1", "neither a TOML value nor a plain text"},
		{"train.lr=1\nsteps = 3", "neither a TOML value nor a plain text"},
		{"env.name=maze", "a name cannot be set"},
		{"env.slack=1", `--set env.slack=1: unknown field "slack"`},
		{"method.rloo.lambda=1", "names no method of the spec; it has grpo@setpo; v1.5 of mine; setpo+grpo"},
		{"method.setpo-grpo.lambda=1", "names no method of the spec; did you mean setpo+grpo? it has "},
		{"train.stepps=1", `unknown field "stepps" of train; did you mean steps? known fields: `},
		{"env.mods=1", `unknown field "mods" of env; did you mean modes? known fields: `},
		{"method.setpo+grpo.lamda=1", `unknown field "lamda" of method; did you mean lambda? known fields: `},
		{"trian.lr=1", "did you mean train.lr? want env.FIELD"},
		{"lr=0.1", "did you mean train.lr? want env.FIELD"},
		{"learning_rate=0.1", "did you mean train.lr? want env.FIELD"},
		{"train.learning_rate=0.1", `unknown field "learning_rate" of train; did you mean lr? known fields: `},
		{"kl_loss_coef=0.1", "did you mean method.NAME.kl_coef? want env.FIELD"},
		{"sample=3", "did you mean eval.samples? want env.FIELD"},
		{"nothing.near=3", "--set nothing.near=3: want env.FIELD"},
		{"train", "--set train: want env.FIELD"},
		{"method.setpo+grpo.mu=1", `--set method.setpo+grpo.mu=1: unknown field "mu"`},
		{"method.setpo+grpo.train.lr=x", `--set method.setpo+grpo.train.lr=x: field "lr"`},
	} {
		_, err := Parse("mine.toml", []byte(setSpec), LoadOptions{Set: []string{tt.pair}})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") && !strings.Contains(tt.pair, "\n") {
			t.Errorf("--set %s: %v, want %q", tt.pair, err, tt.want)
		}
	}
	_, err := LoadWith("base-policies", LoadOptions{Set: []string{"env.mods=3"}})
	if want := `no environment of the spec has a field "mods"; did you mean modes? bench list envs NAME lists them`; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	// A mistake of the spec itself is reported as that.
	_, err = Parse("mine.toml", []byte(strings.Replace(setSpec, "steps", "stepps", 1)), LoadOptions{Set: []string{"train.lr=1"}})
	if err == nil || !strings.HasPrefix(err.Error(), "mine.toml:6: ") {
		t.Errorf("%v, want the line of the spec", err)
	}
	long := []string{"train.lr=0.1", "train.steps=1000", "eval.every=100", "env.modes=12", "env.rewarded=4", "env.arms_per_mode=4", "train.group=8"}
	if _, err := Parse("mine.toml", []byte(setSpec), LoadOptions{Set: long}); err == nil || !strings.Contains(err.Error(), "--name") {
		t.Errorf("%v, want to be asked for a name", err)
	}
	if _, err := Parse("mine.toml", []byte(setSpec), LoadOptions{Set: long, Name: "a/b"}); err == nil {
		t.Error("a name with a slash was taken")
	}
}

// Runs of different settings never share a folder.
func TestSetNamesDiffer(t *testing.T) {
	names := map[string]string{}
	for _, pair := range []string{"env.jitter=1", "env.jitter=-1", "env.jitter=.1", "method.grpo@setpo.shaping=a+b", "method.grpo@setpo.shaping=a-b", "method.grpo@setpo.shaping=a*b", "train.lr=[1]", "train.lr=1"} {
		name := nameOf(pair)
		if other, taken := names[name]; taken || !record.IsName(name) {
			t.Errorf("%s and %s are both named %q", pair, other, name)
		}
		names[name] = pair
	}
}

func FuzzSet(f *testing.F) {
	for _, pair := range []string{"train.lr=0.1", "method.grpo@setpo.kl_coef=[1,2]", "env.modes=", "eval.k=[1]", "=", "method..=", "train.lr={a=1}"} {
		f.Add(pair)
	}
	f.Fuzz(func(t *testing.T, pair string) {
		spec, err := Parse("mine.toml", []byte(setSpec), LoadOptions{Set: []string{pair}})
		if err == nil && !record.IsName(spec.Name) {
			t.Errorf("named %q", spec.Name)
		}
	})
}
