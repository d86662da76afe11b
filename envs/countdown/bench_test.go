package countdown

import (
	"fmt"
	"sync"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/rng"
)

// The benchmarks print, beside their own rate, how many times that of plain Python
// it is (testdata/countdown_baseline.py does the same work), measured in the same
// run. SPEC: 10,000 problems with all modes known a second, 500,000 text answers
// and 1,000,000 token answers judged.

var (
	runPython sync.Once
	rates     map[string]float64 // of the baseline, by task; nil without Python
)

// python runs the baseline once.
func python(b *testing.B) map[string]float64 {
	b.Helper()
	runPython.Do(func() { rates = envtest.Rates(b, nil, "testdata/countdown_baseline.py") })
	return rates
}

// report gives the rate of a benchmark that has done the given number of things, and how
// many times the baseline's rate of a task that is.
func report(b *testing.B, done int, unit, task string) {
	b.Helper()
	rate := float64(done) / b.Elapsed().Seconds()
	b.ReportMetric(rate, unit)
	if task == "" {
		return
	}
	if rates := python(b); rates != nil {
		b.ReportMetric(rate/rates[task], "x-python")
	}
}

func benchmarkGenerate(b *testing.B, task string, use func(p *Problem)) {
	e := build(b, nil)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		use(problem(b, e, envs.Pretrain, i))
	}
	report(b, b.N, "problems/s", task)
}

func BenchmarkGenerate(b *testing.B) {
	benchmarkGenerate(b, "problems", func(*Problem) {})
}

// BenchmarkGenerateTruth is the rate of problems with all modes known.
func BenchmarkGenerateTruth(b *testing.B) {
	benchmarkGenerate(b, "problems", func(p *Problem) { p.Truth() })
}

// BenchmarkGenerateDemonstrate is the rate at which fresh problems can be shown
// with an answer, as pre-training takes them.
func BenchmarkGenerateDemonstrate(b *testing.B) {
	r := rng.New(1).Rand()
	benchmarkGenerate(b, "", func(p *Problem) { p.Demonstrate(r) })
}

// some returns problems of which nothing is known yet.
func some(b *testing.B) []*Problem {
	e := build(b, nil)
	var out []*Problem
	for i := range 256 {
		out = append(out, problem(b, e, envs.Train, i))
	}
	return out
}

// again is a problem as if it had just been drawn.
func again(p *Problem) *Problem { return newProblem(p.shape, p.id, p.numbers, p.target) }

func BenchmarkTruth(b *testing.B) {
	problems := some(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		again(problems[i%len(problems)]).Truth()
	}
	report(b, b.N, "truths/s", "truths")
}

// answered is an answer to judge, in both forms.
type answered struct {
	problem *Problem
	tokens  []envs.Token
	text    string
}

// batches returns answers as a step of training meets them: eight samples of the
// demonstrator for each of 256 problems.
func batches(b *testing.B) []answered {
	var out []answered
	for _, p := range some(b) {
		for i := range 8 {
			tokens := p.Demonstrate(rng.New(uint64(i)).Rand())
			out = append(out, answered{p, tokens, p.AnswerText(tokens)})
		}
	}
	return out
}

// benchmarkJudge judges the answers in turn. Warm, the 2048 answers come again and
// again, so that after the first pass no mode is worked out: the rate of a training
// whose policy repeats itself. Cold, each problem is fresh before its eight answers,
// so that nearly every mode is worked out. Python keeps nothing, so its rate is held
// against the cold one.
func benchmarkJudge(b *testing.B, cold bool, task string, judge func(p *Problem, a *answered)) {
	answers := batches(b)
	b.ReportAllocs()
	var p *Problem
	for i := 0; b.Loop(); i++ {
		a := &answers[i%len(answers)]
		switch {
		case !cold:
			p = a.problem
		case i%8 == 0:
			p = again(a.problem)
		}
		judge(p, a)
	}
	report(b, b.N, "answers/s", task)
}

func judgeTokens(p *Problem, a *answered) { p.Judge(a.tokens) }

func judgeText(p *Problem, a *answered) { p.JudgeText(a.text) }

func BenchmarkJudge(b *testing.B) { benchmarkJudge(b, false, "", judgeTokens) }

func BenchmarkJudgeFirst(b *testing.B) { benchmarkJudge(b, true, "tokens", judgeTokens) }

func BenchmarkJudgeText(b *testing.B) { benchmarkJudge(b, false, "", judgeText) }

func BenchmarkJudgeTextFirst(b *testing.B) { benchmarkJudge(b, true, "texts", judgeText) }

// BenchmarkCursor measures the work of sampling at every token: a key, and a step.
func BenchmarkCursor(b *testing.B) {
	answers := batches(b)
	var view []byte
	tokens := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a := &answers[i%len(answers)]
		c := a.problem.Start().(envs.Viewer)
		for _, t := range a.tokens {
			view = c.AppendView(view[:0])
			if len(c.Legal()) == 0 || c.Push(t) != nil {
				b.Fatal("a demonstration is not legal")
			}
			tokens++
		}
	}
	report(b, tokens, "tokens/s", "")
}

// BenchmarkLesson is the rate of demonstrations for a sequence model to learn from.
func BenchmarkLesson(b *testing.B) {
	for _, n := range []int{1, 3} {
		b.Run(fmt.Sprint(n, " answers"), func(b *testing.B) {
			e := build(b, nil)
			r := rng.New(1).Rand()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, _, err := e.Lesson(i, n, r); err != nil {
					b.Fatal(err)
				}
			}
			report(b, b.N, "lessons/s", "")
		})
	}
}

// BenchmarkFeatures measures the features that a sequence model reads of a state.
func BenchmarkFeatures(b *testing.B) {
	answers := batches(b)
	var features []int32
	tokens := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a := &answers[i%len(answers)]
		c := a.problem.Start().(*cursor)
		for _, t := range a.tokens {
			for range 16 { // of the walk, features are then most
				features = c.AppendFeatures(features[:0])
				tokens++
			}
			if c.Push(t) != nil {
				b.Fatal("a demonstration is not legal")
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(tokens), "ns/state")
}
