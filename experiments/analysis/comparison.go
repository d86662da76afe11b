package analysis

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/nearest"
)

// A Side is one of the two results that are compared: all variants of a run, or those that
// Label names (a variant's label, a method's name in the spec, or a method).
type Side struct {
	Run   *record.Run
	Label string // "": all
}

// String is how the side is named on the command line.
func (s Side) String() string {
	if s.Label == "" {
		return s.Run.Dir
	}
	return s.Run.Dir + ":" + s.Label
}

// named lists the side's variants.
func (s Side) named() ([]record.Variant, error) {
	if s.Label == "" {
		return s.Run.Variants, nil
	}
	named := record.Named(s.Run.Variants, s.Label)
	if named == nil {
		known := labelsOf(s.Run.Variants)
		for _, v := range s.Run.Variants {
			known = append(known, v.Name, v.Method)
		}
		return nil, namef("%s has no variant %q; %sit has %s", s.Run.Dir, s.Label, nearest.Hint(s.Label, known), labelsText(s.Run.Variants))
	}
	return named, nil
}

func labelsText(variants []record.Variant) string {
	return strings.Join(labelsOf(variants), "; ")
}

func labelsOf(variants []record.Variant) []string {
	var labels []string
	for _, v := range variants {
		labels = append(labels, v.Label)
	}
	return labels
}

// A NameError is the error about a name that the results do not have.
type NameError struct{ Err error }

func (e *NameError) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *NameError) Unwrap() error { return e.Err }

func namef(format string, args ...any) error {
	return &NameError{fmt.Errorf(format, args...)}
}

// AllMetrics, alone in CompareOptions.Metrics, selects every metric that both sides have.
const AllMetrics = "all"

// CompareOptions select the metrics and variants to compare, and the statistic.
type CompareOptions struct {
	Metrics   []string  // nil: the columns of the new run's table that both sides have
	Statistic Statistic // "": the mean
}

// A VariantComparison compares a variant of one side with one of the other.
type VariantComparison struct {
	Old, New record.Variant
	Metrics  []MetricComparison
	// Chosen are the settings that the two differ in, apart from Measured: those
	// that make their metrics different measurements.
	Chosen, Measured []FieldDifference

	old, new []final
	units    [2]string // the replicated unit of each side, in words; "": seeds
}

// A Comparison compares two results.
type Comparison struct {
	Old, New  Side
	Statistic Statistic
	Metrics   []string
	Variants  []VariantComparison // in the order of the new run
	// OnlyOld and OnlyNew are the labels that have no counterpart.
	OnlyOld, OnlyNew []string
	// LeftOut are the columns of the new run that the old one's records lack.
	LeftOut []string
}

// SameCells reports whether the two variants are the same cells, so that no metric can differ.
func (v *VariantComparison) SameCells() bool { return slices.Equal(v.Old.Cells, v.New.Cells) }

// Label names the pair: by the one label, or by both.
func (v *VariantComparison) Label() string {
	if v.Old.Label == v.New.Label {
		return v.New.Label
	}
	return v.Old.Label + " -> " + v.New.Label
}

// Warnings lists the differences in measurement between the two sides, a line each.
func (c *Comparison) Warnings() []string {
	var names, texts []string
	for i := range c.Variants {
		v := &c.Variants[i]
		text := ""
		if v.Measured != nil {
			text = "not measured alike, so a difference may not be the method's: " + differencesText(v.Measured, 100)
		}
		names, texts = append(names, v.Label()), append(texts, text)
	}
	return grouped(names, texts)
}
