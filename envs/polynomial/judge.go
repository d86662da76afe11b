package polynomial

import (
	"math"

	"modebench/envs"
)

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
		return envs.Reject(noReward, &r.syntaxError)
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

// appendAnswer appends the text of an answer without its last token, the end.
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

// maxEmbedding is the length of the longest embedding: two numbers for each of
// eight periods, for x and for y.
const maxEmbedding = 2 * 2 * 8

// periods lists the periods of the embedding's waves: 4, 16, 64, ..., in units,
// until one is at least twice as long as the span from the lowest to the highest
// number, so that no two numbers share a place on its circle.
func periods(unit int64, digits int) []int64 {
	range4 := 4 * unit
	for range digits {
		range4 *= 10
	}
	var out []int64
	for period := 4 * unit; ; period *= 4 {
		out = append(out, period)
		if period >= range4 {
			return out
		}
	}
}

// embed appends the embedding of a pair in units. Each number runs around one circle for
// each period, so that the cosine of two pairs is the mean of about cos(2 pi d/period) over
// the periods and over the distances d in x and in y: near pairs are alike under all
// periods, others under some by chance. Triangle waves, scaled onto the circle, replace
// sine and cosine, whose bits depend on the machine.
func (e *Env) embed(dst []float32, x, y int64) []float32 {
	circles := int64(2 * len(e.periods))
	for _, v := range [2]int64{x, y} {
		for _, period := range e.periods {
			phase := v % period
			if phase < 0 {
				phase += period
			}
			// From period at phase 0 down to -period at half, and up again; and
			// the same a quarter later.
			across := abs(4*phase-2*period) - period
			up := period - abs(across)
			if 2*phase > period {
				up = -up
			}
			length := math.Sqrt(float64((across*across + up*up) * circles))
			dst = append(dst, float32(float64(across)/length), float32(float64(up)/length))
		}
	}
	return dst
}
