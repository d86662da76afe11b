package report

import (
	"fmt"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// An Experiment is a run with its summary and its verdicts.
type Experiment struct {
	Run     *record.Run
	Summary []Row    // the summary table: a row for each variant
	Claims  []Claim  // with their verdicts
	Timings string   // a table of the times of steps, as text, or ""
	Again   []string // command lines that make the records and the page again

	// FigureNumbers and ClaimNumbers are the places in the spec, from 1, of the run's figures and of
	// the claims; nil where all are there. They make the ids on the page, by which its address keeps
	// the choices of a reader: those of a run under way stay as it goes.
	FigureNumbers, ClaimNumbers []int
}

// numbered is the id of the i-th element of a list with these places in the spec.
func numbered(prefix string, places []int, i int) string {
	if places == nil {
		return fmt.Sprint(prefix, i+1)
	}
	return fmt.Sprint(prefix, places[i])
}

// A Row of the summary table has a cell for each column of the run's manifest.
type (
	Row  = analysis.SummaryRow
	Cell = analysis.SummaryCell
)

// A Claim is a claim with its verdict.
type Claim struct {
	record.Claim
	Answer   stats.Answer
	Says     string // its question, in words
	Outcome  string // the answer with counts, in words
	Effect   string // in words
	Settings []Setting
}

// A Setting is a claim at one setting: A less B, or A alone where B is "".
type Setting struct {
	Metric         string
	A, B           string
	Axes           []record.Axis
	ValueA, ValueB stats.Interval
	Effect         stats.Interval
	InDeltas       stats.Interval // the same in units of delta, to the right where the claim is right
	Answer         stats.Answer
	Outcome        string // the answer with its reason, in words
}
