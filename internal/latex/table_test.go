package latex

import (
	"fmt"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	got := Table("50%\nof \\x", [][]string{{"", "a_b"}, {"base"}, {"x", "-1"}, {}, {"y", "2"}, {"more"}})
	want := `% \usepackage{booktabs}
% 50%
% of \x
\begin{tabular}{ll}
\toprule
 & a\_b \\
\midrule
\multicolumn{2}{l}{\emph{base}} \\
x & $-$1 \\
\addlinespace
y & 2 \\
\addlinespace
\multicolumn{2}{l}{\emph{more}} \\
\bottomrule
\end{tabular}%
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLongTable: a table that fits no page goes on over several, with its head on each.
func TestLongTable(t *testing.T) {
	rows := [][]string{{"n", "2n"}}
	for i := range mostRows + 1 {
		rows = append(rows, []string{fmt.Sprint(i), fmt.Sprint(2 * i)})
	}
	if got := TableOf("", "rr", "array", rows[:mostRows+1]); !strings.Contains(got, `\begin{tabular}{rr}`) {
		t.Errorf("%d rows: %.200s", mostRows, got)
	}
	got := TableOf("", "rr", "array", rows)
	for _, want := range []string{"% \\usepackage{array,booktabs,longtable}\n\\begin{longtable}{rr}\n", "\\endhead\n", "\\bottomrule\n\\endlastfoot\n0 & 0 \\\\\n", "40 & 80 \\\\\n\\end{longtable}%\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestSets: what Sets knows, Text leaves to LaTeX.
func TestSets(t *testing.T) {
	for text, want := range map[string]bool{"": true, `a_b {\x}`: true, "naïve ± 1 → τ": true, "模式": false, "a😀": false, "Ł": false} {
		if Sets(text) != want {
			t.Errorf("Sets(%q) is %v", text, !want)
		}
	}
}
