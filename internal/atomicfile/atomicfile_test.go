package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"modebench/internal/atomicfile"
)

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"a longer first text", "short"} {
		if err := atomicfile.Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("read %q (%v), want %q", got, err, text)
		}
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if want, other := os.Stat(plain); err != nil || other != nil || info.Mode() != want.Mode() {
		t.Errorf("mode %v (%v), want %v, as of any new file (%v)", info.Mode(), err, want.Mode(), other)
	}
}

// TestFailuresNameThePathAndLeaveNothing: the temporary file's name is no user's
// business, and it must not stay.
func TestFailuresNameThePathAndLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{taken, filepath.Join(dir, "nowhere", "file")} {
		err := atomicfile.Write(path, []byte("x"))
		var at *fs.PathError
		if !errors.As(err, &at) || at.Path != path || errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: got %v, want an error that names it and the cause", path, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v (%v)", entries, err)
	}
}

func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	if err := atomicfile.SyncDir(dir); err != nil {
		t.Error(err)
	}
	if err := atomicfile.SyncDir(filepath.Join(dir, "nowhere")); runtime.GOOS != "windows" && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
