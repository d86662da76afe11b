package experiments

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/plugin"
	"modebench/experiments/record"
	"modebench/internal/params"
)

// A Spec is an experiment: every variant of its grid, what to show of them, and
// what it claims.
type Spec struct {
	Name     string
	Title    string
	Source   string   // paper and figure it re-makes
	Policy   string   // kind of policy of its methods
	Overlays []string // other kinds of policies that it says what changes under
	Seeds    int      // seeds 0 .. Seeds-1
	Variants []*Variant
	Columns  []string // metrics of the summary table
	Timings  bool     // show what the parts of a step take
	Figures  []record.Figure
	Claims   []record.Claim
	LeftOut  []LeftOut
	// Notes say, a line each, what of the spec does not hold under a kind of policy
	// that it was not written for.
	Notes []string
}

// LeftOut is a method that a spec does without on an environment, and why: one that "*"
// would stand for, or a row of a policy that the environment does not give. Method is
// what the spec calls it.
type LeftOut struct{ Method, Env, Why string }

// A Variant is a method at one point of the spec's grid.
type Variant struct {
	Label  string
	Name   string // what the spec calls the method; the method itself unless it says
	Method string
	Trains bool
	Axes   []record.Axis

	env, policy string
	defaults    string // the kind of policy whose defaults of training and evaluation hold: the spec's; "" is policy
	envKey      string // where the spec names its environment, for errors
	set         []assignment
	components  int  // of the environment's reward, once the variant is in a spec
	variants    bool // its verdicts carry variants; likewise
	votes       bool // its verdicts carry answers to vote with; likewise
	plugins     *pluginDesk
}

// An assignment sets one field of one part. Keeping them, and not the parts
// they make, lets every cell build parts of its own.
type assignment struct {
	part  string // "env", "policy", "train", "eval" or "method"
	field string
	value any
	key   string // where it stands in the spec, for errors
}

// parts is a variant, built.
type parts struct {
	envName   string
	envConfig envs.Config
	env       envs.Env
	policy    policyConfig
	method    *estimators.Instance
	train     Train
	eval      Eval
	protocol  protocol
}

// A placedError is a mistake at a key of the spec.
type placedError struct {
	key   string
	err   error
	unfit bool // the method and the environment are not for each other
	// policy: the kind of policy cannot do what nothing in the spec sets, such as a
	// default of another kind.
	policy bool
}

// build makes the parts and checks that they fit each other.
func (v *Variant) build() (*parts, *placedError) {
	def, err := envs.Lookup(v.env)
	if err != nil {
		return nil, &placedError{key: "env.name", err: err}
	}
	method, err := estimators.Lookup(v.Method)
	if err != nil {
		return nil, &placedError{key: "method.name", err: err}
	}
	kind, err := lookupPolicy(v.policy)
	if err != nil {
		return nil, &placedError{key: "policy.name", err: err}
	}
	defaults := kind
	if v.defaults != "" {
		if defaults, err = lookupPolicy(v.defaults); err != nil {
			return nil, &placedError{key: "policy.name", err: err}
		}
	}
	p := &parts{
		envName: v.env, envConfig: def.Default(), policy: kind.config(v.env), method: method.New(),
		train: defaults.train(), eval: defaults.eval(),
	}
	for _, a := range v.set {
		if err := p.assign(a); err != nil {
			return nil, &placedError{key: a.key, err: err}
		}
	}
	// What a plug-in needs is known before its fields are checked against that.
	if err := v.plugins.describe(p.method); err != nil {
		return nil, v.placed("method", params.Errorf("command", "%w", err))
	}
	if err := p.method.Check(); err != nil {
		return nil, v.placed("method", err)
	}
	if err := p.train.check(); err != nil {
		return nil, v.placed("train", err)
	}
	if err := p.eval.check(); err != nil {
		return nil, v.placed("eval", err)
	}
	if p.eval.Problems == 0 {
		p.eval.Problems = p.train.Problems
	}
	if p.eval.Keep > p.eval.Problems {
		return nil, v.placed("eval", params.Errorf("keep", "got %d, want at most as many as are evaluated, %d", p.eval.Keep, p.eval.Problems))
	}
	if err := p.checkProtocol(); err != nil {
		return nil, v.placed("method", err)
	}
	if p.env, err = p.envConfig.Build(); err != nil {
		return nil, v.placed("env", err)
	}
	if _, err := p.env.Problem(envs.Train, 0); err != nil {
		return nil, v.placed("env", err)
	}
	info := p.env.Info()
	if err := p.method.Try(len(info.Components)); err != nil {
		return nil, v.placed("method", err)
	}
	p.setProtocol(method)
	if part, err := p.policy.check(p); err != nil {
		at := v.placed(part, err)
		at.unfit, at.policy = errors.Is(err, errNoBaseline), at.key == part
		return nil, at
	}
	if method.Trains {
		if err := p.method.Requirements().CheckEnv(info.Provides(), p.longest(), p.train.Group, p.train.Candidates); err != nil {
			at := v.placed("method", fmt.Errorf("method %s on %s: %w", v.Method, v.env, err))
			at.unfit = true
			return nil, at
		}
		if lack := (p.method.Requirements().RolloutFields &^ p.protocol.facts()).Names(); lack != nil {
			return nil, v.placed("method", fmt.Errorf("method %s needs %s of every rollout, which only chains that may stop have: stops = true in train", v.Method, strings.Join(lack, " and ")))
		}
	}
	p.method.Loss.MaxTokens = p.longest() * p.train.Candidates
	return p, nil
}

// longest is the most tokens that an answer takes, with the word after it where
// chains may stop.
func (p *parts) longest() int {
	n := p.env.Info().MaxAnswer
	if p.train.Stops {
		n++
	}
	return n
}

// checkProtocol says what the method's protocol and training contradict each other
// in.
func (p *parts) checkProtocol() error {
	votes := p.method.Protocol.Votes
	if votes != 0 && votes < p.train.Group {
		return params.Errorf("votes", "%d rollouts of method %s vote, want at least those that are trained on, train.group = %d, or 0 for those alone", votes, p.method.Method.Name, p.train.Group)
	}
	if p.drawn()*p.train.Batch*max(1, p.train.Candidates) > maxRollouts {
		return params.Errorf("votes", "%d rollouts for each of %d problems are more than %d answers a step", votes, p.train.Batch, maxRollouts)
	}
	reads := p.method.Requirements().CandidateFields
	if p.method.Protocol.Generations > 0 && reads&(envs.HasReward|envs.HasCorrect) == 0 {
		return params.Errorf("generations", "method %s is told no rewards, which dynamic sampling would drop groups by", p.method.Method.Name)
	}
	if _, penalises := p.method.Loss.Penalises(); penalises && p.method.Requirements().NoPenalty {
		return params.Errorf("kl_in_reward", "method %s has no single reward per rollout that may become any number, so no divergence can be taken from it", p.method.Method.Name)
	}
	return nil
}

// placed puts an error at the last place that sets the field it names, or at the
// part. What a method does not fit is a field of training.
func (v *Variant) placed(part string, err error) *placedError {
	at := &placedError{key: part, err: err}
	if part == "env" && v.envKey != "" {
		at.key = v.envKey
	}
	var field *params.FieldError
	if errors.As(err, &field) {
		for _, a := range v.set {
			if (a.part == part || part == "method" && a.part == "train") && a.field == field.Field {
				at.key = a.key
			}
		}
	}
	return at
}

func (p *parts) assign(a assignment) error {
	switch a.part {
	case "env":
		return params.Set(p.envConfig, a.field, a.value)
	case "policy":
		return params.Set(p.policy, a.field, a.value)
	case "train":
		return params.Set(&p.train, a.field, a.value)
	case "eval":
		return params.Set(&p.eval, a.field, a.value)
	}
	return p.method.Set(a.field, a.value)
}

// cell is the record of what one seed of the variant runs.
func (v *Variant) cell(p *parts, seed int) record.Cell {
	c := record.Cell{
		Version: record.Version,
		Env:     record.Component{Name: v.env, Params: params.Values(p.envConfig)},
		Policy:  record.Component{Name: v.policy, Params: params.Values(p.policy)},
		Method:  v.Method,
		Train:   params.Values(&p.train),
		Eval:    params.Values(&p.eval),
		Seed:    seed,
	}
	if version := p.policy.version(); version > 0 {
		c.Policy.Params["version"] = version
	}
	if p.method.Method.Trains {
		c.Estimator = params.Values(p.method.Estimator)
		if program, ok := p.method.Estimator.(*plugin.Plugin); ok {
			c.Estimator["sha256"] = program.Description().Hashes
		}
		c.Objective = params.Values(&p.method.Loss)
		c.Protocol = params.Values(&p.method.Protocol)
		c.Rewards = params.Values(&p.method.Rewards)
	}
	return c
}

// An axis is a field of the spec that lists several values.
type axis struct {
	part, field, key string
	values           []any
}

// name is what filters and figures call the axis: fields of the method stand
// alone, others behind their part.
func (a axis) name() string {
	if a.part == "method" {
		return a.field
	}
	return a.part + "." + a.field
}

// product calls f with every combination of one value per axis; the last axis
// varies fastest.
func product(axes []axis, f func(values []any)) {
	values := make([]any, len(axes))
	var walk func(i int)
	walk = func(i int) {
		if i == len(axes) {
			f(values)
			return
		}
		for _, v := range axes[i].values {
			values[i] = v
			walk(i + 1)
		}
	}
	walk(0)
}

// at applies one value per axis to a copy of the variant.
func (v Variant) at(axes []axis, values []any) *Variant {
	v.set = append([]assignment(nil), v.set...)
	v.Axes = append([]record.Axis(nil), v.Axes...)
	for i, a := range axes {
		v.set = append(v.set, assignment{a.part, a.field, values[i], a.key})
		v.Axes = append(v.Axes, record.Axis{Field: a.name(), Value: valueText(values[i])})
	}
	return &v
}

// label names the variant by its method and its axes, the method's own first.
func (v *Variant) label() string {
	words := []string{v.Name}
	for _, own := range []bool{true, false} {
		for _, a := range v.Axes {
			if strings.Contains(a.Field, ".") != own {
				words = append(words, a.Field[strings.IndexByte(a.Field, '.')+1:]+"="+a.Value)
			}
		}
	}
	return strings.Join(words, " ")
}

// valueText writes an axis value; whole floats look like the integers they may
// have been written as, so that filters match either.
func valueText(value any) string {
	if x, ok := value.(float64); ok && x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprint(value)
}
