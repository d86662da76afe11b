package transformer

import (
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/polynomial"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device"
)

// countsRows counts the rows that the network makes distributions of.
type countsRows struct {
	device.Kernels
	rows *int
}

func (c countsRows) LogSoftmax(p, logp, z []float32, ld, rows, n int, scale float32) {
	*c.rows += rows
	c.Kernels.LogSoftmax(p, logp, z, ld, rows, n, scale)
}

// TestEachPrefixOnce: a prefix that rollouts of a task share takes one row, however few lines are under way
// at a time, and the rollouts are those that are drawn one by one.
func TestEachPrefixOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	w := chains(t)
	tasks := w.tasks(t, 3)
	const n = 40
	for _, masked := range []bool{false, true} {
		p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask = masked })
		rows := 0
		p.kernels = countsRows{p.kernels, &rows}
		for _, opt := range []policies.SampleOptions{
			{Temperature: 0.5, TopP: 1, Key: rng.New(5)},
			{Temperature: 0.8, TopP: 0.9, Bits: 8, Key: rng.New(6)},
			{Greedy: true},
		} {
			var u unit
			draw := func(groups []policies.Group, by shares, lanes int) {
				for i := range by.count(len(groups)) {
					u.deal(p, groups, by, i, lanes, &opt)
					if err := u.draw(p, p.weights, &opt); err != nil {
						t.Fatal(err)
					}
				}
			}
			empty := func() (groups []policies.Group) {
				for _, task := range tasks {
					groups = append(groups, policies.Group{Task: task, Rollouts: make([]policies.Rollout, n)})
				}
				return groups
			}
			alone := empty()
			draw(alone, shares{1, n}, 1)
			prefixes, tokens := map[string]bool{}, 0
			for g := range alone {
				for _, r := range alone[g].Rollouts {
					tokens += len(r.Tokens)
					key := []byte{byte(g)}
					for _, token := range r.Tokens {
						prefixes[string(key)] = true
						key = append(key, byte(token))
					}
				}
			}
			if rows != tokens || len(prefixes)*3/2 > tokens {
				t.Errorf("%d rows for %d tokens drawn alone, %d prefixes: want as many rows as tokens, and prefixes that are shared", rows, tokens, len(prefixes))
			}
			for _, lanes := range []int{1, 2, 7, lanesAtOnce, mostLanes} {
				rows = 0
				together := empty()
				draw(together, shares{2, 1}, lanes)
				if rows != len(prefixes) {
					t.Errorf("%d lanes: %d rows, want one for each of the %d prefixes", lanes, rows, len(prefixes))
				}
				for g := range alone {
					if !slices.EqualFunc(alone[g].Rollouts, together[g].Rollouts, func(a, b policies.Rollout) bool { return cmp.Equal(a, b) }) {
						t.Errorf("masked %v, %+v, %d lanes, task %d: other rollouts (-alone +together):\n%.500s", masked, opt, lanes, g, cmp.Diff(alone[g].Rollouts, together[g].Rollouts))
					}
				}
			}
			rows = 0
		}
	}
}

// TestPromptsOfAllLengths: the room for keys and values that one call leaves to the next suits prompts of any
// length, and any number of lines.
func TestPromptsOfAllLengths(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	e, err := polynomial.Default().Build()
	w := worldOf(t, e, err, envs.Form{Answers: 1})
	tasks := w.tasks(t, 60)
	rows := func(task envs.Task) int { return len(w.encoding.AppendPrompt(nil, task)) }
	slices.SortFunc(tasks, func(a, b envs.Task) int { return rows(a) - rows(b) })
	short, long := tasks[0], tasks[len(tasks)-1]
	if rows(short) == rows(long) {
		t.Fatalf("all prompts have %d rows", rows(short))
	}
	p := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask = true })
	opt := policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(3)}
	sample(t, p, []envs.Task{long}, 1, policies.SampleOptions{Greedy: true})
	sample(t, p, []envs.Task{short}, lanesAtOnce, opt)
	got := sample(t, p, []envs.Task{long}, 200, opt)
	want := sample(t, w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask = true }), []envs.Task{long}, 200, opt)
	if d := cmp.Diff(want[0].Rollouts, got[0].Rollouts); d != "" {
		t.Errorf("after other calls (-want +got):\n%.500s", d)
	}
}
