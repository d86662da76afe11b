package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"modebench/experiments/record"
)

func TestSplitK(t *testing.T) {
	for _, c := range []struct {
		metric string
		family string
		k      int
		ok     bool
	}{
		{"pass@16", "pass", 16, true},
		{"E_w[best@k]@8", "E_w[best@k]", 8, true},
		{"pass@1", "pass", 1, true},
		{"pass@0", "", 0, false},
		{"pass@-1", "", 0, false},
		{"pass@k", "", 0, false},
		{"pass@", "", 0, false},
		{"@4", "", 0, false},
		{"reward", "", 0, false},
		{"pass@99999999999999999999", "", 0, false},
	} {
		if family, k, ok := splitK(c.metric); family != c.family || k != c.k || ok != c.ok {
			t.Errorf("%s: got %q, %d, %v", c.metric, family, k, ok)
		}
	}
}

func TestDescribe(t *testing.T) {
	for metric, want := range map[string]string{
		"entropy_mode":        "mode entropy (nats)",
		"correct_modes_alive": "rewarded modes alive (mass > 2%)",
		"pass@8":              "pass@8",
		"mystery":             "mystery",
		"mystery@3":           "mystery@3",
		"best_first@30":       "best of the first 30 drawn",
		"ew_best@5":           "E_w[best@5] (w ~ Dir(1))",
		"front_coverage@10":   "front coverage@10",
		"hypervolume":         "hypervolume / exact front's",
		"headroom":            "headroom (best@K − best@1)",
	} {
		if got := describe(metric).title(); got != want {
			t.Errorf("%s: %q, want %q", metric, got, want)
		}
	}
	if !describe("coverage@4").share || describe("mystery@3").share {
		t.Error("coverage is a share, mystery is not known to be one")
	}
}

func TestAxisRange(t *testing.T) {
	share, count, free := measure{share: true}, measure{atZero: true}, measure{}
	for _, c := range []struct {
		why                      string
		m                        measure
		low, high, bandLow, band float64
		from, to                 float64
	}{
		{"shares", share, 0.4, 0.5, 0.3, 0.6, 0, 1},
		{"a band beyond 1 does not move a share's axis", share, 0.4, 0.9, 0.3, 1.2, 0, 1},
		{"rounding neither", share, -1e-12, 1 + 1e-12, 0, 1, 0, 1},
		{"a reward with penalties is no share", share, -1, 1, -1, 1, -1.08, 1.08},
		{"counts start at 0", count, 1, 4, 0.5, 5, 0, 5.18},
		{"a free metric has room", free, 1, 2, 1, 2, 0.96, 2.04},
		{"a constant has room", free, 4, 4, 4, 4, 1.84, 6.16},
		{"zero too", free, 0, 0, 0, 0, -0.54, 0.54},
	} {
		from, to := c.m.axis(c.low, c.high, c.bandLow, c.band)
		if math.Abs(from-c.from) > 1e-9 || math.Abs(to-c.to) > 1e-9 {
			t.Errorf("%s: %g to %g, want %g to %g", c.why, from, to, c.from, c.to)
		}
	}
}

// One line with a huge interval does not flatten all others.
func TestReachBoundsBands(t *testing.T) {
	at := func(mean, low, high float64) dot {
		return dot{mean: mean, low: low, high: high}
	}
	low, high, bandLow, bandHigh := reach([]trace{{dots: []dot{at(1, -100, 100), at(2, 1.5, 2.5), at(1.5, math.Inf(-1), math.Inf(1))}}})
	if got, want := []float64{low, high, bandLow, bandHigh}, []float64{1, 2, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Nor do a few steps with huge intervals.
func TestReachIgnoresSpikes(t *testing.T) {
	var line trace
	for i := range 20 {
		line.dots = append(line.dots, dot{mean: float64(i), low: float64(i) - 1, high: float64(i) + 1})
	}
	line.dots[3].high, line.dots[9].high = 35, 30
	if _, _, low, high := reach([]trace{line}); low != 0 || high != 20 {
		t.Errorf("bands are shown from %g to %g", low, high)
	}
}

func TestLastStepNote(t *testing.T) {
	at := func(method string, step int) sample {
		return sample{variant: usual(record.Variant{Method: method}), steps: []int{0, step}}
	}
	for want, shown := range map[string][]sample{
		"Before training.":                       {at("base", 0)},
		"After 50 training steps.":               {at("base", 0), at("grpo", 50)},
		"At the last evaluated step (40 to 50).": {at("gspo", 40), at("grpo", 50)},
	} {
		if got := lastStepNote(shown); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A mode that dies out and comes back has a line before and after.
func TestSeams(t *testing.T) {
	tops := [][]float64{{0.5}, {0.4}, {0.001}, {0.3}, {0.4}, {0}, {0.2}}
	got := seams([]float64{0, 1, 2, 3, 4, 5, 6}, tops, 0, 0.01)
	want := []plotter.XYs{{{X: 0, Y: 0.5}, {X: 1, Y: 0.4}}, {{X: 3, Y: 0.3}, {X: 4, Y: 0.4}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		m    measure
		v    float64
		want string
	}{
		{measure{share: true}, 0.125, "0.12"}, {measure{share: true}, 1, "1.00"}, {measure{whole: true}, 1.25, "1.2"},
		{measure{}, 1234567, "1.23e+06"}, {measure{}, 0.00012, "0.00012"}, {measure{}, 0, "0.00"},
		{measure{}, -123.4, "-123"}, {measure{}, 12.34, "12.3"}, {measure{}, 1.234, "1.23"},
	} {
		if got := c.m.format(c.v); got != c.want {
			t.Errorf("%g: %q, want %q", c.v, got, c.want)
		}
	}
}

func labels(ticks []plot.Tick) string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.Label)
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		ticks     niceTicks
		low, high float64
		want      string
	}{
		{niceTicks{count: 5}, 0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{niceTicks{count: 3, whole: true}, 0, 3000, "0 1000 2000 3000"},
		{niceTicks{count: 5, whole: true}, 0, 1.5, "0 1"},
		{niceTicks{count: 5}, -0.54, 0.54, "-0.5 0.0 0.5"},
		{niceTicks{count: 2}, 0, 1, "0.0 0.5 1.0"},
		{niceTicks{count: 4}, 0.001, 0.0093, "0.005"},
	} {
		if got := labels(c.ticks.Ticks(c.low, c.high)); got != c.want {
			t.Errorf("%g to %g: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

func TestKTicks(t *testing.T) {
	var dense, powers []int
	for k := 1; k <= 64; k++ {
		dense = append(dense, k)
	}
	for k := 1; k <= 1024; k *= 2 {
		powers = append(powers, k)
	}
	for _, c := range []struct {
		why   string
		ks    []int
		width vg.Length
		want  string
	}{
		{"VPO's", []int{1, 3, 5, 10, 30}, 120, "1 3 5 10 30"},
		{"and in little room", []int{1, 3, 5, 10, 30}, 50, "1 3  10 30"},
		{"the last label stays", []int{1, 3, 5, 10, 30}, 30, "1 3   30"},
		{"most are powers of two", []int{1, 2, 3, 4, 5, 64}, 120, "1 2 4 64"},
		{"all powers of two", dense, 120, "1 2 4 8 16 32 64"},
		{"powers of two beside others", []int{1, 2, 3, 5, 10, 30, 60}, 120, "1 2 3 5 10 30 60"},
		{"many powers of two", powers, 120, "1 2 4 8 16  64  256  1024"},
		{"no power of two", []int{3, 5}, 120, "3 5"},
		{"a single k", []int{8}, 120, "8"},
	} {
		if got := labels(kTicks(c.ks, c.width)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestArrange(t *testing.T) {
	for _, c := range []struct {
		widths  []vg.Length
		width   vg.Length
		rows    int
		columns []vg.Length
	}{
		{[]vg.Length{10, 20, 30}, 88, 1, []vg.Length{10, 20, 30}},
		{[]vg.Length{10, 20, 30}, 87, 2, []vg.Length{20, 30}},
		{[]vg.Length{10, 20, 30}, 30, 3, []vg.Length{30}},
		{[]vg.Length{10, 20, 30}, 5, 3, []vg.Length{30}},
	} {
		rows, columns := arrange(c.widths, c.width)
		if rows != c.rows || !slices.Equal(columns, c.columns) {
			t.Errorf("%v in %g: %d rows of %v", c.widths, c.width, rows, columns)
		}
	}
}

func TestWrap(t *testing.T) {
	width := textWidth(smallFont, "abcdefghij")
	for text, want := range map[string][]string{
		"":                    {""},
		"short":               {"short"},
		"  two   words  ":     {"two words"},
		"several words here":  {"several", "words", "here"},
		"x abcdefghijabcdefg": {"x", "abcdefghij", "abcdefg"},
	} {
		if diff := cmp.Diff(want, wrap(smallFont, text, width)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	if got := wrap(smallFont, "äöü", 0); len(got) != 4 {
		t.Errorf("no room at all: %q", got)
	}
}

func TestNaturally(t *testing.T) {
	names := []string{"a10", "a1b", "b", "a2", "10", "9", "a", "a9b", ""}
	slices.SortFunc(names, func(a, b string) int {
		if naturally(a, b) {
			return -1
		}
		return 1
	})
	if got := strings.Join(names, " "); got != " 9 10 a a2 a10 a1b a9b b" {
		t.Errorf("got %q", got)
	}
}

// Forty variants look different, and the same method always has its colour.
func TestLooks(t *testing.T) {
	var shown []sample
	for i := range 42 {
		shown = append(shown, sample{variant: usual(record.Variant{Method: []string{"grpo", "vpo", "unheard-of"}[i%3]})})
	}
	seen := map[string]bool{}
	for _, l := range looks(shown) {
		key := fmt.Sprint(l.dashes, l.mark)
		if seen[key] {
			t.Errorf("two lines with dashes and mark %s", key)
		}
		seen[key] = true
	}
	if methodColor("grpo") != methodColor("grpo@setpo") || methodColor("grpo") == methodColor("setpo+grpo") {
		t.Error("a paper's setting has its method's colour, another method has another")
	}
}

// Of methods that share a figure each has a colour to itself while there are eight or
// fewer, and keeps its own where it may.
func TestColorsOf(t *testing.T) {
	colors := func(methods ...string) map[string]color.NRGBA {
		var shown []sample
		for _, m := range methods {
			shown = append(shown, sample{variant: usual(record.Variant{Method: m})})
		}
		return colorsOf(shown)
	}
	unheard := "" // a name whose own colour is poly-epo's
	for i := 0; unheard == ""; i++ {
		if name := fmt.Sprint("mine-", i); methodColor(name) == methodColor("poly-epo") {
			unheard = name
		}
	}
	for _, c := range []struct {
		why     string
		methods []string
		own     []string // have the colour they have alone
		differ  int      // colours in all
	}{
		{"alone", []string{"rloo"}, []string{"rloo"}, 1},
		{"three whose own is green: the first has it", []string{"setpo+dapo", "poly-epo", "passk-training"}, []string{"setpo+dapo"}, 3},
		{"a setting of a paper's is no other family", []string{"grpo", "grpo@setpo", "poly-epo"}, []string{"grpo", "poly-epo"}, 2},
		{"a fixed colour goes before one made from a name", []string{unheard, "poly-epo"}, []string{"poly-epo"}, 2},
		{"one that gives way leaves the others theirs", []string{"poly-epo", "passk-training", "vpo", "max-at-k"}, []string{"poly-epo", "vpo", "max-at-k"}, 4},
		{"what does not train takes none", []string{"base", "optimum", "grpo"}, []string{"base", "optimum", "grpo"}, 2},
		{"as many as there are", []string{"rloo", "poly-epo", "passk-training", "ttrl", "grpo", "vpo", "sd-e2", "evol-rl"}, []string{"rloo", "poly-epo", "ttrl", "vpo"}, 8},
		{"more than there are", []string{"rloo", "poly-epo", "passk-training", "ttrl", "grpo", "vpo", "sd-e2", "evol-rl", "maxrl", "gspo"}, nil, 8},
	} {
		got := colors(c.methods...)
		differ := map[color.NRGBA]bool{}
		for _, is := range got {
			differ[is] = true
		}
		if len(differ) != c.differ {
			t.Errorf("%s: %d colours, want %d: %v", c.why, len(differ), c.differ, got)
		}
		for _, name := range c.own {
			if got[name] != methodColor(name) {
				t.Errorf("%s: %s has not its own colour", c.why, name)
			}
		}
	}
}

// A share that falls while k grows looks like a mistake where nothing says what of.
func TestKNote(t *testing.T) {
	shown := []sample{{variant: usual(record.Variant{Method: "base"})}}
	const share = "coverage@k: share of the min(k, existing) modes that k answers could find."
	for _, c := range []struct {
		families []string
		want     string
	}{
		{[]string{"pass", "coverage"}, "Before training. " + share},
		{[]string{"pass", "front_coverage"}, "Before training."},
	} {
		if got := kNote(shown, c.families); got != c.want {
			t.Errorf("%v: %q, want %q", c.families, got, c.want)
		}
	}
}

// What does not train has no mark and is told apart by dash and by shade; the
// exact optimum is thin, dotted and without a band.
func TestLooksOfWhatDoesNotTrain(t *testing.T) {
	var shown []sample
	for _, method := range []string{"vpo", "base", "base", "optimum"} {
		shown = append(shown, sample{variant: usual(record.Variant{Method: method})})
	}
	l := looks(shown)
	for i, still := range l[1:] {
		if still.mark != nil || still.color.R != still.color.G || still.color.G != still.color.B {
			t.Errorf("line %d looks like %+v", i+1, still)
		}
	}
	if slices.Equal(l[1].dashes, l[2].dashes) || luminance(l[2].color)-luminance(l[1].color) < 0.15 {
		t.Errorf("two base policies look like %+v and %+v", l[1], l[2])
	}
	if ceiling := l[3]; ceiling.color != black || !ceiling.exact || ceiling.width >= l[0].width || l[1].exact {
		t.Errorf("the ceiling looks like %+v", ceiling)
	}
	if alone := looks(shown[1:2])[0]; alone.color != black || !slices.Equal(alone.dashes, stillDashes[0]) {
		t.Errorf("a single base policy looks like %+v", alone)
	}
}

// Text in cells has the contrast that WCAG 2.1 asks for (4.5), and the map gets
// lighter all the way.
func TestViridis(t *testing.T) {
	before := -1.0
	for i := range 101 {
		fill := viridis(float64(i) / 100)
		l := luminance(fill)
		if l <= before {
			t.Errorf("at %d%% the map does not get lighter", i)
		}
		before = l
		ink := luminance(readable(fill))
		if contrast := (max(l, ink) + 0.05) / (min(l, ink) + 0.05); contrast < 4.5 {
			t.Errorf("at %d%% the contrast is %.2f", i, contrast)
		}
	}
	if viridis(-1) != viridis(0) || viridis(2) != viridis(1) {
		t.Error("values beyond the ends are cut off")
	}
}

func TestThinned(t *testing.T) {
	for _, n := range []int{1, 2, 399, 400, 401, 3000, 100001} {
		got := thinned(n)
		if got[0] != 0 || got[len(got)-1] != n-1 || len(got) > maxPoints+1 || len(got) < min(n, maxPoints/2) || !slices.IsSorted(got) {
			t.Errorf("%d: %d positions from %d to %d", n, len(got), got[0], got[len(got)-1])
		}
	}
}
