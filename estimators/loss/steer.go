package loss

import (
	"fmt"
	"math"

	"modebench/internal/params"
)

// This file steers two fields by the entropy of the policy, over a run. Evaluate reads their
// present values and leaves them as they are; Learn and EndStep move them.

// A State is the memory of a function over the steps of a run.
type State struct {
	Coef float64 `json:"coef"` // of the entropy bonus
	Low  bool    `json:"low"`  // the last update's entropy was at or below entropy_target
	Zeta float64 `json:"zeta"` // of repo
}

// steering is a state with the entropies of the step so far.
type steering struct {
	State
	sum    float64 // of the tokens of the step's updates, in nats
	tokens int
}

func (o *Function) steers() bool { return o.EntropyTarget > 0 || o.RepoTarget > 0 }

// start is the state of a run that begins.
func (o *Function) start() State { return State{Coef: o.EntropyCoef, Zeta: o.Repo} }

// State returns the memory that the next update reads; nil: the function remembers nothing. It
// is complete between steps alone.
func (o *Function) State() *State {
	if !o.steers() {
		return nil
	}
	if o.steered == nil {
		start := o.start()
		return &start
	}
	state := o.steered.State
	return &state
}

// SetState replaces the state by one from State; nil: the state at the start of a run. After an
// error it is the start's too.
func (o *Function) SetState(s *State) error {
	o.steered = nil
	switch {
	case s == nil:
		return nil
	case !o.steers():
		return fmt.Errorf("objective: it has a state, and the method's objective remembers nothing")
	case o.EntropyTarget > 0 && !(s.Coef >= 0 && s.Coef <= o.EntropyMax):
		return fmt.Errorf("objective: coef: got %v, want 0 to %v", s.Coef, o.EntropyMax)
	case o.RepoTarget > 0 && !(math.Abs(s.Zeta) >= o.RepoMin && math.Abs(s.Zeta) <= o.RepoMax):
		return fmt.Errorf("objective: zeta: got %v, want a size of %v to %v", s.Zeta, o.RepoMin, o.RepoMax)
	}
	o.steered = &steering{State: *s}
	return nil
}

// Learn is Evaluate for an update of a run: its tokens count for the fields that steer the entropy.
//
// The coefficient of the entropy bonus then moves by entropy_delta: up if the mean entropy
// of the update's tokens is at most entropy_target, else down, from 0 to entropy_max. The
// bonus counts only while the entropy of the update before was at most the target, so
// never in the first (Skywork-OR1, 2505.22312; read in TRL, GRPOTrainer._compute_loss at
// f2cd5771, without its lower bound, which is 0 by default). TRL's bonus is a mean over
// tokens; here it is aggregated as all of the loss is.
func (o *Function) Learn(t *Tokens) error {
	if err := o.Evaluate(t); err != nil || !o.steers() || len(t.Entropy) == 0 {
		return err
	}
	if o.steered == nil {
		o.steered = &steering{State: o.start()}
	}
	s, sum := o.steered, 0.0
	for _, h := range t.Entropy {
		sum += h
	}
	s.sum, s.tokens = s.sum+sum, s.tokens+len(t.Entropy)
	if o.EntropyTarget == 0 {
		return nil
	}
	if s.Low = sum/float64(len(t.Entropy)) <= o.EntropyTarget; s.Low {
		s.Coef = min(s.Coef+o.EntropyDelta, o.EntropyMax)
	} else {
		s.Coef = max(s.Coef-o.EntropyDelta, 0)
	}
	return nil
}

// EndStep ends a step of a run: REPO-R's zeta moves by the mean entropy of the tokens of
// the step's updates.
//
// Below repo_target zeta goes up, above it down: a zeta of the sign that is wanted doubles, up to
// the size repo_max; one of the other sign is halved, and if that would make it smaller than
// repo_min, it takes this size and the other sign. That it is halved or doubled once a step towards
// a target of the entropy, and turns at the least size, are the words of the description of SkyRL's
// pull request 1896, and 1e-4 and 1 its sizes. Its code could not be read: that the bounds hold to
// the bit, and that zeta stays where the entropy is the target, is our own.
func (o *Function) EndStep() {
	s := o.steered
	if s == nil || s.tokens == 0 {
		return
	}
	mean := s.sum / float64(s.tokens)
	s.sum, s.tokens = 0, 0
	if o.RepoTarget == 0 || mean == o.RepoTarget {
		return
	}
	towards := 1.0
	if mean > o.RepoTarget {
		towards = -1
	}
	switch size := math.Abs(s.Zeta); {
	case s.Zeta*towards > 0:
		s.Zeta = towards * min(2*size, o.RepoMax)
	case size/2 < o.RepoMin:
		s.Zeta = towards * o.RepoMin
	default:
		s.Zeta /= 2
	}
}

func (o *Function) bonus() float64 {
	switch {
	case o.EntropyTarget == 0:
		return o.EntropyCoef
	case o.steered == nil || !o.steered.Low:
		return 0
	}
	return o.steered.Coef
}

func (o *Function) zeta() float64 {
	if o.RepoTarget == 0 || o.steered == nil {
		return o.Repo
	}
	return o.steered.Zeta
}

func (o *Function) checkSteering() error {
	size := math.Abs(o.Repo)
	switch {
	case o.EntropyTarget > 0 && (o.EntropyMax == 0 || o.EntropyMax < o.EntropyCoef):
		return params.Errorf("entropy_max", "got %v, want above 0 and at least entropy_coef, %v, with entropy_target (TRL: 1)", o.EntropyMax, o.EntropyCoef)
	case o.RepoTarget > 0 && (size < o.RepoMin || size > o.RepoMax):
		return params.Errorf("repo", "got %v, want a size from repo_min, %v, to repo_max, %v (SkyRL: 0.0001 and 1)", o.Repo, o.RepoMin, o.RepoMax)
	}
	return nil
}
