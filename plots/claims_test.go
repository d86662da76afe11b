package plots

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/metrics/stats"
	"modebench/plots/draw/drawtest"
	"modebench/plots/forest"
)

// TestClaimRows: a figure has the answers of the verdicts, paper by paper, with effects in units
// of delta that are above 0 where the claim is right, and in the unit of the metric.
func TestClaimRows(t *testing.T) {
	side := func(mean float64) stats.Interval { return stats.Interval{N: 6, Mean: mean, Low: mean, High: mean} }
	setting := func(metric string, a, b float64, answer stats.Answer) claims.Setting {
		return claims.Setting{
			Metric: metric, A: "x", B: "y", ValueA: side(a), ValueB: side(b), Effect: side(a - b), Answer: answer,
			Delta: 0.125, Finding: stats.Finding{N: 6, Effect: side(a - b)},
		}
	}
	claim := func(name, source, says string, metrics ...string) record.Claim {
		return record.Claim{Name: name, Text: name, Source: source, Says: says, Metrics: metrics, A: "x", B: []string{"y"}}
	}
	ratio := setting("distinct_correct", 12, 2, stats.Supported)
	ratio.Effect, ratio.Finding.Effect = side(6), side(2)
	times := claim("five times", "VPO table 2", "above", "distinct_correct")
	times.Times = 5
	rows := claimRows([]claims.Verdict{
		{Spec: "s", Answer: stats.Supported, Claim: claim("ours", "none: a guess", "same", "maj@4"), Settings: []claims.Setting{setting("maj@4", 0.5, 0.5, stats.Supported)}},
		{Spec: "s", Answer: stats.Opposed, Claim: claim("less", "VPO fig. 1", "below", "entropy_mode", "pass@16"), Settings: []claims.Setting{
			setting("entropy_mode", 1, 1.5, stats.Supported), setting("pass@16", 0.5, 0.25, stats.Opposed),
			{Metric: "pass@16", Answer: stats.Untestable, Reason: "no seed has both sides", Effect: stats.Interval{Mean: math.NaN()}},
		}},
		{Spec: "s", Answer: stats.Supported, Claim: times, Settings: []claims.Setting{ratio}},
	})
	for i, want := range []struct {
		name, paper, label string
		delta              float64
		text               string
	}{
		{"less", "VPO", "entropy_mode", 4, "-0.500 [-0.500, -0.500]"},
		{"five times", "VPO", "distinct_correct", 16, "6.00 [6.00, 6.00] times"},
		{"ours", "our own", "maj@4", 0, "0.00 [0.00, 0.00]"},
	} {
		r := rows[i]
		if r.Name != want.name || r.Paper != want.paper || r.Settings[0].Label != want.label || r.text(0) != want.text {
			t.Errorf("%s of %s, %s: %s; want %+v", r.Name, r.Paper, r.Settings[0].Label, r.text(0), want)
		}
		if want.name != "ours" && r.effect(0).Mean != want.delta {
			t.Errorf("%s: %v deltas, want %v", r.Name, r.effect(0).Mean, want.delta)
		}
	}
	if less := rows[0]; less.effect(1).Mean != -2 || less.effect(2).N != 0 || less.text(2) != "n/a" || !rows[2].Same || less.Same || less.Bound || !rows[1].Bound || rows[2].Bound {
		t.Errorf("%+v", less)
	}
	if got := claimsTally(rows); got != "3 claims: 2 supported, 1 opposed" {
		t.Errorf("the tally: %q", got)
	}
}

// TestClaimsFile: the data of a figure read back, and mistakes in them are found.
func TestClaimsFile(t *testing.T) {
	rows := scriptedClaims()
	var file bytes.Buffer
	if err := claimsData("claims", "", rows, EveryClaim).Write(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	d, err := ParseData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if d.Detail != EveryClaim || len(d.Claims) != len(rows) || d.Claims[1].effect(1).N != 0 || d.Claims[1].effect(2).Mean != 12 {
		t.Errorf("%+v", d)
	}
	for _, c := range []struct{ from, to, want string }{
		{`["correct_modes_alive"]`, `[]`, "claims[0]: metrics: a claim is about some"},
		{`"answer":"no difference","outcome"`, `"answer":"reproduced","outcome"`, `claims[4]: answer: got "reproduced"`},
		{`{"label":"lr=0.1","answer":"supported"}`, `{"label":"lr=0.1","answer":"yes"}`, `claims[1]: settings: the answer "yes"`},
		{`"form":"ratio"`, `"form":"times"`, `claims[2]: form: got "times"`},
		{`"effects":{"n":[10],"mean":[0.004],`, `"effects":{"n":[10,10],"mean":[0.004,1],`, "claims[4]: effects: "},
		{`"detail":"claims"`, `"detail":"all"`, `detail: got "all", want "settings" or "claims"`},
	} {
		broken := strings.Replace(text, c.from, c.to, 1)
		if broken == text {
			t.Errorf("the file has no %s:\n%s", c.from, text)
			continue
		}
		if _, err := ParseData([]byte(broken)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.to, err, c.want)
		}
	}
}

// TestClaimsFigure: every claim has its text and its answer in words, every setting that has a
// line the mark of its answer at its effect on the one axis, and its effect in figures.
func TestClaimsFigure(t *testing.T) {
	rows := scriptedClaims()
	f, values, err := claimsData("claims", "Claims", rows, FewSettings).DrawValues()
	if err != nil {
		t.Fatal(err)
	}
	d := drawtest.Read(t, f)
	drawtest.CheckTexts(t, d)
	drawtest.WantLabels(t, d, "SetPO", "VPO", "Our own", "bandit-collapse", "maze-bestk", "supported (2 supported, 1 untestable of 3)",
		"undecided, needs 34 seeds", "both sides are at the optimum, 4", "vendi is not defined", "0.088 [0.080, 0.096]", "6.5 [5.3, 7.7] times", "+0.0114 [+0.0107, +0.0114]", "+0.4", "n/a",
		"the two are as good (pass@16; right within the band)", "GRPO ends on one rewarded mode (correct_modes_alive; its bound is at 0)", "3 claims: 3 supported", "9 claims: 4 supported, 1 opposed, 1 no difference, 2 undecided, 1 untestable here.")
	for i, r := range rows {
		if name := r.Spec + ", " + r.Name + ": " + r.Outcome; i == 0 && values[0].Rows[0].Name != name {
			t.Errorf("the table begins with %q, want %q", values[0].Rows[0].Name, name)
		}
	}
	axes := axesNamed(t, d, "effect in units of delta")
	if len(axes) != 3 {
		t.Fatalf("%d axes, want one a paper", len(axes))
	}
	for _, a := range axes[1:] {
		if !slices.Equal(a, axes[0]) {
			t.Errorf("two papers have two axes: %v, %v", a, axes[0])
		}
	}
	ticks := axes[0]
	first, last := ticks[0], ticks[len(ticks)-1]
	if first.value != -50 || last.value != 50 {
		t.Errorf("the axis goes from %v to %v, want all that is at most 50 deltas", first.value, last.value)
	}
	paths := drawtest.Paths(t, d)
	mark := func(x, y float64) bool {
		return slices.ContainsFunc(paths, func(p drawtest.Path) bool {
			px, py := p.Center()
			return len(p.Points) >= 4 && strings.Contains(p.Style, "fill:") && math.Abs(px-x) < 0.6 && math.Abs(py-y) < 2.5
		})
	}
	for text, effect := range map[string]float64{"lr=0.1": 2.2, "0.088 [0.080, 0.096]": 4.4, "ew_best@5": -42, "best@30": 0.6, "undecided: 2 seeds, need 5 at least": 20, "undecided, needs 34 seeds": 5.5} {
		x := first.x + (last.x-first.x)*(math.Asinh(effect)/math.Asinh(50)+1)/2
		if _, y := d.Find(t, text).Middle(); !mark(x, y) {
			t.Errorf("%s: no mark at %.1f, %.1f", text, x, y)
		}
	}
	// What lies beyond the axis has an arrow whose tip is at its end.
	if _, y := d.Find(t, "best@5").Middle(); !slices.ContainsFunc(paths, func(p drawtest.Path) bool {
		left, right, _, _ := p.Box()
		_, py := p.Center()
		return strings.Contains(p.Style, "fill:") && math.Abs(left-first.x) < 0.1 && right-left < 5 && math.Abs(py-y) < 2.5
	}) {
		t.Error("an effect of -72 deltas has no arrow")
	}
}

// TestClaimsDetail: a claim of many settings has one line, with a count of the answers, unless
// every setting is asked for or the figure is of that claim alone; and one of a few settings
// has a line each, unless every claim is to have one.
func TestClaimsDetail(t *testing.T) {
	rows := scriptedClaims()
	for _, c := range []struct {
		reason    string
		rows      []ClaimRow
		detail    Detail
		many, few bool // lines for the settings of the claim of many, of the one of three
	}{
		{"few settings", rows, FewSettings, false, true},
		{"every setting", rows, EverySetting, true, true},
		{"every claim", rows, EveryClaim, false, false},
		{"one claim", rows[5:6], FewSettings, true, false},
	} {
		f, values, err := claimsData("claims", "", c.rows, c.detail).DrawValues()
		if err != nil {
			t.Fatal(err)
		}
		d := drawtest.Read(t, f)
		drawtest.CheckTexts(t, d)
		if d.Has("lr=19") != c.many || d.Has("ew_best@5") != c.few {
			t.Errorf("%s: lines of the claim of 20 settings %v, of 3 settings %v", c.reason, d.Has("lr=19"), d.Has("ew_best@5"))
		}
		n := 0
		for _, p := range values {
			for _, row := range p.Rows {
				if strings.HasPrefix(row.Name, "many, lr=") {
					n++
				}
			}
		}
		if want := map[bool]int{true: 20}[c.many]; n != want {
			t.Errorf("%s: the table has %d of 20 settings, want %d", c.reason, n, want)
		}
	}
}

// TestClaimsValues: the table has the median of a claim's effects, and counts its answers.
func TestClaimsValues(t *testing.T) {
	_, values, err := claimsData("claims", "", scriptedClaims(), EveryClaim).DrawValues()
	if err != nil {
		t.Fatal(err)
	}
	if len(values) != 3 || values[1].Title != "VPO" || len(values[1].Columns) != 6 {
		t.Fatalf("%+v", values)
	}
	row := values[1].Rows[2]
	var got []float64
	for _, c := range row.Cells {
		got = append(got, c.Mean)
	}
	// Effects from -4 to 15, and four answers in turn over 20 settings.
	if !strings.HasPrefix(row.Name, "maze-bestk, many: undecided") || !slices.Equal(got, []float64{5.5, 5, 5, 5, 5, 0}) {
		t.Errorf("%s: %v", row.Name, got)
	}
	if c := values[0].Rows[1].Cells[0]; c.N != 2 || math.Abs(c.Mean-7.1) > 1e-12 { // of 2.2 and 12
		t.Errorf("the median of two effects: %+v", c)
	}
}

// TestQuantile: against numpy's default method, by hand.
func TestQuantile(t *testing.T) {
	xs := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 3, 0.75: 5, 1: 8} {
		if got := forest.Quantile(xs, p); got != want {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
	if forest.Quantile(xs[:1], 0.75) != 1 {
		t.Error("of one number")
	}
}

// TestClaimMarks: answers have shapes of their own, so that they tell in a grey print.
func TestClaimMarks(t *testing.T) {
	shapes := map[string]stats.Answer{}
	for _, answer := range claims.Answers {
		look, known := claimLooks[answer]
		key := fmt.Sprintf("%T %v", look.Shape, look.Shape)
		if other, taken := shapes[key]; taken || !known {
			t.Errorf("%s and %s have one shape, or %v none", answer, other, !known)
		}
		shapes[key] = answer
	}
}

// An axisTick is a label of an axis and where it stands.
type axisTick struct{ value, x float64 }

// axesNamed are the labels of each axis with some name, from left to right: the numbers in the
// line two above it.
func axesNamed(t *testing.T, d drawtest.Drawing, name string) [][]axisTick {
	t.Helper()
	var out [][]axisTick
	for _, title := range d.All(name) {
		_, low := title.Middle()
		var ticks []axisTick
		for _, text := range d.Texts {
			x, y := text.Middle()
			value, err := strconv.ParseFloat(text.Text, 64)
			if err == nil && math.Abs(y-low) > 12 && math.Abs(y-low) < 24 && math.Abs(x-(title.Left+title.Right)/2) < 120 {
				ticks = append(ticks, axisTick{value, x})
			}
		}
		slices.SortFunc(ticks, func(a, b axisTick) int { return cmp.Compare(a.x, b.x) })
		out = append(out, ticks)
	}
	return out
}

// TestClaimsNeedVerdicts: a figure of claims is of verdicts on the claims of a run, and claims
// that do not say what they say have none.
func TestClaimsNeedVerdicts(t *testing.T) {
	run := banditRun(t, 2, 10, 10)
	wantError(t, run, record.Figure{Name: "f", Kind: "claims"}, "the experiment makes no claims")
	run.Claims = []record.Claim{{Name: "c", Metrics: []string{"reward"}, A: "grpo", Gate: "a.mean >"}}
	d := drawSVG(t, run, record.Figure{Name: "f", Kind: "claims"})
	if !strings.Contains(d.Joined(), "untestable here") || !strings.Contains(d.Joined(), "run its spec") {
		t.Errorf("a claim of an older run: %s", d.Joined())
	}
}
