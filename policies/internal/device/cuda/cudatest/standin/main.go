// Standin builds the substitute for the NVIDIA driver in a folder, so that tests of whole programs
// compute on it:
//
//	go run ./policies/internal/device/cuda/cudatest/standin FOLDER
//	LD_LIBRARY_PATH=FOLDER bench run maze-bestk --policy transformer --device cuda
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"modebench/policies/internal/device/cuda/cudatest"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "want a folder")
		os.Exit(2)
	}
	folder, err := filepath.Abs(os.Args[1])
	if err == nil {
		err = cudatest.Install(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
