package tabular

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/draw"
)

// Sample implements policies.Policy.
func (p *Policy) Sample(tasks []envs.Task, n int, opt policies.SampleOptions) ([]policies.Group, error) {
	if err := opt.Check(n); err != nil {
		return nil, err
	}
	a := &p.arena
	a.clear()
	a.updates, a.temperature = p.updates, opt.Temperature
	if opt.Greedy {
		a.temperature = 1
	}
	source, err := p.sampler(&opt, a.temperature)
	if err != nil {
		return nil, err
	}
	a.foreign = source != nil
	for k, task := range tasks {
		t, err := p.recallTable(opt.Context, k, task)
		if err != nil {
			return nil, err
		}
		key := opt.Key.Str(t.id)
		for i := range n {
			if len(a.start)%askEvery == askEvery-1 {
				if err := policies.Ended(opt.Context); err != nil {
					return nil, err
				}
			}
			a.start = append(a.start, len(a.tokens))
			if err := p.rollout(t, key.Int(uint64(i)), &opt, source); err != nil {
				return nil, err
			}
		}
	}
	a.start = append(a.start, len(a.tokens))
	p.hand(tasks, n, opt.Cuts())
	return p.groups, nil
}

// askEvery is the number of rollouts between looks at the context.
const askEvery = 256

// hand slices the arena, which no longer moves, into rollouts; with a cut they have Sampler.
func (p *Policy) hand(tasks []envs.Task, n int, cut bool) {
	a := &p.arena
	total := len(tasks) * n
	if a.cut != cut || !p.inPlace(len(tasks), n) {
		a.cut, a.handed, a.room = cut, append(a.handed[:0], a.start...), a.capacity()
		if cap(p.rollouts) < total {
			p.rollouts = make([]policies.Rollout, total)
		}
		p.rollouts = p.rollouts[:total]
		for i := range p.rollouts {
			lo, hi := a.start[i], a.start[i+1]
			p.rollouts[i] = policies.Rollout{Number: i % n, Tokens: a.tokens[lo:hi:hi], Logp: a.logp[lo:hi:hi], Entropy: a.entropy[lo:hi:hi]}
			if cut {
				p.rollouts[i].Sampler = a.sampler[lo:hi:hi]
			}
		}
	}
	p.groups = p.groups[:0]
	for i, task := range tasks {
		p.groups = append(p.groups, policies.Group{Task: task, Rollouts: p.rollouts[i*n : (i+1)*n : (i+1)*n]})
	}
}

// inPlace reports whether the last call's rollouts lie in the places of this call's: slicing the arena
// again costs as much as drawing from a bandit.
func (p *Policy) inPlace(groups, n int) bool {
	a := &p.arena
	if len(p.rollouts) != groups*n || len(p.groups) != groups || a.room != a.capacity() || !slices.Equal(a.handed, a.start) {
		return false
	}
	for g := range groups {
		for i := range n {
			if p.rollouts[g*n+i].Number != i {
				return false
			}
		}
	}
	return true
}

var errEndless = errors.New("a rollout has more than a million tokens: the environment's grammar does not end")

const maxTokens = 1 << 20

// rollout draws one rollout, by another distribution than the policy's where other is not nil.
func (p *Policy) rollout(t *table, key rng.Key, opt *policies.SampleOptions, source *sampler) error {
	a := &p.arena
	start := len(a.tokens)
	var pcg rand.PCG
	key.Seed(&pcg)
	var w path
	for node := t.root; node != done; {
		r := t.rowOf(node)
		dist := &r.drawn
		if source == nil {
			r.refresh(a.temperature, a.updates)
		} else {
			dist = source.drawnOf(r)
		}
		var i int
		entropy, sampled := dist.entropy, math.NaN()
		switch position := len(a.tokens) - start; {
		case position < len(opt.Prefix):
			if i = slices.Index(r.legal, opt.Prefix[position]); i < 0 {
				return fmt.Errorf("prefix: token %d of %d is not legal there", position, len(opt.Prefix))
			}
			sampled = dist.dist[i]
		case opt.Greedy:
			i, entropy = draw.Argmax(dist.prob()), 0
		case opt.TopP < 1:
			i = p.nucleus.Cut(dist.prob(), opt.TopP).Pick(rng.Uniform(&pcg))
			entropy, sampled = p.nucleus.Entropy(), exact.Log(p.nucleus.Prob()[i])
		default:
			i = draw.Pick(dist.cumulative(), rng.Uniform(&pcg))
		}
		a.tokens = append(a.tokens, r.legal[i])
		a.logp = append(a.logp, dist.dist[i])
		if opt.Cuts() {
			a.sampler = append(a.sampler, sampled)
		}
		a.entropy = append(a.entropy, entropy)
		a.places = append(a.places, place{r, i})
		if len(a.tokens)-start > maxTokens {
			return errEndless
		}
		next := t.words[int(node)+1+i]
		if next == unknown {
			var err error
			if next, err = p.follow(t, node, i, a.tokens[start:], &w); err != nil {
				return err
			}
		}
		node = next
	}
	return nil
}

// A sampler draws by other distributions than those of the rows: by the policy as it was when it
// was frozen, or by rounded logits. Rows and nodes are the policy's, so the policy can learn from
// the draws without a walk. The sampler computes a row's distribution once in a call.
type sampler struct {
	policy      *Policy
	from        *snapshot // nil: the policy as it is
	bits        int       // 0: logits are not rounded
	temperature float64
	rows        map[*row]*drawn
	floats      slab[float64]
}

// sampler returns what draws by the options; nil: the rows' own distributions do.
func (p *Policy) sampler(opt *policies.SampleOptions, temperature float64) (*sampler, error) {
	if opt.From == nil && opt.Bits == 0 {
		return nil, nil
	}
	s := &sampler{policy: p, bits: opt.Bits, temperature: temperature, rows: map[*row]*drawn{}}
	if opt.From != nil {
		if s.from = p.snapshot(opt.From); s.from == nil {
			return nil, policies.ErrForeign
		}
	}
	return s, nil
}

func (s *sampler) drawnOf(r *row) *drawn {
	if d, ok := s.rows[r]; ok {
		return d
	}
	d := &drawn{dist: s.floats.take(len(r.dist))}
	if s.from != nil {
		s.from.logits(d.logp(), r, s.temperature)
		d.normalise()
	} else {
		r.refresh(s.temperature, s.policy.updates)
		copy(d.logp(), r.logp())
	}
	if s.bits > 0 {
		draw.Round(d.logp(), s.bits)
		d.normalise()
	}
	s.rows[r] = d
	return d
}

// An arena holds the tokens of all rollouts of a call end to end.
type arena struct {
	tokens  []envs.Token
	logp    []float64
	entropy []float64
	sampler []float64 // log-probabilities after a top-p cut; empty without one
	start   []int

	// An update of the same rollouts would otherwise look these up again.
	places      []place
	updates     uint64  // of the policy, when the rollouts were drawn
	temperature float64 // at which
	foreign     bool    // by another distribution than the policy's

	handed []int // start, when the rollouts were last sliced
	room   int   // and the capacity, which tells whether the arena has moved since
	cut    bool  // and whether they have sampler
}

// A place is a token's row and its index among the row's legal ones.
type place struct {
	row   *row
	index int
}

// holds reports whether the log-probabilities are those of the policy after some updates, at a temperature.
func (a *arena) holds(updates uint64, temperature float64) bool {
	return !a.foreign && a.updates == updates && a.temperature == temperature
}

func (a *arena) clear() {
	a.tokens, a.logp, a.entropy, a.sampler = a.tokens[:0], a.logp[:0], a.entropy[:0], a.sampler[:0]
	a.start, a.places = a.start[:0], a.places[:0]
}

// capacity grows whenever one of the arena's slices moves.
func (a *arena) capacity() int {
	return cap(a.tokens) + cap(a.logp) + cap(a.entropy) + cap(a.sampler)
}
