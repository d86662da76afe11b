package plugin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/estimators"
)

// After its first hello a program is asked for the advantages of a made-up batch, twice, and is
// ended: no cell's program knows its memory of that. Two mistakes would else train wrongly
// without a word: arrays of (groups, rollouts) that only fit together if both numbers are
// equal, and random numbers that are not drawn from seed, step and problem.

const probeGroups = 2

// mostProbed bounds the rollouts of a group: a program that wants larger ones is not probed.
const mostProbed = 256

// probe refuses a program that is started and has said hello, if it cannot answer a batch of
// unequal sizes although it answers one group, or answers the same batch at random.
//
// A program may not understand a made-up batch, as if it looks problems up. So an error alone
// does not count: one group has to be answered. And a program may remember over steps without
// declaring it: then a program started anew has to repeat the answer.
func (p *Plugin) probe(ctx context.Context, host Host) error {
	n := max(probeGroups+1, p.description.Requirements.MinGroup)
	if n > mostProbed {
		return nil
	}
	batch := p.probeBatch(probeGroups, n)
	first, wrong := p.try(batch)
	if errors.Is(wrong, errLate) {
		return nil
	}
	if wrong != nil {
		if err := p.again(ctx, host); err != nil {
			return err
		}
		if _, err := p.try(p.probeBatch(1, n)); err != nil {
			return nil
		}
		return fmt.Errorf("it answers one group of %d rollouts, and not %d groups of %d (does it drop an axis, which keepdims=True keeps?): %w", n, probeGroups, n, wrong)
	}
	second, err := p.try(batch)
	if err == nil && equal(first, second) {
		return nil
	}
	if err := p.again(ctx, host); err != nil {
		return err
	}
	if second, err = p.try(batch); err != nil || !equal(first, second) {
		return errors.New("it gives one batch other advantages each time that it is started: random numbers have to be drawn from seed, step and problem, and its memory to be saved and loaded")
	}
	return nil
}

func (p *Plugin) again(ctx context.Context, host Host) error {
	d, err := p.start(ctx, host)
	if err != nil {
		return err
	}
	return differs(p.description, d)
}

// try gives all advantages of a batch, one after the other. After an error, which does not name
// the program, it has ended.
func (p *Plugin) try(b *estimators.Batch) (all []float64, err error) {
	if p.description.Requirements.PerToken {
		dst := estimators.NewTokenAdvantages(b)
		err = p.TokenAdvantages(dst, b)
		all = slices.Concat(slices.Concat(dst...)...)
	} else {
		dst := estimators.NewAdvantages(b)
		err = p.Advantages(dst, b)
		all = slices.Concat(dst...)
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return all, err
}

// equal compares advantages up to rounding, which may differ where several threads add numbers of
// 32 bits.
func equal(a, b []float64) bool {
	largest := 1.0
	for _, x := range a {
		largest = max(largest, math.Abs(x))
	}
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-5*largest })
}

// probeBatch makes up a batch of groups of n rollouts, with every field that a program may ask
// for. One group has as many tokens at most as rollouts, and else no two sizes are equal. Rollouts have
// different lengths in both, so that a program that needs equal ones is not blamed for it.
func (p *Plugin) probeBatch(groups, n int) *estimators.Batch {
	b := &estimators.Batch{
		Weights: []float64{1}, CandidateFields: envs.HasAll, RolloutFields: estimators.AllRolloutFields | estimators.AllTokenFields,
		Groups: make([]estimators.Group, groups),
	}
	candidates := 1
	if p.description.Requirements.Chains {
		candidates = 2
	}
	for g := range b.Groups {
		group := &b.Groups[g]
		group.Problem, group.Greedy = fmt.Sprintf("probe/%d", g), 1
		for i := range n {
			tokens := 1 + (g+i)%(n+1)
			if groups == 1 {
				tokens = 1 + i%n
			}
			r := estimators.Rollout{Tokens: tokens, Train: true, PerToken: &estimators.PerToken{}}
			for c := range candidates {
				r.Candidates = append(r.Candidates, probeVerdict(g+i+c))
			}
			r.Final = r.Candidates[0].Answer
			for k := range tokens {
				legal := []float64{0.5, 0.25, 0.25}
				chosen := legal[(g+i+k)%len(legal)]
				r.PerToken.Logprob = append(r.PerToken.Logprob, math.Log(chosen))
				r.PerToken.Reference = append(r.PerToken.Reference, math.Log(0.25))
				r.PerToken.Entropy = append(r.PerToken.Entropy, 1.5*math.Ln2)
				r.PerToken.Squares = append(r.PerToken.Squares, 0.375)
				r.PerToken.Legal = append(r.PerToken.Legal, legal)
				r.Logprob += math.Log(chosen)
				r.Entropy += 1.5 * math.Ln2
			}
			group.Rollouts = append(group.Rollouts, r)
		}
	}
	return b
}

// probeVerdict makes up the judged answer of a number: one of three, of which one is wrong.
func probeVerdict(number int) *envs.Verdict {
	kind := number % 3
	v := &envs.Verdict{
		Correct: kind > 0, Answer: fmt.Sprint(kind), Mode: envs.Mode(string(rune('A' + kind))), Variant: string(rune('a' + kind)),
		Reward: []float64{estimators.Indicator(kind > 0)}, Embedding: make([]float32, 4),
	}
	v.Embedding[kind] = 1
	return v
}
