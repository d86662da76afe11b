package claims

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/plural"
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// tableHead explains how to read the table.
const tableHead = `Supported, opposed: the paired difference over seeds is on the claimed side, or on the other.
No difference: its side is not shown, and it is within delta, the smallest effect that matters,
or of several settings within delta at some and on the other side at others.
Mixed: some settings are supported, others opposed or no difference. Undecided: more seeds are
needed. Untestable here: both sides are at the metric's optimum, or the same in every seed, or
nothing could make the claim fail. Of the claims of a paper that are called supported at most
one in twenty is expected to be so wrongly. The effect is that of a less b
after training in the unit of the metric [95% interval], or a's value where a claim compares with
nothing. Of several settings it is the least and the largest. Below it is the paper's own number,
of its own models and tasks.
`

// Table is the table of claims, spec by spec, for a terminal. The paper's own number, if the
// claim has one, is below the effect.
func Table(verdicts []Verdict) string {
	var b strings.Builder
	b.WriteString(tableHead)
	last := "\n" + Tally(verdicts) + "\n"
	for len(verdicts) > 0 {
		n := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Spec != verdicts[0].Spec })
		if n < 0 {
			n = len(verdicts)
		}
		b.WriteString("\n" + verdicts[0].Spec)
		if source := verdicts[0].Source; source != "" {
			fmt.Fprintf(&b, " (%s)", source)
		}
		b.WriteString("\n" + specTable(verdicts[:n]))
		verdicts = verdicts[n:]
	}
	return b.String() + last
}

// specTable is the table of one spec's claims.
func specTable(verdicts []Verdict) string {
	var rows [][]string
	width := 0 // of the column of answers, left of the effects
	for _, v := range verdicts {
		text := v.Claim.Text
		if v.Claim.Source != "" {
			text += " (" + v.Claim.Source + ")"
		}
		rows = append(rows, []string{v.Outcome(), v.Effect(), v.metrics(), text})
		width = max(width, utf8.RuneCountInString(v.Outcome()))
	}
	var b strings.Builder
	for i, line := range slices.Collect(strings.Lines(analysis.Indent(table.Grid(rows).Text()))) {
		b.WriteString(line)
		if paper := verdicts[i].Claim.Paper; paper != "" {
			fmt.Fprintf(&b, "  %*s  paper: %s\n", width, "", paper)
		}
	}
	return b.String()
}

// metrics names the metrics of the claim.
func (v *Verdict) metrics() string { return strings.Join(v.Claim.Metrics, ", ") }

// Markdown is the table of claims as Markdown.
func Markdown(verdicts []Verdict) string {
	return markdown(verdicts, []string{"claim", "paper", "metric", "answer", "effect"}, func(v *Verdict) []string {
		return []string{v.Claim.Text, sourceText(v.Claim), v.metrics(), v.Outcome(), v.Effect()}
	})
}

// markdown has a row for each claim, with the cells behind its spec, and the tally.
func markdown(verdicts []Verdict, head []string, cells func(v *Verdict) []string) string {
	g := table.Grid{append([]string{"spec"}, head...)}
	for i := range verdicts {
		row := append([]string{"`" + verdicts[i].Spec + "`"}, each.Map(cells(&verdicts[i]), table.MarkdownText)...)
		g = append(g, row)
	}
	return g.Markdown() + "\n" + Tally(verdicts) + "\n"
}

// sourceText names the source of a claim, and the paper's own numbers.
func sourceText(c record.Claim) string {
	if c.Source == "" || c.Paper == "" {
		return c.Source + c.Paper
	}
	return c.Source + ": " + c.Paper
}

// Tally counts the answers: "3 claims: 2 supported, 1 undecided". Untestable claims are not in
// the count; they are named last.
func Tally(verdicts []Verdict) string {
	var words []string
	for _, answer := range Answers {
		n := each.Count(verdicts, func(v Verdict) bool { return v.Answer == answer })
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, answer))
		}
	}
	return plural.Count(len(verdicts), "claim") + ": " + strings.Join(words, ", ")
}

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

// JSON is verdicts as the list that bench claims --format json prints, for encoding/json.
func JSON(verdicts []Verdict) []table.Object {
	interval := func(i stats.Interval) table.Object {
		return table.Object{{"mean", i.Mean}, {"low", i.Low}, {"high", i.High}, {"n", i.N}}
	}
	ps := func(supported, opposed, noDifference float64) table.Object {
		return table.Object{{"supported", supported}, {"opposed", opposed}, {"no_difference", noDifference}}
	}
	out := []table.Object{}
	for _, v := range verdicts {
		var settings []table.Object
		for _, s := range v.Settings {
			axes := map[string]string{}
			for _, a := range s.Axes {
				axes[a.Field] = a.Value
			}
			settings = append(settings, table.Object{
				{"metric", s.Metric}, {"a", s.A}, {"b", s.B}, {"axes", axes}, {"effect", interval(s.Effect)}, {"in_deltas", interval(s.InDeltas(v.Claim))},
				{"p", ps(s.Finding.Supported, s.Finding.Opposed, s.Finding.NoDifference)}, {"answer", s.Answer}, {"reason", s.Reason}, {"left_out", s.LeftOut}, {"needs", s.Needs},
			}.Without("b", "reason", "left_out", "needs"))
		}
		out = append(out, table.Object{
			{"spec", v.Spec}, {"claim", v.Claim.Name}, {"text", v.Claim.Text}, {"source", v.Claim.Source}, {"paper", v.Claim.Paper},
			{"metrics", v.Claim.Metrics}, {"says", Sentence(v.Claim)}, {"answer", v.Answer},
			{"p", ps(v.Among.Supported, v.Among.Opposed, v.Among.NoDifference)}, {"needs", v.Needs}, {"settings", settings},
		}.Without("needs"))
	}
	return out
}
