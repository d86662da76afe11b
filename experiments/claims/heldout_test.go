package claims

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/metrics/stats"
)

// TestHeldOutTogether: the verdicts on held-out problems are of one spec each, corrected for the
// claims of that spec. Corrected for all claims of a paper on held-out problems, some answers are
// others: results/held-out.md names these, and no more.
func TestHeldOutTogether(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../results/held-out.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "Corrected for all claims of a paper")
	if !found {
		t.Fatal("the page does not say what a correction among all specs changes")
	}
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	files, err := filepath.Glob(filepath.FromSlash("../../results/verdicts/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	type one struct {
		name string
		ClaimAnswer
	}
	papers, all := map[string][]one{}, 0
	for _, file := range files {
		doc, err := ReadDocument(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range doc.Claims {
			// Of claims that were taken back there are p values, and they still count.
			if doc.Policy == "transformer" && !math.IsNaN(float64(c.P.Supported)) {
				papers[c.Paper] = append(papers[c.Paper], one{fmt.Sprintf("`%s` of `%s`", c.Claim, doc.Spec), c})
				all++
			}
		}
	}
	if all == 0 {
		t.Fatal("no verdicts on held-out problems")
	}
	changed := 0
	for _, list := range papers {
		var s, o, n []float64
		for _, c := range list {
			s, o, n = append(s, float64(c.P.Supported)), append(o, float64(c.P.Opposed)), append(n, float64(c.P.NoDifference))
		}
		s, o, n = stats.BenjaminiHochberg(s), stats.BenjaminiHochberg(o), stats.BenjaminiHochberg(n)
		for i, c := range list {
			if now := (PValues{s[i], o[i], n[i]}).ofClaim(); now != c.Answer && c.Answer != stats.Untestable {
				changed++
				if want := fmt.Sprintf("%s is %s", c.name, now); !strings.Contains(strings.ReplaceAll(paragraph, "\n", " "), want) {
					t.Errorf("the page does not say %q (it was %s; p = %.3g, %.3g, %.3g)", want, c.Answer, s[i], o[i], n[i])
				}
			}
		}
	}
	if said := strings.Count(paragraph, "` of `"); said != changed {
		t.Errorf("the page names %d answers that change, and %d do", said, changed)
	}
}
