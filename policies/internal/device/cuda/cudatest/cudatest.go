// Package cudatest says what tests compute on instead of the processor: a library that
// stands in for the NVIDIA driver and runs the kernels on the CPU, or a card.
package cudatest

import (
	"os"
	"testing"
)

// Variable is the environment variable that says what tests compute on: nothing for the
// library that stands in for the driver; "card" for a card.
const Variable = "MODEBENCH_CUDA_TEST"

// Kernels is the environment variable that names a folder of kernels to take the place of the
// package's own in the library that stands in for the driver, for tests of wrong kernels.
const Kernels = "MODEBENCH_CUDA_KERNELS"

// Card says that the tests are to run on a card, the first that the driver lists. Any value of
// Variable that is not known is an error, so that the stand-in's results never pass for a card's.
func Card(t testing.TB) bool {
	t.Helper()
	value := os.Getenv(Variable)
	if value != "" && value != "card" {
		t.Fatalf("%s is %q, want card, or nothing for the library that stands in for the driver", Variable, value)
	}
	return value == "card"
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
	if Card(t) {
		return ""
	}
	library, err := standIn()
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
	if folder != "" {
		_ = os.RemoveAll(folder) // the library stays open, its file need not
	}
	os.Exit(code)
}
