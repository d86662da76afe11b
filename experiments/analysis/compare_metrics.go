package analysis

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/nearest"
	"modebench/metrics"
)

// chooseMetrics decides which metrics are compared.
func (c *Comparison) chooseMetrics(asked []string) error {
	old, new := c.recorded(func(v *VariantComparison) []final { return v.old }), c.recorded(func(v *VariantComparison) []final { return v.new })
	switch {
	case asked == nil:
		for _, metric := range c.New.Run.Columns {
			if slices.Contains(old, metric) && slices.Contains(new, metric) {
				c.Metrics = append(c.Metrics, metric)
			} else {
				c.LeftOut = append(c.LeftOut, metric)
			}
		}
		if c.Metrics == nil {
			return fmt.Errorf("the records have none of the columns of %s (%s) on both sides; %s has %s; %s has %s: choose with --metric",
				c.New.Run.Dir, strings.Join(c.New.Run.Columns, ", "), c.Old, namesText(old), c.New, namesText(new))
		}
		return nil
	case slices.Equal(asked, []string{AllMetrics}):
		for _, metric := range new {
			if slices.Contains(old, metric) {
				c.Metrics = append(c.Metrics, metric)
			}
		}
		if c.Metrics == nil {
			return fmt.Errorf("the two sides have no metric in common; %s has %s; %s has %s", c.Old, namesText(old), c.New, namesText(new))
		}
		return nil
	}
	for i, metric := range asked {
		inOld, inNew := slices.Contains(old, metric), slices.Contains(new, metric)
		switch {
		case slices.Contains(asked[:i], metric):
			return namef("metric %q is asked for twice", metric)
		case inOld && !inNew:
			return namef("metric %q is in the records of %s alone; %s has %s", metric, c.Old, c.New, near(metric, new))
		case inNew && !inOld:
			return namef("metric %q is in the records of %s alone; %s has %s", metric, c.New, c.Old, near(metric, old))
		case !inOld:
			return namef("unknown metric %q; %sboth sides have %s", metric, otherFamily(metric, shared(old, new)), near(metric, shared(old, new)))
		}
	}
	c.Metrics = asked
	return nil
}

// recorded lists the metrics that some seed of a side's variants has, in the order
// of Metrics.
func (c *Comparison) recorded(side func(*VariantComparison) []final) []string {
	known := map[string]bool{}
	var names []string
	for i := range c.Variants {
		for _, f := range side(&c.Variants[i]) {
			for metric := range f.value {
				if !known[metric] {
					known[metric] = true
					names = append(names, metric)
				}
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		familyA, sizeA := record.Family(a)
		familyB, sizeB := record.Family(b)
		if d := metrics.Place(familyA) - metrics.Place(familyB); d != 0 {
			return d
		}
		if sizeA != sizeB {
			return sizeA - sizeB
		}
		return strings.Compare(a, b)
	})
	return names
}

func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return !slices.Contains(b, name) })
}

// near lists the known names close to a mistaken name, or all of them.
func near(name string, names []string) string {
	family, _ := record.Family(name)
	var close []string
	for _, other := range names {
		if f, _ := record.Family(other); family != "" && (strings.Contains(f, family) || strings.Contains(family, f)) {
			close = append(close, other)
		}
	}
	if close == nil {
		close = names
	}
	return namesText(close)
}

// otherFamily asks whether a metric that is near was meant, unless some of the same
// family are there: then it is the number that is wrong.
func otherFamily(metric string, names []string) string {
	family, _ := record.Family(metric)
	for _, name := range names {
		if f, _ := record.Family(name); f == family {
			return ""
		}
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
		} else {
			words = append(words, name)
		}
		last = ""
		if isK {
			last = family
		}
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, ", ")
}
