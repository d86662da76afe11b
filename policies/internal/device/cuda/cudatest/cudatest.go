// Package cudatest chooses the device of tests: a substitute for the NVIDIA driver, a library that
// runs the kernels on the CPU, or a card.
package cudatest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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
// driver's own, on a card, else the path of the substitute driver. The test is skipped under -short,
// if there is no compiler to build the substitute driver, and if there is no way to open it.
func Library(t testing.TB) string {
	t.Helper()
	if Card(t) {
		return ""
	}
	if testing.Short() {
		t.Skip("compiles the kernels for the processor")
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

// A machine that cannot have the library is no fault of the kernels.
var (
	errUnsupported = errors.New("this build opens no libraries")
	errNoCompiler  = errors.New("no C++ compiler to build the CUDA kernels with")
)

// folder is where the library was built, "" before that.
var folder string

// standIn is built once a process.
var standIn = sync.OnceValues(func() (string, error) {
	var err error
	if folder, err = os.MkdirTemp("", "modebench-cuda"); err != nil {
		return "", err
	}
	library := filepath.Join(folder, "libshim.so")
	return library, compile(library)
})

// kernels is the folder of the kernels' sources.
func kernels() string {
	if folder := os.Getenv(Kernels); folder != "" {
		return folder
	}
	return "kernels"
}

// Install builds the replacement of the driver under the name that programs open, in a folder: a
// program that finds libraries there (LD_LIBRARY_PATH) takes it for the driver.
func Install(folder string) error {
	return compile(filepath.Join(folder, "libcuda.so.1"))
}

// compile makes the library, in a file, of the kernels and the code that runs them.
func compile(library string) error {
	if !supported {
		return errUnsupported
	}
	compiler := ""
	for _, name := range []string{os.Getenv("CXX"), "c++", "g++", "clang++"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			compiler = path
			break
		}
	}
	if compiler == "" {
		return errNoCompiler
	}
	sources, err := exec.Command("go", "list", "-f", "{{.Dir}}", "modebench/policies/internal/device/cuda").Output()
	if err != nil {
		return fmt.Errorf("the kernels' sources are not found: %w", err)
	}
	args := []string{"-std=c++17", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread", "-I" + kernels(), "-Ishim",
		"shim/fibers.cc", "shim/table.cc", "shim/driver.cc", "-o", library}
	if cpu, err := os.ReadFile("/proc/cpuinfo"); err == nil && runtime.GOARCH == "amd64" && bytes.Contains(cpu, []byte(" fma ")) {
		args = append(args, "-mfma") // for speed: fmaf is rounded once either way
	}
	command := exec.Command(compiler, args...)
	command.Dir = strings.TrimSpace(string(sources))
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the kernels do not build: %v\n%s", err, out)
	}
	return nil
}
