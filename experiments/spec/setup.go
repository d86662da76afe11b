package spec

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/plugin"
	"modebench/experiments/record"
	"modebench/internal/params"
	"modebench/policies/transformer"
)

// A Setup is a variant, built: all that one run is made of but its seed.
type Setup struct {
	EnvName    string
	EnvConfig  envs.Config
	Env        envs.Env
	policyName string // its kind
	Policy     Policy
	Method     *estimators.Instance
	Train      Train
	Eval       Eval
	// Goals are the weights that a prompt can state, [goal][component]; nil: prompts state no goal.
	Goals [][]float64
	// Problems gives problem number index of a split, if runs of one environment share its
	// problems; nil: Env gives them.
	Problems func(split envs.Split, index int) (envs.Problem, error)

	ownProblems bool // [eval] has its own number of problems
	plugins     *pluginCache
	nested      record.Nested // the spec's
}

// Bare is a method under the defaults of training and evaluation, without an environment and a policy.
func Bare(m estimators.Method) *Setup {
	return &Setup{Method: m.New(), Train: *tabularTrain(), Eval: *tabularEval()}
}

// Set sets a field by its key in a [[method]] of a spec: one of the method, or of its own training or
// evaluation, such as train.lr or eval.temperature.
func (p *Setup) Set(key string, value any) error {
	part, field, dotted := strings.Cut(key, ".")
	switch {
	case !dotted:
		return p.Method.Set(key, value)
	case part == "train":
		return params.Set(&p.Train, field, value)
	case part == "eval" && slices.Contains(methodEval, field):
		return params.Set(&p.Eval, field, value)
	}
	return fmt.Errorf("a method has no field %q of its own: want train.FIELD, or eval. and one of %s", key, strings.Join(methodEval, ", "))
}

// Problem is problem number index of a split.
func (p *Setup) Problem(split envs.Split, index int) (envs.Problem, error) {
	if p.Problems != nil {
		return p.Problems(split, index)
	}
	return p.Env.Problem(split, index)
}

// longest is the most tokens that an answer takes, with the word after it if chains may stop.
func (p *Setup) longest() int {
	n := p.Env.Info().MaxAnswer
	if p.Train.Stops {
		n++
	}
	return n
}

// Cell is the record of one seed of the variant.
func (p *Setup) Cell(seed int) record.Cell {
	c := record.Cell{
		Version: record.Version,
		Env:     record.Component{Name: p.EnvName, Params: params.Values(p.EnvConfig)},
		Policy:  record.Component{Name: p.policyName, Params: params.Values(p.Policy)},
		Method:  p.Method.Method.Name,
		Train:   params.Values(&p.Train),
		Eval:    params.Values(&p.Eval),
		Seed:    seed,
	}
	p.Reseed(&c, seed)
	if _, ok := p.Policy.(*TransformerPolicy); ok {
		c.Policy.Params["version"] = transformer.Version
	}
	if p.Method.Method.Trains {
		c.Estimator = params.Values(p.Method.Estimator)
		if program, ok := p.Method.Estimator.(*plugin.Plugin); ok {
			c.Estimator["sha256"] = program.Description().Hashes
		}
		c.Objective = params.Values(&p.Method.Loss)
		c.Protocol = params.Values(&p.Method.Protocol)
		c.Rewards = params.Values(&p.Method.Rewards)
	}
	return c
}

// Reseed makes a cell of the setup, in place, that of another seed. That takes a small part of
// the time of Cell.
func (p *Setup) Reseed(c *record.Cell, seed int) {
	c.Seed = seed
	for _, a := range nestedFields(p.nested, p.Policy, seed) {
		part := c.Env
		if a.part == "policy" {
			part = c.Policy
		}
		part.Params[a.field] = a.value
	}
}

// Form is the form of the tasks: how many answers a rollout holds, whether it may stop
// before the last one, and whether the prompt states a goal.
func (p *Setup) Form() envs.Form {
	return envs.Form{Answers: p.Train.Candidates, Stops: p.Train.Stops, Goals: p.Method.Method.Goals}
}

func (p *Setup) contexts() bool {
	return p.Train.Candidates > 1 || p.Train.Stops || p.Method.Method.Goals
}

// KnownFields are the fields that estimators can read of every rollout, besides verdicts.
func (p *Setup) KnownFields() estimators.RolloutFields {
	known := estimators.RolloutTokens | estimators.RolloutLogprob | estimators.RolloutEntropy | estimators.GroupGreedy
	if p.Train.Stops {
		known |= estimators.RolloutFinal
	}
	// Lists of tokens that are asked for are gathered.
	lists := estimators.AllTokenFields
	if p.Train.OffPolicy() || p.Train.TopP < 1 {
		lists &^= samplersOwn
	}
	return known | p.Method.Requirements().RolloutFields&lists
}

// samplersOwn are computed from the policy after it sampled: rollouts keep no distributions.
const samplersOwn = estimators.TokenSquares | estimators.TokenLegal

// Drawn is how many rollouts of a problem are drawn: those that are trained on,
// and those that only vote.
func (p *Setup) Drawn() int { return max(p.Train.Group, p.Method.Protocol.Votes) }

// Steps is how many training steps a run makes.
func (p *Setup) Steps() int {
	if !p.Method.Method.Trains {
		return 0
	}
	return p.Train.Steps
}

// A Policy holds the parameters of a kind of policy: a pointer to a struct whose
// fields carry the tags of package internal/params.
type Policy interface {
	// check finds a requirement of the other parts that the policy cannot meet, and names the
	// part of the spec with the requirement.
	check(p *Setup) (part string, err error)
	// Problem is the problem as the policy reads it.
	Problem(envs.Problem) (envs.Problem, error)
	// ByModes reports that the state of a chain has the modes that earlier answers found, and
	// not only the number of the answer.
	ByModes() bool
	// readers are who else than the judge reads fields of the environment's Config.
	readers(envs.Env) []string
}

// OpenPlugin starts the method's plug-in, if it is one, and returns a function that ends it.
// notes gets the plug-in's standard error, line by line, each after name, the name of the run.
// Tracebacks that another run of the spec has shown are left out. notes may be nil.
func (p *Setup) OpenPlugin(ctx context.Context, name string, notes func(line string)) (end func() error, err error) {
	program, ok := p.Method.Estimator.(*plugin.Plugin)
	if !ok {
		return func() error { return nil }, nil
	}
	host, shown := plugin.Host{}, new(sync.Map)
	if d := p.plugins; d != nil {
		host, shown = d.host(), &d.tracebacks
	}
	if notes == nil {
		return program.Close, program.Open(ctx, host)
	}
	writer := &noteWriter{prefix: name + ": ", note: notes, shown: shown}
	host.Stderr = writer
	end = func() error {
		err := program.Close()
		writer.flush() // a traceback cut off by the end
		return err
	}
	return end, program.Open(ctx, host)
}

// A pluginCache holds the descriptions of a spec's plug-ins: each is asked once, however many
// variants it has, or only identified if plug-ins may not be started. A nil cache is empty.
type pluginCache struct {
	ctx     context.Context // of reading the spec
	dir     string          // of the spec: commands are started there
	timeout time.Duration
	start   func(line string) error // LoadOptions.StartPlugin
	mu      sync.Mutex
	known   map[string]plugin.Description // by command and files

	tracebacks sync.Map // of all runs, by text
}

func newPluginCache(dir string, opt LoadOptions) *pluginCache {
	ctx := cmp.Or(opt.Context, context.Background())
	return &pluginCache{ctx: ctx, dir: dir, timeout: opt.PluginTimeout, start: opt.StartPlugin, known: map[string]plugin.Description{}}
}

// describe gives the method the description of its plug-in. It leaves other methods alone.
func (d *pluginCache) describe(method *estimators.Instance) error {
	program, ok := method.Estimator.(*plugin.Plugin)
	if !ok {
		return nil
	}
	if d == nil { // a variant that was not read from a spec
		d = newPluginCache(".", LoadOptions{})
	}
	text, err := json.Marshal([][]string{program.Command, program.Files})
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.known[string(text)]; ok {
		program.SetDescription(known)
		return nil
	}
	if d.start == nil {
		err = program.Identify(d.dir)
	} else {
		err = program.Describe(d.ctx, d.host())
	}
	if err != nil {
		return err
	}
	d.known[string(text)] = program.Description()
	return nil
}

func (d *pluginCache) host() plugin.Host {
	return plugin.Host{Dir: d.dir, Timeout: d.timeout, Start: d.start}
}

// A noteWriter passes on a plug-in's standard error, one line a Write. A traceback of Python is
// passed on whole, and only once: the same mistake ends every seed.
type noteWriter struct {
	prefix string
	note   func(string)
	shown  *sync.Map // tracebacks by text
	held   []string  // of a traceback that has begun
}

// tracebackHeader begins every traceback. Its frames are indented, and the first line that
// is not, the error, ends it.
const tracebackHeader = "Traceback (most recent call last):"

// Write implements io.Writer.
func (w *noteWriter) Write(p []byte) (int, error) {
	line := strings.TrimRight(string(p), "\r\n")
	switch {
	case line == tracebackHeader:
		w.flush()
		w.held = append(w.held, line)
	case len(w.held) == 0:
		w.note(w.prefix + line)
	case strings.HasPrefix(line, " "):
		w.held = append(w.held, line)
	default:
		w.held = append(w.held, line)
		if _, shown := w.shown.LoadOrStore(strings.Join(w.held, "\n"), true); shown {
			w.held = w.held[:0]
		}
		w.flush()
	}
	return len(p), nil
}

func (w *noteWriter) flush() {
	for _, line := range w.held {
		w.note(w.prefix + line)
	}
	w.held = w.held[:0]
}
