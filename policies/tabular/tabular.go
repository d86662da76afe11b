// Package tabular is a softmax policy with one row of logits for each thing it can see.
//
// Two kinds of record make up a policy. A node represents a state of a task, all of it
// (envs.Cursor's key), and knows what follows each token: sampling walks from node to node, and
// neither looks up keys nor asks a grammar. A row represents what a policy sees of a state
// (envs.View) and holds the distribution over the next token: the log-probabilities of the base
// policy (the demonstrator's) plus trained parameters that start at zero. Many nodes may share a
// row. Both are made when a rollout first meets them.
//
// The view of a policy has two parts: one of the answer under way, and the context
// that a chain or a goal adds. Which parameters a row trains depends on both, as Config states.
//
// Of the control tokens of a chain that may stop early the base policy takes each
// with the same probability.
//
// Everything is float64, summed in a fixed order without fused operations: a
// policy's bits depend on its inputs alone.
package tabular

import (
	"unsafe"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/internal/draw"
)

// Config holds the parameters of a tabular policy.
type Config struct {
	Sharing        string  `param:"sharing" doc:"problem: each problem trains a table of its own; shared: one trained table for all problems, on top of each problem's frozen base logits" choices:"problem,shared"`
	Context        string  `param:"context" doc:"how the answers of a chain, and the goals of a problem, share parameters; add: logits are the base's plus what all answers learn together plus what an answer of this number (or under this goal) learns, so one step moves them twice as far as with one part; independent: each answer's number (or goal) learns alone; blind: all learn together and none apart; found: as add, with the correct modes that the chain's earlier answers found in place of the answer's number" choices:"add,independent,blind,found"`
	Demonstrations int     `param:"demonstrations" doc:"demonstrations per problem that the base logits are counted from; 0: the environment's exact prior if there is a prior, else 600" min:"0" max:"1e6"`
	Smoothing      float64 `param:"smoothing" doc:"added to the counts of demonstrations" min:"1e-9"`
}

// The choices of Config.Context; none at all is ContextAdd. Plain answers to a problem have no
// context, and all choices are the same for them. The task chooses the content of a context: for
// ContextFound a chain has to be made with envs.ChainOptions.ByModes, and then the policy does what
// it does for ContextAdd.
const (
	ContextAdd         = "add"
	ContextIndependent = "independent"
	ContextBlind       = "blind"
	ContextFound       = "found"
)

// Default returns the default parameters. 600 demonstrations and a smoothing of
// 0.3 gave a competent, diverse base in a prototype, and adding contexts up
// showed the collapse of chains that free parameters for each hid.
func Default() *Config {
	return &Config{Sharing: "problem", Context: ContextAdd, Smoothing: 0.3}
}

// Policy implements policies.Policy and policies.Enumerator.
type Policy struct {
	config Config
	opt    policies.Optimizer
	params store
	tables map[string]*table // by the task's ID
	books  map[string]*book  // by the problem's ID
	priors map[string]*prior // likewise; unlike the books they outlive a Load

	updates uint64 // made so far
	loads   int    // of checkpoints

	// Buffers that live from step to step.
	recent   []*table // of the last call's tasks
	groups   []policies.Group
	rollouts []policies.Rollout
	arena    arena
	update   update
	state    []byte
	key      []byte
	shared   []byte
	view     envs.View
	nucleus  draw.Nucleus
}

// New makes an untrained policy: exactly the base policy.
func New(config Config, opt policies.Optimizer) *Policy {
	p := &Policy{config: config, opt: opt, params: newStore(), priors: map[string]*prior{}}
	p.forget()
	return p
}

// forget drops all nodes and rows, which lead to parameters.
func (p *Policy) forget() {
	p.tables, p.books = map[string]*table{}, map[string]*book{}
	p.recent = nil
	p.groups, p.rollouts = nil, nil // the rows of the last sample are gone
}

// The compiler checks that Policy implements the interfaces.
var (
	_ policies.Policy     = (*Policy)(nil)
	_ policies.Enumerator = (*Policy)(nil)
)

// Bytes is a lower bound on the policy's present memory, without the spare room of slices: tables,
// which are a problem's own, and the parameters that are trained.
func (p *Policy) Bytes() (tables, trained uint64) {
	for _, t := range p.tables {
		tables += 4*uint64(len(t.words)) + t.states.bytes()
	}
	for _, b := range p.books {
		tables += b.places.bytes() + b.views.bytes()
		for i := range b.rows.n {
			tables += uint64(unsafe.Sizeof(row{})) + 8*uint64(len(b.rows.get(i).dist))
		}
	}
	for _, s := range []*section{&p.params.common, &p.params.alone} {
		trained += s.places.bytes()
		for i := range s.params.n {
			trained += uint64(unsafe.Sizeof(param{})) + 8*uint64(len(s.params.get(i).floats))
		}
	}
	return tables, trained
}

func (x *index) bytes() uint64 {
	return uint64(len(x.slots))*uint64(unsafe.Sizeof(slot{})) + uint64(len(x.keys))
}

// RolloutBytes is a lower bound on the memory of a rollout with this many tokens while its batch is
// worked on.
func RolloutBytes(tokens int) uint64 {
	const ofToken = 4 + 8 + 8 + uint64(unsafe.Sizeof(place{})) // the token, its log-probability and entropy
	return uint64(tokens)*ofToken + 2*8                        // its beginning, twice
}
