package polynomial

import (
	"encoding/json"
	"sync"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/rng"
)

// A task is the work of both sides: the first problems of the split train, each with some
// answers of its demonstrator.
type task struct {
	problem *Problem
	Terms   []term   `json:"terms"`
	Answers []string `json:"answers"`
	tokens  [][]envs.Token
}

const (
	benchProblems = 32
	benchAnswers  = 8
)

func tasks(b *testing.B) []task {
	e := build(b, nil)
	var out []task
	for i := range benchProblems {
		p := problem(b, e, envs.Train, i)
		t := task{problem: p, Terms: p.relation.terms()}
		for j := range uint64(benchAnswers) {
			tokens := p.Demonstrate(rng.New(j).Rand())
			t.tokens = append(t.tokens, tokens)
			t.Answers = append(t.Answers, p.AnswerText(tokens))
		}
		out = append(out, t)
	}
	return out
}

var (
	onlyOnce sync.Once
	figures  map[string]float64
)

// baseline runs the plain Python version of the same work once, and gives its figures by
// name; an empty map without Python. The counts of both sides must agree.
func baseline(b *testing.B) map[string]float64 {
	b.Helper()
	onlyOnce.Do(func() {
		all := tasks(b)
		document, err := json.Marshal(all)
		if err != nil {
			b.Fatal(err)
		}
		if figures = envtest.Rates(b, document, "testdata/polynomial_baseline.py"); figures != nil {
			agree(b, all)
		}
	})
	if figures == nil {
		b.Log("no python3: no baseline")
	}
	return figures
}

// agree holds what the baseline counted against the suite's own counts.
func agree(b *testing.B, all []task) {
	b.Helper()
	own := map[string]float64{}
	for _, t := range all {
		truth := t.problem.Truth()
		own["modes"] += float64(len(truth.Modes))
		own["solutions"] += float64(truth.Solutions)
		for _, text := range t.Answers {
			if t.problem.JudgeText(text).Correct {
				own["right"]++
			}
		}
	}
	for name, n := range own {
		if figures[name] != n {
			b.Fatalf("the baseline counts %v %s, the suite %v", figures[name], name, n)
		}
	}
}

// measure runs f as the benchmark and reports its rate in a unit, and how many
// times the baseline's it is.
func measure(b *testing.B, name, unit string, f func(i int)) {
	b.Helper()
	plain := baseline(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		f(i)
		i++
	}
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, unit)
	if plain != nil {
		b.ReportMetric(rate/plain[name], "x-python")
	}
}

func BenchmarkGenerate(b *testing.B) {
	e := build(b, nil)
	measure(b, "problems", "problems/s", func(i int) { problem(b, e, envs.Train, i) })
}

// BenchmarkTruth is the mean over problems: most of it is spent on lines, of which
// some have two hundred thousand pairs.
func BenchmarkTruth(b *testing.B) {
	all := tasks(b)
	measure(b, "truths", "truths/s", func(i int) {
		p := all[i%benchProblems].problem
		p.findTruth, p.truth = sync.Once{}, envs.Truth{}
		p.Truth()
	})
}

func BenchmarkGenerateWithTruth(b *testing.B) {
	e := build(b, nil)
	measure(b, "known", "problems/s", func(i int) { problem(b, e, envs.Train, i%benchProblems).Truth() })
}

func BenchmarkJudge(b *testing.B) {
	all := tasks(b)
	measure(b, "tokens", "answers/s", func(i int) {
		t := &all[i%benchProblems]
		t.problem.Judge(t.tokens[i/benchProblems%benchAnswers])
	})
}

func BenchmarkJudgeText(b *testing.B) {
	all := tasks(b)
	measure(b, "texts", "answers/s", func(i int) {
		t := &all[i%benchProblems]
		t.problem.JudgeText(t.Answers[i/benchProblems%benchAnswers])
	})
}

func BenchmarkDemonstrate(b *testing.B) {
	envtest.Demonstrate(b, problem(b, build(b, nil), envs.Train, 0))
}

func BenchmarkPrior(b *testing.B) {
	p := problem(b, build(b, nil), envs.Train, 0)
	answer := p.Demonstrate(rng.New(1).Rand())
	var dst []float64
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		dst = p.AppendPrior(dst[:0], answer[:i%len(answer)])
		i++
	}
}

// BenchmarkCursor measures the work of sampling at every token: a key, and a step.
func BenchmarkCursor(b *testing.B) {
	p := problem(b, build(b, nil), envs.Train, 0)
	answer := p.Demonstrate(rng.New(1).Rand())
	var key []byte
	b.ReportAllocs()
	for b.Loop() {
		c := p.Start()
		for _, token := range answer {
			key = c.AppendState(key[:0])
			if err := c.Push(token); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(answer))/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkLesson is the rate of demonstrations for a sequence model to learn from.
func BenchmarkLesson(b *testing.B) {
	e := build(b, nil)
	r := rng.New(1).Rand()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, _, err := e.Lesson(i, 1, r); err != nil {
			b.Fatal(err)
		}
	}
}
