package claims

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// answered is a verdict of that answer.
func answered(spec, of, source string, answer stats.Answer) Verdict {
	return Verdict{Spec: spec, Source: of, Claim: record.Claim{Name: "c", Text: "t", Source: source, Metrics: []string{"reward"}, A: "a", B: []string{"b"}}, Answer: answer}
}

// TestMatrix: a row for each spec below the paper that it is after, with its marks in the order
// of its claims, and for each paper the count of the answers to all claims of it.
func TestMatrix(t *testing.T) {
	list := []Verdict{
		answered("one", "VPO table 2", "VPO table 2", stats.Supported),
		answered("one", "VPO table 2", "none: a guess", stats.Opposed),
		answered("one", "VPO table 2", "VPO fig. 5", stats.Undecided),
		answered("two", "SetPO fig. 3, VPO table 5", "VPO table 5", stats.NoDifference),
		answered("two", "SetPO fig. 3, VPO table 5", "SetPO fig. 3", stats.Untestable),
		answered("three", "bench audit", "bench audit: cosine 1", stats.Supported),
		answered("four", "VPO table 9", "VPO table 9", stats.Supported),
	}
	want := `
| paper, spec | claims                   |
|-------------|--------------------------|
| **VPO**     | 4 claims: 2 ✓S, 1 =N, 1 ?U |
| ` + "`one`" + `       | ✓S ?U; our own: ✕O       |
| ` + "`four`" + `      | ✓S                       |
| **SetPO**   | 1 claim: 1 –T            |
| ` + "`two`" + `       | –T; VPO: =N              |
| **our own** | 2 claims: 1 ✓S, 1 ✕O     |
| ` + "`three`" + `     | ✓S                       |

✓S supported, ✕O opposed, =N no difference, ±M mixed, ?U undecided, –T untestable here. 7 claims: 3 supported, 1 opposed, 1 no difference, 1 undecided, 1 untestable here.
`
	got := Matrix(list)
	strip := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "-", "")), " ") }
	if strip(got) != strip(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	width := 0
	for line := range strings.Lines(got) {
		if n := utf8.RuneCountInString(strings.TrimSpace(line)); strings.HasPrefix(line, "|") {
			if width > 0 && n != width {
				t.Errorf("a row is %d letters wide, others are %d: %s", n, width, line)
			}
			width = n
		}
	}
}

// TestMatrixIsShort: 28 specs of the five papers and of our own fill 40 lines at most, each no
// wider than a terminal where a spec has up to 14 claims.
func TestMatrixIsShort(t *testing.T) {
	papers := []string{"SetPO", "VPO", "Poly-EPO", "Evol-RL", "SD-E2", "none"}
	var list []Verdict
	for i := range 28 {
		of := papers[i%len(papers)] + " table 1"
		for j := range 14 {
			list = append(list, answered(fmt.Sprintf("spec-%d-of-an-usual-name", i), of, of, Answers[j%len(Answers)]))
		}
	}
	text := Matrix(list)
	if n := strings.Count(text, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSpace(line)); strings.HasPrefix(line, "|") && n > 100 {
			t.Errorf("a row of %d letters: %s", n, line)
		}
	}
}

// TestMarks: signs differ, and so do letters, for where a terminal shows no sign.
func TestMarks(t *testing.T) {
	seen := map[string]stats.Answer{}
	for _, answer := range Answers {
		m := marks[answer]
		for _, part := range []string{m.sign, m.letter} {
			if other, taken := seen[part]; taken || utf8.RuneCountInString(part) != 1 {
				t.Errorf("%s and %s have the mark %q", answer, other, part)
			}
			seen[part] = answer
		}
	}
}
