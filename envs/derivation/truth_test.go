package derivation

import (
	"slices"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
)

// TestTruthByHand: two needed variables and a distractor.
func TestTruthByHand(t *testing.T) {
	for _, c := range []struct {
		verify    string
		solutions int64
	}{
		{"answer", 1 + 3*10 + 6*100 + 6*1000},
		{"all", 1 + 3 + 6 + 6},
	} {
		p := made(t, func(config *Config) { config.Verify = c.verify })
		truth := p.Truth()
		if want := []envs.Mode{"-", "c", "d", "c,d"}; !slices.Equal(truth.Modes, want) || truth.Solutions != c.solutions {
			t.Errorf("%s: modes %v with %d solutions, want %v with %d", c.verify, truth.Modes, truth.Solutions, want, c.solutions)
		}
	}
	truth := made(t, func(c *Config) { c.OverlongMax, c.OverlongCache = 7, 6 }).Truth()
	if len(truth.Front) != 1 || !slices.Equal(truth.Front[0], []float64{1, 5.0 / 6}) {
		t.Errorf("the front is %v", truth.Front)
	}
}

// TestTruthByBruteForce writes down every answer there is and counts the correct ones.
func TestTruthByBruteForce(t *testing.T) {
	for _, v := range variants[1:4] {
		e := build(t, v.change)
		for _, split := range envs.Splits() {
			for i := range 3 {
				p := envtest.Problem[*Problem](t, e, split, i)
				solutions, modes := bruteForce(t, p)
				truth := p.Truth()
				if truth.Solutions != int64(len(solutions)) || len(truth.Modes) != len(modes) {
					t.Errorf("%s, %s: %d solutions of %d modes, by brute force %d of %d", v.name, p.id, truth.Solutions, len(truth.Modes), len(solutions), len(modes))
				}
				for _, mode := range truth.Modes {
					if !modes[mode] {
						t.Errorf("%s, %s: no correct answer has the mode %q", v.name, p.id, mode)
					}
				}
			}
		}
	}
}

// bruteForce finds the variants and the modes of correct answers.
func bruteForce(t *testing.T, p *Problem) (solutions map[string]bool, modes map[envs.Mode]bool) {
	solutions, modes = map[string]bool{}, map[envs.Mode]bool{}
	var write func(text string, written set, wrong bool)
	write = func(text string, written set, wrong bool) {
		for i := p.given(); i < len(p.facts); i++ {
			if written.has(i) {
				continue
			}
			for digit := range int8(10) {
				longer := text + string(letter(i)) + "=" + string('0'+byte(digit))
				errs := wrong || digit != p.facts[i].value
				if i != p.asked {
					write(longer+", ", written.with(i), errs)
					continue
				}
				if p.rules.config.Verify == "answer" {
					errs = digit != p.facts[i].value
				}
				v := p.JudgeText(longer)
				if v.Err != nil || v.Correct == errs || v.Variant != longer {
					t.Fatalf("%s: %s: %+v, want wrong: %v", p.id, longer, v, errs)
				}
				if v.Correct {
					solutions[v.Variant], modes[v.Mode] = true, true
				}
			}
		}
	}
	write("", 0, false)
	return solutions, modes
}

// TestLargestCountFits: the most solutions that a problem may have fit the integer.
func TestLargestCountFits(t *testing.T) {
	e := build(t, func(c *Config) { c.Steps, c.Distractors = 6, 3 })
	want := 0.0
	for term, j := 1.0, 9; j >= 0; j-- {
		want += term
		term *= 10 * float64(j)
	}
	if got := envtest.Problem[*Problem](t, e, envs.OOD, 0).Truth().Solutions; float64(got) != want {
		t.Errorf("%d solutions, want %v", got, want)
	}
}
