package coins

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
)

// TestTruthByHand: paying 13 with at most 4 coins of 1, 3, 5 and 10.
func TestTruthByHand(t *testing.T) {
	truth := made(t).Truth()
	want := []envs.Mode{"10+3", "10+1+1+1", "5+5+3"}
	if !slices.Equal(truth.Modes, want) || truth.Solutions != 2+4+3 {
		t.Errorf("modes %v with %d orders, want %v with 9", truth.Modes, truth.Solutions, want)
	}
	if truth.Best([]float64{0.9, 0.1}) != 1 || truth.Best([]float64{0, 1}) != 1 || len(truth.Front) != 1 {
		t.Errorf("the front is %v", truth.Front)
	}
}

// TestTruthByBruteForce writes every sequence of coins down, judges the text, and adds
// the coins up once more.
func TestTruthByBruteForce(t *testing.T) {
	for _, v := range variants[:2] {
		e := build(t, v.change)
		for _, split := range envs.Splits() {
			for i := range 3 {
				p := envtest.Problem[*Problem](t, e, split, i)
				solutions, modes := bruteForce(t, p)
				truth := p.Truth()
				if truth.Solutions != solutions || len(truth.Modes) != len(modes) {
					t.Errorf("%s, %s: %d orders of %d modes, by brute force %d of %d", v.name, p.id, truth.Solutions, len(truth.Modes), solutions, len(modes))
				}
				for j, mode := range truth.Modes {
					if p.orders[j] != modes[mode] {
						t.Errorf("%s, %s: %d orders of %s, by brute force %d", v.name, p.id, p.orders[j], mode, modes[mode])
					}
				}
				if n := p.completions(0, 0); n != solutions {
					t.Errorf("%s, %s: %d completions of the empty answer, want %d", v.name, p.id, n, solutions)
				}
			}
		}
	}
}

// bruteForce counts the correct sequences, and those of each mode.
func bruteForce(t *testing.T, p *Problem) (solutions int64, modes map[envs.Mode]int64) {
	modes = map[envs.Mode]int64{}
	var write func(words []string, sum int)
	write = func(words []string, sum int) {
		if len(words) > 0 {
			v := p.JudgeText(strings.Join(words, "+"))
			if v.Err != nil || v.Correct != (sum == p.amount) {
				t.Fatalf("%s: %v comes to %d: %+v", p.id, words, sum, v)
			}
			if v.Correct {
				solutions++
				modes[v.Mode]++
			}
		}
		if len(words) == p.limit {
			return
		}
		for i := range p.coins {
			write(append(words[:len(words):len(words)], strconv.Itoa(p.value(i))), sum+p.value(i))
		}
	}
	write(nil, 0)
	return solutions, modes
}

// TestCompletions: the correct completions of a state are those of its tokens.
func TestCompletions(t *testing.T) {
	p := made(t)
	for _, c := range []struct {
		sum, count int
		want       int64
		reason     string
	}{
		{0, 0, 9, "all"},
		{10, 1, 1 + 1, "3, or three ones"},
		{5, 1, 2, "5 and 3 in two orders"},
		{13, 2, 1, "the end"},
		{13, 4, 1, "the end, though no coin may follow"},
		{10, 4, 0, "no coin may follow"},
		{14, 2, 0, "too much"},
	} {
		if got := p.completions(c.sum, c.count); got != c.want {
			t.Errorf("%s: %d completions after %d coins of %d, want %d", c.reason, got, c.count, c.sum, c.want)
		}
	}
}
