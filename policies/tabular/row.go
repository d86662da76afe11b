package tabular

import (
	"encoding/binary"
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/internal/exact"
)

// A row is the distribution over the next token wherever a policy sees the same.
// Sampling goes from row to row and finds few of them in the processor's caches, so
// what it reads stands first, in one line of 64 bytes.
type row struct {
	// The distribution at the temperature it was last asked for; 0 before the
	// first time.
	temperature float64
	checked     uint64 // the number of updates when it was last found up to date
	entropy     float64
	dist        []float64 // log-probabilities, running sums of probabilities, probabilities
	legal       []envs.Token

	version uint64 // of the parameters
	param   *param
	prior   []float64

	// Sums of an update under way.
	touched                   bool
	sumLogp, sumEntropy, sumK float64
	visits                    int // by the batch's tokens; counted for the natural gradient alone

	ref      *row // the reference's row, once looked up; itself where no update has moved it
	refOwner *snapshot
	compared uint64 // the update in which kl was computed
	kl       float64
}

// A book holds the rows of all tasks made of one problem.
type book struct {
	problem envs.Problem
	prior   *prior
	rows    rows
	places  index // numbers of rows, by context and view
	views   index // by view alone: a row in some context, whose legal tokens and prior serve in all
	floats  slab[float64]
	tokens  slab[envs.Token]
	key     []byte
}

// rows are numbered in the order they are made, and do not move.
type rows struct {
	chunks []*[rowChunk]row
	n      uint32
}

const rowChunk = 64

func (s *rows) at(i uint32) *row { return &s.chunks[i/rowChunk][i%rowChunk] }

// next is the place of the row that is made next, which is not one of them until add.
func (s *rows) next() *row {
	if int(s.n/rowChunk) == len(s.chunks) {
		s.chunks = append(s.chunks, new([rowChunk]row))
	}
	return s.at(s.n)
}

func (s *rows) add() { s.n++ }

// book returns the problem's book, making it on first sight.
func (p *Policy) book(problem envs.Problem) (*book, error) {
	if b, ok := p.books[problem.ID()]; ok {
		return b, nil
	}
	prior, err := p.prior(problem)
	if err != nil {
		return nil, err
	}
	b := &book{problem: problem, prior: prior}
	p.books[problem.ID()] = b
	return b, nil
}

// row returns the number of the row for a view of a state, making it on first
// sight; prefix is the answer under way.
func (p *Policy) row(b *book, v *envs.View, legal, prefix []envs.Token) (uint32, error) {
	context := v.Context
	if p.config.Context == ContextBlind {
		context = nil
	}
	b.key = append(binary.AppendUvarint(b.key[:0], uint64(len(context))), context...)
	b.key = append(b.key, v.Answer...)
	if at, ok := b.places.find(b.key); ok {
		return at, b.sameLegal(v, b.rows.at(at).legal, legal)
	}
	r := b.rows.next()
	if err := b.fill(r, v, legal, prefix); err != nil {
		return 0, err
	}
	var err error
	if r.param, err = p.paramOf(b.problem.ID(), context, v.Answer, len(legal)); err != nil {
		return 0, err
	}
	return b.store(context, v.Answer)
}

// store numbers the row that was made last; its key is in the buffer.
func (b *book) store(context, view []byte) (uint32, error) {
	at := b.rows.n
	if err := b.places.add(b.key, at); err != nil {
		return 0, err
	}
	b.rows.add()
	if _, known := b.views.find(view); known || len(context) == 0 {
		return at, nil // a row that no context is told apart in stands for all
	}
	return at, b.views.add(view, at)
}

// fill gives a new row its legal tokens, its prior and room for a distribution. No
// demonstrator knows of a chain's control tokens, so the base policy takes each
// legal one with the same probability.
func (b *book) fill(r *row, v *envs.View, legal, prefix []envs.Token) error {
	n := len(legal)
	if at, ok := b.views.find(v.Answer); ok {
		r.legal, r.prior = b.rows.at(at).legal, b.rows.at(at).prior
		if err := b.sameLegal(v, r.legal, legal); err != nil {
			return err
		}
	} else {
		r.prior = b.floats.take(n)
		if !v.Control {
			var err error
			if r.prior, err = b.prior.append(r.prior[:0], v.Answer, prefix, n); err != nil {
				return err
			}
		}
		r.legal = b.tokens.take(n)
		copy(r.legal, legal)
	}
	r.dist = b.floats.take(3 * n)
	return nil
}

// The parts of dist. Sampling reads the first two, which lie side by side.
func (r *row) logp() []float64       { return r.dist[:len(r.legal)] }
func (r *row) cumulative() []float64 { return r.dist[len(r.legal) : 2*len(r.legal)] }
func (r *row) prob() []float64       { return r.dist[2*len(r.legal):] }

// moved says that an update has moved the row's parameters since they were made or
// loaded.
func (r *row) moved() bool {
	return r.param.version > 0 || r.param.common != nil && r.param.common.version > 0
}

func (b *book) sameLegal(v *envs.View, had, got []envs.Token) error {
	if slices.Equal(had, got) {
		return nil
	}
	return fmt.Errorf("problem %s: view %q has the legal tokens %v in one state and %v in another, want the same in all", b.problem.ID(), v.Answer, had, got)
}

// position finds a token among the legal ones, which are in ascending order.
func position(legal []envs.Token, token envs.Token) (int, bool) {
	if len(legal) > 0 { // mostly without gaps
		if i := int(token) - int(legal[0]); uint(i) < uint(len(legal)) && legal[i] == token {
			return i, true
		}
	}
	return slices.BinarySearch(legal, token)
}

// refresh brings the row's distribution up to date with its parameters. now is
// the number of updates made so far: most visits come between the same two
// updates as the one before, and need not look at the parameters.
func (r *row) refresh(temperature float64, now uint64) {
	if r.checked != now || r.temperature != temperature {
		r.check(temperature, now)
	}
}

func (r *row) check(temperature float64, now uint64) {
	version := r.param.version
	if r.param.common != nil {
		version += r.param.common.version // neither ever falls, so the sum tells
	}
	if r.version != version || r.temperature != temperature {
		r.compute(temperature)
	}
	r.temperature, r.version, r.checked = temperature, version, now
}

func (r *row) compute(temperature float64) {
	prob, delta := r.prob(), r.param.delta
	logp, prior := r.logp()[:len(prob)], r.prior[:len(prob)]
	if common := r.param.common; common != nil {
		shared := common.delta[:len(prob)]
		for i, base := range prior {
			logp[i] = base + shared[i] + delta[i]
		}
	} else {
		for i, base := range prior {
			logp[i] = base + delta[i]
		}
	}
	if temperature != 1 {
		for i := range logp {
			logp[i] /= temperature
		}
	}
	logZ := exact.Softmax(prob, logp)
	cumulative := r.cumulative()[:len(prob)]
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
}
