package train

import (
	"modebench/envs"
	"modebench/experiments/record"
	"modebench/policies"
)

// This file keeps the answers of evaluations, for figures that need the answers
// themselves.

// A kept collects the answers to one prompt; nil keeps none.
type kept struct {
	q        *prompt
	words    []string // of the environment's vocabulary
	answers  [][]record.PoolAnswer
	verdicts []*envs.Verdict
}

// collect makes room for the answers of n rollouts to a prompt, if they are kept.
func (e *evaluator) collect(number, n int) *kept {
	if number >= e.eval.Keep {
		return nil
	}
	return &kept{q: &e.prompts[number], words: e.words, answers: make([][]record.PoolAnswer, n)}
}

// take keeps the answers of a rollout.
func (k *kept) take(slot int, rollout []envs.Token) {
	if k == nil {
		return
	}
	parts, chained := [][]envs.Token{rollout}, k.q.chain != nil
	if chained {
		parts = k.q.chain.Split(rollout)
	}
	// Chains that stop early are judged as if filled up; what was not given is not kept.
	k.verdicts = k.q.judge(k.verdicts[:0], rollout)
	for i, answer := range parts {
		v := k.verdicts[i]
		a := record.PoolAnswer{
			Rollout: slot, Text: k.q.problem.AnswerText(answer), Mode: string(v.Mode), Reward: v.Reward,
			Correct: v.Correct, Valid: v.Err == nil, Embedding: v.Embedding, Tokens: make([]string, len(answer)),
		}
		if chained {
			a.Chain = i + 1
		}
		for j, t := range answer {
			a.Tokens[j] = k.word(t)
		}
		k.answers[slot] = append(k.answers[slot], a)
	}
}

// word is the text of a token. A policy that is free to take illegal tokens may take a
// control token of chains inside an answer, for which the environment has no word.
func (k *kept) word(t envs.Token) string {
	if int(t) >= len(k.words) {
		return "?"
	}
	return k.words[t]
}

// keep adds the pool of a prompt to those of the evaluation.
func (e *evaluator) keep(number int, k *kept) {
	if k == nil {
		return
	}
	pool := record.Pool{Problem: number, ID: k.q.problem.ID(), Answers: []record.PoolAnswer{}}
	for _, answers := range k.answers {
		pool.Answers = append(pool.Answers, answers...)
	}
	for i := record.MaxEmbedded; i < len(pool.Answers); i++ {
		pool.Answers[i].Embedding = nil
	}
	e.pools = append(e.pools, pool)
}

// keepDrawn keeps as many answers as are judged of a prompt whose answers were
// listed. They come from a stream of their own, which no metric reads.
func (e *evaluator) keepDrawn(number int, opt policies.SampleOptions) error {
	k := e.collect(number, e.pool())
	if k == nil {
		return nil
	}
	opt.Key = opt.Key.Str("kept")
	rollouts, err := e.rollouts(k.q, e.goal(), len(k.answers), opt)
	for i, r := range rollouts {
		k.take(i, r.Tokens)
	}
	e.keep(number, k)
	return err
}
