package claims

import (
	"fmt"
	"strings"

	"modebench/internal/latex"
	"modebench/metrics/stats"
)

// LaTeX is the table of claims for a paper: a longtable with the rules of booktabs, whose
// columns are paper, claim, answer, effect and settings. Its first line says which packages it
// needs. What LaTeX would take for a command is escaped.
func LaTeX(verdicts []Verdict) string {
	var b strings.Builder
	b.WriteString(latexHead)
	for i, paper := range Papers(verdicts) {
		if i > 0 {
			b.WriteString("\\addlinespace\n")
		}
		for _, v := range OfPaper(verdicts, paper) {
			from := v.Claim.Source
			if paper == own {
				from = own
			}
			b.WriteString(latex.Row([]string{from, v.Claim.Text, v.latexAnswer(), v.latexEffect(), v.latexSettings()}))
		}
	}
	b.WriteString("\\bottomrule\n\\end{longtable}\n")
	fmt.Fprintf(&b, "%% %s\n", Tally(verdicts))
	return b.String()
}

// latexHead begins the table, and has the head that each page repeats.
const latexHead = `% \usepackage{array,booktabs,longtable} (LaTeX of 2020 or later)
\begin{longtable}{>{\raggedright\arraybackslash}p{.15\linewidth}>{\raggedright\arraybackslash}p{.33\linewidth}>{\raggedright\arraybackslash}p{.12\linewidth}>{\raggedright\arraybackslash}p{.15\linewidth}>{\raggedright\arraybackslash}p{.13\linewidth}}
\toprule
Paper & Claim & Answer & Effect & Settings \\
\midrule
\endfirsthead
\toprule
Paper & Claim & Answer & Effect & Settings \\
\midrule
\endhead
\midrule
\multicolumn{5}{r}{continued} \\
\endfoot
\endlastfoot
`

// latexAnswer is the answer with the seeds that an undecided claim needs.
func (v *Verdict) latexAnswer() string {
	if v.Answer == stats.Undecided && v.Needs > 0 {
		return fmt.Sprintf("%s, %s", v.Answer, needsText(v.Needs, v.seeds()))
	}
	return string(v.Answer)
}

// latexEffect is the effect without the number of settings, which has a column of its own.
func (v *Verdict) latexEffect() string {
	text, _, _ := strings.Cut(v.Effect(), " (")
	return text
}

// latexSettings is how many settings the claim has, and how many of them have each answer where
// they differ.
func (v *Verdict) latexSettings() string {
	var words []string
	for _, answer := range Answers {
		if n := v.Count(answer); n > 0 && n < len(v.Settings) {
			words = append(words, fmt.Sprintf("%d %s", n, strings.TrimSuffix(string(answer), " here")))
		}
	}
	if words == nil {
		return fmt.Sprint(len(v.Settings))
	}
	return fmt.Sprintf("%d: %s", len(v.Settings), strings.Join(words, ", "))
}
