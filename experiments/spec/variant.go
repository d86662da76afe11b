package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/record"
	"modebench/internal/params"
	"modebench/internal/visible"
)

// A Variant is a method at one point of the spec's grid.
type Variant struct {
	Label  string
	Name   string // the method's name in the spec: its label, if it has one
	Method string
	Trains bool
	Axes   []record.Axis

	Env, policy string
	defaults    string // the kind of policy whose defaults of training and evaluation hold: the spec's; "" is policy
	envTable    *node  // of its environment in the spec, for errors
	set         []assignment
	components  int  // of the environment's reward, once the variant is in a spec
	variants    bool // its verdicts carry variants; likewise
	votes       bool // its verdicts carry answers to vote with; likewise
	plugins     *pluginCache
	nested      record.Nested // the spec's

	// The following are found once the variant is in a spec.
	idle    map[*node]string // why an assignment's field is idle, by its value
	unmoved []string         // fields of the objective that one update a batch leaves without effect
}

// An assignment sets one field of one part. Variants hold these, so that every cell builds its
// parts.
type assignment struct {
	part  string // "env", "policy", "train", "eval" or "method"
	field string
	value any
	node  *node // in the spec
	index int   // of the value among those of its axis
	named bool  // it is an axis of the variant
	// listed: the value is one of several that the spec tries each.
	listed bool
}

func (v Variant) with(set []assignment) *Variant {
	v.set = slices.Concat(v.set, set)
	v.Axes = slices.Clone(v.Axes)
	for _, a := range set {
		if !a.named {
			continue
		}
		field := a.field // of the method, or else behind its part
		if a.part != "method" {
			field = a.part + "." + field
		}
		v.Axes = append(v.Axes, record.Axis{Field: field, Value: valueText(a.value)})
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

// valueText writes an axis value: a whole float as an integer, so that filters match either.
func valueText(value any) string {
	if x, ok := value.(float64); ok && x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return visible.Text(fmt.Sprint(value))
}

// OneProblem reports whether a single problem is the whole task of the variant's environment.
func (v *Variant) OneProblem() bool {
	def, err := envs.Lookup(v.Env)
	return err == nil && def.OneProblem
}

// Record is the variant as the manifest writes it, without cells.
func (v *Variant) Record() record.Variant {
	return record.Variant{Label: v.Label, Name: v.Name, Method: v.Method, Trains: v.Trains, Tokens: v.tokens(), Axes: v.Axes}
}

// tokens is the budget of tokens that the spec gives the variant, 0 without one.
func (v *Variant) tokens() int {
	budget := 0
	for _, a := range v.set {
		if n, ok := a.value.(int64); ok && v.Trains && a.part == "train" && a.field == "tokens" {
			budget = int(n)
		}
	}
	return budget
}

// A placedError is a mistake at a field of the spec, or in one of its parts.
type placedError struct {
	part  string
	field *node // nil: the part as a whole
	err   error
	unfit bool // the method and the environment do not go together
	// policy: the kind of policy does not fit a value that the spec does not set, such as a
	// default of another kind.
	policy bool
}

// SetupFor builds the variant for one of the spec's seeds, with the seed's draw of problems and
// base policy if seeds are nested. Each call makes parts of its own, so that runs share nothing.
func (v *Variant) SetupFor(seed int) (*Setup, error) {
	if v.nested == nil {
		return v.Setup()
	}
	kind, err := lookupPolicy(v.policy)
	if err != nil {
		return nil, err
	}
	seeded := *v
	seeded.set = slices.Concat(v.set, nestedFields(v.nested, kind.config(v.Env), seed))
	return seeded.Setup()
}

// Setup builds the variant without a seed. If seeds are nested, its problems are the published
// ones, which no seed has; its Cell is still right for every seed.
func (v *Variant) Setup() (*Setup, error) {
	p, mistake := v.build()
	if mistake != nil {
		return nil, mistake.err
	}
	return p, nil
}

func (v *Variant) build() (*Setup, *placedError) {
	p, mistake := v.assemble()
	if mistake != nil {
		return nil, mistake
	}
	// The order counts: each check takes for granted those before it. The needs of a plug-in
	// are known before its fields are checked against them.
	for _, step := range []struct {
		part  string
		check func() error
	}{
		{"method", func() error {
			if err := v.plugins.describe(p.Method); err != nil {
				return params.Errorf("command", "%w", err)
			}
			return nil
		}},
		{"method", p.Method.Check},
		{"train", p.Train.check},
		{"eval", p.Eval.check},
		{"eval", p.countProblems},
		{"method", p.checkProtocol},
		{"env", p.open},
		{"method", func() error { return p.Method.Try(len(p.Env.Info().Components)) }},
	} {
		if err := step.check(); err != nil {
			return nil, v.placed(step.part, err)
		}
	}
	p.setForm()
	if part, err := p.Policy.check(p); err != nil {
		mistake := v.placed(part, err)
		mistake.unfit, mistake.policy = errors.Is(err, errNoBaseline), mistake.field == nil
		return nil, mistake
	}
	if mistake := v.checkTraining(p); mistake != nil {
		return nil, mistake
	}
	p.Method.Loss.MaxTokens = p.longest() * p.Train.Candidates
	return p, nil
}

func (v *Variant) assemble() (*Setup, *placedError) {
	def, noEnv := envs.Lookup(v.Env)
	method, noMethod := estimators.Lookup(v.Method)
	kind, noKind := lookupPolicy(v.policy)
	defaults, noDefaults := lookupPolicy(cmp.Or(v.defaults, v.policy))
	if err := cmp.Or(noEnv, noMethod, noKind, noDefaults); err != nil {
		return nil, &placedError{part: "method", err: err}
	}
	p := &Setup{
		EnvName: v.Env, EnvConfig: def.Default(), policyName: v.policy, Policy: kind.config(v.Env), Method: method.New(),
		Train: *defaults.train(), Eval: *defaults.eval(), plugins: v.plugins, nested: v.nested,
	}
	for _, a := range v.set {
		if err := p.assign(a); err != nil {
			return nil, &placedError{part: a.part, field: a.node, err: err}
		}
	}
	return p, nil
}

func (v *Variant) checkTraining(p *Setup) *placedError {
	if !p.Method.Method.Trains {
		return nil
	}
	unfit := p.Method.Requirements().CheckEnv(p.Env.Info().Provides(), p.longest(), p.Train.Group, p.Train.Candidates)
	if unfit != nil {
		unfit = fmt.Errorf("method %s on %s: %w", v.Method, v.Env, unfit)
	} else if err := p.Method.CheckTokens(); err != nil {
		return v.placed("method", err)
	} else {
		unfit = p.checkKnown()
	}
	if unfit == nil {
		return nil
	}
	mistake := v.placed("method", unfit)
	mistake.unfit = true
	return mistake
}

func (p *Setup) countProblems() error {
	if p.ownProblems = p.Eval.Problems > 0; !p.ownProblems {
		p.Eval.Problems = p.Train.Problems
	}
	if p.Eval.Keep > p.Eval.Problems {
		return params.Errorf("keep", "got %d, want at most as many as are evaluated, %d", p.Eval.Keep, p.Eval.Problems)
	}
	return nil
}

// open builds the environment, whose parameters have to leave problems.
func (p *Setup) open() (err error) {
	if p.Env, err = p.EnvConfig.Build(); err == nil {
		_, err = p.Env.Problem(envs.Train, 0)
	}
	return err
}

func (p *Setup) checkKnown() error {
	lack := p.Method.Requirements().RolloutFields &^ p.KnownFields()
	if lack == 0 {
		return nil
	}
	why := "which only chains that may stop have: stops = true in train"
	if lack&samplersOwn != 0 {
		why = "which are known of the policy that learns alone: want train.lag = 0, top_p = 1, sampler_temperature = 1 and sampler_bits = 0, so that it draws the rollouts"
	}
	return fmt.Errorf("method %s: %w", p.Method.Method.Name, fmt.Errorf("needs %s of every rollout, %s", strings.Join(lack.Names(), " and "), why))
}

func (p *Setup) checkProtocol() error {
	votes := p.Method.Protocol.Votes
	if votes != 0 && votes < p.Train.Group {
		return params.Errorf("votes", "%d rollouts of method %s vote, want at least those that are trained on, train.group = %d, or 0 for those alone", votes, p.Method.Method.Name, p.Train.Group)
	}
	if p.Drawn()*p.Train.Batch*max(1, p.Train.Candidates) > maxRollouts {
		return params.Errorf("votes", "%d rollouts for each of %d problems are more than %d answers a step", votes, p.Train.Batch, maxRollouts)
	}
	reads := p.Method.Requirements().CandidateFields
	if p.Method.Protocol.Generations > 0 && reads&(envs.HasReward|envs.HasCorrect) == 0 {
		return params.Errorf("generations", "method %s reads no rewards, and dynamic sampling would drop groups by them", p.Method.Method.Name)
	}
	if _, penalises := p.Method.Loss.Penalises(); penalises && p.Method.Requirements().NoPenalty {
		return params.Errorf("kl_in_reward", "method %s has no single reward per rollout that may become any number, so no divergence can be taken from it", p.Method.Method.Name)
	}
	return nil
}

// placed gives an error the value that last sets the field it names, if the spec has one. An
// error of a method may name a field of training.
func (v *Variant) placed(part string, err error) *placedError {
	mistake := &placedError{part: part, err: err}
	if field, ok := errors.AsType[*params.FieldError](err); ok {
		for _, a := range v.set {
			if (a.part == part || part == "method" && a.part == "train") && a.field == field.Field {
				mistake.field = a.node
			}
		}
	}
	return mistake
}

func (p *Setup) assign(a assignment) error {
	switch a.part {
	case "env":
		return params.Set(p.EnvConfig, a.field, a.value)
	case "policy":
		return params.Set(p.Policy, a.field, a.value)
	case "train":
		return params.Set(&p.Train, a.field, a.value)
	case "eval":
		return params.Set(&p.Eval, a.field, a.value)
	}
	return p.Method.Set(a.field, a.value)
}

// setForm resolves the form of a rollout, train.candidates = 0 as the number of the method's paper.
func (p *Setup) setForm() {
	method := p.Method.Method
	p.Train.Candidates = cmp.Or(p.Train.Candidates, method.Candidates)
	p.Train.Stops = p.Train.Stops || method.Stops
	if method.Goals {
		p.Goals = envs.GoalWeights(len(p.Env.Info().Components))
	}
}
