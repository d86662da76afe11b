//go:build unix

package sweep

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// longer is a sweep of two cells that takes some tenths of a second.
const longer = `seeds = 2
[env]
name = "maze"
[train]
steps = 300
problems = 4
batch = 2
[eval]
every = 100
k = [1, 2]
samples = 4
enumerate = 0
[[method]]
name = "vpo"
`

func parsed(t testing.TB, text string) *spec.Spec {
	t.Helper()
	return exptest.Load(t, "swept.toml", text)
}

// process is a sweep in a process of its own.
func process(t testing.TB, text, out string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestBeASweep$")
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), sweepSpec+"="+text, sweepOut+"="+out, sweepCache+"="+t.TempDir()) // a killed process leaves its folder
	return cmd
}

// temporary lists what below a folder has a temporary name.
func temporary(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".partial-") {
			out = append(out, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone in between
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLeftoversOfKillsAreRemoved: the files of a killed run are removed by the next run, so ten
// kills leave no more than one does, and a run that ends leaves nothing.
func TestLeftoversOfKillsAreRemoved(t *testing.T) {
	if testing.Short() {
		t.Skip("starts and kills processes")
	}
	out, most := t.TempDir(), 0
	long := strings.Replace(longer, "steps = 300", "steps = 3000", 1)
	for range 10 {
		cmd := process(t, long, out)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		others := temporary(t, out)
		for begun := time.Now(); slices.Equal(others, temporary(t, out)) && time.Since(begun) < 10*time.Second; {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond) // now it has made some
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		most = max(most, len(temporary(t, out)))
	}
	// Two cells are made at a time. Each has a folder, and writes a file; each of these a lock.
	if most > 8 {
		t.Errorf("up to %d temporary names lay about, want at most the 8 of one run", most)
	}
	runIn(t, parsed(t, long), out, 2)
	if left := temporary(t, out); len(left) > 0 {
		t.Errorf("after a run that ended: %v", left)
	}
	t.Logf("after a kill there were up to %d temporary names", most)
}

// TestSuspendedRunKeepsItsFolder: a run that is suspended, for days according to its files, loses
// nothing to a second run in the same folder, and ends with the same bytes.
func TestSuspendedRunKeepsItsFolder(t *testing.T) {
	out, alone := t.TempDir(), t.TempDir()
	spec := parsed(t, longer)
	runIn(t, spec, alone, 2)
	cmd := process(t, longer, out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	isFolder := func(path string) bool {
		_, err := os.Stat(filepath.Join(path, record.CellFile))
		return err == nil
	}
	var held []string
	for begun := time.Now(); len(held) == 0; {
		if time.Since(begun) > time.Minute {
			t.Fatal("the run does not begin")
		}
		time.Sleep(5 * time.Millisecond)
		held = slices.DeleteFunc(temporary(t, out), func(path string) bool { return !isFolder(path) })
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	held = slices.DeleteFunc(temporary(t, out), func(path string) bool { return !isFolder(path) })
	if len(held) == 0 {
		t.Skip("it was faster than the signal")
	}
	old := time.Now().Add(-48 * time.Hour)
	for _, folder := range held {
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		for _, path := range append(files, folder) {
			err = errors.Join(err, os.Chtimes(path, old, old))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	runIn(t, spec, out, 2)
	for _, folder := range held {
		if !isFolder(folder) {
			t.Errorf("%s was removed while its process was suspended", filepath.Base(folder))
		}
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the run that was suspended failed: %v", err)
	}
	if d := cmp.Diff(exptest.Tree(t, alone), exptest.Tree(t, out)); d != "" {
		t.Errorf("other files than those of a run alone (-alone +suspended):\n%.1000s", d)
	}
}

// TestThirtyRunsShareAFolder: thirty processes that begin at once want the same cells, and remove
// files of each other. All end well, with the bytes of one.
func TestThirtyRunsShareAFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("starts thirty processes")
	}
	out, alone := t.TempDir(), t.TempDir()
	runIn(t, parsed(t, exptest.Minimal), alone, 2)
	var all []*exec.Cmd
	for range 30 {
		cmd := process(t, exptest.Minimal, out)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for i, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("run %d: %v", i, err)
		}
	}
	if d := cmp.Diff(exptest.Tree(t, alone), exptest.Tree(t, out)); d != "" {
		t.Errorf("thirty runs at once left other files than one (-one +thirty):\n%.1000s", d)
	}
}

// TestForeignLeftovers: old files of another user in a shared folder fail no run.
func TestForeignLeftovers(t *testing.T) {
	out, err := os.MkdirTemp("", "modebench-shared") // that anybody can reach
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(out)
	left := filepath.Join(out, record.CellsDir, ".partial-grpo-s0-0123456789ab-123")
	old := time.Now().Add(-48 * time.Hour)
	if err := errors.Join(os.MkdirAll(left, 0o755), os.WriteFile(filepath.Join(left, record.CellFile), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(out, "cache")
	if err := os.Mkdir(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := process(t, exptest.Minimal, out)
	cmd.Env, cmd.Dir = append(cmd.Env, sweepCache+"="+cache, "TMPDIR="+out), out
	if os.Getuid() == 0 { // the run has no rights to the files that root left
		cmd.Path, cmd.SysProcAttr = "/proc/self/exe", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		err = errors.Join(os.Chmod(out, 0o777), os.Chmod(filepath.Dir(left), 0o777), os.Chmod(cache, 0o777))
	} else {
		err = os.Chmod(left, 0o555)
		defer os.Chmod(left, 0o755)
	}
	if err := errors.Join(err, os.Chtimes(filepath.Join(left, record.CellFile), old, old), os.Chtimes(left, old, old)); err != nil {
		t.Fatal(err)
	}
	text, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skipf("this program cannot be started as somebody else: %v", err)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if _, err := os.Stat(filepath.Join(left, record.CellFile)); err != nil {
		t.Errorf("it could be removed, so this shows nothing: %v", err)
	}
	alone := t.TempDir()
	runIn(t, parsed(t, exptest.Minimal), alone, 2)
	if d := cmp.Diff(exptest.Tree(t, filepath.Join(alone, record.CellsDir)), wholeCells(t, filepath.Join(out, record.CellsDir))); d != "" {
		t.Errorf("other cells than those of a run alone:\n%.1000s", d)
	}
}
