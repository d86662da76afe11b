package experiments_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
)

// transformers is a spec of one method of every family that fits the environment, of
// every protocol and of every kind of row, under a tiny transformer, whose updates share prefixes or not.
func transformers(t testing.TB, env string, shared bool) *spec.Spec {
	t.Helper()
	text := fmt.Sprintf(`seeds = 1
[env]
name = %q
%s
prefix_tree = %v
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
`, env, exptest.TinyPolicy, shared)
	loaded := exptest.Load(t, "transformers-"+env+".toml", text)
	fits := func(m estimators.Method) bool {
		return slices.ContainsFunc(loaded.Variants, func(v *spec.Variant) bool { return v.Method == m.Name })
	}
	chosen := []string{"base", "optimum", "goal-conditioned", "remax", "dapo", "kl-cov"}
	for _, f := range estimators.Families() {
		i := slices.IndexFunc(f.Methods, func(m estimators.Method) bool { return m.Trains && fits(m) })
		// The hashes of these records are older than these families, whose methods have
		// nothing of their own here: the same sampling, and a loss that others have.
		if i >= 0 && !slices.Contains([]string{"psr", "outcome-ucb", "curverl"}, f.Methods[i].Name) {
			chosen = append(chosen, f.Methods[i].Name)
		}
	}
	loaded.Variants = slices.DeleteFunc(loaded.Variants, func(v *spec.Variant) bool { return !slices.Contains(chosen, v.Method) })
	if len(loaded.Variants) < 10 {
		t.Fatalf("%s: only %d variants", env, len(loaded.Variants))
	}
	return loaded
}

// TestTransformerRecords runs a transformer on every environment under every family of methods.
// The records have their golden hash, and neither the number of jobs, nor that of threads, nor the
// source of the base policy changes a byte.
func TestTransformerRecords(t *testing.T) {
	names := envs.Names()
	if testing.Short() {
		names = []string{"multiplication"}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, env := range names {
		spec, cache := transformers(t, env, false), t.TempDir()
		var all []map[string]string
		for _, way := range []struct {
			jobs, threads int
			cache         string
		}{{1, 1, cache}, {2, 2, t.TempDir()}, {2, 2, cache}} {
			if len(all) == 2 && env != "bandit" && env != "multiplication" {
				continue // from the cache only for a quick environment and one whose chains stop
			}
			runtime.GOMAXPROCS(way.threads)
			var mu sync.Mutex
			begun := map[string]int{}
			out := t.TempDir()
			run, err := sweep.Run(context.Background(), spec, sweep.Options{Out: out, Jobs: way.jobs, Cache: way.cache, Pretraining: func(p train.Pretraining) {
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
			if len(all) == 0 {
				if got, want := hashOf(t, run, run.Variants), goldenTransformer(t, env); got != want {
					t.Errorf("records of a transformer on %s hash to %s, want %s", env, got, want)
				}
			}
			all = append(all, exptest.Tree(t, out))
		}
		for i, other := range all[1:] {
			if d := cmp.Diff(all[0], other); d != "" {
				t.Errorf("%s: run %d differs:\n%.1000s", env, i+1, d)
			}
		}
	}
}

// TestSharedPrefixRecords: so do those of updates that share prefixes.
func TestSharedPrefixRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("TestTransformerRecords runs the same paths")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for env, want := range map[string]string{
		"coins":          "c270b97bbe5af0ff96c26e7fe2ac523afc12db93b201c22f7e2698d985a405d2",
		"multiplication": "083b1c1ed0dd448b1453c1d513115f11e7bfff2a74d6293ed38128c6d29fe2ef",
	} {
		spec, cache := transformers(t, env, true), t.TempDir()
		var all []map[string]string
		for threads := 1; threads <= 2; threads++ {
			runtime.GOMAXPROCS(threads)
			out := t.TempDir()
			run, err := sweep.Run(context.Background(), spec, sweep.Options{Out: out, Jobs: threads, Cache: cache})
			if err != nil {
				t.Fatal(err)
			}
			if got := hashOf(t, run, run.Variants); got != want {
				t.Errorf("records of a transformer on %s hash to %s, want %s", env, got, want)
			}
			all = append(all, exptest.Tree(t, out))
		}
		if d := cmp.Diff(all[0], all[1]); d != "" {
			t.Errorf("%s: with two threads and jobs:\n%.1000s", env, d)
		}
	}
}
