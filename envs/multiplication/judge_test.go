package multiplication

import (
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

func TestJudgeText(t *testing.T) {
	p := drawn(t, 343, 67, 0) // 22981
	const (
		none     = 0b000
		prod     = 0b001
		dec      = 0b010
		decProd  = 0b011
		decExp   = 0b110
		all      = 0b111
		paper    = "(340+3)*(70-3) = 340*70-340*3+3*70-3*3"
		partials = " = 23800-1020+210-9"
	)
	for _, c := range []struct {
		reason, text string
		reward       int // bits of rewards
		mode         envs.Mode
		variant      string
	}{
		{"the paper's answer", paper + " = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"with its partial products", paper + partials + " = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"in its tags", "So: <answer>" + paper + " = 22981</answer> as I said", all, "place*near", "(340+3)*(70-3)"},
		{"over several lines", "(340+3)*(70-3)\n = 340*70 - 340*3\n + 3*70 - 3*3\n = 22981\n", all, "place*near", "(340+3)*(70-3)"},
		{"the paper's parentheses", "(340+3)*(70-3) = (340*70)-(340*3)+(3*70)-(3*3) = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"no expansion", "(340+3)*(70-3) = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a slip in the product", paper + partials + " = 22881", decExp, "place*near", "(340+3)*(70-3)"},
		{"a slip in a partial product", paper + " = 23800-1030+210-9 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a slip in the expansion", "(340+3)*(70-3) = 340*70-340*3+3*70+3*3 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a slip in the expansion that the partial products mend", "(340+3)*(70-3) = 340*70-340*2+3*70-3*3" + partials + " = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"slips in everything but the decomposition", "(340+3)*(70-3) = 1 = 2 = 3", dec, "place*near", "(340+3)*(70-3)"},
		{"a negative product", paper + partials + " = -22981", decExp, "place*near", "(340+3)*(70-3)"},
		{"two signs make none", paper + " = --22981", all, "place*near", "(340+3)*(70-3)"},
		{"the product 0", paper + " = 0", decExp, "place*near", "(340+3)*(70-3)"},
		{"a product in parentheses", paper + " = (22981)", all, "place*near", "(340+3)*(70-3)"},

		{"factors the other way round", "(70-3)*(340+3) = 70*340+70*3-3*340-3*3 = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"terms the other way round", "(3+340)*(-3+70) = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"an expansion in another order, factors too", "(340+3)*(70-3) = -3*3+70*3+70*340-3*340 = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"partial products in another order", paper + " = 23800+210-9-1020 = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"signs inside terms", "(340+3)*(70-3) = 340*70+340*(-3)+3*70+(-3)*3 = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"a difference in parentheses", "(340+3)*(70-3) = 340*70-(340*3-3*70)-3*3 = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"nothing but partial products", "(340+3)*(70-3)" + partials + " = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a term is missing", "(340+3)*(70-3) = 340*70-340*3+3*70 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a term too many", paper + "+3*3 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a term twice in place of another", "(340+3)*(70-3) = 340*70-340*3+3*70-340*3 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a factor too many", "(340+3)*(70-3) = 340*70-340*3+3*70-3*3*1 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a partial product is missing", paper + " = 23800-1020+210 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a partial product is a product", paper + " = 23800-1020+3*70-9 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"an expansion with a sum left in it", "(340+3)*(70-3) = 340*(70-3)+3*70-3*3 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"an expansion with a division", "(340+3)*(70-3) = 340*70-340*3+3*70-9/1 = 22981", decProd, "place*near", "(340+3)*(70-3)"},

		{"place value in blocks", "(300+40+3)*67 = 300*67+40*67+3*67 = 20100+2680+201 = 22981", all, "place*plain", "(300+40+3)*67"},
		{"other blocks", "(43+300)*67 = 22981", decProd, "place*plain", "(300+43)*67"},
		{"blocks that are no places", "(303+40)*67 = 22981", decProd, "split*plain", "(303+40)*67"},
		{"place value with a term twice", "(300+20+20+3)*67 = 22981", decProd, "split*plain", "(300+20+20+3)*67"},
		{"from a rounder number", "343*(100-33) = 22981", decProd, "plain*near", "343*(100-33)"},
		{"from a number that is not round for it", "343*(90-23) = 22981", decProd, "plain*split", "343*(90-23)"},
		{"from the other side", "343*(62+5) = 22981", decProd, "plain*split", "343*(62+5)"},
		{"three terms with one taken away", "343*(60+10-3) = 22981", decProd, "plain*split", "343*(60+10-3)"},
		{"more taken away", "343*(100-30-3) = 343*100-343*30-343*3 = 34300-10290-1029 = 22981", all, "plain*split", "343*(100-30-3)"},
		{"more terms than tokens have", "(50+50+50+50+50+50+43)*67 = 22981", decProd, "split*plain", "(50+50+50+50+50+50+43)*67"},
		{"larger numbers than tokens have", "343*(1000-933) = 343*1000-343*933 = 22981", all, "plain*near", "343*(1000-933)"},
		{"all at once", "343*(1000000-999933) = 22981", decProd, "plain*near", "343*(1000000-999933)"},

		{"numbers near the end of 64 bits", "(9000000000000000000-8999999999999999657)*67 = 9000000000000000000*67-67*8999999999999999657 = 22981", all, "split*plain", "(9000000000000000000-8999999999999999657)*67"},
		{"whose partial products nobody can write", "(9000000000000000000-8999999999999999657)*67 = 9000000000000000000*67-67*8999999999999999657 = 1-1 = 22981", decProd, "split*plain", "(9000000000000000000-8999999999999999657)*67"},

		{"a factorisation", "(7*49)*67 = 7*49*67 = 22981", all, "factor*plain", "(49*7)*67"},
		{"factors in any order", "(7*7*7)*67 = 67*7*7*7 = 22981", all, "factor*plain", "(7*7*7)*67"},
		{"the one term has one value", "(7*49)*67 = 7*49*67 = 22981 = 22981", all, "factor*plain", "(49*7)*67"},
		{"another one", "(7*49)*67 = 7*49*67 = 22982 = 22981", decProd, "factor*plain", "(49*7)*67"},
		{"a chain needs no parentheses", "7*49*67 = 22981", decProd, "factor*plain", "(49*7)*67"},
		{"also with the second operand first", "67*7*49 = 22981", decProd, "factor*plain", "(49*7)*67"},
		{"nor nested ones", "(7*(7*7))*67 = 22981", decProd, "factor*plain", "(7*7*7)*67"},
		{"a factorisation beside a difference", "(7*49)*(70-3) = 7*49*70-7*49*3 = 24010-1029 = 22981", all, "factor*near", "(49*7)*(70-3)"},
		{"a chain with a sum at its end", "7*49*(70-3) = 22981", decProd, "factor*near", "(49*7)*(70-3)"},
		{"half multiplied", "(7*49)*(70-3) = 343*70-343*3 = 22981", decProd, "factor*near", "(49*7)*(70-3)"},

		{"a running sum", paper + partials + " = 22780+201 = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"several", paper + partials + " = 22780+210-9 = 22990-9 = 22981 = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"as many as may be", paper + partials + strings.Repeat(" = 22780+201", 4) + " = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"after the question too", "343*67 = " + paper + partials + strings.Repeat(" = 22780+201", 4) + " = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"a slip in a running sum", paper + partials + " = 22780+211 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a slip in the first of two, which the second mends", paper + partials + " = 22790+201 = 22780+201 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a slip that the product repeats", paper + partials + " = 22790+201 = 22991", dec, "place*near", "(340+3)*(70-3)"},
		{"a running sum with a product", paper + partials + " = 22780+3*67 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a running sum in place of the partial products", paper + " = 22780+201 = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"a running sum beyond 64 bits that comes out in them", paper + partials + " = 9223372036854775807+9223372036854775807+2+22981 = 22981", decProd, "place*near", "(340+3)*(70-3)"},

		{"the question first", "343*67 = " + paper + partials + " = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"the question the other way round", "67*343 = " + paper + " = 22981", all, "place*near", "(340+3)*(70-3)"},
		{"a sign that changes nothing", "343*67 = (+340+3)*(70-(+3)) = 22981", decProd, "place*near", "(340+3)*(70-3)"},
		{"any white space", "343 *(\u00a070-3\t)\u2003=22981", decProd, "plain*near", "343*(70-3)"},

		{"the product alone", "22981", prod, "", ""},
		{"the wrong product alone", "22980", none, "", ""},
		{"the question alone", "343*67 = 22981", prod, "", ""},
		{"the question twice", "343*67 = 67*343 = 22981", prod, "", ""},
		{"in parentheses", "(343)*((67)) = 22981", prod, "", ""},
		{"a wrong decomposition and the right product", "(340+4)*(70-3) = 340*70-340*3+4*70-4*3 = 22981", prod, "", ""},
		{"a decomposition of other numbers with the same product", "(67+0)*(350-7) = 22981", prod, "", ""},
		{"another pair with the same product", "(40+9)*469 = 22981", prod, "", ""},
		{"a term that is 0", "(343+0)*67 = 22981", prod, "", ""},
		{"a number beside its negative", "(343+1-1)*67 = 22981", prod, "", ""},
		{"among others", "343*(60+5-3+7+3-5) = 22981", prod, "", ""},
		{"the other way round", "(-5+340+3+5)*67 = 22981", prod, "", ""},
		{"next to a chain of factors", "7*49*(70-3+1-1) = 22981", prod, "", ""},
		{"numbers that only add up to nothing", "(343+7-3-4)*67 = 22981", decProd, "split*plain", "(343+7-4-3)*67"},
		{"a factor that is 1", "(343*1)*67 = 22981", prod, "", ""},
		{"factors that are grouped otherwise", "(7*7)*(7*67) = 22981", prod, "", ""},
		{"in both orders", "(67*7)*(7*7) = 22981", prod, "", ""},
		{"negative factors", "(-7*-49)*67 = 22981", prod, "", ""},
		{"both operands negative", "(-340-3)*(-70+3) = 22981", prod, "", ""},
		{"a negative operand outside", "-(340+3)*-(70-3) = 22981", decProd - dec, "", ""},
		{"a product in a sum", "(3*100+43)*67 = 22981", prod, "", ""},
		{"a sum in a product", "(7*(40+9))*67 = 22981", prod, "", ""},
		{"a division that comes out", "(686/2)*67 = 22981", prod, "", ""},
		{"a division by zero", "(343/0)*67 = 22981", prod, "", ""},
		{"no product of anything", "(340+3)+(70-3) = 22981", prod, "", ""},
		{"an expansion in place of the decomposition", "340*67+3*67 = 22981", prod, "", ""},
		{"a number in place of the decomposition", "22981 = 22981 = 22981", prod, "", ""},
		{"sums that do not fit in 64 bits", "(9223372036854775807+9223372036854775807-9223372036854775807)*67 = 22981", prod, "", ""},
		{"factors that do not", "(9223372036854775807*9223372036854775807)*67 = 22981", prod, "", ""},
	} {
		v := p.JudgeText(c.text)
		answer := strings.Trim(strings.TrimSuffix(c.text[strings.LastIndex(c.text, "=")+1:], "</answer> as I said"), "() \n")
		if answer == "--22981" {
			answer = "22981"
		}
		if v.Err != nil || v.Mode != c.mode || v.Variant != c.variant || !slices.Equal(v.Reward, rewards[c.reward]) || v.Correct != (c.reward&prod != 0) || v.Answer != answer {
			t.Errorf("%s: %q: got %+v, want %v in mode %q, variant %q, answer %q", c.reason, c.text, v, rewards[c.reward], c.mode, c.variant, answer)
		}
		if (v.Embedding == nil) != (c.mode == envs.Degenerate) {
			t.Errorf("%s: %q: mode %q, embedding %v", c.reason, c.text, v.Mode, v.Embedding)
		}
	}
}

func TestJudgeTextErrors(t *testing.T) {
	p := drawn(t, 343, 67, 0)
	const empty = "the answer is empty, want decomposition = expansion = partial products = product"
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", "", empty},
		{"white space only", " \n", empty},
		{"empty tags, whatever stands around them", "22981 <answer> </answer>", empty},
		{"no product", "(340+3)*(70-3)", `side 1, "(340+3)*(70-3)": the last side is the product, want a whole number`},
		{"no product after the expansion", "(340+3)*67 = 340*67+3*67", `side 2, " 340*67+3*67": the last side is the product, want a whole number`},
		{"nothing after the last sign", "(340+3)*67 =", `side 2, "": `},
		{"nothing before the first", "= 22981", `side 1, "": `},
		{"nothing but signs", "===", `side 1, "": `},
		{"too many sides", "1=1=1=1=1=1=1=1=1", "the answer has 9 sides, want at most 8: decomposition = expansion = partial products = product, with running sums before the product"},
		{"also after the question", "343*67=1=1=1=1=1=1=1=1=1", "the answer has 10 sides, want at most 8: "},
		{"very many", strings.Repeat("=", 99_999), "the answer has 100000 sides, want at most 8: "},
		{"a power", "7**3*67 = 22981", `side 1, "7**3*67 ": `},
		{"implicit multiplication", "(340+3)(70-3) = 22981", `side 1, "(340+3)(70-3) ": `},
		{"a dot for it", "(340+3)\u00b7(70-3) = 22981", `side 1, "(340+3)` + "\u00b7" + `(70-3) ": `},
		{"a running sum that is not complete", "343*(60+7) = 343*60+343*7 = 20580+2401 = 20580+ = 22981", `side 4, " 20580+ ": `},
		{"other digits", "(340+\u0663)*67 = 22981", `side 1, "(340+` + "\u0663" + `)*67 ": `},
		{"text after the product", "(340+3)*67 = 22981.", `side 2, " 22981.": `},
		{"words after the product", "343*67 = 22981 as required", `side 2, " 22981 as required": `},
		{"a fraction", "343*67 = 22981.0", `side 2, " 22981.0": `},
		{"thousands", "343*67 = 22,981", `side 2, " 22,981": `},
		{"leading zeros", "(340+03)*67 = 22981", `side 1, "(340+03)*67 ": `},
		{"a number that does not fit in 64 bits", "343*67 = 99999999999999999999", `side 2, " 99999999999999999999": `},
		{"ten thousand parentheses", strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000), `side 1, "` + strings.Repeat("(", 40) + `": `},
		{"a tag that is not closed", "<answer>343*67 = 22981", `side 1, "<answer>343*67 ": `},
	} {
		v := p.JudgeText(c.text)
		if v.Err == nil || !strings.HasPrefix(v.Err.Error(), c.want) || strings.ContainsAny(v.Err.Error(), "\n\r") {
			t.Errorf("%s: error %v\nwant %s", c.reason, v.Err, c.want)
			continue
		}
		if v.Mode != envs.Degenerate || v.Correct || v.Variant != "" || v.Answer != "" || v.Embedding != nil || !slices.Equal(v.Reward, rewards[0]) {
			t.Errorf("%s: got %+v, want nothing but the error", c.reason, v)
		}
	}
}

// TestEqualOperands: both orders are one mode and one variant.
func TestEqualOperands(t *testing.T) {
	p := drawn(t, 67, 67, 0)
	for _, c := range []struct{ reason, first, second, mode string }{
		{"two kinds", "(60+7)*(70-3)", "(70-3)*(60+7)", "place*near"},
		{"one operand left alone", "67*(70-3)", "(70-3)*67", "plain*near"},
		{"two expressions of one kind", "(70-3)*(100-33)", "(100-33)*(70-3)", "near*near"},
		{"twice the same", "(60+7)*(60+7)", "(7+60)*(60+7)", "place*place"},
	} {
		v, w := p.JudgeText(c.first+" = 4489"), p.JudgeText(c.second+" = 4489")
		if string(v.Mode) != c.mode || w.Mode != v.Mode || w.Variant != v.Variant || v.Variant == "" || !slices.Equal(v.Embedding, w.Embedding) {
			t.Errorf("%s: %+v and %+v, want one variant in mode %q", c.reason, v, w, c.mode)
		}
	}
}

// TestChains: where a chain of factors can be cut in two ways, its sides as they
// are written count.
func TestChains(t *testing.T) {
	p := drawn(t, 60, 12, 4)
	for _, c := range []struct{ reason, text, variant string }{
		{"the first operand has three factors", "(3*4*5)*12", "(5*4*3)*12"},
		{"the second operand comes first, and has two", "(3*4)*(5*12)", "(12*5)*(4*3)"},
		{"without parentheses the last factor is a side", "3*4*5*12", "(5*4*3)*12"},
		{"sides that are no operands", "3*(4*5*12)", "(5*4*3)*12"},
	} {
		if v := p.JudgeText(c.text + " = 720"); v.Variant != c.variant {
			t.Errorf("%s: %s is read as %q, want %q", c.reason, c.text, v.Variant, c.variant)
		}
	}
}

// TestAmbiguousChains: where several cuts would do, one is taken, in a fixed order.
func TestAmbiguousChains(t *testing.T) {
	p := drawn(t, 12, 144, 4)
	for _, c := range []struct{ reason, text, variant string }{
		{"the last factor is a side", "3*4*12*12", "12*(12*4*3)"},
		{"grouped on both sides", "(3*4)*(12*12)", "(4*3)*(12*12)"},
		{"grouped otherwise, with the operands' values", "(3*4*12)*12", "12*(12*4*3)"},
		{"grouped otherwise, with other values", "(3*12)*(4*12)", ""},
		{"the first factor is a side and has another value", "3*(4*12*12)", "(4*3)*(12*12)"},
		{"the leftmost cut, the first operand on its left", "4*(3*12*3*4)", "(4*3)*(12*4*3)"},
		{"also where it is the first one", "12*12*3*4", "12*(12*4*3)"},
		{"the first operand on the right", "9*16*6*2", "(6*2)*(16*9)"},
	} {
		if v := p.JudgeText(c.text + " = 1728"); v.Variant != c.variant {
			t.Errorf("%s: %s is read as %q, want %q", c.reason, c.text, v.Variant, c.variant)
		}
	}
}

// TestJudgeTokens: answers that stop early or are no answers at all are judged by
// their texts.
func TestJudgeTokens(t *testing.T) {
	p := drawn(t, 34, 67, 0) // 2278
	whole := parsed(t, p, "(30+4)*67 = 30*67+4*67 = 2010+268 = 2278")
	for _, c := range []struct {
		reason string
		answer []envs.Token
		text   string
		valid  bool
	}{
		{"a whole answer", whole, "(30+4)*67 = 30*67+4*67 = 2010+268 = 2278", true},
		{"nothing", nil, "", false},
		{"without its end, the text is the same", whole[:len(whole)-1], "(30+4)*67 = 30*67+4*67 = 2010+268 = 2278", true},
		{"the product is not complete, but a number", whole[:len(whole)-2], "(30+4)*67 = 30*67+4*67 = 2010+268 = 278", true},
		{"the partial products are not complete", whole[:27], "(30+4)*67 = 30*67+4*67 = 2010+8", false},
		{"one partial product is taken for the product", whole[:25], "(30+4)*67 = 30*67+4*67 = 2010", true},
		{"the expansion is not complete", whole[:12], "(30+4)*67 = 30", true},
		{"the decomposition is not complete", whole[:5], "(30+4", false},
		{"an end too many", append(slices.Clone(whole), end), "(30+4)*67 = 30*67+4*67 = 2010+268 = 2278.", false},
		{"twice", append(slices.Clone(whole), whole...), "(30+4)*67 = 30*67+4*67 = 2010+268 = 2278.(30+4)*67 = 30*67+4*67 = 0102+862 = 8722", false},
		{"beyond the vocabulary", append(slices.Clone(whole[:5]), words), "(30+4?", false},
		{"below it", []envs.Token{-1}, "?", false},
		{"the product alone has no token form, but a text", []envs.Token{2, 2, 7, 8, end}, "2278", true},
		{"the product at once", parsed(t, p, "34*67 = 2278"), "34*67 = 2278", true},
		{"one term needs no partial products", parsed(t, p, "(17*2)*67 = 17*2*67 = 2278"), "(17*2)*67 = 17*2*67 = 2278", true},
	} {
		if got := p.AnswerText(c.answer); got != c.text {
			t.Errorf("%s: text %q, want %q", c.reason, got, c.text)
		}
		v, w := p.Judge(c.answer), p.JudgeText(c.text)
		if (v.Err == nil) != c.valid || (w.Err == nil) != c.valid || v.Variant != w.Variant || !slices.Equal(v.Reward, w.Reward) || v.Answer != w.Answer {
			t.Errorf("%s: %+v and, of the text, %+v; want valid %v", c.reason, v, w, c.valid)
		}
	}
}

// TestRewardsAreShared: judging does not build vectors.
func TestRewardsAreShared(t *testing.T) {
	p := drawn(t, 34, 67, 0)
	a, b := p.JudgeText("(30+4)*67 = 2278"), p.JudgeText("34*(60+7) = 2278")
	if &a.Reward[0] != &b.Reward[0] {
		t.Error("two answers of one reward have two vectors")
	}
}
