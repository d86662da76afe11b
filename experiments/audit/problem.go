package audit

import (
	"fmt"

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
