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
		with := *s
		if with.specPage(f, nil); with.err == nil || !strings.Contains(with.err.Error(), "dose renamed") {
			t.Errorf("got the error %v, want one that names dose renamed", with.err)
		}
		return
	}
	t.Error("there is no spec dose")
}
