package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/internal/nearest"
)

func init() {
	cobra.EnableCommandSorting = false // the help lists commands in the order of a first use
	cobra.MousetrapHelpText = ""
}

// newRoot is the program by the name that it was called by, with all its commands.
func newRoot(name string, s streams) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use: name, Long: helpText, SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
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
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), helpOf(c)) })
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolP("help", "h", false, "this text")
	root.Flags().BoolVar(&version, "version", false, "the program's version")
	root.AddCommand(
		newRunCommand(s), newStatusCommand(s), newMergeCommand(s), newListCommand(s), newShowCommand(s), newPlotCommand(s), newReportCommand(s), newExportCommand(s),
		newImportCommand(s), newCompareCommand(s), newCheckCommand(s), newClaimsCommand(s), newBoardCommand(s), newProfileCommand(s), newAuditCommand(s),
		newEnvCommand(s), newJudgeCommand(s), newServeCommand(s), newEstimateCommand(s), newMetricsCommand(s),
	)
	addCompletion(root)
	root.AddCommand(newManCommand(s), newDoctorCommand(s), newVersionCommand(s))
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Short, help.RunE = "explain a command", explain
	completeFlags(root)
	return root
}

// explain prints the help of the command that the arguments name.
func explain(help *cobra.Command, args []string) error {
	c, rest, err := help.Root().Find(args)
	switch {
	case err != nil:
		return &usageError{err}
	case len(rest) > 0 && !c.HasParent():
		return unknownCommand(c, rest[0])
	case len(rest) > 0:
		return usagef("%s explains one command at a time", help.CommandPath())
	}
	return c.Help()
}

// unknownCommand is the error of a command that does not exist.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return usagef("unknown command %q; %scommands: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// flagKinds are the kinds of values of flags, in words.
var flagKinds = map[string]string{
	"int": "a whole number", "uint64": "a whole number of at least 0", "float64": "a number",
	"intSlice": "whole numbers with commas between", "float64Slice": "numbers with commas between", "stringSlice": "words with commas between",
	"bool": "true or false", "duration": "a time such as 90s or 2m",
}

// flagError is a mistake in the flags of a command, in one line.
func flagError(c *cobra.Command, err error) error {
	if !c.HasParent() && c.Flags().NArg() > 0 {
		return unknownCommand(c, c.Flags().Arg(0))
	}
	return usagef("%s: %s; %ssee %s", c.CommandPath(), flagMistake(err), flagHint(c, err), helpCommand(c))
}

// flagMistake describes a wrong flag or a wrong value.
func flagMistake(err error) string {
	var wrong *pflag.InvalidValueError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	want := flagKinds[wrong.GetFlag().Value.Type()]
	if errors.Is(err, strconv.ErrRange) {
		want = "a number of 64 bits"
	}
	return fmt.Sprintf("--%s is %q, want %s", wrong.GetFlag().Name, wrong.GetValue(), want)
}

// flagHint names the flag nearest to an unknown one, among the flags that the command takes
// with its first argument.
func flagHint(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	without := flagsWithout(c)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(without, f.Name) {
			names = append(names, f.Name)
		}
	})
	if near := nearest.Name(unknown.GetSpecifiedName(), names); near != "" {
		return "did you mean --" + near + "? "
	}
	return ""
}

// flagsWithout are the flags that a command does not take with its first argument: its annotation
// of that name lists them.
func flagsWithout(c *cobra.Command) []string { return strings.Fields(c.Annotations[c.Flags().Arg(0)]) }

// helpOf is the help of a command.
func helpOf(c *cobra.Command) string {
	var b strings.Builder
	if !c.HasParent() {
		b.WriteString(c.Long)
	} else {
		fmt.Fprintf(&b, "%s\n\nUsage: %s\n\n%s\n", c.Short, c.UseLine(), strings.TrimSpace(c.Long))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-10s %s\n", sub.Name(), sub.Short)
			}
		}
	}
	if !c.HasParent() {
		b.WriteString("\nbench help COMMAND explains one of them.\n\n" + exitCodesText)
		return renamed(b.String(), c.Name())
	}
	for _, name := range flagsWithout(c) {
		c.Flags().Lookup(name).Hidden = true
	}
	if flags := c.LocalFlags(); flags.HasAvailableFlags() {
		b.WriteString("\nFlags:\n" + flags.FlagUsages())
	}
	return renamed(b.String(), c.Root().Name())
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

// commandName is the name that the program was called by: the Python package installs it by
// another name than bench.
func commandName(called string) string {
	name := strings.TrimSuffix(filepath.Base(called), ".exe")
	if !plainName.MatchString(name) {
		return "bench"
	}
	return name
}

var (
	plainName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*$`)
	ownName   = regexp.MustCompile(`\bbench\b`)
)

// renamed is a text of bench for the program by another name.
func renamed(text, name string) string { return ownName.ReplaceAllLiteralString(text, name) }
