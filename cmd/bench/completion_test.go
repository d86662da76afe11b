package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"modebench/internal/cli"

	"github.com/spf13/cobra"
)

// completions are the names that the shells of users get.
func completions(t *testing.T, words ...string) []string {
	t.Helper()
	out, _ := succeed(t, append([]string{cobra.ShellCompNoDescRequestCmd}, words...)...)
	var names []string
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if !strings.HasPrefix(line, ":") { // how files are completed
			names = append(names, line)
		}
	}
	return names
}

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		words string // with | for a space at the end
		want  string
	}{
		{"stat", "status"},
		{"hel", "help"},
		{"help jud", "judge"},
		{"run maze-bestk-sl", "maze-bestk-slack11"},
		{"run quick ", ""}, // takes one spec
		{"run quick --poli", "--policy"},
		{"run quick --policy tr", "transformer"},
		{"run quick --policy=tr", "transformer"},
		{"run --out results qui", "quick"},
		{"run -j 2 qui", "quick"},
		{"run --quick qui", "quick"}, // a flag without a value
		{"env count", "countdown"},
		{"judge bandit --split o", "ood"},
		{"estimate poly", "poly-epo"},
		{"audit grpo rlo", "rloo"},
		{"board fore", "foretell"},
		{"board --methods poly", "poly-epo"},
		{"profile --capabilities without-l", "without-labels"},
		{"list meth", "methods"},
		{"list methods poly", "poly-epo"},
		{"list specs qui", "quick"},
		{"list train tr", "transformer"},
		{"compare --stat i", "iqm"},
		{"completion fi", "fish"},
		{"plot res", ""}, // a folder
		{"nonsense ", ""},
		{"run quick --out ", ""}, // a folder
	} {
		got := completions(t, strings.Split(c.words, " ")...)
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", c.words, got, want)
		}
	}
	if got := completions(t, ""); len(got) != len(commands())+1 {
		t.Errorf("of commands there are %d, want %d", len(got), len(commands())+1)
	}
	if code, _, _ := call(t, "", "completion", "tcsh"); code != exitUsage {
		t.Errorf("tcsh: exit code %d", code)
	}
}

// TestCompletionScripts runs the scripts in their shells, which ask this program, by either of its names.
func TestCompletionScripts(t *testing.T) {
	for _, name := range []string{"bench", "modebench"} {
		t.Run(name, func(t *testing.T) { testCompletionScripts(t, name) })
	}
}

func testCompletionScripts(t *testing.T, name string) {
	if runtime.GOOS == "windows" {
		t.Skip("the test's program is a script of sh")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, name)
	if err := os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\n%s=1 exec %q -test.run='^TestBeBench$' -- \"$@\"\n", beBench, self), 0o755); err != nil {
		t.Fatal(err)
	}
	for shell, driver := range map[string]string{
		// The variables that bash sets before it calls the function. It takes words apart at @ and =.
		"bash": `source ./script; COMP_LINE=$LINE COMP_POINT=${#LINE}
			_bench; printf '%s\n' "${COMPREPLY[@]}"`,
		// The functions that zsh defines for completion, but for its list of names with a text behind a colon.
		"zsh": `compdef() { :; }; _arguments() { :; }
			_describe() { local -a found=("${(@P)2}"); print -l -- "${4}${^found%%:*}"; }
			source ./script; words=(${(s: :)LINE}); [[ $LINE == *' ' ]] && words+=(""); CURRENT=${#words}; _${words[1]}`,
		"fish": `source ./script; complete -C "$LINE" | string split -f 1 \t; true`,
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("no %s", shell)
			}
			var script bytes.Buffer
			root := newRoot(cli.ProgramName(program), streams{out: &script})
			root.SetArgs([]string{"completion", shell})
			if err := root.Execute(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "script"), script.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			for line, want := range map[string]string{
				"bench run quic":              "quick",
				"bench estimate grpo@pol":     map[bool]string{true: "poly-epo", false: "grpo@poly-epo"}[shell == "bash"],
				"bench run quick --policy=tr": map[bool]string{true: "transformer", false: "--policy=transformer"}[shell == "bash"],
				"bench run quick --policy tr": "transformer",
				"bench stat":                  "status",
			} {
				args := []string{"-c", driver}
				if shell == "zsh" {
					args = append([]string{"-f"}, args...)
				}
				cmd := exec.Command(path, args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "LINE="+strings.Replace(line, "bench", name, 1), "HOME="+dir)
				out, err := cmd.CombinedOutput()
				if err != nil || strings.TrimSpace(string(out)) != want {
					t.Errorf("%q: %q (%v), want %s", line, out, err, want)
				}
			}
		})
	}
}
