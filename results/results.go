// Package results holds the baseline that comes with the program, which bench check
// holds the built-in methods against. The folders beside it are results to read.
package results

import _ "embed"

// Baseline is the snapshot of the suite of bench check
// (experiments.ReadSnapshot).
//
//go:embed check/baseline.json
var Baseline []byte

// BaselineFile is where it lies in the source tree.
const BaselineFile = "results/check/baseline.json"
