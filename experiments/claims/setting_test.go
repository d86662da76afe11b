package claims

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestSettingsPairVariants: every variant of A meets those of B that agree with it on every
// axis they share, for each metric.
func TestSettingsPairVariants(t *testing.T) {
	_, verdicts := judgeSpec(t, "seeds = 1"+bandits+claim(`metric = ["reward", "entropy_mode"]`, `a = "grpo"`, `b = "setpo+grpo"`, `says = "below"`))
	var got []string
	for _, s := range verdicts[0].Settings {
		got = append(got, s.Metric+": "+s.A+" / "+s.B)
	}
	want := []string{
		"reward: grpo lr=0.1 / setpo+grpo lambda=0.5 lr=0.1",
		"reward: grpo lr=0.1 / setpo+grpo lambda=5 lr=0.1",
		"reward: grpo lr=1 / setpo+grpo lambda=0.5 lr=1",
		"reward: grpo lr=1 / setpo+grpo lambda=5 lr=1",
		"entropy_mode: grpo lr=0.1 / setpo+grpo lambda=0.5 lr=0.1",
		"entropy_mode: grpo lr=0.1 / setpo+grpo lambda=5 lr=0.1",
		"entropy_mode: grpo lr=1 / setpo+grpo lambda=0.5 lr=1",
		"entropy_mode: grpo lr=1 / setpo+grpo lambda=5 lr=1",
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
}

// TestContrastsAtEqual: at equal reward each seed's contrast is the mean difference along both paths, found by a
// search, and the claim of the other side has the opposite contrast.
func TestContrastsAtEqual(t *testing.T) {
	text := "seeds = 7" + strings.Replace(bandits, "every = 60", "every = 5", 1) +
		claim(`metric = "entropy_mode"`, `a = "setpo+grpo lambda=5 lr=0.1"`, `b = "grpo lr=1"`, `says = "above"`, `equal = "reward"`) +
		strings.Replace(claim(`metric = "entropy_mode"`, `a = "grpo lr=1"`, `b = "setpo+grpo lambda=5 lr=0.1"`, `says = "below"`, `equal = "reward"`), `"c"`, `"back"`, 1)
	run, verdicts := judgeSpec(t, text)
	path := func(label string, seed int) (rewards, entropies []float64) {
		for _, ref := range record.Named(run.Variants, label)[0].Cells {
			if ref.Seed != seed {
				continue
			}
			evals, err := run.Evals(ref)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range evals {
				rewards, entropies = append(rewards, e.Metrics["reward"]), append(entropies, e.Metrics["entropy_mode"])
			}
		}
		return rewards, entropies
	}
	at := func(ways, values []float64, way float64) float64 {
		for i := range ways {
			if i > 0 && ways[i] >= way {
				return values[i-1] + (values[i]-values[i-1])*(way-ways[i-1])/(ways[i]-ways[i-1])
			}
		}
		t.Fatalf("%v is not in %v", way, ways)
		return 0
	}
	s, back := verdicts[0].Settings[0], verdicts[1].Settings[0]
	if len(s.Contrast) != 7 || !strings.HasSuffix(Sentence(verdicts[0].Claim), "in entropy_mode at equal reward, at every setting; delta 0.1") {
		t.Fatalf("contrasts %v; %s", s.Contrast, Sentence(verdicts[0].Claim))
	}
	for seed, got := range s.Contrast {
		waysA, valuesA := path("setpo+grpo lambda=5 lr=0.1", seed)
		waysB, valuesB := path("grpo lr=1", seed)
		from, end, want := waysA[0], min(slices.Max(waysA), slices.Max(waysB)), 0.0
		for i := range 50 {
			way := from + (end-from)*(float64(i)+0.5)/50
			want += (at(waysA, valuesA, way) - at(waysB, valuesB, way)) / 50
		}
		if math.Abs(got-want) > 1e-9 || math.Abs(got+back.Contrast[seed]) > 1e-12 {
			t.Errorf("seed %d: contrast %v, by a search %v, from the other side %v", seed, got, want, back.Contrast[seed])
		}
	}
	if math.Abs(s.ValueA.Mean-s.ValueB.Mean-s.Effect.Mean) > 1e-12 {
		t.Errorf("sides %v and %v, effect %v", s.ValueA.Mean, s.ValueB.Mean, s.Effect.Mean)
	}
}

// TestEqualLeavesSeedsOut: seeds on which a side hardly moved do not count. The answer names their number. If they
// are the majority, the setting cannot be tested, for that reason.
func TestEqualLeavesSeedsOut(t *testing.T) {
	text := func(rate string) string {
		return "seeds = 7" + strings.Replace(strings.Replace(bandits, "every = 60", "every = 5", 1), "lr = [0.1, 1]", "lr = [1, "+rate+"]", 1) +
			claim(`metric = "entropy_mode"`, `a = "setpo+grpo lambda=5 lr=1"`, `b = "grpo lr=`+rate+`"`, `says = "above"`, `equal = "reward"`)
	}
	_, verdicts := judgeSpec(t, text("1e-06"))
	if s := verdicts[0].Settings[0]; s.Answer != stats.Untestable || s.Reason != "both sides went through less than 0.02 of reward on 7 seeds of 7" {
		t.Errorf("a side that does not move: %s", s.Outcome())
	}
	for rate, short := range map[string]int{"0.0012": 1, "0.0014": 0} {
		run, verdicts := judgeSpec(t, text(rate))
		moved := 0
		for _, ref := range record.Named(run.Variants, "grpo lr="+rate)[0].Cells {
			evals, err := run.Evals(ref)
			if err != nil {
				t.Fatal(err)
			}
			best := slices.MaxFunc(evals, func(a, b record.Eval) int { return cmp.Compare(a.Metrics["reward"], b.Metrics["reward"]) })
			if best.Metrics["reward"]-evals[0].Metrics["reward"] >= 0.02 {
				moved++
			}
		}
		s := verdicts[0].Settings[0]
		if again := s.document(verdicts[0]).setting(verdicts[0].Claim, s.Delta); again.LeftOut != s.LeftOut {
			t.Errorf("rate %s: kept as %q, was %q", rate, again.LeftOut, s.LeftOut)
		}
		if moved != 7-short || len(s.Contrast) != moved || strings.Contains(s.Outcome(), "on 1 seed of 7") != (short == 1) {
			t.Errorf("rate %s: %d seeds moved, want %d; %d contrasts: %s", rate, moved, 7-short, len(s.Contrast), s.Outcome())
		}
	}
}

// TestContrasts: the contrast is computed within each seed, from the numbers in the cells'
// files.
func TestContrasts(t *testing.T) {
	const metric = "entropy_mode"
	for _, c := range []struct {
		reason, b string
		says      []string
		of        func(a, b float64) float64
		effect    func(a, b float64) float64 // whose mean is the effect; nil: another test has it
		delta     float64
	}{
		{"a difference", "setpo+grpo lambda=5 lr=1", []string{`says = "above"`}, func(a, b float64) float64 { return a - b }, func(a, b float64) float64 { return a - b }, 0.1},
		{"by more than a bound", "setpo+grpo lambda=5 lr=1", []string{`says = "below"`, `by = -0.25`}, func(a, b float64) float64 { return a - b + 0.25 }, func(a, b float64) float64 { return a - b }, 0.1},
		{"the same within a bound is about the difference", "setpo+grpo lambda=5 lr=1", []string{`says = "same"`, `by = 0.25`}, func(a, b float64) float64 { return a - b }, func(a, b float64) float64 { return a - b }, 0.1},
		{"a multiple, whose delta is that of b, as many times", "setpo+grpo lambda=5 lr=1", []string{`says = "above"`, `times = 5`}, func(a, b float64) float64 { return a - 5*b }, nil, 0.5},
		{"a part, whose delta is that of a", "setpo+grpo lambda=5 lr=1", []string{`says = "above"`, `times = 0.5`}, func(a, b float64) float64 { return a - b/2 }, nil, 0.1},
		{"alone", "", []string{`says = "below"`, `by = 2`}, func(a, _ float64) float64 { return a - 2 }, func(a, _ float64) float64 { return a }, 0.1},
		{"a delta of its own", "setpo+grpo lambda=5 lr=1", []string{`says = "above"`, `delta = 0.3`, `delta_why = "because"`}, func(a, b float64) float64 { return a - b }, func(a, b float64) float64 { return a - b }, 0.3},
	} {
		lines := append([]string{`metric = "` + metric + `"`, `a = "grpo lr=1"`}, c.says...)
		if c.b != "" {
			lines = append(lines, `b = "`+c.b+`"`)
		}
		run, verdicts := judgeSpec(t, "seeds = 7"+bandits+claim(lines...))
		s := verdicts[0].Settings[0]
		a, b := seedValues(t, run, record.Named(run.Variants, "grpo lr=1")[0], metric), map[int]float64{}
		if c.b != "" {
			b = seedValues(t, run, record.Named(run.Variants, c.b)[0], metric)
		}
		var effects []float64
		for seed := range 7 {
			if want := c.of(a[seed], b[seed]); math.Abs(s.Contrast[seed]-want) > 1e-12 {
				t.Errorf("%s, seed %d: contrast %v, want %v", c.reason, seed, s.Contrast[seed], want)
			}
			if c.effect != nil {
				effects = append(effects, c.effect(a[seed], b[seed]))
			}
		}
		if c.effect != nil && s.Effect != stats.MeanInterval(effects) {
			t.Errorf("%s: effect %+v, want %+v", c.reason, s.Effect, stats.MeanInterval(effects))
		}
		if c.effect == nil && math.Abs(s.Effect.Mean-mean(a)/mean(b)) > 1e-12 {
			t.Errorf("%s: effect %v, want the ratio of the means, %v", c.reason, s.Effect.Mean, mean(a)/mean(b))
		}
		if math.Abs(s.Delta-c.delta) > 1e-12 {
			t.Errorf("%s: delta %v, want %v", c.reason, s.Delta, c.delta)
		}
	}
}

func mean(xs map[int]float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// TestDeviations: a claim about how much seeds scatter has the ratio of the deviations for its
// effect, and a contrast whose mean is about the logarithm of that.
func TestDeviations(t *testing.T) {
	run, verdicts := judgeSpec(t, "seeds = 8"+bandits+claim(`metric = "entropy_mode"`, `a = "grpo lr=0.1"`, `b = "setpo+grpo lambda=0.5 lr=0.1"`, `says = "below"`, `of = "deviation"`))
	s := verdicts[0].Settings[0]
	values := func(label string) (xs []float64) {
		of := seedValues(t, run, record.Named(run.Variants, label)[0], "entropy_mode")
		for seed := range 8 {
			xs = append(xs, of[seed])
		}
		return xs
	}
	// log(sd a / sd b) without the seed; -1: of all.
	ratio := func(without int) float64 {
		log := func(xs []float64) float64 {
			n, sum, squares := 0.0, 0.0, 0.0
			for i, x := range xs {
				if i != without {
					n, sum, squares = n+1, sum+x, squares+x*x
				}
			}
			return math.Log((squares-sum*sum/n)/(n-1)) / 2
		}
		return log(values("grpo lr=0.1")) - log(values("setpo+grpo lambda=0.5 lr=0.1"))
	}
	sum := 0.0
	for seed := range 8 {
		want := 8*ratio(-1) - 7*ratio(seed)
		sum += want
		if math.Abs(s.Contrast[seed]-want) > 1e-6 {
			t.Errorf("seed %d: %v, want %v", seed, s.Contrast[seed], want)
		}
	}
	if want := math.Exp(sum / 8); math.Abs(s.Effect.Mean-want) > 1e-6*want {
		t.Errorf("ratio of deviations %v, want the jackknife's, %v", s.Effect.Mean, want)
	}
	if s.Delta != math.Log(1.5) {
		t.Errorf("delta %v, want log 1.5", s.Delta)
	}
}

// TestInDeltas: to the right of 0 the claim is right, whichever way it is said.
func TestInDeltas(t *testing.T) {
	finding := stats.Finding{N: 10, Effect: stats.Interval{N: 10, Mean: 0.2, Low: 0.1, High: 0.4}}
	for _, c := range []struct {
		claim record.Claim
		want  stats.Interval
	}{
		{record.Claim{Says: "above"}, stats.Interval{N: 10, Mean: 2, Low: 1, High: 4}},
		{record.Claim{Says: "below"}, stats.Interval{N: 10, Mean: -2, Low: -4, High: -1}},
		{record.Claim{Says: "same", By: 0.2}, stats.Interval{N: 10, Mean: 1, Low: 0.5, High: 2}},
	} {
		s := Setting{Finding: finding, Delta: 0.1}
		if got := s.InDeltas(c.claim); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.claim.Says, got, c.want)
		}
	}
	if got := (&Setting{Delta: 1}).InDeltas(record.Claim{Says: "above"}); !math.IsNaN(got.Mean) {
		t.Errorf("without a finding: %+v, want none", got)
	}
}

// TestUntestable: if no outcome of the seeds could decide, the answer is "untestable" and gives
// the reason.
func TestUntestable(t *testing.T) {
	const spec = `
[env]
name = "bandit"
components = 2
[train]
steps = 20
[eval]
every = 20
k = [1, 4]
samples = 8
[[method]]
name = "grpo"
[[method]]
name = "grpo"
label = "that hardly moves"
train = { lr = 1e-12 }
[[method]]
name = "base"
[[method]]
name = "optimum"
`
	for _, c := range []struct{ reason, a, b, metric, want string }{
		{"two that are one", "base", "that hardly moves", "entropy_mode", "both sides are the same in every seed"},
		{"both at the ceiling", "grpo", "optimum", "pass@4", "both sides are at the optimum, 1"},
		{"a metric that one side does not have", "grpo", "optimum", "reward_l1", "reward_l1 is not defined"},
		{"one below the ceiling", "base", "optimum", "best@1", ""},
	} {
		_, verdicts := judgeSpec(t, "seeds = 8"+spec+claim(`metric = "`+c.metric+`"`, `a = "`+c.a+`"`, `b = "`+c.b+`"`, `says = "below"`))
		s := verdicts[0].Settings[0]
		if s.Reason != c.want || (s.Answer == stats.Untestable) != (c.want != "") || (verdicts[0].Answer == stats.Untestable) != (c.want != "") {
			t.Errorf("%s: %q, %q; want %q", c.reason, s.Answer, s.Reason, c.want)
		}
		if c.want != "" && (!math.IsNaN(s.Finding.Supported) || !strings.Contains(Text(verdicts[0]), "untestable here: "+c.want)) {
			t.Errorf("%s: p = %v\n%s", c.reason, s.Finding.Supported, Text(verdicts[0]))
		}
	}
}

// TestFewSeeds: below six seeds nothing is decided.
func TestFewSeeds(t *testing.T) {
	_, verdicts := judgeSpec(t, "seeds = 5"+bandits+claim(`metric = "correct_modes_alive"`, `a = "grpo lr=1"`, `b = "setpo+grpo lambda=5 lr=1"`, `says = "below"`))
	v := verdicts[0]
	if v.Answer != stats.Undecided || v.Settings[0].Reason != "5 seeds, need 6 at least" || v.P.Supported != 1 {
		t.Errorf("%s, %+v, %q", v.Answer, v.P, v.Settings[0].Reason)
	}
}
