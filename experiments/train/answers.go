package train

import (
	"modebench/envs"
	"modebench/experiments/record"
	"modebench/policies"
)

// This file records the answers of evaluations, for figures that need the answers themselves.

// A poolBuilder collects the answers to one prompt; a nil one records none.
type poolBuilder struct {
	q        *prompt
	words    []string // of the environment's vocabulary
	answers  [][]record.PoolAnswer
	verdicts []*envs.Verdict
}

// newPool makes room for n rollouts' answers; nil: those of the prompt are not recorded.
func (e *evaluator) newPool(number, n int) *poolBuilder {
	if number >= e.eval.Keep {
		return nil
	}
	return &poolBuilder{q: &e.prompts[number], words: e.words, answers: make([][]record.PoolAnswer, n)}
}

func (k *poolBuilder) add(slot int, rollout []envs.Token) {
	if k == nil {
		return
	}
	parts, chained := [][]envs.Token{rollout}, k.q.chain != nil
	if chained {
		parts = k.q.chain.Split(rollout)
	}
	// A chain that stops early is judged as if it were filled up. Only the answers that it
	// gave are recorded.
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
func (k *poolBuilder) word(t envs.Token) string {
	if int(t) >= len(k.words) {
		return "?"
	}
	return k.words[t]
}

func (e *evaluator) addPool(number int, k *poolBuilder) {
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

// samplePool records answers to a prompt whose answers were enumerated: as many as the judge reads
// of a sampled prompt. They come from a separate stream, so no metric depends on them.
func (e *evaluator) samplePool(number int, opt policies.SampleOptions) error {
	k := e.newPool(number, e.pool())
	if k == nil {
		return nil
	}
	opt.Key = opt.Key.Str("kept")
	rollouts, err := e.rollouts(k.q, e.goal(), len(k.answers), opt)
	for i, r := range rollouts {
		k.add(i, r.Tokens)
	}
	e.addPool(number, k)
	return err
}
