// Package analysis says what the records of runs come to. It reads records (package
// record), sums them up over seeds (package metrics/stats), and runs nothing.
//
//   - Summary is the table of a run, TimingText that of what its steps took.
//   - Compare holds two runs against each other, metric by metric.
//   - Verdicts judges the claims of a run.
//   - A Snapshot is a digest of the records of several runs. Against and Statistically
//     hold one against a baseline, bit by bit and over seeds.
//
// Each result is data first. Functions whose names end in Text write it for a terminal.
package analysis
