package tabular_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/tabular"
)

// slow is the policy without nodes, rows or links: it walks a task's own cursor
// token by token and looks everything up in maps of strings, by the standard
// library's functions.
type slow struct {
	config tabular.Config
	delta  deltas // by checkpoint key
	bases  map[string]func(view string, prefix, legal []envs.Token) []float64
}

func newSlow(config tabular.Config, delta deltas) *slow {
	return &slow{config, delta, map[string]func(string, []envs.Token, []envs.Token) []float64{}}
}

// A spot is the place of a token of a rollout.
type spot struct {
	legal []envs.Token
	index int // of the token
	base  []float64
	keys  []string // of the parameters that are added to the base
}

// base returns the base logits of a problem's views.
func (m *slow) base(problem envs.Problem) func(view string, prefix, legal []envs.Token) []float64 {
	if f := m.bases[problem.ID()]; f != nil {
		return f
	}
	n := m.config.Demonstrations
	known, ok := problem.(envs.Priored)
	f := func(_ string, prefix, _ []envs.Token) []float64 { return known.AppendPrior(nil, prefix) }
	if !ok || n > 0 {
		if n == 0 {
			n = 600
		}
		count := map[string]float64{}
		for i := range n {
			c := problem.Start()
			for _, token := range problem.Demonstrate(rng.New(0).Str("demonstrations").Str(problem.ID()).Int(uint64(i)).Rand()) {
				count[fmt.Sprint(viewOf(c), " ", token)]++
				if err := c.Push(token); err != nil {
					panic(err)
				}
			}
		}
		f = func(view string, _, legal []envs.Token) []float64 {
			var out []float64
			for _, token := range legal {
				out = append(out, math.Log(count[fmt.Sprint(view, " ", token)]+m.config.Smoothing))
			}
			return out
		}
	}
	m.bases[problem.ID()] = f
	return f
}

func viewOf(c envs.Cursor) string {
	if v, ok := c.(envs.Viewer); ok {
		return string(v.AppendView(nil))
	}
	return string(c.AppendState(nil))
}

// look is the view of the cursor at the end of a rollout; token is not used.
func (m *slow) look(task envs.Task, c envs.Cursor, rollout []envs.Token) spot {
	legal := slices.Clone(c.Legal())
	context := ""
	for {
		w, ok := c.(envs.WrapperCursor)
		if !ok {
			break
		}
		context = string(w.AppendContext([]byte(context)))
		inner, before := w.Unwrap()
		c, rollout = inner, rollout[before:]
	}
	problem, view := envs.ProblemOf(task), viewOf(c)
	return spot{legal: legal, base: m.base(problem)(view, rollout, legal), keys: m.keys(problem.ID(), context, view)}
}

// keys are the names in a checkpoint, as its documentation has them.
func (m *slow) keys(id, context, view string) []string {
	alone := "alone " + short7(id) + short7(context) + view
	common := id + "\x00" + view
	if m.config.Sharing == "shared" {
		alone, common = "alone "+short7("")+short7(context)+view, view
	}
	switch {
	case context == "", m.config.Context == tabular.ContextBlind:
		return []string{common}
	case m.config.Context == tabular.ContextIndependent:
		return []string{alone}
	}
	return []string{common, alone}
}

// short7 is a text of less than 128 bytes after its length.
func short7(s string) string { return string(binary.AppendUvarint(nil, uint64(len(s)))) + s }

// spots lists the places of the tokens of a rollout.
func (m *slow) spots(task envs.Task, rollout []envs.Token) []spot {
	var out []spot
	c := task.Start()
	for k, token := range rollout {
		s := m.look(task, c, rollout[:k])
		s.index = slices.Index(s.legal, token)
		if err := c.Push(token); err != nil || s.index < 0 {
			panic(fmt.Sprint("token ", k, " of ", rollout, ": ", err))
		}
		out = append(out, s)
	}
	return out
}

// logp returns the log-probability of each legal token of a spot.
func (m *slow) logp(s spot, temperature float64) []float64 {
	z := slices.Clone(s.base)
	for _, key := range s.keys {
		for i, d := range m.delta[key] {
			z[i] += d
		}
	}
	top, sum := math.Inf(-1), 0.0
	for i := range z {
		z[i] /= temperature
		top = max(top, z[i])
	}
	for _, x := range z {
		sum += math.Exp(x - top)
	}
	for i := range z {
		z[i] -= top + math.Log(sum)
	}
	return z
}

// draw samples one rollout from the uniforms that the policy has to use.
func (m *slow) draw(task envs.Task, number int, opt policies.SampleOptions) policies.Rollout {
	out := policies.Rollout{Number: number}
	var pcg rand.PCG
	opt.Key.Str(task.ID()).Int(uint64(number)).Seed(&pcg)
	for c := task.Start(); !c.Done(); {
		s := m.look(task, c, out.Tokens)
		prob, before, h := m.distribution(s, opt)
		i := slices.Index(prob, slices.Max(prob))
		if !opt.Greedy {
			u := rng.Uniform(&pcg)
			for i = 0; i < len(prob)-1 && u >= prob[i]; i++ {
				u -= prob[i]
			}
		}
		out.Tokens = append(out.Tokens, s.legal[i])
		out.Logp = append(out.Logp, before[i])
		if opt.TopP < 1 && !opt.Greedy {
			out.Sampler = append(out.Sampler, math.Log(prob[i]))
		}
		out.Entropy = append(out.Entropy, h)
		if err := c.Push(s.legal[i]); err != nil {
			panic(err)
		}
	}
	return out
}

// distribution is that of the options at a spot, with the
// log-probabilities before the cut and the entropy after it.
func (m *slow) distribution(s spot, opt policies.SampleOptions) (prob, logp []float64, h float64) {
	if opt.Greedy {
		opt.Temperature = 1
	}
	logp = m.logp(s, opt.Temperature)
	for _, l := range logp {
		prob = append(prob, math.Exp(l))
	}
	if opt.Greedy {
		best := slices.Index(prob, slices.Max(prob))
		clear(prob)
		prob[best] = 1
	} else if opt.TopP < 1 {
		prob = nucleus(prob, opt.TopP)
	}
	for _, p := range prob {
		if p > 0 {
			h -= p * math.Log(p)
		}
	}
	return prob, logp, h
}

// enumerate lists all rollouts of a task in the order of their tokens.
func (m *slow) enumerate(task envs.Task, opt policies.SampleOptions) []policies.Answer {
	var out []policies.Answer
	var visit func(prefix []envs.Token, mass float64)
	visit = func(prefix []envs.Token, mass float64) {
		c := task.Start()
		for _, token := range prefix {
			if err := c.Push(token); err != nil {
				panic(err)
			}
		}
		if c.Done() {
			out = append(out, policies.Answer{Tokens: slices.Clone(prefix), P: mass})
			return
		}
		s := m.look(task, c, prefix)
		prob, _, _ := m.distribution(s, opt)
		for i, p := range prob {
			if p > 0 {
				visit(append(slices.Clone(prefix), s.legal[i]), mass*p)
			}
		}
	}
	visit(nil, 1)
	return out
}

// A protocol is a set of tasks that the tests of contexts go through: chains,
// goals, chains under goals and plain answers, with and without views, priors
// stated and counted.
func protocol(t testing.TB, context string) []envs.Task {
	t.Helper()
	opt := envs.ChainOptions{ByModes: context == tabular.ContextFound}
	goals := envs.GoalWeights(3)
	one, two := &corridor{"one", 4, 0}, &corridor{"two", 5, 3}
	three := &priored{grammar: branching("three", 3)}
	return []envs.Task{
		chain(t, one, 2, opt),
		two,
		envs.NewGoal(two, goals, 1),
		envs.NewGoal(two, goals, 3),
		chain(t, three, 3, opt),
		envs.NewGoal(chain(t, one, 2, opt), goals, 2),
	}
}

func contexts() []string {
	return []string{tabular.ContextAdd, tabular.ContextIndependent, tabular.ContextBlind, tabular.ContextFound}
}

// moved returns a policy that trained on the protocol, and its slow twin.
func moved(t testing.TB, sharing, context string, opt policies.Optimizer) (*tabular.Policy, *slow, []envs.Task) {
	t.Helper()
	config := tabular.Config{Sharing: sharing, Context: context, Smoothing: 0.3}
	p, tasks := tabular.New(config, opt), protocol(t, context)
	train(t, p, tasks, 0, 25)
	return p, newSlow(config, trained(t, p)), tasks
}
