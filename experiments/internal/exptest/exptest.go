// Package exptest holds what tests of several packages of experiments share: specs that
// run in a moment, and the files of a run as texts.
package exptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/params"
)

// Minimal is a spec that loads and runs in a moment; tests change it.
const Minimal = `seeds = 2
[env]
name = "bandit"
[train]
steps = 20
[eval]
every = 10
k = [1, 4]
samples = 8
modes = true
[[method]]
name = "grpo"
`

// Load reads a spec from a text, as a run reads it from a file of that name: its plug-ins are
// started.
func Load(t testing.TB, file, text string) *spec.Spec {
	t.Helper()
	s, err := TryLoad(t, file, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TryLoad is Load for texts with a mistake. Errors begin with the path of a folder of the
// test, and then the name of the file.
func TryLoad(t testing.TB, file, text string) (*spec.Spec, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return spec.LoadWith(path, spec.LoadOptions{StartPlugin: func(string) error { return nil }})
}

// Small reads Minimal.
func Small(t testing.TB) *spec.Spec {
	t.Helper()
	return Load(t, "small.toml", Minimal)
}

// Tree reads every file below dir but provenance, by relative path.
func Tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == record.ProvenanceFile {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TinyPolicy is the smallest transformer, hardly pre-trained.
const TinyPolicy = `
[policy]
name = "transformer"
layers = 1
width = 32
heads = 2
pretrain_steps = 3
pretrain_batch = 4
`

// TinyMazes is one cell of a tiny transformer, with more of its fields.
func TinyMazes(t testing.TB, more ...string) *spec.Spec {
	t.Helper()
	policy := TinyPolicy
	for _, line := range more {
		key, _, _ := strings.Cut(line, " ")
		policy = regexp.MustCompile("(?m)^"+key+" .*\n").ReplaceAllString(policy, "") + line + "\n"
	}
	return Load(t, "tiny.toml", "seeds = 1\n[env]\nname = \"maze\"\n"+policy+"[eval]\nk = [1]\nsamples = 2\nproblems = 1\n[[method]]\nname = \"base\"\n")
}

// Resumables are specs whose cells hold something that a run has to carry on: what each
// is for is its name. Every step is evaluated, so that a test can stop at every one.
var Resumables = []struct{ Name, Text string }{
	{"tables, several optimisers, pools", `
[env]
name = "bandit"
[train]
steps = 7
problems = 5
batch = 2
warmup = 2
schedule = "cosine"
record_every = 2
optimizer = ["adam", "sgd", "natural"]
[eval]
every = 1
k = [1, 2]
samples = 4
keep = 1
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
`},
	{"more batches drawn than steps made", `
[env]
name = "bandit"
start = "zipf"
[train]
steps = 12
problems = 6
batch = 2
group = 3
lr = 0.3
[eval]
every = 1
k = [1, 2]
[[method]]
name = "dapo"
`},
	{"references of the policy before training", `
[env]
name = "bandit"
[train]
steps = 6
problems = 3
batch = 2
epochs = 2
minibatches = 2
lr = 0.1
[eval]
every = 1
k = [1, 2]
measure = ["votes", "kl", "search", "boundary", "law"]
[[method]]
name = "reinforce"
kl = ["k1", "k2", "k3"]
kl_coef = 0.1
[[method]]
name = "grpo"
kl = "k3"
kl_coef = 0.1
kl_in_reward = true
`},
	{"what evaluations found out: answers too many to list at first, and not later", `
[env]
name = "bandit"
modes = 8
[train]
steps = 10
lr = 0.5
[eval]
every = 1
k = [1, 2]
samples = 4
top_p = 0.6
enumerate = 4
measure = ["kl"]
[[method]]
name = "grpo"
`},
	{"chains, goals, contexts, noise", `
[env]
name = "maze"
[policy]
context = ["add", "found"]
demonstrations = 20
[train]
steps = 4
problems = 3
batch = 2
judge_noise = 0.2
reward_noise = 0.1
[eval]
every = 1
k = [1, 2]
samples = 4
enumerate = 0
draws = 8
[[method]]
name = "vpo"
[[method]]
name = "goal-conditioned"
[[method]]
name = "remax"
`},
	{"votes without labels", `
[env]
name = "bandit"
[train]
steps = 6
problems = 4
batch = 2
[eval]
every = 1
k = [1, 2]
[[method]]
name = "ttrl"
[[method]]
name = "evol-rl"
`},
	{"rollouts of earlier policies", `
[env]
name = "bandit"
start = "zipf"
[train]
steps = 7
problems = 4
batch = 2
group = 3
minibatches = 2
lr = 0.3
lag = [1, 3]
[eval]
every = 1
k = [1, 2]
measure = ["updates"]
[[method]]
name = "grpo"
[[method]]
name = "dapo"
[[method]]
name = "remax"
kl_coef = 0.1
`},
	{"tokens that run out", `
[env]
name = "bandit"
start = "zipf"
[train]
steps = 9
tokens = 40
problems = 6
batch = 2
group = 3
minibatches = 2
lr = 0.3
lag = [0, 2]
[eval]
every = 1
k = [1, 2]
measure = ["updates", "drawn"]
[[method]]
name = "grpo"
[[method]]
name = "dapo"
[[method]]
name = "remax"
[[method]]
name = "ttrl"
`},
	{"a transformer and rollouts of an earlier one", `
[env]
name = "bandit"
` + TinyPolicy + `
[train]
steps = 4
problems = 3
batch = 2
group = 4
minibatches = 2
lag = 2
old = "learner"
sampler_bits = 7
sampler_temperature = 1.1
[eval]
every = 1
k = [1]
samples = 1
problems = 1
[[method]]
name = "grpo"
`},
	{"a transformer", `
[env]
name = "bandit"
` + TinyPolicy + `
[train]
steps = 3
problems = 3
batch = 2
group = 4
record_every = 1
[eval]
every = 1
k = [1, 2]
samples = 4
problems = 2
measure = ["kl"]
[[method]]
name = "grpo"
kl = "k3"
kl_coef = 0.1
[[method]]
name = "vpo"
[[method]]
name = "dapo"
`},
	{"a state per problem", `
[env]
name = "bandit"
modes = 6
arms_per_mode = 3
[train]
steps = 8
problems = 3
batch = 2
group = 4
lr = 0.1
[eval]
every = 1
k = [1, 2]
[[method]]
name = "outcome-ucb"
[[method]]
name = "outcome-ucb-con"
generations = 3
`},
	{"samples that are stored before training", `
[env]
name = "bandit"
rewarded = 3
[policy]
sharing = "shared"
[train]
steps = 7
problems = 6
batch = 3
group = 4
epochs = 2
minibatches = 2
lr = 0.1
[eval]
every = 1
k = [1, 2]
measure = ["updates", "drawn"]
[[method]]
name = "dph-js"
dph_rollouts = 1
dph_js = 1
`},
}

// Everywhere is a spec of every method on one environment.
func Everywhere(env string, group int) string {
	// Where the start can be chosen it is not uniform: EM-RL looks at nothing but how likely
	// answers are.
	start := ""
	if d, err := envs.Lookup(env); err == nil {
		if f, ok := params.Lookup(d.Default(), "start"); ok {
			start = fmt.Sprintf("start = %q", f.Choices[len(f.Choices)-1])
		}
	}
	return fmt.Sprintf(`seeds = 1
[env]
name = %q
%s
[train]
steps = 12
problems = 2
batch = 2
group = %d
[eval]
every = 12
k = [1, 2]
samples = 6
enumerate = 0
draws = 4
[[method]]
name = "*"
`, env, start, group)
}

// A Setting is a field of a spec: of its part env, policy, train, eval or method.
type Setting struct {
	part, name string
	value      any
}

// Set is a field with its value.
func Set(part, name string, value any) Setting { return Setting{part, name, value} }

// Variant is a method on an environment under a tabular policy, with some fields set.
func Variant(t testing.TB, env, method string, fields ...Setting) *spec.Variant {
	t.Helper()
	parts := map[string]map[string]any{"env": {"name": env}, "method": {"name": method}}
	for _, f := range fields {
		if parts[f.part] == nil {
			parts[f.part] = map[string]any{}
		}
		parts[f.part][f.name] = f.value
	}
	doc := map[string]any{"seeds": 1, "columns": []string{}, "method": []any{parts["method"]}}
	delete(parts, "method")
	for name, part := range parts {
		doc[name] = part
	}
	text, err := toml.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return Load(t, "one.toml", string(text)).Variants[0]
}

// Evals reads the metrics of each evaluation of a cell without the code under test.
func Evals(t testing.TB, run *record.Run, variant string, seed int) (out []map[string]float64) {
	t.Helper()
	for _, v := range run.Variants {
		for _, c := range v.Cells {
			if v.Name != variant || c.Seed != seed {
				continue
			}
			data, err := os.ReadFile(filepath.Join(run.Dir, run.Cells, c.ID, "eval.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(data) {
				var e struct{ Metrics map[string]float64 }
				if err := json.Unmarshal(line, &e); err != nil {
					t.Fatal(err)
				}
				out = append(out, e.Metrics)
			}
		}
	}
	if out == nil {
		t.Fatalf("no evaluations of %q with seed %d", variant, seed)
	}
	return out
}

// Cells are the ids of the cells of a seed, in the order of specs and variants, but for those of
// variants of these names.
func Cells(t testing.TB, specs []*spec.Spec, seed int, without ...string) (out []string) {
	t.Helper()
	for _, s := range specs {
		for _, v := range s.Variants {
			if slices.Contains(without, v.Name) {
				continue
			}
			p, err := v.Setup()
			if err != nil {
				t.Fatal(err)
			}
			id, err := p.Cell(seed).ID()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, id)
		}
	}
	return out
}
