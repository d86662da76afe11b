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

	"modebench/policies/internal/device/cuda/ptxcc"
)

// A machine that cannot have the library is no fault of the kernels.
var (
	errUnsupported = errors.New("this build opens no libraries")
	errNoCompiler  = errors.New("no C++ compiler to build the CUDA kernels with")
)

// folders are where libraries were built.
var folders []string

// Each is built once a process.
var (
	ofSources = sync.OnceValues(func() (string, error) {
		return build("shim/fibers.cc", "shim/table.cc", "shim/driver.cc")
	})
	ofPTX = sync.OnceValues(func() (string, error) {
		return buildPTX("shim/driver.cc")
	})
	recording = sync.OnceValues(func() (string, error) {
		return buildPTX("shim/record.cc") // which includes driver.cc
	})
)

// buildPTX makes a library of the kernels' PTX and a driver.
func buildPTX(driver string) (string, error) {
	if !supported {
		return "", errUnsupported
	}
	path := os.Getenv(PTX)
	if path == "" {
		path = filepath.Join(sources(), "kernels.ptx")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	table, err := ptxcc.Translate(string(text))
	if err != nil {
		return "", fmt.Errorf("%s does not translate: %w", path, err)
	}
	folder, err := newFolder()
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "table.cc")
	if err := os.WriteFile(file, []byte(table), 0o666); err != nil {
		return "", err
	}
	return build("shim/fibers.cc", file, driver)
}

// sources is the folder of package cuda, as it was when the test was built.
func sources() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}

func newFolder() (string, error) {
	folder, err := os.MkdirTemp("", "modebench-cuda")
	if err == nil {
		folders = append(folders, folder)
	}
	return folder, err
}

// build makes a library of C++ files.
func build(files ...string) (string, error) {
	folder, err := newFolder()
	if err != nil {
		return "", err
	}
	library := filepath.Join(folder, "libshim.so")
	return library, compile(library, files...)
}

// Install builds the library that stands in for the driver under the name that programs open, in
// a folder: a program that finds libraries there (LD_LIBRARY_PATH) takes it for the driver.
func Install(folder string) error {
	return compile(filepath.Join(folder, "libcuda.so.1"), "shim/fibers.cc", "shim/table.cc", "shim/driver.cc")
}

// compile makes a library, in a file, of C++ files.
func compile(library string, files ...string) error {
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
	args := []string{"-std=c++17", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread", "-Ikernels", "-Ishim"}
	if cpu, err := os.ReadFile("/proc/cpuinfo"); err == nil && runtime.GOARCH == "amd64" && bytes.Contains(cpu, []byte(" fma ")) {
		args = append(args, "-mfma") // for speed: fmaf is rounded once either way
	}
	command := exec.Command(compiler, append(append(args, files...), "-o", library)...)
	command.Dir = sources()
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the kernels do not build: %v\n%s", err, out)
	}
	return nil
}
