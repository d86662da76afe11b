package estimators

import (
	"errors"

	"modebench/envs"
	"modebench/internal/expression"
	"modebench/internal/params"
)

// Rewards holds the expressions of a spec for the reward that an estimator sees of a
// candidate. The estimator sees rewards of one component under the weight 1, so an estimator that
// reads components (Requirements.Vectors) is refused. A penalty (kl_in_reward) is
// subtracted afterwards, and dynamic sampling drops groups by w*.r as before.
//
// Both expressions are evaluated for each candidate of the rollouts that are trained on.
// Only a plug-in may read the rewards of rollouts that only vote. For it they are evaluated
// too, while n and group stay those of the trained rollouts. For other methods they are 0.
type Rewards struct {
	Scalarisation string `param:"scalarisation" doc:"expression for the scalar reward of a candidate in place of w*.r: min(vector), correct ? vector[0] : 0; empty: w*.r" late:""`
	Shaping       string `param:"shaping" doc:"expression for the reward of a candidate in its group, from its scalar reward and more: reward - 0.01 * tokens, reward + 1 / same(group.mode, mode); empty: the scalar reward" late:""`

	shaper *shaper // nil until an expression is there
}

// Plain reports whether there is no expression.
func (r *Rewards) Plain() bool { return r.Scalarisation == "" && r.Shaping == "" }

// ScalarUnread reports whether the shaping reads no scalar reward, and so not the result of
// the scalarisation.
func (r *Rewards) ScalarUnread() bool {
	s, err := r.compiled()
	return err == nil && s.shape != nil && !s.shape.Has("reward") && !s.shape.Has("group.reward")
}

func (r *Rewards) check() error {
	if r.Plain() {
		return nil
	}
	s, err := r.compiled()
	if err != nil {
		return err
	}
	if s.scalarise != nil && (s.scalarise.Has("vector") || s.scalarise.Has("weights")) {
		return nil // how long vectors are is for Instance.Try to know
	}
	return r.try(1)
}

func (r *Rewards) checkMethod(reads Requirements) error {
	field := "scalarisation"
	if r.Scalarisation == "" {
		field = "shaping"
	}
	switch {
	case r.Plain():
		return nil
	case reads.CandidateFields&envs.HasReward == 0:
		return params.Errorf(field, "the method reads no rewards, so there is nothing to write an expression for")
	case reads.Vectors:
		return params.Errorf(field, "the method reads the components of rewards themselves, and an expression leaves one number in their place: it wants a method or objective of scalar rewards")
	case reads.RolloutFields&GroupGreedy != 0:
		return params.Errorf(field, "the method compares with the reward of a greedy answer, which no expression would change")
	}
	return nil
}

func (r *Rewards) requirements(n Requirements) Requirements {
	if r.Plain() {
		return n
	}
	s, err := r.compiled()
	if err != nil {
		return n // check reports the fault
	}
	for _, p := range []*expression.Program{s.scalarise, s.shape} {
		if p != nil {
			candidate, rollout := ExpressionReads(p)
			n.CandidateFields |= candidate
			n.RolloutFields |= rollout
		}
	}
	return n
}

func (r *Rewards) compiled() (*shaper, error) {
	if r.shaper != nil && r.shaper.texts == [2]string{r.Scalarisation, r.Shaping} {
		return r.shaper, nil
	}
	s := &shaper{texts: [2]string{r.Scalarisation, r.Shaping}}
	var err error
	if r.Scalarisation != "" {
		if s.scalarise, err = compileField("scalarisation", r.Scalarisation, scalarisationVariables); err != nil {
			return nil, err
		}
	}
	if r.Shaping != "" {
		if s.shape, err = compileField("shaping", r.Shaping, shapingVariables); err != nil {
			return nil, err
		}
	}
	r.shaper = s
	return s, nil
}

func (r *Rewards) try(components int) error {
	if r.Plain() {
		return nil
	}
	s, err := r.compiled()
	if err != nil {
		return err
	}
	g := TrialGroup(6, components)
	_, err = s.batch(&Batch{Weights: envs.UniformWeights(components), Groups: []Group{g}}, false)
	if s.failed == "" {
		return err
	}
	return TrialError(s.failed, err, components)
}

// scalar is the scalar reward of an answer by itself, before any shaping: the value of
// the scalarisation, or w.r. An answer by itself has no length.
func (r *Rewards) scalar(v *envs.Verdict, weights []float64) (float64, error) {
	s, err := r.compiled()
	if err != nil {
		return 0, err
	}
	if s.scalarise != nil && s.scalarise.Has("tokens") {
		return 0, errors.New("the scalarisation reads tokens, and answers alone have no length")
	}
	if s.env == nil {
		s.env = map[string]any{}
	}
	return s.scalar(v, &Rollout{}, weights)
}
