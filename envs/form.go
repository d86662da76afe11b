package envs

import (
	"fmt"
	"math/rand/v2"
)

// A Form selects the tasks that are made of an environment's problems. An encoding is for
// one form.
type Form struct {
	Answers int  // of a rollout at most, 1 to MaxChain; 1: problems themselves, else chains
	Stops   bool // chains stop (ChainOptions.Stops)
	Goals   bool // tasks are Goals
}

func (f Form) check() error {
	if f.Answers < 1 || f.Answers > MaxChain {
		return fmt.Errorf("a form of %d answers, want 1 to %d", f.Answers, MaxChain)
	}
	return nil
}

// draw draws how many answers a task asks for: in half of the cases the most that
// the form allows, else any number from 1 to that.
func (f Form) draw(r *rand.Rand) int {
	if f.Answers > 1 && r.IntN(2) == 0 {
		return 1 + r.IntN(f.Answers)
	}
	return f.Answers
}

// task makes a task of m answers to a problem, under a goal drawn from GoalWeights
// if the form has goals.
func (f Form) task(info Info, p Problem, m int, r *rand.Rand) (Task, error) {
	var t Task = p
	if m > 1 || f.Stops {
		c, err := NewChain(p, m, ChainOptions{Word: info.Word, Stops: f.Stops, Vocabulary: len(info.Vocabulary)})
		if err != nil {
			return nil, err
		}
		t = c
	}
	if f.Goals {
		goals := GoalWeights(len(info.Components))
		t = NewGoal(t, goals, r.IntN(len(goals)))
	}
	return t, nil
}

// An unwrapped task is a problem and the requests of its wrappers.
type unwrapped struct {
	problem Problem // nil: no problem inside
	asked   int     // answers
	stops   bool
	weights []float64 // of the goal; nil: no goal
}

func unwrap(t Task) unwrapped {
	u := unwrapped{asked: 1}
	for {
		switch layer := t.(type) {
		case Problem:
			u.problem = layer
			return u
		case *Chain:
			u.asked, u.stops = layer.m, layer.Stops()
		case *Goal:
			if u.weights == nil {
				u.weights = layer.weights // the weights of the policy's score
			}
		}
		w, ok := t.(Wrapper)
		if !ok {
			return u
		}
		t = w.Unwrap()
	}
}
