package reference

import (
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
)

// A Posed is a problem with how it is posed. It is safe for concurrent use.
type Posed struct {
	Problem envs.Problem
	Info    envs.Info
	Chain   *envs.Chain // nil for a single answer
	Weights []float64   // that score its answers: those of the pose, or w*
	Stated  bool        // the prompt states the weights
}

// Build makes the environment of a reference.
func (r *Reference) Build() (envs.Env, error) { return r.Config.Build() }

// Find makes the problem, posed by the reference. It is an error if the settings contradict
// each other, or if the pose does not fit the environment.
func (r *Reference) Find() (*Posed, error) {
	env, err := r.Build()
	if err != nil {
		return nil, fmt.Errorf("reference %.100q: %w", r, err)
	}
	return r.FindIn(env)
}

// FindIn is Find in the environment that Build has made.
func (r *Reference) FindIn(env envs.Env) (*Posed, error) {
	p, err := env.Problem(r.Split, r.Index)
	if err == nil {
		var q *Posed
		if q, err = NewPosed(env.Info(), p, r.Pose); err == nil {
			return q, nil
		}
	}
	return nil, fmt.Errorf("reference %.100q: %w", r, err)
}

// NewPosed poses a problem of an environment. A pose that does not fit is a *params.FieldError.
func NewPosed(info envs.Info, p envs.Problem, pose Pose) (*Posed, error) {
	if err := pose.check(); err != nil {
		return nil, err
	}
	q := &Posed{Problem: p, Info: info, Weights: info.Weights}
	if pose.Weights != nil {
		if len(pose.Weights) != len(info.Components) {
			return nil, params.Errorf("weights", "got %d numbers, want %d: %s", len(pose.Weights), len(info.Components), strings.Join(info.Components, ", "))
		}
		q.Weights, q.Stated = pose.Weights, true
	}
	if pose.Candidates > 1 {
		var err error
		if q.Chain, err = envs.NewChain(p, pose.Candidates, envs.ChainOptions{Word: info.Word, Stops: pose.Stops, Vocabulary: len(info.Vocabulary)}); err != nil {
			return nil, params.Errorf("candidates", "%w", err)
		}
	}
	return q, nil
}

// Prompt is the text that a model would get.
func (q *Posed) Prompt() string {
	text := q.Problem.PromptText()
	if q.Chain != nil {
		text = q.Chain.PromptText()
	}
	if q.Stated {
		text += "\n\n" + envs.GoalPrompt(q.Info.Components, q.Weights)
	}
	return text
}

// A Truth is the truth of a problem as documents have it.
type Truth struct {
	Best      float64     `json:"best"` // the highest scalar reward
	Front     [][]float64 `json:"front"`
	Modes     int         `json:"modes"`
	Solutions *int64      `json:"solutions"` // null if it is not known
}

// Truth is that of the problem, with the best reward under its weights.
func (q *Posed) Truth() Truth {
	truth := q.Problem.Truth()
	doc := Truth{Modes: len(truth.Modes), Front: truth.Front, Best: truth.Best(q.Weights)}
	if truth.Solutions >= 0 {
		doc.Solutions = &truth.Solutions
	}
	return doc
}

// Same reports whether two problems that are posed alike are the same: their prompts are
// equal, and so are their solutions. The numbers of a split may name a problem twice. A
// prompt tells all of the problem, from which its solutions follow, unless it has no
// tokens: a bandit's prompt does not show which arms are right.
func (q *Posed) Same(earlier *Posed) bool {
	if q.Prompt() != earlier.Prompt() {
		return false
	}
	if len(q.Problem.Prompt()) > 0 {
		return true
	}
	a, b := q.Problem.Truth(), earlier.Problem.Truth()
	return a.Solutions == b.Solutions && slices.Equal(a.Modes, b.Modes) &&
		slices.EqualFunc(a.Front, b.Front, slices.Equal[[]float64])
}
