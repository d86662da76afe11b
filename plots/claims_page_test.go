package plots

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
	files, err := filepath.Glob("../results/verdicts/*.json")
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
		r, err := claims.ReadRegistration(filepath.Join("..", "results", "registered", filepath.Base(file)))
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
			data := ClaimsData("all", "All claims", verdicts, detail)
			f, err := data.Draw()
			if err != nil {
				t.Fatal(err)
			}
			d := drawtest.Read(t, f)
			drawtest.CheckTexts(t, d)
			columns := math.Round((d.Width + float64(claimAway)) / float64(draw.PageWidth+claimAway))
			if columns < 4 || d.Height > 2*float64(claimTall) {
				t.Errorf("%s, %q: %v columns, %v pt high", policy, detail, columns, d.Height)
			}
			for _, label := range []string{"Poly-EPO: ratios", "times as much", "1x", "effect in units of delta"} {
				if !d.Has(label) {
					t.Errorf("%s, %q: no %q", policy, detail, label)
				}
			}
			if !strings.Contains(d.Joined(), ", continued") {
				t.Errorf("%s, %q: no paper goes on in the next column", policy, detail)
			}
			for _, v := range verdicts {
				if first := strings.Join(strings.Fields(v.Claim.Text)[:3], " "); !strings.Contains(d.Joined(), first) {
					t.Errorf("%s, %q: no claim that begins with %q", policy, detail, first)
				}
			}
		}
	}
}

// TestRatioClaims: a claim about a ratio has its effect and its flag on a logarithmic axis, in times as
// much; an older file that does not say which ratio it names has units of delta.
func TestRatioClaims(t *testing.T) {
	rows := scriptedClaims()[2:3]
	f, err := claimsData("claims", "", rows, FewSettings).Draw()
	if err != nil {
		t.Fatal(err)
	}
	d := drawtest.Read(t, f)
	drawtest.CheckTexts(t, d)
	drawtest.WantLabels(t, d, "0.5x", "1x", "10x", "times as much", "more than five times as many modes (pass@16; its bound is 5x)")
	one, _ := d.Find(t, "1x").Middle()
	ten, _ := d.Find(t, "10x").Middle()
	_, y := d.Find(t, "6.5 [5.3, 7.7] times").Middle()
	at := one + (ten-one)*math.Log10(6.5)
	marked := false
	for _, p := range drawtest.Paths(t, d) {
		px, py := p.Center()
		marked = marked || len(p.Points) > 8 && math.Abs(px-at) < 0.6 && math.Abs(py-y) < 2.5
	}
	if !marked {
		t.Errorf("no mark at %.1f, %.1f", at, y)
	}
	rows[0].Times = 0
	if f, err = claimsData("claims", "", rows, FewSettings).Draw(); err != nil {
		t.Fatal(err)
	}
	drawtest.WantLabels(t, drawtest.Read(t, f), "effect in units of delta")
}
