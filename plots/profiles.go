package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/plural"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

func init() {
	register(kind{
		FigureKind: record.FigureKind{
			Name: "profiles", Place: 7, Doc: "the share of runs above a score, by score (performance profiles)",
			Fields: append([]string{"metrics", "rows", "x", "y"}, sizeFields...), Check: checkFields,
		},
		needs:  "profiles need at least one metric",
		note:   "At the last evaluation: share of runs, a seed at a setting, above each value [95% interval].",
		gather: ofMetrics(measureScores),
		draw:   profilesFigure,
	})
}

// measureScores works out the metrics of each seed at the last step. A metric that some seed
// lacks is left out.
func measureScores(fig record.Figure, e *numbers.Evaluated) {
	e.KeepLast()
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
	all             []numbers.Variant // its settings
}

// contenders groups the variants by the fields in rows, or by method if there are no such fields,
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
	index := map[int]int{}
	for i, v := range shown {
		row := rows.places[i]
		place, known := index[row]
		if !known {
			place = len(out)
			index[row] = place
			words := slices.DeleteFunc(slices.Clone(rows.Values[row]), func(value string) bool { return value == "" || value == "-" })
			v.Called = cmp.Or(strings.Join(words, " "), v.Name) // of a variant without any of the fields
			out = append(out, contender{Variant: v})
		}
		out[place].all = append(out[place].all, shown[i])
	}
	return out, nil
}

// headsOf are the first variants of the lines.
func headsOf(lined []contender) (out []numbers.Variant) {
	for _, c := range lined {
		out = append(out, c.Variant)
	}
	return out
}

// A Score is the metric of a seed of a contender at one of its settings. If seeds are nested, Seed
// is the number of its draw of problems: draws vary.
type Score struct {
	Seed  int
	Value float64
}

// scoresOf are the scores of a contender's runs; nil if no setting has the metric.
func (c contender) scoresOf(metric string) []Score {
	var out []Score
	for _, s := range c.all {
		for i, x := range s.ScoresOf(metric) {
			out = append(out, Score{s.Unit(i), x})
		}
	}
	return out
}

// maxThresholds is the largest number of thresholds at which a line of a profile is computed.
const maxThresholds = 200

// Performance is the performance profile of some runs (Agarwal et al. 2021, sec. 4.2): the
// share of them with a score above tau, for every tau from low to high. It falls at each
// score; of more than maxThresholds different scores, at some, evenly picked.
//
// The band is pointwise, of 95%, over seeds: at each tau, every seed has its own share of
// settings above tau, and the interval is stats.MeanInterval of those shares. (The paper
// resamples the runs of each task. Here runs of one seed are drawn from, or left out,
// together, since they may share problems.) So it has no width at a tau on which all seeds agree,
// and it is not simultaneous: a true profile leaves it somewhere more often than in 5% of
// cases. If seeds differ in their number of settings, the mean weighs seeds alike.
func Performance(runs []Score, low, high float64) []sheets.Point {
	above := func(tau float64) stats.Interval {
		var counts, shares []float64 // by seed
		var seeds []int
		for _, r := range runs {
			i := slices.Index(seeds, r.Seed)
			if i < 0 {
				i = len(seeds)
				seeds, counts, shares = append(seeds, r.Seed), append(counts, 0), append(shares, 0)
			}
			counts[i]++
			if r.Value > tau {
				shares[i]++
			}
		}
		for i := range shares {
			shares[i] /= counts[i]
		}
		share := stats.MeanInterval(shares)
		if len(shares) > 1 { // one has no interval
			share.Low, share.High = max(share.Low, 0), min(share.High, 1)
		}
		return share
	}
	var values []float64
	for _, r := range runs {
		values = append(values, r.Value)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	stride := (len(values) + maxThresholds - 1) / maxThresholds
	share := above(math.Inf(-1))
	line := []sheets.Point{{X: low, At: share}}
	for i := stride - 1; i < len(values); i += stride {
		if i+stride >= len(values) {
			i = len(values) - 1
		}
		tau := min(max(values[i], low), high)
		line = append(line, sheets.Point{X: tau, At: share})
		share = above(values[i])
		line = append(line, sheets.Point{X: tau, At: share})
	}
	return append(line, sheets.Point{X: high, At: share})
}

// thresholds is the axis of a metric's scores.
func thresholds(metric string, lines []contender) (low, high float64, found bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range lines {
		for _, s := range c.scoresOf(metric) {
			low, high, found = min(low, s.Value), max(high, s.Value), true
		}
	}
	if !found || describe(metric).InUnit(low, high) {
		return 0, 1, found
	}
	room := 0.04 * (high - low)
	low, high = sheets.Apart(low-room, high+room)
	return low, high, true
}

// ProfileMeasure is the vertical axis of performance profiles.
var ProfileMeasure = draw.Measure{Label: "share of runs with a score above τ", Share: true}

// profilesFigure shows performance profiles, a panel for each metric: for every score
// tau, the share of a method's runs after training that have more. A run is a seed at one
// setting; the settings of a method are all variants of its name that the figure keeps,
// or, where rows name fields, all that have the same values of those.
func profilesFigure(d *Data) (*draw.Figure, Values, error) {
	fig, shown := d.Figure, d.Variants
	lined, err := contenders(fig, shown)
	if err != nil {
		return nil, nil, err
	}
	sheet := sheets.New(fig, headsOf(lined), len(fig.Metrics))
	var values Values
	for _, metric := range fig.Metrics {
		low, high, found := thresholds(metric, lined)
		if !found {
			return nil, nil, numbers.UnknownMetric("metric", metric, shown)
		}
		var lines [][]sheets.Point
		traces := sheet.Traces(describe(metric), func(numbers.Variant) []sheets.Point { // in the order of lined
			var line []sheets.Point
			if runs := lined[len(lines)].scoresOf(metric); runs != nil {
				line = Performance(runs, low, high)
			}
			lines = append(lines, line)
			return line
		})
		x := draw.Span{Low: low, High: high}
		if fig.X != nil {
			x.Low, x.High = fig.X[0], fig.X[1]
		}
		p, err := sheet.Lines(ProfileMeasure, traces, x)
		if err != nil {
			return nil, nil, err
		}
		title := describe(metric).Title()
		p.X.Label.Text = "score τ: " + title
		p.X.Tick.Marker = draw.Ticks{Count: sheet.XTicks()}
		sheet.Add(p, ProfileMeasure)
		table := PanelValues{Title: "share of runs above τ: " + title, Axis: "score τ", Low: low, High: high, Columns: lineColumns(sheet.Shown)}
		for i := range profileRows {
			tau := low + float64(i)/(profileRows-1)*(high-low)
			row := ValueRow{Name: fmt.Sprintf("%.3g", tau), X: tau}
			for _, line := range lines {
				row.Cells = append(row.Cells, profileAt(line, tau))
			}
			table.Rows = append(table.Rows, row)
		}
		values = append(values, table)
	}
	note := draw.Sentences(profilesNote(lined), profilesLack(lined, fig.Metrics), sheets.LastStepNote(shown), sheet.Absences(), profilesBands(lined))
	return sheet.Page(note), values, nil
}

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
		return fmt.Sprintf("Runs: the seeds of a line at each of %s.", plural.Count(high, "setting"))
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

// profileRows is how many thresholds a table of a profile has, evenly spaced, with both ends.
const profileRows = 21

// profileAt is the value of a profile at a threshold, after a fall there.
func profileAt(line []sheets.Point, tau float64) stats.Interval {
	var share stats.Interval
	for _, p := range line {
		if p.X <= tau {
			share = p.At
		}
	}
	return share
}
