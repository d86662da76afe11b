package train

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"modebench/estimators/loss"
	"modebench/experiments/internal/exptest"
	"modebench/policies"
)

// A frozenToken holds the constants of SimKO's loss for a token.
type frozenToken struct {
	logp    float64
	order   []int // the legal tokens by falling probability
	above   bool  // its entropy is above the median of its answer's
	legal   []float64
	factor  float64 // of the advantage
	correct bool
}

// holdSimKO takes them of a minibatch.
func holdSimKO(l *loss.Tokens) (out []frozenToken) {
	for s := range l.Sequences() {
		lo, hi := l.Start[s], l.Start[s+1]
		sorted := slices.Sorted(slices.Values(l.Entropy[lo:hi]))
		n := hi - lo
		median := (sorted[(n-1)/2] + sorted[n/2]) / 2
		for k := lo; k < hi; k++ {
			f := frozenToken{logp: l.Logp[k], above: l.Entropy[k] > median, legal: slices.Clone(l.Legal[k]), factor: 1, correct: l.Correct[s]}
			for j := range f.legal {
				f.order = append(f.order, j)
			}
			slices.SortStableFunc(f.order, func(i, j int) int {
				switch {
				case f.legal[i] > f.legal[j]:
					return -1
				case f.legal[i] < f.legal[j]:
					return 1
				}
				return 0
			})
			if l.Advantage[s] < 0 && f.above && l.Likeliest[k] {
				f.factor = 1.1
			}
			out = append(out, f)
		}
	}
	return out
}

// simKO is the loss in the form of SimKO's code, with the quantities without a gradient held
// constant.
func simKO(o *loss.Function, l *loss.Tokens, held []frozenToken) (sum float64) {
	for s, a := range l.Advantage {
		for k := l.Start[s]; k < l.Start[s+1]; k++ {
			f := &held[k]
			rho := math.Exp(l.Logp[k] - l.Old[k])
			if f.correct && f.above {
				top := f.order[:min(o.SimKOTop, len(f.order))]
				spread := 0.0
				for _, j := range top { // sg(rho / rho_j) rho_j
					spread += math.Exp(f.logp-l.Old[k]) * l.Legal[k][j] / f.legal[j]
				}
				rho = (1-o.SimKO)*rho + o.SimKO/float64(len(top))*spread
			}
			a := a * f.factor
			sum += max(-a*rho, -a*min(max(rho, 1-o.ClipLow), 1+o.ClipHigh))
		}
	}
	return sum / float64(len(l.Logp))
}

// gaps are mean log pi - beta A - mean log pi_ref of each sequence.
func gaps(o *loss.Function, l *loss.Tokens) (out []float64) {
	for s, a := range l.Advantage {
		sum := 0.0
		for k := l.Start[s]; k < l.Start[s+1]; k++ {
			sum += l.Logp[k] - l.Ref[k]
		}
		out = append(out, sum/float64(l.Start[s+1]-l.Start[s])-o.FlowBeta*a)
	}
	return out
}

// pushed are the objectives, away from their defaults so that their pushes weigh more, with their
// losses by definition. Quantities without a gradient are held from the first call on.
var pushed = map[string]func(o *loss.Function) func(*loss.Tokens) float64{
	"simko": func(o *loss.Function) func(*loss.Tokens) float64 {
		o.SimKO, o.SimKOQuantile, o.ClipHigh, o.ClipLow = .8, .5, 10, .9
		var held []frozenToken
		return func(l *loss.Tokens) float64 {
			if held == nil {
				held = holdSimKO(l)
			}
			return simKO(o, l, held)
		}
	},
	"flowrl-vargrad": func(o *loss.Function) func(*loss.Tokens) float64 {
		o.FlowBeta = .5
		var logZ, weights []float64 // of each sequence
		return func(l *loss.Tokens) (sum float64) {
			gap := gaps(o, l)
			for s := 0; len(logZ) < len(gap); s++ {
				mean, d := 0.0, 0.0
				for _, x := range gap[s/pushGroup*pushGroup : (s/pushGroup+1)*pushGroup] {
					mean -= x / pushGroup
				}
				for k := l.Start[s]; k < l.Start[s+1]; k++ {
					d += l.Logp[k] - l.Old[k]
				}
				logZ, weights = append(logZ, mean), append(weights, math.Exp(d))
			}
			for s, x := range gap {
				sum += weights[s] * (logZ[s] + x) * (logZ[s] + x) / float64(len(gap))
			}
			return sum
		}
	},
}

// pushGroup is the size of groups.
const pushGroup = 6

// pushBatch draws rollouts by a policy, invents their correctness and worth, and moves the policy
// away from the reference, its state before.
func pushBatch(t *testing.T, tr *trainer, o *loss.Function) policies.Batch {
	t.Helper()
	if err := tr.collect(0, nil); err != nil {
		t.Fatal(err)
	}
	b := tr.update
	b.Groups, b.Want, b.Loss, b.Reference = tr.groups, o.Want(), o.Evaluate, tr.policy.Freeze()
	b.Want.Legal = true
	for g := range b.Groups {
		var own []float64
		var right []bool
		for i := range b.Groups[g].Rollouts {
			own, right = append(own, []float64{1.2, -.7, .4, -1, .6, -.5}[(i+g)%pushGroup]), append(right, i%2 == g)
		}
		b.Advantages, b.Correct = append(b.Advantages, own), append(b.Correct, right)
	}
	plain := loss.Function{Ratio: "none", Aggregation: "token-mean", KL: "k3"}
	move := b
	move.Loss, move.Rate, move.Want = plain.Evaluate, .5, policies.Want{}
	if _, err := tr.policy.Update(move); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPushedTokensGoDownTheLoss: a small step of plain descent lowers the loss of SimKO, and of
// FlowRL, by the rate times the squared norm of the gradient; a step of that length along another
// gradient does not. The losses are worked out from the distributions before and after the step, by
// their definitions, under a tabular policy and under transformers, all away from the sampler and
// from the reference.
func TestPushedTokensGoDownTheLoss(t *testing.T) {
	const rate = 1e-3
	for _, kind := range []string{
		"name = \"maze\"\n[policy]\ndemonstrations = 20\n", "name = \"maze\"\n" + exptest.TinyPolicy,
		"name = \"multiplication\"\n" + exptest.TinyPolicy + "legal_mask = true\n",
	} {
		for _, method := range slices.Sorted(maps.Keys(pushed)) {
			s := exptest.Load(t, "push.toml", fmt.Sprintf("seeds = 1\n[env]\n%s[train]\nsteps = 2\nproblems = 2\nbatch = 2\ngroup = %d\nlr = 1.0\noptimizer = \"sgd\"\n[eval]\nk = [1]\nsamples = 2\n[[method]]\nname = %q\n", kind, pushGroup, method))
			p, err := s.Variants[0].Setup()
			if err != nil {
				t.Fatal(err)
			}
			tr, err := newTrainer(t.Context(), p, policyOf(t, p), 3)
			if err != nil {
				t.Fatal(err)
			}
			o := p.Method.Loss
			definition := pushed[method](&o)
			b := pushBatch(t, tr, &o)
			measure := func() float64 {
				l, err := tr.policy.Flatten(b)
				if err != nil {
					t.Fatal(err)
				}
				return definition(l)
			}
			before := measure()
			b.Rate = rate
			stats, err := tr.policy.Update(b)
			if err != nil {
				t.Fatal(err)
			}
			fell, want := before-measure(), rate*stats.GradNorm*stats.GradNorm
			at := fmt.Sprintf("%T, %s", tr.policy, method)
			t.Logf("%s: the loss %v fell by %.4g, its gradient says %.4g", at, before, fell, want)
			if math.Abs(stats.Loss-before) > 1e-5*math.Abs(before) || math.Abs(fell-want) > .02*want || stats.GradNorm < 1e-2 {
				t.Errorf("%s: the loss %v, %v by its definition, fell by %v, want %v", at, stats.Loss, before, fell, want)
			}
		}
	}
}
