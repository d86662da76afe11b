package envtest

import (
	"bytes"
	"os/exec"
	"testing"
)

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
