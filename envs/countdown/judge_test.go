package countdown

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// setpo is the problem of SetPO app. G.2.
func setpo(t testing.TB) *Problem {
	t.Helper()
	return newProblem(build(t, nil).usual, "setpo", [maxSlots]int16{3, 21, 24, 54}, 63)
}

func TestJudgeText(t *testing.T) {
	p := setpo(t)
	for _, c := range []struct {
		reason, text string
		correct      bool
		mode         envs.Mode
		variant      string
	}{
		{"difference amplified", "54+(24-21)*3", true, "54+(24-21)*3", "54+(24-21)*3"},
		{"a division", "54/3+24+21", true, "54/3+24+21", "54/3+24+21"},
		{"needless parentheses", "((54/3)+(24+21))", true, "54/3+24+21", "54/3+24+21"},
		{"parentheses that count", "54-3*(21-24)", true, "54+(24-21)*3", "54-3*(21-24)"},
		{"a quotient as a factor", "24+21+(54/3)", true, "54/3+24+21", "24+21+54/3"},
		{"signs", "54+-(21-24)*3", true, "54+(24-21)*3", "54+-(21-24)*3"},
		{"signs that cancel", "54--(24-21)*3", true, "54+(24-21)*3", "54--(24-21)*3"},
		{"a plus sign is nothing", "+54/+3+24+21", true, "54/3+24+21", "54/3+24+21"},
		{"a sign before a sum", "54+3*-(21-24)", true, "54+(24-21)*3", "54+3*-(21-24)"},
		{"blanks anywhere", " 54 / 3\n+\t24+ 21 ", true, "54/3+24+21", "54/3+24+21"},
		{"blanks of Unicode", "54\u00a0/\u20033+24+21", true, "54/3+24+21", "54/3+24+21"},
		{"an equation", "54/3+24+21 = 63", true, "54/3+24+21", "54/3+24+21"},
		{"an equation without blanks", "54/3+24+21=63", true, "54/3+24+21", "54/3+24+21"},
		{"a false equation is wrong, not malformed", "54/3+24-21=63", false, "54/3+24-21", "54/3+24-21"},
		{"another value", "54+24+21+3", false, "54+24+21+3", "54+24+21+3"},
		{"the target's negative", "(21-24)*3-54", false, "-54-(24-21)*3", "(21-24)*3-54"},
		{"the same with a sign", "-(54/3+24+21)", false, "-54/3-24-21", "-(54/3+24+21)"},
		{"nearly the target", "54+24-21/3", false, "54+24-21/3", "54+24-21/3"},
		{"a fraction", "21/(54-24*3)", false, "-21/(24*3-54)", "21/(54-24*3)"},
		{"division by zero", "54/(24-21-3)", false, "54/(24-21-3)", "54/(24-21-3)"},
		{"zero divided by zero", "(24-21-3)/54", false, "(24-21-3)/54", "(24-21-3)/54"},
		{"zero from the other side", "(21+3-24)/54", false, "-(24-21-3)/54", "(21+3-24)/54"},
		{"operators as SetPO prints them", "54÷3+24+21", true, "54/3+24+21", "54/3+24+21"},
		{"a minus sign of typography", "54−3×(21−24)=63", true, "54+(24-21)*3", "54-3*(21-24)"},
		{"a full stop", "54/3+24+21.", true, "54/3+24+21", "54/3+24+21"},
		{"a full stop after an equation", "54/3+24+21 = 63. \n", true, "54/3+24+21", "54/3+24+21"},
		{"a full stop in the tags", "<answer>54/3+24+21. </answer>.", true, "54/3+24+21", "54/3+24+21"},
		{"the answer stands in its tags", "I try 3. <answer>54/3+24+21</answer> Done.", true, "54/3+24+21", "54/3+24+21"},
		{"the last pair counts", "<answer>54</answer> no: <answer>54/3+24+21</answer>", true, "54/3+24+21", "54/3+24+21"},
		{"the last complete pair counts", "<answer>54/3+24+21</answer> or <answer>54", true, "54/3+24+21", "54/3+24+21"},
	} {
		v := p.JudgeText(c.text)
		want := &envs.Verdict{Reward: []float64{0, 1}, Correct: c.correct, Mode: c.mode, Variant: c.variant}
		if c.correct {
			want.Reward[0] = 1
		}
		if len(v.Embedding) != dimension {
			t.Errorf("%s: %q: %d entries in the embedding", c.reason, c.text, len(v.Embedding))
		}
		got := *v
		got.Embedding = nil
		if d := cmp.Diff(want, &got); d != "" {
			t.Errorf("%s: %q (-want +got):\n%s", c.reason, c.text, d)
		}
	}
}

func TestJudgeTextErrors(t *testing.T) {
	p := setpo(t)
	const (
		numbers = "; the numbers are 3, 21, 24, 54"
		parts   = " is not part of an expression; its parts are numbers, + - * /, parentheses and blanks"
	)
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", "", "the expression is empty"},
		{"a full stop alone", ".", "the expression is empty"},
		{"empty tags, whatever stands around them", "54/3+24+21 <answer> </answer>", "in the answer, the expression is empty"},
		{"columns in tags", "I think:\n<answer>54/3+24+x</answer>", "in the answer, column 9: 'x'" + parts},
		{"an equation in tags", "<answer>54/3+24+21 = 64</answer>", `in the answer, after = stands "64", want nothing but the target, 63`},
		{"a number is missing", "54+24+21", "3 is not used" + numbers},
		{"a number alone", "54", "3 is not used" + numbers},
		{"the target itself", "63", "63 is not given" + numbers},
		{"a foreign number", "54/3+24+22", "22 is not given" + numbers},
		{"a number used twice", "54/3+24+21+3", "3 is used more often than it is given" + numbers},
		{"a number twice instead of another", "54/3+24+24", "24 is used more often than it is given" + numbers},
		{"zero is foreign", "54/3+24+21+0", "0 is not given" + numbers},
		{"a huge number", "54/3+24+21*99999999999999999999", "column 12: the number 99999999999999999999 is larger than 2^63-1"},
		{"a large number that an int16 would take for another", "65590/3+24+21", "65590 is not given" + numbers},
		{"an equation with another value", "54/3+24+21 = 64", `after = stands "64", want nothing but the target, 63`},
		{"an equation of two expressions", "54/3+24+21 = 60+3", `after = stands "60+3", want nothing but the target, 63`},
		{"= twice", "54/3+24+21 = 63 = 63", `after = stands "63 = 63", want nothing but the target, 63`},
		{"== is = twice", "54/3+24+21 == 63", `after = stands "= 63", want nothing but the target, 63`},
		{"nothing after =", "54/3+24+21 =", `after = stands "", want nothing but the target, 63`},
		{"the target first", "63 = 54/3+24+21", `after = stands "54/3+24+21", want nothing but the target, 63`},
		{"text after the equation", "54/3+24+21 = 63!", `after = stands "63!", want nothing but the target, 63`},
		{"two full stops", "54/3+24+21 = 63..", `after = stands "63.", want nothing but the target, 63`},
		{"a full stop before the end", "54/3+24+21. = 63", "column 11: '.'" + parts},
		{"the target as a decimal", "54/3+24+21 = 63.0", `after = stands "63.0", want nothing but the target, 63`},
		{"the target with leading zeros", "54/3+24+21 = 063", `after = stands "063", want nothing but the target, 63`},
		{"only =", "=", `after = stands "", want nothing but the target, 63`},
		{"text after the expression", "54/3+24+21 it is", "column 12: 'i'" + parts},
		{"two expressions", "54/3+24+21, 54+(24-21)*3", "column 11: ','" + parts},
		{"digits of another script", "٥٤/3+24+21", "column 1: '٥'" + parts},
		{"wide digits", "54/３+24+21", "column 4: '３'" + parts},
		{"an operator of another script", "54⁄3+24+21", "column 3: '⁄'" + parts},
		{"hexadecimal", "0x36/3+24+21", "column 2: 'x'" + parts},
		{"an exponent", "54/3+24+21e0", "column 11: 'e'" + parts},
		{"a decimal point", "54.0/3+24+21", "column 3: '.'" + parts},
		{"leading zeros", "054/3+24+21", "column 1: the number 054 has leading zeros"},
		{"a power", "54**3+24+21", "column 3: ** is not an operator; operators are + - * /"},
		{"whole division", "54//3+24+21", "column 3: // is not an operator; operators are + - * /"},
		{"a comment", "54/3+24+21 # 63", "column 12: '#'" + parts},
		{"a comment within", "54/3+24/* */+21", "column 8: /* is not an operator; operators are + - * /"},
		{"a call", "sum(54/3,24,21)", "column 1: 's'" + parts},
		{"implicit multiplication", "54+3(24-21)", `column 5: "(" cannot stand here`},
		{"a parenthesis left open", "54+(24-21)*(3", "column 14: the expression is not complete"},
		{"10,000 parentheses", strings.Repeat("(", 10_000), "column 101: more than 100 parentheses are open"},
		{"10,000 parentheses that close", strings.Repeat("(", 5000) + strings.Repeat(")", 5000), "column 101: more than 100 parentheses are open"},
		{"more text than an expression needs", strings.Repeat("54+", 5000) + "3", "the expression has 15001 bytes, want at most 10000"},
		{"the tokens of an answer that is not complete", "54 3 / ...", `column 8: '.'` + parts},
	} {
		v := p.JudgeText(c.text)
		if v.Err == nil || v.Err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, v.Err, c.want)
			continue
		}
		if v.Mode != envs.Degenerate || v.Correct || v.Embedding != nil || v.Variant != "" || !slices.Equal(v.Reward, []float64{0, 0}) {
			t.Errorf("%s: got %+v, want nothing but the error", c.reason, v)
		}
	}
}

// TestDivisionByZero: an answer that divides by zero is wrong, also in a mode that
// has other answers, which are right.
func TestDivisionByZero(t *testing.T) {
	p := newProblem(newShape(build(t, nil), 5, 2, 25), "p", [maxSlots]int16{3, 11, 11, 16, 22}, 22)
	for _, c := range []struct {
		text    string
		correct bool
	}{
		{"22+3*(11-11)/16", true}, {"22+3/16*(11-11)", true}, {"22-(11-11)/(16/3)", true}, {"22+3/(16/(11-11))", false},
		{"22-16/(3/(11-11))", false}, {"22--3/(16/-(11-11))", false},
	} {
		v := p.JudgeText(c.text)
		if v.Err != nil || v.Correct != c.correct || (v.Reward[0] == 1) != c.correct || v.Reward[1] != 1 || v.Variant != c.text {
			t.Errorf("%s: %+v, want correct %v", c.text, v, c.correct)
		}
		if !slices.Contains(p.Truth().Modes, v.Mode) {
			t.Errorf("%s: the mode %s is not one of correct answers", c.text, v.Mode)
		}
		if got := p.JudgeText(string(v.Mode)); !got.Correct {
			t.Errorf("%s: its mode as an answer: %+v", c.text, got)
		}
	}
	wrong, err := p.AnswerTokens("22+3/(16/(11-11))")
	if err != nil {
		t.Fatal(err)
	}
	if picture := p.Picture(wrong); strings.Contains(picture, "hit by") || !strings.Contains(picture, "= undefined: wrong; mode 22+(11-11)*3/16") {
		t.Errorf("the picture:\n%s", picture)
	}
}

// TestVerdictsAreBounded: only a bounded number of wrong modes is kept, and verdicts are
// the same when they are not.
func TestVerdictsAreBounded(t *testing.T) {
	p := newProblem(newShape(build(t, nil), 5, 2, 25), "p", [maxSlots]int16{2, 3, 5, 7, 11}, 24)
	kept, correct := 0, len(p.Truth().Modes)
	for f := range p.shape.algebra[5].forms {
		p.verdict(part{form: uint32(f), slots: p.shape.full})
	}
	for f := range p.shape.algebra[5].forms {
		if _, ok := p.verdicts.Get(part{form: uint32(f), slots: p.shape.full}.code()); ok {
			kept++
		}
	}
	if kept < mostVerdicts || kept > mostVerdicts+correct {
		t.Errorf("%d verdicts are kept, want %d and perhaps some of %d correct modes", kept, mostVerdicts, correct)
	}
	for _, mode := range p.Truth().Modes {
		if v := p.JudgeText(string(mode)); !v.Correct || v.Mode != mode {
			t.Errorf("%s: %+v", mode, v)
		}
	}
	const last = "11/7/5/3/2"
	if a, b := p.JudgeText(last), p.JudgeText(last); a.Mode != last || cmp.Diff(a, b) != "" {
		t.Errorf("judged %+v, and then %+v", a, b)
	}
}

// tokens finds the tokens of words.
func tokens(t testing.TB, p *Problem, text string) []envs.Token {
	t.Helper()
	vocabulary := p.shape.env.Info().Vocabulary
	var out []envs.Token
	for _, word := range strings.Fields(text) {
		i := slices.Index(vocabulary, word)
		if i < 0 {
			t.Fatalf("%q is no token", word)
		}
		out = append(out, envs.Token(i))
	}
	return out
}

// TestAnswers: tokens, their text, and back.
func TestAnswers(t *testing.T) {
	p := setpo(t)
	for _, c := range []struct{ reason, tokens, text string }{
		{"from the left", "54 3 / 24 + 21 +", "54/3+24+21"},
		{"a sum on the right", "54 3 / 24 21 + +", "54/3+(24+21)"},
		{"a product on the right", "3 21 24 54 / * *", "3*(21*(24/54))"},
		{"a product in a sum", "54 24 21 - 3 * +", "54+(24-21)*3"},
		{"two pairs", "54 3 / 24 21 - /", "54/3/(24-21)"},
	} {
		answer := tokens(t, p, c.tokens)
		if got := p.AnswerText(answer); got != c.text {
			t.Errorf("%s: %s is written %s, want %s", c.reason, c.tokens, got, c.text)
		}
		for _, text := range []string{c.text, " ( " + c.text + " ) ", "<answer>" + c.text + " = 63</answer>", "+" + c.text} {
			if got, err := p.AnswerTokens(text); err != nil || !slices.Equal(got, answer) {
				t.Errorf("%s: %s is read as %v (error %v), want %v", c.reason, text, got, err, answer)
			}
		}
	}
	for _, c := range []struct{ reason, text, want string }{
		{"a sign has no token", "54+-(21-24)*3", "a minus sign with one operand has no token form; write it as a difference"},
		{"wrong numbers", "54", "3 is not used; the numbers are 3, 21, 24, 54"},
		{"no expression", "54 +", "column 5: the expression is not complete"},
	} {
		if got, err := p.AnswerTokens(c.text); got != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: tokens %v, error %v\nwant %s", c.reason, got, err, c.want)
		}
	}
}

// TestTokensThatAreNoAnswer: neither they nor their text parse.
func TestTokensThatAreNoAnswer(t *testing.T) {
	exactly := setpo(t)
	often := newProblem(build(t, func(c *Config) { c.AtMostOnce = true }).usual, "often", exactly.numbers, 54)
	for _, c := range []struct {
		reason string
		p      *Problem
		answer []envs.Token
		text   string
		want   string
	}{
		{"nothing", exactly, nil, "...", "0 values are left, want 1"},
		{"an operator too few", exactly, tokens(t, exactly, "54 3"), "54 3 ...", "2 values are left, want 1"},
		{"an operator too many", exactly, tokens(t, exactly, "54 3 + +"), "54 3 + + ...", `token 4, "+", finds fewer than two values to join`},
		{"a sign", often, tokens(t, often, "- 54 end"), "- 54 end ...", `token 1, "-", finds fewer than two values to join`},
		{"no end where there must be one", often, tokens(t, often, "54"), "54 ...", "the answer has no end"},
		{"an end where there is none", exactly, tokens(t, exactly, "54 end"), "54 end ...", `token 2, "end", cannot stand there`},
		{"two ends", often, tokens(t, often, "54 end end"), "54 end end ...", `token 2, "end", cannot stand there`},
		{"beyond the vocabulary", exactly, []envs.Token{-1, 9999}, "? ? ...", `token 1, "?", cannot stand there`},
		{"far too long", exactly, slices.Repeat(tokens(t, exactly, "54"), 12), strings.Repeat("54 ", 12) + "...", "12 tokens, want at most 9"},
		{"wrong numbers", exactly, tokens(t, exactly, "54 3 +"), "54+3", "21 is not used; the numbers are 3, 21, 24, 54"},
	} {
		if got := c.p.AnswerText(c.answer); got != c.text {
			t.Errorf("%s: text %q, want %q", c.reason, got, c.text)
		}
		if v := c.p.Judge(c.answer); v.Err == nil || v.Err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.reason, v.Err, c.want)
		}
		if v := c.p.JudgeText(c.text); v.Err == nil {
			t.Errorf("%s: the text %q parses", c.reason, c.text)
		}
		if got, err := c.p.AnswerTokens(c.text); err == nil {
			t.Errorf("%s: the text %q has the tokens %v", c.reason, c.text, got)
		}
	}
}

// TestAtMostOnce: numbers may be left out, and the modes of subsets are distinct.
func TestAtMostOnce(t *testing.T) {
	e := build(t, func(c *Config) { c.AtMostOnce = true })
	p := newProblem(e.usual, "p", [maxSlots]int16{2, 2, 4, 8}, 8)
	for text, mode := range map[string]envs.Mode{"8": "8", "4*2": "4*2", "2*2*2": "", "2+2+4": "4+2+2", "4+4": "", "8-2+2": "8+2-2", "8+2-2": "8+2-2"} {
		v := p.JudgeText(text)
		if v.Mode != mode || v.Correct != (mode != envs.Degenerate) {
			t.Errorf("%s: %+v, want the mode %q", text, v, mode)
		}
	}
	if got, err := p.AnswerTokens("8"); err != nil || p.AnswerText(got) != "8" || !slices.Equal(got, tokens(t, p, "8 end")) {
		t.Errorf("8 has the tokens %v, error %v", got, err)
	}
}

func cosine(a, b []float32) float64 {
	dot := 0.0
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot
}

// TestEmbedding: equal modes are embedded alike wherever their numbers are among the
// others, and shared sub-expressions bring modes closer.
func TestEmbedding(t *testing.T) {
	e := build(t, func(c *Config) { c.AtMostOnce = true })
	p := newProblem(e.usual, "p", [maxSlots]int16{3, 21, 24, 54}, 63)
	q := newProblem(e.usual, "q", [maxSlots]int16{3, 4, 21, 24}, 9)
	if a, b := p.JudgeText("(24-21)*3"), q.JudgeText("3*(24-21)"); !slices.Equal(a.Embedding, b.Embedding) {
		t.Error("one expression has two embeddings in two problems")
	}
	base := p.JudgeText("54+(24-21)*3").Embedding
	for _, c := range []struct {
		reason, text string
		low, high    float64
	}{
		{"the same mode", "3*(24-21)+54", 1 - 1e-6, 1 + 1e-6},
		{"all but the outer sign", "54-(24-21)*3", 0.5, 0.95},
		{"the same difference", "54/(24-21)*3", 0.2, 0.8},
		{"nothing but the operators", "24+(54-3)*21", 0, 0.5},
		{"nothing", "54/3/24/21", -0.3, 0.3},
	} {
		if got := cosine(base, p.JudgeText(c.text).Embedding); !(got >= c.low && got <= c.high) {
			t.Errorf("%s: cosine %.3f with %s, want %v to %v", c.reason, got, c.text, c.low, c.high)
		}
	}
}

// TestEmbeddingsDiffer: over every mode of a problem embeddings are of unit length
// and no two are equal.
func TestEmbeddingsDiffer(t *testing.T) {
	p := setpo(t)
	known := map[[dimension]float32]envs.Mode{}
	for f := range p.shape.algebra[4].forms {
		for _, flipped := range []bool{false, true} {
			v := p.verdict(part{uint32(f), p.shape.full, flipped})
			key := [dimension]float32(v.Embedding)
			if other, taken := known[key]; taken {
				t.Fatalf("modes %s and %s have one embedding", other, v.Mode)
			}
			known[key] = v.Mode
			if length := cosine(v.Embedding, v.Embedding); math.Abs(length-1) > 1e-6 {
				t.Fatalf("mode %s: length %v", v.Mode, length)
			}
		}
	}
}
