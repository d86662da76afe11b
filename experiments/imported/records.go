package imported

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/envs/judging"
	"modebench/experiments/record"
	"modebench/internal/params"
	"modebench/internal/visible"
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
	for _, p := range c.pools {
		for _, text := range p.texts {
			fmt.Fprintf(sum, "%d %s %d\n%s\n", p.step, p.problem.ref, len(text), text)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// measure judges and measures the completions of a cell: an evaluation for each step, and the
// pools of the problems in kept, by number.
func (m *importer) measure(ctx context.Context, g *group, c *cell, kept []int) (evals []record.Eval, pools []record.Pool, err error) {
	shown := map[int]bool{} // problems whose front is recorded
	for _, step := range c.byStep() {
		table, err := metrics.NewTable(m.options(g.kind))
		if err != nil {
			return nil, nil, err
		}
		for _, p := range step {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			number := p.problem.ref.Index
			var rec *record.Pool
			if slices.Contains(kept, number) {
				rec = &record.Pool{Step: p.step, Problem: number, ID: p.problem.Problem.ID()}
				if !shown[number] {
					rec.Front, shown[number] = p.problem.Problem.Truth().Front, true
				}
			}
			if err := p.measure(m.opt.Reading, table, rec); err != nil {
				return nil, nil, fmt.Errorf("%s at step %d of %s: %w", p.problem.ref, p.step, g.name, err)
			}
			if rec != nil {
				pools = append(pools, *rec)
			}
		}
		evals = append(evals, record.Eval{Step: step[0].step, Metrics: table.Means()})
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

// Method is the method of cells and variants of imports.
const Method = "imported"

// Is reports whether a manifest is that of an import.
func Is(m *record.Manifest) bool {
	return len(m.Variants) > 0 && !slices.ContainsFunc(m.Variants, func(v record.Variant) bool { return v.Method != Method })
}

func (g *group) facts() []record.Axis {
	ref := g.kind.ref
	out := []record.Axis{{Field: "env", Value: ref.Env}}
	for _, f := range params.Fields(ref.Config) {
		out = append(out, record.Axis{Field: "env." + f.Name, Value: fmt.Sprint(f.Value)})
	}
	out = append(out,
		record.Axis{Field: "eval.split", Value: string(ref.Split)},
		record.Axis{Field: "train.candidates", Value: fmt.Sprint(ref.Candidates)},
		record.Axis{Field: "train.stops", Value: fmt.Sprint(ref.Stops)},
	)
	weights := ""
	if ref.Weights != nil {
		weights = fmt.Sprint(ref.Weights)
	}
	return append(out, record.Axis{Field: "eval.weights", Value: weights})
}

// axes are the fields in which groups differ. Groups of other environments differ by the
// environment: a field counts among the groups that have it.
func (m *importer) axes() [][]record.Axis {
	values := map[string]map[string]bool{}
	for _, g := range m.groups {
		for _, f := range g.facts() {
			if values[f.Field] == nil {
				values[f.Field] = map[string]bool{}
			}
			values[f.Field][f.Value] = true
		}
	}
	out := make([][]record.Axis, len(m.groups))
	for i, g := range m.groups {
		out[i] = slices.DeleteFunc(g.facts(), func(f record.Axis) bool {
			return len(values[f.Field]) < 2 || f.Value == "" && f.Field == "eval.weights"
		})
	}
	return out
}

func (g *group) variant(axes []record.Axis) record.Variant {
	name := visible.Text(g.name)
	words := []string{name}
	for _, a := range axes {
		words = append(words, a.Field[strings.IndexByte(a.Field, '.')+1:]+"="+visible.Text(a.Value))
	}
	v := record.Variant{Label: strings.Join(words, " "), Name: name, Method: Method, Axes: axes}
	for _, c := range g.cells {
		v.Trains = v.Trains || len(c.byStep()) > 1
	}
	return v
}

func (m *importer) cell(g *group, c *cell, kept int) record.Cell {
	ref := g.kind.ref
	eval := map[string]any{
		"k": m.opt.K, "samples": slices.MinFunc(c.pools, smaller).answers(), "split": string(ref.Split), "problems": len(c.numbers()),
		"draws": metrics.DefaultDraws, "delta": metrics.DefaultDelta, "measure": m.measured(), "keep": kept, "enumerate": 0,
	}
	if m.opt.Reading == judging.Lenient {
		eval["reading"] = string(judging.Lenient)
	}
	if ref.Weights != nil {
		eval["weights"] = ref.Weights
	}
	return record.Cell{
		Version: record.Version,
		Env:     record.Component{Name: ref.Env, Params: params.Values(ref.Config)},
		Policy:  record.Component{Name: Method, Params: map[string]any{"answers": c.hash()}},
		Method:  Method,
		Train:   map[string]any{"candidates": ref.Candidates, "stops": ref.Stops},
		Eval:    eval,
		Seed:    c.seed,
	}
}

// show fills in the presentation of the manifest: the columns of the table, and figures. have counts
// the cells that have each metric at their last step.
func (m *importer) show(manifest *record.Manifest, have map[string]int, cells int) {
	shared := func(names ...string) []string { // by all cells, each once
		var out []string
		for _, name := range names {
			if have[name] == cells && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return out
	}
	last := slices.Max(m.opt.K)
	pass, coverage := fmt.Sprintf("pass@%d", last), fmt.Sprintf("coverage@%d", last)
	first := fmt.Sprintf("pass@%d", slices.Min(m.opt.K))
	manifest.Columns = shared(first, pass, coverage, "distinct_correct", "entropy_mode")
	if len(m.opt.K) > 1 {
		families := []string{"pass"}
		if have[coverage] == cells {
			families = append(families, "coverage")
		}
		manifest.Figures = append(manifest.Figures, record.Figure{
			Name: "k", Kind: "k-curve", Title: "A correct answer among k, and the share of modes that k answers show", Metrics: families,
		})
	}
	if slices.ContainsFunc(manifest.Variants, func(v record.Variant) bool { return v.Trains }) {
		manifest.Figures = append(manifest.Figures, record.Figure{
			Name: "steps", Kind: "curve", Title: "Over training steps", Metrics: shared(first, pass, coverage, "entropy_mode"),
		})
	}
}

func (m *importer) title() string {
	first := m.files[0].Name
	if n := len(m.files); n > 1 {
		return fmt.Sprintf("Answers imported from %s and %d more", first, n-1)
	}
	return "Answers imported from " + first
}
