// Package experiments holds the tests of experiments as a whole. The code is in the
// folders below it, and each imports only those above it in this list:
//
//   - record: the files of a run, their types and readers
//   - spec: a TOML text becomes variants, figures and claims
//   - cells: the folder that holds all runs, finished and unfinished
//   - train: one run samples, judges, learns, evaluates and continues after an interruption
//   - sweep: many runs, planned, run side by side, split over machines and merged
//   - audit: the exact steps of estimators, without a run
//
// Two read records alone: analysis (tables, comparisons and verdicts), and export (CSV and
// Parquet), which takes its summary from analysis.
package experiments
