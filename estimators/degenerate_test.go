package estimators

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/envs"
)

// A degenerateRow holds the advantages of a group without any difference in correctness,
// with 0/1 rewards: four rollouts of the modes A, A, B, C and their embeddings.
type degenerateRow struct {
	method         string
	set            []string
	correct, wrong []float64
	reason         string
}

// degenerateRows has every method; each family's tests add theirs. Nil is zeros.
var degenerateRows []degenerateRow

var (
	degenerateVectors = [][]float32{{1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 1}}
	ones              = []float64{1, 1, 1, 1}
)

func init() {
	credit := creditByDefinition(cosines(degenerateVectors))
	for i := range credit {
		credit[i] *= 0.05
	}
	bonus := []float64{-1. / 6, -1. / 6, 1. / 6, 1. / 6} // 0.5 (d - mean d), d = 1/3, 1/3, 1, 1
	one := big.NewRat(1, 1)
	diversity := exactMarginal("polychromic", []*big.Rat{one, one, one, one}, "AABC", 2)
	degenerateRows = append(degenerateRows, []degenerateRow{
		{"base", nil, nil, nil, "never trains"},
		{"reinforce", nil, ones, nil, "no baseline: all correct is still pushed up"},
		{"rloo", nil, nil, nil, "the others say the same"},
		{"dr-grpo", nil, nil, nil, "no spread"},
		{"grpo-div", nil, bonus, bonus, "the bonus for rare modes alone, right or wrong"},
		{"poly-epo", []string{"n=2"}, diversity, nil, "diversity only where there is reward"},
		{"setpo+grpo", nil, credit, credit, "the credit alone, right or wrong"},
		{"optimum", nil, nil, nil, "never trains"},
		{"vpo", nil, nil, nil, "no spread of the scores"},
		{"multi-rlvr", nil, nil, nil, "no spread of the scores"},
		{"vpo@code", nil, nil, nil, "no spread of the scores"},
		{"multi-rlvr@code", nil, nil, nil, "no spread of the scores"},
		{"max-at-k@code", nil, nil, nil, "every subset is worth the same"},
		{"gdpo@code", nil, nil, nil, "no component has a spread"},
		{"random-w", nil, nil, nil, "no spread under any weights"},
		{"goal-conditioned", nil, nil, nil, "no spread"},
		{"max-at-k", []string{"k=2"}, nil, nil, "every subset is worth the same"},
		{"max-at-k", nil, nil, nil, "k = n: every rollout is in the only subset"},
		{"maxrl", nil, nil, nil, "as the published code"},
		{"maxrl", []string{"fidelity=paper"}, nil, []float64{-1, -1, -1, -1}, "vr_cond keeps its -1/N, here times N"},
		{"gdpo", nil, nil, nil, "no component has a spread"},
	}...)
	for _, name := range []string{"", "@poly-epo", "@setpo", "@vpo", "@sd-e2", "@evol-rl", "@verl", "@trl", "@openrlhf", "@prime"} {
		degenerateRows = append(degenerateRows, degenerateRow{"grpo" + name, nil, nil, nil, "no spread"})
	}
}

func TestDegenerateGroups(t *testing.T) {
	covered := map[string]bool{}
	for _, r := range degenerateRows {
		covered[r.method] = true
		e := build(t, r.method, r.set...).Estimator
		for reward, want := range map[float64][]float64{1: r.correct, 0: r.wrong} {
			if want == nil {
				want = make([]float64, 4)
			}
			g := embed(groupOf([]float64{reward, reward, reward, reward}, "AABC"), degenerateVectors)
			near(t, fmt.Sprintf("%s, all rewards %v: %s", r.method, reward, r.reason), ofGroup(t, e, g), want, 1e-12)
		}
	}
	shown := shownBy(t)
	for _, m := range Methods() {
		if by := shown[m.Name]; !covered[m.Name] && !(by.right && by.wrong) {
			t.Errorf("method %s: no conformance vectors and no row here say what groups get that are all correct, or all wrong", m.Name)
		}
	}
}

// TestEqualRewardsAreNoSignal: rewards that are equal to the last bit give zeros, not a rounding
// error of their mean blown up to a step. The larger the rewards, the larger that error.
func TestEqualRewardsAreNoSignal(t *testing.T) {
	for _, l := range allDeclared() {
		if l.MovesEqualRewards {
			continue
		}
		t.Run(l.name(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 1))
			e := l.estimator(t)
			for range 200 {
				c := math.Pow(10, 10*r.Float64()-3)
				rewards := make([]float64, 3+r.IntN(70))
				for i := range rewards {
					rewards[i] = c
				}
				near(t, fmt.Sprintf("%d rewards of %v", len(rewards), c), ofGroup(t, e, groupOf(rewards, "")), make([]float64, len(rewards)), 0)
			}
		})
	}
}

// TestSingletons: a group of one, under both policies if a method has them.
func TestSingletons(t *testing.T) {
	for _, c := range singletonRows {
		got := ofGroup(t, build(t, c.method, c.set...).Estimator, groupOf([]float64{3}, ""))
		near(t, fmt.Sprint(c.method, c.set, ": ", c.reason), got, []float64{c.want}, 1e-15)
	}
}

// A singletonRow is the advantage of a group of one rollout with the reward 3.
type singletonRow struct {
	method string
	set    []string
	want   float64
	reason string
}

// singletonRows has what takes groups of one; each family's tests add theirs.
var singletonRows []singletonRow

func init() {
	singletonRows = append(singletonRows, []singletonRow{
		{"base", nil, 0, "never trains"},
		{"reinforce", nil, 3, "needs no group"},
		{"rloo", nil, 0, "no others: no baseline, no signal"},
		{"rloo", []string{"singleton=raw"}, 3, "verl's rloo"},
		{"grpo", nil, 0, "no spread"},
		{"grpo", []string{"singleton=raw"}, 3 / (1 + 1e-6), "deviation taken as 1"},
		{"grpo", []string{"singleton=raw", "scale=none"}, 3, "no deviation"},
		{"grpo", []string{"ddof=1"}, 0, "G - ddof is 0: no 0/0"},
		{"grpo@verl", nil, 3 / (1 + 1e-6), "mean 0, deviation 1"},
		{"grpo@trl", nil, 0, "deviation 0: r - r"},
		{"grpo@openrlhf", nil, 0, "itself NaN; here zero"},
		{"grpo@prime", nil, 0, "r - r"},
		{"dr-grpo", nil, 0, "zero unless asked otherwise"},
		{"grpo-div", nil, 0, "no bonus: N - 1 is 0"},
		{"grpo-div", []string{"singleton=raw"}, 3, "the raw reward without a bonus"},
		{"poly-epo", []string{"n=1"}, 0, "one set: nothing is marginal"},
		{"optimum", nil, 0, "never trains"},
		{"vpo", nil, 0, "no spread"},
		{"vpo", []string{"singleton=raw"}, 3 / (1 + 1e-6), "the raw score, deviation taken as 1"},
		{"multi-rlvr", nil, 0, "no spread"},
		{"random-w", nil, 0, "no spread"},
		{"goal-conditioned", nil, 0, "no spread"},
		{"max-at-k", []string{"k=1"}, 0, "one subset"},
		{"maxrl", nil, 0, "prime-rl: r - r"},
		{"maxrl", []string{"singleton=raw"}, 3, "SkyRL: the raw reward"},
		{"maxrl", []string{"fidelity=paper"}, 0, "a group of one follows singleton alone"},
		{"gdpo", nil, 0, "no deviation of one rollout"},
		{"gdpo", []string{"ddof=0"}, 0, "a deviation of 0"},
	}...)
}

// TestGroupWithoutTraining: nothing to train on is no error, and all zeros,
// also where a stale number stood.
func TestGroupWithoutTraining(t *testing.T) {
	for _, l := range allDeclared() {
		g := groupOf([]float64{1, 0, 2}, "ABC")
		for i := range g.Rollouts {
			g.Rollouts[i].Train = false
		}
		b := batchOf(g, Group{Problem: "empty"})
		dst := [][]float64{{7, 7, 7}, {}}
		if err := l.estimator(t).Advantages(dst, b); err != nil {
			t.Errorf("%s: %v", l.name(), err)
		}
		near(t, l.name(), dst[0], []float64{0, 0, 0}, 0)
	}
}

// TestGRPODivEqualsItsDefinition against the formula written down naively.
func TestGRPODivEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, size := range []int{2, 3, 8, 33, 80} {
		for kind := range 5 {
			_, rewards := fractions(r, size)
			modes := randomModes(r, size, kind)
			lambda := float64(r.IntN(20)) / 8
			shaped := append([]float64(nil), rewards...)
			for i := range shaped {
				count := 0
				for j := range modes {
					if modes[j] == modes[i] {
						count++
					}
				}
				if modes[i] != '-' {
					shaped[i] += lambda * (float64(size)/float64(count) - 1) / float64(size-1)
				}
			}
			mu := sum(shaped) / float64(size)
			for i := range shaped {
				shaped[i] -= mu
			}
			e := build(t, "grpo-div", fmt.Sprint("lambda=", lambda)).Estimator
			near(t, fmt.Sprint(size, modes), ofGroup(t, e, groupOf(rewards, modes)), shaped, 1e-12)
		}
	}
}

// failing runs every method that reads rewards on a batch whose second group is bad.
func failing(t *testing.T, spoil func(b *Batch, dst [][]float64) [][]float64, parts ...string) {
	t.Helper()
	for _, l := range allDeclared() {
		if !l.rewarded(t) || l.estimator(t).Requirements().Chains && strings.Contains(strings.Join(parts, " "), "exactly one") {
			continue
		}
		good := embed(groupOf([]float64{1, 0, 1, 0}, "ABCD"), [][]float32{{1, 0}, {1, 1}, {0, 1}, {1, 2}})
		b := batchOf(good, mapRewards(good, math.Abs))
		b.Groups[1].Problem = "the bad one"
		dst := spoil(b, NewAdvantages(b))
		err := l.estimator(t).Advantages(dst, b)
		t.Run(l.name(), func(t *testing.T) { wantError(t, err, parts...) })
	}
}

func TestBadRewardsAreErrors(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		failing(t, func(b *Batch, dst [][]float64) [][]float64 {
			b.Groups[1].Rollouts[2].Candidates[0].Reward[0] = bad
			return dst
		}, "group 1", `"the bad one"`, "rollout 2", "finite")
	}
}

func TestBadShapesAreErrors(t *testing.T) {
	failing(t, func(_ *Batch, dst [][]float64) [][]float64 { return dst[:1] }, "room for 1 groups", "has 2")
	failing(t, func(_ *Batch, dst [][]float64) [][]float64 {
		return [][]float64{dst[0], dst[1][:3]}
	}, "group 1", "room for 3 advantages, want 4")
	failing(t, func(b *Batch, dst [][]float64) [][]float64 {
		c := &b.Groups[1].Rollouts[1].Candidates
		*c = append(*c, (*c)[0])
		return dst
	}, "group 1", "rollout 1", "2 candidates", "takes exactly one")
	failing(t, func(b *Batch, dst [][]float64) [][]float64 {
		b.Groups[1].Rollouts[1].Candidates = []*envs.Verdict{}
		return dst
	}, "group 1", "rollout 1", "0 candidates")
	failing(t, func(b *Batch, dst [][]float64) [][]float64 {
		b.Groups[1].Rollouts[3].Candidates[0].Reward = []float64{1, 2}
		return dst
	}, "group 1", "rollout 3", "2 reward components for 1 weights")
}

// TestNoNaNEverOut: of any finite rewards, the advantages are finite or
// there is an error; sums and squares of huge ones overflow.
func TestNoNaNEverOut(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 3))
	extremes := []float64{math.MaxFloat64, -math.MaxFloat64, 1e300, -1e200, 1e154, math.SmallestNonzeroFloat64, 0, 1, -1, 1e-200}
	for _, l := range allDeclared() {
		for range 300 {
			rewards := make([]float64, 3+r.IntN(5))
			vectors := randomVectors(r, len(rewards), 3)
			for i := range rewards {
				rewards[i] = extremes[r.IntN(len(extremes))]
				vectors[i][0] *= float32(math.Pow(10, float64(r.IntN(70)-36)))
			}
			b := batchOf(embed(groupOf(rewards, randomModes(r, len(rewards), 3)), vectors))
			dst := NewAdvantages(b)
			if l.estimator(t).Advantages(dst, b) != nil {
				continue
			}
			for i, a := range dst[0] {
				if a-a != 0 {
					t.Fatalf("%s: rewards %v: advantage %d is %v without an error", l.name(), rewards, i, a)
				}
			}
		}
	}
}

// TestOverflowIsNoZero: where squares overflow, the deviation is infinite and
// every z-score would be 0; that must not pass for a group without a signal.
func TestOverflowIsNoZero(t *testing.T) {
	for _, l := range allDeclared() {
		if !l.rewarded(t) {
			continue
		}
		e := l.estimator(t)
		b := batchOf(embed(groupOf([]float64{1e200, 0, 0, 1e200}, "ABCD"), [][]float32{{1, 0}, {1, 1}, {0, 1}, {1, 2}}))
		dst := NewAdvantages(b)
		if err := e.Advantages(dst, b); err != nil {
			wantError(t, err, "group 0", "overflow")
		} else if dst[0][0] == 0 && dst[0][1] == 0 {
			t.Errorf("%s: rewards of 1e200 and 0 give no advantages and no error", l.name())
		}
	}
}
