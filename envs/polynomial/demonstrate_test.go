package polynomial

import (
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// A crowd has statistics of demonstrations, on the average over problems.
type crowd struct {
	pass1, pass64 float64 // share of right answers; of problems with one among 64
	distinct      float64 // distinct right pairs among 64
	entropy       float64 // of the modes among 64, right or wrong, in nats
	modes         float64 // in the truth
}

func observe(t testing.TB, e *Env, split envs.Split, problems int) crowd {
	const each = 64
	var sum crowd
	for i := range problems {
		p := problem(t, e, split, i)
		count, right := map[envs.Mode]float64{}, map[envs.Mode]bool{}
		for j := range each {
			v := p.Judge(p.Demonstrate(rng.New(1).Int(uint64(i)).Int(uint64(j)).Rand()))
			count[v.Mode]++
			if v.Correct {
				right[v.Mode] = true
				sum.pass1 += 1. / each
			}
		}
		if len(right) > 0 {
			sum.pass64++
		}
		sum.distinct += float64(len(right))
		for _, n := range count {
			sum.entropy -= n / each * math.Log(n/each)
		}
		sum.modes += float64(len(p.Truth().Modes))
	}
	n := float64(problems)
	return crowd{sum.pass1 / n, sum.pass64 / n, sum.distinct / n, sum.entropy / n, sum.modes / n}
}

// TestDemonstrator: competent but not sure, and diverse, on every split.
func TestDemonstrator(t *testing.T) {
	e := build(t, nil)
	for _, split := range envs.Splits() {
		got := observe(t, e, split, 100)
		t.Logf("%s: %+v", split, got)
		if got.pass1 < 0.15 || got.pass1 > 0.35 || got.pass64 < 0.99 || got.distinct < 5 {
			t.Errorf("%s: %+v; want a pass@1 of .15 to .35, a pass@64 of 1 and 5 distinct right pairs or more", split, got)
		}
	}
}

// TestChoices: the easiest x that have a y.
func TestChoices(t *testing.T) {
	for _, c := range []struct {
		reason   string
		relation relation
		choices  int
		want     []string
	}{
		{"integers near 0", paper, 6, []string{"0,", "1,", "-1,", "2,", "-2,", "3,"}},
		{"integers of the circle, then tenths", round25, 9, []string{"0,", "3,", "-3,", "4,", "-4,", "5,", "-5,", "1.4,", "-1.4,"}},
		{"no others lie on x^2+2*y^2 = 3", relation{x: [5]int64{-3, 0, 1}, yy: 2}, 64, []string{"1,", "-1,"}},
	} {
		e := build(t, func(k *Config) { k.Choices = c.choices })
		p := relate(t, e, c.relation)
		p.lazyChoices.Do(p.findChoices)
		var got []string
		for _, choice := range p.choices {
			text := ""
			for _, token := range choice.tokens {
				text += answerWords[token]
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestPriorByHand: x^2+y^2 = 25 with two choices, 0 and half as likely 3.
func TestPriorByHand(t *testing.T) {
	const slip = 0.2
	p := relate(t, build(t, func(c *Config) { c.Choices, c.Slip = 2, slip }), round25)
	type meant map[string]float64
	for _, c := range []struct {
		reason, before string
		legal          int
		want           meant
	}{
		{"it chooses an x", "", 11, meant{"0": 2. / 3, "3": 1. / 3}},
		{"and ends it", "0", 2, meant{",": 1}},
		{"a choice that could go on", "3", 12, meant{",": 1}},
		{"no choice: it ends at once", "7", 12, meant{",": 1}},
		{"no choice, and no end yet: anything", "7.", 10, nil},
		{"no choice begins with a sign here", "-", 10, nil},
		{"one of two y", "0,", 11, meant{"5": 0.5, "-": 0.5}},
		{"it goes on with the one begun", "0,-", 10, meant{"5": 1}},
		{"and ends it", "0,-5", 12, meant{"end": 1}},
		{"another spelling of x", "3.00,", 11, meant{"4": 0.5, "-": 0.5}},
		{"an x of no choice has its own y", "4,-", 10, meant{"3": 1}},
		{"an x without a y: a rounded one", "1,4", 12, meant{".": 1}},
		{"place by place", "1,4.8", 11, meant{"9": 1}},
		{"an x off the circle: the middle", "7,", 11, meant{"0": 1}},
		{"after a slip it goes on by place: after 5 the end, after -5 a digit", "0,6", 12, meant{"end": 0.5, "5": 0.5}},
		{"past the last place it ends", "0,-57", 12, meant{"end": 1}},
		{"where no place fits, anything", "0,5.", 10, nil},
		{"with one of two y that fits", "1,0", 2, meant{".": 1}},
		{"nothing after the end", "0,5;", 0, nil},
	} {
		prefix := answer(c.before)
		walk := p.Start()
		for _, token := range prefix {
			if err := walk.Push(token); err != nil {
				t.Fatal(err)
			}
		}
		legal, got := walk.Legal(), p.AppendPrior(nil, prefix)
		if len(legal) != c.legal || len(got) != c.legal {
			t.Errorf("%s: %d legal tokens, %d entries, want %d", c.reason, len(legal), len(got), c.legal)
			continue
		}
		for i, token := range legal {
			want := 1 / float64(c.legal)
			if c.want != nil {
				want = slip/float64(c.legal) + (1-slip)*c.want[answerWords[token]]
			}
			if math.Abs(math.Exp(got[i])-want) > 1e-12 {
				t.Errorf("%s: %q has the probability %v, want %v", c.reason, answerWords[token], math.Exp(got[i]), want)
			}
		}
	}
	if got := p.AppendPrior([]float64{1}, answer("00")); !slices.Equal(got, []float64{1}) {
		t.Errorf("after what is not legal: %v, want nothing appended", got)
	}
}

// TestPriorFollowsTheState: a table has one row for a state, so prefixes that
// share a state must share a prior.
func TestPriorFollowsTheState(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		for _, split := range envs.Splits() {
			p := problem(t, e, split, 1)
			known, met := map[string][]float64{}, 0
			for j := range 200 {
				tokens := p.Demonstrate(rng.New(2).Int(uint64(j)).Rand())
				c := p.Start()
				for i, token := range tokens {
					state, prior := string(c.AppendState(nil)), p.AppendPrior(nil, tokens[:i])
					old, seen := known[state]
					if seen {
						met++
					}
					if known[state] = prior; seen && !slices.Equal(old, prior) {
						t.Fatalf("%s: %s: after %v: %v and, in the same state, %v", v.name, &p.relation, tokens[:i], prior, old)
					}
					if err := c.Push(token); err != nil {
						t.Fatal(err)
					}
				}
			}
			if met == 0 {
				t.Errorf("%s: %s: no state was met twice", v.name, &p.relation)
			}
		}
	}
}
