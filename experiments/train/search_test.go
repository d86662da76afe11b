package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
	"modebench/internal/rng"
	"modebench/metrics"
	"modebench/policies"
)

// TestElites: an elite gives way to a better answer of its mode alone, a degenerate answer is no
// elite, and the result with k answers is the best of the first k.
func TestElites(t *testing.T) {
	var best []float64
	var correct []bool
	s := searcher{weights: []float64{1, 2}, best: math.Inf(-1), reached: func(spent int, b float64, c bool) {
		if spent != len(best)+1 {
			t.Errorf("%d answers spent after %d", spent, len(best))
		}
		best, correct = append(best, b), append(correct, c)
	}}
	for i, v := range []envs.Verdict{
		{Mode: "A", Reward: []float64{1, 0}},
		{Mode: "B", Reward: []float64{0, 0.25}},
		{Mode: envs.Degenerate, Reward: []float64{9, 9}},
		{Mode: "A", Reward: []float64{0, 0.5}},                 // as good: the first one stays
		{Mode: "A", Reward: []float64{0, 1}, Correct: true},    // better
		{Mode: "B", Reward: []float64{0.25, 0}, Correct: true}, // worse
	} {
		s.judged(&v, elite{tokens: []envs.Token{envs.Token(i)}})
	}
	if len(s.elites) != 2 || s.elites[0].mode != "A" || s.elites[0].tokens[0] != 4 || s.elites[1].tokens[0] != 1 || s.elites[0].score != 2 {
		t.Errorf("elites %+v", s.elites)
	}
	if want := []float64{1, 1, 27, 27, 27, 27}; !slices.Equal(best, want) {
		t.Errorf("best so far %v, want %v", best, want)
	}
	if want := []bool{false, false, false, false, true, true}; !slices.Equal(correct, want) {
		t.Errorf("correct so far %v, want %v", correct, want)
	}
}

// TestParents: every elite is as likely as any other, and every cut that leaves
// something to draw.
func TestParents(t *testing.T) {
	s := searcher{elites: []elite{{mode: "A", tokens: []envs.Token{1, 1, 1}}, {mode: "B", tokens: []envs.Token{3, 3, 2}, start: 2, number: 1}}}
	counts := map[[2]int]int{}
	const n = 6000
	for i := range n {
		prefix, answers := s.parent(rng.New(3).Int(uint64(i)))
		if (answers == 1) != (len(prefix) == 2 && prefix[0] == 3) {
			t.Fatalf("prefix %v after %d answers", prefix, answers)
		}
		first := 0
		if len(prefix) > 0 {
			first = int(prefix[0])
		}
		counts[[2]int{first, len(prefix)}]++
	}
	for at, want := range map[[2]int]float64{{0, 0}: 1. / 6, {1, 1}: 1. / 6, {1, 2}: 1. / 6, {3, 2}: 1. / 2} {
		if got := float64(counts[at]) / n; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/n) {
			t.Errorf("%v: share %.4f, want %.4f", at, got, want)
		}
	}
	if len(counts) != 4 {
		t.Errorf("counts %v, want no whole parent", counts)
	}
}

const searching = `
seeds = 2
columns = ["search@1", "search@8", "search@64", "search_pass@64", "best@64"]
[env]
name = "maze"
[train]
steps = 4
problems = 8
batch = 8
[eval]
every = 2
k = [1, 4, 8, 64]
samples = 64
enumerate = 0
measure = ["search"]
[[method]]
name = "base"
[[method]]
name = "grpo"
[[method]]
name = "vpo"
`

// TestSearch: a search never loses what it found, begins with answers of the policy's
// own, which are drawn here again one by one, and spends the same whatever runs beside it.
func TestSearch(t *testing.T) {
	spec := exptest.Load(t, "my.toml", searching)
	out := t.TempDir()
	run := trained(t, spec, out)
	again := t.TempDir()
	trained(t, spec, again)
	if d := cmp.Diff(exptest.Tree(t, out), exptest.Tree(t, again)); d != "" {
		t.Errorf("made again it has other records:\n%.500s", d)
	}
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			evals, err := run.Evals(ref)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range evals {
				m := e.Metrics
				if !(m["search@1"] <= m["search@4"] && m["search@4"] <= m["search@8"] && m["search@8"] <= m["search@64"] && m["search@64"] <= 1) || m["search_pass@1"] > m["search_pass@64"] {
					t.Errorf("%s step %d: %v, want more with more answers", v.Label, e.Step, m)
				}
				if v.Label == "base" {
					if want := firstAnswers(t, spec.Variants[0], ref.Seed, 4); math.Abs(m["search@4"]-want) > 1e-12 {
						t.Errorf("seed %d: search@4 is %v, the first four answers of the policy have %v", ref.Seed, m["search@4"], want)
					}
				}
			}
		}
	}
}

// firstAnswers is the best scalar reward among the first n answers of a search, averaged
// over problems.
func firstAnswers(t *testing.T, v *spec.Variant, seed, n int) float64 {
	t.Helper()
	p, err := v.Setup()
	if err != nil {
		t.Fatal(err)
	}
	policy, _, err := (&Bases{}).policy(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for i := range p.Eval.Problems {
		problem, err := p.Env.Problem(envs.Train, i)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(-1)
		for child := range n {
			groups, err := policy.Sample([]envs.Task{problem}, 1, policies.SampleOptions{
				Temperature: 1, TopP: 1,
				Key: rng.New(uint64(seed)).Str("eval").Str("search").Str(problem.ID()).Str("child").Int(uint64(child)),
			})
			if err != nil {
				t.Fatal(err)
			}
			best = max(best, problem.Judge(groups[0].Rollouts[0].Tokens).Scalar(p.Env.Info().Weights))
		}
		total += best
	}
	return total / float64(p.Eval.Problems)
}

// A spy draws from a policy and records its requests and answers.
type spy struct {
	policies.Policy
	prefixes, rollouts [][]envs.Token
}

func (s *spy) Sample(tasks []envs.Task, n int, opt policies.SampleOptions) ([]policies.Group, error) {
	groups, err := s.Policy.Sample(tasks, n, opt)
	s.prefixes = append(s.prefixes, slices.Clone(opt.Prefix))
	s.rollouts = append(s.rollouts, slices.Clone(groups[0].Rollouts[0].Tokens))
	return groups, err
}

// TestSearchOfChains follows a search over chains of three from outside: its first
// answers are drawn whole, its children have what stood before an earlier answer and a
// part of that one, and that is not counted again.
func TestSearchOfChains(t *testing.T) {
	spec := exptest.Load(t, "my.toml", searching)
	p, err := spec.Variants[2].Setup()
	if err != nil {
		t.Fatal(err)
	}
	policy, _, err := (&Bases{}).policy(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	s := &spy{Policy: policy}
	e, err := newEvaluator(t.Context(), p, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	cut, inherited := 0, 0
	for i := range e.prompts {
		q := &e.prompts[i]
		if q.chain == nil {
			t.Fatal("vpo draws no chains")
		}
		s.prefixes, s.rollouts = nil, nil
		table, err := metrics.NewTable(e.options)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.search(table, q, policies.SampleOptions{Temperature: 1, TopP: 1, Key: e.key}); err != nil {
			t.Fatal(err)
		}
		best, spent, found := math.Inf(-1), 0, map[string]float64{}
		for child, rollout := range s.rollouts {
			prefix := s.prefixes[child]
			if spent < searchFirst != (prefix == nil) && len(prefix) > 0 {
				t.Errorf("child %d, after %d answers, begins with %v", child, spent, prefix)
			}
			// Answers before the cut are those that end within the prefix: a cut leaves
			// something of the answer it lies in to draw.
			skip, from := 0, false
			for _, earlier := range s.rollouts[:child] {
				for number, span := range q.chain.Spans(earlier) {
					if span[0] <= len(prefix) && len(prefix) < span[1] && slices.Equal(earlier[:len(prefix)], prefix) {
						skip, from = number, true
					}
				}
			}
			if len(prefix) > 0 {
				cut++
				if !from || !slices.Equal(rollout[:len(prefix)], prefix) {
					t.Errorf("child %d begins with %v, which is no cut through an earlier answer", child, prefix)
				}
			}
			if skip > 0 {
				inherited++
			}
			for number, answer := range q.chain.Split(rollout) {
				if number < skip || spent == 64 {
					continue
				}
				spent++
				best = max(best, q.problem.Judge(answer).Scalar(p.Env.Info().Weights))
				found[fmt.Sprintf("search@%d", spent)] = best
			}
		}
		if spent != 64 {
			t.Errorf("%d answers spent", spent)
		}
		for _, v := range table.Values() {
			if want, ok := found[v.Name]; ok && v.Mean != want {
				t.Errorf("%s is %v, the answers that were paid for have %v", v.Name, v.Mean, want)
			}
		}
	}
	if cut < 50 || inherited < 20 {
		t.Errorf("%d children have a part of an answer, %d whole answers: too few to show anything", cut, inherited)
	}
}

// TestSearchUnderTransformer: a network continues prefixes of chains too, and the
// number of jobs changes no byte.
func TestSearchUnderTransformer(t *testing.T) {
	if testing.Short() {
		t.Skip("what runs at the same time is no other than under TestTransformerRecords")
	}
	text := strings.NewReplacer(
		`name = "maze"`, "name = \"maze\"\n"+strings.Replace(exptest.TinyPolicy, "pretrain_steps = 3", "pretrain_steps = 60", 1), "seeds = 2", "seeds = 1", "64", "16",
		"steps = 4\nproblems = 8\nbatch = 8", "steps = 2\nproblems = 2\nbatch = 2", "every = 2", "every = 2\nproblems = 2",
	).Replace(searching)
	spec := exptest.Load(t, "my.toml", text)
	one, two := t.TempDir(), t.TempDir()
	run := trained(t, spec, one)
	trained(t, spec, two)
	if d := cmp.Diff(exptest.Tree(t, one), exptest.Tree(t, two)); d != "" {
		t.Errorf("one job gives other records than two:\n%.500s", d)
	}
	for _, v := range run.Variants {
		evals, err := run.Evals(v.Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		m := evals[len(evals)-1].Metrics
		if !(m["search@1"] <= m["search@8"] && m["search@8"] <= m["search@16"]) || m["search@16"] <= m["search@1"] {
			t.Errorf("%s: %v, want a search that finds more with more answers", v.Label, m)
		}
	}
}
