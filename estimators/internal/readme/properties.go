package main

import (
	"fmt"
	"strings"

	"modebench/estimators"
)

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
	t := table{{"method", "shift", "scale", "zero sum", "besides", "why"}}
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
	t.write(b)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

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
	t := table{{"method", "all right", "all wrong", "a lone right one"}}
	for _, m := range estimators.Methods() {
		row := []string{"`" + m.Name + "`"}
		for _, rewards := range [][]float64{{1, 1, 1, 1}, {0, 0, 0, 0}, {1}} {
			row = append(row, outcome(m, groupOf(rewards, "AABC"[:len(rewards)])))
		}
		t = append(t, row)
	}
	t.write(b)
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
