package envtest

import (
	"math/rand/v2"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

// chained is how many answers the chains of checkChain hold at most.
const chained = 3

// checkChain checks that chains of a problem's answers, whether they stop or not, cut rollouts at
// the ends of the answers, and have one verdict in both forms, whatever is done to the tokens.
func checkChain(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		answers := s.answers(p, key)
		for _, stops := range []bool{false, true} {
			c := s.chain(p, chained, stops)
			r := key.Str("chain").Str(c.ID()).Rand()
			for i := range len(answers) - chained {
				noError(catch(func() {
					for _, tokens := range s.damaged(s.link(c, answers[i:i+chained], r), r) {
						noError(catch(func() { bothForms(c, tokens) }), "rollout %v", tokens)
					}
				}), "chain %s", c.ID())
			}
		}
	})
}

func (s *suite) chain(p envs.Problem, m int, stops bool) *envs.Chain {
	return must(envs.NewChain(p, m, envs.ChainOptions{Word: s.info.Word, Stops: stops, Vocabulary: len(s.info.Vocabulary)}))
}

// link walks a chain through the answers and, if the chain stops, a control token after
// each, until it is done; Split has to find them again.
func (s *suite) link(c *envs.Chain, answers [][]envs.Token, r *rand.Rand) []envs.Token {
	var rollout []envs.Token
	given, walk := 0, c.Start()
	take := func(t envs.Token) {
		noError(walk.Push(t), "after %v", rollout)
		rollout = append(rollout, t)
	}
	for given < len(answers) && !walk.Done() {
		for _, t := range answers[given] {
			take(t)
		}
		given++
		if c.Stops() {
			take(s.control(walk, r))
		}
	}
	parts := c.Split(rollout)
	want(walk.Done() && slices.EqualFunc(parts, answers[:given], slices.Equal),
		"after the answers %v it is done: %v; they are cut into %v", answers[:given], walk.Done(), parts)
	return rollout
}

// control draws a control token that is legal, when all others have been refused.
func (s *suite) control(c envs.Cursor, r *rand.Rand) envs.Token {
	var view envs.View
	view.Look(c)
	want(view.Control, "no control token is due where the answer ends")
	legal, n := c.Legal(), envs.Token(len(s.info.Vocabulary))
	for t := envs.Token(-1); t < n+chained+3; t++ {
		want(slices.Contains(legal, t) || c.Push(t) != nil, "token %d is taken where a control token is due, want one of %v", t, legal)
	}
	return legal[r.IntN(len(legal))]
}

// damaged returns a rollout and others near it: cut short, with a token replaced,
// and with one more behind it.
func (s *suite) damaged(rollout []envs.Token, r *rand.Rand) [][]envs.Token {
	n := len(s.info.Vocabulary) + chained + 3
	odd := slices.Clone(rollout)
	odd[r.IntN(len(odd))] = envs.Token(r.IntN(n))
	return [][]envs.Token{rollout, rollout[:r.IntN(len(rollout)+1)], odd, append(slices.Clone(rollout), envs.Token(r.IntN(n)))}
}

// bothForms: a rollout's tokens and its text have the same verdicts and the same final answer.
func bothForms(c *envs.Chain, rollout []envs.Token) {
	text := c.AnswerText(rollout)
	a, b := c.Judge(nil, rollout), c.JudgeText(text)
	want(len(a) == len(b) && c.Named(rollout) == c.NamedText(text), "%d answers, number %d named final; of its text %s %d, and number %d",
		len(a), c.Named(rollout), quote(text), len(b), c.NamedText(text))
	for i := range a {
		noError(catch(func() { differ(a[i], b[i]) }), "answer %d, and in the text %s", i+1, quote(text))
	}
}
