package policies

import (
	"errors"
	"fmt"
	"math"

	"modebench/internal/loss"
)

// The errors of references that the policy did not freeze: of a batch whose objective
// compares with one, and of a call that draws by one, saves one or interpolates from one.
var (
	ErrReference = errors.New("the objective compares with a reference, and the batch has no reference of this policy")
	ErrForeign   = errors.New("the policy to draw by, to save or to interpolate from was not frozen by this policy")
)

// Flatten checks the shape of the batch and fills t with its values, token by token in the
// order of Groups. Logp and the wanted lists of distributions get their length, for the
// policy to fill in; the derivatives are 0. A batch without a loss may lack advantages.
func (b *Batch) Flatten(t *loss.Tokens) (err error) {
	if !(b.Rate >= 0 && b.Rate <= math.MaxFloat64) {
		return fmt.Errorf("the batch multiplies the learning rate by %v, want 0 or more and finite", b.Rate)
	}
	if err = b.addRollouts(t); err != nil {
		return err
	}
	if b.Advantages == nil && b.Loss == nil {
		resize(&t.Advantage, t.Sequences())
		clear(t.Advantage)
	} else if err = appendLists(&t.Advantage, b.Groups, b.Advantages, "advantages"); err != nil {
		return err
	}
	t.Correct, t.TokenAdvantage = t.Correct[:0], t.TokenAdvantage[:0]
	if b.Want.Correct {
		if err = appendLists(&t.Correct, b.Groups, b.Correct, "correctness flags"); err != nil {
			return err
		}
	}
	if b.TokenAdvantages != nil {
		if err = b.addTokenAdvantages(t); err != nil {
			return err
		}
	}
	t.Key, t.Loss, t.Clipped = b.Key, 0, 0
	b.makeRoom(t)
	return nil
}

// addRollouts sets what the rollouts hold, token by token.
func (b *Batch) addRollouts(t *loss.Tokens) error {
	start, old := append(t.Start[:0], 0), t.Old[:0]
	t.Groups, t.Sampler, t.Stored = append(t.Groups[:0], 0), t.Sampler[:0], t.Stored[:0]
	for g := range b.Groups {
		group := &b.Groups[g]
		for i := range group.Rollouts {
			r := &group.Rollouts[i]
			if len(r.Logp) != len(r.Tokens) || r.Sampler != nil && len(r.Sampler) != len(r.Tokens) {
				return fmt.Errorf("task %s: a rollout has %d log-probabilities and %d log-probabilities of its sampler for %d tokens", group.Task.ID(), len(r.Logp), len(r.SamplerLogp()), len(r.Tokens))
			}
			old = append(old, r.Logp...)
			start = append(start, len(old))
			if b.Want.Sampler {
				t.Sampler = append(t.Sampler, r.SamplerLogp()...)
			}
			if b.Want.Stored {
				t.Stored = append(t.Stored, r.Stored)
			}
		}
		t.Groups = append(t.Groups, len(start)-1)
	}
	t.Start, t.Old = start, old
	return nil
}

// addTokenAdvantages sets the advantages of tokens.
func (b *Batch) addTokenAdvantages(t *loss.Tokens) error {
	var lists [][]float64
	if err := appendLists(&lists, b.Groups, b.TokenAdvantages, "advantages of tokens"); err != nil {
		return err
	}
	for s, list := range lists {
		if n := t.Start[s+1] - t.Start[s]; len(list) != n {
			return fmt.Errorf("rollout %d of the batch has %d advantages for %d tokens", s, len(list), n)
		}
		t.TokenAdvantage = append(t.TokenAdvantage, list...)
	}
	return nil
}

// appendLists makes dst the values of all rollouts, from a list of them for each group.
func appendLists[T any](dst *[]T, groups []Group, lists [][]T, name string) error {
	if len(lists) != len(groups) {
		return fmt.Errorf("%s for %d groups, want %d", name, len(lists), len(groups))
	}
	*dst = (*dst)[:0]
	for g, list := range lists {
		if n := len(groups[g].Rollouts); len(list) != n {
			return fmt.Errorf("task %s: %s for %d rollouts, want %d", groups[g].Task.ID(), name, len(list), n)
		}
		*dst = append(*dst, list...)
	}
	return nil
}

// makeRoom gives the lists that the policy and the objective fill in their length. An
// objective may pass over tokens, so that the derivatives begin at 0.
func (b *Batch) makeRoom(t *loss.Tokens) {
	n := len(t.Old)
	wanted := func(want bool) int {
		if want {
			return n
		}
		return 0
	}
	resize(&t.Logp, n)
	resize(&t.Ref, wanted(b.Want.Ref))
	resize(&t.Entropy, wanted(b.Want.Entropy))
	resize(&t.KL, wanted(b.Want.KL))
	resize(&t.Squares, wanted(b.Want.Squares))
	resize(&t.Legal, wanted(b.Want.Legal))
	resize(&t.Likeliest, wanted(b.Want.Top > 0))
	resize(&t.DLogp, n)
	resize(&t.DEntropy, len(t.Entropy))
	resize(&t.DKL, len(t.KL))
	resize(&t.DTop, len(t.Likeliest))
	clear(t.DLogp)
	clear(t.DEntropy)
	clear(t.DKL)
	clear(t.DTop)
}

// resize sets the length of a list whose values do not matter.
func resize[T any](list *[]T, n int) {
	if n > cap(*list) {
		*list = make([]T, n, n+n/4)
	}
	*list = (*list)[:n]
}
