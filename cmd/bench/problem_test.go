package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"modebench/envs"
)

func TestEnvPictures(t *testing.T) {
	inDir(t)
	answers := []string{"--answer", "m03", "--answer", " m03", "--answer", "m11"}
	args := append([]string{"env", "bandit", "--png", "a.PNG", "--svg", "a.svg", "--pdf", "a.pdf"}, answers...)
	code, out, errs := call(t, "", args...)
	if code != exitOK || !strings.Contains(out, "bandit train/0: 12 modes") || !strings.Contains(out, "correct modes: 4") {
		t.Fatalf("exit code %d, %s%s", code, out, errs)
	}
	for line := range strings.Lines(out) {
		marked := strings.Contains(line, "<- 2\n") && strings.Contains(line, " m03 ") || strings.Contains(line, "<- 1\n") && strings.Contains(line, " m11 ")
		if strings.Contains(line, "<-") && !marked {
			t.Errorf("a wrong mark: %s", line)
		}
	}
	if strings.Count(out, "<-") != 2 {
		t.Errorf("want two arms with marks:\n%s", out)
	}
	for file, magic := range map[string]string{"a.PNG": "\x89PNG", "a.svg": "<?xml", "a.pdf": "%PDF"} {
		if data, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(data, []byte(magic)) {
			t.Errorf("%s: %v, begins with %.10q", file, err, data)
		}
	}
	svg, err := os.ReadFile("a.svg")
	if err != nil || !bytes.Contains(svg, []byte(">times<")) {
		t.Errorf("the drawing has no column of answers (%v)", err)
	}
	_, plain, _ := call(t, "", "env", "bandit", "--json")
	code, out, errs = call(t, "", append([]string{"env", "bandit", "--json", "--svg", "b.svg"}, answers...)...)
	if again, err := os.ReadFile("b.svg"); code != exitOK || out != plain || err != nil || !bytes.Equal(svg, again) {
		t.Errorf("with --json: exit code %d, %v %s, or another document or drawing", code, err, errs)
	}
}

// lettered is a problem whose answers are words of the vocabulary with blanks
// between them; its judge also takes the word "odd", which is no token.
type lettered struct{ envs.Problem }

func (lettered) JudgeText(text string) *envs.Verdict { return &envs.Verdict{} }
func (lettered) Judge(answer []envs.Token) *envs.Verdict {
	if len(answer) == 3 {
		return &envs.Verdict{Err: errors.New("three are too many")}
	}
	return &envs.Verdict{}
}

func TestTokensOf(t *testing.T) {
	vocabulary := []string{"UP", "DOWN"}
	for _, c := range []struct{ text, want, err string }{
		{"UP", "[0]", ""},
		{"  DOWN \tUP\n", "[1 0]", ""},
		{"I go <answer>UP DOWN</answer>.", "[0 1]", ""},
		{"UP odd", "[]", `"odd" is no token; write an answer as tokens with blanks between them`},
		{"UP UP UP", "[]", "three are too many"},
	} {
		answer, err := tokensOf(vocabulary, lettered{}, c.text)
		if fmt.Sprint(answer) != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%q: got %v %v, want %s %s", c.text, answer, err, c.want, c.err)
		}
	}
}

// TestNoPicture asks for a picture of an environment that has none.
func TestNoPicture(t *testing.T) {
	if err := drawProblem("chess", lettered{}, nil, nil); err != nil {
		t.Errorf("no picture wanted, got %v", err)
	}
	err := drawProblem("chess", lettered{}, nil, []string{"x.png"})
	if want := "problems of chess cannot be drawn, only those of bandit"; exitCode(err) != exitUsage || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
