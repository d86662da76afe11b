package train

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/internal/rng"
	"modebench/policies"
)

// TestRolloutsThatOnlyVote: they are drawn and judged with the others, the first
// ones are trained on, and the policy learns from those alone.
func TestRolloutsThatOnlyVote(t *testing.T) {
	tr := trainerOf(t, "grpo", exptest.Set("method", "votes", int64(20)))
	plain := trainerOf(t, "grpo")
	for step := range 3 {
		for _, tr := range []*trainer{tr, plain} {
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
		}
		rollouts := tr.batch.Groups[0].Rollouts
		if len(rollouts) != 20 || len(tr.update.Groups[0].Rollouts) != 8 {
			t.Fatalf("%d rollouts, %d of them trained on; want 20 and 8", len(rollouts), len(tr.update.Groups[0].Rollouts))
		}
		for i, r := range rollouts {
			if r.Train != (i < 8) || r.Candidates[0] == nil {
				t.Errorf("rollout %d: train is %v, verdict %v", i, r.Train, r.Candidates[0])
			}
			if a := tr.advantages[0][i]; i >= 8 && a != 0 {
				t.Errorf("rollout %d only votes and has the advantage %v", i, a)
			}
		}
		// GRPO asks no votes: the trained ones are the same draws and get the same.
		if !slices.Equal(tr.advantages[0][:8], plain.advantages[0]) {
			t.Errorf("step %d: advantages %v with voters, %v without", step, tr.advantages[0][:8], plain.advantages[0])
		}
	}
	if a, b := probabilities(t, tr), probabilities(t, plain); !slices.Equal(a, b) {
		t.Errorf("voters moved the policy: %v and %v", a, b)
	}
}

// probabilities is the policy's distribution over a bandit's arms.
func probabilities(t *testing.T, tr *trainer) []float64 {
	t.Helper()
	answers, ok, err := tr.policy.(policies.Enumerator).Enumerate(tr.prompts[0].tasks[0], policies.SampleOptions{Temperature: 1, TopP: 1}, 100)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	var out []float64
	for _, a := range answers {
		out = append(out, a.P)
	}
	return out
}

// TestGreedyBaseline: the group carries the reward of the arm that the policy gives
// most to, before the step's update.
func TestGreedyBaseline(t *testing.T) {
	tr := trainerOf(t, "remax")
	prefer(t, tr, 11)
	seen := map[float64]bool{}
	for step := range 400 {
		p := probabilities(t, tr)
		best := slices.Index(p, slices.Max(p))
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		want := tr.prompts[0].problem.Judge([]envs.Token{envs.Token(best)}).Reward[0]
		if got := tr.batch.Groups[0].Greedy; got != want {
			t.Fatalf("step %d: greedy reward %v, the likeliest arm %d has %v", step, got, best, want)
		}
		seen[want] = true
	}
	if len(seen) != 2 {
		t.Errorf("greedy rewards %v, want the likeliest arm to be wrong at first and right later", seen)
	}
}

// TestGreedyBaselineIsNoisy: the verifier that errs about every answer errs about
// the greedy one.
func TestGreedyBaselineIsNoisy(t *testing.T) {
	greedy := func(noise float64) float64 {
		tr := trainerOf(t, "remax", exptest.Set("train", "reward_noise", noise))
		if err := tr.step(0, nil); err != nil {
			t.Fatal(err)
		}
		return tr.batch.Groups[0].Greedy
	}
	if a, b := greedy(0), greedy(1); a+b != 1 {
		t.Errorf("greedy reward %v, and %v by a verifier that always errs", a, b)
	}
}

// TestChainsThatStop: a rollout is judged as the answers it gave and the final one
// it named, and the longest is its answers with a control token after each.
func TestChainsThatStop(t *testing.T) {
	tr := trainerOf(t, "sd-e2")
	if got := tr.Method.Loss.MaxTokens; got != 3*1+3 {
		t.Errorf("at most %d tokens, want three arms and three control tokens", got)
	}
	if got := trainerOf(t, "vpo").Method.Loss.MaxTokens; got != 3*1 {
		t.Errorf("at most %d tokens where chains do not stop, want three arms", got)
	}
	lengths := map[int]bool{}
	for step := range 5 {
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		for i, r := range tr.batch.Groups[0].Rollouts {
			tokens := tr.update.Groups[0].Rollouts[i].Tokens
			given := len(tokens) / 2                 // an arm and a control token each
			named := int(tokens[len(tokens)-1]) - 13 // twelve arms, go on, stop, and then stop and name
			if named == 0 {
				named = given
			}
			lengths[given] = true
			if len(r.Candidates) != given || r.Final != r.Candidates[named-1].Answer || r.Final == "" {
				t.Errorf("rollout %v: %d answers, final %q; want %d, and that of answer %d", tokens, len(r.Candidates), r.Final, given, named)
			}
		}
	}
	if len(lengths) != 3 {
		t.Errorf("lengths %v, want 1 to 3", lengths)
	}
}

// prefer makes an arm the policy's likeliest.
func prefer(t *testing.T, tr *trainer, arm envs.Token) {
	t.Helper()
	for i := range 20 {
		groups, err := tr.policy.Sample(tr.prompts[0].tasks, 32, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(4).Int(uint64(i))})
		if err != nil {
			t.Fatal(err)
		}
		b := tr.update
		b.Groups, b.Advantages = groups, [][]float64{make([]float64, 32)}
		for i, r := range groups[0].Rollouts {
			if r.Tokens[0] == arm {
				b.Advantages[0][i] = 1
			}
		}
		if _, err := tr.policy.Update(b); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDynamicSampling: groups whose rewards are all equal are dropped, the next
// problems drawn in their place, in the order in which steps would have come to
// them, and no more groups pass than a batch has.
func TestDynamicSampling(t *testing.T) {
	grid := []exptest.Setting{
		exptest.Set("train", "problems", int64(6)), exptest.Set("train", "batch", int64(3)), exptest.Set("train", "group", int64(4)),
	}
	tr := trainerOf(t, "grpo", append(grid, exptest.Set("method", "generations", int64(3)))...)
	plain := trainerOf(t, "grpo", grid...)
	drawn, dropped := 0, 0
	for step := range 40 {
		before := tr.generation
		var want []string
		for g := before; g < before+3 && len(want) < 3; g++ {
			plain.choose(g)
			groups, err := tr.policy.Sample(plain.tasks, 4, policies.SampleOptions{Temperature: 1, TopP: 1, Key: tr.rollouts.Int(uint64(g))})
			if err != nil {
				t.Fatal(err)
			}
			drawn++
			for i := range groups {
				if differ(plain.prompts[plain.chosen[i]].problem, groups[i]) && len(want) < 3 {
					want = append(want, plain.prompts[plain.chosen[i]].problem.ID())
				} else {
					dropped++
				}
			}
		}
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		var got []string
		for g, group := range tr.batch.Groups {
			got = append(got, group.Problem)
			if tr.update.Groups[g].Task.ID() != group.Problem {
				t.Errorf("step %d: group %d is judged as %s and learned as %s", step, g, group.Problem, tr.update.Groups[g].Task.ID())
			}
			for i, r := range tr.update.Groups[g].Rollouts {
				if v := envs.ProblemOf(tr.update.Groups[g].Task).Judge(r.Tokens); v.Reward[0] != group.Rollouts[i].Candidates[0].Reward[0] {
					t.Errorf("step %d, group %d: rollout %d is not the one that was judged", step, g, i)
				}
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("step %d: groups that pass: -want +got\n%s", step, d)
		}
	}
	if dropped == 0 || drawn <= 40 {
		t.Errorf("%d batches for 40 steps, %d groups dropped: nothing was tested", drawn, dropped)
	}
}

func differ(p envs.Problem, g policies.Group) bool {
	first := p.Judge(g.Rollouts[0].Tokens).Reward[0]
	return slices.ContainsFunc(g.Rollouts, func(r policies.Rollout) bool { return p.Judge(r.Tokens).Reward[0] != first })
}

// TestDynamicSamplingOfNothing: where every group is dropped the step teaches
// nothing, and the record still describes what the policy answers.
func TestDynamicSamplingOfNothing(t *testing.T) {
	tr := trainerOf(t, "grpo", exptest.Set("env", "rewarded", int64(12)), exptest.Set("method", "generations", int64(4)))
	var rec record.Train
	if err := tr.step(0, &rec); err != nil {
		t.Fatal(err)
	}
	if len(tr.batch.Groups) != 0 || tr.generation != 4 {
		t.Errorf("%d groups after %d batches, want none after 4", len(tr.batch.Groups), tr.generation)
	}
	if rec.Correct != 1 || rec.Reward != 1 || rec.GradNorm != 0 || math.Abs(rec.Entropy-math.Log(12)) > 1e-12 {
		t.Errorf("record %+v: want all correct, entropy log 12, no gradient", rec)
	}
	for _, p := range probabilities(t, tr) {
		if math.Abs(p-1./12) > 1e-15 {
			t.Errorf("an arm has the probability %v after no update", p)
		}
	}
}

// TestDynamicSamplingOfComponents: every arm is right in one of four components, so that all
// scalar rewards are equal. A method of components learns from such groups, and they pass.
func TestDynamicSamplingOfComponents(t *testing.T) {
	set := []exptest.Setting{
		exptest.Set("env", "rewarded", int64(12)), exptest.Set("env", "components", int64(4)), exptest.Set("env", "collinearity", 0.0),
		exptest.Set("train", "group", int64(6)), exptest.Set("method", "generations", int64(4)),
	}
	for method, learns := range map[string]bool{"gdpo": true, "gdpo@verl": true, "vpo": true, "random-w": true, "grpo": false} {
		tr := trainerOf(t, method, set...)
		var rec record.Train
		if err := tr.step(0, &rec); err != nil {
			t.Fatal(err)
		}
		if kept := len(tr.batch.Groups) == 1; kept != learns || rec.GradNorm > 0 != learns {
			t.Errorf("%s: %d groups pass, and the gradient's norm is %v", method, len(tr.batch.Groups), rec.GradNorm)
		}
	}
	// With a rollout of each component in turn nothing is left of the sum, and the group is dropped.
	tr := trainerOf(t, "gdpo", set...)
	if err := tr.step(0, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		reward := make([]float64, 4)
		reward[i] = 1
		tr.batch.Groups[0].Rollouts[i].Candidates = []*envs.Verdict{{Reward: reward}}
	}
	tr.batch.Groups[0].Rollouts = tr.batch.Groups[0].Rollouts[:4]
	if taught, err := Teaches(tr.Method, &tr.batch, 0, 4); taught || err != nil {
		t.Errorf("a group whose components cancel passes: %v, %v", taught, err)
	}
}

// TestDynamicSamplingAndVotes: rollouts that only vote do not decide whether a group passes the
// filter.
func TestDynamicSamplingAndVotes(t *testing.T) {
	tr := trainerOf(t, "grpo", exptest.Set("train", "group", int64(2)), exptest.Set("method", "votes", int64(20)), exptest.Set("method", "generations", int64(30)))
	for step := range 10 {
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		if len(tr.batch.Groups) != 1 {
			t.Fatalf("step %d: no group passes", step)
		}
		if r := tr.batch.Groups[0].Rollouts; len(r) != 20 || r[0].Candidates[0].Reward[0] == r[1].Candidates[0].Reward[0] {
			t.Errorf("step %d: of %d rollouts the two that are trained on have equal rewards", step, len(r))
		}
	}
}

// TestDynamicSamplingIsNotRecorded: the record describes the first batch, also
// where its groups are dropped.
func TestDynamicSamplingIsNotRecorded(t *testing.T) {
	tr := trainerOf(t, "grpo", exptest.Set("train", "group", int64(2)), exptest.Set("method", "generations", int64(30)))
	dropped := 0
	for step := range 10 {
		before := tr.generation
		var rec record.Train
		if err := tr.step(step, &rec); err != nil {
			t.Fatal(err)
		}
		first := tr.generation == before+1 // and it passes
		if !first {
			dropped++
		}
		if first != (rec.Reward == 0.5) {
			t.Errorf("step %d: the mean reward of two is %v, after %d batches", step, rec.Reward, tr.generation-before)
		}
	}
	if dropped == 0 {
		t.Error("every first batch passed: nothing was tested")
	}
}

// TestDynamicSamplingPassesSingletons, as DAPO's filter does: whether one reward
// differs there is no telling.
func TestDynamicSamplingPassesSingletons(t *testing.T) {
	tr := trainerOf(t, "reinforce", exptest.Set("train", "group", int64(1)), exptest.Set("method", "generations", int64(2)))
	for step := range 5 {
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		if len(tr.batch.Groups) != 1 || tr.generation != step+1 {
			t.Errorf("step %d: %d groups after %d batches", step, len(tr.batch.Groups), tr.generation)
		}
	}
}

// TestDivergenceInTheReward: the penalty of a rollout is kl_coef times the estimate
// of its divergence from the base policy, here uniform over twelve arms, and its
// advantage that of the reward less the penalty.
func TestDivergenceInTheReward(t *testing.T) {
	tr := trainerOf(t, "grpo@prime", exptest.Set("method", "kl_in_reward", true), exptest.Set("method", "kl_coef", 0.3), exptest.Set("method", "kl", "k1"))
	moved := false
	for step := range 30 {
		before := probabilities(t, tr)
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		mean, scores := 0.0, make([]float64, 8)
		for i, r := range tr.update.Groups[0].Rollouts {
			penalty := 0.3 * (math.Log(before[r.Tokens[0]]) + math.Log(12))
			got := tr.batch.Groups[0].Rollouts[i].Penalty
			if math.Abs(got-penalty) > 1e-12 {
				t.Fatalf("step %d, rollout %d: penalty %v, want %v", step, i, got, penalty)
			}
			moved = moved || math.Abs(penalty) > 0.1
			scores[i] = tr.batch.Groups[0].Rollouts[i].Candidates[0].Reward[0] - penalty
			mean += scores[i] / 8
		}
		for i, a := range tr.advantages[0] {
			if math.Abs(a-(scores[i]-mean)) > 1e-12 {
				t.Fatalf("step %d: advantages %v for scores %v", step, tr.advantages[0], scores)
			}
		}
	}
	if !moved {
		t.Error("no penalty above 0.1: nothing was tested")
	}
}

// TestWhatRolloutsTell: facts are known where the protocol gives them.
func TestWhatRolloutsTell(t *testing.T) {
	if tr := trainerOf(t, "grpo"); tr.batch.RolloutFields != estimators.AllRolloutFields&^estimators.RolloutFinal {
		t.Errorf("single answers: %v", tr.batch.RolloutFields.Names())
	}
	if tr := trainerOf(t, "vpo", exptest.Set("train", "stops", true)); tr.batch.RolloutFields != estimators.AllRolloutFields {
		t.Errorf("chains that stop: %v", tr.batch.RolloutFields.Names())
	}
}
