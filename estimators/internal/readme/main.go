// Command readme writes estimators/README.md from the registry: the methods, the variants of one
// name side by side, their properties, and their advantages in groups without a difference.
//
//	go generate ./estimators
package main

import (
	"fmt"
	"os"
	"strings"

	"modebench/estimators"
	_ "modebench/estimators/all"
	"modebench/internal/atomicfile"
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
		t := table{{"method", "summary", "reads", "rollouts", "source"}}
		for _, m := range f.Methods {
			t = append(t, []string{"`" + m.Name + "`", m.Summary, reads(m), m.Rollouts(), m.Source})
		}
		t.write(b)
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

type table [][]string

func (t table) write(b *strings.Builder) {
	for i, row := range t {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
}
