package main

import (
	"strings"
	"testing"
)

// TestJudgeReading: a lenient reading names the place of the answer, of one answer, of lines that
// name their problems, and inside the tags of a chain; a strict one prints what it always did.
func TestJudgeReading(t *testing.T) {
	const boxed = `{"answer": "so it is $\\boxed{18 + 8 + 2 - 10}$."}`
	for _, c := range []struct {
		stdin, want string
		args        []string
	}{
		{boxed, `"correct":true`, []string{"judge", "countdown", "--reading", "lenient"}},
		{boxed, `"error":null,"reading":"boxed"}`, []string{"judge", "countdown", "--reading", "lenient"}},
		{boxed, `"correct":false`, []string{"judge", "countdown"}},
		{strings.Replace(boxed, "{", `{"id":"countdown/train/0",`, 1), `{"id":"countdown/train/0","reward":[1,1]`, []string{"judge", "--jsonl", "--reading", "lenient"}},
		{`{"answer":"<expression_1>18 + 8 + 2 − 10</expression_1><expression_2>1+1</expression_2>"}`, `"correct":true`, []string{"judge", "countdown", "--candidates", "2", "--reading", "lenient"}},
		{`{"answer":"<expression_1>18 + 8 + 2 − 10</expression_1><expression_2>1+1</expression_2>"}`, `"correct":false`, []string{"judge", "countdown", "--candidates", "2"}},
	} {
		code, out, errs := call(t, c.stdin+"\n", c.args...)
		if code != exitOK || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit code %d, %s%s, want %s", c.args, code, out, errs, c.want)
		}
		if strict := !strings.Contains(strings.Join(c.args, " "), "lenient"); strict && strings.Contains(out, "reading") {
			t.Errorf("%v: %s", c.args, out)
		}
	}
	if code, _, errs := call(t, "", "judge", "countdown", "--reading", "loose"); code != exitUsage || !strings.Contains(errs, `--reading is "loose", want one of strict, lenient`) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
