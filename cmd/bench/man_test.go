package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestManualPages: each command has a page, which mandoc reads without a complaint and prints
// with every flag and every word of the help.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	succeed(t, "man", dir)
	mandoc, missing := exec.LookPath("mandoc")
	for _, c := range append(commands(), command{name: ""}) {
		file := filepath.Join(dir, strings.TrimSuffix("bench-"+c.name, "-")+".1")
		page, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(string(page), ".TH BENCH") {
			t.Errorf("%s begins with %.20q", file, page)
		}
		if missing != nil {
			continue
		}
		// The date is left out on purpose: the same program gives the same page.
		out, err := exec.Command(mandoc, "-T", "lint", "-W", "warning", file).CombinedOutput()
		for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			if line != "" && !strings.Contains(line, "missing date") {
				t.Errorf("%s (%v)", line, err)
			}
		}
		text, err := exec.Command(mandoc, "-T", "ascii", "-O", "width=1000", file).Output()
		if err != nil {
			t.Fatal(err)
		}
		printed := manWords(unbold(string(text)))
		help, _ := succeed(t, strings.Fields("help "+c.name)...)
		for _, word := range strings.Fields(help) {
			word = strings.ReplaceAll(word, `"`, "") // around a default
			switch {
			case c.name == "", word == "Usage:", word == "Flags:", word == "[])", word == "[]":
			case !printed[word] && !printed[strings.TrimRight(word, ":)")]:
				t.Errorf("%s lacks the word %q of the help", filepath.Base(file), word)
			}
		}
	}
	if missing != nil {
		t.Skip("no mandoc: the pages are not read")
	}
}

// TestManualPagesOfAnotherName: as the Python package installs the program.
func TestManualPagesOfAnotherName(t *testing.T) {
	own, pages := manualPages("bench"), manualPages("modebench-rl")
	if len(pages) != len(own) {
		t.Errorf("%d pages, want %d", len(pages), len(own))
	}
	for file, page := range pages {
		if !strings.HasPrefix(file, "modebench-rl") || own[strings.Replace(file, "modebench-rl", "bench", 1)] == "" {
			t.Errorf("there is a page %s", file)
		}
		if !strings.HasPrefix(page, `.TH MODEBENCH\-RL`) || regexp.MustCompile(`(?i)\bbench\b`).MatchString(page) {
			t.Errorf("%s names bench:\n%s", file, page)
		}
	}
	if page := pages["modebench-rl-run.1"]; !strings.Contains(page, "\nmodebench\\-rl run SPEC") {
		t.Errorf("its synopsis is another:\n%.300s", page)
	}
	if name := commandName(`/opt/bin/modebench-rl`); name != "modebench-rl" {
		t.Errorf("the name is %s", name)
	}
}

// unbold removes what overprints: a letter, a backspace and the letter again.
func unbold(text string) string {
	var out []rune
	for _, r := range text {
		if r == '\b' && len(out) > 0 {
			out = out[:len(out)-1]
			continue
		}
		out = append(out, r)
	}
	return string(out)
}

func manWords(text string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.Fields(text) {
		word = strings.ReplaceAll(word, `"`, "")
		out[word] = true
		out[strings.TrimRight(word, ":)")] = true
	}
	return out
}
