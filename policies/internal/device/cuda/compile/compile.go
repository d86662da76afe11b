// Package compile turns the CUDA kernels into PTX with clang, for which no CUDA need be
// installed, and reports whether the PTX that is stored is still that of the sources.
package compile

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Unit is the one file that is compiled, which includes the others.
const Unit = "kernels/kernels.cu"

// Flags are the flags of clang. The architecture is the oldest that is needed (Turing, 2018): the
// driver compiles the PTX for the present card. PTX 6.3 is the oldest version that knows it.
// Expressions are not contracted, on which the bits depend.
var Flags = []string{
	"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_75", "-Xclang", "-target-feature", "-Xclang", "+ptx63",
	"-nocudainc", "-nocudalib", "-O3", "-ffp-contract=off", "-Wall", "-Werror", "-S", "-o", "-",
}

// header is the beginning of the PTX.
const header = "// Kernels of package cuda, compiled from " + Unit + " by go generate: not to be edited.\n"

// Version is the first line of clang's version, or the error of calling it.
func Version() (string, error) {
	out, err := exec.Command("clang", "--version").Output()
	if err != nil {
		return "", fmt.Errorf("clang, which compiles the kernels: %w", err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), nil
}

// PTX compiles the kernels of the package that lies in a folder. Clang's comments are left out, so
// that neither its version nor its folder shows.
func PTX(folder string) ([]byte, error) {
	cmd := exec.Command("clang", append(slices.Clone(Flags), Unit)...)
	cmd.Dir = folder
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("clang of %s: %w\n%s", Unit, err, log.Bytes())
	}
	ptx := []byte(header)
	for line := range strings.Lines(string(out)) {
		code, _, _ := strings.Cut(line, "//")
		if code = strings.TrimRight(code, " \t\n"); code != "" {
			ptx = append(append(ptx, code...), '\n')
		}
	}
	return ptx, nil
}

// Sum lists what the PTX depends on and the PTX itself: the flags, and the SHA-256 of
// each file, a line each, which begins with its subject.
func Sum(folder string, ptx []byte) ([]string, error) {
	lines := []string{"flags " + strings.Join(Flags, " ")}
	entries, err := os.ReadDir(filepath.Join(folder, "kernels"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries { // in the order of their names
		if !slices.Contains([]string{".cu", ".cuh", ".h"}, filepath.Ext(e.Name())) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, "kernels", e.Name()))
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("kernels/%s %x", e.Name(), sha256.Sum256(text)))
	}
	return append(lines, fmt.Sprintf("kernels.ptx %x", sha256.Sum256(ptx))), nil
}
