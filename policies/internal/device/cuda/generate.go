//go:build ignore

// Compiles the kernels: writes kernels.ptx, and kernels.sum, which lists its compiler and its
// sources.
package main

import (
	"fmt"
	"os"
	"strings"

	"modebench/policies/internal/device/cuda/compile"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate() error {
	version, err := compile.Version()
	if err != nil {
		return err
	}
	ptx, err := compile.PTX(".")
	if err != nil {
		return err
	}
	sum, err := compile.Sum(".", ptx)
	if err != nil {
		return err
	}
	lines := append([]string{"compiler " + version}, sum...)
	if err := os.WriteFile("kernels.ptx", ptx, 0o666); err != nil {
		return err
	}
	return os.WriteFile("kernels.sum", []byte(strings.Join(lines, "\n")+"\n"), 0o666)
}
