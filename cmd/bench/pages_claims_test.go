package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/claims"
	"modebench/experiments/spec"
	"modebench/metrics/stats"
)

// firstVerdicts are the verdicts of the gates that were written first, under tabular policies.
func firstVerdicts(t *testing.T) (tabular []claims.First) {
	t.Helper()
	all, err := claims.ReadFirst(filepath.Join("..", "..", "results", "first-verdicts.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Policy == "tabular" {
			tabular = append(tabular, v)
		}
	}
	return tabular
}

// claimColumns are the columns of results/claims.md.
const claimColumns = "| spec | claim | paper | metric | first verdict | answer | effect | why they differ |"

// tableRows are the rows, as lists of cells, of every table of a page that has this head.
func tableRows(page, head string) (rows [][]string) {
	inside := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		switch {
		case line == head:
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|--"):
			cells := strings.Split(strings.Trim(line, "|"), " | ")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
	}
	return rows
}

// keptVerdicts are the verdicts of results/verdicts under a kind of policy, spec by spec in the
// order of listings.
func keptVerdicts(t *testing.T, policy string) (out []claims.Document) {
	t.Helper()
	builtins, err := spec.Builtins()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range builtins {
		doc, err := claims.ReadDocument(filepath.Join("..", "..", "results", "verdicts", b.Name+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if doc.Policy == policy {
			out = append(out, doc)
		}
	}
	return out
}

// TestPagesClaims holds the table of results/claims.md against the verdicts that are kept: a row
// for each claim, in their order, with the answer and the first verdict, and the counts at its
// end. The README counts the claims too.
func TestPagesClaims(t *testing.T) {
	text := pageText(t, "results/claims.md")
	rows, first, counts := tableRows(text, claimColumns), map[string]claims.First{}, map[stats.Answer]int{}
	for _, v := range firstVerdicts(t) {
		first[v.Spec+" "+v.Claim] = v
	}
	n := 0
	for _, doc := range keptVerdicts(t, "tabular") {
		for _, c := range doc.Claims {
			if n++; n > len(rows) {
				continue
			}
			row, was := rows[n-1], "none"
			if v, ok := first[doc.Spec+" "+c.Claim]; ok {
				was = v.String()
			}
			if len(row) != 8 || row[0] != "`"+doc.Spec+"`" || row[4] != was || !strings.HasPrefix(row[5], string(c.Answer)) {
				t.Errorf("row %d: %q\nwant %s, %s: first %s, then %s", n, row, doc.Spec, c.Claim, was, c.Answer)
			}
			counts[c.Answer]++
		}
	}
	if n != len(rows) || n == 0 {
		t.Fatalf("the page has %d rows, and %d verdicts are kept", len(rows), n)
	}
	if tally := "\n" + tallyOf(counts) + "\n"; !strings.Contains(text, tally) {
		t.Errorf("the page does not say %q", tally)
	}
	if total := fmt.Sprintf("lists all %d claims", n); !strings.Contains(pageText(t, "README.md"), total) {
		t.Errorf("the README does not say %q", total)
	}
}

// tallyOf counts claims as a page does: "25 claims: 15 supported, ...".
func tallyOf(counts map[stats.Answer]int) string {
	n, words := 0, []string{}
	for _, answer := range claims.Answers {
		if counts[answer] > 0 {
			n += counts[answer]
			words = append(words, fmt.Sprintf("%d %s", counts[answer], answer))
		}
	}
	return fmt.Sprintf("%d claims: %s", n, strings.Join(words, ", "))
}

// TestPageHeldOut holds the table of results/held-out.md against the verdicts that are kept under
// transformers: a row for each claim, in their order, with its answer, and the counts.
func TestPageHeldOut(t *testing.T) {
	text := pageText(t, "results/held-out.md")
	rows := tableRows(text, "| spec | claim | paper | metric | answer | effect |")
	counts, n := map[stats.Answer]int{}, 0
	for _, doc := range keptVerdicts(t, "transformer") {
		s, err := spec.Load(doc.Spec)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range doc.Claims {
			counts[c.Answer]++
			if n++; n > len(rows) {
				continue
			}
			row := rows[n-1]
			if len(row) != 6 || row[0] != "`"+doc.Spec+"`" || s.Claims[i].Name != c.Claim || row[1] != s.Claims[i].Text || !strings.HasPrefix(row[4], string(c.Answer)) {
				t.Errorf("row %d: %q\nwant %s: %s: %s", n, row, doc.Spec, s.Claims[i].Text, c.Answer)
			}
		}
	}
	if n != len(rows) || n == 0 {
		t.Fatalf("the page has %d rows, and %d verdicts are kept", len(rows), n)
	}
	if tally := tallyOf(counts); !strings.Contains(text, tally) {
		t.Errorf("the page does not say %q", tally)
	}
}

// TestPagesCounts holds the README's counts of answers, paper by paper, against the verdicts that
// are kept: on held-out problems, and on those that were trained on.
func TestPagesCounts(t *testing.T) {
	rows := tableRows(pageText(t, "README.md"), "| claims about | on held-out problems, a small transformer | with tabular policies, mostly on the problems trained on |")
	papers := []string{"SetPO", "Poly-EPO", "VPO", "SD-E2", "Evol-RL", "other papers", "no paper, our own", "all"}
	counts := map[string]map[stats.Answer]int{}
	for _, policy := range []string{"transformer", "tabular"} {
		for _, doc := range keptVerdicts(t, policy) {
			for _, c := range doc.Claims {
				of := "other papers"
				if at := slices.IndexFunc(papers[:5], func(p string) bool { return strings.HasPrefix(c.Paper, p) }); at >= 0 {
					of = papers[at]
				} else if c.Paper == "our own" {
					of = "no paper, our own"
				}
				for _, row := range []string{of, "all"} {
					if counts[row+policy] == nil {
						counts[row+policy] = map[stats.Answer]int{}
					}
					counts[row+policy][c.Answer]++
				}
			}
		}
	}
	cell := func(of map[stats.Answer]int) string {
		n, parts := 0, []string{}
		for _, k := range of {
			n += k
		}
		for _, answer := range claims.Answers {
			if k := of[answer]; k > 0 && len(parts) == 0 {
				parts = append(parts, fmt.Sprintf("%s of %s %s", inWords(k, n), inWords(n, n), answer))
			} else if k > 0 {
				parts = append(parts, inWords(k, n)+" "+strings.TrimSuffix(string(answer), " here"))
			}
		}
		if n == 0 {
			return "no claims"
		}
		return strings.Join(parts, ", ")
	}
	var want [][]string
	for _, paper := range papers {
		want = append(want, []string{paper, cell(counts[paper+"transformer"]), cell(counts[paper+"tabular"])})
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("the README's counts (-want +got):\n%s", d)
	}
	small := strings.Count(pageText(t, "results/held-out.md"), "| supported, by less than delta |")
	tabular := strings.Count(pageText(t, "results/claims.md"), "| supported, by less than delta |")
	if want := fmt.Sprintf("%d on held-out problems and %d with tabular policies have an effect below the smallest that matters", small, tabular); !strings.Contains(strings.ReplaceAll(pageText(t, "README.md"), "\n", " "), want) {
		t.Errorf("the README does not say %q", want)
	}
}

// inWords is one of n in words, or in digits where n has three of them.
func inWords(k, n int) string {
	small := strings.Fields("no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	switch {
	case n >= 100:
		return fmt.Sprint(k)
	case k < 20:
		return small[k]
	case k%10 == 0:
		return tens[k/10]
	}
	return tens[k/10] + "-" + small[k%10]
}

// TestPagesOfPapers: each row of results/claims.md is on one page of a paper too, beside its
// explanation, in the same words.
func TestPagesOfPapers(t *testing.T) {
	all := map[string]int{}
	for _, row := range tableRows(pageText(t, "results/claims.md"), claimColumns) {
		all[strings.Join([]string{row[1], row[4], row[5], row[6]}, " | ")]++
	}
	for _, page := range []string{"setpo", "poly-epo", "vpo", "sd-e2", "evol-rl", "own"} {
		for _, row := range tableRows(pageText(t, "results/"+page+".md"), "| claim | first verdict | answer | effect |") {
			all[strings.Join(row, " | ")]--
		}
	}
	for row, n := range all {
		if n != 0 {
			t.Errorf("results/claims.md has this row %d times more than the pages of the papers: %s", n, row)
		}
	}
}

// gone are claims that were judged by gates and that no spec makes any more, with the reason.
var gone = map[string]string{
	"grpo-collapses-setpo-does-not": "its halves are claims of their own",
	"div-flat":                      "its halves are claims of their own",
	"votes-no-worse":                "untestable: every method's majority is right",
	"solved-100":                    "untestable: every method solves every problem by then",
	"solved-300":                    "untestable: every method solves every problem by then",
	"nothing-left-at-one":           "untestable: with equal components VPO is Multi-RLVR, and GRPO is at the optimum",
	"little-left-at-nine-tenths":    "untestable: the front has one vector, which every method finds",
	"one-method-in-pairs":           "an identity, which a unit test of the estimators has",
}

// TestSpecsKeepTheirFirstGates: a spec still has the gate that its claim was first judged by, but for
// claims that are gone, whose reason the page has.
func TestSpecsKeepTheirFirstGates(t *testing.T) {
	page := pageText(t, "results/claims.md")
	for name, why := range gone {
		if !strings.Contains(page, "`"+name+"`: "+why) {
			t.Errorf("results/claims.md does not say that %s is gone: %s", name, why)
		}
	}
	gates := map[string]string{}
	for _, v := range firstVerdicts(t) {
		if gone[v.Claim] == "" {
			gates[v.Spec+" "+v.Claim] = v.Gate
		}
	}
	builtins, err := spec.Builtins()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range builtins {
		s, err := spec.Load(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Claims {
			key := b.Name + " " + c.Name
			if gate, judged := gates[key]; judged && gate != c.Gate {
				t.Errorf("%s: the gate was %q, and is %q", key, gate, c.Gate)
			}
			delete(gates, key)
		}
	}
	for key := range gates {
		t.Errorf("%s was judged, and no spec claims it", key)
	}
}
