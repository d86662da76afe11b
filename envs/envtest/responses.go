package envtest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"

	"modebench/envs"
	"modebench/envs/reference"
	"modebench/internal/rng"
)

// A Response is a possible response of a model to a problem.
type Response struct {
	ID   string // the reference of the problem
	Text string
}

// Responses draws n responses to problems of all environments that are registered: right and
// wrong ones and such as do not parse, written in many ways, to problems posed in many ways.
// They are the same in every call.
func Responses(n int) ([]Response, error) {
	names := envs.Names()
	cache := reference.NewCache(n)
	out := make([]Response, n)
	for i := range out {
		r := rng.New(0).Str("responses").Int(uint64(i)).Rand()
		id := posedID(names[i%len(names)], r)
		q, err := cache.Find(id, nil)
		if err != nil {
			return nil, err
		}
		out[i] = Response{id, damaged(response(q, r), r)}
	}
	return out, nil
}

// posedID draws the reference of one of a few problems, so that many have several responses.
func posedID(name string, r *rand.Rand) string {
	splits := envs.Splits()
	id := fmt.Sprintf("%s/%s/%d", name, splits[r.IntN(len(splits))], r.IntN(5))
	switch r.IntN(6) {
	case 0:
		return id + "?env_seed=1"
	case 1:
		return id + "?candidates=3"
	case 2:
		return id + "?candidates=2&stops=true"
	}
	return id
}

func response(q *reference.Posed, r *rand.Rand) string {
	if q.Chain == nil {
		return written(AnswerText(q.Problem, r), r)
	}
	word := cmp.Or(q.Info.Word, "answer")
	var b strings.Builder
	for i := range 1 + r.IntN(q.Chain.Answers()+1) {
		fmt.Fprintf(&b, "Answer %d: <%s_%d>%s</%s_%d>\n", i+1, word, i+1, AnswerText(q.Problem, r), word, i+1)
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "<final>%d</final>", r.IntN(3))
	}
	return b.String()
}

// AnswerText draws an answer in the text form: of the demonstrator, or of tokens that are
// legal one by one, or of any tokens.
func AnswerText(p envs.Problem, r *rand.Rand) string {
	switch r.IntN(4) {
	case 0, 1:
		return p.AnswerText(p.Demonstrate(r))
	case 2:
		return p.AnswerText(randomTokens(p, 100, r))
	}
	tokens := make([]envs.Token, r.IntN(10))
	for i := range tokens {
		tokens[i] = envs.Token(r.IntN(20))
	}
	return p.AnswerText(tokens)
}

func written(answer string, r *rand.Rand) string {
	forms := []string{
		"%s", "<answer>%s</answer>", "Let me think. First I look for a way.\n\n<answer>%s</answer>", "<ANSWER type=\"final\">%s</ANSWER>", "<answer>%s",
		`So we have \boxed{%s}.`, "The answer is %s.", "**Final answer:** %s", "Here it is:\n```\n%s\n```", "I would say `%s`.", "Thus **%s**.", "Hence $%s$.", "It works out.\n%s",
	}
	return fmt.Sprintf(forms[r.IntN(len(forms))], answer)
}

func damaged(text string, r *rand.Rand) string {
	if r.IntN(4) > 0 || text == "" {
		return text
	}
	place := r.IntN(len(text))
	odd := []string{"", "\x00", "\xff", "é", "\u2212", "<", "\u2028", "\"", "9", " "}
	return text[:place] + odd[r.IntN(len(odd))] + text[min(len(text), place+r.IntN(3)):]
}
