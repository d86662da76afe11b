package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// solutionsDocument are the fields of bench env --format json of countdown and multiplication.
type solutionsDocument struct {
	Truth     struct{ Modes, Solutions int }
	Solutions []struct {
		Mode, Answer string
		Variants     int
	}
	Families []struct {
		Mode, Answer string
		Variants     int
	}
	Relation string
	A, B     int
}

// judged are the fields of a verdict that these tests read.
type judged struct {
	Reward  []float64
	Correct bool
	Answer  *string
	Mode    *string
	Variant *string
	Error   *string
}

func envJSON(t *testing.T, args ...string) solutionsDocument {
	t.Helper()
	out, _ := succeed(t, append([]string{"env", "--format", "json"}, args...)...)
	// Polynomial's own "solutions" are pairs of numbers, which these tests leave.
	var doc solutionsDocument
	if err := json.Unmarshal([]byte(out), &doc); err != nil && !strings.Contains(err.Error(), "solutions") {
		t.Fatal(err)
	}
	return doc
}

func judge(t *testing.T, answers []string, args ...string) []judged {
	t.Helper()
	code, out, errs := call(t, strings.Join(answers, "\n")+"\n", append([]string{"judge"}, args...)...)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var all []judged
	for line := range strings.Lines(out) {
		var v judged
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if len(all) != len(answers) {
		t.Fatalf("%d verdicts on %d answers", len(all), len(answers))
	}
	return all
}

// TestSolutionsRoundTrip: the answer that env gives for each mode is judged to be
// right and of that mode; every mode is listed, and the variants add up.
func TestSolutionsRoundTrip(t *testing.T) {
	for _, name := range []string{"countdown", "multiplication"} {
		for index := range 3 {
			problem := []string{name, "--split", "test", "--index", fmt.Sprint(index)}
			doc := envJSON(t, problem...)
			listed := append(doc.Solutions, doc.Families...)
			var answers []string
			variants := 0
			for _, s := range listed {
				answers = append(answers, s.Answer)
				variants += s.Variants
			}
			if len(listed) != doc.Truth.Modes || variants != doc.Truth.Solutions {
				t.Errorf("%s %d: %d modes and %d variants listed, the truth has %+v", name, index, len(listed), variants, doc.Truth)
			}
			for i, v := range judge(t, answers, problem...) {
				if !v.Correct || v.Mode == nil || *v.Mode != listed[i].Mode || v.Error != nil || v.Reward[0] != 1 {
					t.Errorf("%s %d: %s is judged %+v, want the mode %s", name, index, answers[i], v, listed[i].Mode)
				}
			}
		}
	}
}

// TestAnswersOfLanguageModels: texts as models write them get a verdict or a clear
// error, and nothing else.
func TestAnswersOfLanguageModels(t *testing.T) {
	for _, c := range []struct {
		reason, answer string
		problem        []string
		correct        bool
		failed         string // in the error; "": none
	}{
		{"thought aside", "Let me see: 15+9 is 24. <answer>(15 + 9) / 2 + 6</answer>", []string{"countdown", "--index", "4"}, true, ""},
		{"an equation", "(15+9)/2+6 = 18", []string{"countdown", "--index", "4"}, true, ""},
		{"too large", "15+9+6-2", []string{"countdown", "--index", "4"}, false, ""},
		{"a number twice", "15+9-6+6-6", []string{"countdown", "--index", "4"}, false, "6"},
		{"a power", "2**9", []string{"countdown", "--index", "4"}, false, "column 2"},
		{"floor division", "(15+9)//2+6", []string{"countdown", "--index", "4"}, false, "column 7"},
		{"a call", "eval(18)", []string{"countdown", "--index", "4"}, false, "column 1"},
		{"the whole way", "(10+5)*(40-2) = 10*40-10*2+5*40-5*2 = 400-20+200-10 = 570", []string{"multiplication"}, true, ""},
		{"the product alone", "570", []string{"multiplication"}, true, ""},
		{"a slip in the product", "(10+5)*38 = 10*38+5*38 = 380+190 = 560", []string{"multiplication"}, false, ""},
		{"words", "it is 570", []string{"multiplication"}, false, "column 1"},
		{"a pair in either order", "(y=12, x=-1)", []string{"polynomial", "--index", "6"}, true, ""},
		{"a pair off the curve", "x=1, y=1", []string{"polynomial", "--index", "6"}, false, ""},
		{"an exponent", "x=1e2, y=1", []string{"polynomial", "--index", "6"}, false, "1e2"},
	} {
		v := judge(t, []string{c.answer}, c.problem...)[0]
		text := ""
		if v.Error != nil {
			text = *v.Error
		}
		if v.Correct != c.correct || (text == "") != (c.failed == "") || !strings.Contains(text, c.failed) {
			t.Errorf("%s: %q on %v: correct %v, error %q; want %v, %q", c.reason, c.answer, c.problem, v.Correct, text, c.correct, c.failed)
		}
	}
}

// TestJudgeChainsThatStop: as many verdicts as answers were given, and the final
// answer: the named answer, else the last.
func TestJudgeChainsThatStop(t *testing.T) {
	answers := strings.Join([]string{
		`<answer_1>15*(40-2) = 15*40-15*2 = 600-30 = 570</answer_1> <answer_2>571</answer_2> <final>1</final>`,
		`<answer_1>570</answer_1> <answer_2>572</answer_2>`,
		`nothing`,
	}, "\n")
	code, out, errs := call(t, answers+"\n", "judge", "multiplication", "--candidates", "3", "--stops")
	if code != exitOK {
		t.Fatal(errs)
	}
	type stopped struct {
		Answers []judged
		Final   *string
	}
	var got []stopped
	for line := range strings.Lines(out) {
		var doc stopped
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatal(err)
		}
		got = append(got, doc)
	}
	if len(got) != 3 || len(got[0].Answers) != 2 || len(got[1].Answers) != 2 || len(got[2].Answers) != 1 {
		t.Fatalf("verdicts %s", out)
	}
	if !got[0].Answers[0].Correct || got[0].Answers[1].Correct || got[0].Final == nil || *got[0].Final != "570" {
		t.Errorf("the first answer is right and named: %+v", got[0])
	}
	if got[1].Final == nil || *got[1].Final != "572" || got[2].Final != nil {
		t.Errorf("the last outcome where none is named, none where there is none: %s", out)
	}
	if _, prompt, _ := call(t, "", "env", "multiplication", "--candidates", "3", "--stops"); !strings.Contains(prompt, "<final>") {
		t.Errorf("the prompt asks for no final answer:\n%s", prompt)
	}
}
