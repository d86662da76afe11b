package plots

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/draw/drawtest"
	"modebench/plots/forest"
	"modebench/plots/forest/foresttest"
)

// TestClaimsFile: the data of a figure read back, and mistakes in them are found.
func TestClaimsFile(t *testing.T) {
	rows := foresttest.Claims()
	var file bytes.Buffer
	if err := claimsData("claims", "", rows, forest.EveryClaim).Write(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	d, err := ParseData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if d.Detail != forest.EveryClaim || len(d.Claims) != len(rows) || d.Claims[1].Effect(1).N != 0 || d.Claims[1].Effect(2).Mean != 12 {
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
	rows := foresttest.Claims()
	f, values, err := claimsData("claims", "Claims", rows, forest.FewSettings).DrawValues()
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
	paths := d.Drawn
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
	// An effect beyond the axis has an arrow whose tip is at its end.
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
	rows := foresttest.Claims()
	for _, c := range []struct {
		reason    string
		rows      []forest.Row
		detail    forest.Detail
		many, few bool // lines for the settings of the claim of many, of the one of three
	}{
		{"few settings", rows, forest.FewSettings, false, true},
		{"every setting", rows, forest.EverySetting, true, true},
		{"every claim", rows, forest.EveryClaim, false, false},
		{"one claim", rows[5:6], forest.FewSettings, true, false},
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
	_, values, err := claimsData("claims", "", foresttest.Claims(), forest.EveryClaim).DrawValues()
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

// An axisTick is a label of an axis and its place.
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
// without a direction have none.
func TestClaimsNeedVerdicts(t *testing.T) {
	run := banditRun(t, 2, 10, 10)
	wantError(t, run, record.Figure{Name: "f", Kind: "claims"}, "the experiment makes no claims")
	run.Claims = []record.Claim{{Name: "c", Metrics: []string{"reward"}, A: "grpo", Gate: "a.mean >"}}
	d := drawSVG(t, run, record.Figure{Name: "f", Kind: "claims"})
	if !strings.Contains(d.Joined(), "untestable here") || !strings.Contains(d.Joined(), "run its spec") {
		t.Errorf("a claim of an older run: %s", d.Joined())
	}
}

// TestRatioClaims: a claim about a ratio has its effect and its flag on a logarithmic axis, in times as
// much; an older file without the name of its ratio has units of delta.
func TestRatioClaims(t *testing.T) {
	rows := foresttest.Claims()[2:3]
	f, err := (&forest.Claims{Rows: rows}).Draw()
	if err != nil {
		t.Fatal(err)
	}
	d := drawtest.Read(t, f)
	drawtest.CheckTexts(t, d)
	drawtest.WantLabels(t, d, "0.5x", "1x", "10x", "times as much", "more than five times as many modes (pass@16; its bound is 5x)")
	one, _ := d.Find(t, "1x").Middle()
	ten, _ := d.Find(t, "10x").Middle()
	_, y := d.Find(t, "6.5 [5.3, 7.7] times").Middle()
	at := one + (ten-one)*math.Log10(6.5)
	marked := false
	for _, p := range d.Drawn {
		px, py := p.Center()
		marked = marked || len(p.Points) > 8 && math.Abs(px-at) < 0.6 && math.Abs(py-y) < 2.5
	}
	if !marked {
		t.Errorf("no mark at %.1f, %.1f", at, y)
	}
	rows[0].Times = 0
	if f, err = (&forest.Claims{Rows: rows}).Draw(); err != nil {
		t.Fatal(err)
	}
	drawtest.WantLabels(t, drawtest.Read(t, f), "effect in units of delta")
}
