// Command readme writes estimators/README.md from the registry: the methods, the variants of one
// name side by side, their properties, and their advantages in groups without a difference.
//
//	go generate ./estimators
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	_ "modebench/estimators/all"
	"modebench/internal/atomicfile"
	"modebench/internal/each"
	"modebench/internal/table"
)

func main() {
	text, err := document()
	if err == nil {
		err = atomicfile.Write("README.md", []byte(text))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

const head = `# Methods

<!-- Written by go generate ./estimators from the registry; do not edit. -->

A method is an estimator (judged rollouts in, one advantage per rollout or token
out), an objective (advantages to a loss per token) and a rollout protocol, under the name that
its paper uses. Formulas, ranges and sources are in the doc comments (go doc
./estimators VPO, go doc ./estimators/sets); the fields of one method and their defaults are
printed by bench list methods vpo, the advantages of a batch of your own by bench estimate vpo.
The files in testdata are conformance vectors for any implementation in any language.

The folder itself has the contract, the registry, the kit that methods are made of, and the
methods that came first. Those over sets of answers and later ones lie in a folder for each
family, which the list in all imports. [CONTRIBUTING.md](../CONTRIBUTING.md#add-an-estimator) shows how to add a method.
`

func document() (string, error) {
	var b strings.Builder
	b.WriteString(head)
	listing(&b)
	if err := variants(&b); err != nil {
		return "", err
	}
	properties(&b)
	degenerate(&b)
	return b.String(), nil
}

func listing(b *strings.Builder) {
	b.WriteString("\n## Methods by family\n\nReads: the facts that a batch has to hold for every candidate, rollout and group.\n")
	for _, f := range estimators.Families() {
		fmt.Fprintf(b, "\n### %s\n\n", f.Name)
		t := table.Grid{{"method", "summary", "reads", "rollouts", "source"}}
		for _, m := range f.Methods {
			t = append(t, []string{"`" + m.Name + "`", m.Summary, reads(m), m.Rollouts(), m.Source})
		}
		b.WriteString(t.Markdown())
	}
}

func reads(m estimators.Method) string {
	needs := m.New().Requirements()
	names := append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...)
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

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
	row := append([]string{"method"}, each.Map(fields, func(name string) string { return "`" + name + "`" })...)
	t := table.Grid{append(row, "1 of 4", "5 of 8", "source")}
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
			modes := strings.Repeat("A", int(estimators.Total(rewards)))
			modes += strings.Repeat("B", len(rewards)-len(modes))
			a, err := estimate(m.New(), groupOf(rewards, modes))
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprintf("%.7g, %.7g", a[0], a[len(a)-1]))
		}
		t = append(t, append(row, m.Source))
	}
	b.WriteString(t.Markdown())
	return nil
}

// differing lists the fields whose values differ between methods, in the order of the first's.
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
	advantages, err := m.RolloutAdvantages(&estimators.Batch{
		Weights: []float64{1}, CandidateFields: envs.HasAll,
		RolloutFields: estimators.AllRolloutFields | estimators.AllTokenFields, Groups: []estimators.Group{g},
	})
	return advantages[0], err
}

const propertiesHead = `
## How advantages follow rewards

With the default fields, but an epsilon of 0. Shift: adding a constant to the rewards of a
group changes nothing. Scale: the effect of multiplying them by c > 0. Zero sum: the advantages
of a group (of the batch, where groups are normalised together) sum to 0. Permuting the
rollouts of a group permutes their advantages, unless "order matters"; the advantages of a group do not
depend on other groups, unless "batch". All of it is tested
on random groups, each "no" by a counterexample.
`

func properties(b *strings.Builder) {
	b.WriteString(propertiesHead + "\n")
	t := table.Grid{{"method", "shift", "scale", "zero sum", "besides", "why"}}
	for _, m := range estimators.Methods() {
		l := m.Properties
		var besides []string
		if l.OrderMatters {
			besides = append(besides, "order matters")
		}
		if l.AcrossGroups {
			besides = append(besides, "batch")
		}
		if l.VotersMatter {
			besides = append(besides, "rollouts that only vote matter")
		}
		t = append(t, []string{"`" + m.Name + "`", yesNo(l.ShiftInvariant), string(l.Scale), yesNo(l.ZeroSum), strings.Join(besides, "; "), l.Why})
	}
	b.WriteString(t.Markdown())
}

func yesNo(yes bool) string { return map[bool]string{true: "yes", false: "no"}[yes] }

const degenerateHead = `
## Groups without a difference

The advantages of four rollouts of the modes (and answers) A, A, B, C if all are right and if
all are wrong, and of a lone right answer, with the default fields; fields n and k are at 2. The embeddings of A, B and C are (1, 0, 0), (0, 1, 0) and
(0, 0.6, 0.8); each rollout is one token with log-probability -1, entropy 1 and
probabilities whose squares add up to 0.25, and its own answer as final, the greedy one has
reward 0.
`

func degenerate(b *strings.Builder) {
	b.WriteString(degenerateHead + "\n")
	t := table.Grid{{"method", "all right", "all wrong", "a lone right one"}}
	for _, m := range estimators.Methods() {
		row := []string{"`" + m.Name + "`"}
		for _, rewards := range [][]float64{{1, 1, 1, 1}, {0, 0, 0, 0}, {1}} {
			row = append(row, outcome(m, groupOf(rewards, "AABC"[:len(rewards)])))
		}
		t = append(t, row)
	}
	b.WriteString(t.Markdown())
}

func outcome(m estimators.Method, g estimators.Group) string {
	instance := m.New()
	for _, name := range []string{"n", "k"} {
		if f, ok := instance.Field(name); ok && f.Type == "int" {
			if err := instance.Set(name, int64(2)); err != nil {
				return err.Error()
			}
		}
	}
	a, err := estimate(instance, g)
	if err != nil {
		return "refused"
	}
	words := make([]string, len(a))
	zero := true
	for i, x := range a {
		words[i] = fmt.Sprintf("%.4g", x)
		zero = zero && x == 0
	}
	if zero {
		return "0"
	}
	return strings.Join(words, ", ")
}
