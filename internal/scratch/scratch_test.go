package scratch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// names lists what is in a folder.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// needLocks skips a test where the kernel gives no locks back.
func needLocks(t *testing.T) {
	t.Helper()
	p, err := Dir(t.TempDir(), Hidden)
	if err != nil {
		t.Fatal(err)
	}
	if p.lock == nil {
		t.Skip("this file system has no locks")
	}
}

// plainMode is the mode of a file that is made as programs usually make one: the umask tells.
func plainMode(t *testing.T) fs.FileMode {
	path := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	folder, err := Dir(dir, Hidden+"grpo-s0-0123456789ab-")
	if err != nil {
		t.Fatal(err)
	}
	file, f, err := File(dir, Hidden)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{folder.Path: fs.ModeDir | 0o700, file.Path: plainMode(t)} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v (%v), want %v", path, info.Mode(), err, want)
		}
	}
	if base := filepath.Base(folder.Path); !strings.HasPrefix(base, ".partial-grpo-s0-0123456789ab-") {
		t.Errorf("the folder is named %s", base)
	}
	Clean(dir)
	if got := len(names(t, dir)); got != 4 {
		t.Errorf("what is in use was removed: left are %v", names(t, dir))
	}
	// One gets another name, which it keeps; the other goes.
	if err := errors.Join(f.Close(), os.Rename(file.Path, filepath.Join(dir, "kept")), os.WriteFile(filepath.Join(folder.Path, "x"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Place{folder, file, folder} { // twice does no harm
		if err := p.Remove(); err != nil {
			t.Error(err)
		}
	}
	if d := cmp.Diff([]string{"kept"}, names(t, dir)); d != "" {
		t.Errorf("left (-want +got):\n%s", d)
	}
	nowhere := filepath.Join(dir, "nowhere")
	_, err = Dir(nowhere, Hidden)
	var at *fs.PathError
	if !errors.As(err, &at) || at.Path != nowhere || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}

// TestClean stages left-overs, and looks at the rest after cleaning.
func TestClean(t *testing.T) {
	needLocks(t)
	token, elsewhere := machine()+"x0123456789abcdef", "00000000x0123456789abcdef"
	const cell = "grpo-s0-0123456789ab-"
	day := 25 * time.Hour
	for _, c := range []struct {
		reason, name string
		folder       bool
		touched      time.Duration // ago
		stays        bool
	}{
		{"a file of a process that has ended", ".partial-" + token, false, 0, false},
		{"a cell of one", ".partial-" + cell + token, true, 0, false},
		{"a damaged cell that one made way with", ".partial-" + cell + token + ".damaged0", true, 0, false},
		{"a lock and no more", ".partial-" + token + ".lock", false, 0, false},
		{"a check", "modebench-check-" + token, true, 0, false},
		{"another machine's, which may be at it", ".partial-" + cell + elsewhere, true, 0, true},
		{"another machine's, which is not", ".partial-" + cell + elsewhere, true, day, false},
		{"of a program without locks, which may be at it", ".partial-" + cell + "123", true, 0, true},
		{"of a program without locks, which is not", ".partial-" + cell + "123", true, day, false},
		{"of such a program, not long ago", ".partial-" + cell + "123", true, 2 * time.Minute, true},
		{"a file of such a program", ".partial-123", false, day, false},
		{"a check of such a program", "modebench-check-123", true, day, false},
		{"fonts for a PDF, which may be being drawn", "gofpdf-makefont-123", true, 0, true},
		{"fonts for a PDF whose process has ended", "gofpdf-makefont-123", true, 2 * time.Minute, false},
		{"a folder of that name that is none of ours", ".partial-123", true, day, true},
		{"a file of another program", ".partial-movie", false, day, true},
		{"a token in another place", "movie-" + token, false, day, true},
		{"a token that is none", ".partial-" + token[1:], false, day, true},
		{"where a cell stands", ".resume-grpo-s0-0123456789ab", false, day, true},
		{"a folder of the user's", "modebench-plans", true, day, true},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		var err error
		if c.folder {
			err = errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "inside"), nil, 0o644))
		} else {
			err = os.WriteFile(path, nil, 0o644)
		}
		then := time.Now().Add(-c.touched)
		if c.folder {
			err = errors.Join(err, os.Chtimes(filepath.Join(path, "inside"), then, then))
		}
		if err := errors.Join(err, os.Chtimes(path, then, then)); err != nil {
			t.Fatal(err)
		}
		Clean(dir)
		if stays := len(names(t, dir)) > 0; stays != c.stays {
			t.Errorf("%s: %s stays: %v, want %v", c.reason, c.name, stays, c.stays)
		}
	}
}

// TestAgeIsNoLock: a held place stays however old it is, in all of its names; a place that is not
// goes however new.
func TestAgeIsNoLock(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	held, err := Dir(dir, Hidden)
	if err != nil {
		t.Fatal(err)
	}
	aside := held.Path + ".damaged0"
	if err := os.Mkdir(aside, 0o755); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	for _, path := range []string{held.Path, held.Path + ".lock", aside} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	Clean(dir)
	if got := names(t, dir); len(got) != 3 {
		t.Errorf("left of what is held: %v", got)
	}
	held.lock.Close() // as the kernel does
	Clean(dir)
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left of what is not: %v", got)
	}
}

// TestFirstInAFolderCleansIt: no caller has to ask for it.
func TestFirstInAFolderCleansIt(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	left := filepath.Join(dir, Hidden+newToken())
	if err := os.WriteFile(left, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Dir(dir, Hidden)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Remove()
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there (%v)", left, err)
	}
}

// TestLocksThatAreNone: any file may have a lock's name: nothing waits for it or goes through it.
func TestLocksThatAreNone(t *testing.T) {
	needLocks(t)
	for name, plant := range map[string]func(path string) error{
		"a pipe":   func(path string) error { return exec.Command("mkfifo", path).Run() },
		"a folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"a link":   func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		dir := t.TempDir()
		place := filepath.Join(dir, Hidden+newToken())
		if err := os.Mkdir(place, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := plant(place + lockSuffix); err != nil {
			t.Logf("%s cannot be made here: %v", name, err)
			continue
		}
		done := started(func() { Clean(dir) })
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: waits", name)
		}
		if got := names(t, dir); len(got) != 2 {
			t.Errorf("%s: left are %v, want all: nobody knows what it is", name, got)
		}
	}
}

func started(f func()) <-chan struct{} {
	done := make(chan struct{})
	go func() { f(); close(done) }()
	return done
}

// TestMakersAndCleaners: while others clean up without a pause, whoever makes a place has
// it until the end. The test cleans between the making of a lock file and its locking.
func TestMakersAndCleaners(t *testing.T) {
	needLocks(t)
	dir := t.TempDir()
	var stop atomic.Bool
	var cleaners, makers sync.WaitGroup
	for range 2 {
		cleaners.Go(func() {
			for !stop.Load() {
				Clean(dir)
			}
		})
	}
	rounds := 80
	if testing.Short() {
		rounds = 30
	}
	for maker := range 4 {
		makers.Go(func() {
			for round := range rounds {
				if err := useOnce(dir, fmt.Sprintf("%d-%d", maker, round)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	makers.Wait()
	stop.Store(true)
	cleaners.Wait()
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

// useOnce makes a folder, writes to it and gives it a name, as a cell is made.
func useOnce(dir, name string) error {
	p, err := Dir(dir, Hidden)
	if err != nil {
		return err
	}
	for _, file := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(p.Path, file), []byte(name), 0o600); err != nil {
			return err
		}
	}
	whole := filepath.Join(dir, "whole-"+name)
	if err := errors.Join(os.Rename(p.Path, whole), p.Remove()); err != nil {
		return err
	}
	for _, file := range []string{"a", "b", "c"} {
		if text, err := os.ReadFile(filepath.Join(whole, file)); err != nil || string(text) != name {
			return fmt.Errorf("%s: %q, %v", whole, text, err)
		}
	}
	return os.RemoveAll(whole)
}

// holds is the variable that makes this program hold a place in the folder it names.
const holds = "MODEBENCH_TEST_HOLDS"

// TestHold is a process of its own: it holds a place, starts a program that lives on, and
// waits.
func TestHold(t *testing.T) {
	dir := os.Getenv(holds)
	if dir == "" {
		t.Skip("for a test that starts this program")
	}
	if _, err := Dir(dir, Hidden); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "30")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("child %d\n", child.Process.Pid)
	select {}
}

// TestKilled: the places of a process go when it is killed, and not before, though a
// program that it has started goes on.
func TestKilled(t *testing.T) {
	needLocks(t)
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("no program to start")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	holder := exec.Command(self, "-test.run=^TestHold$")
	holder.Env = append(os.Environ(), holds+"="+dir)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Process.Kill() }()
	var child int
	for lines := bufio.NewScanner(out); child == 0 && lines.Scan(); {
		_, _ = fmt.Sscanf(lines.Text(), "child %d", &child)
	}
	process, err := os.FindProcess(child)
	if child == 0 || err != nil {
		t.Fatal("the process does not say that it holds a place")
	}
	defer func() { _ = process.Kill() }()
	Clean(dir)
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("while it is held: %v", got)
	}
	_ = holder.Process.Kill()
	_ = holder.Wait()
	Clean(dir)
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("after the kill: %v", got)
	}
}

// TestUnlocked: where no lock can be had, names are those that go by age.
func TestUnlocked(t *testing.T) {
	p := Place{Path: filepath.Join(t.TempDir(), Hidden+plainToken())}
	if err := os.Mkdir(p.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(p.Path)
	Clean(dir)
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("a fresh one: %v", got)
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(p.Path, old, old); err != nil {
		t.Fatal(err)
	}
	Clean(dir)
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("one of yesterday: %v", got)
	}
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
}
