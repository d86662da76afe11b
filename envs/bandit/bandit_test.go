package bandit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"modebench/envs"
	"modebench/envs/envtest"
)

// build makes an environment from the defaults, changed.
func build(t testing.TB, change func(*Config)) *Env {
	t.Helper()
	return envtest.Build[*Env](t, Default(), change)
}

func problem(t testing.TB, e *Env, split envs.Split, index int) *Problem {
	t.Helper()
	return envtest.Problem[*Problem](t, e, split, index)
}

// variants are the parameter sets that the tests of this package run over.
var variants = []struct {
	name   string
	change func(*Config)
}{
	{"default", nil},
	{"four arms per mode", func(c *Config) { c.ArmsPerMode = 4 }},
	{"three exclusive components", func(c *Config) { c.Components = 3 }},
	{"three half collinear components", func(c *Config) { c.Components, c.Collinearity = 3, 0.5 }},
	{"three equal components", func(c *Config) { c.Components, c.Collinearity = 3, 1 }},
	{"zipf", func(c *Config) { c.Start = "zipf" }},
	{"steep zipf with arms", func(c *Config) { c.Start, c.Zipf, c.ArmsPerMode = "zipf", 3, 2 }},
	{"shared", func(c *Config) { c.Form = "shared" }},
	{"shared, all impossible out of distribution", func(c *Config) { c.Form, c.Low = "shared", 0 }},
	{"no embeddings", func(c *Config) { c.Dim = 0 }},
	{"one mode", func(c *Config) { c.Modes, c.Rewarded = 1, 1 }},
	{"nothing rewarded", func(c *Config) { c.Rewarded = 0 }},
	{"everything rewarded", func(c *Config) { c.Rewarded = 12 }},
	{"answer classes", func(c *Config) { c.CorrectAnswers, c.WrongAnswers = 2, 3 }},
	{"one dimension", func(c *Config) { c.Dim, c.ArmsPerMode, c.Jitter = 1, 4, 1 }},
}

func TestConformance(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			opts := []envtest.Option{envtest.Problems(3), envtest.Walks(60)}
			if v.change == nil {
				opts = append(opts, envtest.Pinned("f5ac6bca02467bdf2f267134332da198b50be7859c47a10fc57d2d828f5973a0"))
			}
			envtest.Run(t, build(t, v.change), opts...)
		})
	}
}

// TestTruth compares the truth with a look at every arm, and with the promise of the
// parameters.
func TestTruth(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		for _, split := range envs.Splits() {
			p := problem(t, e, split, 1)
			want := envs.Truth{}
			var vectors [][]float64
			for a := range e.arms {
				verdict := p.Judge([]envs.Token{envs.Token(a)})
				vectors = append(vectors, verdict.Reward)
				if verdict.Correct {
					want.Solutions++
					if !slices.Contains(want.Modes, verdict.Mode) {
						want.Modes = append(want.Modes, verdict.Mode)
					}
				}
			}
			for _, u := range vectors {
				beaten := slices.ContainsFunc(vectors, func(v []float64) bool { return dominates(v, u) })
				if !beaten && !slices.ContainsFunc(want.Front, func(v []float64) bool { return slices.Equal(u, v) }) {
					want.Front = append(want.Front, u)
				}
			}
			slices.SortFunc(want.Front, slices.Compare[[]float64])
			if d := cmp.Diff(want, p.Truth()); d != "" {
				t.Errorf("%s, %s (-every arm +truth):\n%s", v.name, split, d)
			}
		}
	}
}

func dominates(u, v []float64) bool {
	above := false
	for j := range u {
		if u[j] < v[j] {
			return false
		}
		above = above || u[j] > v[j]
	}
	return above
}

func TestFirstModesAreRewarded(t *testing.T) {
	for _, c := range []struct {
		reason     string
		rewarded   int
		train, ood []envs.Mode
	}{
		{"half of four out of distribution", 4, []envs.Mode{"m00", "m01", "m02", "m03"}, []envs.Mode{"m00", "m01"}},
		{"an odd number is halved upwards", 3, []envs.Mode{"m00", "m01", "m02"}, []envs.Mode{"m00", "m01"}},
		{"one cannot be fewer", 1, []envs.Mode{"m00"}, []envs.Mode{"m00"}},
		{"none stays none", 0, nil, nil},
	} {
		e := build(t, func(k *Config) { k.Rewarded = c.rewarded })
		for _, split := range envs.Splits() {
			want := c.train
			if split == envs.OOD {
				want = c.ood
			}
			if d := cmp.Diff(want, problem(t, e, split, 0).Truth().Modes); d != "" {
				t.Errorf("%s: %s (-want +got):\n%s", c.reason, split, d)
			}
		}
	}
}

// correctRewards lists each component's values over the correct modes, and over
// all modes.
func correctRewards(t *testing.T, collinearity float64) (correct, all [3][]float64) {
	t.Helper()
	e := build(t, func(k *Config) { k.Rewarded, k.Components, k.Collinearity = 3, 3, collinearity })
	p := problem(t, e, envs.Train, 0)
	for a := range e.arms {
		v := p.Judge([]envs.Token{envs.Token(a)})
		for j, r := range v.Reward {
			all[j] = append(all[j], r)
			if v.Correct {
				correct[j] = append(correct[j], r)
			} else if r != 0 {
				t.Errorf("%s is wrong and gets %v", v.Mode, v.Reward)
			}
		}
	}
	return correct, all
}

// TestRewardVectors holds the rewards of three correct modes and three
// components against vectors worked out by hand: the qualities are 1, 5/6, 2/3.
func TestRewardVectors(t *testing.T) {
	for _, c := range []struct {
		collinearity float64
		want         [3][]float64 // by component
	}{
		{0, [3][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
		{0.5, [3][]float64{{1, 5. / 12, 1. / 3}, {1. / 2, 11. / 12, 1. / 3}, {1. / 2, 5. / 12, 5. / 6}}},
		{1, [3][]float64{{1, 5. / 6, 2. / 3}, {1, 5. / 6, 2. / 3}, {1, 5. / 6, 2. / 3}}},
	} {
		got, _ := correctRewards(t, c.collinearity)
		for j := range got {
			if !floats.EqualApprox(got[j], c.want[j], 1e-15) {
				t.Errorf("collinearity %v, component %d over the correct modes: got %v, want %v", c.collinearity, j, got[j], c.want[j])
			}
		}
	}
}

// TestCollinearity: the correlation of components goes from that of modes that
// exclude each other (-1/2 among three correct ones, -1/11 among all twelve) to 1,
// and grows with the parameter.
func TestCollinearity(t *testing.T) {
	mean := func(rewards [3][]float64) float64 {
		sum := 0.0
		for i := range 3 {
			for j := range i {
				sum += stat.Correlation(rewards[i], rewards[j], nil) / 3
			}
		}
		return sum
	}
	lastCorrect, lastAll := math.Inf(-1), math.Inf(-1)
	for step := range 11 {
		c := float64(step) / 10
		correct, all := correctRewards(t, c)
		nowCorrect, nowAll := mean(correct), mean(all)
		if nowCorrect <= lastCorrect || nowAll <= lastAll {
			t.Errorf("collinearity %v: correlations %v over correct modes and %v over all do not exceed those before, %v and %v", c, nowCorrect, nowAll, lastCorrect, lastAll)
		}
		lastCorrect, lastAll = nowCorrect, nowAll
		if c == 0 && (math.Abs(nowCorrect+1./2) > 1e-12 || math.Abs(nowAll+1./11) > 1e-12) {
			t.Errorf("collinearity 0: correlations %v and %v, want -1/2 and -1/11", nowCorrect, nowAll)
		}
	}
	if math.Abs(lastCorrect-1) > 1e-12 || math.Abs(lastAll-1) > 1e-12 {
		t.Errorf("collinearity 1: correlations %v and %v, want 1", lastCorrect, lastAll)
	}
}

func TestAnswerClasses(t *testing.T) {
	for _, c := range []struct {
		reason         string
		correct, wrong int
		want           string
	}{
		{"all correct modes vote alike, wrong ones each for themselves", 1, 0, "A0 A0 A0 A1 A2 A3"},
		{"correct modes spread over two classes", 2, 0, "A0 A1 A0 A2 A3 A4"},
		{"wrong modes can gather, and outvote", 2, 1, "A0 A1 A0 A2 A2 A2"},
		{"classes of one kind are never those of the other", 5, 2, "A0 A1 A2 A5 A6 A5"},
	} {
		e := build(t, func(k *Config) { k.Modes, k.Rewarded, k.CorrectAnswers, k.WrongAnswers = 6, 3, c.correct, c.wrong })
		p := problem(t, e, envs.Train, 0)
		var got []string
		for a := range e.arms {
			got = append(got, p.Judge([]envs.Token{envs.Token(a)}).Answer)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %s", c.reason, got, c.want)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Rewarded = 13 }, `field "rewarded": got 13, want at most the number of modes, 12`},
		{func(c *Config) { c.Form, c.Low, c.High = "shared", 0.9, 0.8 }, `field "low": got 0.9, want at most high, 0.8`},
		{func(c *Config) { c.Form, c.Low, c.High = "shared", 0, 0 }, `field "high": got 0, want above 0: no problem would have a correct strategy`},
	} {
		config := Default()
		c.change(config)
		if env, err := config.Build(); env != nil || err == nil || err.Error() != c.want {
			t.Errorf("got %v, error %v\nwant %s", env, err, c.want)
		}
	}
	for _, c := range []struct {
		change func(*Config)
		reason string
	}{
		{func(c *Config) { c.Low, c.High = 0.9, 0.8 }, "low and high mean nothing in the form modes"},
		{func(c *Config) { c.Form, c.Rewarded = "shared", 13 }, "nor does rewarded in the form shared"},
	} {
		config := Default()
		c.change(config)
		if _, err := config.Build(); err != nil {
			t.Errorf("%s, but: %v", c.reason, err)
		}
	}
}

// TestBuildCopiesItsParameters: problems must not change under an environment
// whose configuration is used again.
func TestBuildCopiesItsParameters(t *testing.T) {
	c := Default()
	env, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	c.Rewarded = 1
	if got := problem(t, env.(*Env), envs.Train, 0).Truth().Solutions; got != 4 {
		t.Errorf("changing the configuration changed the environment: %d solutions, want 4", got)
	}
}

func TestJudgeText(t *testing.T) {
	p := problem(t, build(t, func(c *Config) { c.Modes, c.Rewarded, c.ArmsPerMode = 3, 1, 2 }), envs.Train, 0)
	for _, c := range []struct {
		reason, text, mode, want string
	}{
		{"an arm's name", "m0.1", "m0", ""},
		{"blanks around it", " m2.0\n", "m2", ""},
		{"in tags, after some thought", "m0.0 or <answer> m2.0 </answer>", "m2", ""},
		{"a mode is no arm when it has several", "m0", "", `"m0" is no arm; arms are m0.0 to m2.1`},
		{"case matters", "M0.0", "", `"M0.0" is no arm; arms are m0.0 to m2.1`},
		{"two arms", "m0.0 m0.1", "", `"m0.0 m0.1" is no arm; arms are m0.0 to m2.1`},
		{"nothing", "", "", `"" is no arm; arms are m0.0 to m2.1`},
	} {
		v, text := p.JudgeText(c.text), ""
		if v.Err != nil {
			text = v.Err.Error()
		}
		if string(v.Mode) != c.mode || text != c.want {
			t.Errorf("%s: %q: mode %q, error %q; want %q, %q", c.reason, c.text, v.Mode, text, c.mode, c.want)
		}
	}
}

func TestRegistered(t *testing.T) {
	envtest.Draws(t, "bandit")
	d, err := envs.Lookup("bandit")
	if err != nil {
		t.Fatal(err)
	}
	// SetPO fig. 1: twelve modes, the first four rewarded, 50 dimensions.
	c := d.Default().(*Config)
	if c.Modes != 12 || c.Rewarded != 4 || c.Dim != 50 || c.ArmsPerMode != 1 || c.Components != 1 || c.Start != "uniform" {
		t.Errorf("the default is not SetPO's bandit: %+v", c)
	}
	if c == d.Default() {
		t.Error("two calls of Default share their parameters")
	}
}
