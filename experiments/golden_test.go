package experiments_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// every is a spec that walks every path of the runner: all methods, several
// problems, chains of epochs, arms that share a mode, vector rewards, both
// evaluations, temperature and nucleus.
func every(t testing.TB) *spec.Spec {
	t.Helper()
	text := `title = "all methods"
seeds = 2
[env]
name = "bandit"
arms_per_mode = 2
components = 2
collinearity = 0.3
start = "zipf"
[policy]
sharing = ["problem", "shared"]
[train]
steps = 40
problems = 3
batch = 2
epochs = 2
temperature = 0.9
record_every = 5
[eval]
every = 20
k = [1, 2, 4]
samples = 12
temperature = 0.7
top_p = 0.95
modes = true
`
	for _, m := range estimators.Methods() {
		if m.New().Needs().MinTokens > 1 {
			continue // solutions has it: here an answer is one token
		}
		text += "[[method]]\nname = \"" + m.Name + "\"\n"
		if m.Trains {
			text += "entropy_coef = 0.01\n"
		}
	}
	spec, err := spec.Parse("every.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// mazes is a spec of what the bandit does not have: answers of several tokens,
// chains under every way of sharing parameters, goals, vector rewards from a
// sampled pool.
func mazes(t testing.TB) *spec.Spec {
	t.Helper()
	spec, err := spec.Parse("mazes.toml", []byte(`
seeds = 2
[env]
name = "maze"
[policy]
context = ["add", "independent", "blind", "found"]
demonstrations = 40
[train]
steps = 6
problems = 3
batch = 2
[eval]
every = 3
k = [1, 2, 4, 7]
samples = 9
temperature = 0.7
enumerate = 0
draws = 16
[[method]]
name = "vpo"
[[method]]
name = "goal-conditioned"
eval = { goals = ["fixed", "random"] }
[[method]]
name = "gdpo"
train = { optimizer = "sgd" }
[[method]]
name = "optimum"
`))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// solutions is a spec of what neither has: several environments, variants,
// priors by state, noise on what estimators are told, metrics of pools alone.
func solutions(t testing.TB) *spec.Spec {
	t.Helper()
	spec, err := spec.Parse("solutions.toml", []byte(`
seeds = 2
[[env]]
name = "countdown"
[[env]]
name = "multiplication"
[[env]]
name = "polynomial"
[train]
steps = 6
problems = 3
batch = 2
judge_noise = [0, 0.3]
reward_noise = 0.1
[eval]
every = 3
k = [1, 2, 4, 7]
samples = 9
top_p = 0.9
enumerate = 0
[[method]]
name = "base"
[[method]]
name = "grpo@setpo"
[[method]]
name = "setpo+grpo"
[[method]]
name = "poly-epo"
[[method]]
name = "vpo"
`))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// protocols is a spec of what came later: chains that stop and name a final answer,
// votes, dynamic sampling, divergence in the reward, every kind of ratio off-policy,
// minibatches, a schedule, and the other optimisers.
func protocols(t testing.TB) *spec.Spec {
	t.Helper()
	text := `
seeds = 2
[env]
name = "multiplication"
[train]
steps = 6
problems = 3
batch = 2
epochs = 2
minibatches = 2
schedule = "cosine"
warmup = 2
weight_decay = 0.01
clip_norm = 0.2
[eval]
every = 3
k = [1, 2, 4]
samples = 9
enumerate = 0
[[method]]
name = "base"
train = { candidates = 3, stops = true }
[[method]]
name = "vpo"
train = { stops = true }
[[method]]
name = "grpo"
kl_in_reward = true
kl_coef = 0.05
generations = 3
votes = 12
train = { optimizer = "natural", lr = 0.3 }
`
	for _, name := range []string{
		"sd-e2", "grpo-cfl", "evol-rl", "em-rl-token", "remax", "reinforce++", "gpg", "dapo", "setpo+gspo", "cispo", "gmpo",
		"r1-zero-div", "clip-cov", "kl-cov", "pkpo", "set-rl",
	} {
		text += "[[method]]\nname = \"" + name + "\"\n"
	}
	spec, err := spec.Parse("protocols.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func goldenSpecs(t testing.TB) []*spec.Spec {
	return []*spec.Spec{every(t), mazes(t), solutions(t), protocols(t)}
}

func TestRecordsDoNotDependOnJobs(t *testing.T) {
	specs := goldenSpecs(t)
	if testing.Short() { // what runs concurrently is the same for all
		specs = []*spec.Spec{every(t), protocols(t)}
	}
	for _, spec := range specs {
		compareJobs(t, spec)
	}
}

func compareJobs(t *testing.T, spec *spec.Spec) {
	t.Helper()
	one, eight := t.TempDir(), t.TempDir()
	runSpec(t, spec, one, 1)
	runSpec(t, spec, eight, 8)
	a, b := exptest.Tree(t, one), exptest.Tree(t, eight)
	if len(a) < 5*len(spec.Variants)*spec.Seeds {
		t.Fatalf("only %d files for %d cells", len(a), len(spec.Variants)*spec.Seeds)
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("--jobs 1 and --jobs 8 differ:\n%.2000s", d)
	}
}

// golden holds the hashes of all records of the specs above. They pin the whole path
// from problems to checkpoints on every machine: CI runs this test under GOAMD64=v1 and
// v3 and GOMAXPROCS=1 and 2. A change that means to alter records raises
// record.Version (of a transformer's alone transformer.Version) and these constants
// together.
var golden = map[string]string{
	"every":     "bf982c4ec60cb609cd619b11632e90019df97ea891b78e653f2d13dcda8fcfaa",
	"solutions": "ea43a51f70b29bac8720bdd7c9770174ec60dcb5ef8f8783cb311c4aae344455",
	"protocols": "957bae9b871c70d905404458c115082796d705223643dfbe1d2a2e9b67bad1f9",
	"mazes":     "413386ca7a28e182f7a48e1dc9249681ea5d12fa1f2fb247ed156b600ea0a991",
}

// goldenTransformer is the hash of all records of a transformer on an environment,
// whose checkpoints hold its base policy to its bits too. It is kept in the
// environment's folder.
func goldenTransformer(t *testing.T, env string) string {
	t.Helper()
	hash, err := os.ReadFile(filepath.Join("..", "envs", env, "testdata", "transformer.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(hash))
}

func TestGoldenRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("the same specs run in TestRecordsDoNotDependOnJobs and TestTransformerRecords")
	}
	specs := goldenSpecs(t)
	golden := maps.Clone(golden)
	for _, env := range envs.Names() {
		spec := transformers(t, env)
		specs, golden[spec.Name] = append(specs, spec), goldenTransformer(t, env)
	}
	for _, spec := range specs {
		run := runSpec(t, spec, t.TempDir(), 2)
		h := sha256.New()
		for _, v := range run.Variants {
			for _, ref := range v.Cells {
				done, err := os.ReadFile(filepath.Join(run.Folder(ref), record.DoneFile))
				if err != nil {
					t.Fatal(err)
				}
				h.Write([]byte(v.Label + "\n"))
				h.Write(done)
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != golden[spec.Name] {
			t.Errorf("records of %s hash to %s, want %s", spec.Name, got, golden[spec.Name])
		}
	}
}
