// Package exploration has methods that pay for answers that are rare: in the run so far, or
// in the group.
package exploration

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"modebench/envs"
	"modebench/estimators"
)

// OutcomeUCB is historical exploration (Song, Kempe and Munos, "Outcome-based Exploration for LLM
// Reasoning", 2509.06941): a group-relative advantage and a bonus for answers that have been rare for
// the problem in the run so far,
//
//	A_i = base_i + c (b_i - baseline_i)
//	b_i = min(1, 1/sqrt(N(x, a_i)))
//
// N(x, a) counts how often answer a was sampled for problem x. The baseline is 0 (UCB), the mean b of
// the group's other rollouts (UCB-Mean) or a constant b_0 (UCB-Con).
//
// Only the paper's abstract could be read. The formulas are those of two independent accounts that
// quote it (aicatnews/aicatnews.github.io, _tutorials/outcome-based-exploration-for-llm-reasoning.md,
// and a note of October 2026); c = 0.2 and b_0 = 0.5 (1 on the easy data) are named by its reviews.
// Our own choices:
//
//   - N counts the steps before this one, so all rollouts of a step have the bonus of the same N.
//   - Only rollouts that are trained on count, right and wrong answers alike. Groups that dynamic
//     sampling has dropped do not count.
//   - An answer of "" counts as no answer: it has b = 0, and no constant is taken from it.
//   - The base is GRPO's z-score, or the centred reward under scale "none".
//
// A group whose rollouts are all correct gets no bonus, as in the second account, unless solved is
// "bonus". The paper pays for the reasoning before the answer's own tokens alone; an advantage here is
// one number for a rollout. A group of one has the advantage 0, or under singleton "raw" its raw reward
// and, but under baseline "mean", the bonus.
//
// The state is N, by the problem's ID and the text of the answer. If a run meets no problem twice, the
// bonus is 1 for every answer.
type OutcomeUCB struct {
	estimators.GRPO
	C        float64 `param:"c" doc:"weight of the bonus" min:"0"`
	Baseline string  `param:"baseline" doc:"what is taken from the bonus: nothing, the mean bonus of the group's other rollouts, or a constant" choices:"none,mean,constant" when:"c>0"`
	Constant float64 `param:"constant" doc:"the constant b_0" min:"0" max:"1" when:"c>0,baseline=constant"`
	Solved   string  `param:"solved" doc:"groups whose rollouts are all correct get no bonus, or the same bonus as others" choices:"none,bonus" when:"c>0"`

	counts map[string]map[string]int // by problem and answer
	bonus  []float64                 // of a group; reused
}

func (e *OutcomeUCB) Requirements() estimators.Requirements { return required(e.Solved) }

// required lists the facts that both forms of exploration read.
func required(solved string) estimators.Requirements {
	fields := envs.HasReward | envs.HasAnswer
	if solved == "none" {
		fields |= envs.HasCorrect
	}
	return estimators.Requirements{CandidateFields: fields, MinGroup: 1}
}

func (e *OutcomeUCB) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		if !paid(rollouts, e.Solved, e.Singleton) {
			return nil
		}
		counts, sum := e.counts[e.Gathered().Problem], 0.0
		e.bonus = e.bonus[:0]
		for _, r := range rollouts {
			e.bonus = append(e.bonus, rarity(counts, r.Candidates[0].Answer))
			sum += e.bonus[len(e.bonus)-1]
		}
		for i, r := range rollouts {
			dst[i] += float64(e.C * (e.bonus[i] - e.baseline(i, sum, r.Candidates[0].Answer)))
		}
		return nil
	})
}

func paid(rollouts []*estimators.Rollout, solved, singleton string) bool {
	if len(rollouts) == 1 && singleton == "zero" {
		return false
	}
	return solved == "bonus" || slices.ContainsFunc(rollouts, func(r *estimators.Rollout) bool { return !r.Candidates[0].Correct })
}

// rarity is b of an answer.
func rarity(counts map[string]int, answer string) float64 {
	if answer == "" {
		return 0
	}
	return 1 / math.Sqrt(float64(max(1, counts[answer])))
}

// baseline is subtracted from the bonus of rollout i; sum is the sum of all bonuses.
func (e *OutcomeUCB) baseline(i int, sum float64, answer string) float64 {
	switch {
	case e.Baseline == "mean" && len(e.bonus) == 1:
		return e.bonus[i]
	case e.Baseline == "mean":
		return (sum - e.bonus[i]) / float64(len(e.bonus)-1)
	case e.Baseline == "constant" && answer != "":
		return e.Constant
	}
	return 0
}

func (*OutcomeUCB) Remembers() bool { return true }

// Remember implements Stateful: it counts the answers of the batch.
func (e *OutcomeUCB) Remember(b *estimators.Batch) error {
	if e.counts == nil {
		e.counts = map[string]map[string]int{}
	}
	for _, group := range b.Groups {
		for _, r := range group.Rollouts {
			if !r.Train || r.Candidates[0].Answer == "" {
				continue
			}
			if e.counts[group.Problem] == nil {
				e.counts[group.Problem] = map[string]int{}
			}
			e.counts[group.Problem][r.Candidates[0].Answer]++
		}
	}
	return nil
}

// Save implements Stateful: the counts as JSON, problems and answers in order.
func (e *OutcomeUCB) Save(w io.Writer) error {
	if len(e.counts) == 0 {
		return nil
	}
	return estimators.SaveJSON(w, e.counts) // in the order of names
}

func (e *OutcomeUCB) Load(r io.Reader) error {
	e.counts = nil
	var counts map[string]map[string]int
	if found, err := estimators.LoadJSON(r, &counts); !found {
		return err
	}
	for _, problem := range slices.Sorted(maps.Keys(counts)) {
		for _, answer := range slices.Sorted(maps.Keys(counts[problem])) {
			if n := counts[problem][answer]; n < 1 || answer == "" {
				return fmt.Errorf("problem %q, answer %q: got the count %d, want 1 or more of an answer", problem, answer, n)
			}
		}
	}
	e.counts = counts
	return nil
}

func explored(m estimators.Method, zeroSum bool) estimators.Method {
	m.Trains, m.Loss = true, estimators.PlainLoss
	m.Properties = estimators.Properties{
		ShiftInvariant: true, Scale: estimators.Invariant, ZeroSum: zeroSum, MovesEqualRewards: true,
		Why: "a z-score and a bonus for rare answers, which reads no reward",
	}
	return m
}

func init() {
	for i, m := range []struct{ name, summary, source, baseline string }{
		{"outcome-ucb", "GRPO and a bonus for answers that were rare so far", "UCB", "none"},
		{"outcome-ucb-mean", "the bonus less the mean of the group's others", "UCB-Mean", "mean"},
		{"outcome-ucb-con", "the bonus less a constant, so that frequent answers lose", "UCB-Con", "constant"},
	} {
		estimators.Register(estimators.Exploration, 10*(i+1), explored(estimators.Method{
			Name: m.name, Summary: m.summary, Source: "Song et al. 2025 (2509.06941), " + m.source,
			Estimator: estimators.From(OutcomeUCB{GRPO: estimators.ZScore, C: 0.2, Baseline: m.baseline, Constant: 0.5, Solved: "none"}),
			Target:    estimators.NoTarget("its bonus depends on earlier answers"),
		}, m.baseline == "mean"))
	}
}

// OutcomeBatch is batch exploration (Song, Kempe and Munos, 2509.06941; read at OutcomeUCB's
// source): a group-relative advantage less a penalty for answers that other rollouts of the
// group gave too,
//
//	A_i = base_i - c/n sum_{j != i} [a_i = a_j]
//
// n is the number of the group's rollouts. It remembers nothing. An answer of "" counts as no
// answer, and repeats no other. The rest is as for OutcomeUCB: the base, groups whose rollouts
// are all correct, groups of one.
type OutcomeBatch struct {
	estimators.GRPO
	C      float64 `param:"c" doc:"weight of the penalty" min:"0" when:"train.group>1"`
	Solved string  `param:"solved" doc:"groups whose rollouts are all correct get no penalty, or the same penalty as others" choices:"none,bonus" when:"c>0,train.group>1"`

	same map[string]int // rollouts of a group by answer; reused
}

func (e *OutcomeBatch) Requirements() estimators.Requirements { return required(e.Solved) }

func (e *OutcomeBatch) Advantages(dst [][]float64, b *estimators.Batch) error {
	return e.Each(dst, b, func(dst, rewards []float64, rollouts []*estimators.Rollout) error {
		e.Relative(dst, rewards)
		if !paid(rollouts, e.Solved, e.Singleton) {
			return nil
		}
		if e.same == nil {
			e.same = map[string]int{}
		}
		clear(e.same)
		for _, r := range rollouts {
			e.same[r.Candidates[0].Answer]++
		}
		for i, r := range rollouts {
			if answer := r.Candidates[0].Answer; answer != "" {
				dst[i] -= float64(e.C * float64(e.same[answer]-1) / float64(len(rollouts)))
			}
		}
		return nil
	})
}

func init() {
	estimators.Register(estimators.Exploration, 40, explored(estimators.Method{
		Name: "outcome-batch", Summary: "GRPO less a penalty for answers that others of the group gave",
		Source:    "Song et al. 2025 (2509.06941), Batch",
		Estimator: estimators.From(OutcomeBatch{GRPO: estimators.ZScore, C: 0.2, Solved: "none"}),
		Target:    estimators.NoTarget("its penalty is made within the group and added to a z-score"),
	}, false))
}
