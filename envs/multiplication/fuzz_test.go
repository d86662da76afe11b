package multiplication

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

// FuzzJudgeText: no text makes the judge panic; the reference of this package's tests
// agrees about all that it reads; and a text with a token form gets the same verdict in it.
func FuzzJudgeText(f *testing.F) {
	for _, text := range []string{"", "22981", "(340+3)*(70-3) = 340*70-340*3+3*70-3*3 = 23800-1020+210-9 = 22981", "343*67=(7*49)*67=22981",
		"<answer>(300+43)*67 = 300*67+43*67 = 22981</answer>", "67*7*49 = -22981", "(340+3)*(70-3) = -3*3+3*70-3*340+70*340 = 22981",
		"((343))*(70+-3)=1=2=3", "====", "(((((", "1**2", "0//", "(340+3)*(70-3) = 340*70-340*3+3*70-3*3 = 23800-1020+210-9 = 22780+201 = 22981", "(343+1-1)*67=1", "343/0*67=1", "\xff\xfe", "\u0663*3=9", strings.Repeat("(1+", 200) + "1", strings.Repeat("1*", 300) + "1=1"} {
		f.Add(text)
	}
	p := drawn(f, 343, 67, 0)
	f.Fuzz(func(t *testing.T, text string) {
		v := p.JudgeText(text)
		if v.Err != nil {
			if v.Mode != envs.Degenerate || v.Correct || v.Answer != "" || v.Variant != "" || strings.ContainsAny(v.Err.Error(), "\n\r") {
				t.Fatalf("%q: %+v", text, v)
			}
		} else if v.Answer == "" || (v.Variant == "") != (v.Mode == envs.Degenerate) || (v.Reward[1] == 1) != (v.Mode != envs.Degenerate) || v.Reward[2] > v.Reward[1] {
			t.Fatalf("%q: %+v", text, v)
		}
		// The reference knows neither tags nor the bounds of expressions; nor may it be
		// given what Go's parser reads otherwise.
		if len(text) < 300 && strings.Trim(text, "0123456789+-*/()= ") == "" && text != "" {
			agree(t, p, text)
		}
		tokens, err := p.AnswerTokens(text)
		if err != nil {
			if tokens != nil || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%q: tokens %v, error %v", text, tokens, err)
			}
			return
		}
		again, err := p.AnswerTokens(p.AnswerText(tokens))
		if w := p.Judge(tokens); err != nil || !slices.Equal(again, tokens) || !reflect.DeepEqual(v, w) {
			t.Fatalf("%q: %+v, and as the tokens %v %+v; read again as %v, error %v", text, v, tokens, w, again, err)
		}
	})
}

// FuzzTokens: whatever the tokens, they are judged like their text; and a refused token
// does not change a cursor.
func FuzzTokens(f *testing.F) {
	p := drawn(f, 34, 67, 3)
	for _, text := range []string{"(30+4)*(70-3) = 30*70-30*3+4*70-4*3 = 2100-90+280-12 = 2278", "34*67 = 2278", "(17*2)*67 = 17*2*67 = 2278"} {
		var raw []byte
		for _, token := range parsed(f, p, text) {
			raw = append(raw, byte(token))
		}
		f.Add(raw)
		f.Add(append(raw, raw...))
	}
	f.Add([]byte{200, 3, 4, 12, 6, 7, 17, 15, 16})
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := p.Start().(*cursor)
		var all, taken []envs.Token
		for _, b := range raw {
			token := envs.Token(int8(b))
			all = append(all, token)
			state, view, done := c.AppendState(nil), c.AppendView(nil), c.Done()
			want := slices.Contains(c.Legal(), token)
			if err := c.Push(token); (err == nil) != want || done && want {
				t.Fatalf("after %v: token %d: error %v, legal %v, done %v", taken, token, err, want, done)
			}
			if !want && (!bytes.Equal(state, c.AppendState(nil)) || !bytes.Equal(view, c.AppendView(nil)) || done != c.Done()) {
				t.Fatalf("after %v: the refused token %d changed the state", taken, token)
			}
			if want {
				taken = append(taken, token)
			}
		}
		for _, answer := range [][]envs.Token{all, taken} {
			text := p.AnswerText(answer)
			v, w := p.Judge(answer), p.JudgeText(text)
			if (v.Err == nil) != (w.Err == nil) {
				t.Fatalf("%v: %+v, and as the text %q %+v", answer, v, text, w)
			}
			v2, w2 := *v, *w
			v2.Err, w2.Err = nil, nil
			if !reflect.DeepEqual(v2, w2) {
				t.Fatalf("%v: %+v, and as the text %q %+v", answer, v, text, w)
			}
		}
		if again, err := p.AnswerTokens(p.AnswerText(taken)); c.Done() && (err != nil || !slices.Equal(again, taken)) {
			t.Fatalf("%v is read back as %v, error %v", taken, again, err)
		}
	})
}
