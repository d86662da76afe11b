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
	args := append([]string{"env", "bandit", "--draw", "a.PNG", "--draw", "a.svg", "--draw", "a.pdf", "--draw", "a.pgf"}, answers...)
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
	for file, magic := range map[string]string{"a.PNG": "\x89PNG", "a.svg": "<?xml", "a.pdf": "%PDF", "a.pgf": "% \\usepackage{pgf}"} {
		if data, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(data, []byte(magic)) {
			t.Errorf("%s: %v, begins with %.10q", file, err, data)
		}
	}
	svg, err := os.ReadFile("a.svg")
	if err != nil || !bytes.Contains(svg, []byte(">answers<")) {
		t.Errorf("the drawing has no column of answers (%v)", err)
	}
	_, plain, _ := call(t, "", "env", "bandit", "--format", "json")
	code, out, errs = call(t, "", append([]string{"env", "bandit", "--format", "json", "--draw", "b.svg"}, answers...)...)
	if again, err := os.ReadFile("b.svg"); code != exitOK || out != plain || err != nil || !bytes.Equal(svg, again) {
		t.Errorf("with --format json: exit code %d, %v %s, or another document or drawing", code, err, errs)
	}
}

// TestNoPicture asks for a picture of an environment without pictures.
func TestNoPicture(t *testing.T) {
	if err := drawProblem("chess", nil, nil, nil); err != nil {
		t.Errorf("no picture wanted, got %v", err)
	}
	err := drawProblem("chess", nil, nil, []string{"x.png"})
	if want := "problems of chess cannot be drawn; without --draw"; exitCode(err) != exitUsage || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEnvSeed: --env-seed and --set env_seed name a draw of problems, and 0 the published one.
func TestEnvSeed(t *testing.T) {
	_, published, _ := call(t, "", "env", "maze", "--format", "json")
	_, zero, _ := call(t, "", "env", "maze", "--format", "json", "--env-seed", "0")
	_, three, _ := call(t, "", "env", "maze", "--format", "json", "--env-seed", "3")
	_, set, _ := call(t, "", "env", "maze", "--format", "json", "--set", "env_seed=3")
	if zero != published || three != set || three == published || !strings.Contains(three, `"draw3/train/0"`) {
		t.Errorf("published %.80s\n 0 %.80s\n 3 %.80s\n set to 3 %.80s", published, zero, three, set)
	}
	code, _, errs := call(t, "", "env", "maze", "--env-seed", "-1")
	if want := `--env-seed: field "env_seed": got -1, want int >= 0`; code != exitUsage || !strings.Contains(errs, want) {
		t.Errorf("exit code %d, %s; want %s", code, errs, want)
	}
}
