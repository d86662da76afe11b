package multiplication

import (
	"fmt"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// agree holds a verdict against the reference.
func agree(t *testing.T, p *Problem, text string) opinion {
	t.Helper()
	o, v := consider(p.a, p.b, text), p.JudgeText(text)
	if !o.Parses {
		if v.Err == nil {
			t.Fatalf("%d*%d: %q: %+v; the reference does not read it", p.a, p.b, text, v)
		}
		return o
	}
	got := opinion{Parses: v.Err == nil, Product: v.Reward[0] == 1, Decomposed: v.Reward[1] == 1, Expanded: v.Reward[2] == 1,
		Mode: string(v.Mode), Variant: v.Variant, Answer: v.Answer}
	if p.a == p.b && got.Variant != o.Variant {
		// The order of two expressions of one kind is the judge's own affair.
		x, y, _ := strings.Cut(o.Variant, ")*(")
		o.Variant = "(" + strings.TrimSuffix(y, ")") + ")*(" + strings.TrimPrefix(x, "(") + ")"
	}
	if got != o || v.Correct != o.Product {
		t.Fatalf("%d*%d: %q:\n%+v; the reference says\n%+v", p.a, p.b, text, got, o)
	}
	return o
}

// TestJudgeAgainstReference judges demonstrations and wanderings with their terms
// shuffled, their sides swapped and characters changed.
func TestJudgeAgainstReference(t *testing.T) {
	seen := map[string]int{}
	for _, v := range variants {
		e := build(t, v.change)
		for i := range 150 {
			p := problem(t, e, envs.Splits()[i%4], i)
			key := rng.New(4).Str(v.name).Int(uint64(i))
			r := key.Rand()
			if i%10 == 9 {
				p = e.newProblem(p.format, "square", p.a, p.a)
			}
			c := &cursor{problem: p}
			for _, answer := range [][]envs.Token{p.Demonstrate(r), wander(c, key.Str("wander"), 0.05)} {
				text := p.AnswerText(answer)
				for range 4 {
					o := agree(t, p, text)
					seen[fmt.Sprint(o.Parses, o.Decomposed, o.Expanded)]++
					switch r.IntN(6) {
					case 0:
						text = shuffled(text, key.Int(r.Uint64()))
					case 1:
						sides := strings.SplitN(text, " = ", 2)
						if x, y, ok := strings.Cut(sides[0], ")*"); ok {
							sides[0] = y + "*" + x + ")"
						}
						text = strings.Join(sides, " = ")
					case 2:
						text = fmt.Sprintf("%d*%d = %s", p.b, p.a, text)
					case 3:
						at := r.IntN(len(text))
						text = text[:at] + string("0123456789+-*()= "[r.IntN(17)]) + text[at+r.IntN(2):]
					case 4:
						text = strings.Replace(text, ")", "+7-7)", 1)
					case 5:
						if at := strings.LastIndex(text, " = "); at >= 0 {
							x := r.Int64N(p.product)
							text = fmt.Sprintf("%s = %d+%d%s", text[:at], x, p.product-x+int64(r.IntN(10)/9), text[at:])
						}
					}
				}
			}
		}
	}
	for _, want := range []string{"false false false", "true false false", "true true false", "true true true"} {
		if seen[want] < 200 {
			t.Errorf("%d answers of the sort %s among %v, want more", seen[want], want, seen)
		}
	}
}

// shuffled puts the terms of every side but the last into another order.
func shuffled(text string, key rng.Key) string {
	sides := strings.Split(text, " = ")
	r := key.Rand()
	for i := 1; i+1 < len(sides); i++ {
		if !strings.HasPrefix(sides[i], "-") {
			sides[i] = "+" + sides[i]
		}
		terms := strings.Fields(strings.NewReplacer("+", " +", "-", " -").Replace(sides[i]))
		r.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
		sides[i] = strings.TrimPrefix(strings.Join(terms, ""), "+")
	}
	return strings.Join(sides, " = ")
}
