package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/metrics"
)

// chooseMetrics decides which metrics are compared.
func (c *Comparison) chooseMetrics(asked []string) error {
	old, new := c.recorded(func(v *VariantComparison) []final { return v.old }), c.recorded(func(v *VariantComparison) []final { return v.new })
	common := shared(new, old)
	switch {
	case asked == nil:
		for _, metric := range c.New.Run.Columns {
			if slices.Contains(common, metric) {
				c.Metrics = append(c.Metrics, metric)
			} else {
				c.LeftOut = append(c.LeftOut, metric)
			}
		}
		if c.Metrics == nil {
			return fmt.Errorf("the records of both sides have no column of %s (%s) in common; %s has %s; %s has %s: choose with --metric",
				c.New.Run.Dir, strings.Join(c.New.Run.Columns, ", "), c.Old, namesText(old), c.New, namesText(new))
		}
	case slices.Equal(asked, []string{AllMetrics}):
		if c.Metrics = common; len(common) == 0 {
			return fmt.Errorf("the two sides have no metric in common; %s has %s; %s has %s", c.Old, namesText(old), c.New, namesText(new))
		}
	default:
		c.Metrics = asked
		for i, metric := range asked {
			if slices.Contains(asked[:i], metric) {
				return input.Usagef("metric %q is asked for twice", metric)
			}
			if err := c.checkRecorded(metric, old, new, common); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkRecorded is an error if a side lacks a metric. old, new and common are the metrics recorded.
func (c *Comparison) checkRecorded(metric string, old, new, common []string) error {
	const oneSided = "metric %q is in the records of %s alone; %s has %s"
	inOld, inNew := slices.Contains(old, metric), slices.Contains(new, metric)
	switch {
	case inOld && inNew:
		return nil
	case inOld:
		return input.Usagef(oneSided, metric, c.Old, c.New, near(metric, new))
	case inNew:
		return input.Usagef(oneSided, metric, c.New, c.Old, near(metric, old))
	}
	return input.Usagef("unknown metric %q; %sboth sides have %s", metric, otherFamily(metric, common), near(metric, common))
}

// recorded lists the metrics that some seed of a side's variants has, in the order of Metrics.
func (c *Comparison) recorded(side func(*VariantComparison) []final) []string {
	known := map[string]bool{}
	for i := range c.Variants {
		for _, f := range side(&c.Variants[i]) {
			for metric := range f.value {
				known[metric] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(known), func(a, b string) int {
		familyA, sizeA := record.Family(a)
		familyB, sizeB := record.Family(b)
		return cmp.Or(metrics.Place(familyA)-metrics.Place(familyB), sizeA-sizeB, strings.Compare(a, b))
	})
}

func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return !slices.Contains(b, name) })
}

// near lists the known names close to a mistaken name, or all of them.
func near(name string, names []string) string {
	family, _ := record.Family(name)
	close := each.Where(names, func(known string) bool {
		f, _ := record.Family(known)
		return family != "" && (strings.Contains(f, family) || strings.Contains(family, f))
	})
	if close == nil {
		close = names
	}
	return namesText(close)
}

// otherFamily asks whether a metric that is near was meant, unless some of the same
// family are there: then it is the number that is wrong.
func otherFamily(metric string, names []string) string {
	family, _ := record.Family(metric)
	if slices.ContainsFunc(names, func(name string) bool { f, _ := record.Family(name); return f == family }) {
		return ""
	}
	return nearest.Hint(metric, names)
}

// namesText lists metrics, those of a family in one word: "pass@1|2|4".
func namesText(names []string) string {
	var words []string
	last := ""
	for _, name := range names {
		family, size, isK := strings.Cut(name, "@")
		if isK && family == last {
			words[len(words)-1] += "|" + size
			continue
		}
		words, last = append(words, name), ""
		if isK {
			last = family
		}
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, ", ")
}
