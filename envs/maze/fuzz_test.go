package maze

import (
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
)

// FuzzJudgeText: no text makes the judge panic; a text that parses is a list of moves, and
// those moves as tokens, as text and in tags are judged alike.
func FuzzJudgeText(f *testing.F) {
	for _, text := range []string{"", "UP", "RIGHT RIGHT DOWN DOWN", "<answer>DOWN DOWN RIGHT RIGHT</answer>", "<answer>", "</answer> UP <answer>",
		"<answer><answer>UP</answer></answer>", "up", "UP,UP", "UP\u2003DOWN", "\xff\xfe", strings.Repeat("LEFT ", 500)} {
		f.Add(text)
	}
	p := draw(small, 6)
	f.Fuzz(func(t *testing.T, text string) {
		v := p.JudgeText(text)
		inside := text
		if end := strings.LastIndex(text, "</answer>"); end >= 0 && strings.Contains(text[:end], "<answer>") {
			parts := strings.Split(text[:end], "<answer>")
			inside, _, _ = strings.Cut(parts[len(parts)-1], "</answer>")
		}
		words := strings.Fields(inside)
		valid := len(words) > 0
		for _, word := range words {
			_, known := compass[word]
			valid = valid && known
		}
		if valid != (v.Err == nil) || len(v.Reward) != components {
			t.Fatalf("%q: %+v, want valid %v", text, v, valid)
		}
		if !valid {
			if v.Mode != envs.Degenerate || v.Correct || strings.ContainsAny(v.Err.Error(), "\n\r") {
				t.Fatalf("%q: %+v", text, v)
			}
			return
		}
		answer := tokens(t, inside)
		for _, w := range []*envs.Verdict{p.Judge(answer), p.JudgeText(p.AnswerText(answer)), p.JudgeText("UP <answer>" + p.AnswerText(answer) + "</answer>")} {
			if w.Err != nil || w.Mode != v.Mode || w.Correct != v.Correct || !slices.Equal(w.Reward, v.Reward) || !slices.Equal(w.Embedding, v.Embedding) {
				t.Fatalf("%q: %+v, and rendered again %+v", text, v, w)
			}
		}
	})
}

// FuzzCursor: a refused token changes nothing, and the cursor ends where the judge ends the
// route.
func FuzzCursor(f *testing.F) {
	f.Add([]byte{3, 3, 1, 1})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{1, 200, 1, 4, 3, 255, 3, 3})
	p := draw(small, 6)
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := p.Start().(envs.Viewer)
		_, taken := envtest.Push(t, c, raw)
		if v := p.Judge(taken); len(taken) > 0 && (v.Err != nil || v.Correct != (c.(*cursor).cell == p.exit)) {
			t.Fatalf("%v: verdict %+v, cursor %+v", taken, v, c)
		}
	})
}
