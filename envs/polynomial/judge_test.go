package polynomial

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

func TestJudgeText(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	right, wrong := []float64{1, 1}, []float64{0, 1}
	for _, c := range []struct {
		reason, text  string
		reward        []float64
		mode, variant string
	}{
		{"the paper's example", "x=1, y=11", right, "x=1, y=11", "x=1, y=11"},
		{"as the paper prints it", "(x=1, y=11)", right, "x=1, y=11", "x=1, y=11"},
		{"another order", "y=11, x=1", right, "x=1, y=11", "x=1, y=11"},
		{"another order, in parentheses", "( y = 11 , x = 1 )", right, "x=1, y=11", "x=1, y=11"},
		{"blanks are free", "\t x =\n1\r,\v y\f= 11 ", right, "x=1, y=11", "x=1, y=11"},
		{"blanks may be missing", "x=1,y=11", right, "x=1, y=11", "x=1, y=11"},
		{"a printed minus", "x=\u22124, y=11", right, "x=-4, y=11", "x=-4, y=11"},
		{"the second root", "x=-4, y=11", right, "x=-4, y=11", "x=-4, y=11"},
		{"decimals", "x=0.5, y=8.75", right, "x=0.5, y=8.75", "x=0.5, y=8.75"},
		{"value decides, not spelling", "x=1.0, y=11.00", right, "x=1, y=11", "x=1.0, y=11.00"},
		{"a spelling of y alone", "x=-1.5, y=4.75", right, "x=-1.5, y=4.75", "x=-1.5, y=4.75"},
		{"minus zero is zero", "x=-0, y=7", right, "x=0, y=7", "x=-0, y=7"},
		{"with decimals too", "x=-0.00, y=7.0", right, "x=0, y=7", "x=-0.00, y=7.0"},
		{"wrong", "x=1, y=12", wrong, "x=1, y=12", "x=1, y=12"},
		{"wrong by a hundredth", "x=1, y=11.01", wrong, "x=1, y=11.01", "x=1, y=11.01"},
		{"the wrong way round", "x=11, y=1", wrong, "x=11, y=1", "x=11, y=1"},
		{"so far out that its y could not be written", "x=999.99, y=-999.99", wrong, "x=999.99, y=-999.99", "x=999.99, y=-999.99"},
		{"the answer stands in its tags", "x=2, say <answer>x=1, y=11</answer> done", right, "x=1, y=11", "x=1, y=11"},
		{"the last complete pair counts", "<answer>x=1, y=1</answer> no <answer>(x=1,y=11)</answer> <answer>x", right, "x=1, y=11", "x=1, y=11"},
	} {
		v := p.JudgeText(c.text)
		if v.Err != nil || !slices.Equal(v.Reward, c.reward) || v.Correct != (c.reward[0] == 1) || string(v.Mode) != c.mode || v.Variant != c.variant || v.Answer != "" {
			t.Errorf("%s: %q: got %+v, want %v in mode %q, variant %q", c.reason, c.text, v, c.reward, c.mode, c.variant)
		}
	}
}

func TestJudgeTextErrors(t *testing.T) {
	const (
		number  = "want an integer or a decimal such as -12.5, with at most 3 digits before the point and 2 after it, and no needless zero in front"
		nothing = `the answer ends where there should be a pair "x=..., y=..."`
	)
	p := relate(t, build(t, nil), paper)
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", "", nothing},
		{"blanks only", " \n", nothing},
		{"empty tags, whatever stands around them", "x=1, y=11 <answer></answer>", nothing},
		{"an empty pair of parentheses", "()", `character 2, ")": want "x=" or "y="`},
		{"only an opening one", "(", nothing},
		{"words", "the answer is x=1, y=11", `character 1, "the": want "x=" or "y="`},
		{"names matter", "a=1, b=11", `character 1, "a": want "x=" or "y="`},
		{"case matters", "X=1, Y=11", `character 1, "X": want "x=" or "y="`},
		{"y is missing", "x=1", "the answer ends where there should be a comma before the other number"},
		{"y is missing after the comma", "x=1,", `the answer ends where there should be "y="`},
		{"its number is missing", "x=1, y=", "the answer ends where there should be " + number[len("want "):]},
		{"a number is missing", "x=, y=11", `character 3, ",": ` + number},
		{"x twice", "x=1, x=2", `character 6, "x": want "y="`},
		{"y twice", "y=1, y=2", `character 6, "y": want "x="`},
		{"three numbers", "x=1, y=11, z=0", `character 10, ",": want the end of the answer`},
		{"two pairs", "x=1, y=11; x=0, y=7", `character 8, "11;": ` + number},
		{"something trails", "x=1, y=11 trailing", `character 11, "trailing": want the end of the answer`},
		{"a full stop", "x=1, y=11.", `character 8, "11.": ` + number},
		{"no comma", "x=1 y=11", `character 5, "y": want a comma before the other number`},
		{"a new line is no comma", "x=1\ny=11", `character 5, "y": want a comma before the other number`},
		{"a semicolon is no comma", "x=1;y=11", `character 3, "1;y": ` + number},
		{"two commas", "x=1,, y=11", `character 5, ",": want "y="`},
		{"no sign of equality", "x 1, y 11", `character 3, "1": want "="`},
		{"a colon", "x: 1, y: 11", `character 2, ":": want "="`},
		{"two signs of equality", "x==1, y=11", `character 3, "=": ` + number},
		{"another name that begins like it", "x1=1, y=11", `character 2, "1": want "="`},
		{"an exponent", "x=1e2, y=11", `character 3, "1e2": ` + number},
		{"hexadecimal", "x=0x10, y=11", `character 3, "0x10": ` + number},
		{"a fraction", "x=1/2, y=8.75", `character 3, "1/2": ` + number},
		{"an expression", "x=1+0, y=11", `character 3, "1+0": ` + number},
		{"two signs", "x=--1, y=11", `character 3, "--1": ` + number},
		{"a plus sign", "x=+1, y=11", `character 3, "+1": ` + number},
		{"a sign alone", "x=-, y=11", `character 3, "-": ` + number},
		{"a sign apart", "x=- 1, y=11", `character 3, "-": ` + number},
		{"blanks in a number", "x=1 0, y=11", `character 5, "0": want a comma before the other number`},
		{"a separator of thousands", "x=1_000, y=11", `character 3, "1_000": ` + number},
		{"a decimal comma", "x=1,5, y=11", `character 5, "5": want "y="`},
		{"zeros in front", "x=01, y=11", `character 3, "01": ` + number},
		{"of a fraction too", "x=00.5, y=8.75", `character 3, "00.5": ` + number},
		{"nothing before the point", "x=.5, y=8.75", `character 3, ".5": ` + number},
		{"nothing after it", "x=1., y=11", `character 3, "1.": ` + number},
		{"two points", "x=1.5.5, y=11", `character 3, "1.5.5": ` + number},
		{"too many digits", "x=1000, y=11", `character 3, "1000": ` + number},
		{"too many decimals", "x=0.125, y=11", `character 3, "0.125": ` + number},
		{"no number at all", "x=NaN, y=Inf", `character 3, "NaN": ` + number},
		{"digits of another script", "x=١, y=١١", `character 3, "١": ` + number},
		{"a wide digit", "x=１, y=11", `character 3, "１": ` + number},
		{"a blank outside of ASCII", "x=1,\u00a0y=11", `character 5, "\u00a0y": want "y="`},
		{"characters are counted, not bytes", "x=1, y=11 ÄÖ", `character 11, "ÄÖ": want the end of the answer`},
		{"parentheses around a number", "x=(1), y=11", `character 3, "(": ` + number},
		{"not closed", "(x=1, y=11", `the answer ends where there should be ")"`},
		{"not opened", "x=1, y=11)", `character 10, ")": want the end of the answer`},
		{"closed twice", "(x=1, y=11))", `character 12, ")": want the end of the answer`},
		{"opened twice", "((x=1, y=11))", `character 2, "(": want "x=" or "y="`},
		{"many parentheses", strings.Repeat("(", 10_000), `character 2, "(": want "x=" or "y="`},
		{"a huge number", "x=" + strings.Repeat("9", 100_000) + ", y=11", `character 3, "` + strings.Repeat("9", 40) + `": ` + number},
		{"bytes that are no text", "x=1, y=1\xff\x00", `character 8, "1\xff\x00": ` + number},
		{"a zero byte", "\x00", `character 1, "\x00": want a pair "x=..., y=..."`},
		{"a pair in brackets", "[1, 11]", `character 1, "[1": want "x=" or "y="`},
		{"a pair without names", "(1, 11)", `character 2, "1": want "x=" or "y="`},
		{"a tag that is not closed", "<answer> x=1, y=11", `character 1, "<answer>": want "x=" or "y="`},
	} {
		v := p.JudgeText(c.text)
		if v.Err == nil || v.Err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, v.Err, c.want)
			continue
		}
		if v.Mode != envs.Degenerate || v.Variant != "" || v.Correct || v.Embedding != nil || v.Answer != "" || !slices.Equal(v.Reward, []float64{0, 0}) {
			t.Errorf("%s: got %+v, want nothing but the error", c.reason, v)
		}
		if _, err := p.AnswerTokens(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%s: as tokens: error %v, want %s", c.reason, err, c.want)
		}
	}
}

// TestNumbersAreDescribed: the error names the grammar that is in force.
func TestNumbersAreDescribed(t *testing.T) {
	for _, c := range []struct {
		digits, decimals int
		want             string
	}{
		{1, 0, "an integer such as -1, with at most 1 digit and no needless zero in front"},
		{4, 0, "an integer such as -12, with at most 4 digits and no needless zero in front"},
		{1, 3, "an integer or a decimal such as -1.5, with at most 1 digit before the point and 3 after it, and no needless zero in front"},
		{4, 1, "an integer or a decimal such as -12.5, with at most 4 digits before the point and 1 after it, and no needless zero in front"},
	} {
		p := relate(t, build(t, func(k *Config) { k.Digits, k.Decimals = c.digits, c.decimals }), paper)
		if got := p.JudgeText("x=?, y=1").Err.Error(); got != `character 3, "?": want `+c.want {
			t.Errorf("%d digits, %d decimals: %s\nwant %s", c.digits, c.decimals, got, c.want)
		}
		if !strings.Contains(p.PromptText(), "Write each number as "+c.want+";") {
			t.Errorf("%d digits, %d decimals: the prompt describes other numbers:\n%s", c.digits, c.decimals, p.PromptText())
		}
	}
}

// answer reads a text as the vocabulary's words, one character each; a comma is
// the comma alone, and a semicolon the end.
func answer(text string) []envs.Token {
	var out []envs.Token
	for _, b := range []byte(text) {
		out = append(out, envs.Token(strings.IndexByte("0123456789-.,;+*^=xy", b)))
	}
	return out
}

// TestJudgeTokens: an answer and its text get the same verdict, also if it is no answer.
func TestJudgeTokens(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	for _, c := range []struct {
		reason, tokens, text string
		mode                 envs.Mode
	}{
		{"a right pair", "1,11;", "x=1, y=11", "x=1, y=11"},
		{"a long one", "-123.45,-999.99;", "x=-123.45, y=-999.99", "x=-123.45, y=-999.99"},
		{"no end", "1,11", "x=1, y=11...", ""},
		{"a point but no decimals", "1,11.;", "x=1, y=11.", ""},
		{"nothing but x", "1", "x=1...", ""},
		{"an end in place of the comma", "1;", "x=1", ""},
		{"nothing", "", "x=...", ""},
		{"only an end", ";", "x=", ""},
		{"no y", "1,;", "x=1, y=", ""},
		{"two commas", "1,1,1;", "x=1, y=1, y=1", ""},
		{"two ends", "1,11;;", "x=1, y=11end", ""},
		{"an end within", "1,1;1;", "x=1, y=1end1", ""},
		{"a zero in front", "01,11;", "x=01, y=11", ""},
		{"signs of prompts", "x=1,y=11;", "x=x=1, y=y=11", ""},
		{"all signs of prompts", "+*^=xy", "x=+*^=xy...", ""},
		{"not in the vocabulary", "1,11?;", "x=1, y=11?", ""},
	} {
		tokens := answer(c.tokens)
		if got := p.AnswerText(tokens); got != c.text {
			t.Errorf("%s: text %q, want %q", c.reason, got, c.text)
		}
		v, w := p.Judge(tokens), p.JudgeText(c.text)
		if v.Mode != c.mode || w.Mode != c.mode || (v.Err == nil) != (c.mode != "") {
			t.Errorf("%s: verdicts %+v and, of the text, %+v", c.reason, v, w)
		}
		if v.Err != nil && v.Err.Error() != w.Err.Error() {
			t.Errorf("%s: errors %v and, of the text, %v", c.reason, v.Err, w.Err)
		}
	}
	if got := p.AnswerText([]envs.Token{-1, 20, 1 << 30, end}); got != "x=???" {
		t.Errorf("tokens outside of the vocabulary: %q", got)
	}
}

// TestAnswerTokens: a text that parses has tokens, in the order of the token form and with
// its spelling.
func TestAnswerTokens(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	for _, c := range []struct{ reason, text, want string }{
		{"the plain form", "x=1, y=11", "1,11;"},
		{"another order", "y=11, x=1", "1,11;"},
		{"parentheses, blanks and tags", "<answer>( y = -11.50 , x = -0.0 )</answer>", "-0.0,-11.50;"},
		{"a wrong pair", "x=999.99, y=0", "999.99,0;"},
	} {
		got, err := p.AnswerTokens(c.text)
		if err != nil || !slices.Equal(got, answer(c.want)) {
			t.Errorf("%s: %q: got %v, %v; want %s", c.reason, c.text, got, err, c.want)
		}
	}
}

// TestJudgeAgainstRationals: random answers near the curve, judged by the printed
// relation and a regular expression.
func TestJudgeAgainstRationals(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		correct := 0
		for _, split := range envs.Splits() {
			for i := range 4 {
				p := problem(t, e, split, i)
				s := readSheet(t, p, e.config.Digits, e.config.Decimals)
				r := rng.New(6).Str(string(split)).Int(uint64(i)).Rand()
				for range 50 {
					tokens := p.Demonstrate(r)
					text := scramble(p.AnswerText(tokens), r)
					want := s.judge(t, text)
					got := p.JudgeText(text)
					if got.Correct != want.correct || string(got.Mode) != want.mode || got.Variant != want.variant || (got.Err == nil) != want.valid {
						t.Fatalf("%s: %s: %q: got %+v, want %+v", v.name, &p.relation, text, got, want)
					}
					if want.correct {
						correct++
					}
				}
			}
		}
		if correct < 20 && e.config.Slip < 1 {
			t.Errorf("%s: only %d of the answers judged are right: the test shows little", v.name, correct)
		}
	}
}

// scramble changes the form of an answer and keeps its pair, or damages it.
func scramble(text string, r *rand.Rand) string {
	x, y, _ := strings.Cut(text, ", ")
	switch r.IntN(6) {
	case 0:
		return y + "," + x
	case 1:
		return "(" + text + ") "
	case 2:
		return strings.ReplaceAll(text, "=", "\t=  ")
	case 3:
		i := r.IntN(len(text))
		return text[:i] + string("0123456789-., ()xy="[r.IntN(19)]) + text[i+1:]
	case 4:
		i := r.IntN(len(text))
		return text[:i] + text[i+1:]
	}
	return text
}

// TestRewardsAreShared: judging does not build reward vectors.
func TestRewardsAreShared(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	for _, text := range []string{"x=1, y=11", "x=1, y=12", "?"} {
		if a, b := p.JudgeText(text), p.JudgeText(text); &a.Reward[0] != &b.Reward[0] {
			t.Errorf("%q: two verdicts have two vectors", text)
		}
	}
}
