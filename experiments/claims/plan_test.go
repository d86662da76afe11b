package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/metrics/stats"
)

// TestTotalDeviation: from seeds that share draws of problems, the variance of seeds that share
// no draw, compared with draws of known variances (3 between, 1 within) and, if no seeds share
// a draw, with the plain deviation.
func TestTotalDeviation(t *testing.T) {
	total := func(xs []float64, seeds []int, nested record.Nested) float64 {
		deviation, _ := scatter(xs, seeds, nested)
		return deviation
	}
	if got, want := total([]float64{1, 2, 4, 8}, []int{0, 1, 2, 3}, nil), stats.Deviation([]float64{1, 2, 4, 8}); math.Abs(got-want) > 1e-12 {
		t.Errorf("without draws %v, want %v", got, want)
	}
	// Pairs (1, 3) and (5, 9) by hand: means 2 and 7, mean squares 25 between and (2+8)/2
	// within, of 2 a draw.
	if got, want := total([]float64{1, 3, 5, 9}, []int{0, 1, 2, 3}, record.Nested{2, 2}), math.Sqrt(5+(25-5)/2.); math.Abs(got-want) > 1e-12 {
		t.Errorf("two pairs: %v, want %v", got, want)
	}
	// Of the pairs 10 of 15 are between draws.
	if _, share := scatter([]float64{1, 3, 5, 9}, []int{0, 1, 2, 3}, record.Nested{2, 2}); math.Abs(share-10/15.) > 1e-12 {
		t.Errorf("two pairs: a share of %v between draws, want 2/3", share)
	}
	if got := total([]float64{1, 3}, []int{0, 1}, record.Nested{2, 2}); !math.IsNaN(got) {
		t.Errorf("of one draw: %v", got)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		reason string
		seeds  []int
	}{
		{"pairs", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"a seed is missing of some", []int{0, 2, 3, 4, 6, 7, 8, 9}},
	} {
		const times = 40_000
		whole, plain := 0.0, 0.0
		for range times {
			var xs []float64
			draws := map[int]float64{}
			for _, seed := range c.seeds {
				if _, known := draws[seed/2]; !known {
					draws[seed/2] = math.Sqrt(3) * r.NormFloat64()
				}
				xs = append(xs, draws[seed/2]+r.NormFloat64())
			}
			d := total(xs, c.seeds, record.Nested{2, 2})
			whole += d * d / times
			d = stats.Deviation(xs)
			plain += d * d / times
		}
		if math.Abs(whole-4) > 0.06 {
			t.Errorf("%s: variance %v on average, want 4 (between draws and within)", c.reason, whole)
		}
		if plain > 3.9 {
			t.Errorf("%s: the plain variance, %v, would do", c.reason, plain)
		}
	}
}

// pilotOf is a run of ten seeds, two to a draw, whose variants have these values of a metric
// after training: by label, one a seed.
func pilotOf(t *testing.T, claim string) *record.Run {
	t.Helper()
	s := exptest.Load(t, "my.toml", "seeds = 10\nnested = 2\n"+planned+claim)
	run, err := sweep.Run(context.Background(), s, sweep.Options{Out: t.TempDir(), Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// planned is two methods at two sizes of the bandit.
const planned = `
[env]
name = "bandit"
modes = [4, 6]
[train]
steps = 60
[eval]
every = 60
[[method]]
name = "base"
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
[[method]]
name = "optimum"
`

// planClaim is a [[claim]] of both methods.
func planClaim(more string) string {
	return "[[claim]]\nname = \"c\"\ntext = \"a fact\"\na = \"setpo+grpo\"\nb = \"grpo\"\n" + more
}

// byHand lists the seeds that each setting of a claim of both methods wants, from the files.
func byHand(t *testing.T, run *record.Run, metric string, delta float64, tests int) []int {
	t.Helper()
	values := func(v record.Variant) (out []float64) {
		for _, ref := range v.Cells {
			evals, err := run.Evals(ref)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, evals[len(evals)-1].Metrics[metric])
		}
		return out
	}
	var out []int
	for _, modes := range []string{"4", "6"} {
		of := map[string][]float64{}
		for _, v := range run.Variants {
			if size, _ := v.Value("env.modes"); size == modes {
				of[v.Name] = values(v)
			}
		}
		var means, within []float64
		for i := 0; i < 10; i += 2 {
			x, y := of["setpo+grpo"][i]-of["grpo"][i], of["setpo+grpo"][i+1]-of["grpo"][i+1]
			means = append(means, (x+y)/2)
			within = append(within, (x-y)*(x-y)/2)
		}
		d := stats.Deviation(means) // its square is a half of the mean square between
		out = append(out, stats.PlanAnswer(math.Sqrt((2*d*d+stats.Mean(within))/2), delta, tests))
	}
	return out
}

// TestPlan: the seeds of a claim are those of its settings, as it combines them; they have a
// least and a most number.
func TestPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("runs pilots")
	}
	for _, c := range []struct {
		combine string
		tests   int
		pick    func(a, b int) int
	}{
		{"all", 1, func(a, b int) int { return max(a, b) }},
		{"most", 1, func(a, b int) int { return max(a, b) }},
		{"any", 2, func(a, b int) int { return min(a, b) }},
	} {
		claim := fmt.Sprintf("metric = \"entropy_mode\"\nsays = \"above\"\ncombine = %q\ndelta = 0.004\ndelta_why = \"a test\"\n", c.combine)
		run := pilotOf(t, planClaim(claim))
		of := byHand(t, run, "entropy_mode", 0.004, c.tests)
		if of[0] == of[1] {
			t.Fatalf("both settings want %d, so that the test is of nothing", of[0])
		}
		want := c.pick(of[0], of[1])
		plans, seeds, err := Plan(run, 1000)
		if err != nil {
			t.Fatal(err)
		}
		// The plan is made from a deviation of 6 digits.
		if got := plans[0]; got.Wanted < want-1 || got.Wanted > want+1 || got.Testable != 2 || got.Settings != 2 || seeds != max(MinPlanned, got.Wanted) {
			t.Errorf("%s: %+v and %d seeds, want %d of %v", c.combine, got, seeds, want, of)
		}
		if _, capped, err := Plan(run, MinPlanned); err != nil || capped != MinPlanned {
			t.Errorf("%s: %d seeds, want the cap, 20 (%v)", c.combine, capped, err)
		}
		if text := plans[0].Words(12); want > 12 && !strings.Contains(text, "; 12 show an effect of ") {
			t.Errorf("%s: %s", c.combine, text)
		}
	}
	if _, _, err := Plan(&record.Run{}, MinPlanned-1); err == nil {
		t.Error("a cap below the least number of seeds")
	}
}

// TestPlanPooled: a claim about the mean over settings is planned by the mean's deviation.
func TestPlanPooled(t *testing.T) {
	run := pilotOf(t, planClaim("metric = \"entropy_mode\"\nsays = \"above\"\ncombine = \"pooled\"\n"))
	plans, _, err := Plan(run, 40)
	if err != nil {
		t.Fatal(err)
	}
	separate := byHand(t, run, "entropy_mode", 0.1, 1)
	if got := plans[0].Wanted; got < 2 || got > max(separate[0], separate[1]) {
		t.Errorf("pooled wants %d seeds, its settings %v", got, separate)
	}
}

// TestPlanUntestable: a claim that no number of seeds could decide needs no seeds, and its plan
// names it untestable.
func TestPlanUntestable(t *testing.T) {
	run := pilotOf(t, strings.Replace(planClaim("metric = \"pass@8\"\nsays = \"above\"\n"), "a = \"setpo+grpo\"", "a = \"optimum\"", 1)+
		strings.NewReplacer("\"c\"", "\"d\"", "\"setpo+grpo\"", "\"grpo\"").Replace(planClaim("metric = \"pass@8\"\nsays = \"above\"\n")))
	plans, seeds, err := Plan(run, 40)
	if err != nil {
		t.Fatal(err)
	}
	if got := plans[1]; got.Testable != 0 || got.Wanted != 0 || seeds != MinPlanned && plans[0].Wanted == 0 || !strings.HasPrefix(got.Words(12), "untestable") {
		t.Errorf("%+v, %d seeds: %s", got, seeds, got.Words(12))
	}
}
