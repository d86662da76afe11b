package claims

import (
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// TestCombine: the p values of a claim over its settings, worked out by hand: (m - u + 1) times
// the u-th smallest, for "at u of m settings at least".
func TestCombine(t *testing.T) {
	list := []stats.Finding{found(.01, 1, .9), found(.02, 1, .8), found(.04, 1, .7), found(1, .03, .6)}
	for _, c := range []struct {
		combine string
		want    PValues
	}{
		// All four supported: the largest. Refuted by one: four times the smallest.
		{"", PValues{1, .12, .12}},
		// Three of four: twice the third. Refuted by two.
		{"most", PValues{.08, 1, 1}},
		// One: four times the smallest. Refuted by all four: the largest; the setting supported
		// by its own answer counts as 1.
		{"any", PValues{.04, 1, 1}},
	} {
		got := verdictOf(record.Claim{Combine: c.combine, Says: "above"}, list...).P
		same := func(x, y float64) bool { return math.Abs(x-y) < 1e-12 }
		if !same(got.Supported, c.want.Supported) || !same(got.Opposed, c.want.Opposed) || !same(got.NoDifference, c.want.NoDifference) {
			t.Errorf("%q: %+v, want %+v", c.combine, got, c.want)
		}
	}
}

// TestQuestion: a claim about a threshold has no zone of no difference, and keeps its delta:
// seeds that agree on an effect below it decide nothing.
func TestQuestion(t *testing.T) {
	both := []string{"b"}
	for _, c := range []struct {
		claim record.Claim
		want  stats.Question
	}{
		{record.Claim{Says: "above", B: both}, stats.Question{Direction: stats.Above, Delta: .02}},
		{record.Claim{Says: "below", B: both, Times: 1}, stats.Question{Direction: stats.Below, Delta: .02}},
		{record.Claim{Says: "above", B: both, Times: 5}, stats.Question{Direction: stats.Above, Delta: .02, Threshold: true}},
		{record.Claim{Says: "above", B: both, By: -.02}, stats.Question{Direction: stats.Above, Within: -.02, Delta: .02, Threshold: true}},
		{record.Claim{Says: "below", By: 2}, stats.Question{Direction: stats.Below, Within: 2, Delta: .02, Threshold: true}},
		{record.Claim{Says: "below"}, stats.Question{Direction: stats.Below, Delta: .02, Threshold: true}},
	} {
		if got := question(c.claim, .02); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.claim, got, c.want)
		}
	}
	// Twelve seeds at .99, asked whether the mean is above .98: within .02 of it.
	near := slices.Repeat([]float64{.01}, 12)
	if f := stats.Test(near, question(record.Claim{Says: "above", By: .98}, .02)); min(f.Supported, f.Opposed) <= stats.Alpha || f.NoDifference <= stats.Alpha {
		t.Errorf("twelve seeds that agree near a threshold: %+v", f)
	}
}

// TestSettingsAreCorrected: Holm's rule over the settings of a claim.
func TestSettingsAreCorrected(t *testing.T) {
	v := verdictOf(record.Claim{Combine: "any", Says: "above"}, found(.01, 1, .9), found(.03, 1, .9), found(1, .012, .9), found(.001, 1, .004))
	// The last is surely small (4 * .004), and its sign is shown (4 * .001), which comes first. The
	// next p of support is 3 * .01, then 2 * .03; that of opposition 4 * .012.
	want := []string{"supported", "undecided", "opposed", "supported, by less than delta"}
	for i, s := range v.Settings {
		s.Needs = 0
		if s.Outcome() != want[i] {
			t.Errorf("setting %d: %s, want %s", i, s.Outcome(), want[i])
		}
	}
}

// TestAnswers: the answer to a claim follows from its p values.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		reason   string
		claim    record.Claim
		findings []stats.Finding
		want     stats.Answer
	}{
		{"one setting, the claimed side", record.Claim{}, []stats.Finding{found(.001, 1, .5)}, stats.Supported},
		{"the other side", record.Claim{}, []stats.Finding{found(1, .001, .5)}, stats.Opposed},
		{"too small to matter", record.Claim{}, []stats.Finding{found(.5, .9, .001)}, stats.NoDifference},
		{"too small to matter, but surely on the claimed side", record.Claim{}, []stats.Finding{found(.001, 1, .001)}, stats.Supported},
		{"too small to matter, but surely on the other side", record.Claim{}, []stats.Finding{found(1, .001, .001)}, stats.Opposed},
		{"nothing shown", record.Claim{}, []stats.Finding{found(.2, 1, .3)}, stats.Undecided},
		{"all of them", record.Claim{}, []stats.Finding{found(.04, 1, .5), found(.03, 1, .5)}, stats.Supported},
		{"one that is open is enough to wait for", record.Claim{}, []stats.Finding{found(.001, 1, .5), found(.2, 1, .5)}, stats.Undecided},
		{"one that is opposed refutes all", record.Claim{}, []stats.Finding{found(.2, 1, .5), found(1, .001, .5)}, stats.Opposed},
		{"one that is nothing refutes all", record.Claim{}, []stats.Finding{found(.2, 1, .5), found(.5, 1, .001)}, stats.NoDifference},
		{"supported here, opposed there", record.Claim{}, []stats.Finding{found(.001, 1, .5), found(1, .001, .5)}, stats.Mixed},
		{"supported here, nothing there", record.Claim{}, []stats.Finding{found(.001, 1, .5), found(.5, 1, .001)}, stats.Mixed},
		{"supported here, and elsewhere it is not known", record.Claim{}, []stats.Finding{found(.001, 1, .5), found(.5, 1, .5), found(.2, 1, .5)}, stats.Undecided},
		{"a threshold: supported here, opposed there", record.Claim{}, []stats.Finding{found(.001, 1, math.NaN()), found(1, .001, math.NaN())}, stats.Mixed},
		{"supported everywhere, here by less than matters", record.Claim{}, []stats.Finding{found(.001, 1, .5), found(.001, 1, .001)}, stats.Supported},
		{"supported here, opposed there by less than matters", record.Claim{}, []stats.Finding{found(.001, 1, .5), found(1, .001, .001)}, stats.Mixed},
		{"one of four is known to be small, and the sign of none", record.Claim{}, []stats.Finding{found(.02, 1, .001), found(.9, 1, .5), found(.9, 1, .5), found(.9, 1, .5)}, stats.NoDifference},
		{"but not most of three", record.Claim{Combine: "most"}, []stats.Finding{found(.001, 1, .5), found(.001, 1, .5), found(1, .001, .5)}, stats.Supported},
		{"two of three refute most", record.Claim{Combine: "most"}, []stats.Finding{found(.2, 1, .5), found(.4, 1, .001), found(1, .001, .5)}, stats.NoDifference},
		{"two of three refute most, and the third does not", record.Claim{Combine: "most"}, []stats.Finding{found(.001, 1, .5), found(.4, 1, .001), found(1, .001, .5)}, stats.Mixed},
		{"any that is opposed at most settings, and at the last not known", record.Claim{Combine: "any"}, []stats.Finding{found(1, .0001, .0001), found(1, .0001, .02), found(1, .0001, .02), found(.02, 1, .02)}, stats.Undecided},
		{"any that holds somewhere is what it says", record.Claim{Combine: "any"}, []stats.Finding{found(.02, 1, .5), found(1, .001, .5)}, stats.Supported},
		{"one is enough for any", record.Claim{Combine: "any"}, []stats.Finding{found(.001, 1, .5), found(1, .001, .5)}, stats.Supported},
		{"a threshold has no zone of no difference", record.Claim{}, []stats.Finding{found(.2, 1, math.NaN())}, stats.Undecided},
		{"no settings", record.Claim{}, nil, stats.Untestable},
	} {
		c.claim.Says = "above"
		list := []Verdict{*verdictOf(c.claim, c.findings...)}
		Together(list)
		if got := list[0].Answer; got != c.want {
			t.Errorf("%s: %s, want %s (%+v)", c.reason, got, c.want, list[0].Among)
		}
	}
}

// TestPooled: the mean over settings, each in its own delta, is one test.
func TestPooled(t *testing.T) {
	a := []float64{.02, .03, .01, .04, .02, .03, .05, .01}
	b := []float64{-1, 2, 1, 0, 3, 1, -2, 4}
	v := &Verdict{Claim: record.Claim{Says: "above", Combine: "pooled", B: []string{"b"}}, Settings: []Setting{
		{Contrast: a, Delta: .01, Answer: stats.Undecided}, {Contrast: b, Delta: 2, Answer: stats.Undecided},
	}}
	v.combine()
	var want []float64
	for i := range a {
		want = append(want, (a[i]/.01+b[i]/2)/2)
	}
	if f := stats.Test(want, stats.Question{Direction: stats.Above, Delta: 1}); *v.Pooled != f || v.P.Supported != f.Supported {
		t.Errorf("pooled %+v, want %+v", *v.Pooled, f)
	}
}

// TestTogether: the claims of a paper are corrected together, and those of another paper by
// themselves. Untestable claims are not counted.
func TestTogether(t *testing.T) {
	of := func(source string, p float64) Verdict {
		return *verdictOf(record.Claim{Says: "above", Source: source}, found(p, 1, 1))
	}
	list := []Verdict{of("VPO table 2", .01), of("SetPO fig. 1", .04), of("VPO fig. 5 (left)", .04), of("VPO, app. B", .2), {Claim: record.Claim{Source: "VPO sec. 5"}, P: PValues{math.NaN(), math.NaN(), math.NaN()}}}
	Together(list)
	for i, want := range []float64{.03, .04, .06, .2, math.NaN()} {
		if got := list[i].Among.Supported; math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("claim %d: p = %v, want %v", i, got, want)
		}
	}
	for i, want := range []stats.Answer{stats.Supported, stats.Supported, stats.Undecided, stats.Undecided, stats.Untestable} {
		if list[i].Answer != want {
			t.Errorf("claim %d: %s, want %s", i, list[i].Answer, want)
		}
	}
}

// TestThresholdAmongOthers: no other claim of the paper gives one about a threshold the answer
// that it cannot have, and it does not count where the others are corrected for that answer.
func TestThresholdAmongOthers(t *testing.T) {
	small := func() Verdict { return *verdictOf(record.Claim{Says: "above"}, found(.5, .9, .02)) }
	list := []Verdict{*verdictOf(record.Claim{Says: "above"}, found(1, .02, math.NaN())), small(), small()}
	Together(list)
	if got := list[0]; got.Answer != stats.Undecided || !math.IsNaN(got.Among.NoDifference) {
		t.Errorf("%s, %+v", got.Answer, got.Among)
	}
	if got := list[1]; got.Answer != stats.NoDifference || got.Among.NoDifference != .02 {
		t.Errorf("another claim: %s, %+v", got.Answer, got.Among)
	}
}

// TestPaper: whose claim it is.
func TestPaper(t *testing.T) {
	for source, want := range map[string]string{
		"SetPO fig. 3 and sec. 5.2": "SetPO", "Poly-EPO sec. 6.1": "Poly-EPO", "VPO tables 8, 9 (UltraFeedback)": "VPO",
		"SD-E2 app. D": "SD-E2", "VPO eq. 1, table 5": "VPO", "Evol-RL table 1": "Evol-RL",
		"Evol-RL table 2, trained on MATH-500": "Evol-RL", "none: as above": ourOwn, "": ourOwn, "bench audit: cosine": ourOwn, "My paper": "My paper",
	} {
		if got := Paper(record.Claim{Source: source}); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// TestNeeds: an undecided setting has the number of seeds that would decide it: more than the
// present number, and fewer the larger the measured effect.
func TestNeeds(t *testing.T) {
	x := []float64{1, -1, 2, -2, 1, 0, -1, 0, 3, -3}
	few, many := needs(x, 2, 1), needs(x, .5, 1)
	if few <= 10 || many <= few {
		t.Errorf("needs %d seeds for a delta of 2 and %d for .5", few, many)
	}
	if got := needs(x, 1000, 1); got != 11 {
		t.Errorf("a delta of 1000 needs %d seeds, want one more than there are", got)
	}
	if got := needs([]float64{1}, 1, 1); got != 0 {
		t.Errorf("one seed: %d, want 0: not known", got)
	}
	shifted := make([]float64, len(x))
	for i := range x {
		shifted[i] = x[i] + 2
	}
	if got := needs(shifted, .5, 1); got != few {
		t.Errorf("an effect of 2 needs %d seeds, want those of a delta of 2, %d", got, few)
	}
}

// TestAnsweredAgain: a claim that is supported among the claims of its spec, and not among those
// of other specs too, has settings with their own answers again, and needs more seeds.
func TestAnsweredAgain(t *testing.T) {
	open := func() Verdict {
		v := verdictOf(record.Claim{Says: "above", Source: "VPO fig. 1", B: []string{"b"}}, found(.03, 1, 1), found(.04, 1, 1))
		for i := range v.Settings {
			v.Settings[i].Contrast = []float64{1, -1, 2, -2, 1, 0, -1, 0, 3, -3}
		}
		return *v
	}
	list := []Verdict{open()}
	Together(list)
	if v := list[0]; v.Answer != stats.Supported || v.Count(stats.Supported) != 2 || v.Needs != 0 {
		t.Errorf("alone: %s, %d settings supported, needs %d", v.Answer, v.Count(stats.Supported), v.Needs)
	}
	for range 9 {
		list = append(list, *verdictOf(record.Claim{Says: "above", Source: "VPO fig. 2"}, found(.9, 1, 1)))
	}
	Together(list)
	want := []Verdict{open()}
	for range 9 {
		want = append(want, *verdictOf(record.Claim{Says: "above", Source: "VPO fig. 2"}, found(.9, 1, 1)))
	}
	Together(want)
	if got, want := list[0], want[0]; got.Answer != stats.Undecided || got.Count(stats.Undecided) != 2 || got.Needs <= 10 || got.Outcome() != want.Outcome() {
		t.Errorf("among others: %s, and judged among them at once: %s", got.Outcome(), want.Outcome())
	}
}

// TestUnsolved: where no answer of the base policy is correct in any seed, a claim about correct
// answers cannot be tested, and one about something else can.
func TestUnsolved(t *testing.T) {
	// A fresh transformer that is not pre-trained writes no multiplication.
	const text = `
seeds = 6
[env]
name = "multiplication"
[policy]
name = "transformer"
width = 32
heads = 2
layers = 1
pretrain_steps = 0
[train]
steps = 1
batch = 1
group = 2
lr = 1
[eval]
every = 1
problems = 1
samples = 4
k = [1]
[[method]]
name = "base"
[[method]]
name = "grpo"
kl_coef = 1
`
	solves := func(text string) string {
		t.Helper()
		run, _ := judgeSpec(t, text)
		grpo := record.Named(run.Variants, "grpo")[0]
		why, err := (&Setting{Metric: "pass@1", a: grpo}).unsolved(analysis.NewEnds(run), run.Variants)
		if err != nil {
			t.Fatal(err)
		}
		other, err := (&Setting{Metric: "entropy_token", a: grpo}).unsolved(analysis.NewEnds(run), run.Variants)
		if other != "" || err != nil {
			t.Errorf("the entropy of a token: %q, %v", other, err)
		}
		return why
	}
	if why := solves(text); !strings.HasPrefix(why, "the base policy has pass@1 0 in every seed") {
		t.Errorf("a base policy that solves nothing: %q", why)
	}
	if why := solves(bandits + "[[method]]\nname = \"base\"\n"); why != "" {
		t.Errorf("a base policy that solves something: %q", why)
	}
	if why := solves(bandits); why != "" {
		t.Errorf("no base policy: %q", why)
	}
}
