package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/estimators"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// smallBandit has three arms of zipf's 6/11, 3/11 and 2/11, one of them rewarded.
func smallBandit() *bandit.Config {
	c := Bandit()
	c.Modes, c.Rewarded, c.Zipf, c.Dim = 3, 1, 1, 4
	return c
}

// smallAudit is an audit of one small bandit.
func smallAudit(groups ...int) Options {
	o := Default()
	o.Bandit, o.Problems, o.Groups = smallBandit(), 1, groups
	return o
}

func auditOf(t *testing.T, opt Options, methods ...string) *record.Audit {
	t.Helper()
	ms, err := Methods(methods)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Run(context.Background(), ms, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func auditProblem0(t *testing.T, c *bandit.Config) *problem {
	t.Helper()
	env, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := firstProblems(env, 1)
	if err != nil {
		t.Fatal(err)
	}
	return problems[0]
}

func closeTo(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within*max(1, math.Abs(want))) {
		t.Errorf("%s: got %.15g, want %.15g", what, got, want)
	}
}

// score is grad log pi of an arm.
func (a *problem) score(arm int) []float64 {
	s := make([]float64, len(a.p))
	for k, p := range a.p {
		s[k] = -p
	}
	s[arm]++
	return s
}

func dot(x, y []float64) float64 {
	total := 0.0
	for i := range x {
		total += x[i] * y[i]
	}
	return total
}

// arithmetic skips a test that shares nothing between goroutines under the race detector, which
// makes it slow.
func arithmetic(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("arithmetic, which shares nothing between goroutines")
	}
}

// TestVarianceInClosedForm holds enumerated variances against formulas: REINFORCE is a
// mean of N independent terms; RLOO is a U-statistic with the kernel
// h(y, y') = (r - r')(s - s') / 2, whose variance is (2(N-2) zeta_1 + zeta_2) / C(N, 2)
// (Hoeffding 1948); a centred reward is (N-1)/N of RLOO.
func TestVarianceInClosedForm(t *testing.T) {
	arithmetic(t)
	a := auditProblem0(t, smallBandit())
	reward := a.correct()
	mean := dot(a.p, reward)
	gradient := make([]float64, len(a.p))
	one, projected, pairs := 0.0, 0.0, 0.0
	for y, p := range a.p {
		s := a.score(y)
		one += p * reward[y] * reward[y] * dot(s, s)
		projected += p * (reward[y] - mean) * (reward[y] - mean) * dot(s, s)
		for k := range gradient {
			gradient[k] += p * reward[y] * s[k]
		}
		for other, q := range a.p {
			so, h := a.score(other), 0.0
			for k := range s {
				d := (reward[y] - reward[other]) * (s[k] - so[k]) / 2
				h += d * d
			}
			pairs += p * q * h
		}
	}
	square := dot(gradient, gradient)
	zeta1, zeta2 := (projected-square)/4, pairs-square
	for _, n := range []int{2, 3, 5, 8} {
		N := float64(n)
		rloo := (2*(N-2)*zeta1 + zeta2) / (N * (N - 1) / 2)
		audit := auditOf(t, smallAudit(n), "reinforce", "rloo", "dr-grpo")
		for i, c := range []struct{ variance, scale float64 }{{(one - square) / N, 1}, {rloo, 1}, {rloo * (N - 1) / N * (N - 1) / N, (N - 1) / N}} {
			row := audit.Rows[i]
			what := fmt.Sprintf("%s, N = %d", row.Label, n)
			closeTo(t, what+": variance", row.Variance.Value, c.variance, 1e-12)
			closeTo(t, what+": scale", row.Scale.Value, c.scale, 1e-12)
			closeTo(t, what+": cosine", row.Cosine.Value, 1, 1e-12)
			closeTo(t, what+": bias", row.Bias.Value, 0, 1e-12)
			closeTo(t, what+": SNR", row.SNR.Value, c.scale*c.scale*square/c.variance, 1e-12)
		}
	}
}

// TestBaselineOfTheLikeliestArm: ReMax's variance is that of REINFORCE on rewards less
// the greedy one's, here 1.
func TestBaselineOfTheLikeliestArm(t *testing.T) {
	c := smallBandit()
	c.Rewarded = 2 // of the arms with 6/11, 3/11 and 2/11 in some order
	a := auditProblem0(t, c)
	if a.greedy != 1 {
		t.Fatalf("the likeliest arm of %v earns %v, want 1", a.p, a.greedy)
	}
	gradient, square := make([]float64, len(a.p)), 0.0
	for y, p := range a.p {
		s := a.score(y)
		less := a.correct()[y] - 1
		square += p * less * less * dot(s, s)
		for k := range gradient {
			gradient[k] += p * less * s[k]
		}
	}
	opt := smallAudit(4)
	opt.Bandit = c
	closeTo(t, "variance", auditOf(t, opt, "remax").Rows[0].Variance.Value, (square-dot(gradient, gradient))/4, 1e-12)
}

// TestVotersAreNotTrainedOn: to GRPO, who looks at no vote, they change nothing.
func TestVotersAreNotTrainedOn(t *testing.T) {
	rows := auditOf(t, smallAudit(3), "grpo", "grpo:votes=6").Rows
	if rows[1].How != record.AuditExact || rows[1].Steps != 729 {
		t.Fatalf("%s, %d outcomes, want all 3^6 sequences", rows[1].How, rows[1].Steps)
	}
	closeTo(t, "length", rows[1].Length.Value, rows[0].Length.Value, 1e-12)
	closeTo(t, "variance", rows[1].Variance.Value, rows[0].Variance.Value, 1e-12)
}

// TestScalesOfUnbiasedMethods: the scales are those of the estimators' theory tests, at the audit's
// 1/N.
func TestScalesOfUnbiasedMethods(t *testing.T) {
	for _, c := range []struct {
		why, method string
		group       int
		scale       float64
	}{
		{"a baseline that does not look at the rollout", "remax", 4, 1},
		{"Prop. 3.1: (N-n)/n", "poly-epo:n=2", 4, 2. / 2 / 4},
		{"Prop. 3.1: (N-n)/n", "poly-epo:n=3", 8, 5. / 3 / 8},
		{"sets of the best", "pass-n:n=2", 8, 6. / 2 / 8},
		{"an expression is the objective it writes", "set-rl:objective=mean(reward) * distinct(mode) / n,n=2", 4, 2. / 2 / 4},
		{"PKPO's sum over rollouts is the gradient", "pkpo:k=3", 4, 1. / 4},
		{"so is s", "pkpo:k=2,variant=s", 4, 1. / 4},
		{"and loo", "pkpo:k=2,variant=loo", 4, 1. / 4},
		{"VPO's centred scores of chains", "vpo:scale=none", 3, 2. / 3},
		{"those of Multi-RLVR", "multi-rlvr:scale=none", 2, 1. / 2},
		{"MaxRL's theorem", "maxrl:epsilon=0,fidelity=paper", 5, 1},
		{"the published code drops the last term", "maxrl:epsilon=0", 5, 1},
	} {
		opt := smallAudit(c.group)
		opt.Problems = 3
		row := auditOf(t, opt, c.method).Rows[0]
		if row.How != record.AuditExact {
			t.Fatalf("%s: %q, %s", c.method, row.How, row.Why)
		}
		closeTo(t, c.method+": "+c.why, row.Scale.Value, c.scale, 1e-12)
		closeTo(t, c.method+": bias", row.Bias.Value, 0, 1e-11)
	}
}

// TestGradientOfTargets: against ordered draws, one by one, and central differences.
func TestGradientOfTargets(t *testing.T) {
	arithmetic(t)
	a := auditProblem0(t, Bandit())
	weights := []float64{1}
	for _, arg := range []string{"grpo", "poly-epo:n=3", "pass-n:n=3", "pkpo:k=3", "passk-training:k=2", "setpo+grpo:lambda=2", "grpo-div", "maxrl", "multi-rlvr", "vpo",
		"set-rl:objective=distinct-correct,n=3", "set-rl:objective=max(reward) * distinct(mode),n=3", "grpo:shaping=reward + 1 / same(group.mode; mode)"} {
		m, err := methodOf(strings.ReplaceAll(arg, ";", ","))
		if err != nil {
			t.Fatal(err)
		}
		method, _, err := m.New()
		if err != nil {
			t.Fatal(err)
		}
		target, err := method.Target(estimators.TargetSetting{Group: 4, Candidates: method.Method.Candidates, Weights: weights, Answers: a.verdicts})
		if err != nil || target.Name == "" {
			t.Fatalf("%s: %q, %v", arg, target.Why, err)
		}
		value := func(p []float64) float64 {
			total := 0.0
			for _, term := range target.Terms {
				if err := eachSequence(p, term.Draws, func(drawn []int, chance float64) error {
					counts, worth := make([]int, len(p)), math.Inf(-1)
					for _, arm := range drawn {
						counts[arm]++
						if term.Scores != nil {
							worth = max(worth, term.Scores[arm])
						}
					}
					if term.Scores == nil {
						worth, err = term.Worth(counts)
					}
					total += term.Weight * worth * chance
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			return total
		}
		got, err := a.gradient(target, 1000)
		if err != nil {
			t.Fatal(err)
		}
		const h = 1e-5
		for k := range a.p {
			at := func(by float64) []float64 {
				q, total := slices.Clone(a.p), 0.0
				q[k] *= math.Exp(by)
				for _, x := range q {
					total += x
				}
				for i := range q {
					q[i] /= total
				}
				return q
			}
			closeTo(t, fmt.Sprintf("%s, logit %d", arg, k), got[k], (value(at(h))-value(at(-h)))/(2*h), 1e-8)
		}
	}
}

// TestBestOfKInRationals computes the expected steps of PKPO and of the centred
// max@k credit from their definitions, subset by subset, in exact arithmetic.
func TestBestOfKInRationals(t *testing.T) {
	arithmetic(t)
	p := []*big.Rat{}
	a := auditProblem0(t, smallBandit())
	for _, x := range a.p { // 6/11, 3/11, 2/11 in some order
		p = append(p, big.NewRat(int64(math.Round(11*x)), 11))
	}
	const n, k = 3, 2
	want := make([]*big.Rat, len(p)) // E[(1/n) sum_i s_i grad], s_i = sum of subsets with i of the best / C(n, k)
	for arm := range want {
		want[arm] = new(big.Rat)
	}
	for code := range 27 {
		arms := []int{code % 3, code / 3 % 3, code / 9}
		chance := big.NewRat(1, 1)
		for _, arm := range arms {
			chance.Mul(chance, p[arm])
		}
		for i := range n {
			s := new(big.Rat)
			for other := range n {
				if other != i && (a.verdicts[arms[i]].Correct || a.verdicts[arms[other]].Correct) {
					s.Add(s, big.NewRat(1, 3*n))
				}
			}
			s.Mul(s, chance)
			for arm := range want {
				part := new(big.Rat).Neg(p[arm])
				if arm == arms[i] {
					part.Add(part, big.NewRat(1, 1))
				}
				want[arm].Add(want[arm], part.Mul(part, s))
			}
		}
	}
	square := new(big.Rat)
	for _, x := range want {
		square.Add(square, new(big.Rat).Mul(x, x))
	}
	length, _ := square.Float64()
	length = math.Sqrt(length)
	audit := auditOf(t, smallAudit(n), "pkpo:k=2,variant=s", "pkpo:k=2", "max-at-k:k=2,scale=none")
	closeTo(t, "s", audit.Rows[0].Length.Value, length, 1e-14)
	closeTo(t, "loo-1 has the same expectation", audit.Rows[1].Length.Value, length, 1e-14)
	closeTo(t, "centred: (n-k)/n of it", audit.Rows[2].Length.Value, length*(n-k)/n, 1e-14)
	for _, row := range audit.Rows {
		closeTo(t, row.Label+": cosine", row.Cosine.Value, 1, 1e-14)
	}
}

// TestCountsAreSequences: where order does not matter, counts give what sequences do.
func TestCountsAreSequences(t *testing.T) {
	arithmetic(t)
	c := smallBandit()
	c.Rewarded = 2
	env, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	a := auditProblem0(t, c)
	tested := 0
	for _, m := range estimators.Methods() {
		method := m.New()
		if !m.Trains || m.Properties.OrderMatters || m.Stops || method.Protocol.Votes > 0 || method.Requirements().MinTokens > 1 {
			continue
		}
		for _, size := range []int{3, 5} {
			if method.Requirements().CheckEnv(env.Info().Provides(), 1, size, m.Candidates) != nil || m.Candidates > 1 && size > 3 {
				continue
			}
			var steps [2]moments
			for i, ordered := range []bool{false, true} {
				kinds, err := a.kinds(m.Candidates, ordered, 1000)
				if err != nil {
					t.Fatal(err)
				}
				g := newGroup(context.Background(), method, a, env.Info().Weights, size, m.Candidates, 0)
				if steps[i], err = g.enumerate(kinds, ordered); err != nil {
					t.Fatal(err)
				}
			}
			tested++
			what := fmt.Sprintf("%s, N = %d", m.Name, size)
			closeTo(t, what+": variance", steps[0].variance, steps[1].variance, 1e-12)
			for arm := range a.p {
				closeTo(t, what, steps[0].mean[arm], steps[1].mean[arm], 1e-12)
			}
		}
	}
	if tested < 80 {
		t.Errorf("%d comparisons, want most methods at both sizes", tested)
	}
}

// TestAuditOfDynamicSampling: DAPO's step is that of a group that teaches, or 0 if ten draws in
// turn do not.
func TestAuditOfDynamicSampling(t *testing.T) {
	arithmetic(t)
	a := auditProblem0(t, smallBandit())
	correct := dot(a.p, a.correct())
	const n = 3
	idle := math.Pow(correct, n) + math.Pow(1-correct, n)
	rows := auditOf(t, smallAudit(n), "grpo", "dapo", "dapo:generations=1").Rows
	factor := (1 - math.Pow(idle, 10)) / (1 - idle)
	closeTo(t, "ten draws", rows[1].Length.Value, rows[0].Length.Value*factor, 1e-12)
	// E|g|^2 has the factor of the mean.
	square := func(r record.AuditRow) float64 { return r.Variance.Value + r.Length.Value*r.Length.Value }
	closeTo(t, "second moment", square(rows[1]), square(rows[0])*factor, 1e-12)
	closeTo(t, "one draw is none anew", rows[2].Length.Value, rows[0].Length.Value, 1e-12)
	closeTo(t, "one draw: variance", rows[2].Variance.Value, rows[0].Variance.Value, 1e-12)
}

// TestJoinedProblems: the groups of two problems are independent, so their variances
// add; against all pairs of groups.
func TestJoinedProblems(t *testing.T) {
	env, err := Bandit().Build()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := firstProblems(env, 2)
	if err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		step   []float64
		chance float64
	}
	var all [2][]outcome
	for i, p := range problems {
		m, _ := estimators.Lookup("grpo")
		g := newGroup(context.Background(), m.New(), p, []float64{1}, 2, 1, 0)
		kinds, _ := p.kinds(1, false, 10)
		if err := g.each(kinds, false, func(chance float64) error {
			if err := g.estimate(0); err != nil {
				return err
			}
			all[i] = append(all[i], outcome{slices.Clone(g.step), chance})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	mean, square := make([]float64, 10), 0.0
	for _, x := range all[0] {
		for _, y := range all[1] {
			for k, v := range slices.Concat(x.step, y.step) {
				mean[k] += x.chance * y.chance * v / 2
				square += x.chance * y.chance * v * v / 4
			}
		}
	}
	opt := Default()
	opt.Problems, opt.Groups = 2, []int{2}
	row := auditOf(t, opt, "grpo").Rows[0]
	closeTo(t, "length", row.Length.Value, math.Sqrt(dot(mean, mean)), 1e-12)
	closeTo(t, "variance", row.Variance.Value, square-dot(mean, mean), 1e-12)
}

// TestSampledIntervalsCover: over seeds, 95% intervals nearly always hold the exact value, and are
// not so wide that they would hold anything.
func TestSampledIntervalsCover(t *testing.T) {
	arithmetic(t)
	opt := smallAudit(4)
	opt.Problems = 2
	methods := []string{"grpo", "poly-epo:n=2", "maxrl", "reinforce"}
	exact := auditOf(t, opt, methods...)
	opt.Outcomes, opt.Samples = 1, 1280
	names := []string{"scale", "variance", "SNR", "pass@8"}
	held, all := map[string]int{}, 0
	for seed := range uint64(40) {
		opt.Seed = seed
		drawn := auditOf(t, opt, methods...)
		for i, row := range drawn.Rows {
			if row.How != record.AuditSampled {
				t.Fatalf("%s is %s: %s", row.Label, row.How, row.Why)
			}
			all++
			want := exact.Rows[i]
			pairs := [][2]*record.AuditNumber{{row.Scale, want.Scale}, {row.Variance, want.Variance}, {row.SNR, want.SNR}, {row.Pass[3], want.Pass[3]}}
			for k, pair := range pairs {
				name := names[k]
				if x := pair[1].Value; *pair[0].Low <= x+1e-12 && x <= *pair[0].High+1e-12 {
					held[name]++
				}
				if width := *pair[0].High - *pair[0].Low; width > 0.5*math.Abs(pair[1].Value)+0.2 {
					t.Errorf("%s, %s: an interval %v wide around %v", row.Label, name, width, pair[1].Value)
				}
			}
		}
	}
	for _, name := range names {
		if share := float64(held[name]) / float64(all); share < 0.88 {
			t.Errorf("%s: %.3f of %d intervals hold the exact value, want about 0.95", name, share, all)
		}
	}
}

// TestSampledMomentsAreThoseOfMetrics: sums by batch against every step at once.
func TestSampledMomentsAreThoseOfMetrics(t *testing.T) {
	arithmetic(t)
	a := auditProblem0(t, smallBandit())
	s := &sampled{size: 2}
	var xs [][]float64
	for b := range s.sums {
		s.sums[b] = make([]float64, len(a.p))
		for i := range 2 {
			x := a.score((b*7 + i) % 3)
			xs = append(xs, x)
			for k := range x {
				s.sums[b][k] += x[k]
			}
			s.squares[b] += dot(x, x)
		}
	}
	variance := 0.0
	for k := range a.p {
		var column []float64
		for _, x := range xs {
			column = append(column, x[k])
		}
		m := stats.Mean(column)
		for _, x := range column {
			variance += (x - m) * (x - m) / float64(len(column)-1)
		}
	}
	closeTo(t, "variance", s.without(-1).variance, variance, 1e-12)
}

// TestAuditIsTheSameForAllJobs: bytes, and equal methods share what is computed once.
func TestAuditIsTheSameForAllJobs(t *testing.T) {
	var documents []string
	for _, jobs := range []int{1, 8} {
		opt := Default()
		opt.Problems, opt.Groups, opt.Samples, opt.Jobs = 2, []int{2, 4}, 64, jobs
		data, err := json.Marshal(auditOf(t, opt))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(data))
	}
	if documents[0] != documents[1] {
		t.Error("the audit depends on the number of jobs")
	}
	opt := smallAudit(4)
	shared := auditOf(t, opt, "grpo", "dr-grpo", "gspo")
	alone := auditOf(t, opt, "gspo")
	if shared.Rows[2].Length.Value != alone.Rows[0].Length.Value || shared.Rows[2].Label != "gspo" || shared.Rows[1].Length.Value == alone.Rows[0].Length.Value {
		t.Errorf("rows of equal steps: %+v, alone %+v", shared.Rows[2], alone.Rows[0])
	}
}

// TestLargeAuditsAreSampled: methods are enumerated if their steps are functions of counts, or of a
// few sequences.
func TestLargeAuditsAreSampled(t *testing.T) {
	for _, c := range []struct{ why, method, how string }{
		{"an order-free method", "grpo", record.AuditExact},
		{"64 votes are too many sequences", "ttrl", record.AuditSampled},
		{"four votes in order", "ttrl:votes=0", record.AuditExact},
		{"sets that are drawn", "poly-epo:n=2,sets=2", record.AuditSampled},
		{"an expression without order", "set-rl:objective=mean(reward),n=2", record.AuditExact},
		{"chains as multisets", "vpo", record.AuditExact},
	} {
		row := auditOf(t, smallAudit(4), c.method).Rows[0]
		if row.How != c.how {
			t.Errorf("%s (%s): %q, want %q (%s)", c.method, c.why, row.How, c.how, row.Why)
		}
	}
	// An expression that reads the order of a group takes sequences: 3^4, not C(6, 2).
	rows := auditOf(t, smallAudit(4), "set-rl:objective=reward[0] * 2 + reward[1],n=2", "set-rl:objective=mean(reward),n=2").Rows
	if rows[0].Steps != 81 || rows[1].Steps != 15 {
		t.Errorf("%d and %d outcomes, want 81 and 15", rows[0].Steps, rows[1].Steps)
	}
}

// TestRowsThatFail: the row of a method that fails, or cannot run at a size, gives the reason, and
// the other rows are unchanged.
func TestRowsThatFail(t *testing.T) {
	good, err := Methods([]string{"grpo", "poly-epo", "setpo+grpo", "em-rl-token", "ttrl:votes=2"})
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	bad := Method{Label: "mine", New: func() (*estimators.Instance, func() error, error) {
		m, _ := estimators.Lookup("grpo")
		i := m.New()
		i.Estimator = &broken{}
		return i, func() error { ended++; return nil }, nil
	}}
	a, err := Run(context.Background(), append(good, bad), smallAudit(2, 4))
	if err == nil || err.Error() != "method mine, groups of 2: it broke\nmethod mine, groups of 4: it broke" {
		t.Errorf("error %v", err)
	}
	if ended != 2 {
		t.Errorf("ended %d times, want once for each group size", ended)
	}
	want := map[string]string{
		"poly-epo 2": "needs groups of at least 5 rollouts, got 2", "poly-epo 4": "needs groups of at least 5 rollouts, got 4",
		"setpo+grpo 2":   "needs groups of at least 3 rollouts, got 2",
		"em-rl-token 2":  "needs rollouts of at least 2 tokens to tell them apart, and here the longest has 1",
		"ttrl votes=2 4": "2 rollouts vote, fewer than the 4 that are trained on",
		"mine 2":         "it broke",
		"grpo 2":         "",
	}
	for _, row := range a.Rows {
		if why, ok := want[fmt.Sprint(row.Label, " ", row.Group)]; ok && (row.Why != why || (row.How == "") != (why != "")) {
			t.Errorf("%s, N = %d: %q, %q; want %q", row.Label, row.Group, row.How, row.Why, why)
		}
	}
}

// A broken estimator.
type broken struct{}

func (*broken) Requirements() estimators.Requirements { return estimators.Requirements{MinGroup: 1} }

func (*broken) Advantages([][]float64, *estimators.Batch) error { return fmt.Errorf("it broke") }

func TestAuditErrors(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"grop", `unknown method "grop"`},
		{"base", "method base trains nothing, so it has no step to audit"},
		{"plugin", "a plug-in comes from a spec"},
		{"poly-epo:m=2", `method poly-epo: unknown field "m"`},
		{"poly-epo:", "want poly-epo:FIELD=VALUE"},
		{"poly-epo:n=x", "method poly-epo: "},
	} {
		if _, err := Methods([]string{c.arg}); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c.arg, err, c.want)
		}
	}
	if _, err := Methods([]string{"grpo", "grpo"}); err == nil || err.Error() != `"grpo" is there twice` {
		t.Errorf("twice: %v", err)
	}
	for _, change := range []func(*Options){
		func(o *Options) { o.Groups = nil }, func(o *Options) { o.Groups = []int{0} }, func(o *Options) { o.Problems = 0 },
		func(o *Options) { o.Samples = 10 }, func(o *Options) { o.Outcomes = 0 },
	} {
		opt := smallAudit(4)
		change(&opt)
		if _, err := Run(context.Background(), nil, opt); err == nil {
			t.Errorf("%+v: no error", opt)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(cancelled, nil, smallAudit(4)); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestAuditSpec(t *testing.T) {
	text := "[env]\nname = \"bandit\"\nmodes = 4\nrewarded = 1\n[policy]\nname = \"tabular\"\n[[method]]\nname = \"base\"\n[[method]]\nname = \"poly-epo\"\nn = [2, 3]\n"
	loaded := exptest.Load(t, "mine.toml", text)
	methods, config, err := FromSpec(context.Background(), loaded, nil)
	if err != nil || len(methods) != 2 || methods[1].Label != "poly-epo n=3" || config.(*bandit.Config).Modes != 4 {
		t.Fatalf("%+v, %+v, %v", methods, config, err)
	}
	for _, c := range []struct{ text, want string }{
		{strings.Replace(text, "modes = 4", "modes = [4, 5]", 1), "mine: an audit takes one bandit, and the spec has several"},
		{"[env]\nname = \"maze\"\n[[method]]\nname = \"grpo\"\n", "mine: an audit enumerates a bandit, and the spec's environment is maze"},
		{"[env]\nname = \"bandit\"\n[[method]]\nname = \"base\"\n", "mine: no method of the spec trains, so there is no step to audit"},
	} {
		spec := exptest.Load(t, "mine.toml", c.text)
		if _, _, err := FromSpec(context.Background(), spec, nil); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	plain := exptest.Load(t, "mine.toml", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\n")
	noted := ""
	if _, config, err := FromSpec(context.Background(), plain, func(line string) { noted += line }); err != nil || !reflect.DeepEqual(config, Bandit()) || !strings.Contains(noted, "mine sets no field of its bandit") {
		t.Errorf("a spec without a bandit of its own: %+v, %v, noted %q", config, err, noted)
	}
	maze, _ := envs.Lookup("maze")
	opt := smallAudit(4)
	opt.Bandit = maze.Default()
	if _, err := Run(context.Background(), nil, opt); err == nil || !strings.Contains(err.Error(), "an audit enumerates all answers") {
		t.Errorf("an environment that nobody enumerates: %v", err)
	}
}

// TestAuditProgress: parts add up to the total, also where a method does not fit, fails or
// shares its steps with another, and at any number of jobs.
func TestAuditProgress(t *testing.T) {
	for _, jobs := range []int{1, 8} {
		opt := smallAudit(2)
		opt.Groups, opt.Jobs = []int{2, 4}, jobs
		var last Progress
		opt.Progress = func(at Progress) {
			if at.Done < last.Done || at.Done > at.Total || at.Label == "" || !slices.Contains(opt.Groups, at.Group) {
				t.Errorf("%+v after %+v", at, last)
			}
			last = at
		}
		methods, err := Methods([]string{"grpo", "gspo", "dr-grpo", "poly-epo"}) // sets of 4 do not fit groups of 2
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"fails", "fails too"} {
			methods = append(methods, Method{Label: label, Steps: "the same", New: func() (*estimators.Instance, func() error, error) {
				return nil, nil, errors.New("no such program")
			}})
		}
		if _, err := Run(context.Background(), methods, opt); err == nil {
			t.Error("a method that fails is no error")
		}
		if want := 4 * 2 * opt.Problems; last.Total != want || last.Done != want { // grpo and gspo take one step
			t.Errorf("%d jobs: ended at %+v, want %d of %d", jobs, last, want, want)
		}
	}
}

// TestAuditHeedsAnInterrupt in the middle of a row that would take days: by enumeration, by
// samples, and where dynamic sampling first asks for the chance of groups that it drops.
func TestAuditHeedsAnInterrupt(t *testing.T) {
	for _, arg := range []string{"set-rl:objective=mean(reward)", "grpo", "dapo", "poly-epo:n=2,sets=2"} {
		opt := Default()
		opt.Groups, opt.Outcomes, opt.Samples = []int{512}, 100_000_000, 1<<30
		methods, err := Methods([]string{arg})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		begin := methods[0].New
		methods[0].New = func() (*estimators.Instance, func() error, error) {
			time.AfterFunc(20*time.Millisecond, cancel)
			return begin()
		}
		if audit, err := Run(ctx, methods, opt); audit != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want no audit and an end of the context", arg, err)
		}
		cancel()
	}
}

// TestAuditText: every method fits 120 columns, and the text names the methods that are left out.
func TestAuditText(t *testing.T) {
	opt := Default()
	opt.Problems, opt.Groups, opt.Samples = 2, []int{4, 8}, 64
	a := auditOf(t, opt)
	for _, all := range []bool{false, true} {
		text := Text(a, all)
		for line := range strings.Lines(text) {
			if n := len([]rune(line)); n > 121 && !all && !strings.Contains(line, "needs") {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		for _, part := range []string{"Baselines\n", "em-rl-token, N = 8: needs rollouts", "polychromic of 4", "±", "pass@64"} {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in\n%s", part, text)
			}
		}
		if got, want := strings.Count(text, "\ngrpo "), map[bool]int{false: 1, true: 2}[all]; got != want {
			t.Errorf("%d rows of grpo, want %d", got, want)
		}
	}
}

// TestParallelGradients: the table states that all gradients of pass@k have one direction, whatever
// the method. They have on one bandit, and on several of one difficulty.
func TestParallelGradients(t *testing.T) {
	easy := bandit.Default()
	easy.Modes, easy.Rewarded = 5, 2
	for _, c := range []struct {
		reason   string
		config   *bandit.Config
		problems int
		want     bool
	}{
		{"the audit's own bandits", Bandit(), 3, false},
		{"one of them", Bandit(), 1, true},
		{"several under a uniform start", easy, 3, true},
	} {
		opt := Default()
		opt.Bandit, opt.Problems, opt.Groups = c.config, c.problems, []int{4}
		a := auditOf(t, opt, "grpo", "rloo")
		said := strings.Contains(Text(a, false), "The gradients of pass@k are parallel here")
		if equal := a.Rows[1].Pass[0].Value-a.Rows[1].Pass[6].Value < 1e-9; a.Parallel != c.want || said != c.want || equal != c.want {
			t.Errorf("%s: parallel %t, said %t, cosines equal %t, want %t", c.reason, a.Parallel, said, equal, c.want)
		}
	}
}

// A constant estimator gives every rollout the advantage 1.
type constant struct{ broken }

func (*constant) Advantages(dst [][]float64, _ *estimators.Batch) error {
	for i := range dst[0] {
		dst[0][i] = 1
	}
	return nil
}

// TestScoresOfChainsAdd: a chain's log-probability is the sum of its answers', also
// where advantages do not cancel.
func TestScoresOfChainsAdd(t *testing.T) {
	a := auditProblem0(t, smallBandit())
	m, err := estimators.Lookup("vpo")
	if err != nil {
		t.Fatal(err)
	}
	method := m.New()
	method.Estimator = &constant{}
	g := newGroup(context.Background(), method, a, []float64{1}, 2, 2, 0)
	g.setAnswers(0, []int{0, 1})
	g.setAnswers(1, []int{2, 0})
	if err := g.estimate(0); err != nil {
		t.Fatal(err)
	}
	for arm, got := range g.step {
		closeTo(t, "step", got, a.score(0)[arm]+a.score(1)[arm]/2+a.score(2)[arm]/2, 1e-15)
	}
}
