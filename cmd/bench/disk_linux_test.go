package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// disk mounts a disk of that many bytes, and remounts it by options.
func disk(t *testing.T, options string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	return dir
}

func remount(t *testing.T, dir, options string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, options); err != nil {
		t.Fatal(err)
	}
}

// TestFullDisks: a run and a merge that find no room end with the exit code of files that
// cannot be written and lines that name them, remove no file that is there, and end with
// the bytes of any other once there is room.
func TestFullDisks(t *testing.T) {
	inDir(t)
	write(t, "my.toml", damaging)
	run := func(out string) []string { return []string{"run", "my.toml", "--out", out, "--figure-format", "none"} }
	succeed(t, run("whole")...)
	want := recordsIn(t, "whole")
	for _, c := range []struct {
		name string
		args func(out string) []string
	}{
		{"run", run},
		{"merge", func(out string) []string { return []string{"merge", "whole", "--out", out, "--spec", "my.toml"} }},
	} {
		out := disk(t, "size=36k")
		code, _, errs := call(t, "", c.args(out)...)
		if code != exitIO || !strings.Contains(errs, "no space left on device") || !strings.Contains(errs, out) {
			t.Errorf("%s on a full disk has exit code %d and says %q", c.name, code, errs)
		}
		if left, _ := filepath.Glob(filepath.Join(out, "cells", ".partial-*")); left != nil {
			t.Errorf("%s left %v on a full disk", c.name, left)
		}
		remount(t, out, "size=8m", 0)
		if code, _, errs := call(t, "", c.args(out)...); code != exitOK {
			t.Errorf("%s, once there is room: exit code %d: %s", c.name, code, errs)
		}
		if d := cmp.Diff(want, recordsIn(t, out)); d != "" {
			t.Errorf("%s, once there is room, leaves other files:\n%.500s", c.name, d)
		}
	}
}

// TestReadOnlyResults: results that cannot be written to can be read, and a run of them is
// one line.
func TestReadOnlyResults(t *testing.T) {
	inDir(t)
	write(t, "my.toml", damaging)
	out := disk(t, "size=8m")
	run := []string{"run", "my.toml", "--out", out, "--figure-format", "none"}
	succeed(t, run...)
	want := recordsIn(t, out)
	remount(t, out, "", syscall.MS_RDONLY)
	for _, args := range [][]string{run, {"merge", out, "--out", out}, {"plot", out + "/my", "--figure-format", "svg"}, {"export", out + "/my"}} {
		code, _, errs := call(t, "", args...)
		if args[0] == "merge" && code == exitOK { // there was nothing to copy
			continue
		}
		if code != exitIO || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, out) || !strings.Contains(errs, "read-only file system") {
			t.Errorf("%s has exit code %d and says %q", args[0], code, errs)
		}
	}
	for _, args := range [][]string{
		{"status", "my.toml", "--out", out, "--verify"}, {"status", out + "/my"}, {"merge", out, "--out", "copy"},
		{"plot", out + "/my", "--figure-format", "svg", "--out", "drawn"}, {"export", out + "/my", "--out", "tables"}, {"compare", out + "/my:grpo", out + "/my:rloo"},
	} {
		if code, _, errs := call(t, "", args...); code != exitOK {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
	if d := cmp.Diff(want, recordsIn(t, out)); d != "" {
		t.Error(d)
	}
	if _, err := os.Stat("copy/cells"); err != nil {
		t.Error(err)
	}
}
