package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/table"
	"modebench/internal/visible"
)

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

// tableOf is the table at the group size of GroupShown, or at all group sizes, with a heading for
// each family. about is its first line, and notes have what is not audited, and why.
func tableOf(a *record.Audit, all bool) (g table.Grid, about string, notes []string) {
	group := GroupShown(a)
	head := []string{"method", "claims", "scale", "bias", "cosine", "SNR"}
	if all {
		head = slices.Insert(head, 1, "N")
	}
	for _, k := range shownKs {
		head = append(head, fmt.Sprintf("pass@%d", k))
	}
	g = table.Grid{head}
	family := ""
	for _, row := range a.Rows {
		if !all && row.Group != group {
			continue
		}
		if row.How == "" {
			notes = append(notes, fmt.Sprintf("%s, N = %d: %s", row.Label, row.Group, visible.Text(row.Why)))
			continue
		}
		if row.Family != family {
			g = append(g, nil)
			if family = row.Family; family != "" {
				g = append(g, []string{family})
			}
		}
		g = append(g, lineOf(a, row, all))
	}
	sizes := fmt.Sprintf("groups of %d", group)
	if all {
		sizes = "by group size N"
	}
	return g, fmt.Sprintf("Steps on %d bandits, %s. Rows are exact, or sampled where a ± is half the width of a 95%% interval.\n", a.Problems, sizes), notes
}

// Text is the audit as a table: at the group size of GroupShown, or at all group sizes.
func Text(a *record.Audit, all bool) string {
	g, about, notes := tableOf(a, all)
	text := about + g.TextAligned(func(column int) bool { return g[0][column] != "method" && g[0][column] != "claims" }) + tableKey
	if a.Parallel {
		text += parallelText
	}
	if notes != nil {
		text += fmt.Sprintf("\nNot audited:\n  %s\n", strings.Join(notes, "\n  "))
	}
	return text
}

// LaTeX is the table of Text for a paper, with the rules of booktabs.
func LaTeX(a *record.Audit, all bool) string {
	g, about, notes := tableOf(a, all)
	for _, note := range notes {
		about += "Not audited: " + note + "\n"
	}
	return g.LaTeX(about + strings.TrimPrefix(tableKey, "\n"))
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

func lineOf(a *record.Audit, row record.AuditRow, all bool) []string {
	claim := visible.Text(row.Claim) // a plug-in states its own
	claim = cmp.Or(claim, "-")
	line := []string{row.Label, claim, numberText(row.Scale), numberText(row.Bias), numberText(row.Cosine), numberText(row.SNR)}
	if all {
		line = slices.Insert(line, 1, strconv.Itoa(row.Group))
	}
	for _, k := range shownKs {
		cell := "-"
		if index := slices.Index(a.Ks, k); index >= 0 && row.Pass[index] != nil {
			cell = table.Three.Text(row.Pass[index].Value)
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
