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
)

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

// sources is the folder of package cuda, as it was when the test was built.
func sources() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}

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
	if _, err := os.Stat(filepath.Join(sources(), "shim")); err != nil {
		return fmt.Errorf("the kernels' sources are not where the test was built from: %w", err)
	}
	args := []string{"-std=c++17", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread", "-I" + kernels(), "-Ishim",
		"shim/fibers.cc", "shim/table.cc", "shim/driver.cc", "-o", library}
	if cpu, err := os.ReadFile("/proc/cpuinfo"); err == nil && runtime.GOARCH == "amd64" && bytes.Contains(cpu, []byte(" fma ")) {
		args = append(args, "-mfma") // for speed: fmaf is rounded once either way
	}
	command := exec.Command(compiler, args...)
	command.Dir = sources()
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the kernels do not build: %v\n%s", err, out)
	}
	return nil
}
