package sweep

import (
	"context"
	"errors"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
)

// TestOutdatedPlacesGo: where cells stand that the spec no longer has is nobody's to go on
// with, unless another experiment has them too.
func TestOutdatedPlacesGo(t *testing.T) {
	everyStep(t)
	out := t.TempDir()
	cut := func(name, text string) {
		t.Helper()
		s := exptest.Load(t, name, text)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := Run(ctx, s, Options{Out: out, Jobs: 1, Progress: func(done, _ int) {
			if done > 0 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want a run that is cut short", err)
		}
	}
	text := strings.Replace(exptest.Minimal, "every = 10", "every = 5", 1)
	other := strings.Replace(text, "steps = 20", "steps = 20\nlr = 0.07", 1)
	cut("mine.toml", text)
	cut("shared.toml", text)
	first := besides(t, out, ".resume-")
	if len(first) != 1 {
		t.Fatalf("after a run that was cut short: %v", first)
	}
	cut("mine.toml", other)
	if both := besides(t, out, ".resume-"); len(both) != 2 {
		t.Errorf("left are %v, want the cell that shared has too and the new one", both)
	}
	cut("shared.toml", other)
	left := besides(t, out, ".resume-")
	if len(left) != 1 || left[0] == first[0] {
		t.Errorf("left are %v, want that of the one cell that a plan has", left)
	}
}
