package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"modebench/experiments/record"
	"modebench/internal/latex"
	"modebench/internal/visible"
)

// shownKs are the k of the pass@k in the table.
var shownKs = []int{1, 8, 64}

// GroupShown is the group size that a table or a figure of one size shows: the largest
// at which some row is exact, or else the largest.
func GroupShown(a *record.Audit) int {
	best, largest := 0, 0
	for _, row := range a.Rows {
		largest = max(largest, row.Group)
		if row.How == record.AuditExact {
			best = max(best, row.Group)
		}
	}
	if best > 0 {
		return best
	}
	return largest
}

// A table is the lines of an audit under their head, and the family of each.
type table struct {
	about           string
	lines           [][]string
	families, notes []string // notes: what is not audited, and why
}

// tableOf is the table at the group size of GroupShown, or at all group sizes.
func tableOf(a *record.Audit, all bool) table {
	group := GroupShown(a)
	head := []string{"method", "claims", "scale", "bias", "cosine", "SNR"}
	if all {
		head = slices.Insert(head, 1, "N")
	}
	for _, k := range shownKs {
		head = append(head, fmt.Sprintf("pass@%d", k))
	}
	t := table{lines: [][]string{head}, families: []string{""}}
	for _, row := range a.Rows {
		if !all && row.Group != group {
			continue
		}
		if row.How == "" {
			t.notes = append(t.notes, fmt.Sprintf("%s, N = %d: %s", row.Label, row.Group, visible.Text(row.Why)))
			continue
		}
		t.lines = append(t.lines, lineOf(a, row, all))
		t.families = append(t.families, row.Family)
	}
	sizes := fmt.Sprintf("groups of %d", group)
	if all {
		sizes = "by group size N"
	}
	t.about = fmt.Sprintf("Steps on %d bandits, %s. Rows are exact, or sampled where a ± is half the width of a 95%% interval.\n", a.Problems, sizes)
	return t
}

// Text is the audit as a table: at the group size of GroupShown, or at all group sizes.
func Text(a *record.Audit, all bool) string {
	t := tableOf(a, all)
	var b strings.Builder
	b.WriteString(t.about)
	writeTable(&b, t.lines, t.families)
	b.WriteString(tableKey)
	if a.Parallel {
		b.WriteString(parallelText)
	}
	if t.notes != nil {
		fmt.Fprintf(&b, "\nNot audited:\n  %s\n", strings.Join(t.notes, "\n  "))
	}
	return b.String()
}

// LaTeX is the table of Text for a paper, as latex.Table has it, with a heading for each family.
func LaTeX(a *record.Audit, all bool) string {
	t := tableOf(a, all)
	rows := t.lines[:1:1]
	for i, line := range t.lines[1:] {
		if family := t.families[i+1]; family != t.families[i] {
			rows = append(rows, []string{family})
		}
		rows = append(rows, line)
	}
	for _, note := range t.notes {
		t.about += "Not audited: " + note + "\n"
	}
	return latex.Table(t.about+strings.TrimPrefix(tableKey, "\n"), rows)
}

const tableKey = `
scale: the expected step along the exact gradient of what the method claims, in gradients
bias:  what of the expected step points elsewhere, as a share of its length; 0: unbiased in direction
SNR:   |expected step|^2 / variance of a step from one group a problem; 1 / SNR is the relative variance
pass@k: cosine of the expected step and the exact gradient of pass@k
`

const parallelText = `
The gradients of pass@k are parallel here, so the columns of pass@k are equal whatever the method.
On one bandit with rewards of 0 and 1 they always are, and on several that are equally hard. To see
a difference, audit on the audit's own bandits (without --problems and --set, and with a spec that
sets nothing in [env]), or make them differ: --problems 48 --set start=zipf.
`

// lineOf is a row of the table.
func lineOf(a *record.Audit, row record.AuditRow, all bool) []string {
	claim := visible.Text(row.Claim) // a plug-in says its own
	if claim == "" {
		claim = "-"
	}
	line := []string{row.Label, claim, numberText(row.Scale), numberText(row.Bias), numberText(row.Cosine), numberText(row.SNR)}
	if all {
		line = slices.Insert(line, 1, strconv.Itoa(row.Group))
	}
	for _, k := range shownKs {
		cell := "-"
		if at := slices.Index(a.Ks, k); at >= 0 && row.Pass[at] != nil {
			cell = strings.TrimPrefix(strconv.FormatFloat(row.Pass[at].Value, 'f', 3, 64), "-0.000")
			if cell == "" {
				cell = "0.000"
			}
		}
		line = append(line, cell)
	}
	return line
}

// numberText writes a number and half of its interval; a number below rounding is 0.
func numberText(x *record.AuditNumber) string {
	if x == nil {
		return "-"
	}
	if x.Low == nil || x.High == nil {
		if math.Abs(x.Value) < 1e-12 {
			return "0"
		}
		return strconv.FormatFloat(x.Value, 'g', 4, 64)
	}
	half := (*x.High - *x.Low) / 2
	decimals := 3
	if half > 0 {
		decimals = min(max(-int(math.Floor(math.Log10(half))), 0), 4)
	}
	return strconv.FormatFloat(x.Value, 'f', decimals, 64) + "±" + strconv.FormatFloat(half, 'f', decimals, 64)
}

// writeTable aligns the lines, texts to the left and numbers to the right, under a line
// for every family.
func writeTable(b *strings.Builder, lines [][]string, families []string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for c, cell := range line {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	for i, line := range lines {
		if i > 0 && families[i] != families[i-1] {
			b.WriteString("\n")
			if families[i] != "" {
				fmt.Fprintf(b, "%s\n", families[i])
			}
		}
		var row strings.Builder
		for c, cell := range line {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if lines[0][c] == "method" || lines[0][c] == "claims" {
				row.WriteString(cell + pad + "  ")
			} else {
				row.WriteString(pad + cell + "  ")
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
}
