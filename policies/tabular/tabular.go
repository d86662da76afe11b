// Package tabular is a softmax policy with one row of logits per state.
//
// A row's logits are the log-probabilities of the base policy (the
// demonstrator's) plus trained parameters that start at zero. The parameters
// belong to one problem, or are shared by all problems that reach the same
// state. Rows are made when a rollout first meets their state; because state
// keys are Markov (envs.Cursor), rows link to each other and sampling walks
// links, not keys.
//
// Everything is float64, summed in a fixed order without fused operations: a
// policy's bits depend on what it was given and on nothing else.
package tabular

import (
	"errors"
	"fmt"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/policies"
)

// Config holds the parameters of a tabular policy.
type Config struct {
	Sharing        string  `param:"sharing" doc:"problem: each problem trains a table of its own; shared: one trained table for all problems, on top of each problem's frozen base logits" choices:"problem,shared"`
	Demonstrations int     `param:"demonstrations" doc:"demonstrations per problem that the base logits are counted from; 0: the environment's exact prior where it has one, else 600" min:"0"`
	Smoothing      float64 `param:"smoothing" doc:"added to the counts of demonstrations" min:"1e-9"`
}

// Default returns the default parameters. 600 demonstrations and a smoothing of
// 0.3 gave a competent, diverse base in a prototype.
func Default() *Config { return &Config{Sharing: "problem", Smoothing: 0.3} }

// defaultDemonstrations is used where an environment has no exact prior.
const defaultDemonstrations = 600

// Policy implements policies.Policy and policies.Enumerator.
type Policy struct {
	config Config
	opt    policies.Optimizer
	params map[string]*param // by state key, preceded by the problem's ID unless shared
	tables map[string]*table // by problem ID

	updates uint64 // made so far

	// Buffers that live from step to step.
	groups   []policies.Group
	rollouts []policies.Rollout
	arena    arena
	update   update
	scratch  []byte
	nucleus  nucleus
}

// New makes an untrained policy: exactly the base policy.
func New(config Config, opt policies.Optimizer) *Policy {
	return &Policy{config: config, opt: opt, params: map[string]*param{}, tables: map[string]*table{}}
}

// A param is one row of trained parameters with the state of its optimiser.
type param struct {
	key     string
	delta   []float64
	version uint64 // counts changes of delta, so that rows know when they are stale

	first, second  []float64 // Adam's moments
	power1, power2 float64   // beta1^t, beta2^t
	grad           []float64
	touched        bool
}

// A table holds the rows of one problem.
type table struct {
	problem envs.Problem
	rows    map[string]*row
	root    *row
	prior   func(dst []float64, prefix []envs.Token, state string) []float64
}

// A row is one state of one problem.
type row struct {
	legal []envs.Token
	dense bool // legal[i] == legal[0]+i
	prior []float64
	param *param
	next  []*row // nil until first walked
	done  bool

	// The distribution at the temperature it was last asked for.
	temperature float64
	version     uint64
	fresh       bool
	logp        []float64
	prob        []float64
	cumulative  []float64 // running sums of prob
	entropy     float64

	// Sums of an update under way.
	touched                   bool
	sumLogp, sumEntropy, sumK float64
	ref                       *row // the frozen reference's row of the same state, once looked up
	refOwner                  *Policy
	kl                        float64
}

// table returns the problem's table, making it on first sight. A problem is
// known by its ID: two problems of one ID must be the same.
func (p *Policy) table(problem envs.Problem) (*table, error) {
	if t, ok := p.tables[problem.ID()]; ok {
		return t, nil
	}
	t := &table{problem: problem, rows: map[string]*row{}}
	t.prior = p.prior(problem)
	p.tables[problem.ID()] = t
	root, err := p.row(t, problem.Start(), nil)
	if err != nil {
		delete(p.tables, problem.ID())
		return nil, err
	}
	t.root = root
	return t, nil
}

// row returns the row of the cursor's state, making it on first sight.
func (p *Policy) row(t *table, c envs.Cursor, prefix []envs.Token) (*row, error) {
	p.scratch = c.AppendState(p.scratch[:0])
	if r, ok := t.rows[string(p.scratch)]; ok {
		return r, nil
	}
	state := string(p.scratch)
	r := &row{legal: c.Legal(), done: c.Done()}
	if !r.done {
		n := len(r.legal)
		if n == 0 {
			return nil, fmt.Errorf("problem %s: no token is legal in state %q, and the answer is not done", t.problem.ID(), state)
		}
		r.dense = r.legal[n-1] == r.legal[0]+envs.Token(n-1)
		r.prior = t.prior(make([]float64, 0, n), prefix, state)
		if len(r.prior) != n {
			return nil, fmt.Errorf("problem %s: the prior has %d entries in state %q, want %d", t.problem.ID(), len(r.prior), state, n)
		}
		r.next = make([]*row, n)
		buf := make([]float64, 3*n)
		r.logp, r.prob, r.cumulative = buf[:n:n], buf[n:2*n:2*n], buf[2*n:]
		key := state
		if p.config.Sharing == "problem" {
			key = t.problem.ID() + "\x00" + state
		}
		var err error
		if r.param, err = p.param(key, n); err != nil {
			return nil, err
		}
	}
	t.rows[state] = r
	return r, nil
}

func (p *Policy) param(key string, n int) (*param, error) {
	q, ok := p.params[key]
	if !ok {
		q = newParam(key, n)
		p.params[key] = q
	}
	if len(q.delta) != n {
		return nil, fmt.Errorf("state %q has %d parameters and %d legal tokens: the checkpoint or the shared table is of another environment", key, len(q.delta), n)
	}
	return q, nil
}

func newParam(key string, n int) *param {
	buf := make([]float64, 4*n)
	return &param{
		key: key, delta: buf[:n:n], first: buf[n : 2*n : 2*n], second: buf[2*n : 3*n : 3*n], grad: buf[3*n:],
		power1: 1, power2: 1,
	}
}

// follow returns the row after token number i of r; prefix is the answer up to
// and including that token.
func (p *Policy) follow(t *table, r *row, i int, prefix []envs.Token) (*row, error) {
	if next := r.next[i]; next != nil {
		return next, nil
	}
	c := t.problem.Start()
	for _, token := range prefix {
		if err := c.Push(token); err != nil {
			return nil, fmt.Errorf("problem %s: %w", t.problem.ID(), err)
		}
	}
	next, err := p.row(t, c, prefix)
	if err != nil {
		return nil, err
	}
	r.next[i] = next
	return next, nil
}

var errIllegal = errors.New("a token of the answer is not legal")

// index finds a token among the legal ones, which are in ascending order.
func (r *row) index(token envs.Token) (int, error) {
	if r.dense {
		if i := int(token - r.legal[0]); uint(i) < uint(len(r.legal)) {
			return i, nil
		}
		return 0, errIllegal
	}
	lo, hi := 0, len(r.legal)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if r.legal[mid] < token {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(r.legal) || r.legal[lo] != token {
		return 0, errIllegal
	}
	return lo, nil
}

// refresh brings the row's distribution up to date with its parameters.
func (r *row) refresh(temperature float64) {
	if r.fresh && r.version == r.param.version && r.temperature == temperature {
		return
	}
	prob, delta := r.prob, r.param.delta
	logp, prior := r.logp[:len(prob)], r.prior[:len(prob)]
	for i, base := range prior {
		logp[i] = base + delta[i]
	}
	if temperature != 1 {
		for i := range logp {
			logp[i] /= temperature
		}
	}
	logZ := exact.Softmax(prob, logp)
	cumulative := r.cumulative[:len(prob)]
	mean, sum := 0.0, 0.0 // of the logits and of the probabilities
	for i, p := range prob {
		z := logp[i]
		sum += p
		cumulative[i] = sum
		if p > 0 { // a token that is never drawn may have a logit of -Inf
			mean += float64(p * z)
		}
		logp[i] = z - logZ
	}
	// H = -sum p (z - logZ) = logZ - sum p z; rounding may not make it negative.
	r.entropy = max(logZ-mean, 0)
	r.temperature, r.version, r.fresh = temperature, r.param.version, true
}
