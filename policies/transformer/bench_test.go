package transformer

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
)

// A workload is a shape to time: testdata/benchmark.py times PyTorch on the same.
// Prompts and rollouts have a fixed length each, and every position a fixed number
// of features.
type workload struct {
	name                           string
	config                         Config
	vocabulary                     int
	prompt, rollout, sampled       int // positions; tokens trained on; tokens drawn
	promptFeatures, rowFeatures    int // of a position
	batch, problems, ownOfFeatures int
}

var workloads = []workload{
	{"S", Config{Layers: 2, Width: 64, Heads: 4}, 32, 16, 48, 32, 2, 2, 64, 8, 400},
	{"M", Config{Layers: 4, Width: 128, Heads: 4}, 64, 16, 80, 32, 2, 2, 64, 8, 400},
	{"maze", Config{Layers: 2, Width: 32, Heads: 2}, 4, 9, 25, 25, 10, 13, 64, 8, 400},
	{"coins", Config{Layers: 2, Width: 32, Heads: 2}, 13, 6, 5, 5, 8, 10, 256, 16, 400},
	{"countdown", Config{Layers: 2, Width: 32, Heads: 2}, 103, 5, 5, 5, 8, 12, 256, 16, 400},
}

// blank is an environment of a workload's shape, whose problems ask for nothing.
type blank struct {
	envs.Env
	workload
	length int // of answers
}

func (b *blank) Info() envs.Info {
	return envs.Info{Vocabulary: make([]string, b.vocabulary), MaxAnswer: b.length, Components: []string{"none"}}
}

func (b *blank) Features() envs.Features {
	return envs.Features{Count: b.ownOfFeatures, Width: max(b.promptFeatures, b.rowFeatures), Prompt: b.prompt, Tokens: b.vocabulary}
}

type blankProblem struct {
	envs.Problem
	env    *blank
	number int
	legal  []envs.Token
}

func (b *blank) problem(number int) *blankProblem {
	p := &blankProblem{env: b, number: number}
	for j := range b.vocabulary {
		p.legal = append(p.legal, envs.Token(j))
	}
	return p
}

// Problem implements envs.Env.
func (b *blank) Problem(_ envs.Split, number int) (envs.Problem, error) {
	return b.problem(number), nil
}

func (p *blankProblem) ID() string         { return fmt.Sprintf("blank/%d", p.number) }
func (p *blankProblem) Start() envs.Cursor { return &blankCursor{problem: p} }

// AppendPromptFeatures implements envs.DescribedProblem.
func (p *blankProblem) AppendPromptFeatures(dst [][]int32) [][]int32 {
	for i := range p.env.prompt {
		dst = envs.AppendPosition(dst)
		dst[i] = p.env.own(dst[i], p.number+7*i, p.env.promptFeatures)
	}
	return dst
}

// own appends n features.
func (b *blank) own(dst []int32, from, n int) []int32 {
	for j := range n {
		dst = append(dst, int32((13*from+29*j)%b.ownOfFeatures))
	}
	return dst
}

type blankCursor struct {
	problem *blankProblem
	at      int
}

func (c *blankCursor) AppendState(dst []byte) []byte { return append(dst, byte(c.at)) }
func (c *blankCursor) Done() bool                    { return c.at == c.problem.env.length }
func (c *blankCursor) Push(envs.Token) error         { c.at++; return nil }

func (c *blankCursor) Legal() []envs.Token {
	if c.Done() {
		return nil
	}
	return c.problem.legal
}

// AppendFeatures implements envs.DescribedCursor. An encoding adds the last token
// and the place.
func (c *blankCursor) AppendFeatures(dst []int32) []int32 {
	return c.problem.env.own(dst, c.at, c.problem.env.rowFeatures-2)
}

// policy makes one for answers of a length.
func (w workload) policy(b *testing.B, length int) (*Policy, *blank) {
	b.Helper()
	env := &blank{workload: w, length: length}
	encoding, err := envs.NewEncoding(env, envs.Form{Answers: 1})
	if err != nil {
		b.Fatal(err)
	}
	p, err := New(b.Context(), w.config, policies.DefaultOptimizer(), encoding)
	if err != nil {
		b.Fatal(err)
	}
	return p, env
}

// timeEach times every call by itself: on a machine that does other things too, the
// least and the median vary less than the mean.
func timeEach(b *testing.B, call func()) {
	b.Helper()
	call() // makes room
	var times []float64
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		call()
		times = append(times, float64(time.Since(start).Nanoseconds())/1e6)
	}
	slices.Sort(times)
	b.ReportMetric(times[0], "min-ms")
	b.ReportMetric(times[len(times)/2], "median-ms")
}

// BenchmarkTrain times a step of pre-training: encoding, forward, loss, backward,
// clipping and AdamW.
func BenchmarkTrain(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			p, env := w.policy(b, w.rollout)
			p.opt = pretraining
			r := rng.New(1).Rand()
			var batch []work
			for i := range w.batch {
				tokens := make([]envs.Token, w.rollout)
				for k := range tokens {
					tokens[k] = envs.Token(r.IntN(w.vocabulary))
				}
				batch = append(batch, work{task: env.problem(i), group: i, tokens: tokens})
			}
			timeEach(b, func() {
				if _, err := p.imitate(b.Context(), batch, 1e-3); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkSample times rollouts of a few problems, from the prompts to the last
// token, with their log-probabilities and entropies.
func BenchmarkSample(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			p, env := w.policy(b, w.sampled)
			w.sampling(b, p, env)
		})
	}
}

// sampling times it.
func (w workload) sampling(b *testing.B, p *Policy, env *blank) {
	var tasks []envs.Task
	for i := range w.problems {
		tasks = append(tasks, env.problem(i))
	}
	opt := policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(2)}
	timeEach(b, func() {
		groups, err := p.Sample(tasks, w.batch/w.problems, opt)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(groups[0].Rollouts[0].Tokens); n != w.sampled {
			b.Fatalf("a rollout of %d tokens, want %d", n, w.sampled)
		}
	})
}

// noSlots keeps no keys and values.
type noSlots struct{ stepper }

func (noSlots) beginSlot(*unit, int, int)       {}
func (noSlots) copySlot(*unit, int, int, *line) {}

// BenchmarkLanes times what is done on the processor for the lanes of a card: encoding
// the rows of a step and drawing from their distributions. times is how much longer one
// goroutine takes, of the least of each.
func BenchmarkLanes(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			p, env := w.policy(b, w.sampled)
			opt := policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(2)}
			groups := []policies.Group{{Task: env.problem(0), Rollouts: make([]policies.Rollout, mostLanes)}}
			var u unit
			u.space.p = slices.Repeat([]float32{1 / float32(w.vocabulary)}, mostLanes*w.vocabulary)
			u.space.logp = slices.Repeat([]float32{-3}, mostLanes*w.vocabulary)
			draw := func() time.Duration {
				u.deal(p, groups, shares{1, 1}, 0, mostLanes, &opt)
				start := time.Now()
				for {
					if err := cmp.Or(u.fill(p, noSlots{}), u.encode(p)); err != nil {
						b.Fatal(err)
					}
					if len(u.live) == 0 {
						break
					}
					if err := u.choose(p, &opt); err != nil {
						b.Fatal(err)
					}
				}
				return time.Since(start)
			}
			draw() // makes room
			one, all := time.Hour, time.Hour
			for b.Loop() {
				threads := runtime.GOMAXPROCS(1)
				one = min(one, draw())
				runtime.GOMAXPROCS(threads)
				all = min(all, draw())
			}
			b.ReportMetric(float64(all.Nanoseconds())/float64(w.sampled)/1e3, "min-step-us")
			b.ReportMetric(one.Seconds()/all.Seconds(), "times")
		})
	}
}

// BenchmarkCells times several cells of a run, each with a draw and a step of learning: one cell
// after the other, each on all processors, and all at the same time, as --jobs has them. times is
// how much longer the first takes, of the least of each, for a number of cells a processor.
func BenchmarkCells(b *testing.B) {
	for _, w := range workloads {
		for _, each := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/%d-a-processor", w.name, each), func(b *testing.B) {
				cells := make([]func() error, each*runtime.GOMAXPROCS(0))
				for i := range cells {
					p, env := w.policy(b, w.sampled)
					p.opt = pretraining
					var tasks []envs.Task
					for i := range w.problems {
						tasks = append(tasks, env.problem(i))
					}
					cells[i] = func() error {
						groups, err := p.Sample(tasks, w.batch/w.problems, policies.SampleOptions{Temperature: 1, TopP: 1, Key: rng.New(2)})
						var batch []work
						for g := range groups {
							for _, r := range groups[g].Rollouts {
								batch = append(batch, work{task: groups[g].Task, group: g, tokens: r.Tokens})
							}
						}
						if err == nil {
							_, err = p.imitate(b.Context(), batch, 1e-3)
						}
						return err
					}
				}
				after := func() time.Duration {
					start := time.Now()
					for _, cell := range cells {
						if err := cell(); err != nil {
							b.Fatal(err)
						}
					}
					return time.Since(start)
				}
				together := func() time.Duration {
					failed := make([]error, len(cells))
					var running sync.WaitGroup
					start := time.Now()
					for i, cell := range cells {
						running.Go(func() { failed[i] = cell() })
					}
					running.Wait()
					if err := cmp.Or(failed...); err != nil {
						b.Fatal(err)
					}
					return time.Since(start)
				}
				after() // makes room
				one, all := time.Hour, time.Hour
				for b.Loop() {
					one, all = min(one, after()), min(all, together())
				}
				b.ReportMetric(float64(len(cells))/all.Seconds(), "cells/s")
				b.ReportMetric(one.Seconds()/all.Seconds(), "times")
			})
		}
	}
}
