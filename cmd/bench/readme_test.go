package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modebench/experiments"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestReadmeTable runs the README's first command and holds its table against
// the one printed there, digit for digit: records have the same bits everywhere.
func TestReadmeTable(t *testing.T) {
	text := readme(t)
	inDir(t)
	code, out, errs := call(t, "", "run", "quick", "--format", "none")
	if code != exitOK {
		t.Fatal(errs)
	}
	table, _, ok := strings.Cut(out, "\nrecords: ")
	if !ok {
		t.Fatalf("no table in the output:\n%s", out)
	}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.Contains(text, "    "+line+"\n") {
			t.Errorf("the README lacks this line of the table:\n%s", line)
		}
	}
}

// TestReadmeSpec loads the README's own experiment.
func TestReadmeSpec(t *testing.T) {
	block := regexp.MustCompile("(?s)```toml\n(.*?)```").FindStringSubmatch(readme(t))
	if block == nil {
		t.Fatal("the README shows no spec")
	}
	spec, err := experiments.Parse("mine.toml", []byte(block[1]))
	if err != nil {
		t.Fatal(err)
	}
	if len(spec.Variants) != 2*(1+3) {
		t.Errorf("the README's spec has %d variants, want two rates for GRPO and for three lambdas", len(spec.Variants))
	}
}

// TestReadmeEstimate runs the README's batch through estimate.
func TestReadmeEstimate(t *testing.T) {
	parts := regexp.MustCompile(`(?s)echo '(.*?)' \|\n\s+go run ./cmd/bench (.*?)\n\n\s+(\{.*?\})\n`).FindStringSubmatch(readme(t))
	if parts == nil {
		t.Fatal("the README shows no batch")
	}
	code, out, errs := call(t, parts[1], strings.Fields(parts[2])...)
	if code != exitOK || strings.TrimSpace(out) != parts[3] {
		t.Errorf("exit code %d %s\n got %s\nthe README says %s", code, errs, out, parts[3])
	}
}

// TestReadmeCommands holds the table of commands and the exit codes against the
// program's own.
func TestReadmeCommands(t *testing.T) {
	text := readme(t)
	for _, c := range commands() {
		if !strings.Contains(text, "| `bench "+c.name) {
			t.Errorf("the README does not list bench %s", c.name)
		}
	}
	for _, want := range []string{"0 done", "1 a cell", "2 the\ncommand line", "3 the input", "4 a file", "130 interrupted"} {
		if !strings.Contains(text, want) {
			t.Errorf("the README does not explain the exit code %q", want)
		}
	}
}
