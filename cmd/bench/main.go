// Command bench runs modebench: see `bench help`.
//
// It holds commands and no more: a file has the command of its name, as an options struct with
// AddFlags and run, and prints what packages below compute. Calls go down this list:
//
//   - main.go has the program and the list of its commands.
//   - run, status, merge make, count and collect the cells of a spec; check, claims, audit, board and
//     profile make cells for a question; import makes them of logs.
//   - show, plot, report, export and compare read results; list, env, judge, serve, estimate and
//     about.go (version, doctor, man) need no records.
//   - Groups of flags that commands share: specflags (the spec, where its cells go), shard and plan
//     (a part of the cells), plugin, problemflags, dataset, board_run, board_figures, claims_figure,
//     claims_forms, claims_study. Shared endings: run_result (table and figures of a run), rerun (the
//     command line of another run), beside (the folder of a smaller run).
//   - command.go has what each command is made with, signals.go the end by a signal, exit.go the exit
//     codes, and names.go the names that complete flags.
//
// Package internal/cli has help, mistakes and completion.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/spf13/cobra"

	"modebench/internal/cli"
	"modebench/internal/memory"
)

func main() {
	memory.TuneCollector()
	os.Exit(bench(context.Background(), streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:]))
}

// bench runs one command line and returns the exit code.
func bench(ctx context.Context, s streams, args []string) int {
	out := &checkedWriter{w: s.out}
	s.out, s.notes = out, new([]string)
	var stopped atomic.Int32
	root := newRoot(cli.ProgramName(os.Args[0]), s)
	root.SetArgs(append([]string{}, args...)) // nil would be those of the process
	err := root.ExecuteContext(context.WithValue(ctx, stoppedKey{}, &stopped))
	if err == nil {
		err = out.err
	}
	s.tellNotes()
	if err != nil {
		report(s.err, root, err)
	}
	if code := exitCode(err); code != exitInterrupted || stopped.Load() == 0 {
		return code
	}
	return int(stopped.Load())
}

// A checkedWriter remembers the first error, so that a full disk behind standard output is noticed
// whoever wrote to it.
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

// newRoot is the program by the name that it was called by, with all its commands.
func newRoot(name string, s streams) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use: name, Long: helpText,
		RunE: func(c *cobra.Command, args []string) error {
			if version {
				return (&versionOptions{}).run(c.Context(), s, nil)
			}
			return c.Help()
		},
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.Flags().BoolVar(&version, "version", false, "the program's version")
	root.AddCommand(
		newRunCommand(s), newStatusCommand(s), newMergeCommand(s), newListCommand(s), newShowCommand(s), newPlotCommand(s), newReportCommand(s), newExportCommand(s),
		newImportCommand(s), newCompareCommand(s), newCheckCommand(s), newClaimsCommand(s), newBoardCommand(s), newProfileCommand(s), newAuditCommand(s),
		newEnvCommand(s), newJudgeCommand(s), newServeCommand(s), newEstimateCommand(s), newMetricsCommand(s),
	)
	cli.AddCompletion(root)
	root.AddCommand(newManCommand(s, newRoot), newDoctorCommand(s), newVersionCommand(s))
	cli.Finish(root, exitCodesText)
	cli.CompleteFlags(root, flagValues)
	return root
}

const helpText = `bench shows what a reinforcement-learning estimator does to the diversity of a
policy, on problems whose whole solution space is known.

  bench run quick                    a first table and figures, in seconds
  bench show results/quick           its metrics over steps, in the terminal
  bench list                         environments, methods and specs
  bench run my.toml                  your own experiment
  bench compare results/a results/b  what moved between two results
  bench env bandit                   look at a problem
  bench estimate poly-epo <batch.json   the advantages of one batch
`
