package experiments

import (
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/metrics"
	"modebench/policies"
)

// This file spends a budget of answers at test time on an evolutionary search, the
// kind of procedure that VPO's fig. 4 puts a policy inside of: MAP-Elites (Mouret and
// Clune 2015) with a problem's modes as the map. An elite is the best answer of its
// mode so far, a child keeps an elite's tokens up to a random cut and draws the rest
// from the policy.

// searchFirst is how many answers are drawn from the policy before any has children.
const searchFirst = 8

// An elite is the best answer of its mode: its rollout, and its scalar reward.
type elite struct {
	mode   envs.Mode
	score  float64
	tokens []envs.Token
}

// A searcher is one search: what it has found, and what it has spent.
type searcher struct {
	elites  []elite // in the order in which their modes were found
	weights []float64
	best    float64
	correct bool
	spent   int // answers judged
	reached func(spent int, best float64, correct bool)
}

// search spends the largest k of the evaluation on a question and records what was
// found with each k. Parents, cuts and answers are drawn from a stream of the
// problem's own, the same one at every step and for every method.
func (e *evaluator) search(table *metrics.Table, q *question, opt policies.SampleOptions) error {
	budget := slices.Max(e.eval.K)
	s := searcher{weights: e.options.Weights, best: math.Inf(-1), reached: func(spent int, best float64, correct bool) {
		if slices.Contains(e.eval.K, spent) {
			table.Put(fmt.Sprintf("search@%d", spent), best)
			table.Put(fmt.Sprintf("search_pass@%d", spent), indicator(correct))
		}
	}}
	key := opt.Key.Str("search").Str(q.problem.ID())
	for child := 0; s.spent < budget; child++ {
		opt.Prefix = nil
		if s.spent >= searchFirst && len(s.elites) > 0 {
			opt.Prefix = s.parent(key.Str("parent").Int(uint64(child)))
		}
		opt.Key = key.Str("child").Int(uint64(child))
		rollouts, err := e.rollouts(q, e.goal(), 1, opt)
		if err != nil {
			return err
		}
		tokens := slices.Clone(rollouts[0].Tokens) // the next call overwrites them
		for _, v := range q.judge(nil, tokens) {
			if s.spent < budget {
				s.judged(v, tokens)
			}
		}
	}
	return nil
}

// parent draws an elite, each as likely as any other, and what is kept of its tokens:
// none at least, and all but one at most.
func (s *searcher) parent(key rng.Key) []envs.Token {
	r := key.Rand()
	tokens := s.elites[r.IntN(len(s.elites))].tokens
	return tokens[:r.IntN(len(tokens))]
}

// judged adds an answer. A degenerate one has no place on the map.
func (s *searcher) judged(v *envs.Verdict, rollout []envs.Token) {
	s.spent++
	score := v.Scalar(s.weights)
	s.best = max(s.best, score)
	s.correct = s.correct || v.Correct
	if v.Mode != envs.Degenerate && len(rollout) > 0 {
		at := slices.IndexFunc(s.elites, func(e elite) bool { return e.mode == v.Mode })
		switch {
		case at < 0:
			s.elites = append(s.elites, elite{v.Mode, score, rollout})
		case score > s.elites[at].score:
			s.elites[at] = elite{v.Mode, score, rollout}
		}
	}
	s.reached(s.spent, s.best, s.correct)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
