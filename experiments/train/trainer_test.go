package train

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/loss"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/internal/params"
	"modebench/internal/rng"
	"modebench/policies"
)

func trainerOf(t *testing.T, method string, set ...exptest.Setting) *trainer {
	t.Helper()
	p, err := exptest.Variant(t, "bandit", method, set...).Setup()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTrainer(t.Context(), p, policyOf(t, p), 3)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestPasses: a batch holds no problem twice, a pass takes no problem twice, all
// problems get their turn, and passes differ in order. Five problems do not
// divide into batches of three: each pass leaves two of them out, others each
// time.
func TestPasses(t *testing.T) {
	for _, c := range []struct{ problems, batch int }{{6, 3}, {5, 3}, {4, 4}, {3, 2}, {7, 1}} {
		tr := trainerOf(t, "grpo", exptest.Set("train", "problems", int64(c.problems)), exptest.Set("train", "batch", int64(c.batch)))
		perPass := c.problems / c.batch
		turns, orders := map[string]int{}, map[string]bool{}
		const passes = 60
		for pass := range passes {
			seen, order := map[string]bool{}, ""
			for step := range perPass {
				tr.choose(pass*perPass + step)
				if len(tr.chosen) != c.batch {
					t.Fatalf("%+v: a batch of %d problems", c, len(tr.chosen))
				}
				for _, p := range tr.tasks {
					if seen[p.ID()] {
						t.Errorf("%+v: pass %d takes %s twice", c, pass, p.ID())
					}
					seen[p.ID()] = true
					turns[p.ID()]++
					order += p.ID() + " "
				}
			}
			orders[order] = true
		}
		if len(turns) != c.problems || len(orders) < 2 {
			t.Errorf("%+v: %d problems got their turn, in %d orders", c, len(turns), len(orders))
		}
		if c.problems%c.batch == 0 {
			for id, n := range turns {
				if n != passes {
					t.Errorf("%+v: %s was taken %d times in %d passes", c, id, n, passes)
				}
			}
		}
	}
}

// TestCommonUniforms: methods at one seed draw with the same uniforms, so that their first batches,
// from the same base policy, are the same answers, which pairs their results.
func TestCommonUniforms(t *testing.T) {
	first := func(method string) []envs.Token {
		tr := trainerOf(t, method)
		if err := tr.step(0, nil); err != nil {
			t.Fatal(err)
		}
		var tokens []envs.Token
		for _, r := range tr.update.Groups[0].Rollouts {
			tokens = append(tokens, r.Tokens...)
		}
		return tokens
	}
	want := first("grpo")
	for _, method := range []string{"rloo", "poly-epo", "setpo+grpo"} {
		if got := first(method); !slices.Equal(got, want) {
			t.Errorf("%s sampled %v in its first step, grpo %v", method, got, want)
		}
	}
}

// TestNoiseIsForTheEstimator: a verifier that always errs turns GRPO's advantages
// round, a judge that always errs moves those of Poly-EPO, and the record shows
// the truth either way.
func TestNoiseIsForTheEstimator(t *testing.T) {
	first := func(method, field string, noise float64) (*trainer, record.Train) {
		tr := trainerOf(t, method, exptest.Set("train", field, noise))
		var rec record.Train
		if err := tr.step(0, &rec); err != nil {
			t.Fatal(err)
		}
		return tr, rec
	}
	same := func(a, b record.Train) bool {
		return a.Reward == b.Reward && a.Correct == b.Correct && a.Clusters == b.Clusters && a.Solved == b.Solved && a.Entropy == b.Entropy
	}
	clean, truth := first("grpo", "reward_noise", 0)
	noisy, recorded := first("grpo", "reward_noise", 1)
	if !same(truth, recorded) || truth.Correct == 0 || truth.Correct == 1 {
		t.Errorf("the record of a verifier that errs: %+v, want the true %+v, some right and some wrong", recorded, truth)
	}
	for i, a := range clean.advantages[0] {
		if math.Abs(a+noisy.advantages[0][i]) > 1e-12 {
			t.Errorf("advantages %v became %v, want the opposite", clean.advantages[0], noisy.advantages[0])
			break
		}
	}
	clean, truth = first("poly-epo", "judge_noise", 0)
	noisy, recorded = first("poly-epo", "judge_noise", 1)
	if !same(truth, recorded) || slices.Equal(clean.advantages[0], noisy.advantages[0]) {
		t.Errorf("a judge that errs: advantages %v and %v, record %+v, true %+v", clean.advantages[0], noisy.advantages[0], recorded, truth)
	}
}

// TestNoiseIsNewEveryStep: the verifier errs about other answers in other steps and
// for other problems, and errs about every answer of a chain by itself.
func TestNoiseIsNewEveryStep(t *testing.T) {
	p, err := exptest.Variant(t, "maze", "multi-rlvr", exptest.Set("train", "reward_noise", 0.5), exptest.Set("train", "problems", int64(2)), exptest.Set("train", "batch", int64(2))).Setup()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTrainer(t.Context(), p, policyOf(t, p), 3)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for step := range 4 {
		tr.choose(step)
		if tr.groups, err = tr.policy.Sample(tr.tasks, tr.Train.Group, policies.SampleOptions{Temperature: 1, TopP: 1, Key: tr.rollouts.Int(uint64(step))}); err != nil {
			t.Fatal(err)
		}
		tr.judge(nil, nil)
		truth := []string{correctness(tr, 0), correctness(tr, 1)}
		tr.addNoise(step)
		for g := range truth {
			errs, read := "", correctness(tr, g)
			for i := range read {
				errs += fmt.Sprint(read[i] != truth[g][i], " ")
			}
			where := fmt.Sprintf("step %d, problem %s", step, tr.batch.Groups[g].Problem)
			if other, met := seen[errs]; met {
				t.Errorf("%s: the verifier errs about the same answers as in %s: %s", where, other, errs)
			}
			seen[errs] = where
		}
	}
	for errs := range seen {
		words, alike := strings.Fields(errs), 0
		for i := 0; i < len(words); i += 3 {
			if words[i] == words[i+1] && words[i] == words[i+2] {
				alike++
			}
		}
		if alike == len(words)/3 {
			t.Errorf("the verifier errs about whole chains: %s", errs)
		}
	}
}

// correctness writes for each answer to a problem whether it is said to be correct.
func correctness(tr *trainer, g int) string {
	var b strings.Builder
	for _, r := range tr.batch.Groups[g].Rollouts {
		for _, v := range r.Candidates {
			b.WriteByte("01"[map[bool]int{true: 1}[v.Correct]])
		}
	}
	return b.String()
}

// TestUnsetLateFieldsKeepCellNames: fields of later versions that a cell does not set do not change
// its name.
func TestUnsetLateFieldsKeepCellNames(t *testing.T) {
	for noise, listed := range map[float64]bool{0: false, 0.1: true} {
		p, err := exptest.Variant(t, "bandit", "grpo", exptest.Set("train", "judge_noise", noise)).Setup()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := p.Cell(0).Train["judge_noise"]; ok != listed {
			t.Errorf("judge_noise = %v: listed %v in the cell, want %v", noise, ok, listed)
		}
	}
}

// TestLateFieldsAreLeftOut: a late field is left out of a cell at its default, the value in a spec
// that does not mention it.
func TestLateFieldsAreLeftOut(t *testing.T) {
	p, err := exptest.Variant(t, "bandit", "grpo").Setup()
	if err != nil {
		t.Fatal(err)
	}
	train, eval := p.Train, p.Eval
	late := 0
	for _, defaults := range []any{&train, &eval, &estimators.Protocol{}, &loss.Function{}} {
		values := params.Values(defaults)
		v := reflect.TypeOf(defaults).Elem()
		for i := range v.NumField() {
			f := v.Field(i)
			if _, ok := f.Tag.Lookup("late"); !ok {
				continue
			}
			late++
			if value, listed := values[f.Tag.Get("param")]; listed {
				t.Errorf("%s is late, and listed with its default %v", f.Name, value)
			}
		}
	}
	if late < 10 {
		t.Errorf("only %d late fields were found", late)
	}
}

func evaluatorOf(t *testing.T, tr *trainer) *evaluator {
	t.Helper()
	e, err := newEvaluator(t.Context(), &tr.Setup, tr.policy, 1)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// averagePools evaluates many pools of sampled answers and returns the mean of
// every metric with its standard error.
func averagePools(t *testing.T, e *evaluator, pools int) (mean, se map[string]float64) {
	t.Helper()
	e.eval.Enumerate = 0
	mean, se = map[string]float64{}, map[string]float64{}
	n := float64(pools)
	for i := range pools {
		e.key = rng.New(uint64(i))
		rec, err := e.evaluate(0)
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range rec.Metrics {
			mean[name] += x / n
			se[name] += x * x / n
		}
	}
	for name, m := range mean {
		se[name] = math.Sqrt(max(se[name]-m*m, 0) / n)
	}
	return mean, se
}

// TestSampledEvaluationEstimatesTheExactOne: over many pools the estimates
// average to the exact metrics. Five standard errors, fixed streams.
func TestSampledEvaluationEstimatesTheExactOne(t *testing.T) {
	tr := trainerOf(t, "grpo", exptest.Set("env", "start", "zipf"))
	tr.Eval.K, tr.Eval.Samples, tr.Eval.Temperature, tr.Eval.TopP = []int{1, 2, 4}, 16, 0.8, 0.9
	e := evaluatorOf(t, tr)
	exact, err := e.evaluate(0)
	if err != nil {
		t.Fatal(err)
	}
	mean, se := averagePools(t, e, 4000)
	// The mode entropy of a pool and mode counts above a share are not unbiased.
	for _, name := range []string{"pass@1", "pass@2", "pass@4", "best@2", "best@4", "coverage@1", "coverage@4", "accuracy", "reward", "distinct_correct", "distinct_incorrect", "entropy_token", "entropy_sequence"} {
		if diff := math.Abs(mean[name] - exact.Metrics[name]); diff > 5*se[name]+1e-12 {
			t.Errorf("%s: pools average to %v +- %v, exact is %v", name, mean[name], se[name], exact.Metrics[name])
		}
	}
}

// TestEntropyPerToken: the bandit's answers have one token, so its entropy per
// token is that of the sequence; at temperature 1 it is log K at the start.
func TestEntropyPerToken(t *testing.T) {
	tr := trainerOf(t, "grpo")
	e := evaluatorOf(t, tr)
	rec, err := e.evaluate(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"entropy_token", "entropy_sequence", "entropy_mode"} {
		if got := rec.Metrics[name]; math.Abs(got-math.Log(12)) > 1e-12 {
			t.Errorf("%s is %v at a uniform start over 12 arms, want log 12", name, got)
		}
	}
}

// TestTrainRecord holds a step's record against the batch it describes.
func TestTrainRecord(t *testing.T) {
	tr := trainerOf(t, "grpo@vpo")
	var rec record.Train
	if err := tr.step(0, &rec); err != nil {
		t.Fatal(err)
	}
	correct, clusters := 0.0, map[envs.Mode]bool{}
	for _, r := range tr.update.Groups[0].Rollouts {
		if v := tr.prompts[0].problem.Judge(r.Tokens); v.Correct {
			correct++
			clusters[v.Mode] = true
		}
	}
	if rec.Correct != correct/8 || rec.Reward != correct/8 || rec.Clusters != float64(len(clusters)) {
		t.Errorf("record %+v: want %v of 8 correct in %d clusters", rec, correct, len(clusters))
	}
	if solved := correct > 0; (rec.Solved == 1) != solved {
		t.Errorf("solved is %v with %v correct", rec.Solved, correct)
	}
	if math.Abs(rec.Entropy-math.Log(12)) > 1e-12 || rec.KL != 0 || rec.Clipped != 0 {
		t.Errorf("record %+v: the first step is at the base policy: entropy log 12, no divergence, nothing clipped", rec)
	}
}

// TestOffPolicyEpochsClip: with several epochs per batch the ratio leaves 1 and
// the clip cuts tokens off; with one it never does.
func TestOffPolicyEpochsClip(t *testing.T) {
	clipped := func(epochs int64) (share float64) {
		tr := trainerOf(t, "grpo", exptest.Set("train", "epochs", epochs), exptest.Set("train", "lr", 1.0))
		for step := range 5 {
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
			stats, err := tr.policy.Update(tr.update) // one more pass over the batch
			if err != nil {
				t.Fatal(err)
			}
			share += stats.Clipped
		}
		return share
	}
	if got := clipped(2); got == 0 {
		t.Error("after two passes at a large rate no token is clipped")
	}
	tr := trainerOf(t, "grpo")
	var first policies.UpdateStats
	groups, err := tr.policy.Sample(tr.prompts[0].tasks, 8, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(9)})
	if err != nil {
		t.Fatal(err)
	}
	tr.update.Groups, tr.update.Advantages = groups, [][]float64{{1, -1, 1, -1, 1, -1, 1, -1}}
	if first, err = tr.policy.Update(tr.update); err != nil || first.Clipped != 0 {
		t.Errorf("the first pass clips a share of %v (%v)", first.Clipped, err)
	}
}
