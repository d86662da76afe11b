package bandit

import (
	"math"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// closedForms names the functions with the probability vector as their only
// argument left.
func closedForms(p *Problem, w []float64) map[string]func([]float64) (float64, []float64, error) {
	forms := map[string]func([]float64) (float64, []float64, error){
		"ExpectedReward": func(q []float64) (float64, []float64, error) { return p.ExpectedReward(q, w) },
	}
	for _, k := range []int{1, 2, 7} {
		forms["PassAtK "+string(rune('0'+k))] = func(q []float64) (float64, []float64, error) { return p.PassAtK(q, k) }
		forms["Coverage "+string(rune('0'+k))] = func(q []float64) (float64, []float64, error) { return p.Coverage(q, k) }
	}
	return forms
}

// policy draws logits and returns them with their softmax.
func policy(key rng.Key, arms int) (logits, prob []float64) {
	r := key.Rand()
	logits, prob = make([]float64, arms), make([]float64, arms)
	for a := range logits {
		logits[a] = rng.Normal(r)
	}
	exact.Softmax(prob, logits)
	return logits, prob
}

// TestGradients compares with central differences of the value in each logit.
func TestGradients(t *testing.T) {
	const h = 1e-4
	for i, v := range variants {
		e := build(t, v.change)
		p := problem(t, e, envs.Train, i)
		key := rng.New(1).Str("gradients").Int(uint64(i))
		w := make([]float64, e.config.Components)
		for j := range w {
			w[j] = float64(j) - 0.7 // weights of either sign
		}
		logits, prob := policy(key, len(e.arms))
		for name, f := range closedForms(p, w) {
			_, grad, err := f(prob)
			if err != nil {
				t.Fatalf("%s, %s: %v", v.name, name, err)
			}
			for a := range logits {
				moved := make([]float64, len(logits))
				value := [2]float64{}
				for side, step := range []float64{-h, h} {
					old := logits[a]
					logits[a] += step
					exact.Softmax(moved, logits)
					logits[a] = old
					if value[side], _, err = f(moved); err != nil {
						t.Fatalf("%s, %s: %v", v.name, name, err)
					}
				}
				// The error of a central difference is h^2/6 times a third
				// derivative, which stays below about k^3 = 343.
				if want := (value[1] - value[0]) / (2 * h); math.Abs(grad[a]-want) > 1e-6 {
					t.Errorf("%s, %s: gradient %v at arm %d, differences give %v", v.name, name, grad[a], a, want)
				}
			}
		}
	}
}

// TestAgainstTuples sums over all k-tuples of arms: their probability, whether
// one is correct, how many correct modes they show.
func TestAgainstTuples(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Config)
	}{
		{"one arm per mode", func(c *Config) { c.Modes, c.Rewarded = 5, 3 }},
		{"several arms are one mode", func(c *Config) { c.Modes, c.Rewarded, c.ArmsPerMode = 3, 2, 2 }},
		{"nothing is correct", func(c *Config) { c.Modes, c.Rewarded = 4, 0 }},
		{"everything is", func(c *Config) { c.Modes, c.Rewarded, c.ArmsPerMode = 2, 2, 2 }},
		{"correct modes anywhere", func(c *Config) { c.Modes, c.Form = 5, "shared" }},
	} {
		e := build(t, c.change)
		p := problem(t, e, envs.Train, 0)
		_, prob := policy(rng.New(2).Str(c.reason), len(e.arms))
		for k := 1; k <= 4; k++ {
			pass, coverage := tuples(p, prob, k)
			got, _, err := p.PassAtK(prob, k)
			if err != nil || math.Abs(got-pass) > 1e-12 {
				t.Errorf("%s: pass@%d = %v (error %v), all tuples give %v", c.reason, k, got, err, pass)
			}
			got, _, err = p.Coverage(prob, k)
			if err != nil || math.Abs(got-coverage) > 1e-12 {
				t.Errorf("%s: coverage of %d draws = %v (error %v), all tuples give %v", c.reason, k, got, err, coverage)
			}
		}
	}
}

func tuples(p *Problem, prob []float64, k int) (pass, coverage float64) {
	tuple := make([]int, k)
	for {
		chance, modes := 1.0, map[envs.Mode]bool{}
		for _, a := range tuple {
			chance *= prob[a]
			if v := p.Judge([]envs.Token{envs.Token(a)}); v.Correct {
				modes[v.Mode] = true
			}
		}
		if len(modes) > 0 {
			pass += chance
		}
		coverage += chance * float64(len(modes))
		i := 0
		for ; i < k; i++ {
			if tuple[i]++; tuple[i] < len(prob) {
				break
			}
			tuple[i] = 0
		}
		if i == k {
			return pass, coverage
		}
	}
}

// TestClosedFormsAtTheCorners: numbers one can see.
func TestClosedFormsAtTheCorners(t *testing.T) {
	p := problem(t, build(t, func(c *Config) { c.Modes, c.Rewarded, c.Components, c.Collinearity = 4, 2, 2, 0.5 }), envs.Train, 0)
	w := []float64{0.75, 0.25}
	// Qualities 1 and 3/4, rewards (1, .5), (.375, .875), 0, 0: scalars 0.875 and 0.5.
	for _, c := range []struct {
		reason                 string
		prob                   []float64
		reward, pass, coverage float64 // of 3 draws
	}{
		{"always right, one mode", []float64{1, 0, 0, 0}, 0.875, 1, 1},
		{"never right", []float64{0, 0, 1, 0}, 0, 0, 0},
		{"uniform", []float64{0.25, 0.25, 0.25, 0.25}, 1.375 / 4, 0.875, 2 * (1 - 27./64)},
		{"always right, two modes", []float64{0.5, 0.5, 0, 0}, 1.375 / 2, 1, 1.75},
		{"a sum just above 1 counts as 1", []float64{1, 5e-10, 0, 0}, 0.875 + 0.5*5e-10, 1, 1 + 15e-10},
		{"rare: the value keeps its digits", []float64{1e-20, 0, 1, 0}, 0.875e-20, 3e-20, 3e-20},
	} {
		reward, _, err1 := p.ExpectedReward(c.prob, w)
		pass, _, err2 := p.PassAtK(c.prob, 3)
		coverage, _, err3 := p.Coverage(c.prob, 3)
		for _, x := range []struct {
			name      string
			got, want float64
			err       error
		}{{"reward", reward, c.reward, err1}, {"pass@3", pass, c.pass, err2}, {"coverage", coverage, c.coverage, err3}} {
			if x.err != nil || !(math.Abs(x.got-x.want) <= 1e-14*x.want) {
				t.Errorf("%s: %s = %v (error %v), want %v", c.reason, x.name, x.got, x.err, x.want)
			}
		}
	}
	// Nothing can be learned where a softmax has nowhere to go.
	for name, f := range closedForms(p, w) {
		_, grad, err := f([]float64{1, 0, 0, 0})
		for a, g := range grad {
			if err != nil || g != 0 {
				t.Errorf("%s: gradient %v at arm %d of a certain choice (error %v), want 0", name, g, a, err)
			}
		}
	}
}

func TestClosedFormErrors(t *testing.T) {
	p := problem(t, build(t, func(c *Config) { c.Modes, c.Rewarded = 3, 1 }), envs.Train, 0)
	sound, w := []float64{0.25, 0.25, 0.5}, []float64{1}
	for _, c := range []struct {
		prob, w []float64
		k       int
		want    string
	}{
		{[]float64{0.5, 0.5}, w, 1, "probabilities: got 2, want one per arm, 3"},
		{nil, w, 1, "probabilities: got 0, want one per arm, 3"},
		{[]float64{-0.5, 1, 0.5}, w, 1, "probabilities[0]: got -0.5, want a number from 0 to 1"},
		{[]float64{0, math.NaN(), 1}, w, 1, "probabilities[1]: got NaN, want a number from 0 to 1"},
		{[]float64{0.5, 0.25, 0.5}, w, 1, "probabilities: they add up to 1.25, want 1"},
		{sound, []float64{1, 1}, 1, "weights: got 2, want one per reward component, 1"},
		{sound, []float64{math.Inf(1)}, 1, "weights[0]: got +Inf, want a finite number"},
		{sound, w, 0, "k is 0, want at least 1"},
	} {
		_, _, reward := p.ExpectedReward(c.prob, c.w)
		_, _, pass := p.PassAtK(c.prob, c.k)
		_, _, coverage := p.Coverage(c.prob, c.k)
		// Each function complains of the arguments that it reads.
		all := []error{reward, pass, coverage}
		switch {
		case strings.HasPrefix(c.want, "weights"):
			all = all[:1]
		case strings.HasPrefix(c.want, "k "):
			all = all[1:]
		}
		for i, err := range all {
			if err == nil || err.Error() != c.want {
				t.Errorf("function %d: error %v, want %s", i, err, c.want)
			}
		}
	}
}
