package tabular_test

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/internal/exact"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

// goldenLoss uses every input there is, in operations that round alike on
// every CPU.
func goldenLoss(t *loss.Tokens) error {
	n := float64(len(t.Logp))
	for s := range t.Sequences() {
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			ratio := exact.Exp(t.Logp[k] - t.Old[k])
			k3 := exact.Expm1(t.Ref[k] - t.Logp[k])
			t.Loss -= float64(t.Advantage[s]*ratio) / n
			t.DLogp[k] = (-float64(t.Advantage[s]*ratio) - float64(0.01*k3)) / n
			t.DEntropy[k] = -0.02 / n
			t.DKL[k] = 0.03 / n
		}
	}
	return nil
}

func banditProblems(t testing.TB, n int) []envs.Problem {
	env, err := bandit.Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	var out []envs.Problem
	for i := range n {
		problem, err := env.Problem(envs.Train, i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, problem)
	}
	return out
}

// TestGolden pins the bits of 200 steps: they may not depend on GOAMD64 (v3
// fuses products and sums where the source lets it), GOMAXPROCS or the machine.
// If a change moves them on purpose, every result of a tabular policy moves:
// explain it, and pin the output of this test.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		reason   string
		problems []envs.Task
		opt      policies.SampleOptions
		want     string
	}{
		{"the bandit, three problems, as the policy is", asTasks(banditProblems(t, 3)),
			policies.SampleOptions{Temperature: 1, TopP: 1}, "85a4d718373a0fce12f73dceb27878c288a90ab17744b2ba678602c1ef5cd79a"},
		{"answers of several tokens, a tempered nucleus, counted priors", []envs.Task{branching("one", 0), branching("two", 3)},
			policies.SampleOptions{Temperature: 0.8, TopP: 0.95}, "104d0985d8a58b794a1c1d109d6f0ae1309036617fe7e250ca8ec59fabd04cdd"},
		{"chains, goals and plain answers", protocol(t, tabular.ContextAdd),
			policies.SampleOptions{Temperature: 0.8, TopP: 0.95}, "af56bd2ff3923a25733424771f8dcb4a14e0203c8a91abb991d3a49f2dca7d81"},
	} {
		for _, threads := range []int{1, 2} {
			before := runtime.GOMAXPROCS(threads)
			got := golden(t, c.problems, c.opt)
			runtime.GOMAXPROCS(before)
			if got != c.want {
				t.Errorf("%s, %d threads: the checkpoint's SHA-256 is %s, want %s", c.reason, threads, got, c.want)
			}
		}
	}
}

func golden(t *testing.T, problems []envs.Task, opt policies.SampleOptions) string {
	p := tabular.New(*tabular.Default(), policies.DefaultOptimizer())
	ref := p.Freeze()
	for step := range 200 {
		opt.Key = plain(uint64(step)).Key
		groups := sample(t, p, problems, 8, opt)
		_, err := p.Update(policies.Batch{
			Groups: groups, Advantages: advantages(groups, opt.Key), Want: everything, Reference: ref,
			Loss: goldenLoss, Temperature: opt.Temperature,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256(save(t, p)))
}

// TestStepsDoNotAllocate: once every state has been met, sampling and learning
// use the buffers they have.
func TestStepsDoNotAllocate(t *testing.T) {
	for _, c := range []struct {
		reason   string
		problems []envs.Task
		want     policies.Want
		loss     policies.TokenLoss
		topP     float64
	}{
		{"the bandit", asTasks(banditProblems(t, 1)), policies.Want{}, reinforce, 1},
		{"the bandit, four problems", asTasks(banditProblems(t, 4)), policies.Want{}, reinforce, 1},
		{"the bandit with everything there is", asTasks(banditProblems(t, 1)), everything, goldenLoss, 0.9},
		{"answers of several tokens", []envs.Task{branching("one", 0), branching("two", 3)}, policies.Want{}, reinforce, 1},
		{"chains and goals", protocol(t, tabular.ContextAdd), policies.Want{}, reinforce, 1},
		{"chains by what was found, with everything there is", protocol(t, tabular.ContextFound)[:1], everything, goldenLoss, 0.9},
	} {
		p := tabular.New(*tabular.Default(), policies.DefaultOptimizer())
		opt := plain(1)
		opt.TopP = c.topP
		b := policies.Batch{Want: c.want, Reference: p.Freeze(), Loss: c.loss, Temperature: 1}
		b.Advantages = advantages(sample(t, p, c.problems, 8, opt), opt.Key)
		step := uint64(0)
		once := func() {
			opt.Key = opt.Key.Int(step)
			step++
			groups, err := p.Sample(c.problems, 8, opt)
			if err != nil {
				t.Fatal(err)
			}
			b.Groups = groups
			if _, err := p.Update(b); err != nil {
				t.Fatal(err)
			}
		}
		for range 500 { // long enough to meet every state and the longest batch
			once()
		}
		if n := testing.AllocsPerRun(200, once); n != 0 {
			t.Errorf("%s: a step allocates %v times", c.reason, n)
		}
	}
}
