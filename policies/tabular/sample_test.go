package tabular_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/distuv"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/tabular"
)

// ways are the ways to draw that the tests go through. No top-p is a sum of
// probabilities, where rounding would decide.
var ways = []struct {
	reason string
	opt    policies.SampleOptions
}{
	{"as the policy is", policies.SampleOptions{Temperature: 1, TopP: 1}},
	{"sharpened", policies.SampleOptions{Temperature: 0.7, TopP: 1}},
	{"flattened", policies.SampleOptions{Temperature: 2.5, TopP: 1}},
	{"a wide nucleus", policies.SampleOptions{Temperature: 1, TopP: 0.93}},
	{"a narrow nucleus of a flattened policy", policies.SampleOptions{Temperature: 1.5, TopP: 0.61}},
	{"a nucleus of one token", policies.SampleOptions{Temperature: 1, TopP: 1e-9}},
	{"greedy, whatever else is asked", policies.SampleOptions{Temperature: -3, TopP: 7, Greedy: true}},
}

// grown returns a policy that has left its prior, and the model of it.
func grown(t testing.TB, sharing string, problems ...envs.Task) (*tabular.Policy, model) {
	p := tabular.New(tabular.Config{Sharing: sharing, Smoothing: 0.3}, sgd(1))
	train(t, p, problems, 0, 30)
	return p, model{delta: trained(t, p), shared: sharing == "shared", temperature: 1}
}

// chiSquare is the p-value of the counts under the distribution; an answer the
// distribution does not have gives 0.
func chiSquare(groups []policies.Group, want []policies.Answer) float64 {
	count, n := map[string]float64{}, 0.0
	for _, g := range groups {
		for _, r := range g.Rollouts {
			count[fmt.Sprint(r.Tokens)]++
			n++
		}
	}
	statistic, seen := 0.0, 0.0
	for _, a := range want {
		c := count[fmt.Sprint(a.Tokens)]
		seen += c
		statistic += (c - n*a.P) * (c - n*a.P) / (n * a.P)
	}
	if seen < n {
		return 0
	}
	if len(want) == 1 {
		return 1
	}
	return distuv.ChiSquared{K: float64(len(want) - 1)}.Survival(statistic)
}

// TestFrequencies: the keys are fixed, so this either passes for ever or fails
// for ever; a p-value below 1e-3 would be bad luck once in 150 versions of it.
func TestFrequencies(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, m := grown(t, "problem", g)
	for _, way := range ways {
		opt := way.opt
		opt.Key = rng.New(5).Str(way.reason)
		groups := sample(t, p, []envs.Task{g}, 20000, opt)
		if got := chiSquare(groups, m.answers(g, opt)); got < 1e-3 {
			t.Errorf("%s: 20000 answers fit their probabilities with a p-value of %g", way.reason, got)
		}
		other := opt
		other.Temperature, other.TopP, other.Greedy = 1.3*opt.Temperature, 1, false
		if opt.Greedy {
			other.Temperature = 1
		}
		if got := chiSquare(groups, m.answers(g, other)); got > 1e-6 {
			t.Errorf("%s: the answers fit another distribution too, p-value %g: the test has no power", way.reason, got)
		}
	}
}

// TestRolloutsSayWhatWasDrawn: the log-probability of each token is that of the
// tempered distribution before the cut, the entropy that of the distribution it
// was drawn from, so after the cut; a greedy choice has 0. The sampler's is that of
// the nucleus, if there is a nucleus. Update gets the same numbers, also if rollouts are
// walked again, and a later call without a cut has no such list.
func TestRolloutsSayWhatWasDrawn(t *testing.T) {
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	for _, sharing := range []string{"problem", "shared"} {
		p, m := grown(t, sharing, one, two)
		for _, way := range ways {
			way.opt.Key = plain(7).Key
			m.temperature = way.opt.Temperature
			if way.opt.Greedy {
				m.temperature = 1
			}
			groups := sample(t, p, []envs.Task{two, one}, 40, way.opt)
			var sampler []float64
			for _, group := range groups {
				for _, r := range group.Rollouts {
					sampler = append(sampler, r.SamplerLogp()...)
				}
			}
			for _, of := range [][]policies.Group{groups, keep(groups)} { // the second is walked
				flat, err := p.Flatten(policies.Batch{Groups: of, Temperature: 1, Want: policies.Want{Sampler: true}})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(flat.Sampler, sampler) {
					t.Errorf("%s: learned from as if drawn with %v, want %v", way.reason, flat.Sampler, sampler)
				}
			}
			for i, group := range groups {
				g := []*priored{two, one}[i]
				if group.Task != envs.Task(g) {
					t.Fatalf("group %d is of problem %s", i, group.Task.ID())
				}
				for _, r := range group.Rollouts {
					if len(r.Logp) != len(r.Tokens) || len(r.Entropy) != len(r.Tokens) {
						t.Fatalf("%d tokens, %d log-probabilities, %d entropies", len(r.Tokens), len(r.Logp), len(r.Entropy))
					}
					for k, state := range g.states(r.Tokens) {
						logp := m.logp(g, state)
						near(t, way.reason+": log-probability", r.Logp[k], logp[g.index(state, r.Tokens[k])], 1e-13)
						prob := make([]float64, len(logp))
						for i, l := range logp {
							prob[i] = math.Exp(l)
						}
						cut := way.opt.TopP < 1
						if r.Sampler == nil == cut {
							t.Fatalf("%s: a rollout has the sampler's log-probabilities %v", way.reason, r.Sampler)
						}
						if cut {
							want := nucleus(prob, way.opt.TopP)[g.index(state, r.Tokens[k])]
							near(t, way.reason+": the sampler's log-probability", r.Sampler[k], math.Log(want), 1e-13)
						}
						h := 0.0
						if !way.opt.Greedy {
							for _, p := range nucleus(prob, way.opt.TopP) {
								if p > 0 {
									h -= p * math.Log(p)
								}
							}
						}
						near(t, way.reason+": entropy", r.Entropy[k], h, 1e-13)
					}
				}
			}
		}
	}
}

// TestGreedyTakesTheLowestOfEquals: and it looks at logits, which no
// temperature reorders.
func TestGreedyTakesTheLowestOfEquals(t *testing.T) {
	for _, c := range []struct {
		reason string
		logits []float64
		want   envs.Token
	}{
		{"all equal", []float64{0, 0, 0, 0}, 0},
		{"two equal and largest, neither first", []float64{-1, 2, 2, 1}, 1},
		{"the last one alone", []float64{0, 0, 0, 1e-9}, 3},
	} {
		g := &priored{flat("flat", 4), func(_ string, a envs.Token) float64 { return c.logits[a] }}
		greedy, p := policies.SampleOptions{Greedy: true}, tabular.New(*tabular.Default(), sgd(1))
		sameAnswers(t, enumerate(t, p, g, greedy), []policies.Answer{{Tokens: []envs.Token{c.want}, P: 1}}, 0)
		for _, r := range sample(t, p, []envs.Task{g}, 3, greedy)[0].Rollouts {
			if !slices.Equal(r.Tokens, []envs.Token{c.want}) {
				t.Errorf("%s: greedy took %v, want %d", c.reason, r.Tokens, c.want)
			}
		}
	}
}

// TestNucleus pins the cut at its edges with probabilities that are exact in
// binary.
func TestNucleus(t *testing.T) {
	for _, c := range []struct {
		reason string
		logits []float64
		topP   float64
		want   []float64
	}{
		{"four equal tokens, half the mass: the two lowest", []float64{0, 0, 0, 0}, 0.5, []float64{0.5, 0.5, 0, 0}},
		{"a hair more than half: three", []float64{0, 0, 0, 0}, 0.5 + 1e-15, []float64{1. / 3, 1. / 3, 1. / 3, 0}},
		{"the least nucleus: one token", []float64{0, 0, 0, 0}, 1e-300, []float64{1, 0, 0, 0}},
		{"the largest below everything: all", []float64{0, 0, 0, 0}, math.Nextafter(1, 0), []float64{0.25, 0.25, 0.25, 0.25}},
		{"ties behind a favourite stand in token order", []float64{0, 5, 0, 0}, 0.985, []float64{-1, -2, 0, 0}},
		{"the likely token comes first wherever it stands", []float64{0, 0, 0, 9}, 0.9, []float64{0, 0, 0, 1}},
	} {
		if c.want[0] == -1 { // computed: e^5 and one of three ones
			e := math.Exp(5)
			c.want = []float64{1 / (1 + e), e / (1 + e), 0, 0}
		}
		g := &priored{flat("flat", 4), func(_ string, a envs.Token) float64 { return c.logits[a] }}
		p := tabular.New(*tabular.Default(), sgd(1))
		got := make([]float64, 4)
		for _, a := range enumerate(t, p, g, policies.SampleOptions{Temperature: 1, TopP: c.topP}) {
			got[a.Tokens[0]] = a.P
		}
		for i := range got {
			near(t, c.reason, got[i], c.want[i], 1e-15)
		}
	}
}

// TestSamplesOfAProblemStandAlone: a problem's rollouts depend on the
// key and on nothing that happens beside them.
func TestSamplesOfAProblemStandAlone(t *testing.T) {
	var problems []envs.Task
	for i := range 4 {
		problems = append(problems, &priored{grammar: branching(fmt.Sprint("p", i), i)})
	}
	p, _ := grown(t, "problem", problems...)
	for _, way := range ways {
		opt := way.opt
		opt.Key = plain(11).Key
		alone := keep(sample(t, p, problems[1:2], 8, opt))[0]
		for _, c := range []struct {
			reason string
			among  []envs.Task
			place  int
		}{
			{"last of four", []envs.Task{problems[2], problems[0], problems[3], problems[1]}, 3},
			{"first of two", problems[1:3], 0},
			{"between itself", []envs.Task{problems[1], problems[1], problems[1]}, 1},
		} {
			got := sample(t, p, c.among, 8, opt)[c.place]
			if d := cmp.Diff(alone.Rollouts, got.Rollouts); d != "" {
				t.Errorf("%s, %s (-alone +beside others):\n%s", way.reason, c.reason, d)
			}
		}
		if d := cmp.Diff(alone.Rollouts[:4], sample(t, p, problems[1:2], 4, opt)[0].Rollouts); d != "" {
			t.Errorf("%s: the first 4 of 8 rollouts are not the 4 of 4 (-of 8 +of 4):\n%s", way.reason, d)
		}
	}
	first := keep(sample(t, p, problems, 8, plain(11)))
	if cmp.Equal(first[0].Rollouts, first[1].Rollouts) {
		t.Error("two problems got the same rollouts")
	}
	if cmp.Equal(first[0].Rollouts, sample(t, p, problems, 8, plain(12))[0].Rollouts) {
		t.Error("two keys gave the same rollouts")
	}
}

// TestSampleBuffers: calls of other sizes between two equal ones leave no trace.
func TestSampleBuffers(t *testing.T) {
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	p, _ := grown(t, "problem", one, two)
	want := keep(sample(t, p, []envs.Task{one, two}, 6, plain(3)))
	for _, c := range []struct {
		reason   string
		problems []envs.Task
		n        int
	}{
		{"the same again", []envs.Task{one, two}, 6},
		{"more rollouts", []envs.Task{one, two}, 50},
		{"fewer rollouts", []envs.Task{one, two}, 2},
		{"fewer problems", []envs.Task{two}, 6},
		{"the problems in the other order", []envs.Task{two, one}, 6},
		{"as many rollouts, otherwise divided", []envs.Task{one, two, one}, 4},
	} {
		sample(t, p, c.problems, c.n, plain(4))
		got := sample(t, p, []envs.Task{one, two}, 6, plain(3))
		if d := cmp.Diff(want, got, cmp.Comparer(func(a, b *priored) bool { return a == b })); d != "" {
			t.Errorf("after a call for %s (-want +got):\n%s", c.reason, d)
		}
	}
}

// TestNoProblems: an empty batch is odd and no mistake.
func TestNoProblems(t *testing.T) {
	p := tabular.New(*tabular.Default(), sgd(1))
	noPanic(t, func() {
		groups, err := p.Sample(nil, 4, plain(1))
		if err != nil || len(groups) != 0 {
			t.Errorf("%d groups, error %v, want neither", len(groups), err)
		}
	})
}

// A valueProblem cannot be compared with ==, as a wrapper that is a struct with
// a slice cannot.
type valueProblem struct {
	*priored
	weights []float64
}

// TestProblemsNeedNotBeComparable: a problem is known by its ID.
func TestProblemsNeedNotBeComparable(t *testing.T) {
	g := valueProblem{&priored{grammar: branching("one", 0)}, []float64{1}}
	p := tabular.New(*tabular.Default(), sgd(1))
	noPanic(t, func() { train(t, p, []envs.Task{g}, 0, 3) })
}

// noPanic turns a panic into an ordinary failure, so that the other tests run.
func noPanic(t testing.TB, f func()) {
	t.Helper()
	defer func() {
		if why := recover(); why != nil {
			t.Errorf("panic: %v", why)
		}
	}()
	f()
}
