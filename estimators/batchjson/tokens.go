package batchjson

import (
	"fmt"
	"slices"

	"modebench/estimators"
	"modebench/internal/strictjson"
)

// A tokenList is a list of numbers with one entry per token: its name in the document and
// where a rollout holds it.
type tokenList struct {
	field estimators.RolloutFields
	list  func(*estimators.PerToken) *[]float64
}

// tokenLists are the lists of numbers, in the order of the document. The distributions, a list
// of lists, come after them.
var tokenLists = []tokenList{
	{estimators.TokenLogprob, func(p *estimators.PerToken) *[]float64 { return &p.Logprob }},
	{estimators.TokenEntropy, func(p *estimators.PerToken) *[]float64 { return &p.Entropy }},
	{estimators.TokenReference, func(p *estimators.PerToken) *[]float64 { return &p.Reference }},
	{estimators.TokenSquares, func(p *estimators.PerToken) *[]float64 { return &p.Squares }},
}

func (l tokenList) name() string { return l.field.Names()[0] }

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
	for k, from := range [][]*float64{doc.TokenLogprobs, doc.TokenEntropies, doc.TokenReference, doc.TokenSquares} {
		list := tokenLists[k]
		if from == nil {
			b.lacksList(list.field, path)
			continue
		}
		numbers, err := strictjson.Numbers(from, path+"."+list.name())
		if err == nil {
			err = count(len(numbers), list.name())
		}
		if err != nil {
			return nil, err
		}
		*list.list(&tokens), given = numbers, true
	}
	if doc.TokenDistributions == nil {
		b.lacksList(estimators.TokenLegal, path)
	} else {
		given = true
		if err := count(len(doc.TokenDistributions), distributions); err != nil {
			return nil, err
		}
		for t, from := range doc.TokenDistributions {
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

// lacksList notes that a rollout has no list of that field.
func (b reader) lacksList(f estimators.RolloutFields, where string) {
	b.noteMissing(f.Names()[0], where)
	b.RolloutFields &^= f
}

// writeTokens writes the lists of the given facts, each with a comma behind it.
func (w *documentWriter) writeTokens(p *estimators.PerToken, facts estimators.RolloutFields) {
	if facts&estimators.AllTokenFields == 0 {
		return
	}
	if p == nil {
		p = &estimators.PerToken{} // a rollout without tokens
	}
	for _, list := range tokenLists {
		if facts&list.field != 0 {
			w.raw(`"` + list.name() + `":`)
			w.numbers(list.name(), *list.list(p))
			w.raw(`,`)
		}
	}
	if facts&estimators.TokenLegal == 0 {
		return
	}
	w.raw(`"` + distributions + `":[`)
	for t, own := range p.Legal {
		w.comma(t)
		w.numbers(fmt.Sprintf("%s[%d]", distributions, t), own)
	}
	w.raw(`],`)
}
