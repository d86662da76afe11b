package derivation

import (
	"math"
	"strings"
	"testing"

	"modebench/envs"
)

func TestJudgeText(t *testing.T) {
	p := made(t, nil)
	strict := made(t, func(c *Config) { c.Verify = "all" })
	for _, c := range []struct {
		text    string
		mode    envs.Mode // Degenerate: it does not parse
		variant string
		correct bool   // by the last digit
		all     bool   // by every digit
		want    string // of the error
		reason  string
	}{
		{"e=9", "-", "e=9", true, true, "", "the digit alone"},
		{"e=8", "-", "e=8", false, false, "", "a wrong one"},
		{"c=0, d=1, e=9", "c,d", "c=0, d=1, e=9", true, true, "", "all that is needed"},
		{"d=1, c=0, e=9", "c,d", "d=1, c=0, e=9", true, true, "", "the order is no strategy"},
		{"c=5, e=9", "c", "c=5, e=9", true, false, "", "right in spite of a wrong step"},
		{"f=4, e=9", "-", "f=4, e=9", true, true, "", "a distractor is no strategy"},
		{"f=4, d=1, c=0, e=9", "c,d", "f=4, d=1, c=0, e=9", true, true, "", "as much as there may be"},
		{" d = 1 ;\n\te =9 . ", "d", "d=1, e=9", true, true, "", "blanks, semicolons, ends of lines, a full stop"},
		{"d=1,\n\ne=9\r\n", "d", "d=1, e=9", true, true, "", "blank statements are none"},
		{"c=1 <answer>d=1, e=9.</answer>, that is all", "d", "d=1, e=9", true, true, "", "tags"},
		{"", "", "", false, false, "the answer does not say what e is", "nothing"},
		{"c=0, d=1", "", "", false, false, "the answer does not say what e is", "no end"},
		{"e=9, c=0", "", "", false, false, "statement 2: c comes after e, which ends the answer", "more behind the end"},
		{"e=9, e=9", "", "", false, false, "statement 2: e comes after e, which ends the answer", "twice the end"},
		{"c=0, c=0, e=9", "", "", false, false, "statement 2: c stands there twice", "twice the same"},
		{"a=3, e=9", "", "", false, false, "statement 1: a is given, want one that is not", "a given variable"},
		{"g=3, e=9", "", "", false, false, "statement 1: there is no variable g; the last one is f", "a variable that there is not"},
		{"z=3, e=9", "", "", false, false, "statement 1: there is no variable z; the last one is f", "nor in any problem"},
		{"e", "", "", false, false, `statement 1: "e" is none, want a variable and its digit, such as e=0`, "no digit"},
		{"9", "", "", false, false, `statement 1: "9" is none, want a variable and its digit, such as e=0`, "no variable"},
		{"e=19", "", "", false, false, `statement 1: "e=19" is none, want a variable and its digit, such as e=0`, "two digits"},
		{"e=-1", "", "", false, false, `statement 1: "e=-1" is none, want a variable and its digit, such as e=0`, "a sign"},
		{"E=9", "", "", false, false, `statement 1: "E=9" is none, want a variable and its digit, such as e=0`, "a capital"},
		{"e=٩", "", "", false, false, `statement 1: "e=٩" is none, want a variable and its digit, such as e=0`, "a digit of another script"},
		{"9=e", "", "", false, false, `statement 1: "9=e" is none, want a variable and its digit, such as e=0`, "the other way round"},
		{"c=0 e=9", "", "", false, false, `statement 1: "c=0 e=9" is none, want a variable and its digit, such as e=0`, "a blank separates nothing"},
		{"e=c-d=9", "", "", false, false, `statement 1: "e=c-d=9" is none, want a variable and its digit, such as e=0`, "a derivation"},
	} {
		v, w := p.JudgeText(c.text), strict.JudgeText(c.text)
		text := ""
		if v.Err != nil {
			text = v.Err.Error()
		}
		if v.Mode != c.mode || v.Variant != c.variant || v.Correct != c.correct || w.Correct != c.all || w.Mode != c.mode || text != c.want {
			t.Errorf("%s: %q: %+v, and where all digits count %+v, want %+v", c.reason, c.text, v, w, c)
		}
		if c.want == "" && v.Answer != c.variant[len(c.variant)-1:] {
			t.Errorf("%s: %q votes for %q", c.reason, c.text, v.Answer)
		}
	}
	if v := p.JudgeText(strings.Repeat("c=0,", 100_000) + "e=9"); v.Err == nil || len(v.Err.Error()) > 100 {
		t.Errorf("a hundred thousand statements: %v", v.Err)
	}
}

// TestBrief: DAPO eq. 13 with L_max = 8 and L_cache = 4, plus 1. Correctness makes no
// difference, and neither does verify.
func TestBrief(t *testing.T) {
	for _, verify := range []string{"answer", "all"} {
		p := made(t, func(c *Config) { c.OverlongMax, c.OverlongCache, c.Verify = 8, 4, verify })
		for text, want := range map[string]float64{
			"e=9": 1, "e=1": 1, "c=0, e=9": 1, "d=1, c=0, e=9": 0.5, "d=1, c=0, e=8": 0.5, "c=0, d=1, f=4, e=9": 0, "e=9, e=9": 0,
		} {
			if got := p.JudgeText(text).Reward[1]; got != want {
				t.Errorf("%s: brief is %v, want %v", text, got, want)
			}
		}
		for tokens, want := range map[int]float64{2: 1, 4: 1, 5: 0.75, 7: 0.25, 8: 0, 9: 0, 20: 0} {
			if got := p.rules.brief(tokens); got != want {
				t.Errorf("%d tokens: brief is %v, want %v", tokens, got, want)
			}
		}
	}
}

// TestEmbedding: the cosine of two answers is that of their sets of written variables.
func TestEmbedding(t *testing.T) {
	p := made(t, nil)
	cosine := func(a, b string) float64 {
		x, y := p.JudgeText(a).Embedding, p.JudgeText(b).Embedding
		dot := 0.0
		for i := range x {
			dot += float64(x[i]) * float64(y[i])
		}
		return dot
	}
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"c=0, d=1, e=9", "d=5, c=1, e=3", 1},
		{"e=9", "c=0, e=9", math.Sqrt(0.5)},
		{"c=0, e=9", "d=1, e=9", 0.5},
		{"f=4, e=9", "e=9", math.Sqrt(0.5)},
	} {
		if got := cosine(c.a, c.b); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("cosine of %s and %s: got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestJudgeTokens: tokens without a text form are refused too.
func TestJudgeTokens(t *testing.T) {
	p := made(t, nil)
	for _, c := range []struct {
		answer []envs.Token
		want   string
	}{
		{nil, "the answer does not say what e is"},
		{tokens(p, "c0"), "the answer does not say what e is"},
		{tokens(p, "e"), "the answer does not say what e is"},
		{tokens(p, "9"), "token 9 is no variable, want one"},
		{tokens(p, "ed"), "token 13 after e is no digit, want one"},
		{tokens(p, "e9d"), "d comes after e, which ends the answer"},
		{tokens(p, "e99"), "token 9 is no variable, want one"},
		{[]envs.Token{p.rules.question()}, "is no variable, want one"},
	} {
		if v := p.Judge(c.answer); v.Err == nil || !strings.Contains(v.Err.Error(), c.want) || v.Mode != envs.Degenerate {
			t.Errorf("%v: %+v, want %s", c.answer, v, c.want)
		}
	}
}
