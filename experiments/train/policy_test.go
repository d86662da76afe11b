package train

import (
	"context"
	"testing"

	"modebench/experiments/spec"
	"modebench/policies"
)

// policyOf makes the policy that a cell begins with, a transformer pre-trained anew.
func policyOf(tb testing.TB, p *spec.Setup) policies.Policy {
	tb.Helper()
	policy, _, err := (&Bases{opt: BaseOptions{Dir: tb.TempDir()}}).policy(context.Background(), p)
	if err != nil {
		tb.Fatal(err)
	}
	return policy
}
