package envtest

import (
	"fmt"
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

// checkVerdicts judges whole answers.
func checkVerdicts(s *suite) error {
	dim := 0 // of the first embedding met
	return s.each(func(p envs.Problem, key rng.Key) error {
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		for _, tokens := range answers {
			before := slices.Clone(tokens)
			v := p.Judge(tokens)
			if err := s.shape(v, &dim); err != nil {
				return fmt.Errorf("answer %v: %w", tokens, err)
			}
			if err := differ(v, p.Judge(tokens)); err != nil {
				return fmt.Errorf("answer %v, judged twice: %w", tokens, err)
			}
			if !slices.Equal(before, tokens) {
				return fmt.Errorf("judging changed the answer %v to %v", before, tokens)
			}
		}
		return nil
	})
}

// shape checks one verdict by itself.
func (s *suite) shape(v *envs.Verdict, dim *int) error {
	if len(v.Reward) != len(s.info.Components) {
		return fmt.Errorf("reward %v, want one number per component of %v", v.Reward, s.info.Components)
	}
	for _, r := range v.Reward {
		if !(r >= 0 && r <= 1) {
			return fmt.Errorf("reward %v, want numbers from 0 to 1", v.Reward)
		}
	}
	if v.Answer != "" && !s.info.Votes {
		return fmt.Errorf("answer %q in an environment without votes", v.Answer)
	}
	if v.Variant != "" && !s.info.Variants {
		return fmt.Errorf("variant %q in an environment without variants", v.Variant)
	}
	if v.Embedding != nil {
		if err := s.embedding(v.Embedding, dim); err != nil {
			return err
		}
	}
	if v.Err != nil {
		return rejected(v)
	}
	switch {
	case v.Mode == envs.Degenerate && !s.modeless:
		return fmt.Errorf("a valid answer has no mode: %+v", v)
	case v.Answer == "" && s.info.Votes:
		return fmt.Errorf("a valid answer has nothing to vote with: %+v", v)
	case v.Variant == "" && s.info.Variants && v.Mode != envs.Degenerate:
		return fmt.Errorf("an answer with the mode %q has no variant", v.Mode)
	case v.Embedding == nil && s.info.Embeddings && v.Mode != envs.Degenerate:
		return fmt.Errorf("an answer with the mode %q has no embedding", v.Mode)
	}
	return nil
}

// rejected checks the verdict of an answer that does not parse.
func rejected(v *envs.Verdict) error {
	if v.Err == nil || v.Err.Error() == "" || strings.ContainsAny(v.Err.Error(), "\n\r") {
		return fmt.Errorf("error %v, want one line", v.Err)
	}
	if v.Correct || v.Mode != envs.Degenerate || v.Variant != "" || v.Answer != "" {
		return fmt.Errorf("does not parse (%v), yet correct %v, mode %q, variant %q, answer %q", v.Err, v.Correct, v.Mode, v.Variant, v.Answer)
	}
	for _, r := range v.Reward {
		if r != 0 {
			return fmt.Errorf("does not parse (%v), yet rewarded: %v", v.Err, v.Reward)
		}
	}
	return nil
}

func (s *suite) embedding(v []float32, dim *int) error {
	if !s.info.Embeddings {
		return fmt.Errorf("an embedding in an environment without them")
	}
	if *dim == 0 {
		*dim = len(v)
	}
	squares := make([]float64, len(v))
	for i, x := range v {
		squares[i] = float64(float64(x) * float64(x))
	}
	length := math.Sqrt(exact.Sum(squares))
	if len(v) != *dim || !(math.Abs(length-1) <= unitTolerance) {
		return fmt.Errorf("embedding has %d entries and length %v, want %d and 1", len(v), length, *dim)
	}
	return nil
}

// differ names the first difference of two verdicts. Errors are compared only by whether
// there is an error: one form may name a token, the other a column.
func differ(a, b *envs.Verdict) error {
	if !slices.Equal(a.Reward, b.Reward) || a.Correct != b.Correct || a.Answer != b.Answer || a.Mode != b.Mode || a.Variant != b.Variant ||
		!slices.Equal(a.Embedding, b.Embedding) || (a.Err == nil) != (b.Err == nil) {
		return fmt.Errorf("verdicts differ:\n%+v\n%+v", a, b)
	}
	return nil
}

// checkText checks that Judge(tokens) = JudgeText(AnswerText(tokens)), also for answers
// that stop early and for numbers that are not tokens; and that whole answers come back
// from their text.
func checkText(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		r := key.Str("cut").Rand()
		for _, tokens := range answers {
			n := len(s.info.Vocabulary)
			odd := slices.Clone(tokens)
			odd[r.IntN(len(odd))] = envs.Token(r.IntN(n))
			for _, a := range [][]envs.Token{tokens, tokens[:r.IntN(len(tokens)+1)], odd, append(odd, odd...)} {
				text := p.AnswerText(a)
				if err := differ(p.Judge(a), p.JudgeText(text)); err != nil {
					return fmt.Errorf("answer %v, as text %s: %w", a, quote(text), err)
				}
			}
			text := p.AnswerText(tokens)
			if back, err := p.AnswerTokens(text); err != nil || !slices.Equal(back, tokens) {
				return fmt.Errorf("answer %v, as text %s, is read back as %v (error %v)", tokens, quote(text), back, err)
			}
			if again := p.JudgeText("  " + p.AnswerText(tokens) + " \n"); differ(p.Judge(tokens), again) != nil {
				return fmt.Errorf("answer %v is judged otherwise with blanks around its text", tokens)
			}
		}
		return nil
	})
}

// nonsense is no answer in any environment's text form.
var nonsense = []string{"\x00\xff\xfe", "\u265e \u2603", "this is no answer", strings.Repeat("(", 100_000), "\"';--", "?", "? ?"}

// oddities may or may not parse, but must be survived.
var oddities = []string{"", " ", "\n", "0", "-", "=", ",", "1/0", "1/0 = 1/0", "NaN", "1e999999999", "x=,y=", "()", "((1)", "null", "{}",
	strings.Repeat("9", 50_000), strings.Repeat("1+", 50_000) + "1", strings.Repeat("-", 50_000) + "1", strings.Repeat("UP ", 50_000)}

// checkGarbage checks that a text that does not parse gets an error, no mode and no reward;
// and that no text makes the judge panic.
func checkGarbage(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		for _, text := range nonsense {
			v := p.JudgeText(text)
			if err := rejected(v); err != nil || len(v.Reward) != len(s.info.Components) {
				return fmt.Errorf("text %s: reward %v: %v", quote(text), v.Reward, err)
			}
			if err := readAlike(p, text, v); err != nil {
				return err
			}
		}
		for _, tokens := range [][]envs.Token{{-1}, {envs.Token(len(s.info.Vocabulary))}, {-1 << 31, 1<<31 - 1}} {
			v := p.Judge(tokens)
			if err := rejected(v); err != nil || len(v.Reward) != len(s.info.Components) {
				return fmt.Errorf("tokens %v: reward %v: %v", tokens, v.Reward, err)
			}
			if err := differ(v, p.JudgeText(p.AnswerText(tokens))); err != nil {
				return fmt.Errorf("tokens %v: %w", tokens, err)
			}
		}
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		texts, r := slices.Clone(oddities), key.Str("mutate").Rand()
		for _, tokens := range answers {
			texts = append(texts, mutate(p.AnswerText(tokens), r))
		}
		dim := 0
		for _, text := range texts {
			v := p.JudgeText(text)
			if v.Err != nil && len(v.Reward) == len(s.info.Components) {
				err = rejected(v)
			} else {
				err = s.shape(v, &dim)
			}
			if err == nil {
				err = readAlike(p, text, v)
			}
			if err != nil {
				return fmt.Errorf("text %s: %w", quote(text), err)
			}
		}
		return nil
	})
}

// readAlike: a text that can be read as tokens parses, and the tokens have its
// verdict, v.
func readAlike(p envs.Problem, text string, v *envs.Verdict) error {
	tokens, err := p.AnswerTokens(text)
	if err != nil {
		if strings.ContainsAny(err.Error(), "\n\r") {
			return fmt.Errorf("read as tokens: error %q, want one line", err)
		}
		return nil
	}
	if v.Err != nil {
		return fmt.Errorf("does not parse (%v), but is read as the tokens %v", v.Err, tokens)
	}
	if err := differ(v, p.Judge(tokens)); err != nil {
		return fmt.Errorf("read as the tokens %v: %w", tokens, err)
	}
	return nil
}

// checkVariants: answers of one variant have one mode and one embedding, for a
// variant is a finer name of the same solution.
func checkVariants(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		first := map[string]*envs.Verdict{}
		for _, tokens := range answers {
			v := p.Judge(tokens)
			if v.Variant == "" {
				continue
			}
			u, met := first[v.Variant]
			if !met {
				first[v.Variant] = v
				continue
			}
			if u.Mode != v.Mode || !slices.Equal(u.Embedding, v.Embedding) {
				return fmt.Errorf("answer %v: the variant %q has two modes or embeddings:\n%+v\n%+v", tokens, v.Variant, u, v)
			}
		}
		return nil
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
