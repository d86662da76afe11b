package train

import (
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/metrics"
	"modebench/policies"
)

// This file spends a budget of answers at test time on an evolutionary search that calls
// the policy, as in VPO's fig. 4: MAP-Elites (Mouret and Clune 2015) with a problem's modes
// as the map. An elite is the best answer of its mode so far. A child copies an elite's
// tokens up to a random cut and draws the rest from the policy.

// searchFirst is how many answers are drawn from the policy before any has children.
const searchFirst = 8

// An elite is the best answer of its mode: its place in the rollout that ends with it, and its
// scalar reward.
type elite struct {
	mode   envs.Mode
	score  float64
	tokens []envs.Token // of the rollout, up to the answer's end
	start  int          // of the answer
	number int          // of answers before it
}

// A searcher is one search: its elites, and the answers that it has spent.
type searcher struct {
	elites  []elite // in the order in which their modes were found
	weights []float64
	best    float64
	correct bool
	spent   int // answers judged
	reached func(spent int, best float64, correct bool)
}

// search spends the largest k of the evaluation on a prompt and records what was found with each k.
// A chain that is a child has its parent's answers before the cut, which do not count again.
// Parents, cuts and answers are drawn from a stream of the problem's own, the same one at every
// step and for every method. Where prompts state weights they state w*.
func (e *evaluator) search(table *metrics.Table, q *prompt, opt policies.SampleOptions) error {
	budget := slices.Max(e.eval.K)
	s := searcher{weights: e.options.Weights, best: math.Inf(-1), reached: func(spent int, best float64, correct bool) {
		if slices.Contains(e.eval.K, spent) {
			pass := 0.0
			if correct {
				pass = 1
			}
			table.AddValue(fmt.Sprintf("search@%d", spent), best)
			table.AddValue(fmt.Sprintf("search_pass@%d", spent), pass)
		}
	}}
	key := opt.Key.Str("search").Str(q.problem.ID())
	for child := 0; s.spent < budget; child++ {
		inherited := 0
		opt.Prefix = nil
		if s.spent >= searchFirst && len(s.elites) > 0 {
			opt.Prefix, inherited = s.parent(key.Str("parent").Int(uint64(child)))
		}
		opt.Key = key.Str("child").Int(uint64(child))
		rollouts, err := e.rollouts(q, e.goal(), 1, opt)
		if err != nil {
			return err
		}
		tokens := slices.Clone(rollouts[0].Tokens) // the next call overwrites them
		for number, span := range q.spans(tokens) {
			if number >= inherited && s.spent < budget {
				s.judged(q.problem.Judge(tokens[span[0]:span[1]]), elite{tokens: tokens[:span[1]], start: span[0], number: number})
			}
		}
	}
	return nil
}

// spans returns the beginnings and the ends of the answers of a rollout.
func (q *prompt) spans(rollout []envs.Token) [][2]int {
	if q.chain == nil {
		return [][2]int{{0, len(rollout)}}
	}
	return q.chain.Spans(rollout)
}

// parent draws an elite uniformly, and the prefix of its rollout that the child gets: all before
// the elite's answer, and any number of the answer's tokens but the last.
func (s *searcher) parent(key rng.Key) (prefix []envs.Token, answers int) {
	r := key.Rand()
	e := s.elites[r.IntN(len(s.elites))]
	return e.tokens[:e.start+r.IntN(len(e.tokens)-e.start)], e.number
}

// judged adds an answer, the last of answer.tokens. A degenerate answer has no place on the map, and
// neither has an empty answer, which has no tokens to pass on.
func (s *searcher) judged(v *envs.Verdict, answer elite) {
	s.spent++
	answer.mode, answer.score = v.Mode, v.Scalar(s.weights)
	s.best = max(s.best, answer.score)
	s.correct = s.correct || v.Correct
	if v.Mode != envs.Degenerate && answer.start < len(answer.tokens) {
		known := slices.IndexFunc(s.elites, func(e elite) bool { return e.mode == v.Mode })
		switch {
		case known < 0:
			s.elites = append(s.elites, answer)
		case answer.score > s.elites[known].score:
			s.elites[known] = answer
		}
	}
	s.reached(s.spent, s.best, s.correct)
}
