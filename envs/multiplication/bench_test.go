package multiplication

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/rng"
)

// The benchmarks print, beside their own rate, how many times the rate is of a
// plain Python implementation of the same work (testdata/multiplication_baseline.py)
// on the same answers, measured in the same run. The targets are 1,000,000 token
// answers a second and as many text answers as can be had.

// A workload is the work of both implementations.
type workload struct {
	problems []*Problem
	texts    [][]string
	tokens   [][][]envs.Token
}

// demonstrations are 2048 answers to the first problems of the split train: as in
// training, and unlike new variants without end, most repeat a variant of their
// problem, which the judge remembers.
func demonstrations(tb testing.TB) workload {
	const problems, each = 16, 128
	var w workload
	e := build(tb, nil)
	for i := range problems {
		p := problem(tb, e, envs.Train, i)
		w.problems = append(w.problems, p)
		var texts []string
		var tokens [][]envs.Token
		for j := range each {
			answer := p.Demonstrate(rng.New(5).Int(uint64(i)).Int(uint64(j)).Rand())
			tokens, texts = append(tokens, answer), append(texts, p.AnswerText(answer))
		}
		w.texts, w.tokens = append(w.texts, texts), append(w.tokens, tokens)
	}
	return w
}

// baseline is the output of the Python implementation: rates per second, and its judgement
// of the workload's answers.
type baseline struct {
	Problems  float64            `json:"problems"`
	WithTruth float64            `json:"with_truth"`
	Truths    float64            `json:"truths"`
	Texts     float64            `json:"texts"`
	Tokens    float64            `json:"tokens"`
	Rewards   [][]float64        `json:"rewards"`
	Variants  []string           `json:"variants"`
	Families  []map[string]int64 `json:"families"`
}

var (
	runPython sync.Once
	python    baseline // zero without Python
)

// runBaseline runs the Python implementation on the workload.
func runBaseline(tb testing.TB, w workload) baseline {
	tb.Helper()
	runPython.Do(func() {
		var doc struct {
			Problems []map[string]any `json:"problems"`
		}
		for i, p := range w.problems {
			doc.Problems = append(doc.Problems, map[string]any{"a": p.a, "b": p.b, "texts": w.texts[i], "tokens": w.tokens[i]})
		}
		input, err := json.Marshal(doc)
		if err != nil {
			tb.Fatal(err)
		}
		out := envtest.Python(tb, input, "testdata/multiplication_baseline.py")
		if out == nil {
			return
		}
		if err := json.Unmarshal(out, &python); err != nil {
			tb.Fatalf("the baseline printed %.80q: %v", out, err)
		}
		w.compare(tb, python)
	})
	return python
}

// compare holds the judge against the baseline's.
func (w workload) compare(tb testing.TB, b baseline) {
	at := 0
	for i, p := range w.problems {
		for _, text := range w.texts[i] {
			if v := p.JudgeText(text); !cmp.Equal(v.Reward, b.Rewards[at]) || v.Variant != b.Variants[at] {
				tb.Fatalf("%s: reward %v and variant %q; the baseline says %v and %q", text, v.Reward, v.Variant, b.Rewards[at], b.Variants[at])
			}
			at++
		}
		families := map[string]int64{}
		for _, f := range p.Fields()["families"].([]family) {
			families[string(f.Mode)] = *f.Variants
		}
		if d := cmp.Diff(b.Families[i], families); d != "" {
			tb.Fatalf("%d*%d: families (-baseline +got):\n%s", p.a, p.b, d)
		}
	}
}

// report times f, called with 0, 1, 2, ..., as things a second.
func report(b *testing.B, unit string, slow float64, f func(i int)) {
	b.Helper()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		f(i)
		i++
	}
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, unit)
	if slow > 0 {
		b.ReportMetric(rate/slow, "x-python")
	}
}

func BenchmarkProblem(b *testing.B) {
	e := build(b, nil)
	report(b, "problems/s", runBaseline(b, demonstrations(b)).Problems, func(i int) { problem(b, e, envs.Train, i) })
}

func BenchmarkProblemWithTruth(b *testing.B) {
	e := build(b, nil)
	report(b, "problems/s", runBaseline(b, demonstrations(b)).WithTruth, func(i int) { problem(b, e, envs.Train, i).Truth() })
}

func BenchmarkTruth(b *testing.B) {
	w := demonstrations(b)
	report(b, "truths/s", runBaseline(b, w).Truths, func(i int) {
		p := w.problems[i%len(w.problems)]
		p.truth = envs.Truth{}
		p.computeTruth()
	})
}

func BenchmarkJudge(b *testing.B) {
	w := demonstrations(b)
	report(b, "answers/s", runBaseline(b, w).Tokens, func(i int) {
		k := i % len(w.problems)
		w.problems[k].Judge(w.tokens[k][i/16%128])
	})
}

func BenchmarkJudgeText(b *testing.B) {
	w := demonstrations(b)
	report(b, "answers/s", runBaseline(b, w).Texts, func(i int) {
		k := i % len(w.problems)
		w.problems[k].JudgeText(w.texts[k][i/16%128])
	})
}

func BenchmarkDemonstrate(b *testing.B) {
	envtest.Demonstrate(b, problem(b, build(b, nil), envs.Train, 0))
}

// BenchmarkCursor measures the work of sampling at every token: a view, and a step.
func BenchmarkCursor(b *testing.B) {
	w := demonstrations(b)
	var view []byte
	total := 0
	for i := 0; b.Loop(); i++ {
		c := w.problems[0].Start().(envs.Viewer)
		for _, token := range w.tokens[0][i%16] {
			view = c.AppendView(view[:0])
			if err := c.Push(token); err != nil {
				b.Fatal(err)
			}
		}
		total += len(w.tokens[0][i%16])
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkStates measures the work of a tabular policy once for every new state.
func BenchmarkStates(b *testing.B) {
	w := demonstrations(b)
	var key []byte
	total := 0
	for i := 0; b.Loop(); i++ {
		c := w.problems[0].Start()
		for _, token := range w.tokens[0][i%16] {
			key = c.AppendState(key[:0])
			if err := c.Push(token); err != nil {
				b.Fatal(err)
			}
		}
		total += len(w.tokens[0][i%16])
	}
	b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "tokens/s")
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
