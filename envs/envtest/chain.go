package envtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

// chained is how many answers the chains of checkChain hold at most.
const chained = 3

// checkChain checks that chains of a problem's answers, whether they stop or not, cut
// rollouts at the ends of the answers, and have one verdict in both forms, whatever is done
// to the tokens.
func checkChain(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		for _, stops := range []bool{false, true} {
			c, err := envs.NewChain(p, chained, envs.ChainOptions{Word: s.info.Word, Stops: stops, Vocabulary: len(s.info.Vocabulary)})
			if err != nil {
				return err
			}
			r := key.Str("chain").Str(c.ID()).Rand()
			for i := range len(answers) - chained {
				rollout, err := s.link(c, answers[i:i+chained], r)
				if err != nil {
					return fmt.Errorf("chain %s: %w", c.ID(), err)
				}
				for _, tokens := range s.damaged(rollout, r) {
					if err := bothForms(c, tokens); err != nil {
						return fmt.Errorf("chain %s, rollout %v: %w", c.ID(), tokens, err)
					}
				}
			}
		}
		return nil
	})
}

// link walks a chain through the answers and, if the chain stops, a control token after
// each, until it is done; Split has to find them again.
func (s *suite) link(c *envs.Chain, answers [][]envs.Token, r *rand.Rand) ([]envs.Token, error) {
	var rollout []envs.Token
	given, walk := 0, c.Start()
	take := func(t envs.Token) error {
		if err := walk.Push(t); err != nil {
			return fmt.Errorf("after %v: %w", rollout, err)
		}
		rollout = append(rollout, t)
		return nil
	}
	for given < len(answers) && !walk.Done() {
		for _, t := range answers[given] {
			if err := take(t); err != nil {
				return nil, err
			}
		}
		given++
		if !c.Stops() {
			continue
		}
		control, err := s.control(walk, r)
		if err == nil {
			err = take(control)
		}
		if err != nil {
			return nil, err
		}
	}
	if got := c.Split(rollout); !walk.Done() || !slices.EqualFunc(got, answers[:given], slices.Equal) {
		return nil, fmt.Errorf("after the answers %v it is done: %v; they are cut into %v", answers[:given], walk.Done(), got)
	}
	return rollout, nil
}

// control draws a control token that is legal, when all others have been refused.
func (s *suite) control(c envs.Cursor, r *rand.Rand) (envs.Token, error) {
	var view envs.View
	if view.Look(c); !view.Control {
		return 0, fmt.Errorf("no control token is due where the answer ends")
	}
	legal := c.Legal()
	n := envs.Token(len(s.info.Vocabulary))
	for t := envs.Token(-1); t < n+chained+3; t++ {
		if !slices.Contains(legal, t) && c.Push(t) == nil {
			return 0, fmt.Errorf("token %d is taken where a control token is due, want one of %v", t, legal)
		}
	}
	return legal[r.IntN(len(legal))], nil
}

// damaged returns a rollout and others near it: cut short, with a token replaced,
// and with one more behind it.
func (s *suite) damaged(rollout []envs.Token, r *rand.Rand) [][]envs.Token {
	n := len(s.info.Vocabulary) + chained + 3
	odd := slices.Clone(rollout)
	odd[r.IntN(len(odd))] = envs.Token(r.IntN(n))
	return [][]envs.Token{rollout, rollout[:r.IntN(len(rollout)+1)], odd, append(slices.Clone(rollout), envs.Token(r.IntN(n)))}
}

// bothForms: a rollout's tokens and its text have the same verdicts and the same
// final answer.
func bothForms(c *envs.Chain, rollout []envs.Token) error {
	text := c.AnswerText(rollout)
	a, b := c.Judge(nil, rollout), c.JudgeText(text)
	if len(a) != len(b) || c.Named(rollout) != c.NamedText(text) {
		return fmt.Errorf("%d answers, number %d named final; of its text %s %d, and number %d",
			len(a), c.Named(rollout), quote(text), len(b), c.NamedText(text))
	}
	for i := range a {
		if err := differ(a[i], b[i]); err != nil {
			return fmt.Errorf("answer %d, and in the text %s: %w", i+1, quote(text), err)
		}
	}
	return nil
}
