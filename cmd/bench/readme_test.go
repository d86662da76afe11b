package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modebench/envs"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestReadmeTable runs the README's first command, and the comparison of two of its
// methods, and holds their tables against those printed there, digit for digit:
// records have the same bits everywhere.
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
	command := "compare results/quick:grpo results/quick:setpo+grpo"
	code, out, errs = call(t, "", strings.Fields(command)...)
	_, comparison, ok := strings.Cut(out, "\n\n")
	if code != exitOK || !ok || !strings.Contains(text, "`bench "+command+"`") {
		t.Fatalf("%s: exit code %d\n%s%s", command, code, out, errs)
	}
	for line := range strings.Lines(strings.TrimSpace(table) + "\n" + comparison) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.Contains(text, "    "+line+"\n") {
			t.Errorf("the README lacks this line of the table:\n%s", line)
		}
	}
}

// TestReadmeSpec runs the README's own experiment, ten lines, and looks for what it is
// said to draw.
func TestReadmeSpec(t *testing.T) {
	block := regexp.MustCompile("(?s)```toml\n(.*?)```").FindStringSubmatch(readme(t))
	if block == nil || strings.Count(block[1], "\n") != 10 {
		t.Fatalf("the README shows no spec of ten lines first: %q", block)
	}
	inDir(t)
	if err := os.WriteFile("mine.toml", []byte(block[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := succeed(t, "run", "mine.toml", "--seeds", "2", "--format", "png")
	for _, want := range []string{"\ngrpo@setpo ", "\nsetpo+grpo lambda=0.05 ", "\nsetpo+grpo lambda=5 ", "entropy_mode"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	for _, file := range []string{"training.png", "k.png"} {
		if info, err := os.Stat(filepath.Join("results", "mine", file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestReadmeExpression runs the README's objective, which is Poly-EPO's, and the
// mistake in it.
func TestReadmeExpression(t *testing.T) {
	text := readme(t)
	block := regexp.MustCompile("(?s)objective over sets of answers is an expression:\n\n```toml\n(.*?)```").FindStringSubmatch(text)
	if block == nil {
		t.Fatal("the README shows no objective")
	}
	inDir(t)
	for name, spec := range map[string]string{"right": block[1], "mine": strings.Replace(block[1], "(mode)", "(mod)", 1)} {
		if err := os.WriteFile(name+".toml", []byte(spec), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := call(t, "", "run", "right.toml", "--seeds", "1", "--format", "none"); code != exitOK || !strings.Contains(out, "\nmine ") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	code, _, errs := call(t, "", "run", "mine.toml")
	if code != exitInput || !strings.Contains(text, "    "+errs) {
		t.Errorf("exit code %d; the README lacks %s", code, errs)
	}
}

// TestReadmeAudit runs the README's audit and holds its table and its figure against
// those that are kept, digit for digit.
func TestReadmeAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("ten seconds of arithmetic, slow under the race detector")
	}
	text := readme(t)
	kept, err := os.ReadFile(filepath.Join("..", "..", "results", "reference", "audit", "audit-pass.svg"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile(filepath.Join("..", "..", "results", "reference", "audit", "audit.txt"))
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^    \$ bench (audit .*)$`).FindStringSubmatch(text)
	if command == nil {
		t.Fatal("the README audits nothing")
	}
	inDir(t)
	out, _ := succeed(t, append(strings.Fields(command[1]), "--format", "svg")...)
	columns, rows := regexp.MustCompile(` +`), 0
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "scale: ") {
			break
		}
		if !strings.Contains(line, "   ") {
			continue
		}
		if rows++; !strings.Contains(text, "    "+line+"\n") {
			t.Errorf("the README lacks this line of the table:\n%s", line)
		}
		if !strings.Contains(columns.ReplaceAllString(string(all), " "), columns.ReplaceAllString(line, " ")+"\n") {
			t.Errorf("the table of all methods lacks this line:\n%s", line)
		}
	}
	if rows != 9 {
		t.Errorf("%d lines, want a head and eight methods:\n%s", rows, out)
	}
	if drawn, err := os.ReadFile(filepath.Join("results", "audit", "audit-pass.svg")); err != nil || !bytes.Equal(drawn, kept) {
		t.Errorf("the figure is another one (%v)", err)
	}
}

// TestReadmeEstimate runs the README's batch through estimate.
func TestReadmeEstimate(t *testing.T) {
	parts := regexp.MustCompile(`(?s)echo '(\{"groups.*?)' \|\n\s+go run ./cmd/bench (.*?)\n\n\s+(\{.*?\})\n`).FindStringSubmatch(readme(t))
	if parts == nil {
		t.Fatal("the README shows no batch")
	}
	code, out, errs := call(t, parts[1], strings.Fields(parts[2])...)
	if code != exitOK || strings.TrimSpace(out) != parts[3] {
		t.Errorf("exit code %d %s\n got %s\nthe README says %s", code, errs, out, parts[3])
	}
}

// TestReadmeBasePolicies runs the spec of the README's second table and holds the
// two against each other.
func TestReadmeBasePolicies(t *testing.T) {
	if testing.Short() {
		t.Skip("320,000 answers, slow under the race detector")
	}
	text := readme(t)
	inDir(t)
	out, _ := succeed(t, "run", "base-policies", "--format", "none")
	rows := 0
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "base env=") && !strings.HasPrefix(line, "method ") {
			continue
		}
		if rows++; !strings.Contains(text, "    "+line+"\n") {
			t.Errorf("the README lacks this line of the table:\n%s", line)
		}
	}
	if rows != 6 {
		t.Errorf("%d lines, want a head and five environments:\n%s", rows, out)
	}
}

// TestReadmeJudge judges the README's answer.
func TestReadmeJudge(t *testing.T) {
	parts := regexp.MustCompile(`\$ echo '(.*?)' \| bench (judge .*)\n\s+(\{.*\})\n`).FindStringSubmatch(readme(t))
	if parts == nil {
		t.Fatal("the README judges no answer")
	}
	code, out, errs := call(t, parts[1]+"\n", strings.Fields(parts[2])...)
	if code != exitOK || strings.TrimSpace(out) != parts[3] {
		t.Errorf("exit code %d %s\n got %s\nthe README says %s", code, errs, out, parts[3])
	}
}

// TestReadmeGallery draws the README's problems again and holds every byte against
// the drawings that are kept.
func TestReadmeGallery(t *testing.T) {
	if testing.Short() {
		t.Skip("drawings share nothing between goroutines")
	}
	const folder = "results/reference/gallery/"
	text := readme(t)
	files, err := os.ReadDir(filepath.Join("..", "..", folder))
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string][]byte{}
	for _, f := range files {
		if kept[f.Name()], err = os.ReadFile(filepath.Join("..", "..", folder, f.Name())); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, "]("+folder+f.Name()+")") {
			t.Errorf("the README does not show %s", f.Name())
		}
	}
	inDir(t)
	shown := regexp.MustCompile("`bench (env (\\w+)[^`]*)`: ").FindAllStringSubmatch(text, -1)
	for _, command := range shown {
		file := command[2] + ".svg"
		succeed(t, append(strings.Fields(command[1]), "--svg", file)...)
		if drawn, err := os.ReadFile(file); err != nil || !bytes.Equal(drawn, kept[file]) {
			t.Errorf("%s: bench %s draws something else (%v)", file, command[1], err)
		}
	}
	if len(shown) != len(envs.Names()) || len(kept) != len(shown) {
		t.Errorf("%d drawings and %d commands for %d environments", len(kept), len(shown), len(envs.Names()))
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
	for _, want := range []string{"0 done", "1 a cell", "2 the\ncommand line", "3 the input", "4 a file", "75 stopped", "130 interrupted"} {
		if !strings.Contains(text, want) {
			t.Errorf("the README does not explain the exit code %q", want)
		}
	}
}
