package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/input"
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
		return nil, input.Usagef("%s has no variant %q; %sit has %s", s.Run.Dir, s.Label, nearest.Hint(s.Label, known), labelsText(s.Run.Variants))
	}
	return named, nil
}

func labelsText(variants []record.Variant) string {
	return strings.Join(labelsOf(variants), "; ")
}

func labelsOf(variants []record.Variant) []string {
	return each.Map(variants, func(v record.Variant) string { return v.Label })
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

// Compare compares two results, metric by metric and variant by variant. Variants are matched
// by label. If the other side lacks the label, they are matched by the method's name in their
// specs, provided they agree on every axis they share. If both sides have a Label, the variants
// that it names are compared: a single pair whatever their settings, several if they agree on
// every axis they share.
//
// An unknown label or metric is an *input.Usage. Results that have nothing in common, and
// records that cannot be read, are other errors.
func Compare(old, new Side, opt CompareOptions) (*Comparison, error) {
	opt.Statistic = cmp.Or(opt.Statistic, StatisticMean)
	c := &Comparison{Old: old, New: new, Statistic: opt.Statistic}
	if err := c.match(); err != nil {
		return nil, err
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	if err := c.chooseMetrics(opt.Metrics); err != nil {
		return nil, err
	}
	for i := range c.Variants {
		if err := c.Variants[i].compare(c, slices.Equal(opt.Metrics, []string{AllMetrics})); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// read reads the finals of the variants, every cell once.
func (c *Comparison) read() error {
	old := NewEnds(c.Old.Run)
	new := old
	if c.New.Run != c.Old.Run {
		new = NewEnds(c.New.Run)
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		for _, side := range []struct {
			Ends
			variant record.Variant
			into    *[]final
		}{{old, v.Old, &v.old}, {new, v.New, &v.new}} {
			if len(side.variant.Cells) == 0 {
				return fmt.Errorf("%s: variant %q has no cells", side.run.Dir, side.variant.Label)
			}
			var err error
			if *side.into, err = side.finals(side.variant); err != nil {
				return err
			}
			if c.mixed() && side.run.Nested != nil {
				for i := range *side.into {
					(*side.into)[i].seed = -(*side.into)[i].seed // draw 3 is not seed 3
				}
			}
		}
	}
	return nil
}

// mixed reports that seeds are nested on one side alone. The replicated unit is then a draw on
// one side and a seed on the other, so nothing is paired.
func (c *Comparison) mixed() bool { return (c.Old.Run.Nested == nil) != (c.New.Run.Nested == nil) }

// nested reports that seeds are nested on both sides.
func (c *Comparison) nested() bool { return c.Old.Run.Nested != nil && c.New.Run.Nested != nil }

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
	alike := labelled
	if !byLabel {
		alike = func(o, n record.Variant) bool {
			_, agree := record.Agree(o, n)
			return agree || len(olds) == 1 && len(news) == 1
		}
	}
	c.Variants = pairs(olds, news, alike)
	if byLabel {
		c.Variants = inOrder(news, append(c.Variants, pairs(c.alone(olds, false), c.alone(news, true), calledAlike)...))
	}
	// If one side alone has a Label, most variants of the other side were not asked for.
	if c.New.Label == "" || c.Old.Label != "" {
		c.OnlyOld = labelsOf(c.alone(olds, false))
	}
	if c.Old.Label == "" || c.New.Label != "" {
		c.OnlyNew = labelsOf(c.alone(news, true))
	}
	switch {
	case c.Variants != nil:
		return nil
	case byLabel:
		return fmt.Errorf("no variant is on both sides: %s has %s; %s has %s. Name one of each: OLD:LABEL NEW:LABEL", c.Old.Run.Dir, labelsText(olds), c.New.Run.Dir, labelsText(news))
	}
	return input.Usagef("%s and %s have no setting in common: %s against %s", c.Old, c.New, labelsText(olds), labelsText(news))
}

// pairs lists the variants that are alike, in the order of the new ones.
func pairs(olds, news []record.Variant, alike func(o, n record.Variant) bool) []VariantComparison {
	var out []VariantComparison
	for _, n := range news {
		for _, o := range olds {
			if alike(o, n) {
				out = append(out, VariantComparison{Old: o, New: n})
			}
		}
	}
	return out
}

// labelled reports that two variants have the same label.
func labelled(o, n record.Variant) bool { return o.Label == n.Label }

// calledAlike reports that two variants have the same name in their specs and settings that
// agree. Their labels may differ, because a label also has the fields that are lists in its own
// spec, and a field may be a list in one spec and a single value in the other.
func calledAlike(o, n record.Variant) bool {
	_, agree := record.Agree(o, n)
	return o.Name == n.Name && agree
}

// inOrder sorts pairs by the order of the new variants.
func inOrder(news []record.Variant, list []VariantComparison) []VariantComparison {
	place := func(v VariantComparison) int {
		return slices.IndexFunc(news, func(n record.Variant) bool { return labelled(n, v.New) })
	}
	slices.SortStableFunc(list, func(a, b VariantComparison) int { return place(a) - place(b) })
	return list
}

// alone lists the variants of a side that are in no pair.
func (c *Comparison) alone(variants []record.Variant, ofNew bool) []record.Variant {
	return each.Where(variants, func(v record.Variant) bool {
		return !slices.ContainsFunc(c.Variants, func(p VariantComparison) bool {
			return labelled(v, p.Old) && !ofNew || labelled(v, p.New) && ofNew
		})
	})
}

// compare fills in a pair of variants. Of all metrics, those that neither has are left out.
func (v *VariantComparison) compare(c *Comparison, all bool) error {
	old, err := c.Old.Run.Cell(v.Old.Cells[0])
	if err != nil {
		return err
	}
	new, err := c.New.Run.Cell(v.New.Cells[0])
	if err != nil {
		return err
	}
	if c.nested() { // each side's first cell has its first seed's
		for _, cell := range []record.Cell{old, new} {
			delete(cell.Env.Params, "env_seed")
			delete(cell.Policy.Params, "pretrain_seed")
		}
	}
	v.Measured, v.Chosen = cellDifferences(old, new, c.Metrics)
	var values []seedValues
	for _, metric := range c.Metrics {
		pair := seedValues{metric, valuesBySeed(v.old, metric), valuesBySeed(v.new, metric)}
		if !all || len(finiteOf(pair.Old))+len(finiteOf(pair.New)) > 0 {
			values = append(values, pair)
		}
	}
	v.Metrics = compareValues(values, c.Statistic)
	v.units = [2]string{}
	for i, side := range []Side{c.Old, c.New} {
		if n := side.Run.Nested; n != nil {
			_, v.units[i] = n.Units([2]record.Variant{v.Old, v.New}[i].Cells)
		}
	}
	return nil
}
