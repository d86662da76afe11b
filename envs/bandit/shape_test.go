package bandit

import (
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/exact"
)

func cosine(u, v []float32) float64 {
	dot := 0.0
	for i := range u {
		dot += float64(float64(u[i]) * float64(v[i]))
	}
	return dot // both have length 1
}

// TestEmbeddings: arms of one mode lie close together, modes far apart. Moving a unit
// vector by a random one of length j leaves a cosine of at least sqrt(1-j^2) to its old
// place, and between two arms 1/(1+j^2) on average; the cosine of independent directions in
// R^50 has mean 0 and deviation 50^-1/2.
func TestEmbeddings(t *testing.T) {
	const jitter, arms = 0.3, 8
	centers := build(t, nil)
	e := build(t, func(c *Config) { c.ArmsPerMode, c.Jitter = arms, jitter })
	var within, between []float64
	for a, u := range e.embedding {
		if got := cosine(u, centers.embedding[a/arms]); got < math.Sqrt(1-jitter*jitter)-1e-6 || got > 1-1e-6 {
			t.Errorf("%s: cosine %v to its mode's vector, want at least %v and less than 1", e.arms[a], got, math.Sqrt(1-jitter*jitter))
		}
		for b, v := range e.embedding[:a] {
			if a/arms == b/arms {
				within = append(within, cosine(u, v))
			} else {
				between = append(between, cosine(u, v))
			}
		}
	}
	if lo, hi := slices.Min(within), slices.Max(between); lo <= hi {
		t.Errorf("cosine within a mode as low as %v, between modes as high as %v", lo, hi)
	}
	if got, want := exact.Sum(within)/float64(len(within)), 1/(1+jitter*jitter); math.Abs(got-want) > 0.02 {
		t.Errorf("mean cosine within a mode %v, want about %v", got, want)
	}
	// 66 pairs of modes; their arms move together.
	if got := exact.Sum(between) / float64(len(between)); math.Abs(got) > 4/math.Sqrt(50*66) {
		t.Errorf("mean cosine between modes %v, want about 0", got)
	}
	squares := 0.0
	for _, x := range between {
		squares += float64(x * x)
	}
	if got, want := squares/float64(len(between)), 1./50; got < want/2 || got > want*2 {
		t.Errorf("mean squared cosine between modes %v, want about %v", got, want)
	}
}

func TestEmbeddingsWithoutJitterAreTheModes(t *testing.T) {
	centers := build(t, nil)
	e := build(t, func(c *Config) { c.ArmsPerMode, c.Jitter = 3, 0 })
	for a, u := range e.embedding {
		if !slices.Equal(u, centers.embedding[a/3]) {
			t.Errorf("%s: not moved, but its embedding is not its mode's", e.arms[a])
		}
	}
}

// TestZipfStart: the prior is exactly proportional to 1/rank^s, and which mode
// has which rank varies from problem to problem.
func TestZipfStart(t *testing.T) {
	const modes, arms, problems = 5, 2, 500
	for _, s := range []float64{1, 2.5} {
		e := build(t, func(c *Config) {
			c.Modes, c.ArmsPerMode, c.Start, c.Zipf = modes, arms, "zipf", s
		})
		total := 0.0
		for rank := 1; rank <= modes; rank++ {
			total += math.Pow(float64(rank), -s)
		}
		first := make([]int, modes) // how often each mode has rank 1
		for i := range problems {
			p := problem(t, e, envs.Train, i)
			prior := p.AppendPrior(nil, nil)
			ranks := make([]int, modes+1)
			for m := range modes {
				mass := arms * math.Exp(prior[m*arms])
				if prior[m*arms] != prior[m*arms+1] {
					t.Fatalf("s = %v, problem %d: the arms of mode %d do not share its mass equally", s, i, m)
				}
				rank := int(math.Round(math.Pow(mass*total, -1/s)))
				if want := math.Pow(float64(rank), -s) / total; math.Abs(mass-want) > 1e-14 {
					t.Fatalf("s = %v, problem %d: mode %d has the mass %v, want %v (rank %d)", s, i, m, mass, want, rank)
				}
				if ranks[rank]++; ranks[rank] > 1 {
					t.Fatalf("s = %v, problem %d: two modes of rank %d", s, i, rank)
				}
				if rank == 1 {
					first[m]++
				}
			}
		}
		for m, n := range first {
			if outside(n, problems, 1./modes) {
				t.Errorf("s = %v: mode %d leads %d of %d problems, want about a fifth", s, m, n, problems)
			}
		}
	}
}

// outside reports whether a count of successes lies more than five standard deviations from
// its mean.
func outside(successes, trials int, p float64) bool {
	mean := float64(trials) * p
	return math.Abs(float64(successes)-mean) > 5*math.Sqrt(mean*(1-p))
}

// rates counts on how many of the first n problems each mode is correct.
func rates(t *testing.T, e *Env, split envs.Split, n int) []int {
	t.Helper()
	count := make([]int, e.config.Modes)
	for i := range n {
		p := problem(t, e, split, i)
		some := false
		for m := range count {
			if p.Judge([]envs.Token{envs.Token(m)}).Correct {
				count[m]++
				some = true
			}
		}
		if !some {
			t.Fatalf("%s problem %d has no solution", split, i)
		}
	}
	return count
}

// TestSharedStrategies: a strategy is right with a probability of its own, the
// same on every split but ood, where all have the lowest.
func TestSharedStrategies(t *testing.T) {
	const n = 2000
	e := build(t, func(c *Config) { c.Form = "shared" })
	c := e.config
	for m, q := range e.success {
		if q < c.Low || q > c.High {
			t.Errorf("strategy %d is right with probability %v, outside of [%v, %v]", m, q, c.Low, c.High)
		}
	}
	if spread := slices.Max(e.success) - slices.Min(e.success); spread < (c.High-c.Low)/2 {
		t.Errorf("twelve strategies drawn from [%v, %v] spread over %v only", c.Low, c.High, spread)
	}
	totals := map[envs.Split]int{}
	for _, split := range envs.Splits() {
		for m, got := range rates(t, e, split, n) {
			want := e.success[m]
			if split == envs.OOD {
				want = c.Low
			}
			if outside(got, n, want) {
				t.Errorf("%s: strategy %d is right on %d of %d problems, want a share of %v", split, m, got, n, want)
			}
			totals[split] += got
		}
	}
	if totals[envs.OOD] >= totals[envs.Test] {
		t.Errorf("ood is no harder than test: %d and %d correct strategies", totals[envs.OOD], totals[envs.Test])
	}
}

// TestSplitsAreDrawnApart: problem i of one split is independent of problem i of another.
// Twelve strategies agree by chance with probability below (0.85^2 + 0.15^2)^12 = 0.03.
func TestSplitsAreDrawnApart(t *testing.T) {
	const n = 200
	e := build(t, func(c *Config) { c.Form = "shared" })
	same := 0
	for i := range n {
		train, test := problem(t, e, envs.Train, i), problem(t, e, envs.Test, i)
		if slices.Equal(train.Truth().Modes, test.Truth().Modes) {
			same++
		}
		if slices.Equal(train.AppendPrior(nil, nil), test.AppendPrior(nil, nil)) {
			t.Errorf("train and test problem %d start from one base policy", i)
		}
	}
	if same > n/10 {
		t.Errorf("%d of %d problems have the same correct strategies on train and test", same, n)
	}
}

// TestSharedGivenASolution: every problem has a correct strategy, and given
// that, strategies are as independent draws would be: with three of probability
// q, each is right with q / (1 - (1-q)^3). Tiny and zero chances end as well.
func TestSharedGivenASolution(t *testing.T) {
	const n = 3000
	for _, c := range []struct {
		reason    string
		low, high float64
		split     envs.Split
		want      float64
	}{
		{"often drawn twice", 0.2, 0.2, envs.Train, 0.2 / (1 - 0.8*0.8*0.8)},
		{"ood draws with the lowest chance", 0.2, 0.9, envs.OOD, 0.2 / (1 - 0.8*0.8*0.8)},
		{"tiny chances: one right at a time", 1e-300, 1e-300, envs.Test, 1. / 3},
		{"no chance: one right at a time", 0, 0.5, envs.OOD, 1. / 3},
	} {
		e := build(t, func(k *Config) { k.Modes, k.Form, k.Low, k.High = 3, "shared", c.low, c.high })
		for m, got := range rates(t, e, c.split, n) {
			if outside(got, n, c.want) {
				t.Errorf("%s: strategy %d is right on %d of %d problems, want a share of %v", c.reason, m, got, n, c.want)
			}
		}
	}
}

// TestSharedOffsets: the base policy's logits vary over problems with the given
// deviation, so the difference of two has twice the variance.
func TestSharedOffsets(t *testing.T) {
	const n = 2000
	for _, offset := range []float64{0, 0.5, 2} {
		e := build(t, func(c *Config) { c.Form, c.Offset = "shared", offset })
		squares := 0.0
		for i := range n {
			prior := problem(t, e, envs.Train, i).AppendPrior(nil, nil)
			squares += (prior[0] - prior[1]) * (prior[0] - prior[1])
		}
		// A chi-square variable with n degrees of freedom has the relative
		// deviation sqrt(2/n).
		if got, want := squares/n, 2*offset*offset; math.Abs(got-want) > 5*want*math.Sqrt(2./n) {
			t.Errorf("offset %v: logit differences have the variance %v, want about %v", offset, got, want)
		}
	}
}
