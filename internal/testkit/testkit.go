// Package testkit holds checks that the tests of several packages share.
package testkit

import (
	"math"
	"math/rand/v2"
	"modebench/internal/exact"
	"os"
	"strings"
	"testing"
)

// A Failer holds the common methods of testing.T and rapid.T.
type Failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Near fails unless got and want agree within an absolute tolerance.
func Near(t Failer, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Fatalf("%s: entry %d is %.17g, want %.17g within %g\n got %v\nwant %v", name, i, got[i], want[i], tolerance, got[:min(len(got), 16)], want[:min(len(want), 16)])
		}
	}
}

// Exponential returns a variate of the exponential distribution with mean 1 by inversion, from one word of r.
func Exponential(r *rand.Rand) float64 {
	return 0 - exact.Log(1-float64(float64(r.Uint64()>>11)*0x1p-53)) // 0 - x, so that no result is -0
}

// WantError fails unless err is one line that holds every part.
func WantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error of several lines: %q", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q, want it to contain %q", err, part)
		}
	}
}

// Long skips a test of many seconds unless MODEBENCH_LONG is set, as .ci/run sets it. The reason
// completes "it ...".
func Long(t testing.TB, reason string) {
	t.Helper()
	if _, test := t.(*testing.T); test && os.Getenv("MODEBENCH_LONG") == "" {
		t.Skipf("it %s: MODEBENCH_LONG=1 runs it, as .ci/run does", reason)
	}
}

// OneLine fails unless err is one line that is not empty.
func OneLine(t testing.TB, err error) {
	t.Helper()
	if text := err.Error(); text == "" || strings.ContainsAny(text, "\r\n") {
		t.Fatalf("error is not one line: %q", text)
	}
}
