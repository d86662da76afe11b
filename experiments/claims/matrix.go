package claims

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/table"
	"modebench/metrics/stats"
)

// A mark is an answer's sign, and a letter for places that cannot show the sign.
type mark struct{ sign, letter string }

func (m mark) String() string { return m.sign + m.letter }

// marks are those of a matrix.
var marks = map[stats.Answer]mark{
	stats.Supported:    {"✓", "S"},
	stats.Opposed:      {"✕", "O"},
	stats.NoDifference: {"=", "N"},
	stats.Mixed:        {"±", "M"},
	stats.Undecided:    {"?", "U"},
	stats.Untestable:   {"–", "T"},
}

// Matrix is a table of all claims as Markdown, which can be read in a terminal too: a row for
// each spec, with the mark of the answer to each of its claims. Specs are listed below their
// paper, in a row that counts the answers to all claims of the paper. Claims that a spec makes
// for another paper follow the name of that paper.
func Matrix(verdicts []Verdict) string {
	rows := [][2]string{{"paper, spec", "claims"}}
	for _, paper := range matrixPapers(verdicts) {
		rows = append(rows, [2]string{"**" + table.MarkdownText(paper) + "**", matrixCounts(OfPaper(verdicts, paper))})
		for _, spec := range specsOf(verdicts, paper) {
			rows = append(rows, [2]string{"`" + spec[0].Spec + "`", matrixCell(spec, paper)})
		}
	}
	widths := [2]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("|")
		for j, cell := range row {
			b.WriteString(" " + cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)) + " |")
		}
		b.WriteString("\n")
		if i == 0 {
			fmt.Fprintf(&b, "|%s|%s|\n", strings.Repeat("-", widths[0]+2), strings.Repeat("-", widths[1]+2))
		}
	}
	legend := each.Map(Answers, func(answer stats.Answer) string { return marks[answer].String() + " " + string(answer) })
	fmt.Fprintf(&b, "\n%s. %s.\n", strings.Join(legend, ", "), Tally(verdicts))
	return b.String()
}

// home is the paper that a spec is after: the first of its sources.
func home(v Verdict) string { return Paper(record.Claim{Source: v.Source}) }

// matrixPapers are the papers of a matrix: those that claims are of or that specs are after,
// with our own last.
func matrixPapers(verdicts []Verdict) []string {
	var all []Verdict
	for _, v := range verdicts {
		all = append(all, Verdict{Claim: record.Claim{Source: home(v)}}, v)
	}
	return Papers(all)
}

// specsOf are the verdicts of each spec that is after a paper.
func specsOf(verdicts []Verdict, paper string) [][]Verdict {
	var out [][]Verdict
	for _, v := range verdicts {
		if home(v) != paper {
			continue
		}
		i := slices.IndexFunc(out, func(list []Verdict) bool { return list[0].Spec == v.Spec })
		if i < 0 {
			i, out = len(out), append(out, nil)
		}
		out[i] = append(out[i], v)
	}
	return out
}

// matrixCell is a mark for each claim of a spec: first those of the paper that it is after, then
// those of others behind their names.
func matrixCell(verdicts []Verdict, paper string) string {
	signs := func(paper string) string {
		return strings.Join(each.Map(OfPaper(verdicts, paper), func(v Verdict) string { return marks[v.Answer].String() }), " ")
	}
	var parts []string
	if text := signs(paper); text != "" {
		parts = append(parts, text)
	}
	for _, cited := range Papers(verdicts) {
		if cited != paper {
			parts = append(parts, table.MarkdownText(cited)+": "+signs(cited))
		}
	}
	return strings.Join(parts, "; ")
}

// matrixCounts counts the answers: "5 claims: 3 ✓S, 2 ?U".
func matrixCounts(verdicts []Verdict) string {
	text := strings.TrimSuffix(Tally(verdicts), ": ")
	for _, answer := range Answers {
		text = strings.ReplaceAll(text, " "+string(answer), " "+marks[answer].String())
	}
	return text
}
