package countdown

import (
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/arith"
)

// FuzzJudgeText: no text makes the judge panic. A text that parses has the value that exact
// arithmetic gives it, its variant and its mode as answers have its mode, and so has its
// token form if it has one.
func FuzzJudgeText(f *testing.F) {
	for _, text := range []string{"", "54+(24-21)*3", "54/3+24+21 = 63", "<answer>54/3+(24+21)</answer>", "54/(24-21-3)", "-(54/3)*-24--21",
		"54", "1/0", "٣+21", "54/3+24+21=63=63", "2**9", "8//3", "0x18", "<answer>", "</answer>54<answer>", "\xff\xfe", strings.Repeat("(", 300)} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(1))
	}
	for _, text := range []string{"22+3*(11-11)/16", "22+3/(16/(11-11))", "22−3×(11−11)÷16.", "11*3-11+16/22", "22-16/(3/(11-11))=22"} {
		f.Add(text, uint8(2))
	}
	exactly := setpo(f)
	often := newProblem(build(f, func(c *Config) { c.AtMostOnce = true }).usual, "often", [maxSlots]int16{3, 3, 6, 54}, 54)
	five := newProblem(newShape(build(f, nil), 5, 2, 25), "five", [maxSlots]int16{3, 11, 11, 16, 22}, 22)
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		p := [...]*Problem{exactly, often, five}[which%3]
		v := p.JudgeText(text)
		if v.Err != nil {
			if v.Mode != envs.Degenerate || v.Correct || v.Variant != "" || v.Embedding != nil || strings.ContainsAny(v.Err.Error(), "\n\r") || len(v.Err.Error()) > 400 {
				t.Fatalf("%q: %+v", text, v)
			}
			return
		}
		nodes, err := arith.Parse(nil, v.Variant)
		if err != nil {
			t.Fatalf("%q: the variant %q does not parse: %v", text, v.Variant, err)
		}
		value, err := arith.Eval(nodes)
		if v.Correct != (err == nil && value == arith.Int(int64(p.target))) {
			t.Fatalf("%q: correct %v, value %v (error %v)", text, v.Correct, value, err)
		}
		if w := p.JudgeText(v.Variant); w.Variant != v.Variant || w.Mode != v.Mode || w.Correct != v.Correct {
			t.Fatalf("%q: the variant %q is judged %+v, want mode %q", text, v.Variant, w, v.Mode)
		}
		if w := p.JudgeText(string(v.Mode)); w.Mode != v.Mode {
			t.Fatalf("%q: the mode %q has the mode %q", text, v.Mode, w.Mode)
		}
		answer, err := p.AnswerTokens(text)
		if err != nil {
			if !strings.Contains(v.Variant, "-") {
				t.Fatalf("%q: no tokens: %v", text, err)
			}
			return
		}
		if w := p.Judge(answer); w.Variant != v.Variant || w.Mode != v.Mode || w.Correct != v.Correct || !slices.Equal(w.Embedding, v.Embedding) {
			t.Fatalf("%q: judged %+v, and as tokens %+v", text, v, w)
		}
	})
}

// FuzzCursor: a refused token changes nothing; a cursor that is done holds an answer that
// parses; and any tokens are judged like their text.
func FuzzCursor(f *testing.F) {
	f.Add([]byte{6, 7, 0, 8, 1, 9, 2}, false)
	f.Add([]byte{6, 4, 4}, true)
	f.Add([]byte{0, 255, 6, 6, 7, 3}, true)
	f.Fuzz(func(t *testing.T, raw []byte, optional bool) {
		e := build(t, func(c *Config) { c.AtMostOnce, c.MinNumber = optional, 1 })
		p := newProblem(e.usual, "p", [maxSlots]int16{1, 2, 2, 3}, 12)
		c := p.Start().(envs.Viewer)
		all, taken := envtest.Push(t, c, raw)
		if v := p.Judge(taken); (v.Err == nil) != c.Done() {
			t.Fatalf("%v: error %v, done %v", taken, v.Err, c.Done())
		}
		v, w := p.Judge(all), p.JudgeText(p.AnswerText(all))
		if (v.Err == nil) != (w.Err == nil) || v.Mode != w.Mode || v.Variant != w.Variant {
			t.Fatalf("%v: judged %+v, and as text %+v", all, v, w)
		}
	})
}
