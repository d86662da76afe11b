package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"modebench/experiments/selftest"
	"modebench/experiments/train"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/internal/visible"
)

// The exit codes, all set here. 64 and 75 are those of sysexits(3). 2 is Go's own for a program
// that broke, and has no other meaning.
const (
	exitOK           = 0
	exitFailed       = 1
	exitInput        = 3
	exitIO           = 4
	exitMoved        = 5 // also where a row is not reproduced, and where a device gives other bits
	exitBaseline     = 6
	exitUnderpowered = 7
	exitUsage        = 64
	exitPreempted    = 75
	exitInterrupted  = 130
	exitTerminated   = 143
)

const exitCodesText = `Exit codes:
  0    done
  1    a cell of an experiment failed; the others were finished and kept (also with 3
       and 4, by the cause); bench status: cells are not finished;
       bench doctor: the device failed
  3    the input is wrong or not there: a spec (by its name too), a document, a
       results folder, a base policy that is damaged, a policy that is too large for the
       memory there is
  4    a file or folder cannot be read or written
  5    bench check: records of a method moved, or over seeds a metric did; bench board
       verify: a row is not reproduced; bench doctor: the device gives other bits
  6    bench check: the baseline is not of this suite, settings or methods
  7    bench check --statistical: too few seeds for a verdict
  64   the command line is wrong: an unknown command, flag or name, a device that is
       not there
  75   bench run was stopped by SIGTERM or SIGUSR1, as schedulers do; its state is
       kept: queue it again
  130  interrupted; finished cells of bench run are kept, and running it again goes on
  143  stopped by SIGTERM: every command but bench run
Code 2 is Go's own, of a program that broke: please report it.
`

// A verdictError is the result of a check, with its exit code.
type verdictError struct {
	code int
	error
}

// A stoppedError is an interruption in words of its own.
type stoppedError string

func (e stoppedError) Error() string { return string(e) }
func (e stoppedError) Unwrap() error { return context.Canceled }

func usagef(format string, args ...any) error { return input.Usagef(format, args...) }

// exitCode maps an error to the process's exit code.
func exitCode(err error) int {
	verdict, decided := errors.AsType[*verdictError](err)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case decided:
		return verdict.code
	case input.Is[*selftest.DifferError](err):
		return exitMoved
	case input.Is[*input.Usage](err) || input.Is[*train.DeviceError](err):
		return exitUsage
	case input.Is[*input.Error](err):
		return exitInput
	case input.Is[*fs.PathError](err) || input.Is[syscall.Errno](err):
		return exitIO
	}
	return exitFailed
}

// report prints an error of the program, one line for each failure it joins, in which what is no
// graphic character is visible.
func report(w io.Writer, root *cobra.Command, err error) {
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimRight(line, "\n")
		if line == context.Canceled.Error() {
			line = "interrupted; finished cells are kept, run again to go on"
		}
		fmt.Fprintln(w, root.Name()+": "+visible.Text(cli.Addressed(line, root)))
	}
}
