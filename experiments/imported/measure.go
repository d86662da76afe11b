package imported

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"modebench/envs"
	"modebench/envs/judging"
	"modebench/experiments/record"
	"modebench/metrics"
)

func (m *importer) measured() []string {
	out := []string{metrics.MeasureVotes, metrics.MeasureRollouts}
	if m.opt.Embeddings {
		out = append(out, metrics.MeasureEmbeddings)
	}
	return out
}

// hash is the beginning of the SHA-256 of the completions, by step and problem.
func (c *cell) hash() string {
	sum := sha256.New()
	for _, step := range slices.Sorted(maps.Keys(c.steps)) {
		for _, p := range inOrder(c.steps[step]) {
			for _, text := range p.texts {
				fmt.Fprintf(sum, "%d %s %d\n%s\n", step, p.problem.ref, len(text), text)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// measure judges and measures the completions of a cell: an evaluation for each step, and the
// pools of the problems in kept, by number.
func (m *importer) measure(ctx context.Context, g *group, c *cell, kept []int) (evals []record.Eval, pools []record.Pool, err error) {
	shown := map[int]bool{} // problems whose front is recorded
	for _, step := range slices.Sorted(maps.Keys(c.steps)) {
		table, err := metrics.NewTable(m.options(g.kind))
		if err != nil {
			return nil, nil, err
		}
		for _, p := range inOrder(c.steps[step]) {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			number := p.problem.ref.Index
			var rec *record.Pool
			if slices.Contains(kept, number) {
				rec = &record.Pool{Step: step, Problem: number, ID: p.problem.Problem.ID()}
				if !shown[number] {
					rec.Front, shown[number] = p.problem.Problem.Truth().Front, true
				}
			}
			if err := p.measure(m.opt.Reading, table, rec); err != nil {
				return nil, nil, fmt.Errorf("%s at step %d of %s: %w", p.problem.ref, step, g.name, err)
			}
			if rec != nil {
				pools = append(pools, *rec)
			}
		}
		evals = append(evals, record.Eval{Step: step, Metrics: table.Means()})
	}
	return evals, pools, nil
}

func (m *importer) options(kind *problem) metrics.Options {
	o := metrics.Options{
		Weights: kind.Weights, K: m.opt.K, Variants: kind.Info.Variants, Answers: kind.Info.Votes,
		Delta: metrics.DefaultDelta, Measure: m.measured(),
	}
	if len(o.Weights) > 1 {
		o.Draws = metrics.Scalarisations(len(o.Weights), metrics.DefaultDraws)
	}
	return o
}

// measure adds a pool to the table, and its answers to the record, if there is one.
func (p *pool) measure(reading judging.Reading, table *metrics.Table, rec *record.Pool) error {
	q := p.problem
	truth := q.Problem.Truth()
	pool := metrics.Pool{Modes: len(truth.Modes), Front: truth.Front}
	for i, text := range p.texts {
		j := judging.Judge(q.Posed, text, reading)
		if rec != nil {
			rec.Answers = append(rec.Answers, q.answers(i, text, j.Verdicts)...)
		}
		// A chain that stopped early is filled up, as in our own evaluations.
		for len(j.Verdicts) < q.ref.Candidates {
			j.Verdicts = append(j.Verdicts, q.Problem.Judge(nil))
		}
		pool.Chains = append(pool.Chains, j.Verdicts)
		if q.ref.Stops {
			pool.Named = append(pool.Named, j.Named)
		}
	}
	if rec != nil {
		for i := record.MaxEmbedded; i < len(rec.Answers); i++ {
			rec.Answers[i].Embedding = nil
		}
	}
	return table.AddSampled(pool)
}

// answers are the records of the answers in a completion.
func (q *problem) answers(rollout int, text string, verdicts []*envs.Verdict) []record.PoolAnswer {
	out := make([]record.PoolAnswer, len(verdicts))
	for i, v := range verdicts {
		a := record.PoolAnswer{
			Rollout: rollout, Text: text, Mode: string(v.Mode), Reward: v.Reward,
			Correct: v.Correct, Valid: v.Err == nil, Embedding: v.Embedding, Tokens: []string{},
		}
		if q.Chain != nil {
			a.Chain = i + 1
			a.Text, _ = envs.Tagged(text, fmt.Sprintf("%s_%d", cmp.Or(q.Info.Word, "answer"), i+1))
		}
		// An answer that the environment reads but cannot write as tokens has no tokens.
		tokens, err := q.Problem.AnswerTokens(a.Text)
		for _, t := range tokens {
			if a.Valid && err == nil {
				a.Tokens = append(a.Tokens, q.Info.Vocabulary[t])
			}
		}
		out[i] = a
	}
	return out
}
