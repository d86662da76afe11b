package experiments

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
)

// A Side is one of the two results that are compared: all variants of a run, or
// those that Label names (a label, what the spec calls a method, or a method).
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
		return nil, namef("%s has no variant %q; it has %s", s.Run.Dir, s.Label, labelsText(s.Run.Variants))
	}
	return named, nil
}

func labelsText(variants []record.Variant) string {
	var labels []string
	for _, v := range variants {
		labels = append(labels, v.Label)
	}
	return strings.Join(labels, "; ")
}

// A NameError is a name that was asked for and that the results do not have.
type NameError struct{ Err error }

func (e *NameError) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *NameError) Unwrap() error { return e.Err }

func namef(format string, args ...any) error {
	return &NameError{fmt.Errorf(format, args...)}
}

// AllMetrics, alone in CompareOptions.Metrics, stands for every metric that both
// sides have.
const AllMetrics = "all"

// CompareOptions say what is compared.
type CompareOptions struct {
	Metrics   []string  // nil: the columns of the new run's table that both sides have
	Statistic Statistic // "": the mean
}

// A VariantComparison holds a variant of one side against one of the other.
type VariantComparison struct {
	Old, New record.Variant
	Metrics  []MetricComparison
	// Chosen are the settings that the two differ in, apart from Measured: those
	// that make their metrics different measurements.
	Chosen, Measured []FieldDifference

	old, new []final
}

// A Comparison holds two results against each other.
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

// Compare holds two results against each other, metric by metric and variant by
// variant. Variants are matched by label. Where both sides are labelled, those
// named are compared: one with one whatever their settings, several where they
// agree on every axis they share.
//
// An unknown label or metric is a *NameError. Results that have nothing in common, and
// records that cannot be read, are other errors.
func Compare(old, new Side, opt CompareOptions) (*Comparison, error) {
	if opt.Statistic == "" {
		opt.Statistic = StatisticMean
	}
	c := &Comparison{Old: old, New: new, Statistic: opt.Statistic}
	if err := c.match(); err != nil {
		return nil, err
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		var err error
		if v.old, err = finals(old.Run, v.Old); err != nil {
			return nil, err
		}
		if v.new, err = finals(new.Run, v.New); err != nil {
			return nil, err
		}
	}
	if err := c.choose(opt.Metrics); err != nil {
		return nil, err
	}
	for i := range c.Variants {
		if err := c.Variants[i].compare(c, slices.Equal(opt.Metrics, []string{AllMetrics})); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// match finds the pairs of variants.
func (c *Comparison) match() error {
	olds, err := c.Old.named()
	if err != nil {
		return err
	}
	news, err := c.New.named()
	if err != nil {
		return err
	}
	byLabel := c.Old.Label == "" || c.New.Label == ""
	// A side that was not labelled while the other was has variants nobody asked for.
	listOld := c.New.Label == "" || c.Old.Label != ""
	listNew := c.Old.Label == "" || c.New.Label != ""
	met := map[string]bool{} // labels of old variants
	for _, v := range news {
		found := false
		for _, o := range olds {
			alike := o.Label == v.Label
			if !byLabel {
				_, alike = shared(o, v)
				alike = alike || len(olds) == 1 && len(news) == 1
			}
			if alike {
				c.Variants = append(c.Variants, VariantComparison{Old: o, New: v})
				met[o.Label], found = true, true
			}
		}
		if !found && listNew {
			c.OnlyNew = append(c.OnlyNew, v.Label)
		}
	}
	for _, o := range olds {
		if !met[o.Label] && listOld {
			c.OnlyOld = append(c.OnlyOld, o.Label)
		}
	}
	switch {
	case c.Variants != nil:
		return nil
	case byLabel:
		return fmt.Errorf("no variant is on both sides: %s has %s; %s has %s. Name one of each: OLD:LABEL NEW:LABEL", c.Old.Run.Dir, labelsText(olds), c.New.Run.Dir, labelsText(news))
	}
	return namef("%s and %s have no setting in common: %s against %s", c.Old, c.New, labelsText(olds), labelsText(news))
}

// compare fills in a pair of variants. Of all metrics, those that neither has are
// left out.
func (v *VariantComparison) compare(c *Comparison, all bool) error {
	old, err := c.Old.Run.Cell(v.Old.Cells[0])
	if err != nil {
		return err
	}
	new, err := c.New.Run.Cell(v.New.Cells[0])
	if err != nil {
		return err
	}
	v.Measured, v.Chosen = cellDifferences(old, new, c.Metrics)
	var values []SeedValues
	for _, metric := range c.Metrics {
		one := SeedValues{metric, valuesBySeed(v.old, metric), valuesBySeed(v.new, metric)}
		if !all || len(defined(one.Old))+len(defined(one.New)) > 0 {
			values = append(values, one)
		}
	}
	v.Metrics = CompareValues(values, c.Statistic)
	return nil
}

// SameCells says whether the two variants are the same cells, so that no metric can
// differ.
func (v *VariantComparison) SameCells() bool { return slices.Equal(v.Old.Cells, v.New.Cells) }

// Label names the pair: by the one label, or by both.
func (v *VariantComparison) Label() string {
	if v.Old.Label == v.New.Label {
		return v.New.Label
	}
	return v.Old.Label + " -> " + v.New.Label
}

// Warnings says, a line each, where the two sides are not measured alike.
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
