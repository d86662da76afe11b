//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPreempted: the signals of a scheduler, and of a person, stop a run that can be
// continued, each with its exit code, and its records end as those of one run.
func TestPreempted(t *testing.T) {
	inDir(t)
	write(t, "long.toml", strings.Replace(strings.Split(tinySpec, "[[figure]]")[0], "steps = 20", "steps = 60000\nrecord_every = 1000", 1))
	kept := func() (at time.Time) { // of the one cell that trains
		if files, _ := filepath.Glob("out/cells/.resume-grpo*"); len(files) == 1 {
			if info, err := os.Stat(files[0]); err == nil {
				at = info.ModTime()
			}
		}
		return at
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	stop := func(signal os.Signal) (code int, errs string) {
		done, before := make(chan struct{}), kept()
		go func() {
			defer close(done)
			code, _, errs = call(t, "", "run", "long.toml", "--seeds", "1", "--jobs", "1", "--checkpoint", "1ms", "--figure-format", "none", "--out", "out")
		}()
		for kept().Equal(before) { // until it trains on, which is after it listens
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
		if err := self.Signal(signal); err != nil {
			t.Error(err)
		}
		<-done
		return
	}
	for _, c := range []struct {
		signal os.Signal
		code   int
	}{{syscall.SIGUSR1, exitPreempted}, {syscall.SIGTERM, exitPreempted}, {os.Interrupt, exitInterrupted}} {
		code, errs := stop(c.signal)
		if code != c.code || !strings.HasSuffix(errs, "bench: interrupted; finished cells are kept, run again to go on\n") {
			t.Errorf("%v: exit code %d, want %d: %s", c.signal, code, c.code, errs)
		}
		if kept().IsZero() {
			t.Errorf("%v: where the cell stands is not kept", c.signal)
		}
	}
	for _, out := range []string{"out", "one"} {
		succeed(t, "run", "long.toml", "--seeds", "1", "--figure-format", "none", "--out", out)
	}
	if d := cmp.Diff(recordsIn(t, "one"), recordsIn(t, "out")); d != "" {
		t.Errorf("a run that was stopped three times left other files:\n%.500s", d)
	}
}
