// Package analysis makes tables, comparisons and verdicts from the records of runs. It reads
// records (package record), sums them up over seeds (package metrics/stats), and runs nothing.
//
//   - Summary is the table of a run, TimingText that of the time of its steps.
//   - Compare compares two runs, metric by metric.
//   - Ends are the metrics of seeds after training, of one variant or of two in pairs.
//   - A Snapshot is a digest of the records of several runs. Against and Statistically
//     compare one with a baseline, bit by bit and over seeds.
//
// Each result is data first. Functions whose names end in Text write it for a terminal.
package analysis
