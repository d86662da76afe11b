package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
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

// TestNoPicture asks for a picture of an environment that has none.
func TestNoPicture(t *testing.T) {
	if err := drawProblem("chess", nil, nil, nil); err != nil {
		t.Errorf("no picture wanted, got %v", err)
	}
	err := drawProblem("chess", nil, nil, []string{"x.png"})
	if want := "problems of chess cannot be drawn, only those of bandit"; exitCode(err) != exitUsage || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
