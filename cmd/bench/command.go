package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/progress"
	"modebench/internal/input"
)

// streams are the process's standard streams, so that tests can give others.
type streams struct {
	in       io.Reader
	out, err io.Writer
	json     bool      // err takes lines of JSON with a run's progress
	quiet    bool      // err takes no progress, but notes
	program  string    // the name that the program was called by
	notes    *[]string // to print below the output: above it they would be the first thing to read
}

// progress is standard error, for displays of runs.
func (s streams) progress() progress.Output {
	return progress.Output{W: s.err, JSON: s.json, Quiet: s.quiet}
}

// note keeps a line for tellNotes.
func (s streams) note(line string) { *s.notes = append(*s.notes, line) }

// tellNotes writes the notes that were kept.
func (s streams) tellNotes() {
	for _, line := range *s.notes {
		s.progress().Note(line)
	}
	*s.notes = nil
}

// options are the flags of a command and its work.
type options interface {
	// AddFlags declares the flags, with their defaults.
	AddFlags(flags *pflag.FlagSet)
	// run does the command's work under flags that were parsed, or fields that a test set. Errors of
	// writing to s.out need no handling: bench returns the first one.
	run(ctx context.Context, s streams, args []string) error
}

// noFlags is for the options of a command without flags.
type noFlags struct{}

// AddFlags adds no flags.
func (noFlags) AddFlags(*pflag.FlagSet) {}

// newCommand gives a command the flags and the work of its options.
func newCommand(s streams, c *cobra.Command, opts options) *cobra.Command {
	c.DisableFlagsInUseLine = true
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		s.program = c.Root().Name()
		out := c.Flags().Lookup("out")
		if out != nil && out.Value.String() == standardOut && c.Name() != "export" && c.Name() != "report" {
			return usagef("--out of %s is a folder, and - is standard output; ./- is a folder of that name", c.CommandPath())
		}
		return opts.run(c.Context(), s, args)
	}
	return c
}

// standardOut is the file name of standard output.
const standardOut = "-"

// readInput opens a file argument, or standard input without one and for "-".
func readInput(s streams, args []string, kind string) ([]byte, string, error) {
	if len(args) > 1 {
		return nil, "", usagef("one %s at a time, got %d", kind, len(args))
	}
	if len(args) == 0 || args[0] == "-" {
		data, err := io.ReadAll(s.in)
		return data, "standard input", err
	}
	data, err := os.ReadFile(args[0])
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", input.Errorf("%s does not exist", args[0])
	}
	return data, args[0], err
}

// printJSON writes a document in a line.
func printJSON(w io.Writer, doc any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}
