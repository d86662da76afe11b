package claims

import (
	"regexp"
	"strings"
	"testing"

	"modebench/metrics/stats"
)

// TestLaTeX: every row has five columns, and nothing in it is a command that was not meant.
func TestLaTeX(t *testing.T) {
	a := answered("one", "", `VPO table 2 & {fig} #1`, stats.Supported)
	a.Claim.Text = `\input{x} 50% of $5 in pass_k^2 ~ "quoted" <b> a|b, -0.5 below, 2-3 ≥ 1`
	a.Settings = []Setting{{Metric: "reward", Answer: stats.Supported, Effect: stats.Interval{N: 6, Mean: -0.5, Low: -0.75, High: -0.25}}}
	b := answered("one", "", "none: a guess", stats.Undecided)
	b.Needs = 34
	b.Settings = []Setting{
		{Metric: "reward", Answer: stats.Untestable, Effect: stats.Interval{N: 6, Mean: -1}},
		{Metric: "reward", Answer: stats.Undecided, Effect: stats.Interval{N: 6, Mean: 2}},
	}
	text := LaTeX([]Verdict{b, a})
	var rows []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, " & ") && !strings.HasPrefix(line, "%") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	if len(rows) != 3 {
		t.Fatalf("%q", rows)
	}
	columns := regexp.MustCompile(`(?:^|[^\\])&`)
	for _, row := range rows {
		if n := len(columns.FindAllString(row, -1)); n != 4 || !strings.HasSuffix(row, ` \\`) {
			t.Errorf("%d columns: %s", n+1, row)
		}
	}
	if n := strings.Count(text, "p{"); n != 5 {
		t.Errorf("the table is of %d columns", n)
	}
	want := `VPO table 2 \& \{fig\} \#1 & \textbackslash{}input\{x\} 50\% of \$5 in pass\_k\textasciicircum{}2 \textasciitilde{} {\char34}quoted{\char34} \textless{}b\textgreater{} a\textbar{}b, $-$0.5 below, 2-3 $\geq$ 1 & supported & $-$0.5 [$-$0.75, $-$0.25] & 1 \\`
	if rows[1] != want {
		t.Errorf("got\n%s\nwant\n%s", rows[1], want)
	}
	if want := `our own & t & undecided, needs 34 seeds & $-$1 to +2 & 2: 1 undecided, 1 untestable \\`; rows[2] != want {
		t.Errorf("got\n%s\nwant\n%s", rows[2], want)
	}
	if !strings.HasPrefix(text, `% \usepackage{array,booktabs}`) || strings.Count(text, `\begin{tabular}`) != strings.Count(text, `\end{tabular}`) {
		t.Error("the table does not say what it needs, or does not end")
	}
	depth := 0
	for i, letter := range strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "").Replace(text) {
		switch letter {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			t.Fatalf("a brace too many at %d", i)
		}
	}
	if depth != 0 {
		t.Errorf("%d braces are open", depth)
	}
}
