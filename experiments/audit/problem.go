package audit

import (
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/exact"
	"modebench/internal/input"
)

const maxArms = 4096

// A problem is a bandit under its softmax base policy: all that the expectation of a step
// depends on.
type problem struct {
	id       string
	verdicts []*envs.Verdict // of every arm
	p        []float64       // its probability
	logp     []float64
	entropy  float64 // of an answer, nats
	greedy   float64 // scalar reward of the likeliest arm
}

func firstProblems(env envs.Env, count int) ([]*problem, error) {
	var out []*problem
	for index := range count {
		drawn, err := env.Problem(envs.Train, index)
		if err != nil {
			return nil, err
		}
		prior, ok := drawn.(envs.Priored)
		if !ok || env.Info().MaxAnswer != 1 {
			return nil, input.Errorf("an audit enumerates all answers, of one token each, as a bandit has them")
		}
		a := &problem{id: drawn.ID()}
		logits := prior.AppendPrior(nil, nil)
		if len(logits) > maxArms {
			return nil, input.Errorf("%d arms, want at most %d to enumerate", len(logits), maxArms)
		}
		a.p = make([]float64, len(logits))
		logZ := exact.Softmax(a.p, logits)
		for arm, l := range logits {
			a.logp = append(a.logp, l-logZ)
			a.entropy -= float64(a.p[arm] * (l - logZ))
			a.verdicts = append(a.verdicts, drawn.Judge([]envs.Token{envs.Token(arm)}))
		}
		likeliest := 0
		for arm, p := range a.p {
			if p > a.p[likeliest] {
				likeliest = arm
			}
		}
		a.greedy = a.verdicts[likeliest].Scalar(env.Info().Weights)
		out = append(out, a)
	}
	return out, nil
}

// perToken returns the token data of a rollout of that many answers. Training starts at the
// reference.
func (a *problem) perToken(answers int) *estimators.PerToken {
	out := &estimators.PerToken{Logprob: make([]float64, answers), Reference: make([]float64, answers)}
	for range answers {
		out.Entropy = append(out.Entropy, a.entropy)
		out.Squares = append(out.Squares, exact.Dot(a.p, a.p))
		out.Legal = append(out.Legal, a.p)
	}
	return out
}

func (a *problem) correct() []float64 {
	out := make([]float64, len(a.verdicts))
	for arm, v := range a.verdicts {
		if v.Correct {
			out[arm] = 1
		}
	}
	return out
}

// draw turns a uniform number into an arm.
func (a *problem) draw(u float64) int {
	for arm, p := range a.p {
		if u < p {
			return arm
		}
		u -= p
	}
	return len(a.p) - 1
}

// compositions counts the ways to share n draws among that many kinds, C(n + kinds - 1, kinds - 1),
// or returns a number above limit if there are more.
func compositions(n, kinds, limit int) int {
	count := 1.0
	for j := 1; j < kinds; j++ {
		count = count * float64(n+j) / float64(j)
		if count > float64(limit)*2 {
			return limit + 1
		}
	}
	return min(int(count+0.5), limit+1)
}

// power is base^n, or a number above limit.
func power(base, n, limit int) int {
	count := 1
	for range n {
		if count *= base; count > limit {
			return limit + 1
		}
	}
	return count
}

// eachCount visits every way to share n draws among kinds of probabilities p, with the chance of
// it: n! / prod c! prod p^c. The counts are overwritten from one visit to the next.
func eachCount(p []float64, n int, visit func(counts []int, chance float64) error) error {
	counts := make([]int, len(p))
	var share func(kind, left int, chance float64) error
	share = func(kind, left int, chance float64) error {
		if kind == len(p)-1 {
			counts[kind] = left
			return visit(counts, float64(chance*exact.PowInt(p[kind], left)))
		}
		ways, power := 1.0, 1.0 // C(left, c) and p^c
		for c := 0; c <= left; c++ {
			counts[kind] = c
			if err := share(kind+1, left-c, float64(chance*float64(ways*power))); err != nil {
				return err
			}
			ways = ways * float64(left-c) / float64(c+1)
			power *= p[kind]
		}
		return nil
	}
	return share(0, n, 1)
}

// eachSequence visits every way to draw n times, in order, as eachCount does.
func eachSequence(p []float64, n int, visit func(drawn []int, chance float64) error) error {
	drawn := make([]int, n)
	var grow func(filled int, chance float64) error
	grow = func(filled int, chance float64) error {
		if filled == n {
			return visit(drawn, chance)
		}
		for kind, q := range p {
			drawn[filled] = kind
			if err := grow(filled+1, float64(chance*q)); err != nil {
				return err
			}
		}
		return nil
	}
	return grow(0, 1)
}

// A kind is one rollout that a policy can give: its answers and how likely it is.
type kind struct {
	arms []int
	p    float64
}

// kinds lists the rollouts of m answers: every order of them, or where the order does not
// matter, the ascending one alone. More than limit are an error.
func (a *problem) kinds(m int, ordered bool, limit int) ([]kind, error) {
	var out []kind
	add := func(arms []int, chance float64) error {
		out = append(out, kind{append([]int(nil), arms...), chance})
		return nil
	}
	if ordered {
		if power(len(a.p), m, limit) > limit {
			return nil, fmt.Errorf("more than %d rollouts", limit)
		}
		return out, eachSequence(a.p, m, add)
	}
	if compositions(m, len(a.p), limit) > limit {
		return nil, fmt.Errorf("more than %d rollouts", limit)
	}
	return out, eachCount(a.p, m, func(counts []int, chance float64) error {
		var arms []int
		for arm, c := range counts {
			for range c {
				arms = append(arms, arm)
			}
		}
		return add(arms, chance)
	})
}

const maxOutcomes = 1_000_000

// gradient is the exact gradient of a target objective in the logits of the problem's
// softmax. An expectation over more than limit outcomes is an error.
func (a *problem) gradient(target estimators.Target, limit int) ([]float64, error) {
	out := make([]float64, len(a.p))
	for _, term := range target.Terms {
		if term.Scores != nil {
			a.addLargest(out, term)
		} else if err := a.addWorth(out, term, limit); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addLargest is for E[largest of n scores]. With the scores' values v_0 < v_1 < ... and
// F_l the chance of at most v_l it is
//
//	v_top - sum over l of (v_(l+1) - v_l) F_l^n
//
// and the gradient of F_l by the logit of arm j is p_j ([score of j <= v_l] - F_l).
func (a *problem) addLargest(dst []float64, term estimators.TargetTerm) {
	values := slices.Clone(term.Scores)
	slices.Sort(values)
	values = slices.Compact(values)
	for l, v := range values[:len(values)-1] {
		below := 0.0
		for arm, s := range term.Scores {
			if s <= v {
				below += a.p[arm]
			}
		}
		factor := float64(term.Weight * (values[l+1] - v) * float64(term.Draws) * exact.PowInt(below, term.Draws-1))
		for arm, s := range term.Scores {
			inside := -below
			if s <= v {
				inside++
			}
			dst[arm] -= float64(factor * a.p[arm] * inside)
		}
	}
}

// addWorth sums over all counts c of n draws: the gradient of E[f] is
// E[f (c - n p)], since log P(c) has the gradient c - n p.
func (a *problem) addWorth(dst []float64, term estimators.TargetTerm, limit int) error {
	if compositions(term.Draws, len(a.p), limit) > limit {
		return fmt.Errorf("the exact gradient of its objective sums over more than %d outcomes", limit)
	}
	return eachCount(a.p, term.Draws, func(counts []int, chance float64) error {
		worth, err := term.Worth(counts)
		if err != nil {
			return err
		}
		factor := float64(term.Weight * worth * chance)
		for arm, c := range counts {
			dst[arm] += float64(factor * (float64(c) - float64(float64(term.Draws)*a.p[arm])))
		}
		return nil
	})
}

// passGradients are the gradients of pass@k of all problems, by k, averaged over problems.
func passGradients(problems []*problem, ks []int) [][]float64 {
	var out [][]float64
	for _, k := range ks {
		var pass []float64
		for _, p := range problems {
			gradient := make([]float64, len(p.p))
			p.addLargest(gradient, estimators.TargetTerm{Weight: 1, Draws: k, Scores: p.correct()})
			for _, x := range gradient {
				pass = append(pass, x/float64(len(problems)))
			}
		}
		out = append(out, pass)
	}
	return out
}

// parallel reports whether the gradients have one direction, up to rounding, which 0 has not.
func parallel(gradients [][]float64) bool {
	for _, g := range gradients[1:] {
		if c := cosineOf(gradients[0], g); c < 1-1e-9 {
			return false
		}
	}
	return true
}

// cosineOf is NaN where one of the two has no direction.
func cosineOf(x, y []float64) float64 {
	lengths := float64(exact.Dot(x, x) * exact.Dot(y, y))
	if lengths == 0 {
		return math.NaN()
	}
	return min(max(exact.Dot(x, y)/math.Sqrt(lengths), -1), 1)
}
