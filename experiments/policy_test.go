package experiments

import (
	"context"
	"testing"

	"modebench/policies"
)

// policyOf makes the policy that a cell begins with, pre-trained anew where it is a
// transformer.
func policyOf(tb testing.TB, p *parts) policies.Policy {
	tb.Helper()
	policy, err := p.policy.policy(context.Background(), p, &bases{dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	return policy
}
