//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestUmask: every file that commands write is for those whom the umask admits, and for no others.
func TestUmask(t *testing.T) {
	for _, mask := range []fs.FileMode{0o077, 0o022, 0o002} {
		dir := inDir(t)
		writeTiny(t)
		write(t, "log.jsonl", `{"id": "coins/train/0", "text": "12"}`+"\n")
		old := syscall.Umask(int(mask))
		for _, args := range [][]string{
			{"run", "tiny.toml", "--out", "out/r", "--figure-format", "svg,png,pdf,pgf,json"},
			{"run", "tiny.toml", "--out", "out/p", "--plan"},
			{"export", "out/r/tiny", "--out", "out/tables", "--format", "csv,parquet,latex,tensorboard"},
			{"report", "out/r/tiny"}, {"import", "log.jsonl", "--out", "out/i"}, {"merge", "out/r", "--out", "out/m"},
			{"env", "bandit", "--draw", "out/x.svg"}, {"audit", "grpo", "--problems", "1", "--groups", "2", "--out", "out/a"},
		} {
			if code, _, errs := call(t, "", args...); code != exitOK {
				t.Errorf("%q: exit code %d: %s", args, code, errs)
			}
		}
		syscall.Umask(old)
		files := 0
		err := filepath.WalkDir(filepath.Join(dir, "out"), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			most := 0o666 &^ mask
			if d.IsDir() {
				if mode := info.Mode().Perm(); mode&mask != 0 || mode&0o700 != 0o700 {
					t.Errorf("umask %v: folder %s has mode %v", mask, path, mode)
				}
				return nil
			}
			if files++; info.Mode().Perm() != most {
				t.Errorf("umask %v: %s has mode %v, want %v", mask, path, info.Mode().Perm(), most)
			}
			return nil
		})
		if err != nil || files < 40 {
			t.Errorf("%d files (%v)", files, err)
		}
	}
}

// TestPipesAmongBoardResults: a pipe in the place of a kept result, of the board or of profiles, holds
// up no command.
func TestPipesAmongBoardResults(t *testing.T) {
	inDir(t)
	if err := errors.Join(os.Mkdir("kept", 0o755), syscall.Mkfifo("kept/coins.json", 0o644), syscall.Mkfifo("kept/without-labels.json", 0o644)); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"board", "--from", "kept", "--tasks", "coins"}, {"board", "foretell", "kept", "kept"}, {"profile", "--from", "kept"},
		{"board", "--keep", "kept", "--tasks", "coins", "--methods", "base", "--shard", "0/1", "--from", "kept"},
	} {
		code := make(chan int, 1)
		go func() {
			got, _, _ := call(t, "", args...)
			code <- got
		}()
		select {
		case got := <-code:
			if got == exitOK {
				t.Errorf("%q took a pipe for a result", args)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%q waits for the pipe", args)
		}
	}
}
