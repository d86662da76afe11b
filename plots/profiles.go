package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "profiles", Place: 7, Doc: "the share of runs above a score, by score (performance profiles)",
			Fields: []string{"metrics", "rows"},
			Check: func(fig record.Figure, of record.Recorded) error {
				if err := checkMetrics(fig, of); err != nil {
					return err
				}
				return checkFields(fig, of)
			},
		},
		note:   "At the last evaluation: share of runs, a seed at a setting, above each value [95% interval].",
		gather: ofMetrics(measureScores),
		draw:   profilesFigure,
		values: profilesValues,
	})
}

// measureScores works out the metrics of each seed at the last step; one that some seed
// lacks is left out.
func measureScores(fig record.Figure, e *numbers.Evaluated) {
	e.AtLast()
	for _, metric := range slices.Compact(slices.Sorted(slices.Values(fig.Metrics))) {
		var xs []float64
		for _, seed := range e.Evals {
			if x, ok := seed[e.Last()].Metrics[metric]; ok {
				xs = append(xs, x)
			}
		}
		if len(xs) == len(e.Evals) {
			e.Scores = append(e.Scores, numbers.Scores{Metric: metric, Values: xs})
		}
	}
}

// A contender is a line of a profile: all variants with the same values of the fields
// that tell lines apart.
type contender struct {
	numbers.Variant                   // the first of them, by its name in the figure
	all             []numbers.Variant // the settings that it was run at
}

// contenders groups the variants by the fields in rows, by method where there are none,
// in the order in which they come.
func contenders(fig record.Figure, shown []numbers.Variant) ([]contender, error) {
	fields := fig.Rows
	if len(fields) == 0 {
		fields = []string{"method"}
	}
	rows, err := combine(fields, shown)
	if err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	var out []contender
	place := map[int]int{}
	for i, s := range shown {
		at, known := place[rows.of[i]]
		if !known {
			at = len(out)
			place[rows.of[i]] = at
			s.Called = strings.Join(slices.DeleteFunc(slices.Clone(rows.Values[rows.of[i]]), func(v string) bool { return v == "" || v == "-" }), " ")
			if s.Called == "" { // it has none of the fields
				s.Called = s.Name
			}
			out = append(out, contender{Variant: s})
		}
		out[at].all = append(out[at].all, shown[i])
	}
	return out, nil
}

// A Score is the metric of a seed of a contender at one of its settings. Where seeds are
// nested, the number of its draw of problems stands for the seed's: draws are what varies.
type Score struct {
	Seed  int
	Value float64
}

// scoresOf are the scores of a contender's runs; nil where no setting has the metric.
func (c contender) scoresOf(metric string) []Score {
	var out []Score
	for _, s := range c.all {
		for i, x := range s.ScoresOf(metric) {
			unit := s.Seeds[i]
			if s.Draws != nil {
				unit = s.Draws[i]
			}
			out = append(out, Score{unit, x})
		}
	}
	return out
}

// maxThresholds is the largest number of thresholds at which a line of a profile is computed.
const maxThresholds = 200

// Performance is the performance profile of some runs (Agarwal et al. 2021, sec. 4.2): the
// share of them with a score above tau, for every tau from low to high. It falls at each
// score; where there are more than maxThresholds different ones, at some of them, evenly.
//
// The band is pointwise, of 95%, over seeds: at each tau, every seed has its own share of
// settings above tau, and the interval is stats.MeanInterval of those shares. (The paper
// resamples the runs of each task. Here runs of one seed are drawn from, or left out,
// together, since they may share problems.) So it has no width where all seeds agree, and
// it is not simultaneous: a true profile leaves it somewhere more often than in 5% of
// cases. Where seeds differ in how many settings they have, the mean weighs seeds alike.
func Performance(runs []Score, low, high float64) []sheets.Point {
	var seeds []int
	values := []float64{}
	for _, r := range runs {
		if !slices.Contains(seeds, r.Seed) {
			seeds = append(seeds, r.Seed)
		}
		values = append(values, r.Value)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	stride := (len(values) + maxThresholds - 1) / maxThresholds
	above := func(tau float64) stats.Interval {
		shares := make([]float64, len(seeds))
		counts := make([]float64, len(seeds))
		for _, r := range runs {
			at := slices.Index(seeds, r.Seed)
			counts[at]++
			if r.Value > tau {
				shares[at]++
			}
		}
		for i := range shares {
			shares[i] /= counts[i]
		}
		at := stats.MeanInterval(shares)
		if len(shares) > 1 { // one has no interval
			at.Low, at.High = max(at.Low, 0), min(at.High, 1)
		}
		return at
	}
	at := above(math.Inf(-1))
	line := []sheets.Point{{X: low, At: at}}
	for i := stride - 1; i < len(values); i += stride {
		if i+stride >= len(values) {
			i = len(values) - 1
		}
		tau := min(max(values[i], low), high)
		line = append(line, sheets.Point{X: tau, At: at})
		at = above(values[i])
		line = append(line, sheets.Point{X: tau, At: at})
	}
	return append(line, sheets.Point{X: high, At: at})
}

// thresholds is the axis of a metric's scores.
func thresholds(metric string, lines []contender) (low, high float64, found bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range lines {
		for _, s := range c.scoresOf(metric) {
			low, high, found = min(low, s.Value), max(high, s.Value), true
		}
	}
	if !found {
		return 0, 1, false
	}
	if describe(metric).InUnit(low, high) {
		return 0, 1, true
	}
	room := 0.04 * (high - low)
	low, high = sheets.Apart(low-room, high+room)
	return low, high, true
}

var ProfileMeasure = draw.Measure{Label: "share of runs with a score above τ", Share: true}

// profilesFigure shows performance profiles, a panel for each metric: for every score
// tau, the share of a method's runs after training that have more. A run is a seed at one
// setting; the settings of a method are all variants of its name that the figure keeps,
// or, where rows name fields, all that have the same values of those.
func profilesFigure(d *Data) (*draw.Figure, error) {
	fig, shown := d.Figure, d.Variants
	if len(fig.Metrics) == 0 {
		return nil, errors.New("profiles need at least one metric; metrics is empty")
	}
	lined, err := contenders(fig, shown)
	if err != nil {
		return nil, err
	}
	heads := make([]numbers.Variant, len(lined))
	for i, c := range lined {
		heads[i] = c.Variant
	}
	sheet := sheets.New(fig, heads, len(fig.Metrics))
	for _, metric := range fig.Metrics {
		low, high, found := thresholds(metric, lined)
		if !found {
			return nil, numbers.UnknownMetric("metric", metric, shown)
		}
		at := -1
		traces := sheet.Traces(describe(metric), func(numbers.Variant) []sheets.Point {
			at++ // they come in the order of heads
			if runs := lined[at].scoresOf(metric); runs != nil {
				return Performance(runs, low, high)
			}
			return nil
		})
		p, err := draw.Lines(ProfileMeasure, traces, low, high)
		if err != nil {
			return nil, err
		}
		p.X.Label.Text = "score τ: " + describe(metric).Title()
		p.X.Tick.Marker = draw.Ticks{Count: sheet.XTicks()}
		sheet.Add(p, ProfileMeasure)
	}
	return sheet.Page(draw.Sentences(profilesNote(lined), profilesLack(lined, fig.Metrics), sheets.LastStepNote(shown), sheet.Absences(), profilesBands(lined))), nil
}

// profilesNote says what the runs of a line are.
func profilesNote(lined []contender) string {
	low, high := math.MaxInt, 0
	for _, c := range lined {
		if c.Trains {
			low, high = min(low, len(c.all)), max(high, len(c.all))
		}
	}
	switch {
	case high == 0:
		return ""
	case low == high:
		return fmt.Sprintf("Runs: the seeds of a line at each of %s.", draw.Counted(high, "setting"))
	}
	return fmt.Sprintf("Runs: the seeds of a line at each of its %d to %d settings.", low, high)
}

// profilesLack names the settings that are missing from a line because the metric is not
// defined for one of their seeds: lines then are of different settings.
func profilesLack(lined []contender, metrics []string) string {
	var lack []string
	for _, metric := range metrics {
		for _, c := range lined {
			for _, s := range c.all {
				if len(s.ScoresOf(metric)) == 0 && c.scoresOf(metric) != nil {
					lack = append(lack, s.Label+" ("+describe(metric).Title()+")")
				}
			}
		}
	}
	if lack == nil {
		return ""
	}
	return "Left out of their lines, since a seed lacks the metric: " + strings.Join(lack, ", ") + "."
}

func profilesBands(lined []contender) string {
	for _, c := range lined {
		if n, unit := c.Units(); n >= stats.MinValues && !c.Ceiling() {
			return "Bands: 95% confidence intervals over " + unit + ", at each τ; none where all " + unit + " agree."
		}
	}
	return ""
}

// profileRows is how many thresholds a table of a profile has, with both ends.
const profileRows = 21

// profilesValues are the shares of runs above some thresholds, evenly spaced.
func profilesValues(d *Data) (Values, error) {
	fig := d.Figure
	lined, err := contenders(fig, d.Variants)
	if err != nil {
		return nil, err
	}
	heads := make([]numbers.Variant, len(lined))
	for i, c := range lined {
		heads[i] = c.Variant
	}
	var out Values
	for _, metric := range fig.Metrics {
		low, high, _ := thresholds(metric, lined)
		p := PanelValues{Title: "share of runs above τ: " + describe(metric).Title(), Axis: "score τ", Low: low, High: high, Columns: lineColumns(heads)}
		for i := range profileRows {
			tau := low + float64(i)/(profileRows-1)*(high-low)
			p.Rows = append(p.Rows, ValueRow{Name: fmt.Sprintf("%.3g", tau), X: tau})
		}
		for _, c := range lined {
			line := []sheets.Point(nil)
			if runs := c.scoresOf(metric); runs != nil {
				line = Performance(runs, low, high)
			}
			for i := range p.Rows {
				p.Rows[i].Cells = append(p.Rows[i].Cells, profileAt(line, p.Rows[i].X))
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// profileAt is the value of a profile at a threshold, after a fall there.
func profileAt(line []sheets.Point, tau float64) stats.Interval {
	var at stats.Interval
	for _, p := range line {
		if p.X <= tau {
			at = p.At
		}
	}
	return at
}
