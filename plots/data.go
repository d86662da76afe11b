package plots

import (
	"modebench/experiments/record"
	"modebench/plots/forest"
	"modebench/plots/numbers"
)

// dataVersion is the version of the form of a figure's file, which is raised by hand. A
// file names it first, as modebench_figure, which other JSON does not have.
const dataVersion = 1

// Data is what a figure shows, without the records it comes from: a few kilobytes that
// can be kept beside the drawing, and from which it is drawn again, byte for byte. Write
// gives it the form of a file, OpenData reads one.
type Data struct {
	Spec   string        // that the records are of
	Policy string        // its kind of policy
	Figure record.Figure // what was asked for
	// Variants are those shown, in the order of the manifest, exact optima last; of a
	// figure of claims there are none.
	Variants []numbers.Variant
	Claims   []forest.Row  // of the kind claims
	Detail   forest.Detail // likewise
}

// dataFile is the form of a file. What has no finite value is null.
type dataFile struct {
	Version  int               `json:"modebench_figure"`
	Spec     string            `json:"spec,omitempty"`
	Policy   string            `json:"policy,omitempty"`
	Figure   figureFile        `json:"figure"`
	Variants []numbers.Variant `json:"variants,omitempty"`
	Claims   []forest.Row      `json:"claims,omitempty"`
	Detail   forest.Detail     `json:"detail,omitempty"`
}

// figureFile is record.Figure without its empty fields.
type figureFile struct {
	Name       string          `json:"name"`
	Kind       string          `json:"kind"`
	Title      string          `json:"title,omitempty"`
	Metrics    []string        `json:"metrics,omitempty"`
	Where      []record.Filter `json:"where,omitempty"`
	Rows       []string        `json:"rows,omitempty"`
	Cols       []string        `json:"cols,omitempty"`
	Panel      []string        `json:"panel,omitempty"`
	Problem    int             `json:"problem,omitempty"`
	Steps      []int           `json:"steps,omitempty"`
	Components []string        `json:"components,omitempty"`
}
