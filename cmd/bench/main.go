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
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/spf13/pflag"

	"modebench/internal/nearest"
	"modebench/internal/visible"
)

// A command is one sub-command; each has a file of its own.
type command struct {
	name    string
	args    string // what follows the name in the usage line
	summary string // one line
	detail  string // the rest of its help
	// without has the flags that the command does not take where this is its first argument. Help
	// that is asked for there leaves them out.
	without map[string][]string
	// setup declares flags and returns what runs once they are parsed.
	setup func(flags *pflag.FlagSet) func(ctx context.Context, io streams, args []string) error
}

// streams are the process's standard streams, so that tests can give others.
type streams struct {
	in       io.Reader
	out, err io.Writer
	terminal bool // err is a terminal
	json     bool // err takes lines of JSON that say how far a run is
	notes    *[]string
}

// note keeps a line for below what the command prints: above it, it would be the first thing
// that a reader sees.
func (s streams) note(line string) { *s.notes = append(*s.notes, line) }

// tellNotes writes the notes that were kept.
func (s streams) tellNotes() {
	for _, line := range *s.notes {
		if line = visible.Text(line); s.json {
			_ = printJSON(s.err, noteLine{line}) // a reader that went away does not stop the run
		} else {
			fmt.Fprintln(s.err, line)
		}
	}
	*s.notes = nil
}

func commands() []command {
	return []command{
		runCommand, statusCommand, mergeCommand, listCommand, showCommand, plotCommand, reportCommand, exportCommand, importCommand, compareCommand, checkCommand, claimsCommand, boardCommand, profileCommand, auditCommand, envCommand, judgeCommand, serveCommand, estimateCommand, metricsCommand, completionCommand, manCommand, doctorCommand, versionCommand,
	}
}

func main() {
	if os.Getenv("GOGC") == "" {
		paceCollector(heapBudget * uint64(runtime.GOMAXPROCS(0)))
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		boundHeap()
	}
	os.Exit(bench(context.Background(), streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, terminal: isTerminal(os.Stderr)}, os.Args[1:]))
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
	out := &checkedWriter{w: s.out}
	s.out, s.notes = out, new([]string)
	var terminated atomic.Bool
	err := dispatch(context.WithValue(ctx, terminatedKey{}, &terminated), s, args)
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

func dispatch(ctx context.Context, s streams, args []string) error {
	if len(args) == 0 {
		return help(s.out, nil)
	}
	switch args[0] {
	case "-h", "--help":
		return help(s.out, nil)
	case "help":
		return help(s.out, args[1:])
	case completeWord:
		return complete(s.out, args[1:])
	case "--version":
		args = []string{versionCommand.name}
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
		return usagef("bench %s: %s; %ssee bench help %s", c.name, flagMistake(err), c.flagHint(flags, args[1:], err), c.name)
	}
	if *wantHelp {
		return c.help(s.out, flags.Arg(0))
	}
	// Of other commands --out is a folder, and one of this name is not what was meant.
	if out := flags.Lookup("out"); out != nil && out.Value.String() == standardOut && c.name != exportCommand.name && c.name != reportCommand.name {
		return usagef("--out of bench %s is a folder, and - is standard output; ./- is a folder of that name", c.name)
	}
	return run(ctx, s, flags.Args())
}

// standardOut stands for standard output where a command takes a file.
const standardOut = "-"

// flagKinds are the kinds of values of flags, in words.
var flagKinds = map[string]string{
	"int": "a whole number", "uint64": "a whole number of at least 0", "float64": "a number",
	"intSlice": "whole numbers with commas between", "float64Slice": "numbers with commas between", "stringSlice": "words with commas between",
	"bool": "true or false", "duration": "a time such as 90s or 2m",
}

// flagMistake is what is wrong with a flag: with its value, in words of our own.
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

// flagHint is a hint where the error is of a flag that there is not: one that the command takes
// with these arguments.
func (c command) flagHint(flags *pflag.FlagSet, args []string, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(c.without[arg], f.Name) }) {
			names = append(names, f.Name)
		}
	})
	if near := nearest.Name(unknown.GetSpecifiedName(), names); near != "" {
		return "did you mean --" + near + "? "
	}
	return ""
}

func find(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	names = append(names, "help")
	return command{}, usagef("unknown command %q; %scommands: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

func help(w io.Writer, args []string) error {
	if len(args) > 1 {
		return usagef("bench help explains one command at a time")
	}
	if len(args) == 0 || args[0] == "help" {
		var b strings.Builder
		b.WriteString(helpText)
		for _, c := range commands() {
			fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.summary)
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
	return c.help(w, "")
}

// help explains the command with the flags that it takes where first is its first argument.
func (c command) help(w io.Writer, first string) error {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	c.setup(flags)
	for _, name := range c.without[first] {
		flags.Lookup(name).Hidden = true
	}
	usage := strings.TrimSpace("bench " + c.name + " " + c.args)
	_, err := fmt.Fprintf(w, "%s\n\nUsage: %s\n\n%s\n", c.summary, usage, strings.TrimSpace(c.detail))
	if err == nil && flags.HasFlags() {
		_, err = fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsages())
	}
	return err
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

Commands:
`

const helpEnd = `
bench help COMMAND explains one of them.

`
