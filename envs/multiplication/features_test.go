package multiplication

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

// say names the meaning of a feature, by the layout alone.
func (l *layout) say(f int32) string {
	step := int32(10 * (l.numeral + 1))
	digit := func(name string, from int32) string { return fmt.Sprint(name, " ", (f-from)/10, ":", (f-from)%10) }
	for _, c := range []struct {
		from  int32
		n     int
		name  string
		digit bool
	}{
		{l.operands[0], 10 * l.numeral, "a", true}, {l.operands[1], 10 * l.numeral, "b", true},
		{l.stage, 6, "stage", false}, {l.status, 6, "status", false}, {l.numbers, l.terms, "numbers", false}, {l.minus, 1, "minus", false},
		{l.operand, 10 * l.numeral, "operand", true}, {l.written, l.longest + 1, "written", false},
		{l.front, 10 * (l.numeral + 1), "front", true}, {l.end, 10 * l.longest, "end", true},
		{l.term, l.terms * l.terms, "term", false}, {l.count, l.terms*l.terms + 1, "of", false},
		{l.factor, 2 * l.terms, "factor", false}, {l.each, 2*l.terms + 1, "each", false},
	} {
		if f >= c.from && f < c.from+int32(c.n) {
			if c.digit {
				return digit(c.name, c.from)
			}
			return fmt.Sprint(c.name, " ", f-c.from)
		}
	}
	for _, c := range []struct {
		from, to int32
		name     string
		step     int32
	}{{l.pairs, l.lower, "pair", 100}, {l.lower, l.column, "lower pair", 100}, {l.column, l.below, "column", 20}, {l.below, int32(l.features), "below", 20}} {
		if i := f - c.from; f >= c.from && f < c.to {
			return fmt.Sprint(c.name, " ", i/c.step, ":", i%c.step)
		}
	}
	if f >= l.place && f < l.pairs {
		return fmt.Sprint("place ", f-l.place-1)
	}
	if i := (f - l.factors) / step; f >= l.factors && i < int32(2*l.terms) {
		return digit(fmt.Sprint("factor", i), l.factors+i*step)
	}
	return fmt.Sprint("unknown feature ", f)
}

func (l *layout) sayAll(features []int32) string {
	var out []string
	for _, f := range features {
		out = append(out, l.say(f))
	}
	return strings.Join(out, ", ")
}

// TestFeatures walks through one answer and states in words the features after a part of
// it. Stages are 0 and 1 for the operands, 2 for the expansion, 3 for the partial products,
// 4 for the product and 5 for the end; a status is 0 before an expression, 1 within a bare
// number, 2 after (, 3 in a sum, 4 in a product, 5 after ). Digits are place:digit; a pair
// of them is the place in the first factor and both; in a column they are term:digit, 10
// higher if the term is taken away.
func TestFeatures(t *testing.T) {
	p := drawn(t, 43, 67, 0)
	l := &p.env.layout
	var prompt []string
	for _, position := range p.AppendPromptFeatures(nil) {
		prompt = append(prompt, l.sayAll(position))
	}
	if diff := cmp.Diff([]string{"a 0:3, a 1:4", "b 0:7, b 1:6"}, prompt); diff != "" {
		t.Errorf("prompt (-want +got)\n%s", diff)
	}
	for _, answer := range []struct {
		text   string
		states []struct{ after, want string }
	}{
		{"(40+3)*(70-3) = 40*70-40*3+3*70-3*3 = 2800-120+210-9 = 2881", []struct{ after, want string }{
			{"", "stage 0, written 0, status 0, numbers 0, operand 0:3, operand 1:4"},
			{"(4", "stage 0, written 1, status 2, numbers 0, operand 0:3, operand 1:4, front 0:4"},
			{"(40", "stage 0, written 2, status 2, numbers 0, operand 0:3, operand 1:4, front 0:4, front 1:0"},
			{"(40+", "stage 0, written 0, status 3, numbers 1, operand 0:3, operand 1:4"},
			{"(40+3)", "stage 0, written 0, status 5, operand 0:3, operand 1:4"},
			{"(40+3)*(70-", "stage 1, written 0, status 3, numbers 1, minus 0, operand 0:7, operand 1:6"},
			{"(40+3)*(70-3)=", "stage 2, written 0, term 0, of 4, each 2, factor0 0:0, factor0 1:4, factor1 0:0, factor1 1:7, factor 0"},
			{"(40+3)*(70-3)=40*7", "stage 2, written 1, term 0, of 4, each 2, factor0 0:0, factor0 1:4, factor1 0:0, factor1 1:7, factor 1, front 0:7"},
			{"(40+3)*(70-3)=40*70-", "stage 2, written 0, term 1, of 4, each 2, minus 0, factor0 0:0, factor0 1:4, factor1 0:3, factor 0"},
			{"(40+3)*(70-3)=40*70-40*3+3*70-3*3=008", "stage 3, written 3, term 0, of 4, each 2, factor0 0:0, factor0 1:4, factor1 0:0, factor1 1:7, place 1, lower pair 0:47, end 0:0, end 1:0, end 2:8"},
			{"(40+3)*(70-3)=40*70-40*3+3*70-3*3=0", "stage 3, written 1, term 0, of 4, each 2, factor0 0:0, factor0 1:4, factor1 0:0, factor1 1:7, place -1, end 0:0"},
			{"(40+3)*(70-3)=40*70-40*3+3*70-3*3=00", "stage 3, written 2, term 0, of 4, each 2, factor0 0:0, factor0 1:4, factor1 0:0, factor1 1:7, place 0, pair 0:47, end 0:0, end 1:0"},
			{"(40+3)*(70-3)=40*70-40*3+3*70-3*3=0082-021+012-9=", "stage 4, written 0, of 4, column 0:0, column 1:10, column 2:0, column 3:19"},
			// A partial product counts as it was written, here 120 for 3*70.
			{"(40+3)*(70-3)=40*70-40*3+3*70-3*3=0082-021+021-9=", "stage 4, written 0, of 4, column 0:0, column 1:10, column 2:0, column 3:19"},
			{"(40+3)*(70-3)=40*70-40*3+3*70-3*3=0082-021+021-9=1", "stage 4, written 1, of 4, " +
				"column 0:0, below 0:0, column 1:12, below 1:10, column 2:2, below 2:0, column 3:10, below 3:19, end 0:1"},
			{"(40+3)*(70-3)=40*70-40*3+3*70-3*3=0082-021+012-9=18", "stage 4, written 2, of 4, " +
				"column 0:8, below 0:0, column 1:11, below 1:12, column 2:2, below 2:1, column 3:10, below 3:10, end 0:1, end 1:8"},
		}},
		{"43*(60+7) = 43*60+43*7 = 2580+301 = 2881", []struct{ after, want string }{
			{"43*(60+7)=43*60+43*7=08", "stage 3, written 2, term 0, of 2, each 2, factor0 0:3, factor0 1:4, factor1 0:0, factor1 1:6, place 1, lower pair 0:36, pair 1:46, end 0:0, end 1:8"},
			{"43*(60+7)=43*60+43*7=0852+", "stage 3, written 0, term 1, of 2, each 2, factor0 0:3, factor0 1:4, factor1 0:7, place 0, pair 0:37"},
		}},
		{"(13+30)*(20+47) = 13*20+13*47+30*20+30*47", []struct{ after, want string }{
			{"(13+30)*(20+47)=13*20+13*47+30*20+30*47=062+1", "stage 3, written 1, term 1, of 4, each 2, factor0 0:3, factor0 1:1, factor1 0:7, factor1 1:4, " +
				"place 1, pair 0:34, lower pair 0:37, pair 1:17, end 0:1"},
		}},
		{"43*67 = 2881", []struct{ after, want string }{
			{"4", "stage 0, written 1, status 1, numbers 0, operand 0:3, operand 1:4, front 0:4"},
			{"43*67=1882.", "stage 5, written 4, end 0:1, end 1:8, end 2:8, end 3:2"},
		}},
		{"(43*1)*67 = 43*1*67 = 2881", []struct{ after, want string }{
			{"(43*1)*67=", "stage 2, written 0, term 0, of 1, each 3, factor0 0:3, factor0 1:4, factor1 0:1, factor2 0:7, factor2 1:6, factor 0"},
			{"(43*1)*67=43*1*67=1", "stage 4, written 1, of 1, factor0 0:3, factor0 1:4, factor1 0:1, factor2 0:7, factor2 1:6, end 0:1"},
			{"(43*", "stage 0, written 0, status 4, numbers 1, operand 0:3, operand 1:4"},
		}},
	} {
		for _, s := range answer.states {
			var tokens []envs.Token
			for _, r := range s.after {
				tokens = append(tokens, envs.Token(strings.IndexRune(symbols+".", r)))
			}
			if diff := cmp.Diff(s.want, l.sayAll(walked(t, p, tokens).AppendFeatures(nil))); diff != "" {
				t.Errorf("%s, after %s (-want +got)\n%s", answer.text, s.after, diff)
			}
		}
	}
}

// TestFeaturesGiveNothingAway: from the expansion on features are a function of the written
// tokens. On another problem, where the decomposition is wrong and all products differ, the
// same tokens have the same features.
func TestFeaturesGiveNothingAway(t *testing.T) {
	key := rng.New(3)
	for i := range uint64(200) {
		r := key.Int(i).Rand()
		a, b := int64(11+r.IntN(89)), int64(11+r.IntN(89))
		p, other := drawn(t, a, b, 0), drawn(t, 1+a%99, b, 0)
		tokens := p.teach(r)
		if i%2 == 0 {
			tokens = wander(p.Start().(*cursor), key.Int(i), 0.2)
		}
		x, y := p.Start().(*cursor), other.Start().(*cursor)
		for j, token := range tokens {
			if x.stage >= expansion {
				if f, g := x.AppendFeatures(nil), y.AppendFeatures(nil); !slices.Equal(f, g) {
					t.Fatalf("%s: after %d tokens %v, and on another problem %v", p.AnswerText(tokens), j, f, g)
				}
			}
			x.take(token)
			y.take(token)
		}
	}
}
