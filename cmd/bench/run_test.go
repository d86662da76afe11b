package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/internal/memory"
	"modebench/internal/testkit"
)

// TestTableAndFiguresHeedTheContext: once the context has ended, no verdict is worked out and no
// further figure is drawn.
func TestTableAndFiguresHeedTheContext(t *testing.T) {
	inDir(t)
	writeTiny(t)
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	run, err := record.Open(filepath.Join("r", "tiny"))
	if err != nil {
		t.Fatal(err)
	}
	for most := range int64(2) {
		dir := t.TempDir()
		files, err := drawRun(testkit.NewEndsAt(most), run, dir, []string{"svg"})
		written, _ := filepath.Glob(filepath.Join(dir, "*"))
		if !errors.Is(err, context.Canceled) || files != nil || len(written) != int(most) {
			t.Errorf("ended after %d figures: %q written, %v", most, written, err)
		}
	}
	if text, err := writeSummary(testkit.NewEndsAt(0), run); !errors.Is(err, context.Canceled) || text != "" {
		t.Errorf("writeSummary: %q, %v", text, err)
	}
}

// TestTooLarge: one line, without a second on how to run it again, has the memory that a run would take,
// for all cells, with the exit code of bad input. Nothing is run.
func TestTooLarge(t *testing.T) {
	if total, known := memory.Total(); !known || total > 100e9 {
		t.Skip("the machine has room for it, or does not say")
	}
	const methods = "[[method]]\nname = \"grpo\"\n[[method]]\nname = \"base\"\n"
	for name, c := range map[string]struct{ text, says string }{
		"a transformer": {
			"seeds = 2\n[env]\nname = \"bandit\"\n[policy]\nname = \"transformer\"\nlayers = 64\nwidth = 4096\nheads = 64\n" + methods,
			`^bench: grpo, seed 0 and 3 other cells: a transformer with layers = 64 and width = 4096 has 12888 million parameters and takes about \d+\.\d GB of memory, and there are \d+\.\d GB for it\n$`,
		},
		"tables": {
			"seeds = 2\n[env]\nname = \"maze\"\n[train]\nproblems = 1000000\nbatch = 1000\nsteps = 1000\n" + methods,
			`^bench: grpo, seed 0 and 3 other cells: a tabular policy that meets 1000000 problems, with 8000 rollouts a step, takes at least \d+\.\d GB of memory, and there are \d+\.\d GB for it\n$`,
		},
	} {
		inDir(t)
		write(t, "large.toml", c.text)
		code, out, errs := call(t, "", "run", "large.toml", "--out", "out", "--cache", "cache", "--jobs", "2")
		if code != exitInput || out != "" || !regexp.MustCompile(c.says).MatchString(errs) {
			t.Errorf("%s: exit code %d, want %d: %s%s", name, code, exitInput, out, errs)
		}
	}
}

// TestNotesBelowTables: the notes of a command are below its output, which begins with a title;
// progress comes before it.
func TestNotesBelowTables(t *testing.T) {
	inDir(t)
	writeTiny(t)
	cold := strings.Replace(strings.Replace(tinySpec, "seeds = 2", "seeds = 4", 1), "[eval]", "[eval]\ntemperature = 0.5", 1)
	write(t, "some.toml", strings.Replace(cold, "name = \"grpo\"", "name = \"grpo\"\n[[method]]\nname = \"grpo\"\nlabel = \"clipped\"\nclip_low = 0.1", 1))
	write(t, "all.toml", "seeds = 1\n[env]\nname = \"bandit\"\n[train]\nsteps = 1\n[[method]]\nname = \"*\"\n")
	both := func(args ...string) (text string) {
		var out bytes.Buffer
		if code := bench(context.Background(), streams{in: strings.NewReader(""), out: &out, err: &out}, args); code != exitOK {
			t.Fatalf("bench %q: exit code %d: %s", args, code, &out)
		}
		return regexp.MustCompile(`(?m)^( *\d+% of \d+ steps|\d+ of \d+ cells are finished already)\n`).ReplaceAllString(out.String(), "")
	}
	write(t, "plain.toml", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\n")
	write(t, "log.jsonl", `{"id": "coins/train/0", "text": "12"}`+"\n"+`{"id": "coins/train/1", "text": "12"}`+"\n"+`{"id": "coins/train/1", "text": "10"}`+"\n")
	both("run", "tiny.toml", "--figure-format", "none")
	both("run", "some.toml", "--figure-format", "none")
	for _, c := range []struct {
		args, first, table string
		notes              []string
	}{
		{"run some.toml --figure-format none", "some: tiny\n", "\nclipped ", []string{"4 seeds: intervals are rough\n", "every ratio is 1, so clip_low"}},
		{"run all.toml --figure-format none", "all\n", "\ngrpo ", []string{"\nleft out on bandit: "}},
		{"run some.toml --figure-format none --seeds 3", "some-seeds-3: tiny\n", "\nclipped ", []string{"and this run 3: its table and figures go to"}},
		{"compare results/tiny results/some", "old: ", "\ngrpo: ", []string{"\nwarning: both variants: not measured alike"}},
		{"import log.jsonl --figure-format none", "log", "\nlog ", []string{"\npools hold 1 to 2 answers"}},
		{"audit --spec plain.toml --groups 2 --problems 2 --figure-format none", "Steps on 2 bandits", "\ngrpo ", []string{"\nplain sets no field of its bandit"}},
		{"list specs some.toml --seeds 3", "some: tiny\n", "\n  clipped\n", []string{"\nnote: at one update"}},
	} {
		text := both(strings.Fields(c.args)...)
		if !strings.HasPrefix(text, c.first) {
			t.Errorf("bench %s begins with %.100q, want %q", c.args, text, c.first)
		}
		for _, note := range c.notes {
			if table, at := strings.Index(text, c.table), strings.Index(text, note); table < 0 || at < table {
				t.Errorf("bench %s: %q stands at %d and the table at %d:\n%s", c.args, note, at, table, text)
			}
		}
	}
	// To a program a note is a line of JSON, and the result is still the last one.
	_, _, errs := call(t, "", "run", "some.toml", "--figure-format", "none", "--progress", "json", "--seeds", "3")
	if lines := strings.Split(strings.TrimSpace(errs), "\n"); !strings.HasPrefix(lines[len(lines)-1], `{"result":`) || strings.Count(errs, `{"note":"`) != 2 {
		t.Errorf("in JSON: %s", errs)
	}
}
