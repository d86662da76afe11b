package main

import (
	"strings"
	"testing"

	"modebench/experiments/claims"
)

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
