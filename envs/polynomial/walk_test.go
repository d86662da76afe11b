package polynomial

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

// walks lists all whole answers that follow a prefix of legal tokens.
func walks(t *testing.T, p *Problem, prefix []envs.Token) (all []string) {
	t.Helper()
	c := p.Start()
	for _, token := range prefix {
		if err := c.Push(token); err != nil {
			t.Fatal(err)
		}
	}
	if c.Done() {
		return []string{p.AnswerText(prefix)}
	}
	for _, token := range c.Legal() {
		all = append(all, walks(t, p, append(prefix[:len(prefix):len(prefix)], token))...)
	}
	return all
}

// TestWalksAreThePairsOfLiterals: walks reach exactly the writable pairs.
func TestWalksAreThePairsOfLiterals(t *testing.T) {
	for _, c := range []struct{ digits, decimals int }{{1, 0}, {2, 0}, {1, 1}, {1, 2}} {
		p := relate(t, build(t, func(k *Config) { k.Digits, k.Decimals = c.digits, c.decimals }), paper)
		all := literals(c.digits, c.decimals)
		compare := func(before string, xs []string) {
			t.Helper()
			var want []string
			for _, x := range xs {
				for _, y := range all {
					want = append(want, "x="+x+", y="+y)
				}
			}
			got := walks(t, p, answer(before))
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%d digits, %d decimals: %d walks after %q, want %d", c.digits, c.decimals, len(got), before, len(want))
			}
		}
		compare("-0,", []string{"-0"})
		if len(all) == 20 {
			compare("", all)
		}
	}
}

// TestNumbersFollowTheRegularExpression: strings of up to six characters are read
// as numbers just where the documented grammar matches them.
func TestNumbersFollowTheRegularExpression(t *testing.T) {
	g := newGrammar(2, 2)
	form := regexp.MustCompile(`^-?(0|[1-9][0-9]?)(\.[0-9]{1,2})?$`)
	const alphabet = "-.019"
	texts := []string{""}
	for at := 0; at < len(texts); at++ {
		text := texts[at]
		if len(text) < 6 {
			for _, b := range alphabet {
				texts = append(texts, text+string(b))
			}
		}
		var n number
		ok := true
		for i := 0; ok && i < len(text); i++ {
			ok = n.add(&g, tokenOf(text[i]))
		}
		ok = ok && n.stage.whole()
		if ok != form.MatchString(text) {
			t.Fatalf("%q is read as a number: %v", text, ok)
		}
		if !ok {
			continue
		}
		want := new(big.Rat).Mul(rational(t, text), big.NewRat(g.unit, 1))
		if got := big.NewRat(n.value(&g), 1); got.Cmp(want) != 0 {
			t.Fatalf("%q is %v hundredths, want %v", text, got, want)
		}
	}
}

// TestNumbersAreSpelled: the shortest literal and the number of spellings of every
// value, against a list of all literals.
func TestNumbersAreSpelled(t *testing.T) {
	for _, c := range []struct{ digits, decimals int }{{1, 0}, {4, 0}, {1, 3}, {2, 1}, {2, 2}} {
		g := newGrammar(c.digits, c.decimals)
		spelled := map[int64][]string{}
		for _, literal := range literals(c.digits, c.decimals) {
			v := new(big.Rat).Mul(rational(t, literal), big.NewRat(g.unit, 1))
			spelled[v.Num().Int64()] = append(spelled[v.Num().Int64()], literal)
		}
		if int64(len(spelled)) != 2*g.limit+1 {
			t.Errorf("%d digits, %d decimals: %d values, want %d", c.digits, c.decimals, len(spelled), 2*g.limit+1)
		}
		for v := -g.limit; v <= g.limit; v++ {
			shortest := slices.MinFunc(spelled[v], func(a, b string) int { return len(a) - len(b) })
			if got := string(g.appendNumber(nil, v)); got != shortest {
				t.Fatalf("%d digits, %d decimals: %d units are spelled %q, want %q", c.digits, c.decimals, v, got, shortest)
			}
			if got := g.spellings(v); got != int64(len(spelled[v])) {
				t.Fatalf("%d digits, %d decimals: %d units have %d spellings, want %q", c.digits, c.decimals, v, got, spelled[v])
			}
			tokens := g.literal(nil, v)
			if !slices.Equal(tokens, answer(shortest)) {
				t.Fatalf("%q has the tokens %v", shortest, tokens)
			}
		}
	}
}

// TestStates: which prefixes share a state.
func TestStates(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	state := func(text string) string {
		c := p.Start()
		for _, token := range answer(text) {
			if err := c.Push(token); err != nil {
				t.Fatal(err)
			}
		}
		return string(c.AppendState(nil))
	}
	for _, c := range []struct {
		reason, a, b string
		same         bool
	}{
		{"x is remembered", "1,", "2,", false},
		{"its sign too", "1,", "-1,", false},
		{"but not how it is spelled", "1,1", "1.00,1", true},
		{"nor which zero it is", "0,", "-0.0,", true},
		{"y that is under way is remembered", "1,1", "1,11", false},
		{"a sign", "1,", "1,-", false},
		{"minus zero may go on", "-0", "0", false},
		{"a point", "1", "1.", false},
		{"decimals", "1.0", "1.00", false},
		{"zeros of decimals", "0.1", "0.01", false},
		{"large x: 2^16 units more", "655.37,", "0.01,", false},
		{"large x that is under way", "655.37", "0.01", false},
		{"large y", "1,655.37", "1,0.01", false},
		{"a number of x is none of y", "1", "0,1", false},
		{"an answer that is done is like any other", "1,11;", "-3,0.5;", true},
	} {
		if got := state(c.a) == state(c.b); got != c.same {
			t.Errorf("%s: %q and %q share a state: %v", c.reason, c.a, c.b, got)
		}
	}
}

func TestPushErrors(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	for _, c := range []struct {
		reason, before string
		token          envs.Token
		want           string
	}{
		{"a comma first", "", comma, "token 12 is not legal here; legal tokens are [0 1 2 3 4 5 6 7 8 9 10]"},
		{"a digit after zero", "0", 5, "token 5 is not legal here; legal tokens are [11 12]"},
		{"a fourth digit", "123,-456", 7, "token 7 is not legal here; legal tokens are [11 13]"},
		{"a third decimal", "1.25", 7, "token 7 is not legal here; legal tokens are [12]"},
		{"a comma in y", "1,1", comma, "token 12 is not legal here; legal tokens are [0 1 2 3 4 5 6 7 8 9 11 13]"},
		{"an end in x", "1", end, "token 13 is not legal here; legal tokens are [0 1 2 3 4 5 6 7 8 9 11 12]"},
		{"a sign of prompts", "", answerTokens, "token 14 is not legal here; legal tokens are [0 1 2 3 4 5 6 7 8 9 10]"},
		{"below the vocabulary", "", -1, "token -1 is not legal here; legal tokens are [0 1 2 3 4 5 6 7 8 9 10]"},
		{"after the end", "1,11;", 1, "token 1 comes after the end of the pair"},
	} {
		walk := p.Start()
		for _, token := range answer(c.before) {
			if err := walk.Push(token); err != nil {
				t.Fatal(err)
			}
		}
		if err := walk.Push(c.token); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
	}
}

// TestVocabularySpellsAnswers: words of the tokens, up to the names, are the text.
func TestVocabularySpellsAnswers(t *testing.T) {
	p := relate(t, build(t, nil), paper)
	words := p.env.Info().Vocabulary
	var text strings.Builder
	for _, token := range answer("-12.5,101.75;") {
		text.WriteString(words[token])
	}
	if text.String() != "-12.5,101.75end" {
		t.Errorf("the words are %s", &text)
	}
}
