package multiplication

import (
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

func TestAnswerTokens(t *testing.T) {
	p := drawn(t, 34, 67, 0)
	const whole = "(30+4)*(70-3) = 30*70-30*3+4*70-4*3 = 2100-90+280-12 = 2278"
	want := "(30+4)*(70-3)=30*70-30*3+4*70-4*3=0012-09+082-21=8722"
	for _, c := range []struct{ reason, text, want string }{
		{"as AnswerText writes it", whole, want},
		{"without blanks", strings.ReplaceAll(whole, " ", ""), want},
		{"with more of them", " ( 30\n+ 4)*(70 -3)\u00a0= 30*70-30*3+4*70-4*3 = 2100-90+280-12 =\t2278 ", want},
		{"in tags", "I say <answer>" + whole + "</answer>.", want},
		{"the product at once", "34*67 = 2278", "34*67=8722"},
		{"one term", "(17*2)*67 = 17*2*67 = 2278", "(17*2)*67=17*2*67=8722"},
		{"slips", "(31+4)*67 = 9*9+1*1 = 0+10 = 0", "(31+4)*67=9*9+1*1=0+01=0"},
		{"the other operand first", "67*(17*2) = 67*17*2 = 2278", "67*(17*2)=67*17*2=8722"},
		{"with signs of print", "(30+4)\u00d7(70\u22123) = 30\u00d770\u221230*3+4*70-4*3 = 2100-90+280\u221212 = 2278", want},
	} {
		tokens, err := p.AnswerTokens(c.text)
		got := ""
		for _, token := range tokens {
			got += word(token)
		}
		if err != nil || got != c.want+"end" {
			t.Errorf("%s: %q is read as %q (error %v), want %q", c.reason, c.text, got, err, c.want)
		}
		if v, w := p.Judge(tokens), p.JudgeText(c.text); v.Variant != w.Variant || !slices.Equal(v.Reward, w.Reward) || v.Answer != w.Answer {
			t.Errorf("%s: judged as tokens %+v and as text %+v", c.reason, v, w)
		}
	}
}

func TestAnswerTokensErrors(t *testing.T) {
	p := drawn(t, 34, 67, 0)
	const gone = "the answer has no token form: after "
	const whole = "(30+4)*67 = 30*67+4*67 = 2010+268 = 2278"
	const sides4 = "the token form has 4 sides here (decomposition = expansion = partial products = product), got "
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", " ", "the answer is empty, want decomposition = expansion = partial products = product"},
		{"far too many sides", "1=1=1=1=1=1=1=1=1=1", "the answer has 10 sides, want at most 8: decomposition = expansion = partial products = product, with running sums before the product"},
		{"too many sides", whole + " = 2278", sides4 + "5"},
		{"a blank in a number", "3 4*67 = 2278", `side 1, "3 4*67 ": two numbers without an operator between them`},
		{"other digits", "34*6\u0667 = 2278", "side 1, \"34*6\u0667 \": '\u0667' has no token"},
		{"bytes that are no text", "34*67 = \xff", `side 2, " \xff": '` + "\ufffd" + `' has no token`},
		{"the product alone", "2278", "the token form begins with a decomposition (" + form + "), got the product alone"},
		{"no product", "(30+4)*67 = 30*67+4*67", sides4 + "2"},
		{"no expansion", "(30+4)*67 = 2278", sides4 + "2"},
		{"no partial products", "(30+4)*67 = 30*67+4*67 = 2278", sides4 + "3"},
		{"a running sum", "(30+4)*67 = 30*67+4*67 = 2010+268 = 2200+78 = 2278", sides4 + "5"},
		{"a term is missing", "(30+4)*67 = 30*67 = 2010 = 2278", gone + `"(30+4)*67 = 30*67": token "=" is not legal here, want one of +`},
		{"a partial product is missing", "(30+4)*67 = 30*67+4*67 = 2010 = 2278", gone + `"(30+4)*67 = 30*67+4*67 = 2010": token "=" is not legal here, want "+"`},
		{"one too many", "(30+4)*67 = 30*67+4*67 = 2010+200+68 = 2278", gone + `"(30+4)*67 = 30*67+4*67 = 2010+200": token "+" is not legal here, want "="`},
		{"one with another sign", "(30+4)*67 = 30*67+4*67 = 2010-268 = 2278", gone + `"(30+4)*67 = 30*67+4*67 = 2010": token "-" is not legal here, want "+"`},
		{"one with two", "(30+4)*67 = 30*67+4*67 = 2010+-268 = 2278", gone + `"(30+4)*67 = 30*67+4*67 = 2010+": token "-" is not legal here, want one of 0 1 2 3 4 5 6 7 8 9`},
		{"one that is too large", "(30+4)*67 = 30*67+4*67 = 2010+123456 = 2278", gone + `"(30+4)*67 = 30*67+4*67 = 2010+": the number 123456 is not legal here, want at most 5 digits and no leading zero`},
		{"words", "34*67 = 2278 q", `side 2, " 2278 q": 'q' has no token`},
		{"a side with blanks of no end", "34*67 = " + strings.Repeat(" ", 10_000) + "2278", `side 2, "` + strings.Repeat(" ", 40) + `": the expression has 10005 bytes, want at most 10000`},

		{"terms in another order", "(30+4)*(70-3) = 4*70-4*3+30*70-30*3 = 280-12+2100-90 = 2278", ""},
		{"the same with other signs", "(30+4)*(70-3) = 30*70+4*70-30*3-4*3 = 2100+280-90-12 = 2278", gone + `"(30+4)*(70-3) = 30*70": token "+" is not legal here, want one of -`},
		{"a sign before the first term", "(-3+70)*34 = 2278", gone + `"(": token "-" is not legal here, want one of 1 2 3 4 5 6 7 8 9`},
		{"too many terms", "(20+10+4)*67 = 2278", gone + `"(20+10": token "+" is not legal here, want one of 0 )`},
		{"too large a number", "(333-299)*67 = 2278", gone + `"(33": token "3" is not legal here, want one of + - *`},
		{"parentheses around a number", "(34)*67 = 2278", gone + `"(34": token ")" is not legal here, want one of + - *`},
		{"a chain of factors", "2*17*67 = 2278", gone + `"2*17": token "*" is not legal here, want one of =`},
		{"one term and its partial product", "(17*2)*67 = 17*2*67 = 2278 = 2278", `the token form has 3 sides here (decomposition = expansion = product), got 4`},
		{"the question first", "34*67 = 34*(60+7) = 2278", `the token form has 2 sides here (decomposition = product), got 3`},
		{"leading zeros", "34*67 = 02278", gone + `"34*67 = ": the number 02278 is not legal here, want at most 4 digits and no leading zero`},
		{"one", "34*67 = 08", gone + `"34*67 = ": the number 08 is not legal here, want at most 4 digits and no leading zero`},
		{"too large a product", "34*67 = 12278", gone + `"34*67 = ": the number 12278 is not legal here, want at most 4 digits and no leading zero`},
		{"an expression for the product", "34*67 = 2270+8", gone + `"34*67 = 2270": token "+" is not legal here, want "end"`},
	} {
		tokens, err := p.AnswerTokens(c.text)
		if c.want == "" {
			// The signs of this order are those of the grammar's.
			if err != nil || p.AnswerText(tokens) != c.text || p.Judge(tokens).Reward[2] != 1 {
				t.Errorf("%s: %v, error %v", c.reason, tokens, err)
			}
			continue
		}
		if tokens != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: tokens %v, error %v\nwant %s", c.reason, tokens, err, c.want)
		}
	}
}

// TestAnswerTokensOfLongTexts: a long number is refused, and takes no longer than its
// length. A million digits once took four minutes.
func TestAnswerTokensOfLongTexts(t *testing.T) {
	p := drawn(t, 34, 67, 0)
	const most = 10_000 // bytes of an expression
	for _, c := range []struct {
		digits int
		want   string
	}{
		{most - 1, `the answer has no token form: after "34*67 = ": the number ` + strings.Repeat("7", 40) + " is not legal here, want at most 4 digits and no leading zero"},
		{most, `side 2, " ` + strings.Repeat("7", 39) + `": the expression has 10001 bytes, want at most 10000`},
		{1_000_000, `side 2, " ` + strings.Repeat("7", 39) + `": the expression has 1000001 bytes, want at most 10000`},
	} {
		text := "34*67 = " + strings.Repeat("7", c.digits)
		if _, err := p.AnswerTokens(text); err == nil || err.Error() != c.want {
			t.Errorf("%d digits: error %v\nwant %s", c.digits, err, c.want)
		}
		if v := p.JudgeText(text); v.Err == nil {
			t.Errorf("%d digits are read as text: %+v", c.digits, v)
		}
	}
}

// TestAnswerTextOfPrefixes: an answer under way can be read at every token.
func TestAnswerTextOfPrefixes(t *testing.T) {
	p := drawn(t, 34, 67, 0)
	whole := parsed(t, p, "34*(60+7) = 34*60+34*7 = 2040+238 = 2278")
	for _, c := range []struct {
		length int
		want   string
	}{
		{0, ""}, {3, "34*"}, {10, "34*(60+7) = "}, {12, "34*(60+7) = 34"}, {23, "34*(60+7) = 34*60+34*7 = 40"},
		{30, "34*(60+7) = 34*60+34*7 = 2040+238 = "}, {32, "34*(60+7) = 34*60+34*7 = 2040+238 = 78"}, {35, "34*(60+7) = 34*60+34*7 = 2040+238 = 2278"},
	} {
		if got := p.AnswerText(whole[:c.length]); got != c.want {
			t.Errorf("after %d tokens: %q, want %q", c.length, got, c.want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { p.AnswerText(whole) }); n > 2 {
		t.Errorf("%v allocations for a text", n)
	}
	if got := p.AnswerText([]envs.Token{end, end, -5, 99}); got != "..??" {
		t.Errorf("tokens that are no answer: %q", got)
	}
}
