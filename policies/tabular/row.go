package tabular

import (
	"fmt"
	"slices"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/policies"
)

// Frozen implements policies.Reference.
func (*snapshot) Frozen() {}

// Freeze implements policies.Policy.
func (p *Policy) Freeze() policies.Reference {
	s := &snapshot{maker: p, loads: p.loads, common: p.params.common.frozen(), alone: p.params.alone.frozen()}
	return s
}

func (p *Policy) snapshot(r policies.Reference) *snapshot {
	if s, ok := r.(*snapshot); ok && s.maker == p {
		return s
	}
	return nil
}

func (s *section) frozen() map[string][]float64 {
	out := map[string][]float64{}
	for _, q := range s.moved() {
		out[string(s.key(q))] = slices.Clone(q.delta())
	}
	return out
}

// logp returns the reference's log-probabilities for r, a row of the policy that is up to
// date. They are r's own, to the bit, as long as no update has moved it. The row caches
// those of one reference: with two references in turn they are computed each time.
func (s *snapshot) logp(r *row) []float64 {
	if s.loads == s.maker.loads && !r.moved() {
		r.refOwner = nil
		return r.logp()
	}
	if r.refOwner != s || r.refTemperature != r.temperature {
		if r.ref == nil {
			r.ref = s.floats.take(len(r.legal))
		}
		s.logits(r.ref, r, r.temperature)
		s.prob = resize(s.prob, len(r.ref))
		logZ := exact.Softmax(s.prob, r.ref)
		for i := range r.ref {
			r.ref[i] -= logZ
		}
		r.refOwner, r.refTemperature = s, r.temperature
	}
	return r.ref
}

func (s *snapshot) logits(dst []float64, r *row, temperature float64) {
	var common []float64
	if q := r.param.common; q != nil {
		common = s.delta(q)
	}
	logits(dst, r.prior, common, s.delta(r.param), temperature)
}

// delta is the value of q when the policy was frozen; zeros if no update had moved it.
func (s *snapshot) delta(q *param) []float64 {
	frozen, current := s.common, &s.maker.params.common
	if q.alone {
		frozen, current = s.alone, &s.maker.params.alone
	}
	if len(frozen) > 0 {
		if delta, ok := frozen[string(current.key(q))]; ok {
			return delta
		}
	}
	s.zeros = resize(s.zeros, q.len())
	return s.zeros
}

func divergence(kind policies.Divergence, r *row, q []float64) float64 {
	sum := 0.0
	for j, pj := range r.prob() {
		if pj > 0 {
			part, _ := kind.Term(pj, r.dist[j], q[j])
			sum += part
		}
	}
	return max(sum, 0)
}

// A row is the distribution over the next token in all states that look the same to the
// policy. Sampling goes from row to row and finds few of them in the processor's caches,
// so the fields that it reads come first, in one line of 64 bytes.
type row struct {
	// The distribution at the temperature it was last asked for; 0 before the first time.
	temperature float64
	checked     uint64 // the number of updates when it was last found up to date
	drawn
	legal []envs.Token

	version uint64 // of the parameters
	param   *param
	prior   []float64

	// Sums of an update under way.
	touched                   bool
	sumLogp, sumEntropy, sumK float64
	sumTop                    float64
	visits                    int // by the batch's tokens; counted for the natural gradient alone

	ref            []float64 // the reference's log-probabilities, if they ever differed from the row's
	refOwner       *snapshot // whose they are; nil if the reference's are the row's
	refTemperature float64
	compared       uint64 // the update in which kl was computed
	kl             float64
}

type drawn struct {
	entropy float64
	dist    []float64 // log-probabilities, running sums of probabilities, probabilities
}

// A book holds the rows of all tasks made of one problem.
type book struct {
	problem envs.Problem
	prior   *prior
	rows    list[row]
	places  index // numbers of rows, by context and view
	views   index // by view alone: a row in some context, whose legal tokens and prior serve in all
	floats  slab[float64]
	tokens  slab[envs.Token]
	key     []byte
}

// fill gives a new row its legal tokens, its prior and room for a distribution. Of control tokens, which
// no demonstrator knows, each has the same probability.
func (b *book) fill(r *row, view spot, v *envs.View, legal, prefix []envs.Token) error {
	n := len(legal)
	if view.found {
		known := b.rows.get(view.value)
		r.legal, r.prior = known.legal, known.prior
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
func (d *drawn) logp() []float64       { return d.dist[:len(d.dist)/3] }
func (d *drawn) cumulative() []float64 { return d.dist[len(d.dist)/3 : len(d.dist)/3*2] }
func (d *drawn) prob() []float64       { return d.dist[len(d.dist)/3*2:] }

// moved reports whether an update had moved the parameters when the row was last refreshed.
func (r *row) moved() bool { return r.version > 0 }

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

// refresh brings the row's distribution up to date. Most visits come between the same two updates as
// the one before, and need not look at the parameters.
func (r *row) refresh(temperature float64, updates uint64) {
	if r.checked != updates || r.temperature != temperature {
		r.check(temperature, updates)
	}
}

func (r *row) check(temperature float64, updates uint64) {
	version := r.param.version
	if r.param.common != nil {
		version += r.param.common.version // neither ever falls, so the sum tells
	}
	if r.version != version || r.temperature != temperature {
		r.compute(temperature)
	}
	r.temperature, r.version, r.checked = temperature, version, updates
}

func (r *row) compute(temperature float64) {
	var common []float64
	if r.param.common != nil {
		common = r.param.common.delta()
	}
	logits(r.logp(), r.prior, common, r.param.delta(), temperature)
	r.normalise()
}

// normalise makes a distribution of the logits in the place of its log-probabilities.
func (d *drawn) normalise() {
	prob := d.prob()
	logp, cumulative := d.logp()[:len(prob)], d.cumulative()[:len(prob)]
	logZ := exact.Softmax(prob, logp)
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
	d.entropy = max(logZ-mean, 0)
}

// logits is the sum of the base logits, common parameters, if any, and others, over the temperature.
func logits(dst, prior, common, delta []float64, temperature float64) {
	prior, delta = prior[:len(dst)], delta[:len(dst)]
	if common != nil {
		common = common[:len(dst)]
		for i, base := range prior {
			dst[i] = base + common[i] + delta[i]
		}
	} else {
		for i, base := range prior {
			dst[i] = base + delta[i]
		}
	}
	if temperature != 1 {
		for i := range dst {
			dst[i] /= temperature
		}
	}
}
