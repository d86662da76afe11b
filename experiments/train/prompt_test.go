package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/internal/rng"
	"modebench/metrics"
	"modebench/policies"
)

// vectorBandit is a bandit whose four rewarded modes are each worth something in
// one component alone.
var vectorBandit = []exptest.Setting{
	exptest.Set("env", "components", int64(4)),
	exptest.Set("train", "group", int64(8)),
}

// TestChainsOfTheBasePolicy: the base policy's answers in a chain are independent
// and alike, so its exact metrics are those of single answers.
func TestChainsOfTheBasePolicy(t *testing.T) {
	measure := func(candidates int64) map[string]float64 {
		set := append([]exptest.Setting{exptest.Set("train", "candidates", candidates), exptest.Set("env", "start", "zipf")}, vectorBandit...)
		tr := trainerOf(t, "base", set...)
		tr.Eval.K, tr.Eval.Samples = []int{1, 2, 3, 4, 7, 12}, 12
		rec, err := evaluatorOf(t, tr).evaluate(0)
		if err != nil {
			t.Fatal(err)
		}
		if !rec.Exact {
			t.Fatalf("chains of %d are sampled", candidates)
		}
		// A chain's own entropy is that of all its answers.
		rec.Metrics["entropy_sequence"] /= float64(candidates)
		return rec.Metrics
	}
	single := measure(1)
	for _, candidates := range []int64{2, 3} {
		if d := cmp.Diff(single, measure(candidates), cmpopts.EquateApprox(1e-12, 1e-12)); d != "" {
			t.Errorf("chains of %d (-single +chain):\n%s", candidates, d)
		}
	}
}

// TestSampledChainsEstimateTheExactOnes: over many pools the estimates from
// chains of a trained policy, whose answers depend on each other, average to the
// exact metrics. Five standard errors, fixed streams.
func TestSampledChainsEstimateTheExactOnes(t *testing.T) {
	tr := trainerOf(t, "vpo", append([]exptest.Setting{exptest.Set("train", "candidates", int64(2))}, vectorBandit...)...)
	for step := range 8 { // half trained: everything still happens now and then
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
	}
	tr.Eval.K, tr.Eval.Samples, tr.Eval.Draws = []int{1, 2, 3}, 10, 8
	e := evaluatorOf(t, tr)
	exact, err := e.evaluate(0)
	if err != nil {
		t.Fatal(err)
	}
	mean, se := averagePools(t, e, 3000)
	checked := 0
	for name, want := range exact.Metrics {
		switch name {
		case "entropy_mode", "modes_alive", "correct_modes_alive", "reward_l1_correct", "rho_bar":
			continue // not unbiased from pools: a logarithm, thresholds, ratios
		}
		if math.Abs(mean[name]-want) > 5*se[name]+1e-12 {
			t.Errorf("%s: pools average to %v +- %v, exact is %v", name, mean[name], se[name], want)
		}
		checked++
	}
	if checked < 20 {
		t.Errorf("only %d metrics were compared", checked)
	}
}

// TestChainsAreJudgedAnswerByAnswer: a batch holds the verdict of every answer of
// every chain, in order.
func TestChainsAreJudgedAnswerByAnswer(t *testing.T) {
	tr := trainerOf(t, "multi-rlvr", exptest.Set("env", "components", int64(2)))
	if err := tr.step(0, nil); err != nil {
		t.Fatal(err)
	}
	for i, r := range tr.update.Groups[0].Rollouts {
		got := tr.batch.Groups[0].Rollouts[i].Candidates
		if len(r.Tokens) != 3 || len(got) != 3 {
			t.Fatalf("rollout %d has %d tokens and %d verdicts, want 3 answers of one arm each", i, len(r.Tokens), len(got))
		}
		for j, token := range r.Tokens {
			if want := tr.prompts[0].problem.Judge([]envs.Token{token}); got[j] != want {
				t.Errorf("rollout %d, answer %d: %+v, want %+v", i, j, got[j], want)
			}
		}
	}
}

// TestGoalConditioning: trained on goals drawn anew for every batch, a policy with
// parameters of their own for each goal gives each vertex the arm that is
// rewarded in its component.
func TestGoalConditioning(t *testing.T) {
	tr := trainerOf(t, "goal-conditioned", append([]exptest.Setting{exptest.Set("policy", "context", "independent")}, vectorBandit...)...)
	for step := range 2000 {
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		asked := tr.tasks[0].(*envs.Goal).Weights()
		if !cmp.Equal(tr.batch.Groups[0].Weights, asked) {
			t.Fatalf("step %d: asked for %v, scored under %v", step, asked, tr.batch.Groups[0].Weights)
		}
	}
	for goal := range 4 {
		answers, _, err := tr.policy.(policies.Enumerator).Enumerate(tr.prompts[0].tasks[goal], policies.SampleOptions{Temperature: 1, TopP: 1}, 100)
		if err != nil {
			t.Fatal(err)
		}
		mass := 0.0
		for _, a := range answers {
			mass += a.P * tr.prompts[0].problem.Judge(a.Tokens).Reward[goal]
		}
		if mass < 0.9 {
			t.Errorf("asked for component %d the policy reaches %.3f of it", goal, mass)
		}
	}
}

// TestGoalsOfAPool: a pool asked for w* asks every rollout for the centroid; one
// asked for w ~ Dir(1) asks as often for each goal as draws fall nearest to it.
func TestGoalsOfAPool(t *testing.T) {
	tr := trainerOf(t, "goal-conditioned", vectorBandit...)
	e := evaluatorOf(t, tr)
	const n = 4000
	q := &e.prompts[0]
	fixed := e.slots(q, n, rng.New(7))
	for goal, slots := range fixed {
		if want := map[bool]int{true: n}[goal == 4]; len(slots) != want {
			t.Errorf("fixed: goal %d is asked for %d times, want %d", goal, len(slots), want)
		}
	}
	e.eval.Goals = "random"
	seen := make([]bool, n)
	w := make([]float64, 4)
	r := rng.New(8).Rand()
	want := make([]float64, 5)
	for range 100_000 {
		rng.Dirichlet(r, 1, w)
		want[envs.NearestGoal(e.setup.Goals, w)] += n / 100_000.0
	}
	for goal, slots := range e.slots(q, n, rng.New(7)) {
		for _, i := range slots {
			if seen[i] {
				t.Fatalf("rollout %d is asked twice", i)
			}
			seen[i] = true
		}
		if d := math.Abs(float64(len(slots)) - want[goal]); d > 5*math.Sqrt(n)/2 {
			t.Errorf("random: goal %d is asked for %d times, want about %.0f", goal, len(slots), want[goal])
		}
	}
}

// TestAskedForWhatItIsScoredUnder: under random goals ew_best@k is, for every
// scalarisation, the best of a pool that was asked for the goal nearest to it.
func TestAskedForWhatItIsScoredUnder(t *testing.T) {
	tr := trainerOf(t, "goal-conditioned", append([]exptest.Setting{
		exptest.Set("policy", "context", "independent"), exptest.Set("eval", "goals", "random"),
	}, vectorBandit...)...)
	for step := range 300 {
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
	}
	tr.Eval.K, tr.Eval.Samples = []int{1, 3}, 12
	e := evaluatorOf(t, tr)
	rec, err := e.evaluate(0)
	if err != nil {
		t.Fatal(err)
	}
	q := &e.prompts[0]
	want, draws := 0.0, metrics.Scalarisations(4, tr.Eval.Draws)
	for _, w := range draws {
		task := q.tasks[envs.NearestGoal(envs.GoalWeights(4), w)]
		groups, err := tr.policy.Sample([]envs.Task{task}, 12, policies.SampleOptions{Temperature: 1, TopP: 1, Key: e.key})
		if err != nil {
			t.Fatal(err)
		}
		var scores []float64
		for _, r := range groups[0].Rollouts {
			scores = append(scores, q.problem.Judge(r.Tokens).Scalar(w))
		}
		slices.Sort(scores)
		for i, score := range scores {
			best := float64(i*(i-1)/2) / 220 // of the C(12, 3) triples C(i, 2) have this as their best
			want += score * best / float64(len(draws))
		}
	}
	if got := rec.Metrics["ew_best@3"]; math.Abs(got-want) > 1e-12 {
		t.Errorf("ew_best@3 is %v, want %v", got, want)
	}
	if fixed := rec.Metrics["best@3"]; fixed >= want {
		t.Errorf("best@3 under w* is %v, not below the %v of being asked for what counts", fixed, want)
	}
}

// TestOptimumBounds: the optimum is the best method by the metrics that it bounds.
func TestOptimumBounds(t *testing.T) {
	spec := exptest.Load(t, "my.toml", `seeds = 1
[env]
name = "maze"
[train]
steps = 15
problems = 6
batch = 6
[eval]
every = 15
k = [1, 3, 6]
samples = 12
[[method]]
name = "optimum"
[[method]]
name = "base"
[[method]]
name = "grpo"
[[method]]
name = "vpo"
[[method]]
name = "goal-conditioned"
eval = { goals = ["fixed", "random"] }
`)
	run := trained(t, spec, t.TempDir())
	final := func(i int) map[string]float64 {
		evals, err := run.Evals(run.Variants[i].Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		return evals[len(evals)-1].Metrics
	}
	optimum := final(0)
	for _, name := range []string{"best@6", "ew_best@3", "pass@1", "coverage@3", "front_coverage@6", "hypervolume", "accuracy", "reward"} {
		if _, ok := optimum[name]; !ok {
			t.Errorf("the optimum has no %s", name)
		}
	}
	for i := 1; i < len(run.Variants); i++ {
		for name, x := range final(i) {
			bound, ok := optimum[name]
			if !ok {
				continue
			}
			if strings.HasPrefix(name, "regret") {
				x, bound = -x, -bound
			}
			if x > bound+1e-12 {
				t.Errorf("%s: %s is %v, above the optimum, %v", run.Variants[i].Label, name, x, bound)
			}
		}
	}
}

// TestEndlessAnswersAreSampled: rollouts that are too many to enumerate are sampled, and the
// records state it.
func TestEndlessAnswersAreSampled(t *testing.T) {
	tr := trainerOf(t, "base", exptest.Set("env", "modes", int64(20)), exptest.Set("train", "candidates", int64(3)))
	tr.Eval.Enumerate, tr.Eval.Samples = 7999, 64
	e := evaluatorOf(t, tr)
	for i := range 2 {
		if rec, err := e.evaluate(i); err != nil || rec.Exact {
			t.Errorf("20^3 = 8000 chains, 7999 enumerated: exact is %v (%v)", rec.Exact, err)
		}
	}
	tr.Eval.Enumerate = 8000
	if rec, err := evaluatorOf(t, tr).evaluate(0); err != nil || !rec.Exact {
		t.Errorf("20^3 = 8000 chains, 8000 enumerated: exact is %v (%v)", rec.Exact, err)
	}
	if got := fmt.Sprint(e.endless); got != "[true]" {
		t.Errorf("what is too many is not remembered: %s", got)
	}
}
