package claims

import (
	"math"
	"path/filepath"
	"testing"
)

// keptAt are the verdicts of a file of results/verdicts, with the claims as they were registered.
func keptAt(t *testing.T, file string) ([]Verdict, Document) {
	t.Helper()
	doc, err := ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadRegistration(filepath.Join(filepath.Dir(file), "..", "registered", filepath.Base(file)))
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := doc.Verdicts(r)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts, doc
}

// TestKeptAnswersFollow: every answer of results/verdicts, at a setting and of a claim, follows
// by the rule from the p values kept at the settings; and so do the p values of claims. Those
// of tabular policies were judged together, those of transformers spec by spec.
func TestKeptAnswersFollow(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "results", "verdicts", "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d documents (%v)", len(files), err)
	}
	near := func(p, kept float64) bool {
		return math.IsNaN(p) && math.IsNaN(kept) || math.Abs(p-kept) <= 2e-5*kept
	}
	alike := func(p, kept PValues) bool {
		return near(p.Supported, kept.Supported) && near(p.Opposed, kept.Opposed) && near(p.NoDifference, kept.NoDifference)
	}
	var groups [][]Verdict
	var tabular []Verdict
	for _, file := range files {
		verdicts, doc := keptAt(t, file)
		if doc.Version != CurrentRule.Version {
			t.Errorf("%s: the answers are by rule %d", file, doc.Version)
		}
		if doc.Policy == "tabular" {
			tabular = append(tabular, verdicts...)
		} else {
			groups = append(groups, verdicts)
		}
	}
	for _, kept := range append(groups, tabular) {
		var again []Verdict
		for _, v := range kept {
			v.Settings = append([]Setting(nil), v.Settings...)
			if v.Claim.Combine != pooled { // of a mean over settings they are its own
				v.combine()
			}
			again = append(again, v)
		}
		Together(again)
		for i, v := range again {
			was := kept[i]
			if v.Answer != was.Answer || !alike(v.P, was.P) || !alike(v.Among, was.Among) {
				t.Errorf("%s %s: %s (%+v, %+v), and kept is %s (%+v, %+v)", v.Spec, v.Claim.Name, v.Answer, v.P, v.Among, was.Answer, was.P, was.Among)
			}
			for j := range v.Settings {
				if got, want := v.Settings[j].Answer, was.Settings[j].Answer; got != want {
					t.Errorf("%s %s, %s: %s, and kept is %s", v.Spec, v.Claim.Name, v.Label(j), got, want)
				}
			}
		}
	}
}
