package train

import (
	"fmt"
	"testing"
)

// TestTimedSteps: how many steps of a cell are timed, and which is the first.
func TestTimedSteps(t *testing.T) {
	for steps, want := range map[int]string{1: "1 from 0", 10: "10 from 0", 64: "16 from 3", 3000: "187 from 15", 1000000: "1000 from 999"} {
		c, timed, first := newClock(steps), 0, -1
		for step := range steps {
			c.begin(step)
			if c.running {
				if timed++; first < 0 {
					first = step
				}
			}
		}
		if got := fmt.Sprintf("%d from %d", timed, first); got != want {
			t.Errorf("of %d steps %s are timed, want %s", steps, got, want)
		}
	}
}
