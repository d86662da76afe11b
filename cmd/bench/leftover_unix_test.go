//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// benchProcess is a call of bench in a process of its own, with a folder for temporary files.
func benchProcess(t *testing.T, tmp string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"-test.run=^TestBeBench$", "--"}, args...)...)
	cmd.Env = append(os.Environ(), beBench+"=1", "TMPDIR="+tmp)
	return cmd
}

// temporaryNames lists what in a folder has a temporary name.
func temporaryNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".partial-") || strings.HasPrefix(e.Name(), "modebench-") {
			out = append(out, e.Name())
		}
	}
	return out
}

// TestLeftoversOfCommands: every command that writes removes files of killed commands in its
// folder: a kept file name of yesterday, and one of this very moment.
func TestLeftoversOfCommands(t *testing.T) {
	takesSeconds(t)
	tmp := t.TempDir()
	inDir(t)
	write(t, "my.toml", damaging)
	succeed(t, "run", "my.toml", "--out", "r", "--figure-format", "json")
	for _, c := range []struct {
		dir  string // that it writes to
		args []string
	}{
		{"r/my", []string{"run", "my.toml", "--out", "r", "--figure-format", "svg"}},
		{"r/my", []string{"report", "r/my"}},
		{"pages", []string{"report", "r/my", "--out", "pages/p.html"}},
		{"tables", []string{"export", "r/my", "--out", "tables"}},
		{"figures", []string{"plot", "r/my", "--out", "figures", "--figure-format", "svg"}},
		{"base", []string{"check", "my.toml", "--baseline", "base/b.json", "--update"}},
		{"all/cells", []string{"merge", "r", "--out", "all"}},
		{"plans/my", []string{"run", "my.toml", "--plan", "--out", "plans"}},
	} {
		if err := os.MkdirAll(c.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		yesterday, now := filepath.Join(c.dir, ".partial-123"), killedIn(t, tmp, c.dir)
		write(t, yesterday, "")
		old := time.Now().Add(-25 * time.Hour)
		if err := os.Chtimes(yesterday, old, old); err != nil {
			t.Fatal(err)
		}
		if text, err := benchProcess(t, tmp, c.args...).CombinedOutput(); err != nil {
			t.Fatalf("bench %s: %v: %s", strings.Join(c.args, " "), err, text)
		}
		if left := temporaryNames(t, c.dir); len(left) > 0 {
			t.Errorf("bench %s left %v of .partial-123 and %v", strings.Join(c.args, " "), left, now)
		}
	}
}

// killedIn kills a command that writes to the folder until it leaves something there.
func killedIn(t *testing.T, tmp, dir string) []string {
	t.Helper()
	for wait := 5 * time.Millisecond; ; wait += time.Millisecond {
		cmd := benchProcess(t, tmp, "export", "r/my", "--out", dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); time.Since(begun) < wait && len(temporaryNames(t, dir)) == 0; {
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if left := temporaryNames(t, dir); len(left) > 0 {
			return left
		}
		if wait > 2*time.Second {
			t.Fatal("no kill leaves anything")
		}
	}
}

// TestLeftoversOfChecks: a check that is killed leaves a folder of records among temporary
// files, which the next check removes; a suspended check keeps its folder.
func TestLeftoversOfChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	tmp := t.TempDir()
	inDir(t)
	write(t, "my.toml", strings.Replace(damaging, "steps = 20", "steps = 5000000", 1))
	begin := func() (*exec.Cmd, []string) {
		t.Helper()
		before := temporaryNames(t, tmp)
		cmd := benchProcess(t, tmp, "check", "my.toml", "--baseline", "b.json", "--update")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
			made := slices.DeleteFunc(temporaryNames(t, tmp), func(name string) bool { return slices.Contains(before, name) })
			if len(made) > 1 || len(made) > 0 && !strings.HasSuffix(made[0], ".lock") {
				return cmd, made
			}
		}
		t.Fatal("the check makes no folder")
		return nil, nil
	}
	held, of := begin()
	defer func() { _ = held.Process.Kill(); _ = held.Wait() }()
	for range 3 {
		cmd, _ := begin()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	write(t, "my.toml", damaging)
	if text, err := benchProcess(t, tmp, "check", "my.toml", "--baseline", "b.json", "--update").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	left := temporaryNames(t, tmp)
	for _, name := range of {
		if !slices.Contains(left, name) {
			t.Errorf("%s was removed, and its check goes on", name)
		}
	}
	if len(left) > 2 {
		t.Errorf("left are %v, want what one check has, %v", left, of)
	}
}
