//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipesInAResultsFolder: a pipe in the place of any file of a results folder holds up no
// command that comes across it.
func TestPipesInAResultsFolder(t *testing.T) {
	takesSeconds(t)
	commands := readersOf()
	commands["merge"] = []string{"merge", "r", "--out", "merged"}
	commands["merge into it"] = []string{"merge", "s", "--out", "r"}
	commands["run"] = []string{"run", "my.toml", "--out", "r", "--figure-format", "none"}
	commands["run after a change"] = []string{"run", "my.toml", "--out", "r", "--figure-format", "none", "--set", "train.lr=0.01", "--name", "my"}
	commands["status of a spec"] = []string{"status", "my.toml", "--out", "r", "--verify"}
	for _, file := range []string{"CELL/provenance.json", "CELL/DONE", "CELL/eval.jsonl", "my/run.json", "my/plan.json", "other/plan.json", "cells/.resume-ID", "cells/.failed-ID"} {
		cells := hostile(t)
		if err := errors.Join(os.MkdirAll("s/cells", 0o755), os.Mkdir("r/other", 0o755)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("r", strings.NewReplacer("CELL", "cells/"+filepath.Base(cells[0]), "ID", filepath.Base(cells[0])).Replace(file))
		for name, args := range commands {
			succeed(t, "run", "my.toml", "--out", "r", "--plan", "--set", "train.lr=0.02", "--name", "my") // so that a run has outdated cells
			if err := errors.Join(os.RemoveAll(path), syscall.Mkfifo(path, 0o644)); err != nil {
				t.Skip(err)
			}
			done := make(chan struct{})
			var code int
			var errs string
			go func() {
				defer close(done)
				code, _, errs = call(t, "", args...)
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatalf("%s: %s waits for the pipe", path, name)
			}
			if code != exitOK && code != exitInput && !(strings.HasPrefix(name, "status") && code == exitFailed) {
				t.Errorf("%s: %s has exit code %d and says %q", path, name, code, errs)
			}
			if err := errors.Join(os.RemoveAll("merged"), os.RemoveAll(path)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
