package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// options are the flags of a command and its work.
type options interface {
	// AddFlags declares the flags, with their defaults.
	AddFlags(flags *pflag.FlagSet)
	// run does the command's work under flags that were parsed, or fields that a test set.
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
		if err := checkOut(c); err != nil {
			return err
		}
		return opts.run(c.Context(), s, args)
	}
	return c
}

// takes refuses fewer arguments than least and more than most, in a line that names what the command
// takes.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef("%s takes %s; see %s", c.CommandPath(), what, helpCommand(c))
		}
		return nil
	}
}

// noArguments is for commands that take flags alone.
var noArguments = takes(0, 0, "no arguments")

// standardOut is the file name that means standard output.
const standardOut = "-"

// checkOut refuses --out - of commands whose --out is a folder.
func checkOut(c *cobra.Command) error {
	out := c.Flags().Lookup("out")
	if out != nil && out.Value.String() == standardOut && c.Name() != "export" && c.Name() != "report" {
		return usagef("--out of %s is a folder, and - is standard output; ./- is a folder of that name", c.CommandPath())
	}
	return nil
}

// helpCommand is the command line that explains a command.
func helpCommand(c *cobra.Command) string {
	name := c.Root().Name()
	return name + " help" + strings.TrimPrefix(c.CommandPath(), name)
}
