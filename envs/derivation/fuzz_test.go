package derivation

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

// statement matches a statement.
var statement = regexp.MustCompile(`^[ \t\r\f]*([a-z])[ \t\r\f]*=[ \t\r\f]*([0-9])[ \t\r\f]*$`)

// FuzzJudgeText: no text makes the judge panic, what a regular expression takes for
// statements that keep to the rules is judged by the last one, and an answer's tokens and
// its text are judged alike.
func FuzzJudgeText(f *testing.F) {
	for _, text := range []string{"", "e=9", "c=0, d=1, e=9", " d = 1 ;\n e =9 .", "<answer>c=0,e=9</answer>", "c=0,c=0,e=9", "e=9,c=0", "a=3,e=9", "g=1,e=9",
		"e=99", "e", "=9", "e=", ",;\n,e=9,", "e=9..", "e = 9\u00a0", "e=٩", "\xff=\x00", "<answer>", strings.Repeat("c=0,", 500)} {
		f.Add(text)
	}
	p := made(f, nil)
	f.Fuzz(func(t *testing.T, text string) {
		v := p.JudgeText(text)
		tokens, err := p.AnswerTokens(text)
		if (err == nil) != (v.Err == nil) || err != nil && (err.Error() != v.Err.Error() || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 300) {
			t.Fatalf("%q: %v, and as tokens %v", text, v.Err, err)
		}
		if !strings.Contains(text, "<") && ascii(text) {
			if valid, last := read(text); valid != (v.Err == nil) || valid && v.Correct != (last == "9") {
				t.Fatalf("%q: %+v, want valid %v with the digit %s", text, v, valid, last)
			}
		}
		if err != nil {
			return
		}
		again := p.Judge(tokens)
		if again.Err != nil || again.Mode != v.Mode || again.Variant != v.Variant || again.Correct != v.Correct ||
			!slices.Equal(again.Reward, v.Reward) || !slices.Equal(again.Embedding, v.Embedding) || p.AnswerText(tokens) != v.Variant {
			t.Fatalf("%q: %+v, and as tokens %+v", text, v, again)
		}
	})
}

// ascii reports whether all blanks of a text are those of the regular expression.
func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 || r == '\v' })
}

// read reads an answer to the problem made: statements about c, d and f, each at most once,
// and then one about e.
func read(text string) (valid bool, last string) {
	text = strings.TrimSuffix(strings.TrimRight(text, " \t\r\n\f"), ".")
	seen := ""
	for _, part := range regexp.MustCompile(`[,;\n]`).Split(text, -1) {
		if strings.Trim(part, " \t\r\f") == "" {
			continue
		}
		words := statement.FindStringSubmatch(part)
		if words == nil || !strings.Contains("cdfe", words[1]) || strings.Contains(seen, words[1]) || strings.Contains(seen, "e") {
			return false, ""
		}
		seen, last = seen+words[1], words[2]
	}
	return strings.HasSuffix(seen, "e"), last
}

// FuzzTokens: a refused token changes nothing; and any tokens at all are judged as their
// text is.
func FuzzTokens(f *testing.F) {
	f.Add([]byte{12, 0, 13, 1, 14, 9})
	f.Add([]byte{14, 200, 9, 14})
	f.Add([]byte{12, 0, 12, 0, 14, 9, 0, 15})
	p := made(f, nil)
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := p.Start()
		var all, taken []envs.Token
		for _, b := range raw {
			token := envs.Token(int8(b))
			all = append(all, token)
			state, legal := c.AppendState(nil), slices.Contains(c.Legal(), token)
			if err := c.Push(token); (err == nil) != legal {
				t.Fatalf("after %v: token %d: error %v, legal %v", taken, token, err, legal)
			}
			if legal {
				taken = append(taken, token)
			} else if !bytes.Equal(state, c.AppendState(nil)) {
				t.Fatalf("after %v: the refused token %d changed the state", taken, token)
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
