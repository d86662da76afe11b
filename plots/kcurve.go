package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"modebench/experiments/record"
	"modebench/internal/nearest"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "k-curve", Place: 3, Doc: "families of metrics by k",
			Fields: lineFields, Check: checkFamilies,
		},
		needs:  `a k-curve needs at least one family of metrics, such as "pass"`,
		note:   "Mean over seeds [95% interval].",
		gather: ofMetrics(func(fig record.Figure, e *numbers.Evaluated) { numbers.MeasureFamilies(fig.Metrics, e) }),
		draw:   func(d *Data) (*draw.Figure, Values, error) { return kCurveLines.figure(d, d.Figure.Metrics) },
		lines:  &kCurveLines,
	})
}

func checkFamilies(fig record.Figure, recorded record.Recorded) error {
	if len(fig.Metrics) == 0 {
		return checkMetrics(fig, recorded)
	}
	for _, family := range fig.Metrics {
		if !slices.Contains(recorded.Families, family) {
			return wrongField("metrics", "figure %q: a k-curve has no metric %q; %sit draws %s", fig.Name, family, nearest.Hint(family, recorded.Families), strings.Join(recorded.Families, ", "))
		}
		if err := checkMetric(fig, fmt.Sprintf("%s@%d", family, recorded.K[0]), recorded); err != nil {
			return err
		}
	}
	return nil
}

// kCurveLines are each family of metrics, such as pass@k, by k at the last evaluated step.
// The panels of a page share the axis: k is the same thing in each, and a step may not be.
var kCurveLines = familyLines(lineKind{
	describe: describeFamily, label: "k (answers per problem)", rows: "k", shared: true,
	scale: math.Log2,
	ticks: func(ks []int, s *sheets.Sheet) plot.Ticker { return draw.KTicks(ks, s.PanelWidth()) },
	level: numbers.Variant.Ceiling,
	// The note defines coverage@k: it may fall while k grows, which would look like a mistake.
	note: func(shown []numbers.Variant, families []string) string {
		note := sheets.LastStepNote(shown)
		if slices.Contains(families, "coverage") {
			note = draw.Sentences(note, "coverage@k: share of the min(k, existing) modes that k answers could find.")
		}
		return note
	},
})
