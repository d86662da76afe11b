package countdown

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// schools are parameter sets in which all lessons can be listed. Equal numbers are
// common in both.
var schools = []struct {
	name   string
	change func(*Config)
}{
	{"all numbers", func(c *Config) {
		c.Numbers, c.MinNumber, c.MaxNumber, c.TargetMin, c.TargetMax, c.MinModes = 3, 2, 6, 2, 12, 2
	}},
	{"at most once", func(c *Config) {
		c.Numbers, c.MinNumber, c.MaxNumber, c.TargetMin, c.TargetMax, c.MinModes, c.AtMostOnce = 3, 2, 5, 2, 9, 2, true
	}},
}

// rightAnswers lists a problem's right token answers by walking through all.
func rightAnswers(t testing.TB, p *Problem) (out [][]envs.Token) {
	t.Helper()
	var visit func(answer []envs.Token)
	visit = func(answer []envs.Token) {
		c := p.Start()
		for _, token := range answer {
			if err := c.Push(token); err != nil {
				t.Fatal(err)
			}
		}
		if c.Done() && p.Judge(answer).Correct {
			out = append(out, answer)
		}
		for _, token := range c.Legal() {
			visit(append(slices.Clip(answer), token))
		}
	}
	visit(nil)
	return out
}

// allLessons returns the probability of every lesson of one answer: numbers in
// proportion to the ways to draw them, if they belong to pretrain and have targets
// with enough modes, and then each right token answer for any of these targets.
func allLessons(t testing.TB, e *Env) map[string]float64 {
	out, total := map[string]float64{}, 0.0
	c := e.config
	g := newGenerator(e.usual)
	for a := c.MinNumber; a <= c.MaxNumber; a++ {
		for b := a; b <= c.MaxNumber; b++ {
			for d := b; d <= c.MaxNumber; d++ {
				g.numbers = [maxSlots]int16{int16(a), int16(b), int16(d)}
				if g.owner() != envs.Pretrain {
					continue
				}
				ways := map[int]float64{1: 1, 2: 3, 3: 6}[len(slices.Compact([]int{a, b, d}))]
				var lessons []string
				for target := c.TargetMin; target <= c.TargetMax; target++ {
					p := newProblem(e.usual, fmt.Sprintf("pretrain/%d,%d,%d=%d", a, b, d, target), g.numbers, int16(target))
					if len(p.Truth().Modes) < c.MinModes {
						continue
					}
					for _, answer := range rightAnswers(t, p) {
						lessons = append(lessons, fmt.Sprint(p.id, answer))
					}
				}
				for _, l := range lessons {
					out[l] = ways / float64(len(lessons))
				}
				if len(lessons) > 0 {
					total += ways
				}
			}
		}
	}
	for l := range out {
		out[l] /= total
	}
	return out
}

// compare is a chi-square test in standard deviations; counts outside of the
// distribution are an error. It takes the counts away.
func compare(t testing.TB, counts map[string]int, want map[string]float64, n int) {
	t.Helper()
	chi := 0.0
	for l, q := range want {
		d := float64(counts[l]) - float64(n)*q
		chi += d * d / (float64(n) * q)
		delete(counts, l)
	}
	freedom := float64(len(want) - 1)
	if z := (chi - freedom) / math.Sqrt(2*freedom); math.Abs(z) > 4 {
		t.Errorf("chi-square %.1f with %.0f degrees of freedom is %.1f sd off", chi, freedom, z)
	}
	if len(counts) > 0 {
		t.Errorf("%v is drawn, and should not be", counts)
	}
}

// TestLessonDistribution: lessons come as often as the doc comment has it, their
// first answer and any other.
func TestLessonDistribution(t *testing.T) {
	for _, school := range schools {
		t.Run(school.name, func(t *testing.T) {
			e := build(t, school.change)
			want := allLessons(t, e)
			n := 25 * len(want)
			first, second := map[string]int{}, map[string]int{}
			r := rng.New(7).Rand()
			for i := range n {
				p, answers, err := e.Lesson(i, 2, r)
				if err != nil {
					t.Fatal(err)
				}
				first[fmt.Sprint(p.ID(), answers[0])]++
				second[fmt.Sprint(p.ID(), answers[1])]++
			}
			compare(t, first, want, n)
			compare(t, second, want, n)
		})
	}
}

// TestUniform: a search, and its substitute if it would draw too many answers, give each
// right answer as often. Of 2, 2 and 4 some answers take one 2, some two and some leave
// both out, if they may.
func TestUniform(t *testing.T) {
	for _, school := range schools {
		e := build(t, school.change)
		p := newProblem(e.usual, "", [maxSlots]int16{2, 2, 4}, 4)
		right := rightAnswers(t, p)
		want, found, counted := map[string]float64{}, map[string]int{}, map[string]int{}
		for _, answer := range right {
			want[fmt.Sprint(answer)] = 1 / float64(len(right))
		}
		w := writer{generator: newGenerator(e.usual)}
		w.numbers, w.equal = p.numbers, p.equal
		n := 300 * len(right)
		for range n {
			if !w.find(func(v int64) bool { return v == 4 }) {
				t.Fatal("a search finds nothing")
			}
			found[fmt.Sprint(w.tokens())]++
			counted[fmt.Sprint(w.uniform(p))]++
		}
		compare(t, found, want, n)
		compare(t, counted, want, n)
	}
}

// TestLessonsAreOfPretrain: with default parameters lessons are right answers to
// problems with min_modes modes or more, on numbers that neither train nor test
// has, and seldom the same twice (there are 21,159 such problems).
func TestLessonsAreOfPretrain(t *testing.T) {
	e := build(t, nil)
	held := map[[maxSlots]int16]bool{}
	for i := range 300 {
		held[problem(t, e, envs.Train, i).numbers] = true
		held[problem(t, e, envs.Test, i).numbers] = true
	}
	r := rng.New(1).Rand()
	seen, modes := map[string]bool{}, map[envs.Mode]bool{}
	const n = 500
	for i := range n {
		lesson, answers, err := e.Lesson(i, 1, r)
		if err != nil {
			t.Fatal(err)
		}
		p := lesson.(*Problem)
		v := p.Judge(answers[0])
		if !v.Correct || len(p.Truth().Modes) < e.config.MinModes || held[p.numbers] {
			t.Fatalf("lesson %s: answer %s, correct %v; %d modes; numbers held out: %v",
				p.id, p.AnswerText(answers[0]), v.Correct, len(p.Truth().Modes), held[p.numbers])
		}
		if p.target < 10 || p.target > 99 || !slices.IsSorted(p.given()) || !strings.HasPrefix(p.id, "pretrain/") {
			t.Fatalf("lesson %s is no problem of the split", p.id)
		}
		seen[p.id] = true
		modes[v.Mode] = true
	}
	if len(seen) < n*95/100 || len(modes) < n*95/100 {
		t.Errorf("%d lessons have %d problems and %d modes", n, len(seen), len(modes))
	}
}

// TestCountMatchesTruth: the pass over all forms counts the modes that the truth
// lists, for every target.
func TestCountMatchesTruth(t *testing.T) {
	for _, change := range []func(*Config){nil, schools[1].change, func(c *Config) { c.Numbers, c.MaxNumber = 5, 9 }} {
		e := build(t, change)
		g := newGenerator(e.usual)
		g.stream.Seed(1, 2)
		for range 5 {
			g.drawNumbers()
			var modes tallies
			g.count(&modes)
			for target := 1; target <= largest; target += 1 + target/10 {
				p := newProblem(e.usual, "", g.numbers, int16(target))
				if got, want := int(modes[target]), len(p.Truth().Modes); got != want {
					t.Fatalf("numbers %v, target %d: %d modes, the truth has %d", p.given(), target, got, want)
				}
			}
		}
	}
}

func TestNothingToTeach(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Config)
		want   string
	}{
		{"one number three times is one draw, and it belongs to train or test", func(c *Config) {
			c.Numbers, c.MinNumber, c.MaxNumber, c.MinModes = 3, 5, 5, 1
		}, "countdown: no numbers from 5 to 5 belong to split pretrain; a wider range has some that do"},
		{"three numbers have fewer modes", func(c *Config) { c.Numbers, c.MaxNumber, c.MinModes = 3, 9, 1000 },
			"countdown: none of the "},
	} {
		_, _, err := build(t, c.change).Lesson(0, 1, rng.New(1).Rand())
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s...", c.reason, err, c.want)
		}
	}
}
