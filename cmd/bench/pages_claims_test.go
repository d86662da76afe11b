package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/analysis"
	"modebench/experiments/claims"
	"modebench/experiments/spec"
	"modebench/metrics/stats"
)

// outcomeIn finds the answer to a claim in the claims of a spec: the last line of its part. The
// answer of a page may be another one, since it is corrected for the paper's claims in all specs.
func outcomeIn(t *testing.T, text, name string) stats.Answer {
	t.Helper()
	_, rest, ok := strings.Cut("\n"+text, "\nclaim "+name+": ")
	if !ok {
		t.Errorf("no claim %s in its spec's claims", name)
		return ""
	}
	rest, _, _ = strings.Cut(rest, "\nclaim ")
	lines := strings.Split(strings.TrimSpace(rest), "\n")
	return answerIn(t, strings.TrimSpace(lines[len(lines)-1]))
}

// answerIn is the answer that an outcome begins with.
func answerIn(t *testing.T, outcome string) stats.Answer {
	t.Helper()
	i := slices.IndexFunc(claims.Answers, func(a stats.Answer) bool { return strings.HasPrefix(outcome, string(a)) })
	if i < 0 {
		t.Errorf("no answer: %q", outcome)
		return ""
	}
	return claims.Answers[i]
}

// TestPagesClaims holds the table of results/claims.md against the reference results: every claim
// of every built-in spec has its row, with an answer; what is untestable is so in both; and the
// last line counts the answers of the rows.
func TestPagesClaims(t *testing.T) {
	text := pageText(t, "results/claims.md")
	builtins, err := spec.Builtins()
	if err != nil {
		t.Fatal(err)
	}
	var answers []claims.Verdict
	for _, b := range builtins {
		spec, err := spec.Load(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		if len(spec.Claims) == 0 {
			continue
		}
		judged, err := os.ReadFile(filepath.Join("..", "..", "results", "reference", b.Name, "claims.txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, c := range spec.Claims {
			head := fmt.Sprintf("| `%s` | %s | ", b.Name, analysis.MarkdownText(c.Text))
			_, row, ok := strings.Cut(text, "\n"+head)
			row, _, _ = strings.Cut(row, "\n")
			columns := strings.Split(row, " | ")
			if !ok || len(columns) != 4 {
				t.Errorf("the page has no row %q", head)
				continue
			}
			answer := answerIn(t, columns[2])
			if there := outcomeIn(t, string(judged), c.Name); (there == stats.Untestable) != (answer == stats.Untestable) {
				t.Errorf("%s, %s: %s on the page, %s in the reference results", b.Name, c.Name, answer, there)
			}
			answers = append(answers, claims.Verdict{Claim: c, Answer: answer})
		}
	}
	if tally := "\n" + claims.Tally(answers) + "\n"; len(answers) == 0 || !strings.Contains(text, tally) {
		t.Errorf("the page does not say %q", tally)
	}
}
