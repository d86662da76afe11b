package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators"
	"modebench/policies"
)

// tinyPolicy is the smallest transformer, hardly pre-trained.
const tinyPolicy = `
[policy]
name = "transformer"
layers = 1
width = 32
heads = 2
pretrain_steps = 3
pretrain_batch = 4
`

// transformers is a spec of one method of every family that fits the environment, of
// every protocol and of every kind of row, under a tiny transformer.
func transformers(t testing.TB, env string) *Spec {
	t.Helper()
	text := fmt.Sprintf(`seeds = 1
[env]
name = %q
%s
[train]
steps = 2
problems = 3
batch = 2
group = 6
record_every = 1
[eval]
every = 2
k = [1, 2]
samples = 6
problems = 2
draws = 4
measure = ["votes", "rollouts", "embeddings", "branches", "kl"]
positions = [1]
[[method]]
name = "*"
`, env, tinyPolicy)
	spec, err := Parse("transformers-"+env+".toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	fits := func(m estimators.Method) bool {
		return slices.ContainsFunc(spec.Variants, func(v *Variant) bool { return v.Method == m.Name })
	}
	chosen := []string{"base", "optimum", "goal-conditioned", "remax", "dapo", "kl-cov"}
	for _, f := range estimators.Families() {
		i := slices.IndexFunc(f.Methods, func(m estimators.Method) bool { return m.Trains && fits(m) })
		if i >= 0 {
			chosen = append(chosen, f.Methods[i].Name)
		}
	}
	spec.Variants = slices.DeleteFunc(spec.Variants, func(v *Variant) bool { return !slices.Contains(chosen, v.Method) })
	if len(spec.Variants) < 10 {
		t.Fatalf("%s: only %v", env, spec.labels())
	}
	return spec
}

// TestTransformerRecords: a transformer runs on every environment under every family
// of methods, and neither the number of jobs nor that of threads nor where the base
// policy comes from changes a byte.
func TestTransformerRecords(t *testing.T) {
	names := envs.Names()
	if testing.Short() {
		names = []string{"multiplication"}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, env := range names {
		spec, cache := transformers(t, env), t.TempDir()
		var all []map[string]string
		for _, way := range []struct {
			jobs, threads int
			cache         string
		}{{1, 1, cache}, {2, 2, t.TempDir()}, {2, 2, cache}} {
			if len(all) == 2 && env != "bandit" && env != "multiplication" {
				continue // from the cache, where it is quick and where chains stop
			}
			runtime.GOMAXPROCS(way.threads)
			var mu sync.Mutex
			begun := map[string]int{}
			out := t.TempDir()
			_, err := spec.Run(context.Background(), Options{Out: out, Jobs: way.jobs, Cache: way.cache, Pretraining: func(p Pretraining) {
				mu.Lock()
				defer mu.Unlock()
				if p.Step == 1 {
					begun[p.Name]++
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if len(all) == 2 && len(begun) > 0 || len(all) < 2 && len(begun) < 3 {
				t.Errorf("%s, run %d: pre-trains %v; want one answer, goals and chains, and nothing from the cache", env, len(all), begun)
			}
			for name, n := range begun {
				if n != 1 {
					t.Errorf("%s: %q is pre-trained %d times", env, name, n)
				}
			}
			all = append(all, tree(t, out))
		}
		for i, other := range all[1:] {
			if d := cmp.Diff(all[0], other); d != "" {
				t.Errorf("%s: run %d differs:\n%.1000s", env, i+1, d)
			}
		}
	}
}

// tinyMazes is one cell of a tiny transformer, with more of its fields.
func tinyMazes(t testing.TB, more ...string) *Spec {
	t.Helper()
	policy := tinyPolicy
	for _, line := range more {
		key, _, _ := strings.Cut(line, " ")
		policy = regexp.MustCompile("(?m)^"+key+" .*\n").ReplaceAllString(policy, "") + line + "\n"
	}
	spec, err := Parse("tiny.toml", []byte("seeds = 1\n[env]\nname = \"maze\"\n"+policy+"[eval]\nk = [1]\nsamples = 2\nproblems = 1\n[[method]]\nname = \"base\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// baseFile is the one base policy in a folder.
func baseFile(t testing.TB, cache string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache holds %v (%v), want one file", files, err)
	}
	return files[0]
}

// TestTransformerErrors: what a transformer cannot do is said when the spec is loaded.
func TestTransformerErrors(t *testing.T) {
	text := "[env]\nname = \"bandit\"\n[policy]\nname = \"transformer\"\n[train]\nsteps = 2\n[eval]\nevery = 1\n[[method]]\nname = \"grpo\"\n"
	for _, c := range []struct{ reason, old, new, want string }{
		{"a table's field in its table", `"transformer"`, "\"transformer\"\nsharing = \"shared\"", `my.toml:5: unknown field "sharing" of policy; known fields: layers, width, `},
		{"an optimiser of tables", "steps = 2", "steps = 2\noptimizer = \"natural\"", `my.toml:7: field "optimizer": got natural, which is exact for tables alone`},
		{"answers that are listed", "every = 1", "every = 1\nenumerate = 10", `my.toml:9: field "enumerate": got 10, but the answers of a transformer are sampled`},
		{"heads that do not divide the width", `"transformer"`, "\"transformer\"\nwidth = 33", `my.toml:`},
		{"a baseline that trains", `"grpo"`, "\"grpo\"\npolicy = \"baseline\"", `my.toml:11: method grpo trains the policy of the spec`},
		{"an unknown policy of a method", `"grpo"`, "\"base\"\npolicy = \"blind\"", `my.toml:11: unknown policy "blind"; known policies: tabular, transformer, baseline`},
		{"a policy that is no text", `"grpo"`, "\"base\"\npolicy = 3", `my.toml:11: the policy of a method must be a text`},
		{"an array where there is one table", "[train]", "[[train]]", `my.toml:5: "train" must be a table: [train]`},
		{"an array of policies", "[policy]", "[[policy]]", `my.toml:3: "policy" must be a table: [policy]`},
		{"a baseline where there is none", `"grpo"`, "\"base\"\npolicy = \"baseline\"", `my.toml:9: no method of the spec fits its environments: this environment has no baseline policy`},
	} {
		_, err := Parse("my.toml", []byte(strings.Replace(text, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant %s...", c.reason, err, c.want)
		}
	}
}

// TestRowsOfOtherPoliciesErrors: what the policy of a row cannot do is said of the row
// where nothing in the spec sets it, else where that is set.
func TestRowsOfOtherPoliciesErrors(t *testing.T) {
	const text = "[env]\nname = \"bandit\"\n[[method]]\nname = \"base\"\npolicy = \"transformer\"\n"
	const listed = `, but the answers of a transformer are sampled and cannot be listed; want 0 in [eval]`
	for _, c := range []struct{ reason, more, want string }{
		{"no [eval]", "", `my.toml:5: field "enumerate": got 4096` + listed},
		{"an [eval] without it", "[eval]\nk = [1]\n", `my.toml:5: field "enumerate": got 4096` + listed},
		{"an [eval] that sets it", "[eval]\nenumerate = 7\n", `my.toml:7: field "enumerate": got 7` + listed},
		{"an optimiser that is set", "[eval]\nenumerate = 0\n[train]\noptimizer = \"natural\"\n", `my.toml:9: field "optimizer": got natural, which is exact for tables alone; want adam or sgd of a transformer`},
	} {
		if _, err := Parse("my.toml", []byte(text+c.more)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
	if _, err := Parse("my.toml", []byte(text+"[eval]\nenumerate = 0\n")); err != nil {
		t.Errorf("without listing: %v", err)
	}
}

// TestRowsOfOtherPolicies: a method that does not train may have a policy of its own,
// which knows nothing of the spec's [policy], and a row of what an environment does not
// give is left out there.
func TestRowsOfOtherPolicies(t *testing.T) {
	spec, err := Parse("my.toml", []byte(`
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
		p, at := v.build()
		if at != nil {
			t.Fatal(at.err)
		}
		if p.eval.Split != "test" || p.eval.Enumerate != 0 {
			t.Errorf("%s is evaluated on %s, listing %d; want as the others", v.Label, p.eval.Split, p.eval.Enumerate)
		}
		if v.Name != "blind" {
			continue
		}
		tr, err := newTrainer(p, policyOf(t, p), 0)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := tr.policy.Sample(tr.questions[0].tasks, 50, policies.SampleOptions{Temperature: 1, TopP: 1})
		if err != nil {
			t.Fatal(err)
		}
		moves := map[envs.Token]int{}
		for _, r := range groups[0].Rollouts {
			for _, token := range r.Tokens {
				moves[token]++
			}
		}
		if len(moves) != 2 {
			t.Errorf("from one corner to the other the blind policy moves %v, want in two directions", moves)
		}
	}
}
