package countdown

import (
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// TestPrior spells the formula out on one state.
func TestPrior(t *testing.T) {
	p := newProblem(build(t, func(c *Config) { c.Q, c.Sigma = 0.5, 0 }).usual, "setpo", [maxSlots]int16{3, 21, 24, 54}, 63)
	// Of + - * / and 54, only * leads on: (24-21)*3 and 54 add up to 63.
	prefix := tokens(t, p, "24 21 - 3")
	var got []float64
	for _, l := range p.AppendPrior(nil, prefix) {
		got = append(got, exact.Exp(l))
	}
	want := []float64{0.1, 0.1, 0.6, 0.1, 0.1}
	for i := range want {
		if len(got) != len(want) || math.Abs(got[i]-want[i]) > 1e-12 {
			t.Fatalf("prior %v, want %v", got, want)
		}
	}
	// After 21/24 nothing does.
	for _, l := range p.AppendPrior(nil, tokens(t, p, "21 24 / 3")) {
		if math.Abs(exact.Exp(l)-0.2) > 1e-12 {
			t.Errorf("a lost state: prior %v, want 0.2", exact.Exp(l))
		}
	}
	if got := p.AppendPrior(nil, tokens(t, p, "24 21 - 3 * 54 +")); len(got) != 0 {
		t.Errorf("a prior of %v where nothing follows", got)
	}
	if got := p.AppendPrior(nil, []envs.Token{plusToken}); len(got) != 0 {
		t.Errorf("a prior of %v after what is not legal", got)
	}
}

// TestNoise: sigma is the standard deviation of the noise on the logits, which differs for
// every view and every problem.
func TestNoise(t *testing.T) {
	const sigma = 1.5
	quiet := build(t, func(c *Config) { c.MinNumber, c.Sigma = 1, 0 })
	noisy := build(t, func(c *Config) { c.MinNumber, c.Sigma = 1, sigma })
	var noise []float64
	for i := range 400 {
		a, b := problem(t, quiet, envs.Train, i), problem(t, noisy, envs.Train, i)
		prefix := a.Demonstrate(rng.New(uint64(i)).Rand())[:2]
		for _, at := range [][]envs.Token{nil, prefix[:1], prefix} {
			x, y := a.AppendPrior(nil, at), b.AppendPrior(nil, at)
			for j := range x {
				noise = append(noise, y[j]-x[j])
			}
		}
	}
	mean := exact.Sum(noise) / float64(len(noise))
	spread := math.Sqrt(exact.Dot(noise, noise)/float64(len(noise)) - mean*mean)
	if n := math.Sqrt(float64(len(noise))); math.Abs(mean) > 4*sigma/n || math.Abs(spread-sigma) > 4*sigma/n {
		t.Errorf("noise of %d logits: mean %.3f, deviation %.3f, want 0 and %v", len(noise), mean, spread, sigma)
	}
	slices.Sort(noise)
	if distinct := len(slices.Compact(noise)); distinct < 5000 {
		t.Errorf("only %d different draws", distinct)
	}
}

// TestBasePolicy: the demonstrator is competent but diverse (SPEC sec. 2): pass@1 between
// 0.05 and 0.5 (here about 0.16, so that ood, with a lower value, has room too), pass@64
// near its ceiling, several modes reached.
func TestBasePolicy(t *testing.T) {
	const problems, samples = 60, 64
	var pass1, pass64, found, modes, entropy float64
	e := build(t, nil)
	for i := range problems {
		p := problem(t, e, envs.Train, i)
		counts, right := map[envs.Mode]int{}, map[envs.Mode]bool{}
		solved := 0
		for j := range samples {
			v := p.Judge(p.Demonstrate(rng.New(7).Int(uint64(i)).Int(uint64(j)).Rand()))
			counts[v.Mode]++
			if v.Correct {
				right[v.Mode] = true
				solved++
			}
		}
		pass1 += float64(solved) / samples / problems
		if solved > 0 {
			pass64 += 1
		}
		found += float64(len(right)) / problems
		modes += float64(len(p.Truth().Modes)) / problems
		for _, n := range counts {
			q := float64(n) / samples
			entropy -= q * exact.Log(q) / problems
		}
	}
	pass64 /= problems // exactly 1 where all are solved
	t.Logf("pass@1 %.3f, pass@64 %.3f, %.2f of %.2f modes found, entropy %.2f", pass1, pass64, found, modes, entropy)
	for _, c := range []struct {
		name           string
		got, low, high float64
	}{
		{"pass@1", pass1, 0.12, 0.3}, {"pass@64", pass64, 0.9, 1}, {"correct modes found", found, 2.5, modes}, {"entropy over modes", entropy, 3, math.Log(samples)},
	} {
		if !(c.got >= c.low && c.got <= c.high) {
			t.Errorf("%s is %.3f, want %.2f to %.2f", c.name, c.got, c.low, c.high)
		}
	}
}
