package claims

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerdictsOfDocuments: every document of results/verdicts gives its verdicts back, with the
// effects that it has, and another's registration does not fit.
func TestVerdictsOfDocuments(t *testing.T) {
	results := filepath.Join("..", "..", "results")
	files, err := filepath.Glob(filepath.Join(results, "verdicts", "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d documents (%v)", len(files), err)
	}
	near := func(a, b float64) bool {
		return math.IsNaN(a) && math.IsNaN(b) || a == b || math.Abs(a-b) <= 1e-9*math.Abs(a)
	}
	var last Registration
	for _, file := range files {
		doc, err := ReadDocument(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadRegistration(filepath.Join(results, "registered", filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := doc.Verdicts(r)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, v := range verdicts {
			if v.Answer != doc.Claims[i].Answer || Paper(v.Claim) != doc.Claims[i].Paper || strings.Contains(v.Outcome(), "%!") {
				t.Errorf("%s: %s is %s of %s", file, v.Claim.Name, v.Answer, Paper(v.Claim))
			}
			for j := range v.Settings {
				got, want := v.Settings[j].InDeltas(v.Claim), doc.Settings[n].InDeltas
				if want := [3]float64{float64(want[0]), float64(want[1]), float64(want[2])}; v.Settings[j].Finding.N > 0 && (!near(got.Mean, want[0]) || !near(got.Low, want[1]) || !near(got.High, want[2])) {
					t.Errorf("%s: %s, %s: %v deltas, want %v", file, v.Claim.Name, v.Label(j), got, want)
				}
				n++
			}
		}
		if n != len(doc.Settings) {
			t.Errorf("%s: %d of %d settings", file, n, len(doc.Settings))
		}
		if _, err := doc.Verdicts(last); err == nil {
			t.Errorf("%s fits the registration of %s", file, last.Spec)
		}
		last = r
	}
}

// TestUnplaced: a label loses the setting that both sides share, and nothing else.
func TestUnplaced(t *testing.T) {
	doc := AnswerAt{A: "setpo+grpo env=multiplication lambda=0.5", Axes: map[string]string{"env": "multiplication", "train.lr": "0.1"}}
	if got := doc.setting(RegisteredClaim{}.Claim, 1).a.Name; got != "setpo+grpo lambda=0.5" {
		t.Errorf("got %q", got)
	}
}
