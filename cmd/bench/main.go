// Command bench runs modebench: see `bench help`.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

// A command is one sub-command; each has a file of its own.
type command struct {
	name    string
	args    string // what follows the name in the usage line
	summary string // one line
	detail  string // the rest of its help
	// setup declares flags and returns what runs once they are parsed.
	setup func(flags *pflag.FlagSet) func(ctx context.Context, io streams, args []string) error
}

// streams are the process's standard streams, so that tests can give others.
type streams struct {
	in       io.Reader
	out, err io.Writer
	terminal bool // err is a terminal
}

func commands() []command {
	return []command{
		runCommand, listCommand, plotCommand, envCommand, judgeCommand, estimateCommand, metricsCommand, versionCommand,
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	s := streams{os.Stdin, os.Stdout, os.Stderr, isTerminal(os.Stderr)}
	code := bench(ctx, s, os.Args[1:])
	stop()
	os.Exit(code)
}

// isTerminal says whether a file is a character device that is not the null
// device: good enough to decide on a progress bar.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// bench runs one command line and returns the exit code.
func bench(ctx context.Context, s streams, args []string) int {
	err := dispatch(ctx, s, args)
	if err != nil {
		report(s.err, err)
	}
	return exitCode(err)
}

func dispatch(ctx context.Context, s streams, args []string) error {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
		return help(s.out, nil)
	}
	if args[0] == "help" {
		return help(s.out, args[1:])
	}
	c, err := find(args[0])
	if err != nil {
		return err
	}
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.SortFlags = false
	run := c.setup(flags)
	wantHelp := flags.BoolP("help", "h", false, "this text")
	if err := flags.Parse(args[1:]); err != nil {
		return usagef("bench %s: %v; see bench help %s", c.name, err, c.name)
	}
	if *wantHelp {
		return help(s.out, []string{c.name})
	}
	return run(ctx, s, flags.Args())
}

func find(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return command{}, usagef("unknown command %q; commands: %s, help", name, strings.Join(names, ", "))
}

func help(w io.Writer, args []string) error {
	if len(args) == 0 {
		var b strings.Builder
		b.WriteString(helpText)
		for _, c := range commands() {
			fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.summary)
		}
		b.WriteString(helpEnd)
		b.WriteString(exitCodesText)
		_, err := io.WriteString(w, b.String())
		return err
	}
	c, err := find(args[0])
	if err != nil {
		return err
	}
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	c.setup(flags)
	usage := strings.TrimSpace("bench " + c.name + " " + c.args)
	_, err = fmt.Fprintf(w, "%s\n\nUsage: %s\n\n%s\n", c.summary, usage, strings.TrimSpace(c.detail))
	if err == nil && flags.HasFlags() {
		_, err = fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsages())
	}
	return err
}

const helpText = `bench shows what a reinforcement-learning estimator does to the diversity of a
policy, on problems whose whole solution space is known.

  bench run quick                    a first table and figures, in seconds
  bench list                         environments, methods and specs
  bench run my.toml                  your own experiment
  bench env bandit                   look at a problem
  bench estimate poly-epo <batch.json   the advantages of one batch

Commands:
`

const helpEnd = `
bench help COMMAND explains one of them.

`
