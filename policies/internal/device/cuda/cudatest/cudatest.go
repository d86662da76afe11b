// Package cudatest says what tests compute on instead of the processor: a library that
// stands in for the NVIDIA driver and runs the kernels on the CPU, or a card.
package cudatest

import (
	"os"
	"testing"
)

// Variable is the environment variable that says what tests compute on: nothing for the
// library that stands in for the driver, with the kernels as they are written; "ptx" for
// that library with the kernels as they are in kernels.ptx; "card" for a card.
const Variable = "MODEBENCH_CUDA_TEST"

// mode is the value of Variable. Any value that is not known is an error, so that nobody
// takes the stand-in's results for a card's.
func mode(t testing.TB) string {
	t.Helper()
	value := os.Getenv(Variable)
	switch value {
	case "", "ptx", "card":
	default:
		t.Fatalf("%s is %q, want card, ptx, or nothing for the library that stands in for the driver", Variable, value)
	}
	return value
}

// Card says that the tests are to run on a card, the first that the driver lists.
func Card(t testing.TB) bool {
	t.Helper()
	return mode(t) == "card"
}

// StandIn skips tests that are about the library that stands in for the driver where
// the tests run on a card.
func StandIn(t testing.TB) {
	t.Helper()
	if Card(t) {
		t.Skipf("about the library that stands in for the driver, and %s=card asks for a card", Variable)
	}
}

// NeedCard skips tests that take too long on the library that stands in for the driver.
func NeedCard(t testing.TB) {
	t.Helper()
	if !Card(t) {
		t.Skipf("needs a card, and %s=card to use it", Variable)
	}
}

// Library gives the library of the driver that devices are opened with: "", the
// driver's own, on a card, else the path of the one that stands in for it. The test is
// skipped where there is nothing to build or open the latter with.
func Library(t testing.TB) string {
	t.Helper()
	switch {
	case mode(t) == "card":
		return ""
	case instead != "":
		return instead
	case mode(t) == "ptx":
		return need(t, ofPTX)
	}
	return need(t, ofSources)
}

// Recording gives the library that stands in for the driver with the kernels as they are
// in kernels.ptx, which tells of each launch (shim/record.cc).
func Recording(t testing.TB) string {
	t.Helper()
	StandIn(t)
	return need(t, recording)
}

// PTX is the environment variable that names a file to take the place of kernels.ptx, for
// tests of what wrong kernels do.
const PTX = "MODEBENCH_CUDA_PTX"

// instead is what Library gives while a test has it give another library.
var instead string

// Instead has Library give another library until the test is over. No test of the package
// may run beside it.
func Instead(t testing.TB, library string) {
	t.Helper()
	StandIn(t)
	before := instead
	instead = library
	t.Cleanup(func() { instead = before })
}

func need(t testing.TB, build func() (string, error)) string {
	t.Helper()
	library, err := build()
	if err == errUnsupported || err == errNoCompiler {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// Main is for a package's TestMain: it runs the tests, and removes what was built.
func Main(m *testing.M) {
	code := m.Run()
	for _, folder := range folders {
		_ = os.RemoveAll(folder) // the library stays open, its file need not
	}
	os.Exit(code)
}
