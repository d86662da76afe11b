package report

import (
	"testing"

	"modebench/metrics"
)

// TestAliveMass: what counts as found on the page counts as alive in modes_alive. The page is not to
// depend on how metrics are computed, so it has the number again.
func TestAliveMass(t *testing.T) {
	if aliveMass != metrics.AliveMass {
		t.Errorf("found above %v, and alive above %v", aliveMass, metrics.AliveMass)
	}
}
