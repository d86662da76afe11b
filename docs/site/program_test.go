package main

import (
	"strings"
	"testing"

	"modebench/experiments/claims"
)

// TestReadTableRefusesOtherText: text without a table of CSV is an error with the reason.
func TestReadTableRefusesOtherText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "printed nothing"},
		{"a,b\n1\n", "wrong number of fields"},
	} {
		if _, err := readTable(c.text); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "%!") {
			t.Errorf("%q: got the error %v, want one with %q", c.text, err, c.want)
		}
	}
	rows, err := readTable("a,b\n1,2\n")
	if err != nil || len(rows) != 1 || rows[0]["b"] != "2" {
		t.Errorf("got %v and the error %v, want a row with b = 2", rows, err)
	}
}

// TestVerdictWithoutClaimIsAnError: a verdict on a claim that its spec does not have is not left out of
// the page in silence.
func TestVerdictWithoutClaimIsAnError(t *testing.T) {
	s := ofRepository(t)
	for _, f := range s.facts.specs {
		if f.Name != "dose" {
			continue
		}
		doc := *f.Verdict
		doc.Claims = append([]claims.ClaimAnswer{{Claim: "renamed"}}, doc.Claims...)
		f.Verdict = &doc
		if err := s.specPage(f, nil); err == nil || !strings.Contains(err.Error(), "dose renamed") {
			t.Errorf("got the error %v, want one that names dose renamed", err)
		}
		return
	}
	t.Error("there is no spec dose")
}
