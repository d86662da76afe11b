package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"modebench/internal/atomicfile"
)

var manCommand = command{
	name: "man", args: "DIR",
	summary: "write the manual pages of all commands into a folder",
	detail: `
Writes bench.1, with all commands and exit codes, and bench-COMMAND.1 for each command: what
bench help prints, for man:

  bench man ~/.local/share/man/man1
  man bench-run

A program that was called by another name writes the pages of that name.`,
}

// The command lists all commands, itself too, so it is not whole before they are.
func init() { manCommand.setup = setupMan }

func setupMan(*pflag.FlagSet) func(context.Context, streams, []string) error {
	return func(_ context.Context, _ streams, args []string) error {
		if len(args) != 1 {
			return usagef("bench man takes the folder to write to")
		}
		if err := os.MkdirAll(args[0], 0o777); err != nil {
			return err
		}
		for name, page := range manualPages(commandName(os.Args[0])) {
			if err := atomicfile.Write(filepath.Join(args[0], name), []byte(page)); err != nil {
				return err
			}
		}
		return nil
	}
}

// ownName is the program's name wherever it stands in a page.
var ownName = regexp.MustCompile(`\bbench\b`)

// manualPages are the pages by their file names, for the program by this name.
func manualPages(name string) map[string]string {
	pages := map[string]string{}
	for file, page := range ownPages() {
		heading, text, _ := strings.Cut(page, "\n")
		heading = strings.Replace(heading, "BENCH", escape(strings.ToUpper(name)), 1)
		pages[ownName.ReplaceAllString(file, name)] = heading + "\n" + ownName.ReplaceAllLiteralString(text, escape(name))
	}
	return pages
}

// ownPages are the pages of bench.
func ownPages() map[string]string {
	var all roff
	all.head("bench", "what an RL estimator does to the diversity of a policy")
	all.section("SYNOPSIS")
	all.line("bench COMMAND [ARGUMENTS] [FLAGS]")
	all.section("DESCRIPTION")
	intro, _, _ := strings.Cut(helpText, "\nCommands:")
	all.text(intro)
	all.section("COMMANDS")
	pages := map[string]string{}
	for _, c := range commands() {
		all.item("bench "+c.name, c.summary)
		pages["bench-"+c.name+".1"] = c.page()
	}
	all.section("EXIT STATUS")
	all.block(strings.Split(strings.TrimRight(strings.TrimPrefix(exitCodesText, "Exit codes:\n"), "\n"), "\n"))
	pages["bench.1"] = all.String()
	return pages
}

// page is the manual page of a command.
func (c command) page() string {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	c.setup(flags)
	var r roff
	r.head("bench-"+c.name, c.summary)
	r.section("SYNOPSIS")
	r.line(strings.TrimSpace("bench " + c.name + " " + c.args))
	r.section("DESCRIPTION")
	r.text(strings.TrimSpace(c.detail))
	if flags.HasFlags() {
		r.section("OPTIONS")
		flags.VisitAll(func(f *pflag.Flag) {
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			kind, usage := pflag.UnquoteUsage(f)
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
				usage += " (default " + f.DefValue + ")"
			}
			r.item(strings.TrimSpace(name+" "+kind), usage)
		})
	}
	r.section("SEE ALSO")
	r.line("bench(1), which has the exit codes")
	return r.String()
}

// roff writes a manual page in the language of man.
type roff struct{ strings.Builder }

// escape makes a text of a line one that roff prints as it is.
func escape(line string) string {
	line = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `~`, `\(ti`, `^`, `\(ha`, "`", "\\(ga", `'`, `\(aq`).Replace(line)
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}

func (r *roff) head(name, summary string) {
	// Without a date, so that a page is a function of the program alone.
	fmt.Fprintf(r, ".TH %s 1 \"\" modebench\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), escape(name), escape(summary))
}

func (r *roff) section(name string) { fmt.Fprintf(r, ".SH %s\n", name) }

func (r *roff) line(text string) { fmt.Fprintf(r, "%s\n", escape(text)) }

func (r *roff) item(name, text string) {
	fmt.Fprintf(r, ".TP\n\\fB%s\\fR\n%s\n", escape(name), escape(text))
}

// text writes paragraphs. One whose lines are indented is kept as it is.
func (r *roff) text(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		lines := strings.Split(strings.Trim(paragraph, "\n"), "\n")
		if i > 0 {
			r.WriteString(".PP\n")
		}
		for len(lines) > 0 {
			n := 1
			indented := strings.HasPrefix(lines[0], " ")
			for n < len(lines) && strings.HasPrefix(lines[n], " ") == indented {
				n++
			}
			if indented {
				r.block(lines[:n])
			} else {
				for _, line := range lines[:n] {
					r.line(line)
				}
			}
			lines = lines[n:]
		}
	}
}

// block writes lines as they are.
func (r *roff) block(lines []string) {
	r.WriteString(".nf\n")
	for _, line := range lines {
		r.line(line)
	}
	r.WriteString(".fi\n")
}
