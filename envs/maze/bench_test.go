package maze

import (
	"math"
	"sync"
	"testing"
	"time"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/rng"
)

// The benchmarks print, beside their own speed, how many times faster they are
// than the plain version of the same work in this package's tests, measured in
// the same process. On a busy machine trust the ratio more than the speed.

// seconds is the time of one call: the least mean over ten batches, so that what
// else the machine does disturbs it little.
func seconds(f func(i int)) float64 {
	least := math.Inf(1)
	for range 10 {
		began, n := time.Now(), 0
		for n == 0 || time.Since(began) < 20*time.Millisecond {
			f(n)
			n++
		}
		least = min(least, time.Since(began).Seconds()/float64(n))
	}
	return least
}

// compared runs f as the benchmark, reports how many times longer the baseline
// takes, and returns the seconds that f takes.
func compared(b *testing.B, name string, baseline, f func(i int)) float64 {
	b.Helper()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		f(i)
		i++
	}
	each := seconds(f)
	b.ReportMetric(seconds(baseline)/each, name)
	return each
}

func BenchmarkGenerate(b *testing.B) {
	e := build(b, nil)
	g := &naive{}
	each := compared(b, "x-naive", func(i int) {
		for try := uint64(0); ; try++ {
			g.r = rng.New(1).Int(uint64(i)).Int(try).Rand()
			if _, ok := g.maze(); ok {
				return
			}
		}
	}, func(i int) { problem(b, e, envs.Train, i) })
	b.ReportMetric(1/each, "mazes/s")
}

// some returns problems with their truths not yet known.
func some(b *testing.B, slack int) []*Problem {
	e := build(b, func(c *Config) { c.Slack = slack })
	var out []*Problem
	for i := range 256 {
		out = append(out, problem(b, e, envs.Train, i))
	}
	return out
}

// benchTruth compares the whole truth (modes, front, solutions, a route for each
// vector of the front) with the reference's modes and front.
func benchTruth(b *testing.B, slack int) {
	problems := some(b, slack)
	sheets := make([]sheet, 16)
	for i := range sheets {
		sheets[i] = readSheet(b, problems[i])
	}
	each := compared(b, "x-reference", func(i int) { sheets[i%len(sheets)].slow() }, func(i int) {
		p := problems[i%len(problems)]
		p.findTruth, p.routes = sync.Once{}, nil
		p.Truth()
	})
	b.ReportMetric(each*1e6, "us/maze")
}

func BenchmarkTruth(b *testing.B)        { benchTruth(b, 7) }
func BenchmarkTruthSlack11(b *testing.B) { benchTruth(b, 11) }

func BenchmarkJudge(b *testing.B) {
	p := problem(b, build(b, nil), envs.Train, 0)
	s := readSheet(b, p)
	var answers [][]envs.Token
	var words [][]string
	total := 0
	for i := range 64 {
		answer := p.Demonstrate(rng.New(uint64(i)).Rand())
		answers = append(answers, answer)
		total += len(answer)
		var names []string
		for _, token := range answer {
			names = append(names, moveNames[token])
		}
		words = append(words, names)
	}
	each := compared(b, "x-reference", func(i int) { s.simulate(words[i%64]) }, func(i int) { p.Judge(answers[i%64]) })
	b.ReportMetric(float64(total)/64/each, "tokens/s")
}

func BenchmarkJudgeText(b *testing.B) {
	p := problem(b, build(b, nil), envs.Train, 0)
	text := "I go round. <answer>" + p.AnswerText(p.Demonstrate(rng.New(1).Rand())) + "</answer>"
	b.ReportAllocs()
	for b.Loop() {
		p.JudgeText(text)
	}
}

func BenchmarkDemonstrate(b *testing.B) {
	envtest.Demonstrate(b, problem(b, build(b, nil), envs.Train, 0))
}

// BenchmarkCursor measures the work of sampling at every token: a key, and a step.
func BenchmarkCursor(b *testing.B) {
	p := problem(b, build(b, nil), envs.Train, 0)
	answer := p.Demonstrate(rng.New(1).Rand())
	var view []byte
	b.ReportAllocs()
	for b.Loop() {
		c := p.Start().(envs.Viewer)
		for _, token := range answer {
			view = c.AppendView(view[:0])
			if err := c.Push(token); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(answer))/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkEncoding measures the features that a sequence model reads of a state, the walk
// included.
func BenchmarkEncoding(b *testing.B) {
	e := build(b, nil)
	x, err := envs.NewEncoding(e, envs.Form{Answers: 1})
	if err != nil {
		b.Fatal(err)
	}
	p := problem(b, e, envs.Train, 0)
	route := p.Demonstrate(rng.New(1).Rand())
	var features []int32
	states := 0
	b.ReportAllocs()
	for b.Loop() {
		c, last := p.Start(), envs.Token(-1)
		for i, t := range route {
			features = x.AppendState(features[:0], c, last, i)
			if c.Push(t) != nil {
				b.Fatal("a demonstration is not legal")
			}
			last = t
		}
		states += len(route)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
}

// BenchmarkLesson is the rate of demonstrations for a sequence model to learn from.
func BenchmarkLesson(b *testing.B) {
	e := build(b, nil)
	key := rng.New(1)
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		if _, _, err := envs.Lesson(e, envs.Form{Answers: 1}, key, i); err != nil {
			b.Fatal(err)
		}
	}
}
