package train

import (
	"runtime"
	"testing"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/policies"
	"modebench/policies/tabular"
)

// TestNeedOfTables: tables take at least the stated memory, and the statement is not far below the
// need.
func TestNeedOfTables(t *testing.T) {
	for _, env := range []string{"maze", "countdown", "polynomial"} {
		s := exptest.Load(t, "s.toml", "seeds = 1\n[env]\nname = \""+env+"\"\n[train]\nproblems = 40\nbatch = 4\n[[method]]\nname = \"grpo\"\n")
		need := (&Bases{}).Need(t.Context(), s.Variants[0])
		p, err := s.Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		all, err := prompts(t.Context(), p, envs.Train, 40)
		if err != nil {
			t.Fatal(err)
		}
		before := heap()
		policy := tabular.New(*tabular.Default(), p.Train.Optimizer)
		opt := policies.SampleOptions{Temperature: 1, TopP: 1, Context: t.Context()}
		for _, q := range all {
			if _, _, err := policy.Enumerate(q.tasks[0], opt, p.Eval.Enumerate); err != nil {
				t.Fatal(err)
			}
			if _, err := policy.Sample(q.tasks, p.Eval.Samples, opt); err != nil {
				t.Fatal(err)
			}
		}
		took := heap() - before
		if need.Bytes > took*5/4 || need.Bytes < took/4 {
			t.Errorf("%s: %v %d bytes, and there are %d", env, need, need.Bytes, took)
		}
		runtime.KeepAlive(policy)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // the second collection frees pools of earlier tests
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestNeedsGrow: every setting that makes a run larger makes its need larger.
func TestNeedsGrow(t *testing.T) {
	const head = "seeds = 1\n[env]\nname = \"bandit\"\n"
	need := func(text string) uint64 {
		s := exptest.Load(t, "s.toml", head+text+"[[method]]\nname = \"grpo\"\n")
		return (&Bases{}).Need(t.Context(), s.Variants[0]).Bytes
	}
	const tables, network = "[train]\nproblems = 100\nbatch = 10\n", "[policy]\nname = \"transformer\"\n"
	for _, c := range []struct{ reason, less, more string }{
		{"problems", tables, "[train]\nproblems = 10000\nbatch = 10\n"},
		{"groups", tables, tables + "group = 65536\n"},
		{"arms", tables, "arms_per_mode = 1024\n" + tables},
		{"the network", network, network + "width = 2048\nheads = 32\n"},
		{"lessons", network, network + "pretrain_batch = 4096\n"},
		{"problems of an update", network, network + "[train]\nbatch = 4096\n"},
		{"policies that draw rollouts", network, network + "[train]\nlag = 64\n"},
		{"rollouts of an update", network, network + "[train]\ngroup = 4096\n"},
	} {
		if less, more := need(c.less), need(c.more); more < 2*less {
			t.Errorf("with more %s it is %d bytes, and without %d", c.reason, more, less)
		}
	}
}
