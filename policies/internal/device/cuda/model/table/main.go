// Command table prints what the model of a card says. With the name of a size it prints the
// milliseconds of a training step of one cell and of sampling alone, for testdata/benchmark.py.
package main

import (
	"fmt"
	"os"

	"modebench/policies/internal/device/cuda/model"
)

func main() {
	if len(os.Args) == 2 {
		train, sample, err := model.H100.Single(os.Args[1])
		if err == nil {
			_, err = fmt.Printf("%.2f %.2f\n", train*1e3, sample*1e3)
		}
		exit(err)
		return
	}
	exit(model.Print(os.Stdout, model.H100))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}
