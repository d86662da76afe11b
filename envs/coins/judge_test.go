package coins

import (
	"math"
	"strings"
	"testing"

	"modebench/envs"
)

func TestJudgeText(t *testing.T) {
	p := made(t)
	for _, c := range []struct {
		text    string
		mode    envs.Mode // Degenerate: it does not parse
		variant string
		correct bool
		want    string // of the error
		reason  string
	}{
		{"10+3", "10+3", "10+3", true, "", "two coins"},
		{"3+10", "10+3", "3+10", true, "", "the order is no strategy"},
		{" 5 + 5+\t3\n", "5+5+3", "5+5+3", true, "", "blanks are free"},
		{"10+3=13", "10+3", "10+3", true, "", "the sum may be said"},
		{"10+3 = 13.", "10+3", "10+3", true, "", "and a full stop"},
		{"<answer>3+10.</answer>, that is all", "10+3", "3+10", true, "", "tags"},
		{"1+1 <answer>10+3</answer>", "10+3", "10+3", true, "", "what stands before the tags is not read"},
		{"10", "10", "10", false, "", "too little"},
		{"10+10", "10+10", "10+10", false, "", "too much"},
		{"1+3+5+5", "5+5+3+1", "1+3+5+5", false, "", "as many coins as there may be"},
		{"", "", "", false, "coin 1: want a number", "nothing"},
		{"10+", "", "", false, "coin 2: want a number", "an end that is missing"},
		{"10++3", "", "", false, "coin 2: want a number", "two signs"},
		{"+10+3", "", "", false, "coin 1: want a number", "a sign in front"},
		{"10 3", "", "", false, `coin 1: "10 3" is no number, want digits without a zero in front`, "a blank is no sign"},
		{"10+03", "", "", false, `coin 2: "03" is no number, want digits without a zero in front`, "a zero in front"},
		{"10+3.0", "", "", false, `coin 2: "3.0" is no number, want digits without a zero in front`, "a decimal"},
		{"10--3", "", "", false, `coin 1: "10--3" is no number, want digits without a zero in front`, "no change is given"},
		{"2*5+3", "", "", false, `coin 1: "2*5" is no number, want digits without a zero in front`, "coins are put down one by one"},
		{"١٠+3", "", "", false, `coin 1: "١٠" is no number, want digits without a zero in front`, "digits of another script"},
		{"10+2+1", "", "", false, "coin 2: there is no coin of 2; coins are 1, 3, 5, 10", "a coin that is not on offer"},
		{"10+7", "", "", false, "coin 2: there is no coin of 7", "a coin that there is not at all"},
		{"18446744073709551629", "", "", false, "coin 1: there is no coin of 18446744073709551629", "13 in 64 bits"},
		{"10+1+1+1+1", "", "", false, "coin 5: more than 4 coins", "one too many"},
		{"10+3=14", "", "", false, `"14" follows =, want nothing but the amount, 13`, "another amount"},
		{"10+3=13 coins", "", "", false, `"13 coins" follows =, want nothing but the amount, 13`, "words"},
		{"13=10+3", "", "", false, `"10+3" follows =, want nothing but the amount, 13`, "the other way round"},
	} {
		v := p.JudgeText(c.text)
		text := ""
		if v.Err != nil {
			text = v.Err.Error()
		}
		if v.Mode != c.mode || v.Variant != c.variant || v.Correct != c.correct || text != c.want {
			t.Errorf("%s: %q: %+v, want %+v", c.reason, c.text, v, c)
		}
		scalar := 0.9*v.Reward[0] + 0.1*v.Reward[1]
		if want := map[bool]float64{true: 1}[c.correct]; c.want == "" && !c.correct && scalar != 0.1 || (c.want != "" || c.correct) && scalar != want {
			t.Errorf("%s: %q is worth %v", c.reason, c.text, scalar)
		}
	}
	if v := p.JudgeText(strings.Repeat("1+", 100_000) + "1"); v.Err == nil || len(v.Err.Error()) > 100 {
		t.Errorf("a hundred thousand coins: %v", v.Err)
	}
}

// TestEmbedding: the cosine of two payments is that of their counts.
func TestEmbedding(t *testing.T) {
	p := made(t)
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
		{"10+3", "3+10", 1},
		{"10+3", "5+1", 0},
		{"10+3", "10", math.Sqrt(0.5)},
		{"5+5+3", "5+3", 3 / math.Sqrt(10)},
	} {
		if got := cosine(c.a, c.b); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("cosine of %s and %s: got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestJudgeTokens: tokens without a text form are refused too.
func TestJudgeTokens(t *testing.T) {
	p := made(t)
	ten, one := p.currency.coin(p.coins[3]), p.currency.coin(p.coins[0])
	for _, c := range []struct {
		answer []envs.Token
		want   string
	}{
		{nil, "the payment has no end"},
		{[]envs.Token{ten, one}, "the payment has no end"},
		{[]envs.Token{endToken}, "the payment has no coin, want 1 to 4"},
		{[]envs.Token{ten, endToken, one}, "comes after the end of the payment"},
		{[]envs.Token{p.currency.amount(13), endToken}, "is no coin and no end"},
		{[]envs.Token{one, one, one, one, one, endToken}, "more than 4 coins"},
	} {
		if v := p.Judge(c.answer); v.Err == nil || !strings.Contains(v.Err.Error(), c.want) || v.Mode != envs.Degenerate {
			t.Errorf("%v: %+v, want %s", c.answer, v, c.want)
		}
	}
}
