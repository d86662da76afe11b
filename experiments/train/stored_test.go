package train

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators/loss"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/policies"
)

// TestStoreByBruteForce: drawing answers task by task, one further rollout at a time, gives the
// same solved tasks and stored samples.
func TestStoreByBruteForce(t *testing.T) {
	tr := trainerOf(t, "dph-forward", exptest.Set("env", "rewarded", int64(5)), exptest.Set("train", "problems", int64(60)), exptest.Set("train", "batch", int64(7)),
		exptest.Set("method", "dph_rollouts", int64(2)))
	policy, solved, stored := policyOf(t, &tr.Setup), 0, 0
	for i := range tr.prompts {
		q := &tr.prompts[i]
		opt := policies.SampleOptions{Temperature: 1, TopP: 1, Key: tr.key.Str("stored")}
		right := 0
		for n := 1; n <= 2; n++ {
			groups, err := policy.Sample(q.tasks, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			if q.problem.Judge(groups[0].Rollouts[n-1].Tokens).Correct {
				right++
			}
		}
		groups, err := policy.Sample(q.tasks, 3, opt)
		if err != nil {
			t.Fatal(err)
		}
		last := groups[0].Rollouts[2]
		kept, is := tr.stored[q.tasks[0].ID()]
		if is != (right == 2) || tr.solved(q.tasks[0]) != is {
			t.Errorf("%s: %d of 2 rollouts are correct; solved: %v", q.problem.ID(), right, is)
		}
		if !is {
			continue
		}
		solved++
		var want []policies.Rollout
		if q.problem.Judge(last.Tokens).Correct {
			stored++
			last.Stored = true
			want = []policies.Rollout{last}
		}
		if d := cmp.Diff(want, kept); d != "" {
			t.Errorf("%s (-want +got):\n%s", q.problem.ID(), d)
		}
	}
	if solved == 0 || solved == 60 || stored == 0 || stored == solved {
		t.Errorf("%d of 60 tasks are solved, %d with a stored sample: no test", solved, stored)
	}
	if tr.drawn != 60*3 {
		t.Errorf("%d tokens are drawn, want 180", tr.drawn)
	}
}

// TestStoreShares: of tasks that the policy solves with probability p, p^4 are solved before
// training, and p^5 have a stored sample. Five standard deviations, fixed streams.
func TestStoreShares(t *testing.T) {
	const n = 4000
	tr := trainerOf(t, "dph-js", exptest.Set("env", "rewarded", int64(9)), exptest.Set("env", "modes", int64(12)), exptest.Set("train", "problems", int64(n)), exptest.Set("train", "batch", int64(50)))
	answers, complete, err := policyOf(t, &tr.Setup).(policies.Enumerator).Enumerate(tr.prompts[0].tasks[0], policies.SampleOptions{Temperature: 1, TopP: 1}, 1000)
	if err != nil || !complete {
		t.Fatal(err)
	}
	p := 0.0
	for _, a := range answers {
		if tr.prompts[0].problem.Judge(a.Tokens).Correct {
			p += a.P
		}
	}
	solved, stored := 0, 0
	for _, kept := range tr.stored { // a count has no order
		solved++
		stored += len(kept)
	}
	for _, c := range []struct {
		what string
		got  int
		p    float64
	}{{"solved", solved, math.Pow(p, 4)}, {"stored", stored, math.Pow(p, 5)}} {
		if sd := math.Sqrt(n * c.p * (1 - c.p)); math.Abs(float64(c.got)-n*c.p) > 5*sd {
			t.Errorf("%s: %d of %d, want %v within %v", c.what, c.got, n, n*c.p, 5*sd)
		}
	}
}

// files runs one cell and returns what it leaves but for its name and its settings.
func files(t *testing.T, method string, set ...exptest.Setting) map[string]string {
	t.Helper()
	v := exptest.Variant(t, "bandit", method, set...)
	dir := t.TempDir()
	if err := Run(t.Context(), dir, v, 2, Options{Bases: &Bases{opt: BaseOptions{Dir: t.TempDir()}}, Observer: unobserved{}}); err != nil {
		t.Fatal(err)
	}
	p, err := v.Setup()
	if err != nil {
		t.Fatal(err)
	}
	id, err := p.Cell(2).ID()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range []string{record.TrainFile, record.EvalFile, record.CheckpointFile} {
		data, err := os.ReadFile(filepath.Join(dir, id, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(data)
	}
	return out
}

// TestNothingStoredIsGRPO: where no problem is solved before training, a run leaves the bytes
// of GRPO with the same clip and no divergence. Where some are, it does not.
func TestNothingStoredIsGRPO(t *testing.T) {
	set := []exptest.Setting{
		exptest.Set("env", "rewarded", int64(4)), exptest.Set("train", "problems", int64(6)), exptest.Set("train", "batch", int64(3)), exptest.Set("train", "steps", int64(8)),
		exptest.Set("train", "epochs", int64(2)), exptest.Set("train", "minibatches", int64(2)), exptest.Set("train", "record_every", int64(1)), exptest.Set("train", "lr", .1),
		exptest.Set("eval", "every", int64(2)), exptest.Set("eval", "measure", []string{"kl", "updates"}), exptest.Set("method", "clip_high", .28),
	}
	grpo := files(t, "grpo", append(slices.Clone(set), exptest.Set("method", "aggregation", "token-mean"))...)
	for _, method := range []string{"dph-forward", "dph-js", "dph-alpha"} {
		if d := cmp.Diff(grpo, files(t, method, append(slices.Clone(set), exptest.Set("method", "dph_rollouts", int64(50)))...)); d != "" {
			t.Errorf("%s (-grpo +%[1]s):\n%s", method, d)
		}
		if cmp.Equal(grpo, files(t, method, append(slices.Clone(set), exptest.Set("method", "dph_rollouts", int64(1)))...)) {
			t.Errorf("%s is grpo where problems are solved", method)
		}
	}
}

// TestStoredAnswersAreHeld: with tables of their own, tasks that are solved before training
// stay what they were. With a shared one dph holds the probability of stored answers.
func TestStoredAnswersAreHeld(t *testing.T) {
	// distance is how far log-probabilities of stored answers have moved, the mean of absolute
	// values.
	distance := func(sharing string, weight float64) float64 {
		tr := trainerOf(t, "dph-forward", exptest.Set("env", "rewarded", int64(5)), exptest.Set("policy", "sharing", sharing), exptest.Set("train", "problems", int64(24)),
			exptest.Set("train", "batch", int64(6)), exptest.Set("train", "group", int64(6)), exptest.Set("train", "lr", .03), exptest.Set("method", "dph_rollouts", int64(1)), exptest.Set("method", "dph_forward", weight))
		for step := range 60 {
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
		}
		sum, n := 0.0, 0.0
		for i := range tr.prompts {
			task := tr.prompts[i].tasks[0]
			if len(tr.stored[task.ID()]) == 0 {
				continue
			}
			n++
			tokens, err := tr.policy.Flatten(policies.Batch{Groups: []policies.Group{{Task: task, Rollouts: tr.stored[task.ID()]}}, Temperature: 1})
			if err != nil {
				t.Fatal(err)
			}
			sum += math.Abs(tokens.Logp[0] - tokens.Old[0])
		}
		return sum / n
	}
	if got := distance("problem", 1); got != 0 {
		t.Errorf("tables of their own: stored answers have moved by %v", got)
	}
	free, held := distance("shared", 1e-9), distance("shared", 30)
	if !(held < free/2) {
		t.Errorf("a shared table: stored answers have moved by %v, without dph by %v", held, free)
	}
}

// TestNothingToLearnFrom: a step whose only task is solved, with nothing stored, changes nothing and
// leaves a record of numbers. JSON has no NaN.
func TestNothingToLearnFrom(t *testing.T) {
	tr := trainerOf(t, "dph-forward", exptest.Set("train", "problems", int64(1)), exptest.Set("train", "batch", int64(1)))
	tr.stored = map[string][]policies.Rollout{tr.prompts[0].tasks[0].ID(): nil}
	var rec record.Train
	if err := tr.step(0, &rec); err != nil {
		t.Fatal(err)
	}
	if rec.Advantage != 0 || rec.Loss != 0 || rec.GradNorm != 0 {
		t.Errorf("the record has the advantage %v, the loss %v and the norm %v, want 0", rec.Advantage, rec.Loss, rec.GradNorm)
	}
}

// TestStoredUnderATransformer: a stored sample has its own loss, 0 with no gradient before the
// policy has moved: its log-probabilities are those of the draw.
func TestStoredUnderATransformer(t *testing.T) {
	v := exptest.Load(t, "stored.toml", "seeds = 1\n[env]\nname = \"countdown\"\n"+exptest.TinyPolicy+"[train]\nproblems = 2\nbatch = 2\n[[method]]\nname = \"dph-js\"\n").Variants[0]
	p, err := v.Setup()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTrainer(t.Context(), p, policyOf(t, p), 3)
	if err != nil {
		t.Fatal(err)
	}
	tr.choose(0)
	groups, err := tr.policy.Sample(tr.tasks, 3, policies.SampleOptions{Temperature: 1, TopP: 1})
	if err != nil {
		t.Fatal(err)
	}
	kept := cloneGroup(&policies.Group{Rollouts: groups[1].Rollouts[2:]}).Rollouts
	kept[0].Stored = true
	tr.stored = map[string][]policies.Rollout{tr.tasks[1].ID(): kept}
	tr.groups, tr.Train.Group = groups, 3
	tr.judge(nil, nil)
	tr.advantages = [][]float64{{0, 0, 0}, {1, 2, 3}}
	b := tr.update
	tr.take(&b)
	tokens, err := tr.policy.Flatten(b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]bool{false, false, false, true}, tokens.Stored); d != "" {
		t.Errorf("stored (-want +got):\n%s", d)
	}
	if d := cmp.Diff(kept[0].Logp, tokens.Logp[tokens.Start[3]:]); d != "" || len(kept[0].Logp) == 0 {
		t.Errorf("log-probabilities of a stored sample (-drawn +now):\n%s", d)
	}
	if stats, err := tr.policy.Update(b); err != nil || stats.Loss != 0 || stats.GradNorm != 0 {
		t.Errorf("a loss of %v and a gradient of %v, %v; want 0", stats.Loss, stats.GradNorm, err)
	}
}

// TestStoredSamplesReplaceRollouts: an update has the stored sample of a solved task with its flags
// and advantages. Groups of other tasks, and the output of policy and estimator, stay as they are.
func TestStoredSamplesReplaceRollouts(t *testing.T) {
	tr := trainerOf(t, "dph-forward", exptest.Set("train", "problems", int64(3)), exptest.Set("train", "batch", int64(3)), exptest.Set("train", "group", int64(2)))
	tr.choose(0)
	kept := policies.Rollout{Stored: true, Tokens: []envs.Token{1}, Logp: []float64{-1}, Entropy: []float64{1}}
	tr.stored = map[string][]policies.Rollout{tr.tasks[0].ID(): {kept}, tr.tasks[2].ID(): nil}
	groups, err := tr.policy.Sample(tr.tasks, 2, policies.SampleOptions{Temperature: 1, TopP: 1})
	if err != nil {
		t.Fatal(err)
	}
	tr.groups = groups
	tr.judge(nil, nil)
	tr.batch.Groups[1].Rollouts[0].Candidates[0] = &envs.Verdict{Correct: true}
	tr.batch.Groups[1].Rollouts[1].Candidates[0] = &envs.Verdict{}
	tr.advantages, tr.tokenAdvantages = [][]float64{{1, 2}, {3, 4}, {5, 6}}, [][][]float64{{{1}, {2}}, {{3}, {4}}, {{5}, {6}}}
	whole, advantages := groups[1].Rollouts, tr.advantages
	b := policies.Batch{Want: policies.Want{Correct: true, Stored: true}}
	tr.take(&b)
	if d := cmp.Diff([][]float64{{0}, {3, 4}, {}}, b.Advantages); d != "" {
		t.Errorf("advantages (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]bool{{true}, {true, false}, {}}, b.Correct); d != "" {
		t.Errorf("correct (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][][]float64{{{0}}, {{3}, {4}}, {}}, b.TokenAdvantages); d != "" {
		t.Errorf("advantages of tokens (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]policies.Rollout{{kept}, whole, nil}, [][]policies.Rollout{b.Groups[0].Rollouts, b.Groups[1].Rollouts, b.Groups[2].Rollouts}); d != "" {
		t.Errorf("rollouts (-want +got):\n%s", d)
	}
	if len(groups[0].Rollouts) != 2 || advantages[0][0] != 1 {
		t.Error("what the policy and the estimator gave is written to")
	}
	b.TokenAdvantages = nil
	var flat loss.Tokens
	if err := b.Flatten(&flat); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]bool{true, false, false}, flat.Stored); d != "" {
		t.Errorf("stored (-want +got):\n%s", d)
	}
}
