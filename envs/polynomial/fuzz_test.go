package polynomial

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

// FuzzJudgeText: no text makes the judge panic; a pair by a regular expression is judged by
// its numbers, and its tokens, its text and the text in tags are judged alike.
func FuzzJudgeText(f *testing.F) {
	for _, text := range []string{"", "x=1, y=11", "(y = 11.0 , x=1)", "<answer>x=-0, y=7</answer>", "x=1e2, y=1", "x=0x10, y=1/2", "x=--1,y=+1", "x=1 y=2",
		"x==1, y=2", "x=1, x=2", "((x=1, y=11))", "x=١, y=−1", "x=1, y=11 trailing", "x=−4, y=11", "y=−0.5, x = −1", "x−=1, y=2", "x=99999, y=0.001", "<answer>", "\xff(x=\x00", strings.Repeat("(", 500)} {
		f.Add(text)
	}
	config := Default()
	env, err := config.Build()
	if err != nil {
		f.Fatal(err)
	}
	p := relate(f, env.(*Env), paper)
	s := readSheet(f, p, 3, 2)
	f.Fuzz(func(t *testing.T, text string) {
		v := p.JudgeText(text)
		inside := text
		if end := strings.LastIndex(text, "</answer>"); end >= 0 && strings.Contains(text[:end], "<answer>") {
			parts := strings.Split(text[:end], "<answer>")
			inside, _, _ = strings.Cut(parts[len(parts)-1], "</answer>")
		}
		want := s.judge(t, inside)
		if want.valid != (v.Err == nil) || want.correct != v.Correct || want.mode != string(v.Mode) || want.variant != v.Variant || len(v.Reward) != 2 {
			t.Fatalf("%q: %+v, want %+v", text, v, want)
		}
		tokens, err := p.AnswerTokens(text)
		if !want.valid {
			if err == nil || err.Error() != v.Err.Error() || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 1000 {
				t.Fatalf("%q: %v, and as tokens %v", text, v.Err, err)
			}
			return
		}
		if err != nil || p.AnswerText(tokens) != v.Variant {
			t.Fatalf("%q: tokens %v, %v", text, tokens, err)
		}
		for _, w := range []*envs.Verdict{p.Judge(tokens), p.JudgeText(v.Variant), p.JudgeText("x=2 <answer>" + v.Variant + "</answer>")} {
			if w.Err != nil || w.Mode != v.Mode || w.Variant != v.Variant || w.Correct != v.Correct || !slices.Equal(w.Reward, v.Reward) || !slices.Equal(w.Embedding, v.Embedding) {
				t.Fatalf("%q: %+v, and rendered again %+v", text, v, w)
			}
		}
	})
}

// FuzzTokens: a refused token changes nothing; and any tokens at all are judged as their
// text is.
func FuzzTokens(f *testing.F) {
	f.Add([]byte{1, 12, 1, 1, 13})
	f.Add([]byte{10, 0, 11, 5, 12, 10, 9, 9, 9, 11, 9, 9, 13})
	f.Add([]byte{1, 200, 12, 4, 13, 13})
	f.Add([]byte{18, 17, 1, 12, 19, 17, 1, 13})
	config := Default()
	env, err := config.Build()
	if err != nil {
		f.Fatal(err)
	}
	p := relate(f, env.(*Env), paper)
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := p.Start()
		var all, taken []envs.Token
		for _, b := range raw {
			token := envs.Token(int8(b))
			all = append(all, token)
			state := c.AppendState(nil)
			legal := slices.Contains(c.Legal(), token)
			if err := c.Push(token); (err == nil) != legal {
				t.Fatalf("after %v: token %d: error %v, legal %v", taken, token, err, legal)
			}
			if legal {
				taken = append(taken, token)
			} else if !bytes.Equal(state, c.AppendState(nil)) {
				t.Fatalf("after %v: the refused token %d changed the state", taken, token)
			}
			if c.Done() != (len(c.Legal()) == 0) || len(taken) > env.Info().MaxAnswer {
				t.Fatalf("after %v: done %v with %v legal", taken, c.Done(), c.Legal())
			}
		}
		for _, tokens := range [][]envs.Token{all, taken} {
			v, w := p.Judge(tokens), p.JudgeText(p.AnswerText(tokens))
			if (v.Err == nil) != (w.Err == nil) || v.Mode != w.Mode || v.Variant != w.Variant || v.Correct != w.Correct {
				t.Fatalf("%v: %+v, as text %+v", tokens, v, w)
			}
		}
		if v := p.Judge(taken); (v.Err == nil) != c.Done() {
			t.Fatalf("%v: done %v, but judged %+v", taken, c.Done(), v)
		}
	})
}
