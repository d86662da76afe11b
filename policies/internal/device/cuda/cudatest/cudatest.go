// Package cudatest says what tests compute on instead of the processor: a library that
// stands in for the NVIDIA driver and runs the kernels on the CPU, or a card.
package cudatest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Variable is the environment variable that sends tests to a card.
const Variable = "MODEBENCH_CUDA_TEST"

// Card says that the tests are to run on a card, the first that the driver lists:
// Variable is "card". Any other value but none is an error, so that nobody takes the
// stand-in's results for a card's.
func Card(t testing.TB) bool {
	t.Helper()
	switch value := os.Getenv(Variable); value {
	case "":
		return false
	case "card":
		return true
	default:
		t.Fatalf("%s is %q, want card, or nothing for the library that stands in for the driver", Variable, value)
		return false
	}
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
	library, err := build()
	if err == errUnsupported || err == errNoCompiler {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// Main is for a package's TestMain: it runs the tests, and removes what Library built.
func Main(m *testing.M) {
	code := m.Run()
	if folder != "" {
		_ = os.RemoveAll(folder) // the library stays open, its file need not
	}
	os.Exit(code)
}

// A machine that cannot have the library is no fault of the kernels.
var (
	errUnsupported = errors.New("this build opens no libraries")
	errNoCompiler  = errors.New("no C++ compiler to build the CUDA kernels with")
)

// folder is where the library was built.
var folder string

// build builds the library once a process.
var build = sync.OnceValues(func() (string, error) {
	if !supported {
		return "", errUnsupported
	}
	compiler := ""
	for _, name := range []string{os.Getenv("CXX"), "c++", "g++", "clang++"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			compiler = path
			break
		}
	}
	if compiler == "" {
		return "", errNoCompiler
	}
	_, file, _, ok := runtime.Caller(0)
	sources := filepath.Dir(filepath.Dir(file))
	if _, err := os.Stat(filepath.Join(sources, "shim")); !ok || err != nil {
		return "", fmt.Errorf("the kernels' sources are not where the test was built from: %v", err)
	}
	var err error
	if folder, err = os.MkdirTemp("", "modebench-cuda"); err != nil {
		return "", err
	}
	library := filepath.Join(folder, "libshim.so")
	args := []string{"-std=c++17", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread", "-Ikernels", "-Ishim"}
	if cpu, err := os.ReadFile("/proc/cpuinfo"); err == nil && runtime.GOARCH == "amd64" && bytes.Contains(cpu, []byte(" fma ")) {
		args = append(args, "-mfma") // for speed: fmaf is rounded once either way
	}
	command := exec.Command(compiler, append(args, "shim/fibers.cc", "shim/table.cc", "shim/driver.cc", "-o", library)...)
	command.Dir = sources
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the kernels do not build: %v\n%s", err, out)
	}
	return library, nil
})
