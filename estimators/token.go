package estimators

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// PerToken holds facts of every token of a rollout. A list has one entry for
// each of the rollout's tokens (Rollout.Tokens), or is nil if the facts are unknown.
type PerToken struct {
	Logprob   []float64 // log-probability when it was sampled, nats
	Entropy   []float64 // entropy of the distribution that it was drawn from, nats
	Reference []float64 // its log-probability under the frozen reference, nats
	Squares   []float64 // sum of the squared probabilities of the distribution that it was drawn from
	// Legal is that distribution: the probabilities of the legal tokens, in ascending order
	// of these.
	Legal [][]float64
}

// Facts of every token, in Rollout.PerToken, gathered only if an estimator requires them.
const (
	TokenLogprob RolloutFields = 1 << (iota + 5) // behind GroupGreedy
	TokenEntropy
	TokenReference
	TokenSquares
	TokenLegal

	AllTokenFields = TokenLogprob | TokenEntropy | TokenReference | TokenSquares | TokenLegal
)

// TokenNumbers are the facts per token that are one number, in the order of the batch document.
var TokenNumbers = []RolloutFields{TokenLogprob, TokenEntropy, TokenReference, TokenSquares}

// Numbers is the list of one of TokenNumbers.
func (p *PerToken) Numbers(f RolloutFields) *[]float64 {
	switch f {
	case TokenLogprob:
		return &p.Logprob
	case TokenEntropy:
		return &p.Entropy
	case TokenReference:
		return &p.Reference
	}
	return &p.Squares
}

// A TokenEstimator gives every token an advantage of its own, and declares so in its
// Requirements (PerToken, and RolloutTokens for the shape). Its Advantages are the means of
// those over the tokens of each rollout.
type TokenEstimator interface {
	Estimator
	// TokenAdvantages fills dst, shaped as NewTokenAdvantages gives it. Errors are as of Advantages.
	TokenAdvantages(dst [][][]float64, b *Batch) error
}

// NewTokenAdvantages returns zeros, one for each token of each rollout.
func NewTokenAdvantages(b *Batch) [][][]float64 { return shapeTokens(nil, b) }

// shapeTokens gives a buffer the shape of the batch's tokens. Its values have no meaning.
func shapeTokens(dst [][][]float64, b *Batch) [][][]float64 {
	dst = room(dst, len(b.Groups))
	for g := range b.Groups {
		rollouts := b.Groups[g].Rollouts
		dst[g] = room(dst[g], len(rollouts))
		for i := range rollouts {
			dst[g][i] = Resize(dst[g][i], max(0, rollouts[i].Tokens))
		}
	}
	return dst
}

// room gives a list n entries and keeps what lies in its memory, for reuse.
func room[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

// TokenMeans writes the mean advantage of each rollout's tokens, or 0. An overflow is an error.
func TokenMeans(dst [][]float64, tokens [][][]float64, b *Batch) error {
	for g := range dst {
		for i := range dst[g] {
			dst[g][i] = 0
			advantages := tokens[g][i]
			if len(advantages) == 0 {
				continue
			}
			above := 0.0 // the first: so the mean of equal numbers is theirs, to the bit
			for _, a := range advantages {
				above += a - advantages[0]
			}
			dst[g][i] = advantages[0] + above/float64(len(advantages))
		}
		if i := zeroRounding(dst[g]); i >= 0 {
			return overflow(b, g, i, dst[g][i])
		}
	}
	return nil
}

// meansOfTokens is Advantages of an estimator of tokens. It reuses the buffer.
func meansOfTokens(e TokenEstimator, buffer *[][][]float64, dst [][]float64, b *Batch) error {
	if err := cmp.Or(checkShape(dst, b), checkLists(b, e.Requirements().RolloutFields)); err != nil {
		return err
	}
	*buffer = shapeTokens(*buffer, b)
	if err := e.TokenAdvantages(*buffer, b); err != nil {
		return err
	}
	return TokenMeans(dst, *buffer, b)
}

// ZeroVoterTokens is ZeroVoters for advantages of tokens.
func (b *Batch) ZeroVoterTokens(dst [][][]float64) {
	for g := range dst {
		for i, own := range dst[g] {
			if !b.Groups[g].Rollouts[i].Train {
				clear(own)
			}
			ZeroBelow(own, Tiny)
		}
	}
}

// AcceptTokens is Accept where dst has room for one advantage per token.
func (n Requirements) AcceptTokens(dst [][][]float64, b *Batch) error {
	if err := checkTokenShape(dst, b); err != nil {
		return err
	}
	return n.Accept(NewAdvantages(b), b)
}

func checkTokenShape(dst [][][]float64, b *Batch) error {
	if len(dst) != len(b.Groups) {
		return fmt.Errorf("room for %d groups, the batch has %d", len(dst), len(b.Groups))
	}
	for g := range b.Groups {
		rollouts := b.Groups[g].Rollouts
		if len(dst[g]) != len(rollouts) {
			return b.InGroup(g, fmt.Errorf("room for %d rollouts, want %d", len(dst[g]), len(rollouts)))
		}
		for i := range rollouts {
			if len(dst[g][i]) != rollouts[i].Tokens {
				return b.InGroup(g, fmt.Errorf("rollout %d: room for %d advantages, want %d, one per token", i, len(dst[g][i]), rollouts[i].Tokens))
			}
		}
	}
	return nil
}

// noTokens takes the place of a missing PerToken.
var noTokens PerToken

func (r *Rollout) perToken() *PerToken {
	if r.PerToken == nil {
		return &noTokens
	}
	return r.PerToken
}

// shapeRollouts is shapeTokens for one number per rollout.
func shapeRollouts(dst [][]float64, b *Batch) [][]float64 {
	dst = room(dst, len(b.Groups))
	for g := range b.Groups {
		dst[g] = Resize(dst[g], len(b.Groups[g].Rollouts))
	}
	return dst
}

// checkLists reports whether every rollout has the lists of these fields, one entry a token.
func checkLists(b *Batch, fields RolloutFields) error {
	if fields &= AllTokenFields; fields == 0 {
		return nil
	}
	for g := range b.Groups {
		for i := range b.Groups[g].Rollouts {
			r := &b.Groups[g].Rollouts[i]
			facts := r.perToken()
			for k, length := range [...]int{len(facts.Logprob), len(facts.Entropy), len(facts.Reference), len(facts.Squares), len(facts.Legal)} {
				if field := TokenLogprob << k; fields&field != 0 && length != r.Tokens {
					return b.InGroup(g, fmt.Errorf("rollout %d: %d entries in %s, want %d, one per token", i, length, field.Names()[0], r.Tokens))
				}
			}
		}
	}
	return nil
}

// checkTokens is an error where an advantage of a token is no number.
func checkTokens(b *Batch, g int, dst [][]float64) error {
	for i, own := range dst {
		for _, a := range own {
			if a-a != 0 {
				return overflow(b, g, i, a)
			}
		}
	}
	return nil
}

// PerToken reports whether the method gives every token an advantage of its own.
func (i *Instance) PerToken() bool { return i.Estimator.Requirements().PerToken }

// TokenAdvantages fills dst, as TokenEstimator does, from the batch as the method's rewards
// have it. A method that is not PerToken is an error.
func (i *Instance) TokenAdvantages(dst [][][]float64, b *Batch) error {
	e, ok := i.Estimator.(TokenEstimator)
	if !ok {
		return fmt.Errorf("method %s gives one advantage per rollout", i.Method.Name)
	}
	b, err := i.rewarded(b)
	if err != nil {
		return err
	}
	return e.TokenAdvantages(dst, b)
}

// CheckTokens reports whether the loss of a method that is PerToken takes an advantage per token,
// as a params.FieldError. Check does so too, but of a plug-in that is known only after its hello.
func (i *Instance) CheckTokens() error {
	if !i.PerToken() {
		return nil
	}
	return i.named(i.Loss.CheckTokens())
}

// finite reports whether a value of a list is a finite number, and at least `least`.
func finite(x, least float64) bool { return x >= least && x <= math.MaxFloat64 }
