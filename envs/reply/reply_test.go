package reply_test

import (
	"strings"
	"testing"

	"modebench/envs"
	_ "modebench/envs/bandit"
	_ "modebench/envs/coins"
	_ "modebench/envs/countdown"
	_ "modebench/envs/derivation"
	"modebench/envs/envtest"
	_ "modebench/envs/maze"
	_ "modebench/envs/multiplication"
	_ "modebench/envs/polynomial"
	"modebench/envs/reference"
	"modebench/envs/reply"
)

// route is a way through maze/train/0, along the top and down the left side.
const route = "LEFT LEFT LEFT LEFT LEFT LEFT DOWN LEFT LEFT DOWN DOWN DOWN DOWN DOWN DOWN DOWN"

// said are responses as models write them. want is the class where the answer was found,
// with a + for a right answer, a - for a wrong one, and a ! for an answer that does not
// parse.
var said = []struct{ id, text, want string }{
	// Numbers to use: 2, 8, 10, 18; to make: 18.
	{"countdown", "18+8+2-10", "whole+"},
	{"countdown", "<answer>18+8+2-10</answer>", "tag+"},
	{"countdown", "I think <answer>1+1</answer> fails, so\n<answer>18+8+2-10</answer>", "tag+"},
	{"countdown", "<answer>18+8+2-10</answer> no, better: <answer>18+8+2+10</answer>", "tag-"},
	{"countdown", "<think>18-8...</think>\n<ANSWER>18+8+2-10</ANSWER>", "tag+"},
	{"countdown", `<answer format="text"> 18 + 8 + 2 - 10 </answer>`, "tag+"},
	{"countdown", "<answer>18+8+2-10", "tag+"},
	{"countdown", `So we get $\boxed{18 + 8 + 2 - 10}$.`, "boxed+"},
	{"countdown", `\boxed{1+1} is wrong. \[\boxed{18 \times \left(10-2\right) \div 8}\]`, "boxed+"},
	{"countdown", `\boxed{\frac{18 \cdot 2}{10 - 8}}`, "boxed+"},
	{"countdown", `\boxed{\dfrac{18\times(8+2)}{10}}`, "boxed+"},
	{"countdown", `\boxed{\frac{18(10-2)}8}`, "boxed+"},
	{"countdown", `\fbox{\text{18+8+2-10}}`, "boxed+"},
	{"countdown", `\boxed{18+8+2-10 = 18}`, "boxed+"},
	{"countdown", "The answer is 18 + 8 + 2 − 10.", "phrase+"},
	{"countdown", "Final answer: (10 + 8) × 2 – 18", "phrase+"},
	{"countdown", "**Final Answer:** (10+8)*2-18", "phrase+"},
	{"countdown", "The answer is 18+8+2-10. I checked it twice.", "phrase+"},
	{"countdown", "The final answer is:\n\n18+8+2-10\n\nHope this helps!", "phrase+"},
	{"countdown", "The answer is 18/0, no wait, the correct answer is 18*8/(10-2).", "phrase+"},
	{"countdown", "Here it is:\n```\n18+8+2-10\n```", "code+"},
	{"countdown", "```python\nprint(1)\n```\nand then\n```\n18*8/(10-2)\n```\n", "code+"},
	{"countdown", "Use `18+8+2-10` for this.", "code+"},
	{"countdown", "We can write **18+8+2-10** and are done.", "code+"},
	{"countdown", "So $18+8+2-10=18$ works", "math+"},
	{"countdown", `Thus \(18 \times 8 \div (10-2)\) works`, "math+"},
	{"countdown", "Let me see.\n18 - 10 = 8, hmm.\n18 + 8 + 2 - 10", "line+"},
	{"countdown", "Let me see.\nIt can be done like this: 18 + 8 + 2 - 10", "line+"},
	{"countdown", "１８＋８＋２－１０", "whole+"},
	{"countdown", "18\u00a0+\u20098 + 2 - 10", "whole+"},
	{"countdown", "18·8∕(10−2)", "whole+"},
	{"countdown", "[10+8]x2-18", "whole+"},
	{"countdown", "2(10+8)-18", "whole+"},
	{"countdown", "(10+8)*2-18 = 36-18 = 18", "whole+"},
	{"countdown", "18 = (10+8)*2-18", "whole+"},
	{"countdown", "The answer is 18*8/(10-2) = 18.0.", "phrase+"},
	{"countdown", "(10+8)*2-18 = 17", "whole!"},
	{"countdown", "18 = 18", "whole!"},
	{"countdown", "I give up.", "whole!"},
	{"countdown", "", "whole!"},
	{"countdown", "The answer is unknown", "phrase!"},

	{"bandit", "m03", "whole+"},
	{"bandit", "I choose arm **m03**.", "code+"},
	{"bandit", "I take M03.", "whole!"},
	{"bandit", "Answer: M03", "phrase+"},
	{"bandit", "The answer is m11.", "phrase-"},
	{"bandit", `\boxed{\text{m03}}`, "boxed+"},
	{"bandit", "Let me pick\n`m00`", "code+"},

	{"maze", route, "whole+"},
	{"maze", "<answer>" + strings.ToLower(route) + "</answer>", "tag+"},
	{"maze", "The answer is " + strings.ReplaceAll(route, " ", ", ") + ".", "phrase+"},
	{"maze", "Route: " + strings.ReplaceAll(route, " ", " → "), "line+"},
	{"maze", strings.NewReplacer("LEFT", "←", "DOWN", "↓", " ", "").Replace(route), "whole+"},
	{"maze", strings.NewReplacer("LEFT", "L", "DOWN", "D").Replace(route), "whole+"},
	{"maze", `\boxed{\text{` + strings.ReplaceAll(route, " ", ", ") + "}}", "boxed+"},
	{"maze", "1. " + strings.ReplaceAll(route, " ", "\n1. "), "whole+"},
	{"maze", "→ → DOWN", "whole!"},
	{"maze", "LEFT → → DOWN", "whole!"},
	{"maze", "⇒ ⇒ ↓", "whole!"},
	{"maze", "Go left, then jump", "whole!"},
	{"maze", "left 8, down 8", "whole!"},
	{"maze", "<answer>8 × LEFT, 8 × DOWN</answer>", "tag!"},
	{"maze", "left, left, ..., down", "whole!"},

	// y = -2x^2+3x+9
	{"polynomial", "x=3, y=0", "whole+"},
	{"polynomial", "<answer>x = 3, y = 0</answer>", "tag+"},
	{"polynomial", `The answer is $(3, 0)$.`, "phrase+"},
	{"polynomial", `\boxed{(x, y) = (1.5, 9)}`, "boxed+"},
	{"polynomial", `\boxed{(1.5, 9)}`, "boxed+"},
	{"polynomial", "Then x = −1.5 and y = 0", "whole+"},
	{"polynomial", "so **x = 3, y = 1**", "code-"},
	{"polynomial", `\boxed{x=\frac12, y=10}`, "boxed!"},
	{"polynomial", "x=three", "whole!"},
	{"polynomial", "x = 2 + 5, y = 7", "whole!"},
	{"polynomial", "x = 3, y = 0 is not a solution.", "whole!"},
	{"polynomial", "y = -2*x^2+3*x+9 at x = 3.", "whole!"},
	{"polynomial", "y = -2*x^2+3*x+9 at x = 3 gives\nx = 3 and y = 0.", "line+"},

	// 15*38
	{"multiplication", "15*(30+8) = 15*30+15*8 = 450+120 = 570", "whole+"},
	{"multiplication", "Final answer: 15 × (30 + 8) = 15 × 30 + 15 × 8 = 450 + 120 = 570.", "phrase+"},
	{"multiplication", `\[ 15 \times (30+8) = 15 \cdot 30 + 15 \cdot 8 = 450 + 120 = 570 \]`, "math+"},
	{"multiplication", `\boxed{15(30+8) = 15*30+15*8 = 570}`, "boxed+"},
	{"multiplication", `The answer is \boxed{570}`, "boxed+"},

	// Pay 25 with coins of 3, 6, 10, 12.
	{"coins", "12+10+3", "whole+"},
	{"coins", "The answer is 12 + 10 + 3.", "phrase+"},
	{"coins", `\boxed{10 + 6 + 6 + 3}`, "boxed+"},
	{"coins", "**10 + 12**", "code-"},
	{"coins", "25 = 12 + 10 + 3", "whole+"},
	{"coins", "12, 10, 3", "whole+"},
	{"coins", "12 + 10 + 3 = 25", "whole+"},

	// What is i?
	{"derivation", "i=8", "whole+"},
	{"derivation", "d = 0, h = 8, i = 8", "whole+"},
	{"derivation", "The answer is i = 8.", "phrase+"},
	{"derivation", "d is 0.\nFinal answer: `d=0, i=8`", "phrase+"},
	{"derivation", `\boxed{i = 7}`, "boxed-"},
}

func find(t testing.TB, id string) *reference.Posed {
	t.Helper()
	r, err := reference.Parse(id)
	if err != nil {
		t.Fatal(err)
	}
	q, err := r.Find()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestSaid(t *testing.T) {
	if len(said) < 60 {
		t.Errorf("%d responses, want 60 or more", len(said))
	}
	classes := map[reply.Class]bool{}
	for _, c := range said {
		v, class := reply.Judge(find(t, c.id+"/train/0").Problem, c.text)
		classes[class] = true
		sign := "-"
		switch {
		case v.Err != nil:
			sign = "!"
		case v.Correct:
			sign = "+"
		}
		if got := string(class) + sign; got != c.want {
			t.Errorf("%s, %q: %s, want %s (%v)", c.id, c.text, got, c.want, v.Err)
		}
	}
	for _, class := range []reply.Class{reply.Tag, reply.Boxed, reply.Phrase, reply.Code, reply.Math, reply.Whole, reply.Line} {
		if !classes[class] {
			t.Errorf("no response has its answer in a %s", class)
		}
	}
}

// TestStrictIsLenient: an answer that a strict reading reads, a lenient one reads as the
// same.
func TestStrictIsLenient(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 400
	}
	responses, err := envtest.Responses(n)
	if err != nil {
		t.Fatal(err)
	}
	cache, read, more := reference.NewCache(n), 0, 0
	for _, r := range responses {
		q, err := cache.Find(r.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		strict := q.Problem.JudgeText(r.Text)
		lenient, class := reply.Judge(q.Problem, r.Text)
		if strict.Err != nil {
			if lenient.Err == nil {
				more++
			}
			continue
		}
		read++
		if lenient.Err != nil || lenient.Mode != strict.Mode || lenient.Correct != strict.Correct || lenient.Variant != strict.Variant || lenient.Answer != strict.Answer || class != reply.Tag && class != reply.Whole {
			t.Errorf("%s, %q: %+v, read leniently %+v as %s", r.ID, r.Text, strict, lenient, class)
		}
	}
	if read < n/20 {
		t.Errorf("of %d responses a strict reading reads %d", n, read)
	}
	t.Logf("of %d responses a strict reading reads %d, a lenient one %d more", n, read, more)
}

func FuzzJudge(f *testing.F) {
	for _, c := range said {
		f.Add(c.id, c.text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if _, err := envs.Lookup(name); err != nil {
			return
		}
		p := find(t, name+"/train/0").Problem
		v, class := reply.Judge(p, text)
		again, _ := reply.Judge(p, text)
		if v.Mode != again.Mode || v.Correct != again.Correct || class == "" {
			t.Errorf("%+v as %q, then %+v", v, class, again)
		}
		if strict := p.JudgeText(text); strict.Err == nil && (v.Err != nil || v.Mode != strict.Mode) {
			t.Errorf("%q is %+v, read leniently %+v", text, strict, v)
		}
	})
}
