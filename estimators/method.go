package estimators

import (
	"fmt"
	"strings"

	"modebench/estimators/loss"
	"modebench/internal/each"
	"modebench/internal/nearest"
	"modebench/internal/params"
)

// A Method is an estimator with its objective, under the name its paper uses.
type Method struct {
	Name    string
	Summary string // one line
	Source  string // paper and section, or framework
	Trains  bool   // false for base and optimum
	// Candidates is the number of answers per rollout in the method's own
	// protocol: 3 for multi-answer chains (VPO sec. 4.1), else 1; never 0.
	Candidates int
	// Stops: a chain may end before its last answer, and names a final answer among
	// those it gave (SD-E2 sec. 3.1).
	Stops bool
	// Goals: the prompt states the weights that the group's rollouts are scored
	// under, Group.Weights (goal conditioning, VPO sec. 4.2).
	Goals bool
	// Optimum: no policy, but the exact optimum of each metric, which bounds the others.
	Optimum bool
	// Properties describe how advantages follow rewards under the defaults.
	Properties Properties
	// Target returns the objective that the advantages claim to increase, for Instance.Target.
	Target TargetOf
	// Estimator returns a fresh estimator with the method's defaults, Loss and Protocol
	// are theirs. New puts the three together.
	Estimator func() Estimator
	Loss      loss.Function
	Protocol  Protocol
}

// Protocol is how the groups of a step come about, beside the fields of [train] in a spec.
type Protocol struct {
	Votes       int `param:"votes" doc:"rollouts drawn per problem, of which the first train.group are trained on and the others only vote; 0: as many as are trained on" min:"0" max:"65536" late:"0"`
	Generations int `param:"generations" doc:"dynamic sampling (DAPO): groups whose scalar rewards are all equal are dropped, unless the method reads components and learns from theirs, and more problems drawn in their place, up to this many batches a step; 0: every group is kept" min:"0" max:"1000" late:"0"`
}

// Properties describe how advantages follow rewards under a method's defaults, but an epsilon of 0.
type Properties struct {
	ShiftInvariant bool  // adding a constant to the rewards of a group changes nothing
	Scale          Scale // the effect of multiplying the rewards by c > 0
	ZeroSum        bool  // the advantages of a group sum to 0
	// AcrossGroups: the groups of a batch are normalised together, so that ShiftInvariant and Scale
	// are about all of them at once and ZeroSum is about the batch.
	AcrossGroups bool
	// OrderMatters: the order of the rollouts matters (ties of a vote go to the answer seen first,
	// sets are drawn by place); else permuting them permutes the advantages.
	OrderMatters      bool
	VotersMatter      bool   // rollouts that are not trained on change the advantages
	MovesEqualRewards bool   // a group of equal rewards may have advantages other than 0
	Why               string // one line
}

// Scale is the effect of multiplying the rewards of a batch by c > 0 on its advantages.
type Scale string

// The kinds of Scale.
const (
	Neither   Scale = "neither"   // something else
	Invariant Scale = "invariant" // nothing
	Linear    Scale = "linear"    // multiplies them by c
)

// Rollouts describes in words the rollouts that the method's own protocol asks of a policy.
func (m Method) Rollouts() string {
	required, protocol := m.Estimator().Requirements(), m.Protocol
	var words []string
	switch {
	case m.Optimum:
		return "none: it is computed from the exact truth"
	case m.Stops:
		words = append(words, fmt.Sprintf("chains of 1 to %d answers (train.candidates), one of them final", m.Candidates))
	case m.Candidates > 1:
		words = append(words, fmt.Sprintf("chains of %d answers (train.candidates)", m.Candidates))
	case required.Chains:
		words = append(words, "one answer, or chains (train.candidates)")
	default:
		words = append(words, "one answer")
	}
	if m.Goals {
		words = append(words, "prompts state the weights")
	}
	if protocol.Votes > 0 {
		words = append(words, fmt.Sprintf("%d vote", protocol.Votes))
	}
	if protocol.Generations > 0 {
		words = append(words, "groups of equal rewards are drawn anew")
	}
	if required.RolloutFields&GroupGreedy != 0 {
		words = append(words, "a greedy one beside them")
	}
	return strings.Join(words, "; ")
}

// An Instance is a method whose fields can be set.
type Instance struct {
	Method    Method
	Estimator Estimator
	Loss      loss.Function
	Protocol  Protocol
	Rewards   Rewards
}

// New returns the method with its defaults.
func (m Method) New() *Instance {
	return &Instance{Method: m, Estimator: m.Estimator(), Loss: m.Loss, Protocol: m.Protocol}
}

// parts are the structs whose fields are the method's, in the order of listings.
func (i *Instance) parts() []any {
	if !i.Method.Trains {
		return nil
	}
	return []any{i.Estimator, &i.Loss, &i.Protocol, &i.Rewards}
}

// Requirements lists the facts that the method's estimator and its rewards read of a batch.
func (i *Instance) Requirements() Requirements {
	return i.Rewards.requirements(i.Estimator.Requirements())
}

// Advantages fills dst, as Estimator does, from the batch as the method's rewards have it.
func (i *Instance) Advantages(dst [][]float64, b *Batch) error {
	b, err := i.rewarded(b)
	if err != nil {
		return err
	}
	return i.Estimator.Advantages(dst, b)
}

// rewarded is the batch as the method's rewards have it.
func (i *Instance) rewarded(b *Batch) (*Batch, error) {
	if i.Rewards.Plain() {
		return b, nil
	}
	shaper, err := i.Rewards.compiled()
	if err != nil {
		return nil, err
	}
	return shaper.batch(b, i.Estimator.Requirements().Voters)
}

// Field returns a field of the estimator, the objective, the protocol or the rewards.
func (i *Instance) Field(name string) (params.Field, bool) {
	for _, part := range i.parts() {
		if f, ok := params.Lookup(part, name); ok {
			return f, true
		}
	}
	return params.Field{}, false
}

// Fields lists the fields of the estimator, then those of the objective, of the
// protocol and of the rewards. Base has no fields.
func (i *Instance) Fields() []params.Field {
	var out []params.Field
	for _, part := range i.parts() {
		out = append(out, params.Fields(part)...)
	}
	return out
}

// Unmet is params.Unmet of a field of the method. parts has the struct of the fields train.group
// and train.candidates, and that of reward.components, the number of the environment's.
func (i *Instance) Unmet(name string, parts map[string]any) string {
	part, err := i.holder(name)
	if err != nil {
		return ""
	}
	conditions := params.When(part, name)
	if estimator, ok := part.(conditional); ok {
		if when, replaced := estimator.when()[name]; replaced {
			conditions = when
		}
	}
	if _, ok := params.Lookup(part, "singleton"); ok && name != "singleton" {
		conditions += ",train.group>1|singleton=raw" // or all advantages are 0
	}
	return params.Unmet(part, conditions, parts)
}

// conditional is an estimator that states for some fields, in place of their tags, the
// values of other fields under which they are read.
type conditional interface{ when() map[string]string }

// Set sets a field from a decoded value; see params.Set. Fields may contradict each
// other until all are set; Check reports it.
func (i *Instance) Set(name string, value any) error {
	part, err := i.holder(name)
	if err != nil {
		return err
	}
	return i.named(params.Set(part, name, value))
}

// SetText sets a field from "name=value", as Set does.
func (i *Instance) SetText(pair string) error {
	name, _, _ := strings.Cut(pair, "=")
	part, err := i.holder(strings.TrimSpace(name))
	if err != nil {
		return err
	}
	return i.named(params.SetPair(part, pair))
}

// Check returns a params.FieldError for fields that contradict each other or do not compile.
func (i *Instance) Check() error {
	if checker, ok := i.Estimator.(interface{ Check() error }); ok {
		if err := checker.Check(); err != nil {
			return i.named(err)
		}
	}
	if err := i.Loss.Check(); err != nil {
		return i.named(err)
	}
	if err := i.CheckTokens(); err != nil {
		return err
	}
	if err := i.Rewards.checkMethod(i.Estimator.Requirements()); err != nil {
		return i.named(err)
	}
	return i.named(i.Rewards.check())
}

// named adds the method's name before an error.
func (i *Instance) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("method %s: %w", i.Method.Name, err)
}

// holder is the part of the method that has the field.
func (i *Instance) holder(name string) (any, error) {
	for _, part := range i.parts() {
		if _, ok := params.Lookup(part, name); ok {
			return part, nil
		}
	}
	known := each.Map(i.Fields(), func(f params.Field) string { return f.Name })
	if known == nil {
		return nil, fmt.Errorf("method %s: unknown field %q; it has no fields", i.Method.Name, name)
	}
	return nil, fmt.Errorf("method %s: unknown field %q; %sknown fields: %s", i.Method.Name, name, nearest.Within("method", name, known), strings.Join(known, ", "))
}

// Try evaluates the method's expressions on a made-up group whose rewards have that many
// components. Faults that every group would have are a params.FieldError: a missing
// component, a list of values that are no numbers.
func (i *Instance) Try(components int) error {
	if tester, ok := i.Estimator.(interface{ Try(components int) error }); ok {
		if err := tester.Try(components); err != nil {
			return i.named(err)
		}
	}
	return i.named(i.Rewards.try(components))
}

// RolloutAdvantages gives one advantage per group and rollout of a batch that came from outside, after
// a check that it holds what the method requires.
func (i *Instance) RolloutAdvantages(b *Batch) ([][]float64, error) {
	dst := NewAdvantages(b)
	err := i.Requirements().Check(b)
	if err == nil {
		err = i.Advantages(dst, b)
	}
	return dst, i.named(err)
}

// AllTokenAdvantages is RolloutAdvantages of a method with one advantage per token.
func (i *Instance) AllTokenAdvantages(b *Batch) ([][][]float64, error) {
	dst := NewTokenAdvantages(b)
	err := i.Requirements().Check(b)
	if err == nil {
		err = i.TokenAdvantages(dst, b)
	}
	return dst, i.named(err)
}

// Idle explains that a batch's groups are too small to teach anything; "" if they are not.
func (i *Instance) Idle(b *Batch) string {
	if why := i.Requirements().Idle(b); why != "" {
		return "method " + i.Method.Name + ": " + why
	}
	return ""
}
