package claims

import "testing"

// TestNeedsText: a claim that has as many seeds as a plan would take, and is undecided all the
// same, is not told a number.
func TestNeedsText(t *testing.T) {
	for _, c := range []struct {
		needs, have int
		want        string
	}{{41, 40, "needs more than 40 seeds"}, {42, 40, "needs 42 seeds"}, {212, 10, "needs 212 seeds"}} {
		if got := needsText(c.needs, c.have); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.have, c.needs, got, c.want)
		}
	}
}
