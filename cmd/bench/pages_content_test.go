package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPagesReadme: the README stays short, sets up with two commands, and shows a spec of ten lines.
func TestPagesReadme(t *testing.T) {
	text := pageText(t, "README.md")
	if lines := strings.Count(text, "\n"); lines > 250 {
		t.Errorf("the README has %d lines, want 250 at most", lines)
	}
	shown := blocks(text)
	if setUp := "go run ./cmd/bench run quick\ngo test ./...\n"; shown[0].text != setUp {
		t.Errorf("the README begins with the commands %q, want %q", shown[0].text, setUp)
	}
	for _, b := range shown {
		if b.lang == "toml" && b.file != "" && strings.Count(b.text, "\n") != 10 {
			t.Errorf("README.md:%d: the spec has %d lines, want ten", b.line, strings.Count(b.text, "\n"))
		}
	}
}

// TestPagesPlugin: the function and the method that the README shows are those of the page on
// plug-ins, which is run.
func TestPagesPlugin(t *testing.T) {
	manual, seen := pageText(t, "docs/plug-ins.md"), 0
	for _, b := range blocks(pageText(t, "README.md")) {
		// Blocks of the Python package are run by its own tests.
		if b.lang == "python" && !strings.Contains(b.text, "import modebench_rl") || strings.Contains(b.text, "python3") {
			seen++
			if !strings.Contains(manual, b.text) {
				t.Errorf("README.md:%d: docs/plug-ins.md does not show\n%s", b.line, b.text)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d blocks, want a function and a method", seen)
	}
}

// TestPagesGallery draws the problems of the page on environments again and holds every byte
// against the committed drawings.
func TestPagesGallery(t *testing.T) {
	if testing.Short() {
		t.Skip("drawings share nothing between goroutines")
	}
	const folder = "results/reference/gallery/"
	text := pageText(t, "docs/environments.md")
	files, err := os.ReadDir(filepath.Join(root, folder))
	if err != nil {
		t.Fatal(err)
	}
	committed := map[string][]byte{}
	for _, f := range files {
		if committed[f.Name()], err = os.ReadFile(filepath.Join(root, folder, f.Name())); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, "](../"+folder+f.Name()+")") {
			t.Errorf("the page does not show %s", f.Name())
		}
	}
	inDir(t)
	shown := regexp.MustCompile("`bench (env (\\w+)[^`]*)`: ").FindAllStringSubmatch(text, -1)
	for _, command := range shown {
		file := command[2] + ".svg"
		if code, _, errs := call(t, "", append(strings.Fields(command[1]), "--draw", file)...); code != exitOK {
			t.Fatal(errs)
		}
		if drawn, err := os.ReadFile(file); err != nil || !bytes.Equal(drawn, committed[file]) {
			t.Errorf("%s: bench %s draws something else (%v)", file, command[1], err)
		}
	}
	if len(shown) == 0 || len(committed) != len(shown) {
		t.Errorf("%d drawings and %d commands", len(committed), len(shown))
	}
}

// TestPagesList holds the tables of commands and of exit codes against the program's own.
func TestPagesList(t *testing.T) {
	text := pageText(t, "docs/commands.md")
	for _, c := range commands() {
		if !strings.Contains(text, "| `bench "+c.Name()) {
			t.Errorf("the page does not list bench %s", c.Name())
		}
	}
	codes := regexp.MustCompile(`(?m)^  (\d+) `).FindAllStringSubmatch(exitCodesText, -1)
	if len(codes) < 10 {
		t.Errorf("%d exit codes in the help", len(codes))
	}
	for _, code := range codes {
		if !strings.Contains(text, "\n| "+code[1]+" | ") {
			t.Errorf("the page does not explain the exit code %s", code[1])
		}
	}
	if rows := regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllString(text, -1); len(rows) != len(codes) {
		t.Errorf("the page explains %d exit codes, want those %d", len(rows), len(codes))
	}
}

// TestPagesFigures: the counts of results/figures.md are those of its tables, in words and in numbers.
func TestPagesFigures(t *testing.T) {
	const words = "faithful partial no"
	text := pageText(t, "results/figures.md")
	counted := tableRows(text, "| paper | with results | faithful | partial | no |")
	all := make([]int, 4)
	for _, section := range strings.Split(text, "\n## ")[1:] {
		paper, _, _ := strings.Cut(section, "\n")
		counts := make([]int, 4)
		for _, row := range tableRows(section, "| in the paper | here | judged | our answer |") {
			word, _, _ := strings.Cut(strings.TrimPrefix(row[2], "**"), "**")
			i := slices.Index(strings.Fields(words), word)
			if i < 0 {
				t.Errorf("%s: %s is judged %q, want one of %s", paper, row[0], row[2], words)
				continue
			}
			counts[0]++
			counts[i+1]++
			all[0]++
			all[i+1]++
		}
		if len(counted) == 0 || !strings.HasPrefix(counted[0][0], "["+paper+"]") || strings.Join(counted[0][1:], " ") != strings.Trim(fmt.Sprint(counts), "[]") {
			t.Fatalf("the tables of %s have %v, the page counts %v", paper, counts, counted)
		}
		counted = counted[1:]
	}
	if len(counted) != 1 || strings.Join(counted[0][1:], " ") != strings.Trim(fmt.Sprint(all), "[]") {
		t.Errorf("all tables have %v, the page counts %v", all, counted)
	}
	lead := fmt.Sprintf("have %d figures and tables with results. Ours re-make %d faithfully and %d in part.\n%d are not made.", all[0], all[1], all[2], all[3])
	if !strings.Contains(text, lead) {
		t.Errorf("the page does not begin with %q", lead)
	}
}

// TestPagesAltTexts: every image of every page has a description for readers who do not see it:
// a sentence rather than a name, and no two alike.
func TestPagesAltTexts(t *testing.T) {
	const least = 40 // letters
	image := regexp.MustCompile(`!\[([^\]]*)\]\(([^)]*)\)`)
	seen, shown := map[string]string{}, 0
	for _, page := range append(manual(t), "python/README.md") {
		for _, m := range image.FindAllStringSubmatch(pageText(t, page), -1) {
			shown++
			alt, file := m[1], page+": "+m[2]
			switch {
			case len(alt) < least || strings.Contains(alt, ".svg") || strings.Contains(alt, ".png"):
				t.Errorf("%s: the alt text %q, want what is to be seen, in %d letters or more", file, alt, least)
			case seen[alt] != "":
				t.Errorf("%s: the alt text of %s", file, seen[alt])
			}
			seen[alt] = file
		}
	}
	if shown < 30 {
		t.Errorf("%d images in all pages", shown)
	}
}
