package loss

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// steeredBonus and steeredRepo are functions that steer by entropies near 1.
func steeredBonus() Function {
	o := ppo(.2, .28, 0)
	o.EntropyCoef, o.EntropyTarget, o.EntropyDelta, o.EntropyMax = .1, 1, .04, .25
	return o
}

func steeredRepo() Function {
	o := ppo(.2, .28, 0)
	o.Repo, o.RepoTarget, o.RepoMin, o.RepoMax = .05, 1, .02, .3
	return o
}

// updatesOf draws the tokens of the updates of a run, [step][update], with entropies on
// both sides of 1.
func updatesOf(r *rand.Rand, steps, updates int) [][]*Tokens {
	out := make([][]*Tokens, steps)
	for s := range out {
		level := .7 + .6*float64(s/7%2) // for some steps low, for some high
		for range updates {
			t := ragged(r.Uint64())
			for k := range t.Entropy {
				t.Entropy[k] = max(0, level+.5*(r.Float64()-.5))
			}
			out[s] = append(out[s], t)
		}
	}
	return out
}

// copyOf gives the same tokens to another function.
func copyOf(t *Tokens) *Tokens {
	c := *t
	c.DLogp, c.DEntropy, c.DKL = slices.Clone(t.DLogp), slices.Clone(t.DEntropy), slices.Clone(t.DKL)
	return &c
}

// sameAs: the function learns of the tokens what one without a target makes of them.
func sameAs(t *testing.T, steered *Function, plain Function, tokens *Tokens) {
	t.Helper()
	want := copyOf(tokens)
	if err := plain.Evaluate(want); err != nil {
		t.Fatal(err)
	}
	if err := steered.Learn(tokens); err != nil {
		t.Fatal(err)
	}
	if tokens.Loss != want.Loss || !slices.Equal(tokens.DLogp, want.DLogp) || !slices.Equal(tokens.DEntropy, want.DEntropy) {
		t.Fatalf("loss %v with the coefficients %+v, want %v as with %+v", tokens.Loss, *steered.State(), want.Loss, plain)
	}
}

// TestEntropyBonusFollowsTheEntropy: every update of a run is one with the constant
// coefficient that the rule asks for, written out over all updates before it.
func TestEntropyBonusFollowsTheEntropy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 150))
	o := steeredBonus()
	var means []float64 // of the updates so far
	var counted, floor, ceiling bool
	for _, step := range updatesOf(r, 40, 3) {
		for _, tokens := range step {
			coef := .1
			for _, mean := range means {
				if mean <= 1 {
					coef = math.Min(coef+.04, .25)
				} else {
					coef = math.Max(coef-.04, 0)
				}
			}
			floor, ceiling = floor || coef == 0, ceiling || coef == .25
			if len(means) == 0 || means[len(means)-1] > 1 {
				coef = 0
			}
			counted = counted || coef > 0
			plain := ppo(.2, .28, 0)
			plain.EntropyCoef = coef
			sum := 0.0
			for _, h := range tokens.Entropy {
				sum += h
			}
			means = append(means, sum/float64(len(tokens.Entropy)))
			sameAs(t, &o, plain, tokens)
		}
		o.EndStep()
	}
	if !counted || !floor || !ceiling {
		t.Errorf("the bonus counted: %v, was at 0: %v, at its largest: %v", counted, floor, ceiling)
	}
}

// TestEntropyAtTheTarget: an entropy equal to the target is low, as in TRL.
func TestEntropyAtTheTarget(t *testing.T) {
	o, tokens := steeredBonus(), ragged(1)
	for k := range tokens.Entropy {
		tokens.Entropy[k] = 1
	}
	if err := o.Learn(tokens); err != nil {
		t.Fatal(err)
	}
	if got := *o.State(); !got.Low || got.Coef != .1+.04 {
		t.Errorf("the state is %+v", got)
	}
}

// TestZetaFollowsTheEntropy: every update of a step has the zeta that the rule asks for. It
// goes up and down the ladder of sizes -max, ..., -min, min, ..., max, whose rungs are
// listed here by doubling and halving.
func TestZetaFollowsTheEntropy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 151))
	o := steeredRepo()
	o.Repo, o.RepoMin, o.RepoMax = .04, .01, .16 // so that every size is a rung
	ladder := []float64{-.16, -.08, -.04, -.02, -.01, .01, .02, .04, .08, .16}
	at, visited := 7, map[int]bool{}
	for _, step := range updatesOf(r, 60, 2) {
		visited[at] = true
		sum, n := 0.0, 0
		for _, tokens := range step {
			plain := ppo(.2, .28, 0)
			plain.Repo = ladder[at]
			for _, h := range tokens.Entropy {
				sum += h
				n++
			}
			sameAs(t, &o, plain, tokens)
		}
		o.EndStep()
		if sum/float64(n) < 1 {
			at = min(at+1, len(ladder)-1)
		} else {
			at = max(at-1, 0)
		}
	}
	if len(visited) < 6 || !visited[4] || !visited[5] {
		t.Errorf("of the rungs only %v were visited", visited)
	}
}

// TestZetaBetweenRungs: sizes that do not double to the largest stop there, and halves
// below the least take the least and the other sign.
func TestZetaBetweenRungs(t *testing.T) {
	low, high := ragged(1), ragged(2)
	for k := range low.Entropy {
		low.Entropy[k] = .5
	}
	for k := range high.Entropy {
		high.Entropy[k] = 1.5
	}
	for _, c := range []struct {
		zeta   float64
		tokens *Tokens
		want   float64
	}{{.05, low, .1}, {.2, low, .3}, {.3, low, .3}, {.05, high, .025}, {.03, high, -.02}, {-.02, high, -.04}, {-.2, high, -.3}, {-.05, low, -.025}, {-.03, low, .02}} {
		o := steeredRepo()
		if err := o.SetState(&State{Zeta: c.zeta}); err != nil {
			t.Fatal(err)
		}
		if err := o.Learn(c.tokens); err != nil {
			t.Fatal(err)
		}
		if got := o.State().Zeta; got != c.zeta {
			t.Errorf("within the step zeta goes from %v to %v", c.zeta, got)
		}
		o.EndStep()
		if got := o.State().Zeta; math.Abs(got-c.want) > 1e-15 {
			t.Errorf("zeta goes from %v to %v, want %v", c.zeta, got, c.want)
		}
		o.EndStep() // of a step without updates
		if got := o.State().Zeta; math.Abs(got-c.want) > 1e-15 {
			t.Errorf("without an update zeta goes from %v to %v", c.want, got)
		}
	}
}

// TestSteeringGoesOn: a function that takes over a state, as text, between two steps goes
// on to the bit, and Evaluate moves none.
func TestSteeringGoesOn(t *testing.T) {
	both := steeredBonus()
	both.Repo, both.RepoTarget, both.RepoMin, both.RepoMax = .05, 1, .02, .3
	for name, o := range map[string]Function{"bonus": steeredBonus(), "repo": steeredRepo(), "both": both} {
		whole, parted := o, o
		for s, step := range updatesOf(rand.New(rand.NewPCG(3, 152)), 30, 2) {
			text, err := json.Marshal(parted.State())
			if err != nil {
				t.Fatal(err)
			}
			state := &State{}
			if err := json.Unmarshal(text, state); err != nil {
				t.Fatal(err)
			}
			parted = o
			if err := parted.SetState(state); err != nil {
				t.Fatal(err)
			}
			for _, tokens := range step {
				other := copyOf(tokens)
				if err := whole.Learn(tokens); err != nil {
					t.Fatal(err)
				}
				if err := parted.Evaluate(copyOf(tokens)); err != nil {
					t.Fatal(err)
				}
				if err := parted.Learn(other); err != nil {
					t.Fatal(err)
				}
				if tokens.Loss != other.Loss || !slices.Equal(tokens.DLogp, other.DLogp) {
					t.Fatalf("%s, step %d: loss %v, of one that goes on %v", name, s, tokens.Loss, other.Loss)
				}
			}
			whole.EndStep()
			parted.EndStep()
			if *whole.State() != *parted.State() {
				t.Fatalf("%s, step %d: state %+v, of one that goes on %+v", name, s, *whole.State(), *parted.State())
			}
		}
	}
}

// TestSteeringMistakes: fields that leave nothing to steer between, and states that no run
// can have.
func TestSteeringMistakes(t *testing.T) {
	for _, c := range []struct {
		spoil func(*Function)
		field string
	}{
		{func(o *Function) { o.EntropyDelta = 0 }, "entropy_delta"},
		{func(o *Function) { o.EntropyMax = 0 }, "entropy_max"},
		{func(o *Function) { o.EntropyMax = .05 }, "entropy_max"},
		{func(o *Function) { o.RepoMin = 0 }, "repo_min"},
		{func(o *Function) { o.Repo = .001 }, `"repo"`},
		{func(o *Function) { o.Repo = 0 }, `"repo"`},
		{func(o *Function) { o.RepoMax = .01 }, `"repo"`},
		{func(o *Function) { o.Ratio = "sequence" }, `"ratio"`}, // repo is about tokens
	} {
		o := steeredBonus()
		o.Repo, o.RepoTarget, o.RepoMin, o.RepoMax = -.05, 1, .02, .3
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
		c.spoil(&o)
		wantError(t, o.Check(), c.field, "want")
	}
	nan := math.NaN()
	for _, s := range []State{{Coef: -.1}, {Coef: .3}, {Coef: nan}} {
		o := steeredBonus()
		wantError(t, o.SetState(&s), "objective", "coef", "0.25")
	}
	for _, s := range []State{{}, {Zeta: .01}, {Zeta: -.4}, {Zeta: nan}} {
		o := steeredRepo()
		wantError(t, o.SetState(&s), "objective", "zeta", "0.02", "0.3")
	}
	o := ppo(.2, .2, 0)
	if o.State() != nil {
		t.Error("a function without a target has a state")
	}
	wantError(t, o.SetState(&State{}), "objective", "remembers nothing")
}
