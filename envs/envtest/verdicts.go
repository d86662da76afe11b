package envtest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
)

// unitTolerance is how far the length of an embedding may lie from 1.
const unitTolerance = 1e-6

func checkVerdicts(s *suite) {
	dim := 0 // of the first embedding met
	s.eachAnswer(func(p envs.Problem, tokens []envs.Token) {
		before := slices.Clone(tokens)
		v := p.Judge(tokens)
		noError(catch(func() { s.shape(v, &dim) }), "answer %v", tokens)
		noError(catch(func() { differ(v, p.Judge(tokens)) }), "answer %v, judged twice", tokens)
		want(slices.Equal(before, tokens), "judging changed the answer %v to %v", before, tokens)
	})
}

func (s *suite) shape(v *envs.Verdict, dim *int) {
	i := s.info
	want(len(v.Reward) == len(i.Components), "reward %v, want one number per component of %v", v.Reward, i.Components)
	for _, r := range v.Reward {
		want(r >= 0 && r <= 1, "reward %v, want numbers from 0 to 1", v.Reward)
	}
	want(v.Answer == "" || i.Votes, "answer %q in an environment without votes", v.Answer)
	want(v.Variant == "" || i.Variants, "variant %q in an environment without variants", v.Variant)
	if v.Embedding != nil {
		s.embedding(v.Embedding, dim)
	}
	if v.Err != nil {
		rejected(v)
		return
	}
	moded := v.Mode != envs.Degenerate
	want(moded || s.modeless, "a valid answer has no mode: %+v", v)
	want(v.Answer != "" || !i.Votes, "a valid answer has nothing to vote with: %+v", v)
	want(v.Variant != "" || !i.Variants || !moded, "an answer with the mode %q has no variant", v.Mode)
	want(v.Embedding != nil || !i.Embeddings || !moded, "an answer with the mode %q has no embedding", v.Mode)
}

// rejected checks the verdict of an answer that does not parse.
func rejected(v *envs.Verdict) {
	want(v.Err != nil && v.Err.Error() != "" && !strings.ContainsAny(v.Err.Error(), "\n\r"), "error %v, want one line", v.Err)
	want(!v.Correct && v.Mode == envs.Degenerate && v.Variant == "" && v.Answer == "",
		"does not parse (%v), yet correct %v, mode %q, variant %q, answer %q", v.Err, v.Correct, v.Mode, v.Variant, v.Answer)
	for _, r := range v.Reward {
		want(r == 0, "does not parse (%v), yet rewarded: %v", v.Err, v.Reward)
	}
}

func (s *suite) embedding(v []float32, dim *int) {
	want(s.info.Embeddings, "an embedding in an environment without them")
	*dim = cmp.Or(*dim, len(v))
	squares := make([]float64, len(v))
	for i, x := range v {
		squares[i] = float64(float64(x) * float64(x))
	}
	length := math.Sqrt(exact.Sum(squares))
	want(len(v) == *dim && math.Abs(length-1) <= unitTolerance, "embedding has %d entries and length %v, want %d and 1", len(v), length, *dim)
}

// differ ends a check that finds a difference of two verdicts. Errors are compared only by
// whether there is an error: one form may name a token, the other a column.
func differ(a, b *envs.Verdict) {
	want(slices.Equal(a.Reward, b.Reward) && a.SaysSame(b) && (a.Err == nil) == (b.Err == nil), "verdicts differ:\n%+v\n%+v", a, b)
}

// checkText checks that Judge(tokens) = JudgeText(AnswerText(tokens)), also for answers that stop
// early and for numbers that are not tokens; and that whole answers come back from their text.
func checkText(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		r := key.Str("cut").Rand()
		for _, tokens := range s.answers(p, key) {
			odd := slices.Clone(tokens)
			odd[r.IntN(len(odd))] = envs.Token(r.IntN(len(s.info.Vocabulary)))
			for _, a := range [][]envs.Token{tokens, tokens[:r.IntN(len(tokens)+1)], odd, append(odd, odd...)} {
				text := p.AnswerText(a)
				noError(catch(func() { differ(p.Judge(a), p.JudgeText(text)) }), "answer %v, as text %s", a, quote(text))
			}
			text := p.AnswerText(tokens)
			tokensOf, err := p.AnswerTokens(text)
			want(err == nil && slices.Equal(tokensOf, tokens), "answer %v, as text %s, is read back as %v (error %v)", tokens, quote(text), tokensOf, err)
			noError(catch(func() { differ(p.Judge(tokens), p.JudgeText("  "+text+" \n")) }), "answer %v with blanks around its text", tokens)
		}
	})
}

// nonsense is no answer in any environment's text form.
var nonsense = []string{"\x00\xff\xfe", "\u265e \u2603", "this is no answer", strings.Repeat("(", 100_000), "\"';--", "?", "? ?"}

// oddities may or may not parse, but must be survived.
var oddities = []string{"", " ", "\n", "0", "-", "=", ",", "1/0", "1/0 = 1/0", "NaN", "1e999999999", "x=,y=", "()", "((1)", "null", "{}",
	strings.Repeat("9", 50_000), strings.Repeat("1+", 50_000) + "1", strings.Repeat("-", 50_000) + "1", strings.Repeat("UP ", 50_000)}

// checkGarbage checks that a text that does not parse gets an error, no mode and no reward;
// and that no text makes the judge panic.
func checkGarbage(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		for _, text := range nonsense {
			noError(catch(func() {
				v := p.JudgeText(text)
				want(len(v.Reward) == len(s.info.Components), "reward %v", v.Reward)
				rejected(v)
				readAlike(p, text, v)
			}), "text %s", quote(text))
		}
		for _, tokens := range [][]envs.Token{{-1}, {envs.Token(len(s.info.Vocabulary))}, {-1 << 31, 1<<31 - 1}} {
			noError(catch(func() {
				v := p.Judge(tokens)
				want(len(v.Reward) == len(s.info.Components), "reward %v", v.Reward)
				rejected(v)
				differ(v, p.JudgeText(p.AnswerText(tokens)))
			}), "tokens %v", tokens)
		}
		texts, r := slices.Clone(oddities), key.Str("mutate").Rand()
		for _, tokens := range s.answers(p, key) {
			texts = append(texts, mutate(p.AnswerText(tokens), r))
		}
		dim := 0
		for _, text := range texts {
			noError(catch(func() {
				v := p.JudgeText(text)
				s.shape(v, &dim)
				readAlike(p, text, v)
			}), "text %s", quote(text))
		}
	})
}

// readAlike: a text that can be read as tokens parses, and the tokens have its verdict, v.
func readAlike(p envs.Problem, text string, v *envs.Verdict) {
	tokens, err := p.AnswerTokens(text)
	if err != nil {
		want(!strings.ContainsAny(err.Error(), "\n\r"), "read as tokens: error %q, want one line", err)
		return
	}
	want(v.Err == nil, "does not parse (%v), but is read as the tokens %v", v.Err, tokens)
	noError(catch(func() { differ(v, p.Judge(tokens)) }), "read as the tokens %v", tokens)
}

// checkVariants: answers of one variant have one mode and one embedding, for a
// variant is a finer name of the same solution.
func checkVariants(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		first := map[string]*envs.Verdict{}
		for _, tokens := range s.answers(p, key) {
			v := p.Judge(tokens)
			if v.Variant == "" {
				continue
			}
			u := first[v.Variant]
			if u == nil {
				first[v.Variant], u = v, v
			}
			want(u.Mode == v.Mode && slices.Equal(u.Embedding, v.Embedding),
				"answer %v: the variant %q has two modes or embeddings:\n%+v\n%+v", tokens, v.Variant, u, v)
		}
	})
}

// mutate damages a text: a byte is replaced, dropped or doubled.
func mutate(text string, r *rand.Rand) string {
	i := r.IntN(len(text) + 1)
	switch r.IntN(3) {
	case 0:
		return text[:i] + string([]byte{byte(r.IntN(256))}) + text[min(len(text), i+1):]
	case 1:
		return text[:i] + text[min(len(text), i+1):]
	}
	return text[:i] + text[max(0, i-1):]
}
