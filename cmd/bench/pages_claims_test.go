package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/spec"
)

// A firstVerdict is what a claim came to by the gate that was written first.
type firstVerdict struct {
	Spec, Policy, Claim, Gate, Verdict string
	Holds, Judged, Settings            int
}

func firstVerdicts(t *testing.T) (tabular []firstVerdict) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "results", "first-verdicts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []firstVerdict
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Policy == "tabular" {
			tabular = append(tabular, v)
		}
	}
	return tabular
}

// TestPagesClaims holds the table of results/claims.md against the verdicts that are kept: a row
// for each claim, in their order, with the verdict, and the counts at its end. The README counts
// them too.
func TestPagesClaims(t *testing.T) {
	text := pageText(t, "results/claims.md")
	_, table, _ := strings.Cut(text, "|---|")
	var rows []string
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	verdicts, kinds := firstVerdicts(t), map[string]int{}
	if len(rows) != len(verdicts) || len(rows) == 0 {
		t.Fatalf("the page has %d rows, and %d verdicts are kept", len(rows), len(verdicts))
	}
	for i, v := range verdicts {
		want := v.Verdict
		if want == "in part" {
			want = fmt.Sprintf("in part: %d of %d", v.Holds, v.Judged)
		}
		if without := v.Settings - v.Judged; without > 0 {
			want += fmt.Sprintf(" (%d without a verdict)", without)
		}
		if !strings.HasPrefix(rows[i], "| `"+v.Spec+"` | ") || !strings.Contains(rows[i], " | "+want+" | ") {
			t.Errorf("row %d: %s\nwant one of %s, %s", i, rows[i], v.Spec, want)
		}
		kinds[v.Verdict]++
	}
	tally := fmt.Sprintf("\n%d claims: %d reproduced, %d in part, %d not reproduced\n", len(rows), kinds["reproduced"], kinds["in part"], kinds["not reproduced"])
	if !strings.Contains(text, tally) {
		t.Errorf("the page does not say %q", tally)
	}
	if total := fmt.Sprintf("lists all %d claims", len(rows)); !strings.Contains(pageText(t, "README.md"), total) {
		t.Errorf("the README does not say %q", total)
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

// TestFirstGatesStand: the gate that a claim was first judged by is the one that its spec has
// still, but for claims that are gone, of which the page says why.
func TestFirstGatesStand(t *testing.T) {
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
