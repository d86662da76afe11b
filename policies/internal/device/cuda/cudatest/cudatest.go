// Package cudatest chooses the device of tests: a substitute for the NVIDIA driver, a library that
// runs the kernels on the CPU, or a card.
package cudatest

import (
	"os"
	"testing"
)

// Variable is the environment variable that names the device of tests: "" for the substitute driver; "card"
// for a card.
const Variable = "MODEBENCH_CUDA_TEST"

// Kernels is the environment variable that names a folder of kernels to replace the package's
// kernels in the substitute driver, for tests of wrong kernels.
const Kernels = "MODEBENCH_CUDA_KERNELS"

// Card reports whether the tests are to run on a card, the first that the driver lists. An unknown
// value of Variable is an error, so that the substitute's results never pass for a card's.
func Card(t testing.TB) bool {
	t.Helper()
	value := os.Getenv(Variable)
	if value != "" && value != "card" {
		t.Fatalf("%s is %q, want card, or nothing for the substitute driver", Variable, value)
	}
	return value == "card"
}

// StandIn skips tests of the substitute driver if the tests run on a card.
func StandIn(t testing.TB) {
	t.Helper()
	if Card(t) {
		t.Skipf("about the substitute driver, and %s=card asks for a card", Variable)
	}
}

// NeedCard skips tests that take too long on the substitute driver.
func NeedCard(t testing.TB) {
	t.Helper()
	if !Card(t) {
		t.Skipf("needs a card, and %s=card to use it", Variable)
	}
}

// Library gives the library of the driver that devices are opened with: "", the
// driver's own, on a card, else the path of the substitute driver. The test is skipped if there is no
// compiler to build the substitute driver, or no way to open it.
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
