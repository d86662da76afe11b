// Package cli makes the commands of a program on cobra: help on one page, mistakes in one line with
// the nearest known name, flags whose values are checked as they are parsed, completion by names,
// and manual pages. All texts call the program bench; Renamed gives them the name that it was called
// by.
package cli

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

	"modebench/internal/input"
	"modebench/internal/nearest"
)

func init() {
	cobra.EnableCommandSorting = false // the help lists commands in the order of a first use
	cobra.MousetrapHelpText = ""
}

// foot is the annotation of a root command with the end of its help.
const foot = "foot"

// Finish gives a root command, which has all its commands, its help, which ends with end, its
// mistakes in one line, and the command help.
func Finish(root *cobra.Command, end string) {
	root.Annotations = map[string]string{foot: end}
	root.SilenceErrors, root.SilenceUsage, root.DisableFlagsInUseLine = true, true, true
	root.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return nil
	}
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), Help(c)) })
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolP("help", "h", false, "this text")
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Short, help.RunE = "explain a command", explain
}

// explain prints the help of the command that the arguments name.
func explain(help *cobra.Command, args []string) error {
	c, rest, err := help.Root().Find(args)
	switch {
	case err != nil:
		return &input.Usage{Err: err}
	case len(rest) > 0 && !c.HasParent():
		return unknownCommand(c, rest[0])
	case len(rest) > 0:
		return input.Usagef("%s explains one command at a time", help.CommandPath())
	}
	return c.Help()
}

// Takes refuses another number of arguments than lowest to highest, in a line that names them.
func Takes(lowest, highest int, names string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < lowest || len(args) > highest {
			return input.Usagef("%s takes %s; see %s", c.CommandPath(), names, helpCommand(c))
		}
		return nil
	}
}

// NoArguments is for commands that take flags alone.
var NoArguments = Takes(0, 0, "no arguments")

// Refuse returns an error for the first of the named flags that was given: format has its name.
func Refuse(flags *pflag.FlagSet, format string, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) {
			return input.Usagef(format, name)
		}
	}
	return nil
}

// unknownCommand is the error of a command that does not exist.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return input.Usagef("unknown command %q; %scommands: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// FlagKinds are the kinds of values of flags, in words.
var FlagKinds = map[string]string{
	"int": "a whole number", "uint64": "a whole number of at least 0", "float64": "a number",
	"intSlice": "whole numbers with commas between", "float64Slice": "numbers with commas between", "stringSlice": "words with commas between",
	"bool": "true or false", "duration": "a time such as 90s or 2m",
}

// flagError is a mistake in the flags of a command, in one line.
func flagError(c *cobra.Command, err error) error {
	if !c.HasParent() && c.Flags().NArg() > 0 {
		return unknownCommand(c, c.Flags().Arg(0))
	}
	if wrong := valueMistake(err); wrong != nil {
		return wrong
	}
	return input.Usagef("%s: %s; %ssee %s", c.CommandPath(), flagMistake(err), flagHint(c, err), helpCommand(c))
}

// helpCommand is the command line that explains a command.
func helpCommand(c *cobra.Command) string {
	name := c.Root().Name()
	return name + " help" + strings.TrimPrefix(c.CommandPath(), name)
}

// flagMistake describes an unknown flag, or a value of another kind than the flag's.
func flagMistake(err error) string {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err.Error()
	}
	want := FlagKinds[wrong.GetFlag().Value.Type()]
	if errors.Is(err, strconv.ErrRange) {
		want = "a number of 64 bits"
	}
	return fmt.Sprintf("--%s is %q, want %s", wrong.GetFlag().Name, wrong.GetValue(), want)
}

// flagHint names the flag nearest to an unknown one, among the flags that the command takes
// with its first argument.
func flagHint(c *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
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

// Help is the help of a command.
func Help(c *cobra.Command) string {
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
		b.WriteString("\nbench help COMMAND explains one of them.\n\n" + c.Annotations[foot])
		return Renamed(b.String(), c.Name())
	}
	for _, name := range flagsWithout(c) {
		c.Flags().Lookup(name).Hidden = true
	}
	if flags := c.LocalFlags(); flags.HasAvailableFlags() {
		b.WriteString("\nFlags:\n" + flags.FlagUsages())
	}
	return Renamed(b.String(), c.Root().Name())
}

// ProgramName is the name that the program was called by: the Python package installs it by
// another name than bench.
func ProgramName(called string) string {
	name := strings.TrimSuffix(filepath.Base(called), ".exe")
	if !plainName.MatchString(name) {
		return "bench"
	}
	return name
}

var (
	plainName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*$`)
	benchWord = regexp.MustCompile(`\bbench\b`)
	benchCall = regexp.MustCompile(`(^|[^\w-])bench ([a-z]+)\b`)
)

// Renamed is a text of bench for the program by another name.
func Renamed(text, name string) string { return benchWord.ReplaceAllLiteralString(text, name) }

// Addressed is an error, which may quote the user, with the commands of bench that it names as
// commands of the program by its own name.
func Addressed(text string, root *cobra.Command) string {
	return benchCall.ReplaceAllStringFunc(text, func(call string) string {
		before, command, _ := strings.Cut(call, "bench ")
		if !slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == command }) {
			return call
		}
		return before + root.Name() + " " + command
	})
}
