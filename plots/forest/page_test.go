package forest

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/claims"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// keptVerdicts are the published answers to claims under a kind of policy.
func keptVerdicts(t *testing.T, policy string) (out []claims.Verdict) {
	t.Helper()
	files, err := filepath.Glob("../../results/verdicts/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		doc, err := claims.ReadDocument(file)
		if err != nil {
			t.Fatal(err)
		}
		if doc.Policy != policy {
			continue
		}
		r, err := claims.ReadRegistration(filepath.Join("..", "..", "results", "registered", filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := doc.Verdicts(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, verdicts...)
	}
	return out
}

// TestManyClaims: a figure of all published claims has columns of about the same height, all claims,
// and no text on another one, with a line for each claim and with one for each setting.
func TestManyClaims(t *testing.T) {
	for policy, n := range map[string]int{"transformer": 148, "tabular": 153} {
		verdicts := keptVerdicts(t, policy)
		if len(verdicts) != n {
			t.Errorf("%d claims under the policy %s, want %d", len(verdicts), policy, n)
		}
		for _, detail := range []Detail{EveryClaim, EverySetting} {
			f, err := (&Claims{Title: "All claims", Rows: RowsOf(verdicts), Detail: detail}).Draw()
			if err != nil {
				t.Fatal(err)
			}
			d := drawtest.Read(t, f)
			drawtest.CheckTexts(t, d)
			columns := math.Round((d.Width + float64(claimAway)) / float64(draw.PageWidth+claimAway))
			if columns < 4 || d.Height > 2*float64(claimTall) {
				t.Errorf("%s, %q: %v columns, %v pt high", policy, detail, columns, d.Height)
			}
			joined := d.Joined()
			for _, label := range []string{"Poly-EPO: ratios", "times as much", "1x", "effect in units of delta"} {
				if !d.Has(label) {
					t.Errorf("%s, %q: no %q", policy, detail, label)
				}
			}
			if !strings.Contains(joined, ", continued") {
				t.Errorf("%s, %q: no paper goes on in the next column", policy, detail)
			}
			for _, v := range verdicts {
				if first := strings.Join(strings.Fields(v.Claim.Text)[:3], " "); !strings.Contains(joined, first) {
					t.Errorf("%s, %q: no claim that begins with %q", policy, detail, first)
				}
			}
		}
	}
}
