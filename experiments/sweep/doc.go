// Package sweep makes the runs of one or several specs.
//
// A plan lists every run (a cell) with its number. A pool takes those that are missing and
// runs them side by side, as far as memory goes. Shards split a plan over processes and
// machines, Merge merges their folders, and StatusOf reports the state of each cell. When all cells
// of a spec are there, its manifest is written, and package record can read the run.
package sweep
