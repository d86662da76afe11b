package batchjson

import (
	"fmt"
	"slices"

	"modebench/estimators"
	"modebench/internal/strictjson"
)

const distributions = "token_distributions"

// readTokens reads the document's lists with an entry per token of a rollout. All lists have
// one length, the rollout's number of tokens; if that is left out it is taken from them.
func (b reader) readTokens(doc *rolloutJSON, path string) (*estimators.PerToken, error) {
	var tokens estimators.PerToken
	count := func(n int, name string) error {
		if doc.Tokens == nil {
			doc.Tokens = &n
		}
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

func (w *documentWriter) writeTokens(p *estimators.PerToken, facts estimators.RolloutFields) {
	if facts&estimators.AllTokenFields == 0 {
		return
	}
	if p == nil {
		p = &estimators.PerToken{} // a rollout without tokens
	}
	for _, field := range estimators.TokenNumbers {
		if facts&field != 0 {
			writeNumbers(w, field.Names()[0], *p.Numbers(field))
		}
	}
	if facts&estimators.TokenLegal == 0 {
		return
	}
	w.key(distributions)
	w.raw(`[`)
	for t, probabilities := range p.Legal {
		w.comma(t)
		writeList(w, fmt.Sprintf("%s[%d]", distributions, t), probabilities)
	}
	w.raw(`]`)
}
