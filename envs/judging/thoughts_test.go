package judging_test

import (
	"strings"
	"testing"

	"modebench/envs/judging"
	"modebench/envs/reference"
)

// problem finds the problem of a reference.
func problem(t testing.TB, id string) *reference.Posed {
	t.Helper()
	q, err := reference.NewCache(1).Find(id, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// sign is + for a right answer, - for a wrong one and ! for an unreadable answer.
func sign(q *reference.Posed, text string, reading judging.Reading) string {
	switch v := judging.Judge(q, text, reading).Verdicts[0]; {
	case v.Err != nil:
		return "!"
	case v.Correct:
		return "+"
	}
	return "-"
}

// TestThoughts: the text of a thought is no answer, and a response with an open thought has
// no answer.
func TestThoughts(t *testing.T) {
	const right, wrong = "18*(10-2)/8", "18+8+2+10"
	for _, c := range []struct{ text, strict, lenient string }{
		{"<think>\nTry: " + right, "!", "!"},
		{"<think>" + right, "!", "!"},
		{"<think>\n<answer>" + right + "</answer>", "!", "!"},
		{`<think>\boxed{` + right + "} works</think>\n\nFinal answer: " + wrong, "!", "-"},
		{"<think><answer>" + right + "</answer></think>\n\n<answer>" + wrong + "</answer>", "-", "-"},
		{"<think><answer>" + right + "</answer></think>\n\nI give up.", "!", "!"},
		{"<think>" + right + "</think>", "!", "!"},
		{"<think>x</think>\n\n" + right, "+", "+"},
		{"<think></think>" + right, "+", "+"},
		{"<think>\n\n</think>\n\n<answer>" + right + "</answer>", "+", "+"},
		{"<answer>" + wrong + "</answer><think>Is it right? <answer>" + right + "</answer></think>", "-", "-"},

		// The template has opened the thought.
		{"Try <answer>" + right + "</answer>\n</think>\n\n<answer>" + wrong + "</answer>", "-", "-"},
		{wrong + "</think>" + right, "+", "+"},
		{right + "</think>", "!", "!"},
		{right + "\n</think>\nI give up.", "!", "!"},
		{"<think>a</think>" + wrong + "</think>" + right, "+", "+"},

		// More than one thought, and tags within.
		{"<think>" + wrong + "</think><think>again</think>" + right, "+", "+"},
		{"<think>a</think>" + wrong + "<think>" + right, "!", "!"},
		{"<think>a</think>" + wrong + "\n<think>" + right + "</think>", "-", "-"},
		{"<think>a</think>" + wrong + "<think>b</think>" + right, "!", "+"},
		{"<think>a <think>b</think> " + wrong + "</think> " + right, "+", "+"},
		{"<think>a <think> b</think> " + right, "+", "+"},
		{"<think>a </think> b</think> " + right, "+", "+"},
		{"18*(10-2)<think>now divide</think>/8", "+", "+"},
		{"1<think>now eight</think>8*(10-2)/8", "!", "!"},
		{"<answer><think>" + wrong + "</think>" + right + "</answer>", "+", "+"},
		{"<answer>" + right + " <think></answer>", "!", "!"},
		{"<think>I write <answer> now</think><answer>" + right + "</answer>", "+", "+"},
		{"<think>I write </answer> now</think><answer>" + right + "</answer>", "+", "+"},

		// In any case, with attributes and blanks.
		{"<THINK>x</Think>" + right, "+", "+"},
		{"<Think>" + right, "!", "!"},
		{`<think budget="3">x</think >` + right, "+", "+"},
		{"<think\n>" + right, "!", "!"},

		// Texts that are no tag of a thought.
		{"<thinker>" + right + "</thinker>", "!", "!"},
		{"<answer>" + right + "</answer> < think", "+", "+"},
		{"<answer>" + right + "</answer> I closed my thoughts with `</think>` first.", "+", "+"},
		{"<answer>" + right + "</answer> My thoughts began with \"<think>\".", "+", "+"},
		{"<think>I close with `</think>` later. " + right + "</think>" + wrong, "-", "-"},
		{"<think>\n```\n" + wrong + "\n```</think>```\n" + right + "\n```", "!", "+"},
		{"<think>so `x`</think>`" + right + "`", "!", "+"},

		{"<think>I end with '</think>' and '<answer>" + right + "</answer>'. Let me try", "!", "!"},
		{"<think>I end with ‘</think>’ and <answer>" + right + "</answer>. Let me try", "!", "!"},
		{"<think>I end with **</think>** and <answer>" + right + "</answer>. Let me try", "!", "!"},
		{"<think>The form is `<think> </think> <answer>" + right + "</answer>`. Let me try", "!", "!"},
		{"<think>The form is \"<think> </think> <answer>" + right + "</answer>\". Let me try", "!", "!"},
		{"<think>**" + wrong + "**</think>**" + right + "**", "!", "+"},
		{"<think>I end with </think> tags. <answer>" + right + "</answer>", "!", "!"},
		{"I will reason in <think> tags first. <answer>" + right + "</answer>", "+", "+"},
		{"<think />\n<answer>" + right + "</answer>", "+", "+"},

		// Other tags of thought.
		{"<thinking>" + wrong + "</thinking>" + right, "+", "+"},
		{"<thinking>" + right, "!", "!"},
		{wrong + "</thinking>" + right, "+", "+"},
		{"<reasoning>\n" + wrong + "\n</reasoning>\n<answer>\n" + right + "\n</answer>", "+", "+"},
		{"<reasoning>" + right, "!", "!"},
		{"<thought>" + wrong + "</thought>" + right, "+", "+"},
		{"<|begin_of_thought|>" + wrong + "<|end_of_thought|>" + right, "+", "+"},
		{"<|begin_of_thought|>" + right, "!", "!"},
		{wrong + "<|end_of_thought|>" + right, "+", "+"},
		{"[THINK]" + wrong + "[/THINK]" + right, "+", "+"},
		{"[THINK]" + right, "!", "!"},
		{"<think>" + wrong + " <reasoning></think>" + right, "+", "+"},
		{"<think>" + wrong + "</thinking>" + right, "!", "!"},
		{"<reasoning>a</reasoning><think>" + right, "!", "!"},
	} {
		q := problem(t, "countdown/train/0")
		if got := sign(q, c.text, judging.Strict); got != c.strict {
			t.Errorf("%q, read strictly: %s, want %s", c.text, got, c.strict)
		}
		if got := sign(q, c.text, judging.Lenient); got != c.lenient {
			t.Errorf("%q, read leniently: %s, want %s", c.text, got, c.lenient)
		}
	}
}

// TestThoughtsOfAChain: answers of a chain are outside the thoughts too.
func TestThoughtsOfAChain(t *testing.T) {
	q := problem(t, "countdown/train/0?candidates=2")
	const first, second = "<expression_1>18*(10-2)/8</expression_1>", "<expression_2>18+8+2-10</expression_2>"
	for text, want := range map[string]string{
		first + second:                          "++",
		"<think>" + first + second:              "!!",
		"<think>" + first + "</think>" + second: "!+",
		first + "</think>" + second:             "!+",
		"<think>x</think>" + first + second:     "++",
	} {
		for _, reading := range judging.Readings() {
			got := ""
			for _, v := range judging.Judge(q, text, reading).Verdicts {
				switch {
				case v.Err != nil:
					got += "!"
				case v.Correct:
					got += "+"
				}
			}
			if got != want {
				t.Errorf("%q, read as %s: %s, want %s", text, reading, got, want)
			}
		}
	}
	v := judging.Judge(problem(t, "maze/train/0"), "<think>UP", judging.Strict).Verdicts[0]
	if v.Err == nil || !strings.Contains(v.Err.Error(), "its <think> is not closed") {
		t.Errorf("the error is %v", v.Err)
	}
	// Tags without number and long lines take no time that grows with their square.
	judging.Judge(q, strings.Repeat("\"<think>\"", 1<<17), judging.Strict)
	judging.Judge(q, strings.Repeat("</think>x<think a", 1<<16), judging.Strict)
}
