//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"modebench/internal/testkit"
	"modebench/plots"
)

// TestPages runs the commands of every page, page after page in one folder, which holds what the
// pages before have left, the files that pages show, and a copy of the reference results. A command
// has to end with the exit code that its page states, by default 0, and the lines of a
// text block have to be among those that the commands before it print, digit for digit: records
// have the same bits everywhere.
func TestPages(t *testing.T) {
	testkit.Long(t, "runs every command of the manual")
	pages := manual(t)
	texts := map[string]string{}
	for _, name := range pages {
		texts[name] = pageText(t, name)
	}
	env, hasPython := pageEnv(t)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "results", "reference"), os.DirFS(filepath.Join(root, "results", "reference"))); err != nil {
		t.Fatal(err)
	}
	after := map[string]func(t *testing.T, dir string){
		"README.md":               ownFigures,
		"docs/reproducibility.md": headline,
		"results/own.md":          auditFigure,
	}
	for _, name := range pages {
		t.Run(name, func(t *testing.T) {
			runPage(t, name, texts[name], dir, env, hasPython)
			if check := after[name]; check != nil {
				check(t, dir)
			}
		})
	}
	t.Run("sample paper", func(t *testing.T) { samplePaper(t, dir, env) })
}

// pageEnv is the environment in which commands run, with replacements in a folder of their own: bench
// is this program, go run ./cmd/bench is bench, and go test is this very test, so that no test is
// left to run. hasPython reports whether python3, with numpy, is there too.
func pageEnv(t *testing.T) (env []string, hasPython bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	realGo, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{
		"bench": fmt.Sprintf("%s=1 exec %q -test.run='^TestBeBench$' -- \"$@\"\n", beBench, self),
		"go": `case "$1 $2" in
"run ./cmd/bench") shift 2; exec bench "$@" ;;
"test "*) exit 0 ;;
esac
` + fmt.Sprintf("cd %q && exec %q \"$@\"\n", top, realGo),
	}
	for _, interpreter := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(interpreter); err == nil && exec.Command(path, "-c", "import numpy").Run() == nil {
			scripts["python3"], hasPython = fmt.Sprintf("exec %q \"$@\"\n", path), true
			break
		}
	}
	bin := t.TempDir()
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")), hasPython
}

// runPage runs the commands of one page.
func runPage(t *testing.T, name, text, dir string, env []string, hasPython bool) {
	t.Helper()
	var printed string
	skipped := false // the last commands, for want of Python
	for _, b := range blocks(text) {
		where := fmt.Sprintf("%s:%d", name, b.line)
		switch {
		case b.file != "":
			write(t, filepath.Join(dir, b.file), b.text)
		case b.lang == "text":
			if !skipped {
				checkPrinted(t, where, printed, b.text)
			}
		case b.lang == "sh" && b.reason() == "":
			if skipped = !hasPython && needsPython(b.text, dir); skipped {
				t.Logf("%s: skipped, there is no python3 with numpy", where)
				continue
			}
			printed = runBlock(t, where, b, dir, env)
		}
	}
}

// needsPython reports whether commands start Python, themselves or by a spec.
func needsPython(commands, dir string) bool {
	for _, file := range regexp.MustCompile(`\S+\.toml`).FindAllString(commands, -1) {
		if data, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
			commands += string(data)
		}
	}
	return strings.Contains(commands, "python3")
}

// shortened are flags that commands get here, so that they take less time and show the same: specs of
// the reader's own have two seeds, and pictures that no test looks at are not drawn.
var shortened = []struct {
	command *regexp.Regexp
	flags   string
}{
	{regexp.MustCompile(`(?m)bench run \S+\.toml`), "$0 --seeds 2"},
	{regexp.MustCompile(`(?m)bench run quick$`), "$0 --figure-format none"},
	{regexp.MustCompile(`(?m)bench audit .*$`), "$0 --figure-format svg"},
}

// runBlock runs a block's commands as one script, and returns what they print.
func runBlock(t *testing.T, where string, b block, dir string, env []string) string {
	t.Helper()
	want := 0
	if code, ok := strings.CutPrefix(b.mark, "exit code "); ok {
		if _, err := fmt.Sscan(code, &want); err != nil {
			t.Fatalf("%s: %s", where, b.mark)
		}
	} else if b.mark != "" {
		t.Fatalf("%s: a mark that nothing knows: %s", where, b.mark)
	}
	commands := b.text
	for _, s := range shortened {
		commands = s.command.ReplaceAllString(commands, s.flags)
	}
	script := exec.Command("sh", "-e", "-c", commands)
	script.Dir, script.Env = dir, env
	var out bytes.Buffer
	script.Stdout, script.Stderr = &out, &out
	_ = script.Run()
	if code := script.ProcessState.ExitCode(); code != want {
		t.Fatalf("%s: exit code %d, want %d\n%s", where, code, want, out.String())
	}
	return out.String()
}

// checkPrinted: the lines of a text block follow each other in the output, and the paragraph
// ends with them. Empty lines do not count.
func checkPrinted(t *testing.T, where, printed, block string) {
	t.Helper()
	lines := func(text string) string {
		var b strings.Builder
		b.WriteByte('\n')
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, " \n"); line != "" {
				b.WriteString(line + "\n")
			}
		}
		return b.String()
	}
	_, rest, found := strings.Cut(lines(printed), lines(block))
	if !found {
		t.Errorf("%s: the commands before do not print these lines:\n%s\nthey print\n%s", where, block, printed)
		return
	}
	next, _, _ := strings.Cut(rest, "\n")
	last := strings.TrimRight(block, "\n")
	last = last[strings.LastIndex(last, "\n")+1:]
	if next != "" && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(last)+` *\n\s*$`).MatchString(printed) &&
		!strings.Contains(printed, last+"\n\n") {
		t.Errorf("%s: after these lines more is printed at once: %s", where, next)
	}
}

// ownFigures: the README's own spec draws the figures that the README names.
func ownFigures(t *testing.T, dir string) {
	for _, file := range []string{"results/mine/training.png", "results/mine/k.png"} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 || !strings.Contains(pageText(t, "README.md"), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// captionNumbers: the caption of the README's figure has the numbers of the figure, and of the run with
// a transformer that it names.
func captionNumbers(t *testing.T) {
	caption := regexp.MustCompile(`(?s)path\.svg\)\n\n\*(.*?)\*\n`).FindStringSubmatch(pageText(t, "README.md"))
	if caption == nil {
		t.Fatal("the README's figure has no caption")
	}
	for _, name := range []string{"synthetic-strategies/path", "synthetic-strategies-transformer/polynomial"} {
		data, err := plots.OpenData(filepath.Join(root, "results", "reference", filepath.FromSlash(name)+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range data.Variants {
			if v.Method != "base" && v.Method != "grpo@poly-epo" && v.Method != "poly-epo" {
				continue
			}
			modes := fmt.Sprintf("%.1f", v.Interval("distinct_correct", v.Last()).Mean)
			accuracy := fmt.Sprintf("%.2f", v.Interval("accuracy", v.Last()).Mean)
			if !strings.Contains(caption[1], modes) || v.Trains && !strings.Contains(caption[1], accuracy) {
				t.Errorf("%s: the caption lacks %s modes at an accuracy of %s, of %s", name, modes, accuracy, v.Label)
			}
		}
	}
}

// headline: the commands for the figure of VPO's mazes, and for the figure of the README, draw them
// from kept numbers.
func headline(t *testing.T, dir string) {
	captionNumbers(t)
	shown := "results/reference/synthetic-strategies/path.svg"
	if n := strings.Count(pageText(t, "README.md"), "!["); n != 1 || !strings.Contains(pageText(t, "README.md"), "]("+shown+")") {
		t.Errorf("README.md shows %d figures, want %s alone", n, shown)
	}
	for name, file := range map[string]string{"best-at-k.svg": "results/reference/headline.svg", "path.svg": shown} {
		drawn, err := os.ReadFile(filepath.Join(dir, name))
		committed, err2 := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil || err2 != nil || !bytes.Equal(drawn, committed) {
			t.Errorf("%s drawn from kept numbers differs from %s (%v, %v)", name, file, err, err2)
		}
	}
}

// auditFigure: the figure beside the audit's table is the committed figure, and so is every row.
func auditFigure(t *testing.T, dir string) {
	drawn, err := os.ReadFile(filepath.Join(dir, "results", "audit", "audit-pass.svg"))
	committed, err2 := os.ReadFile(filepath.Join(root, "results", "reference", "audit", "audit-pass.svg"))
	if err != nil || err2 != nil || !bytes.Equal(drawn, committed) {
		t.Errorf("the figure is another one (%v, %v)", err, err2)
	}
	columns, rows := regexp.MustCompile(` +`), 0
	all := columns.ReplaceAllString(pageText(t, "results/reference/audit/audit.txt"), " ")
	for _, b := range blocks(pageText(t, "results/own.md")) {
		if b.lang != "text" {
			continue
		}
		for line := range strings.Lines(b.text) {
			if !strings.Contains(line, "   ") {
				continue // a family's name
			}
			if rows++; !strings.Contains(all, columns.ReplaceAllString(line, " ")) {
				t.Errorf("the table of all methods lacks this line:\n%s", line)
			}
		}
	}
	if rows != 9 {
		t.Errorf("%d lines, want a head and eight methods", rows)
	}
}
