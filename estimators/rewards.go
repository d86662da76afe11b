package estimators

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// ScalarUnread reports whether the shaping reads no scalar reward, and so no scalarisation.
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

var candidateVariables = []expression.Variable{
	{Name: "correct", Sample: false, Doc: "whether the candidate is correct"},
	{Name: "valid", Sample: false, Doc: "whether it parses"},
	{Name: "mode", Sample: "", Doc: `its mode, "" for a degenerate one`},
	{Name: "answer", Sample: "", Doc: `its final answer, "" for none`},
	{Name: "tokens", Sample: 0, Doc: "length of its rollout"},
}

var scalarisationVariables = slices.Concat([]expression.Variable{
	{Name: "vector", Sample: []float64{}, Doc: "the candidate's reward components"},
	{Name: "weights", Sample: []float64{}, Doc: "the weights w, or the group's if it has any"},
	{Name: "reward", Sample: 0.0, Doc: "w.r, which the expression takes the place of"},
	{Name: "d", Sample: 0, Doc: "how many components there are"},
}, candidateVariables)

var shapingVariables = slices.Concat([]expression.Variable{
	{Name: "reward", Sample: 0.0, Doc: "the candidate's scalar reward: w.r or the scalarisation"},
}, candidateVariables, []expression.Variable{
	{Name: "logprob", Sample: 0.0, Doc: "sum of its rollout's token log-probabilities"},
	{Name: "entropy", Sample: 0.0, Doc: "sum of its rollout's token entropies, nats"},
	{Name: "n", Sample: 0, Doc: "rollouts of the group that are trained on"},
	{Name: "group", Sample: &Lists{}, Doc: "group.reward, .correct, .valid, .mode, .answer, .tokens: lists over all candidates of those rollouts, in order"},
})

// A shaper turns a judged batch into the batch that an estimator sees, whose rewards have one
// component: the value of the expressions. It does not write to the judged batch.
type shaper struct {
	texts            [2]string // that it was compiled from
	scalarise, shape *expression.Program

	ctx        context.Context // of the evaluations
	shadow     Batch
	groups     []Group
	rollouts   []Rollout
	candidates []*envs.Verdict
	verdicts   []envs.Verdict
	numbers    []float64

	lists  Lists
	env    map[string]any // of a candidate
	voters bool           // rollouts that only vote are evaluated too
	failed string         // the field whose expression failed last
}

var unitWeight = []float64{1}

// batch is the batch under the expressions, valid until the next call. Rollouts that only
// vote are evaluated too if voters is set, else their rewards are 0.
func (s *shaper) batch(b *Batch, voters bool) (*Batch, error) {
	s.failed, s.voters, s.ctx = "", voters, b.Context
	s.reserve(b)
	if s.env == nil {
		s.env = map[string]any{}
	}
	s.env["group"] = &s.lists
	for g := range b.Groups {
		from := &b.Groups[g]
		to := s.copyGroup(from)
		if err := s.fill(from, to, from.Scalarisation(b)); err != nil {
			return nil, b.InGroup(g, err)
		}
	}
	s.shadow = *b
	s.shadow.Weights, s.shadow.Groups = unitWeight, s.groups
	s.shadow.CandidateFields |= envs.HasReward
	return &s.shadow, nil
}

// reserve makes room for the copy, so that slices that are pointed into do not move.
func (s *shaper) reserve(b *Batch) {
	rollouts, candidates := 0, 0
	for g := range b.Groups {
		rollouts += len(b.Groups[g].Rollouts)
		for i := range b.Groups[g].Rollouts {
			candidates += len(b.Groups[g].Rollouts[i].Candidates)
		}
	}
	s.groups = s.groups[:0]
	if cap(s.rollouts) < rollouts {
		s.rollouts = make([]Rollout, 0, rollouts)
	}
	if cap(s.verdicts) < candidates {
		s.verdicts, s.candidates = make([]envs.Verdict, 0, candidates), make([]*envs.Verdict, 0, candidates)
	}
	s.numbers = Resize(s.numbers, candidates)
	s.rollouts, s.verdicts, s.candidates = s.rollouts[:0], s.verdicts[:0], s.candidates[:0]
}

// copyGroup appends a copy of a group with rewards of its own, of one component that is 0.
func (s *shaper) copyGroup(from *Group) *Group {
	first := len(s.rollouts)
	for _, r := range from.Rollouts {
		start := len(s.candidates)
		for _, c := range r.Candidates {
			k := len(s.verdicts)
			s.numbers[k] = 0
			s.verdicts = append(s.verdicts, *c)
			s.verdicts[k].Reward = s.numbers[k : k+1 : k+1]
			s.candidates = append(s.candidates, &s.verdicts[k])
		}
		r.Candidates = s.candidates[start:len(s.candidates):len(s.candidates)]
		s.rollouts = append(s.rollouts, r)
	}
	s.groups = append(s.groups, Group{Problem: from.Problem, Greedy: from.Greedy, Rollouts: s.rollouts[first:len(s.rollouts):len(s.rollouts)]})
	return &s.groups[len(s.groups)-1]
}

// fill writes the rewards of a group. Lists of expressions hold rollouts that are trained on.
func (s *shaper) fill(from, to *Group, weights []float64) error {
	s.lists.Reset()
	trained := 0
	for i := range to.Rollouts {
		r := &to.Rollouts[i]
		if r.Train {
			trained++
		} else if !s.voters {
			continue
		}
		for k, c := range r.Candidates {
			x, err := s.scalar(from.Rollouts[i].Candidates[k], r, weights)
			if err != nil {
				return fmt.Errorf("rollout %d, candidate %d: %w", i, k, err)
			}
			c.Reward[0] = x
			if r.Train {
				s.lists.Add(x, c, r.Tokens)
			}
		}
	}
	if s.shape == nil {
		return nil
	}
	s.env["n"] = trained
	for i := range to.Rollouts {
		r := &to.Rollouts[i]
		if !r.Train && !s.voters {
			continue
		}
		s.env["logprob"], s.env["entropy"] = r.Logprob, r.Entropy
		for k, c := range r.Candidates {
			s.env["reward"] = c.Reward[0]
			s.candidate(c, r)
			x, err := s.shape.Number(s.ctx, s.env)
			if err != nil {
				s.failed = "shaping"
				return fmt.Errorf("rollout %d, candidate %d: shaping: %w", i, k, err)
			}
			c.Reward[0] = x
		}
	}
	return nil
}

func (s *shaper) scalar(c *envs.Verdict, r *Rollout, weights []float64) (float64, error) {
	if len(c.Reward) != len(weights) {
		return 0, fmt.Errorf("%d reward components for %d weights", len(c.Reward), len(weights))
	}
	x := c.Scalar(weights)
	if s.scalarise == nil {
		if x-x != 0 {
			return 0, fmt.Errorf("the scalar reward is %v, want a finite number", x)
		}
		return x, nil
	}
	s.env["reward"], s.env["vector"], s.env["weights"], s.env["d"] = x, c.Reward, weights, len(weights)
	s.candidate(c, r)
	x, err := s.scalarise.Number(s.ctx, s.env)
	if err != nil {
		s.failed = "scalarisation"
		return 0, fmt.Errorf("scalarisation: %w", err)
	}
	return x, nil
}

func (s *shaper) candidate(c *envs.Verdict, r *Rollout) {
	s.env["correct"], s.env["valid"] = c.Correct, c.Err == nil
	s.env["mode"], s.env["answer"], s.env["tokens"] = string(c.Mode), c.Answer, r.Tokens
}
