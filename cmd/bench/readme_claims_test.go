package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modebench/experiments/spec"
)

var holdsAt = regexp.MustCompile(`^  holds at (\d+) of (\d+) (?:settings|comparisons)(?: \((\d+) without a verdict\))?$`)

// verdictIn finds what the table of a claim in a summary says at its end.
func verdictIn(t *testing.T, summary, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(summary, "\nclaim "+name+": ")
	if !ok {
		t.Fatalf("no claim %s in the summary", name)
	}
	for line := range strings.Lines(rest) {
		m := holdsAt.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		var holds, all, without int
		fmt.Sscan(m[1], &holds)
		fmt.Sscan(m[2], &all)
		fmt.Sscan(m[3], &without)
		verdict := "in part: " + fmt.Sprint(holds, " of ", all-without)
		switch {
		case all == without:
			return "" // undefined, or too few seeds
		case holds == all-without:
			verdict = "reproduced"
		case holds == 0:
			verdict = "not reproduced"
		}
		if without > 0 {
			verdict += fmt.Sprintf(" (%d without a verdict)", without)
		}
		return verdict
	}
	t.Fatalf("the claim %s has no last line", name)
	return ""
}

// TestReadmeClaims holds the README's table of claims against the summaries of the
// reference results: every claim of every built-in spec has its row, and the verdict that
// the settings there come to.
func TestReadmeClaims(t *testing.T) {
	text := readme(t)
	builtins, err := spec.Builtins()
	if err != nil {
		t.Fatal(err)
	}
	rows, kinds := 0, map[string]int{}
	for _, b := range builtins {
		spec, err := spec.Load(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		if len(spec.Claims) == 0 {
			continue
		}
		summary, err := os.ReadFile(filepath.Join("..", "..", "results", "reference", b.Name, "summary.txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, c := range spec.Claims {
			head := fmt.Sprintf("| `%s` | %s | ", b.Name, strings.ReplaceAll(c.Text, "|", `\|`))
			_, row, ok := strings.Cut(text, "\n"+head)
			row, _, _ = strings.Cut(row, "\n")
			if !ok {
				t.Errorf("the README has no row %q", head)
				continue
			}
			rows++
			verdict := verdictIn(t, string(summary), c.Name)
			if columns := strings.Split(row, " | "); len(columns) != 4 || columns[2] != verdict {
				t.Errorf("%s, %s: the README says %q, the summary %q", b.Name, c.Name, row, verdict)
			}
			kind, _, _ := strings.Cut(strings.TrimSuffix(verdict, ")"), " (")
			kind, _, _ = strings.Cut(kind, ":")
			kinds[kind]++
		}
	}
	tally := fmt.Sprintf("\n%d claims: %d reproduced, %d in part, %d not reproduced\n", rows, kinds["reproduced"], kinds["in part"], kinds["not reproduced"])
	if rows == 0 || !strings.Contains(text, tally) {
		t.Errorf("the README does not say %q", tally)
	}
}
