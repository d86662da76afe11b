package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"modebench/experiments"
)

// The exit codes, all set here.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInput       = 3
	exitIO          = 4
	exitInterrupted = 130
)

const exitCodesText = `Exit codes:
  0    done
  1    a cell of an experiment failed; the others were finished and kept
  2    the command line is wrong: an unknown command, flag or name
  3    the input is wrong: a spec, a document on standard input, a results folder
  4    a file or folder cannot be read or written
  130  interrupted; finished cells are kept, and running again goes on from them
`

// A usageError is a mistake on the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// input marks an error as one of what the user handed in.
func input(err error) error {
	if err == nil {
		return nil
	}
	return &experiments.InputError{Err: err}
}

// inputUnlessFile marks an error as one of what a file holds, unless it is the
// file itself that cannot be read or written.
func inputUnlessFile(err error) error {
	var path *fs.PathError
	if err == nil || errors.As(err, &path) {
		return err
	}
	return input(err)
}

// exitCode maps an error to the process's exit code.
func exitCode(err error) int {
	var usage *usageError
	var bad *experiments.InputError
	var path *fs.PathError
	var number syscall.Errno
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &bad):
		return exitInput
	case errors.As(err, &path) || errors.As(err, &number):
		return exitIO
	}
	return exitFailed
}

// report prints an error, one line for each failure it joins.
func report(w io.Writer, err error) {
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimRight(line, "\n")
		if line == context.Canceled.Error() {
			line = "interrupted; finished cells are kept, run again to go on"
		}
		fmt.Fprintln(w, "bench: "+line)
	}
}
