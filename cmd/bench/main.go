// Command bench runs modebench: see `bench help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"modebench/experiments/progress"
)

// streams are the process's standard streams, so that tests can give others.
type streams struct {
	in       io.Reader
	out, err io.Writer
	json     bool // err takes lines of JSON that say how far a run is
	notes    *[]string
}

// progress is standard error, for displays of runs.
func (s streams) progress() progress.Output {
	return progress.Output{W: s.err, JSON: s.json}
}

// note keeps a line for below what the command prints: above it, it would be the first thing
// that a reader sees.
func (s streams) note(line string) { *s.notes = append(*s.notes, line) }

// tellNotes writes the notes that were kept.
func (s streams) tellNotes() {
	for _, line := range *s.notes {
		s.progress().Note(line)
	}
	*s.notes = nil
}

func main() {
	if os.Getenv("GOGC") == "" {
		paceCollector(heapBudget * uint64(runtime.GOMAXPROCS(0)))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		boundHeap()
	}
	os.Exit(bench(context.Background(), streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:]))
}

// untilSignal is for commands that have something to tidy up: the first interrupt or
// termination ends the context, so that they stop at the next safe point; a second
// one, and any to other commands, ends the process as usual. A termination is noted for the
// exit code.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			if terminated, ok := outer.Value(terminatedKey{}).(*atomic.Bool); ok && s == syscall.SIGTERM {
				terminated.Store(true)
			}
			cancel()
		case <-done:
		}
	}()
	return ctx, sync.OnceFunc(func() { close(done); cancel() })
}

// terminatedKey is the key of what in the context of a command says that it was terminated.
type terminatedKey struct{}

// bench runs one command line and returns the exit code.
func bench(ctx context.Context, s streams, args []string) int {
	out := &checkedWriter{w: s.out}
	s.out, s.notes = out, new([]string)
	var terminated atomic.Bool
	root := newRoot(commandName(os.Args[0]), s)
	root.SetArgs(append([]string{}, args...)) // nil would be those of the process
	err := root.ExecuteContext(context.WithValue(ctx, terminatedKey{}, &terminated))
	if err == nil {
		err = out.err
	}
	s.tellNotes()
	if err != nil {
		report(s.err, err)
	}
	code := exitCode(err)
	if code == exitInterrupted && terminated.Load() {
		return exitTerminated
	}
	return code
}

// A checkedWriter remembers the first error, so that a full disk behind standard
// output is noticed whoever wrote to it.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if c.err == nil && err != nil {
		c.err = fmt.Errorf("standard output: %w", err)
	}
	return n, err
}

// readInput opens a file argument, or standard input for none or "-".
func readInput(s streams, args []string, what string) ([]byte, string, error) {
	if len(args) > 1 {
		return nil, "", usagef("one %s at a time, got %d", what, len(args))
	}
	if len(args) == 0 || args[0] == "-" {
		data, err := io.ReadAll(s.in)
		return data, "standard input", err
	}
	data, err := os.ReadFile(args[0])
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", inputError(fmt.Errorf("%s does not exist", args[0]))
	}
	return data, args[0], err
}
