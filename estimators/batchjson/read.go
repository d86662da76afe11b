// Package batchjson reads and writes the batch document, the form in JSON in which
// plug-ins and `bench estimate` exchange batches of judged rollouts.
//
// Append writes by hand: with encoding/json it takes 7 times as long, and the call of a
// plug-in in Go 1.24 times as long (128 groups of 8 rollouts).
package batchjson

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/strictjson"
)

// Read reads a batch document:
//
//	{"seed": 0, "step": 0, "weights": [1], "groups": [{"problem": "p0",
//	 "greedy": 0.0, "weights": null, "rollouts": [{"tokens": 12, "logprob": -3.5,
//	 "entropy": 8.1, "train": true, "final": "42", "candidates": [{"reward": [1],
//	 "correct": true, "valid": true, "answer": "42", "mode": "A",
//	 "embedding": [0.1]}]}]}]}
//
// A rollout may also hold per token "token_logprobs", "token_entropies",
// "token_ref_logprobs", "token_squares" and "token_distributions", as in estimators.PerToken:
// lists of one length, which gives "tokens" if that is left out.
//
// Fields that a method does not need may be left out: weights defaults to the
// uniform w*, train to true. "final": null means that the rollout has no final answer, as ""
// does; the nulls of a candidate are those of envs.Candidate; any other null counts as missing.
// An error is one line: line:column if the text is not JSON, else the path of the fault.
func Read(r io.Reader) (*estimators.Batch, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var doc batchJSON
	if err := strictjson.CheckSyntax(data); err != nil {
		return nil, err
	}
	if err := strictjson.Decode(data, "", &doc); err != nil {
		return nil, err
	}
	b := reader{&estimators.Batch{Seed: doc.Seed, Step: doc.Step, CandidateFields: envs.HasAll, RolloutFields: estimators.AllRolloutFields | estimators.AllTokenFields, Missing: map[string]string{}}}
	if b.Weights, err = strictjson.Numbers(doc.Weights, "weights"); err != nil {
		return nil, err
	}
	if len(doc.Groups) == 0 {
		return nil, errors.New("groups: missing or empty, want at least one group")
	}
	for g, text := range doc.Groups {
		group, err := b.readGroup(text, fmt.Sprintf("groups[%d]", g))
		if err != nil {
			return nil, err
		}
		b.Groups = append(b.Groups, group)
	}
	return b.Batch, b.checkWeights()
}

type reader struct{ *estimators.Batch }

// batchJSON, groupJSON and rolloutJSON are the document one level at a time, so
// that an error can name the path it happened at.
type batchJSON struct {
	Seed    uint64            `json:"seed"`
	Step    int               `json:"step"`
	Weights []*float64        `json:"weights"`
	Groups  []json.RawMessage `json:"groups"`
}

type groupJSON struct {
	Problem  string            `json:"problem"`
	Greedy   *float64          `json:"greedy"`
	Weights  []*float64        `json:"weights"`
	Rollouts []json.RawMessage `json:"rollouts"`
}

type rolloutJSON struct {
	Tokens     *int              `json:"tokens"`
	Logprob    *float64          `json:"logprob"`
	Entropy    *float64          `json:"entropy"`
	Train      *bool             `json:"train"`
	Final      json.RawMessage   `json:"final"`
	Candidates []json.RawMessage `json:"candidates"`

	Logprobs      []*float64   `json:"token_logprobs"`
	Entropies     []*float64   `json:"token_entropies"`
	References    []*float64   `json:"token_ref_logprobs"`
	Squares       []*float64   `json:"token_squares"`
	Distributions [][]*float64 `json:"token_distributions"`
}

func (b reader) readGroup(text []byte, path string) (estimators.Group, error) {
	var doc groupJSON
	if err := strictjson.Decode(text, path, &doc); err != nil {
		return estimators.Group{}, err
	}
	weights, err := strictjson.Numbers(doc.Weights, path+".weights")
	if err != nil {
		return estimators.Group{}, err
	}
	if len(doc.Rollouts) == 0 {
		return estimators.Group{}, fmt.Errorf("%s.rollouts: missing or empty, want at least one rollout", path)
	}
	group := estimators.Group{Problem: doc.Problem, Weights: weights}
	fact(b, estimators.GroupGreedy, &group.Greedy, doc.Greedy, path)
	var problem envs.OneProblem
	for i, text := range doc.Rollouts {
		rollout, err := b.readRollout(text, fmt.Sprintf("%s.rollouts[%d]", path, i), &problem)
		if err != nil {
			return estimators.Group{}, err
		}
		group.Rollouts = append(group.Rollouts, rollout)
	}
	return group, nil
}

func (b reader) readRollout(text []byte, path string, problem *envs.OneProblem) (estimators.Rollout, error) {
	var doc rolloutJSON
	if err := strictjson.Decode(text, path, &doc); err != nil {
		return estimators.Rollout{}, err
	}
	if len(doc.Candidates) == 0 {
		return estimators.Rollout{}, fmt.Errorf("%s.candidates: missing or empty, want at least one candidate", path)
	}
	rollout := estimators.Rollout{Train: doc.Train == nil || *doc.Train}
	var err error
	if rollout.PerToken, err = b.readTokens(&doc, path); err != nil {
		return estimators.Rollout{}, err
	}
	fact(b, estimators.RolloutTokens, &rollout.Tokens, doc.Tokens, path)
	fact(b, estimators.RolloutLogprob, &rollout.Logprob, doc.Logprob, path)
	fact(b, estimators.RolloutEntropy, &rollout.Entropy, doc.Entropy, path)
	var final *string
	if doc.Final != nil {
		text, err := strictjson.TextOrNull(doc.Final, path+".final")
		if err != nil {
			return estimators.Rollout{}, err
		}
		final = &text
	}
	fact(b, estimators.RolloutFinal, &rollout.Final, final, path)
	for k, text := range doc.Candidates {
		place := fmt.Sprintf("%s.candidates[%d]", path, k)
		var c envs.Candidate
		if err := c.Decode(text, place); err != nil {
			return estimators.Rollout{}, err
		}
		if err := problem.Add(&c, place); err != nil {
			return estimators.Rollout{}, err
		}
		b.lacks(envs.HasAll&^c.Has, 0, place)
		rollout.Candidates = append(rollout.Candidates, &c.Verdict)
	}
	return rollout, nil
}

// lacks remembers where each field of these is missing first.
func (b reader) lacks(fields envs.Fields, facts estimators.RolloutFields, path string) {
	for _, name := range append(fields.Names(), facts.Names()...) {
		if _, ok := b.Missing[name]; !ok {
			b.Missing[name] = path + "." + name
		}
	}
	b.CandidateFields &^= fields
	b.RolloutFields &^= facts
}

// fact takes a field over from the document, or notes that it is missing.
func fact[T any](b reader, f estimators.RolloutFields, dst, from *T, path string) {
	if from != nil {
		*dst = *from
	} else {
		b.lacks(0, f, path)
	}
}

// checkWeights fills in the uniform w* and holds every reward vector against the weights in length.
func (b reader) checkWeights() error {
	if b.Weights == nil {
		b.Weights = b.uniform()
	}
	if err := checkSigns(b.Weights, "weights"); err != nil {
		return err
	}
	for g, group := range b.Groups {
		if err := checkSigns(group.Weights, fmt.Sprintf("groups[%d].weights", g)); err != nil {
			return err
		}
		weights := group.Scalarisation(b.Batch)
		for i, r := range group.Rollouts {
			for k, c := range r.Candidates {
				if c.Reward != nil && len(c.Reward) != len(weights) {
					return fmt.Errorf("groups[%d].rollouts[%d].candidates[%d].reward: %d entries, want %d, one per weight", g, i, k, len(c.Reward), len(weights))
				}
			}
		}
	}
	return nil
}

// uniform is the uniform w* for the first reward vector of the document, nil without any.
func (b reader) uniform() []float64 {
	for _, group := range b.Groups {
		for _, r := range group.Rollouts {
			for _, c := range r.Candidates {
				if c.Reward != nil {
					return envs.UniformWeights(len(c.Reward))
				}
			}
		}
	}
	return nil
}

func checkSigns(weights []float64, path string) error {
	for i, w := range weights {
		if w < 0 {
			return fmt.Errorf("%s[%d]: got %v, want 0 or more", path, i, w)
		}
	}
	return nil
}

const distributions = "token_distributions"

// readTokens reads the document's lists with an entry per token of a rollout. All lists have
// one length, the rollout's number of tokens; if that is left out it is taken from them.
func (b reader) readTokens(doc *rolloutJSON, path string) (*estimators.PerToken, error) {
	var tokens estimators.PerToken
	count := func(n int, name string) error {
		doc.Tokens = cmp.Or(doc.Tokens, &n)
		if n != *doc.Tokens {
			return fmt.Errorf("%s.%s: %d entries, want %d, one per token", path, name, n, *doc.Tokens)
		}
		return nil
	}
	given := false
	for k, from := range [][]*float64{doc.Logprobs, doc.Entropies, doc.References, doc.Squares} {
		field := estimators.TokenNumbers[k]
		if from == nil {
			b.lacks(0, field, path)
			continue
		}
		name := field.Names()[0]
		numbers, err := strictjson.Numbers(from, path+"."+name)
		if err == nil {
			err = count(len(numbers), name)
		}
		if err != nil {
			return nil, err
		}
		*tokens.Numbers(field), given = numbers, true
	}
	if doc.Distributions == nil {
		b.lacks(0, estimators.TokenLegal, path)
	} else {
		given = true
		if err := count(len(doc.Distributions), distributions); err != nil {
			return nil, err
		}
		for t, from := range doc.Distributions {
			place := fmt.Sprintf("%s.%s[%d]", path, distributions, t)
			p, err := strictjson.Numbers(from, place)
			if err != nil {
				return nil, err
			}
			if len(p) == 0 || slices.Min(p) < 0 {
				return nil, fmt.Errorf("%s: want one probability of 0 or more for each legal token", place)
			}
			tokens.Legal = append(tokens.Legal, p)
		}
	}
	if !given {
		return nil, nil
	}
	return &tokens, nil
}
