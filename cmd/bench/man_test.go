package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modebench/internal/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestManualPages: each command has a page, which mandoc reads without a complaint and prints
// with every flag and every word of the help.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	succeed(t, "man", dir)
	mandoc, missing := exec.LookPath("mandoc")
	for _, c := range append(commands(), newRoot("bench", streams{})) {
		file := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		page, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(string(page), ".nh\n.TH \"BENCH") {
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
		for _, word := range strings.Fields(wordsOf(c)) {
			if word = strings.ReplaceAll(word, `"`, ""); !printed[word] && !printed[strings.TrimRight(word, ":)")] {
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
	own, err := manualPages(newRoot("bench", streams{}))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := manualPages(newRoot("modebench", streams{}))
	if err != nil || len(pages) != len(own) {
		t.Errorf("%d pages, want %d (%v)", len(pages), len(own), err)
	}
	for file, page := range pages {
		if !strings.HasPrefix(file, "modebench") || own[strings.Replace(file, "modebench", "bench", 1)] == nil {
			t.Errorf("there is a page %s", file)
		}
		if !bytes.HasPrefix(page, []byte(".nh\n.TH \"MODEBENCH")) || regexp.MustCompile(`(?i)\bbench\b`).Match(page) {
			t.Errorf("%s names bench:\n%s", file, page)
		}
	}
	if page := pages["modebench-run.1"]; !bytes.Contains(page, []byte("modebench run SPEC")) {
		t.Errorf("its synopsis is another:\n%.300s", page)
	}
	if name := cli.ProgramName(`/opt/bin/modebench`); name != "modebench" {
		t.Errorf("the name is %s", name)
	}
}

// TestListsOfAnotherName: the commands that lists name are the program's.
func TestListsOfAnotherName(t *testing.T) {
	for _, args := range [][]string{{"list"}, {"list", "specs"}, {"list", "metrics"}, {"list", "methods", "plugin"}} {
		var out strings.Builder
		root := newRoot("modebench", streams{out: &out})
		root.SetArgs(args)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if bad := regexp.MustCompile(`.*\bbench\b.*`).FindString(out.String()); bad != "" || out.Len() < 100 {
			t.Errorf("%v: %q of %d bytes names bench", args, bad, out.Len())
		}
	}
}

// TestErrorsOfAnotherName: a command in an error has the program's name, and a quotation stays.
func TestErrorsOfAnotherName(t *testing.T) {
	err := errors.New("bench mine.toml: /bench/x holds no plan (bench run SPEC --plan writes one, bench status lists it)")
	var out strings.Builder
	report(&out, newRoot("modebench", streams{}), err)
	want := "modebench: bench mine.toml: /bench/x holds no plan (modebench run SPEC --plan writes one, modebench status lists it)\n"
	if out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
}

// wordsOf has the words of a command and its flags. The program itself shows them by its help.
func wordsOf(c *cobra.Command) string {
	if !c.HasParent() {
		return cli.Help(c)
	}
	text := c.CommandPath() + " " + c.Short + "\n" + c.Long
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { text += "\n--" + f.Name + " " + f.Usage })
	return text
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
		flag, _, _ := strings.Cut(word, "=")
		out[strings.TrimSuffix(flag, "[")] = true
	}
	return out
}
