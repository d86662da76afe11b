package plots

import (
	"regexp"
	"strconv"

	"modebench/experiments/record"
	"modebench/metrics"
	"modebench/plots/draw"
)

// describe is how a metric is shown. A metric without a label, or that is not registered, is
// shown under its own name.
func describe(metric string) draw.Measure {
	_, k, numbered := record.SplitK(metric)
	m, known := measureOf(metric, numbered)
	if !known {
		return draw.Measure{Label: metric}
	}
	if numbered {
		m.Label = letterK.ReplaceAllString(m.Label, strconv.Itoa(k))
	}
	return m
}

// MetricTitle returns the title of a metric on the axes of figures; "" if that is its name.
func MetricTitle(metric string) string {
	if title := describe(metric).Title(); title != metric {
		return title
	}
	return ""
}

// describeFamily is describe for the metrics family@k at every k.
func describeFamily(family string) draw.Measure {
	if m, known := measureOf(family, true); known {
		return m
	}
	return draw.Measure{Label: family + "@k"}
}

// letterK is the k in the label of a family, a word of its own.
var letterK = regexp.MustCompile(`\bk\b`)

// measureOf returns how a registered metric with a label is shown: of a family, or of a metric
// without k.
func measureOf(name string, family bool) (draw.Measure, bool) {
	m, known := metrics.Lookup(name)
	if !known || m.Label == "" || family != (m.Name != m.Family()) {
		return draw.Measure{}, false
	}
	return draw.Measure{
		Label: m.Label, Unit: m.Unit, Share: m.Axis == metrics.AxisShare,
		AtZero: m.Axis == metrics.AxisFromZero || m.Axis == metrics.AxisCounts, Whole: m.Axis == metrics.AxisCounts,
	}, true
}
