package plots

import (
	"math"
	"slices"
	"strconv"

	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/numbers"
	"modebench/plots/sheets"
)

// Interactive has the numbers of the interactive figures of a page: the methods with their looks,
// and metrics of each at every slice, which is a training step or a task of the board.
type Interactive struct {
	Slice   string              `json:"slice"` // "training step", "task"
	Slices  []string            `json:"slices"`
	Numeric bool                `json:"numeric"` // slices are numbers, and lines go along them
	Methods []InteractiveMethod `json:"methods"`
	Metrics []InteractiveMetric `json:"metrics"`
	// Families are the titles of those whose metrics have an @k.
	Families []InteractiveMetric `json:"families"`
	// Values are by metric and method; nil if a method lacks the metric.
	Values [][]*InteractiveValues `json:"values"`
	Paths  *InteractivePaths      `json:"paths,omitempty"`
	Charts []Chart                `json:"charts"`
}

// An InteractiveMethod is a method, or a variant of one, with its look.
type InteractiveMethod struct {
	Name   string    `json:"name"`
	Group  string    `json:"group"` // methods of one group are joined in figures that join
	Color  string    `json:"color"`
	Dashes []float64 `json:"dashes,omitempty"`
	Mark   int       `json:"mark"` // of seven shapes; -1: no mark
	Shown  bool      `json:"shown"`
	Partly bool      `json:"partly,omitempty"` // it has no result on some task
	Still  bool      `json:"still,omitempty"`  // it does not train: its one value is that of every step
}

// An InteractiveMetric is a metric with the title of its axis.
type InteractiveMetric struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// InteractiveValues are a metric of a method at all slices: means, bounds of the 95% intervals, and
// the values of each seed. Missing values are null.
type InteractiveValues struct {
	Mean  []Rounded   `json:"m"`
	Low   []Rounded   `json:"l,omitempty"`
	High  []Rounded   `json:"h,omitempty"`
	Seeds [][]Rounded `json:"s,omitempty"`
}

// InteractivePaths are lines that go through several columns at the same time.
type InteractivePaths struct {
	Columns []string        `json:"columns"`
	Values  [][][][]Rounded `json:"values"` // by slice, method and point: a number for each column
}

// A Chart is an interactive figure.
type Chart struct {
	ID      string     `json:"id"` // of the element that it is put into
	Kind    ChartKind  `json:"kind"`
	Title   string     `json:"title"`
	Metrics []string   `json:"metrics,omitempty"` // a panel each; of a pair x and y; of families their names
	Methods []int      `json:"methods,omitempty"` // nil: all
	Slice   int        `json:"at"`                // at first
	Join    bool       `json:"join,omitempty"`    // of a pair: methods of one group are joined
	Rings   []int      `json:"rings,omitempty"`   // methods with a ring: those at the value of the source
	Front   bool       `json:"front,omitempty"`   // of a pair: a line through the points that no point beats in both
	Rows    []ChartRow `json:"rows,omitempty"`
	Axis    string     `json:"axis,omitempty"` // of rows
	Zero    Rounded    `json:"zero"`           // of rows: the value without an effect
	Bent    bool       `json:"bent,omitempty"` // of rows: the axis can be bent as that of claims is
}

// A ChartKind is the way in which a chart draws its metrics.
type ChartKind string

const (
	ChartSlices ChartKind = "slices" // metrics along the slices
	ChartByK    ChartKind = "k"      // families of metrics along k, at one slice
	ChartPair   ChartKind = "pair"   // a metric against another, at one slice
	ChartPaths  ChartKind = "paths"  // a column of the paths against another, at one slice
	ChartRows   ChartKind = "rows"   // rows with intervals, below each other
)

// A ChartRow is a line of a forest plot.
type ChartRow struct {
	Label  string  `json:"label"`
	Group  string  `json:"group,omitempty"` // rows are filtered by it
	Method int     `json:"method"`          // -1: of no method
	Mark   int     `json:"mark"`
	Color  string  `json:"color"`
	Mean   Rounded `json:"m"`
	Low    Rounded `json:"l"`
	High   Rounded `json:"h"`
}

// Rounded is a number of a page, with six digits. Numbers that are not finite are null.
type Rounded float64

// MarshalJSON writes the number.
func (x Rounded) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', 6, 64), 64)
	if err != nil {
		return nil, err
	}
	return strconv.AppendFloat(nil, short+0, 'g', -1, 64), nil
}

// maxNumbers is how many numbers a page has of one experiment, so that its size does not follow
// the length of runs: beyond it there are no further metrics, no seeds, and fewer slices, down to
// minSlices. Only the metrics of figures and columns, and the ends of variants, go beyond it.
// maxSlices is how many slices there are, besides such ends.
const (
	maxNumbers = 60_000
	maxSlices  = 101
	minSlices  = 33
)

// NewInteractive reads the numbers of the interactive figures of a run from its records. The
// metrics of its figures and columns come first, and others as long as there is room. The charts
// are those of the figures of the manifest that have an interactive form, with an id from their
// place there.
func NewInteractive(run *record.Run, id func(figure int) string) (*Interactive, error) {
	all, err := numbers.Load(run, record.Figure{Name: "all"})
	if err != nil {
		return nil, err
	}
	shown := make([]numbers.Variant, len(all))
	for i, e := range all {
		shown[i] = e.Variant
	}
	first, rest := wantedMetrics(run, all)
	steps := slicesOf(shown, 3*len(first))
	out := &Interactive{Slice: "training step", Numeric: true, Methods: interactiveMethods(shown)}
	for _, step := range steps {
		out.Slices = append(out.Slices, strconv.Itoa(step))
	}
	for i, fig := range run.Figures {
		if chart := chartOf(fig, shown); chart != nil {
			chart.ID, chart.Slice = id(i), len(steps)-1
			out.Charts = append(out.Charts, *chart)
		}
	}
	out.fill(all, steps, first, rest)
	return out, nil
}

// slicesOf are the steps of a page of variants with each numbers at a step: all, or as many as
// there is room for. The ends of every variant are among them, because a variant's last step is
// the only one with its final value.
func slicesOf(shown []numbers.Variant, each int) []int {
	trained := 0
	var ends []int
	for _, v := range shown {
		if v.Trains {
			trained++
		}
		if len(v.Steps) > 0 {
			ends = append(ends, v.Steps[0], v.Last())
		}
	}
	room := maxNumbers / max(1, each*trained)
	out := append(fewer(stepsOf(shown), min(maxSlices, max(minSlices, room))), ends...)
	slices.Sort(out)
	return slices.Compact(out)
}

// fewer picks at most limit of a list, evenly, with both ends.
func fewer(list []int, limit int) []int {
	var out []int
	for _, i := range Spread(len(list), limit) {
		out = append(out, list[i])
	}
	return out
}

// Spread chooses at most limit of n places, evenly, with the first and the last; limit is at
// least 2.
func Spread(n, limit int) []int {
	var out []int
	for i := range min(n, limit) {
		if n > limit {
			i = i * (n - 1) / (limit - 1)
		}
		out = append(out, i)
	}
	return out
}

// interactiveMethods are the variants with the looks that they have in drawn figures of all.
func interactiveMethods(shown []numbers.Variant) []InteractiveMethod {
	var out []InteractiveMethod
	for i, l := range sheets.Looks(shown) {
		v := shown[i]
		m := InteractiveMethod{Name: v.Label, Group: v.Name, Shown: true, Still: !v.Trains && len(v.Steps) == 1}
		m.SetLook(l)
		out = append(out, m)
	}
	return out
}

// SetLook gives the method its colour, dashes and mark.
func (m *InteractiveMethod) SetLook(l draw.Look) {
	m.Color, m.Mark, m.Dashes = sheets.Hex(l.Color), -1, l.DashPoints()
	if l.Mark != nil {
		m.Mark = slices.Index(draw.Marks, l.Mark)
	}
}

// chartOf is the interactive form of a figure, or nil.
func chartOf(fig record.Figure, shown []numbers.Variant) *Chart {
	kind, ok := map[string]ChartKind{"curve": ChartSlices, "k-curve": ChartByK, "scatter": ChartPair, "dose": ChartPair}[fig.Kind]
	if !ok {
		return nil
	}
	c := &Chart{Kind: kind, Title: fig.Title, Metrics: fig.Metrics, Join: fig.Kind == "dose"}
	if c.Title == "" {
		c.Title = fig.Name
	}
	for i, v := range shown {
		if fig.Shows(record.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Axes: v.Axes}) {
			c.Methods = append(c.Methods, i)
			if c.Join && slices.Contains(fig.Panel, v.Label) {
				c.Rings = append(c.Rings, i)
			}
		}
	}
	return c
}

// wantedMetrics are the metrics of the records, those of figures and columns first.
func wantedMetrics(run *record.Run, all []numbers.Evaluated) (first, rest []string) {
	wanted := map[string]bool{}
	for _, name := range run.Columns {
		wanted[name] = true
	}
	for _, fig := range run.Figures {
		for _, name := range fig.Metrics {
			wanted[name] = true
		}
	}
	for _, name := range numbers.MetricNames(all) {
		if family, _, ok := record.SplitK(name); wanted[name] || ok && wanted[family] {
			first = append(first, name)
		} else {
			rest = append(rest, name)
		}
	}
	return first, rest
}

// fill works out metrics until there are as many numbers as a page has room for. Seeds are left out
// if those of the first metrics alone would be too many.
func (t *Interactive) fill(all []numbers.Evaluated, steps []int, first, rest []string) {
	plain, seeds := 0, 0
	for _, e := range all {
		n := len(steps)
		if !e.Trains {
			n = min(n, len(e.Steps))
		}
		plain += 3 * n
		if len(e.Seeds) > 1 {
			seeds += n * len(e.Seeds)
		}
	}
	bySeed := len(first)*(plain+seeds) <= maxNumbers
	each := plain
	if bySeed {
		each += seeds
	}
	room := max(maxNumbers/max(each, 1), len(first))
	for i, name := range slices.Concat(first, rest) {
		if i >= room {
			break
		}
		row := make([]*InteractiveValues, len(all))
		for j := range all {
			row[j] = valuesAt(&all[j], name, steps, bySeed)
		}
		t.Add(InteractiveMetric{name, describe(name).Title()}, row)
	}
}

// Add adds a metric and, with the first of a family, the family.
func (t *Interactive) Add(m InteractiveMetric, values []*InteractiveValues) {
	t.Metrics, t.Values = append(t.Metrics, m), append(t.Values, values)
	family, _, ok := record.SplitK(m.Name)
	if ok && !slices.ContainsFunc(t.Families, func(f InteractiveMetric) bool { return f.Name == family }) {
		t.Families = append(t.Families, InteractiveMetric{family, describeFamily(family).Title()})
	}
}

func valuesAt(e *numbers.Evaluated, metric string, steps []int, bySeed bool) *InteractiveValues {
	list := make([]stats.Interval, len(steps))
	found := false
	for i, step := range steps {
		list[i] = e.Measured(metric, step)
		found = found || list[i].N > 0
	}
	if !found {
		return nil
	}
	out := NewInteractiveValues(list)
	if bySeed && len(e.Seeds) > 1 {
		for _, seed := range e.Evals {
			line := make([]Rounded, len(steps))
			for i, step := range steps {
				line[i] = Rounded(math.NaN())
				if x, ok := seed[step].Metrics[metric]; ok {
					line[i] = Rounded(x)
				}
			}
			out.Seeds = append(out.Seeds, line)
		}
	}
	return out
}

// NewInteractiveValues has bounds if some interval has them.
func NewInteractiveValues(list []stats.Interval) *InteractiveValues {
	out := &InteractiveValues{}
	bounded := false
	for _, v := range list {
		if v.N == 0 {
			v.Mean, v.Low, v.High = math.NaN(), math.NaN(), math.NaN()
		}
		bounded = bounded || draw.Bounded(v.Low, v.High)
		out.Mean, out.Low, out.High = append(out.Mean, Rounded(v.Mean)), append(out.Low, Rounded(v.Low)), append(out.High, Rounded(v.High))
	}
	if !bounded {
		out.Low, out.High = nil, nil
	}
	return out
}
