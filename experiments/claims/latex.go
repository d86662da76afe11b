package claims

import (
	"fmt"
	"strings"

	"modebench/internal/table"
	"modebench/metrics/stats"
)

// LaTeX is the table of claims for a paper, with the rules of booktabs, as wide as a line. Its
// columns are paper, claim, answer, effect and settings.
func LaTeX(verdicts []Verdict) string {
	rows := table.Grid{{"Paper", "Claim", "Answer", "Effect", "Settings"}}
	for i, paper := range Papers(verdicts) {
		if i > 0 {
			rows = append(rows, nil)
		}
		for _, v := range OfPaper(verdicts, paper) {
			from := v.Claim.Source
			if paper == ourOwn {
				from = ourOwn
			}
			rows = append(rows, []string{from, v.Claim.Text, v.latexAnswer(), v.latexEffect(), v.latexSettings()})
		}
	}
	var columns strings.Builder
	for _, share := range latexShares {
		fmt.Fprintf(&columns, `>{\raggedright\arraybackslash}p{\dimexpr%s\linewidth-2\tabcolsep\relax}`, share)
	}
	return rows.LaTeXOf(Tally(verdicts), columns.String(), "array")
}

// latexShares are the widths of the columns, as shares of the line.
var latexShares = []string{".16", ".36", ".15", ".18", ".15"}

// latexAnswer is the answer with the seeds that an undecided claim needs, or how often an effect
// is too small to matter.
func (v *Verdict) latexAnswer() string {
	if v.Answer == stats.Undecided && v.Needs > 0 {
		return fmt.Sprintf("%s, %s", v.Answer, needsText(v.Needs, v.seeds()))
	}
	if signed(v.Answer) {
		return string(v.Answer) + v.lessThanDelta()
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
	if words := v.counts(); words != nil {
		return fmt.Sprintf("%d: %s", len(v.Settings), strings.Join(words, ", "))
	}
	return fmt.Sprint(len(v.Settings))
}
