package main

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
)

const variantsHead = `
## Same name, different numbers

Papers and frameworks mean different things by one name. A plain name follows the
paper that gave it; a variant is named after the paper or framework that runs it so. Each
table has the fields in which the variants differ, and the advantages of the right and
of the wrong answers in two groups of 0/1 rewards: one right of four, and five of eight.
All right answers agree, and all wrong ones (for methods that take votes).
`

// variants has a table for each name that comes with an "@".
func variants(b *strings.Builder) error {
	b.WriteString(variantsHead)
	all := estimators.Methods()
	for _, m := range all {
		versions := []estimators.Method{m}
		for _, other := range all {
			if strings.HasPrefix(other.Name, m.Name+"@") {
				versions = append(versions, other)
			}
		}
		if len(versions) == 1 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n", m.Name)
		if err := variantTable(b, versions); err != nil {
			return err
		}
	}
	return nil
}

func variantTable(b *strings.Builder, methods []estimators.Method) error {
	fields := differing(methods)
	row := []string{"method"}
	for _, name := range fields {
		row = append(row, "`"+name+"`")
	}
	t := table{append(row, "1 of 4", "5 of 8", "source")}
	for _, m := range methods {
		row := []string{"`" + m.Name + "`"}
		for _, name := range fields {
			text := "-" // the method has no such field
			if f, ok := m.New().Field(name); ok {
				text = fmt.Sprint(f.Value)
			}
			row = append(row, text)
		}
		for _, rewards := range [][]float64{{1, 0, 0, 0}, {1, 1, 1, 1, 1, 0, 0, 0}} {
			modes := strings.Repeat("A", int(sum(rewards)))
			modes += strings.Repeat("B", len(rewards)-len(modes))
			a, err := estimate(m.New(), groupOf(rewards, modes))
			if err != nil {
				return fmt.Errorf("method %s: %w", m.Name, err)
			}
			row = append(row, fmt.Sprintf("%.7g, %.7g", a[0], a[len(a)-1]))
		}
		t = append(t, append(row, m.Source))
	}
	t.write(b)
	return nil
}

func sum(xs []float64) float64 {
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s
}

// differing lists the fields whose values are not the same in all methods, in the
// order of the first one's.
func differing(methods []estimators.Method) []string {
	var out []string
	for _, f := range methods[0].New().Fields() {
		if slices.ContainsFunc(methods, func(m estimators.Method) bool {
			field, _ := m.New().Field(f.Name)
			return fmt.Sprint(field.Value) != fmt.Sprint(f.Value)
		}) {
			out = append(out, f.Name)
		}
	}
	return out
}

var vectors = map[byte][]float32{'A': {1, 0, 0}, 'B': {0, 1, 0}, 'C': {0, 0.6, 0.8}}

// groupOf is a group of one-answer rollouts of one token; letter i of modes is the
// mode of rollout i and its answer in a vote, A if modes is "".
func groupOf(rewards []float64, modes string) estimators.Group {
	g := estimators.Group{Problem: "p0"}
	for i, r := range rewards {
		mode := byte('A')
		if modes != "" {
			mode = modes[i]
		}
		g.Rollouts = append(g.Rollouts, estimators.Rollout{
			Tokens: 1, Logprob: -1, Entropy: 1, Train: true, Final: string(mode),
			PerToken: &estimators.PerToken{Logprob: []float64{-1}, Entropy: []float64{1}, Reference: []float64{-1}, Squares: []float64{0.25}, Legal: [][]float64{{1}}},
			Candidates: []*envs.Verdict{{
				Reward: []float64{r}, Correct: r > 0,
				Mode: envs.Mode(mode), Answer: string(mode), Embedding: vectors[mode],
			}},
		})
	}
	return g
}

func estimate(m *estimators.Instance, g estimators.Group) ([]float64, error) {
	b := &estimators.Batch{Weights: []float64{1}, CandidateFields: envs.HasAll, RolloutFields: estimators.AllRolloutFields | estimators.AllTokenFields, Groups: []estimators.Group{g}}
	if err := m.Requirements().Check(b); err != nil {
		return nil, err
	}
	dst := estimators.NewAdvantages(b)
	err := m.Advantages(dst, b)
	return dst[0], err
}
