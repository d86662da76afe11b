package polynomial

import "modebench/envs"

// Judge implements envs.Problem.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	c := cursor{grammar: &p.env.grammar}
	for _, t := range answer {
		if !c.step(t) {
			return p.JudgeText(p.AnswerText(answer))
		}
	}
	if c.part != written {
		return p.JudgeText(p.AnswerText(answer))
	}
	var room [maxText]byte
	return p.verdict(int64(c.x), c.number.value(c.grammar), appendAnswer(room[:0], answer[:len(answer)-1]))
}

// JudgeText implements envs.Problem: a pair in the last complete pair of <answer> tags or,
// without such a pair, in the whole text.
func (p *Problem) JudgeText(text string) *envs.Verdict {
	r := p.env.reader(text)
	if !r.pair() {
		return &envs.Verdict{Reward: noReward, Mode: envs.Degenerate, Err: &r.syntaxError}
	}
	var room [maxText]byte
	return p.verdict(r.value[0], r.value[1], r.appendSpelled(room[:0]))
}

// maxText is room for the texts of two answers: a variant and its mode.
const maxText = 2 * len("x=-1234.123, y=-1234.123")

// A judged pair is a verdict with its embedding, allocated at once.
type judged struct {
	verdict   envs.Verdict
	embedding [maxEmbedding]float32
}

func (p *Problem) verdict(x, y int64, spelled []byte) *envs.Verdict {
	n := len(spelled)
	text := string(p.env.appendPair(spelled, x, y)) // one string for variant and mode
	j := &judged{verdict: envs.Verdict{Reward: wrongReward, Correct: p.curve.holds(x, y), Variant: text[:n], Mode: envs.Mode(text[n:])}}
	j.verdict.Embedding = p.env.embed(j.embedding[:0], x, y)
	if j.verdict.Correct {
		j.verdict.Reward = rightReward
	}
	return &j.verdict
}

// AnswerText implements envs.Problem: "x=1, y=11". Three dots mark the place where an unfinished
// answer breaks off, so that it does not parse; neither does anything else that is not legal.
func (p *Problem) AnswerText(answer []envs.Token) string {
	var room [maxText]byte
	if n := len(answer); n > 0 && answer[n-1] == end {
		return string(appendAnswer(room[:0], answer[:n-1]))
	}
	return string(append(appendAnswer(room[:0], answer), "..."...))
}

func appendAnswer(dst []byte, answer []envs.Token) []byte {
	dst = append(dst, "x="...)
	for _, t := range answer {
		switch {
		case t == comma:
			dst = append(dst, ", y="...)
		case uint(t) < uint(answerTokens):
			dst = append(dst, answerWords[t]...)
		case t >= answerTokens && int(t-answerTokens) < len(promptSigns):
			dst = append(dst, promptSigns[t-answerTokens])
		default:
			dst = append(dst, '?')
		}
	}
	return dst
}

// AnswerTokens implements envs.Problem. Every text that parses has tokens, x
// first, with the numbers spelled as they are.
func (p *Problem) AnswerTokens(text string) ([]envs.Token, error) {
	r := p.env.reader(text)
	if !r.pair() {
		return nil, &r.syntaxError
	}
	tokens := make([]envs.Token, 0, len(r.spelled[0])+len(r.spelled[1])+2)
	for i, mark := range [2]envs.Token{comma, end} {
		for _, b := range []byte(r.spelled[i]) {
			tokens = append(tokens, tokenOf(b))
		}
		tokens = append(tokens, mark)
	}
	return tokens, nil
}
