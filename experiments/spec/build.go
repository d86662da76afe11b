package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/params"
)

// A placedError is a mistake at a key of the spec.
type placedError struct {
	key   string
	err   error
	unfit bool // the method and the environment do not go together
	// policy: the kind of policy does not fit a value that the spec does not set, such as a
	// default of another kind.
	policy bool
}

// SetupFor builds the variant for one of the spec's seeds, with the draw of problems and the
// base policy that the seed has where seeds are nested. Each call makes parts of its own, so
// that runs share none.
func (v *Variant) SetupFor(seed int) (*Setup, error) {
	if v.nested == nil {
		return v.Setup()
	}
	kind, err := lookupPolicy(v.policy)
	if err != nil {
		return nil, err
	}
	own := *v
	own.set = slices.Concat(v.set, nestedFields(v.nested, kind.config(v.Env), seed))
	return own.Setup()
}

// Setup builds the variant for what depends on no seed. Where seeds are nested, its problems
// are the published ones, which no seed has; its Cell is right for every seed all the same.
func (v *Variant) Setup() (*Setup, error) {
	p, at := v.build()
	if at != nil {
		return nil, at.err
	}
	return p, nil
}

// build makes the parts and checks that they fit each other.
func (v *Variant) build() (*Setup, *placedError) {
	def, err := envs.Lookup(v.Env)
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
	p := &Setup{
		EnvName: v.Env, EnvConfig: def.Default(), policyName: v.policy, Policy: kind.config(v.Env), Method: method.New(),
		Train: defaults.train(), Eval: defaults.eval(), plugins: v.plugins, nested: v.nested,
	}
	for _, a := range v.set {
		if err := p.assign(a); err != nil {
			return nil, &placedError{key: a.key, err: err}
		}
	}
	// What a plug-in needs is known before its fields are checked against that.
	if err := v.plugins.describe(p.Method); err != nil {
		return nil, v.placed("method", params.Errorf("command", "%w", err))
	}
	if err := p.Method.Check(); err != nil {
		return nil, v.placed("method", err)
	}
	if err := p.Train.check(); err != nil {
		return nil, v.placed("train", err)
	}
	if err := p.Eval.check(); err != nil {
		return nil, v.placed("eval", err)
	}
	if p.ownProblems = p.Eval.Problems > 0; !p.ownProblems {
		p.Eval.Problems = p.Train.Problems
	}
	if p.Eval.Keep > p.Eval.Problems {
		return nil, v.placed("eval", params.Errorf("keep", "got %d, want at most as many as are evaluated, %d", p.Eval.Keep, p.Eval.Problems))
	}
	if err := p.checkProtocol(); err != nil {
		return nil, v.placed("method", err)
	}
	if p.Env, err = p.EnvConfig.Build(); err != nil {
		return nil, v.placed("env", err)
	}
	if _, err := p.Env.Problem(envs.Train, 0); err != nil {
		return nil, v.placed("env", err)
	}
	info := p.Env.Info()
	if err := p.Method.Try(len(info.Components)); err != nil {
		return nil, v.placed("method", err)
	}
	p.setForm(method)
	if part, err := p.Policy.check(p); err != nil {
		at := v.placed(part, err)
		at.unfit, at.policy = errors.Is(err, errNoBaseline), at.key == part
		return nil, at
	}
	if method.Trains {
		if err := p.Method.Requirements().CheckEnv(info.Provides(), p.longest(), p.Train.Group, p.Train.Candidates); err != nil {
			at := v.placed("method", fmt.Errorf("method %s on %s: %w", v.Method, v.Env, err))
			at.unfit = true
			return nil, at
		}
		if err := p.Method.CheckTokens(); err != nil {
			return nil, v.placed("method", err)
		}
		if err := p.checkKnown(); err != nil {
			at := v.placed("method", err)
			at.unfit = true
			return nil, at
		}
	}
	p.Method.Loss.MaxTokens = p.longest() * p.Train.Candidates
	return p, nil
}

// checkKnown says what the method needs of every rollout that this training does not know.
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

// checkProtocol says where the method's protocol and the fields of training contradict each
// other.
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

// placed gives an error the key that last sets the field it names, or else its part. An
// error of a method may name a field of training.
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

// setForm resolves what a rollout is. A train.candidates of 0 becomes what the method's
// paper has, so that the cell says it.
func (p *Setup) setForm(method estimators.Method) {
	if p.Train.Candidates == 0 {
		p.Train.Candidates = method.Candidates
	}
	p.Train.Stops = p.Train.Stops || method.Stops
	if method.Goals {
		p.Goals = envs.GoalWeights(len(p.Env.Info().Components))
	}
}
