package coins

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/envs"
)

// payment matches a payment without tags.
var payment = regexp.MustCompile(`^\s*([1-9][0-9]*)(?:\s*\+\s*([1-9][0-9]*))*\s*(?:=\s*13\s*)?\.?\s*$`)

// FuzzJudgeText: no text makes the judge panic, what a regular expression takes for
// coins on offer is judged by their sum, and a payment's tokens and its text are judged
// alike.
func FuzzJudgeText(f *testing.F) {
	for _, text := range []string{"", "10+3", " 3 + 10 = 13.", "<answer>5+5+3</answer>", "10+03", "1+1+1+1", "1+1+1+1+1", "10+3=14", "=13", "10+", "+", "1e1+3",
		"١٠+3", "99999999999999999999+1", "<answer>", "10+3..", "10 + 3\u00a0", "\xff+\x00", strings.Repeat("1+", 500)} {
		f.Add(text)
	}
	p := made(f)
	f.Fuzz(func(t *testing.T, text string) {
		v := p.JudgeText(text)
		tokens, err := p.AnswerTokens(text)
		if (err == nil) != (v.Err == nil) || err != nil && (err.Error() != v.Err.Error() || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 300) {
			t.Fatalf("%q: %v, and as tokens %v", text, v.Err, err)
		}
		if !strings.Contains(text, "<") && ascii(text) {
			if want, sum := read(text); want != (v.Err == nil) || want && v.Correct != (sum == 13) {
				t.Fatalf("%q: %+v, want valid %v with the sum %d", text, v, want, sum)
			}
		}
		if err != nil {
			return
		}
		again := p.Judge(tokens)
		if again.Err != nil || again.Mode != v.Mode || again.Variant != v.Variant || again.Correct != v.Correct ||
			!slices.Equal(again.Embedding, v.Embedding) || p.AnswerText(tokens) != v.Variant {
			t.Fatalf("%q: %+v, and as tokens %+v", text, v, again)
		}
	})
}

// ascii reports whether all blanks of a text are those of the regular expression.
func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 || r == '\v' })
}

// read reads a payment of coins of 1, 3, 5 and 10, at most 4, and adds them up.
func read(text string) (valid bool, sum int) {
	if !payment.MatchString(text) {
		return false, 0
	}
	coins, _, _ := strings.Cut(text, "=")
	words := regexp.MustCompile(`[0-9]+`).FindAllString(coins, -1)
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || !slices.Contains([]int{1, 3, 5, 10}, n) {
			return false, 0
		}
		sum += n
	}
	return len(words) <= 4, sum
}

// FuzzTokens: a refused token changes nothing; and any tokens at all are judged as their
// text is.
func FuzzTokens(f *testing.F) {
	f.Add([]byte{8, 3, 0})
	f.Add([]byte{0, 8, 200, 3, 3, 3, 3, 0, 0})
	f.Add([]byte{1, 1, 1, 1, 1})
	p := made(f)
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
