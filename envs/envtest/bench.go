package envtest

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// Demonstrate measures the rate of demonstrations.
func Demonstrate(b *testing.B, p envs.Problem) {
	b.Helper()
	r, total := rng.New(1).Rand(), 0
	b.ReportAllocs()
	for b.Loop() {
		total += len(p.Demonstrate(r))
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "tokens/s")
}

// Rates runs a script like the function Python and returns the numbers that it prints, a
// name and a number on each line; nil without a Python interpreter.
func Rates(b *testing.B, input []byte, script string) map[string]float64 {
	b.Helper()
	out := Python(b, input, script)
	if out == nil {
		return nil
	}
	rates := map[string]float64{}
	for line := range strings.Lines(string(out)) {
		var name string
		var rate float64
		if _, err := fmt.Sscan(line, &name, &rate); err != nil {
			b.Fatalf("the baseline prints %q: %v", line, err)
		}
		rates[name] = rate
	}
	return rates
}

// Python runs a script, the plain baseline of a benchmark, on an input, and returns its
// output; nil without a Python interpreter. A script that fails fails the test.
func Python(tb testing.TB, input []byte, script string, args ...string) []byte {
	tb.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		tb.Log("no python3: no baseline")
		return nil
	}
	cmd := exec.Command(python, append([]string{script}, args...)...)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("the baseline %s failed: %v", script, err)
	}
	return out
}
