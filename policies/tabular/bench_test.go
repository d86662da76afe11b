package tabular_test

import (
	"fmt"
	"runtime"
	"testing"

	"modebench/envs"
	"modebench/envs/maze"
	"modebench/policies"
	"modebench/policies/tabular"
)

func mazes(tb testing.TB, n int) []envs.Problem {
	tb.Helper()
	env, err := maze.Default().Build()
	if err != nil {
		tb.Fatal(err)
	}
	var out []envs.Problem
	for i := range n {
		p, err := env.Problem(envs.Train, i)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func chain(tb testing.TB, p envs.Problem, m int, opt envs.ChainOptions) *envs.Chain {
	tb.Helper()
	c, err := envs.NewChain(p, m, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// A steps is a policy in training without an environment to judge it: groups of
// 8, advantages of mean zero, and a rate so small that the policy stays as
// diverse as it began, which is the most work there is.
type steps struct {
	policy *tabular.Policy
	tasks  []envs.Task
	batch  policies.Batch
	opt    policies.SampleOptions
	number uint64
}

func newSteps(config tabular.Config, tasks []envs.Task) *steps {
	optimizer := policies.DefaultOptimizer()
	optimizer.LR = 1e-4
	s := &steps{policy: tabular.New(config, optimizer), tasks: tasks, opt: plain()}
	s.batch = policies.Batch{Loss: reinforce, Temperature: 1}
	for range tasks {
		s.batch.Advantages = append(s.batch.Advantages, []float64{1, -1, 1, -1, 1, -1, 1, -1})
	}
	return s
}

// step returns the number of tokens it sampled and learnt from.
func (s *steps) step(tb testing.TB) int {
	opt := s.opt
	opt.Key = opt.Key.Int(s.number)
	s.number++
	groups := sample(tb, s.policy, s.tasks, 8, opt)
	s.batch.Groups = groups
	if _, err := s.policy.Update(s.batch); err != nil {
		tb.Fatal(err)
	}
	tokens := 0
	for _, g := range groups {
		for _, r := range g.Rollouts {
			tokens += len(r.Tokens)
		}
	}
	return tokens
}

// BenchmarkBandit times sampling and updating where an answer is one token.
func BenchmarkBandit(b *testing.B) {
	s := newSteps(*tabular.Default(), asTasks(banditProblems(b, 1)))
	b.ReportAllocs()
	for b.Loop() {
		s.step(b)
	}
}

// BenchmarkMazeTokens times sampling and updating on twenty mazes once most of
// their states are known. The target is 1,000,000 tokens a second, with
// judging.
func BenchmarkMazeTokens(b *testing.B) {
	for _, m := range []int{1, 3} {
		for _, context := range []string{tabular.ContextAdd, tabular.ContextIndependent, tabular.ContextBlind} {
			if m == 1 && context != tabular.ContextAdd {
				continue // all are the same
			}
			b.Run(fmt.Sprintf("answers=%d,%s", m, context), func(b *testing.B) {
				var tasks []envs.Task
				for _, p := range mazes(b, 20) {
					if m == 1 {
						tasks = append(tasks, p)
						continue
					}
					tasks = append(tasks, chain(b, p, m, envs.ChainOptions{}))
				}
				config := *tabular.Default()
				config.Context = context
				s := newSteps(config, tasks)
				for range 300 {
					s.step(b)
				}
				b.ReportAllocs()
				tokens := 0
				for b.Loop() {
					tokens += s.step(b)
				}
				b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}

// BenchmarkPrior times what a cell pays before its first step: counting the
// demonstrations of a maze, and of that what only drawing them takes.
func BenchmarkPrior(b *testing.B) {
	problem := mazes(b, 1)[0]
	b.Run("count", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p := tabular.New(*tabular.Default(), policies.DefaultOptimizer())
			sample(b, p, []envs.Task{problem}, 1, plain())
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*demonstrated(problem)), "ns/token")
	})
	b.Run("draw", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			demonstrated(problem)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*demonstrated(problem)), "ns/token")
	})
}

// demonstrated is the number of tokens that the prior is counted from.
func demonstrated(p envs.Problem) int {
	n := 0
	for i := range 600 {
		n += len(p.Demonstrate(plain(uint64(i)).Key.Rand()))
	}
	return n
}

// BenchmarkMemory reports how much a maze's tables grow with the states that rollouts meet.
func BenchmarkMemory(b *testing.B) {
	for _, c := range []struct {
		m       int
		byModes bool
	}{{1, false}, {3, false}, {3, true}} {
		b.Run(fmt.Sprintf("answers=%d,by-modes=%v", c.m, c.byModes), func(b *testing.B) {
			for b.Loop() {
				var tasks []envs.Task
				for _, p := range mazes(b, 20) {
					tasks = append(tasks, chain(b, p, c.m, envs.ChainOptions{ByModes: c.byModes}))
				}
				before := heap()
				s := newSteps(*tabular.Default(), tasks)
				for range 600 {
					s.step(b)
				}
				nodes, rows := s.policy.Size()
				b.ReportMetric((float64(heap())-float64(before))/20, "B/maze")
				b.ReportMetric(float64(s.policy.NodeBytes())/20, "B-nodes/maze")
				runtime.KeepAlive(s)
				b.ReportMetric(float64(nodes)/20, "nodes/maze")
				b.ReportMetric(float64(rows)/20, "rows/maze")
			}
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
