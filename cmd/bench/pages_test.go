package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository's folder, seen from this package's.
var root = filepath.Join("..", "..")

// pageText reads a page, named by its path in the repository.
func pageText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// manual lists the pages whose commands are run. The README comes first: other pages read
// the results that its first command leaves.
func manual(t *testing.T) []string {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "python/modebench_rl/SKILL.md"}
	for _, folder := range []string{"docs", "results"} {
		found, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil || len(found) < 2 {
			t.Fatalf("%s: %v (%v)", folder, found, err)
		}
		for _, path := range found {
			pages = append(pages, folder+"/"+filepath.Base(path))
		}
	}
	return pages
}

// A block is a fenced block of a page. The words of its first line after the fence decide its
// use:
//
//	```sh             commands, which are run
//	```text           lines that the commands before it print
//	```toml mine.toml a file, which the commands after it find
//
// and blocks of other kinds are there to be read. A comment on the line above states an
// exception: <!-- exit code 3 -->, or <!-- not run: takes minutes -->.
type block struct {
	line int // of the page, from 1
	lang string
	file string
	mark string // inside the comment above
	text string
}

var comment = regexp.MustCompile(`^<!-- (.*) -->$`)

// blocks finds the fenced blocks of a page, in order.
func blocks(text string) []block {
	var out []block
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		info, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		b := block{line: i + 1}
		b.lang, b.file, _ = strings.Cut(info, " ")
		if i > 0 {
			if m := comment.FindStringSubmatch(lines[i-1]); m != nil {
				b.mark = m[1]
			}
		}
		for i++; i < len(lines) && lines[i] != "```"; i++ {
			b.text += lines[i] + "\n"
		}
		out = append(out, b)
	}
	return out
}

// prose is a page without its fenced blocks.
func prose(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
}

// notRun are the reasons for which the commands of a block are not run. Their names and
// flags are checked all the same.
var notRun = []string{
	"takes minutes",
	"needs a GPU",
	"needs a cluster",
	"needs a network",
	"needs the logs of a training run",
	"runs these tests",
	"changes committed files",
}

// reason is why the commands of a block are not run: "" if they are run.
func (b block) reason() string {
	why, _ := strings.CutPrefix(b.mark, "not run: ")
	if why == b.mark {
		return ""
	}
	return why
}

// words splits a command line as a shell would, but for expansions; a comment, a pipe and a
// redirection end it.
func words(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`).FindAllString(line, -1) {
		if m == "|" || m == "#" || strings.HasPrefix(m, ">") || strings.HasPrefix(m, "<") {
			break
		}
		out = append(out, strings.Trim(m, `'"`))
	}
	return out
}

// checkNamed holds the words after "bench" against the program: command, flags and the names of
// built-in specs. Words in capitals are placeholders.
func checkNamed(t *testing.T, where string, args []string, specs map[string]bool) {
	t.Helper()
	ofReader := slices.ContainsFunc(args, func(w string) bool { return w == strings.ToUpper(w) })
	switch {
	case args[0] == "help" && ofReader:
		return
	case args[0] == "help", args[0] == "list" && !ofReader, args[0] == "version": // costs nothing: it is run
	default:
		if len(args) > 1 && (args[0] == "run" || args[0] == "claims") && regexp.MustCompile(`^[a-z][a-z0-9-]+$`).MatchString(args[1]) && !specs[args[1]] {
			t.Errorf("%s: there is no spec %s", where, args[1])
		}
		// Before the flags: behind a flag that wants a value --help would be the value, and the command run.
		first := slices.IndexFunc(args, func(w string) bool { return strings.HasPrefix(w, "-") })
		if first < 0 {
			first = len(args)
		}
		args = slices.Insert(slices.Clone(args), first, "--help")
	}
	if code, _, errs := call(t, "", args...); code != exitOK {
		t.Errorf("%s: bench %s: exit code %d, %s", where, strings.Join(args, " "), code, errs)
	}
}

var (
	inline    = regexp.MustCompile("`(?:go run \\./cmd/)?bench ([^`]+)`")
	benchLine = regexp.MustCompile(`(?m)^(?:\S+=\S+ )*(?:go run \./cmd/)?bench (.*)$`)
	goTest    = regexp.MustCompile(`(?m)^(?:\S+=\S+ )*go test (.*)$`)
)

// TestPagesCommands: commands that pages name in the text or do not run are commands of this
// program with flags that it has; their packages and tests exist. A block of printed lines has
// commands before it.
func TestPagesCommands(t *testing.T) {
	takesSeconds(t)
	_, list, _ := call(t, "", "list", "specs")
	specs := map[string]bool{}
	for line := range strings.Lines(list) {
		if words := strings.Fields(line); len(words) > 1 {
			specs[words[0]] = true
		}
	}
	seen, checked := 0, map[string]bool{}
	check := func(where string, args []string) {
		seen++
		if line := strings.Join(args, " "); !checked[line] {
			checked[line] = true
			checkNamed(t, where, args, specs)
		}
	}
	for _, name := range manual(t) {
		text := pageText(t, name)
		for _, m := range inline.FindAllStringSubmatch(strings.ReplaceAll(prose(text), "\n", " "), -1) {
			check(name, words(strings.ReplaceAll(m[1], `\|`, "|")))
		}
		commands := false
		for _, b := range blocks(text) {
			where := fmt.Sprintf("%s:%d", name, b.line)
			if commands = commands || b.lang == "sh" && b.reason() == ""; b.lang == "text" && !commands {
				t.Errorf("%s: a text block, and no command that is run before it", where)
			}
			for _, m := range goTest.FindAllStringSubmatch(b.text, -1) {
				checkGoTest(t, where, words(m[1]))
			}
			why := b.reason()
			if why == "" {
				continue
			}
			if !slices.Contains(notRun, why) {
				t.Errorf("%s: not run because it %q, which is no reason in notRun", where, why)
			}
			for _, m := range benchLine.FindAllStringSubmatch(b.text, -1) {
				check(where, words(strings.TrimSuffix(m[1], `\`)))
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d commands, want 50 or more", seen)
	}
}

// checkGoTest: the folders are there, and -run, -bench and -fuzz name something.
func checkGoTest(t *testing.T, where string, args []string) {
	t.Helper()
	folder, want := root, ""
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case w == "-run" || w == "-bench" || w == "-fuzz":
			if i++; args[i] != "^$" && args[i] != "." {
				want = strings.Trim(args[i], "^$")
			}
		case strings.HasPrefix(w, "-benchtime") || w == "-count":
			i++
		case strings.HasPrefix(w, "./"):
			folder = filepath.Join(root, strings.TrimSuffix(w, "..."))
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				t.Errorf("%s: go test %s: no such folder", where, w)
				return
			}
		}
	}
	if want == "" {
		return
	}
	found := false
	function := regexp.MustCompile(`(?m)^func (?:Test|Fuzz|Benchmark)\w*(?:` + want + `)\w*\(|^func (?:` + want + `)\w*\(`)
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") && !found {
			data, _ := os.ReadFile(path)
			found = function.Match(data)
		}
		return nil
	})
	if !found {
		t.Errorf("%s: no test in %s is named like %s", where, folder, want)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
)

// anchors are those that a page's headings make, as GitHub names them.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(prose(text), -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(m[1]) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				b.WriteRune(r)
			}
		}
		name := b.String()
		for i := 1; out[name]; i++ {
			name = fmt.Sprint(b.String(), "-", i)
		}
		out[name] = true
	}
	return out
}

// TestPagesLinks: every relative link of every page leads to a file or a folder that is there, and its
// anchor to a heading.
func TestPagesLinks(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || path == filepath.Join(root, "results", "cells")):
			return filepath.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(prose(string(data)), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			seen++
			file, anchor, hasAnchor := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", path, m[1])
				continue
			}
			if !hasAnchor {
				continue
			}
			text, err := os.ReadFile(target)
			if err != nil || !anchors(string(text))[anchor] {
				t.Errorf("%s: the link %s has no such heading", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("%d links, want 100 or more", seen)
	}
}
