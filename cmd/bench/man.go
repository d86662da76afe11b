package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"modebench/internal/atomicfile"
)

func newManCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "man DIR", Short: "write the manual pages of all commands into a folder",
		Args: takes(1, 1, "the folder to write to"),
		Long: `
Writes bench.1, with all commands and exit codes, and bench-COMMAND.1 for each command: what
bench help prints, for man:

  bench man ~/.local/share/man/man1
  man bench-run

A program that was called by another name writes the pages of that name.`,
	}, &manOptions{})
}

type manOptions struct{ noFlags }

func (*manOptions) run(_ context.Context, _ streams, args []string) error {
	if err := os.MkdirAll(args[0], 0o777); err != nil {
		return err
	}
	pages, err := manualPages(commandName(os.Args[0]))
	if err != nil {
		return err
	}
	for name, page := range pages {
		if err := atomicfile.Write(filepath.Join(args[0], name), page); err != nil {
			return err
		}
	}
	return nil
}

// manualPages are the pages by their file names, for the program by this name.
func manualPages(name string) (map[string][]byte, error) {
	pages := map[string][]byte{}
	root := newRoot(name, streams{})
	root.PersistentFlags().Lookup("help").Hidden = true
	var add func(*cobra.Command) error
	add = func(c *cobra.Command) error {
		for _, sub := range c.Commands() {
			if !sub.IsAvailableCommand() {
				continue
			}
			if err := add(sub); err != nil {
				return err
			}
		}
		inMarkdown(c)
		var page bytes.Buffer
		if err := doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: "modebench", Date: new(time.Time)}, &page); err != nil {
			return err
		}
		// Without a date, so that a page is a function of the program alone.
		text := bytes.Replace(page.Bytes(), []byte(`"Jan 0001"`), []byte(`""`), 1)
		pages[strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"] = flagItem.ReplaceAll(text, []byte(".TP\n$1\n"))
		return nil
	}
	return pages, add(root)
}

// flagItem matches a flag and the tab before its text, which belong into an item.
var flagItem = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*)\n\t`)

// inMarkdown turns the texts of a command into Markdown, from which cobra makes its page.
func inMarkdown(c *cobra.Command) {
	name := c.Root().Name()
	if !c.HasParent() {
		c.Short, c.Long = "what an RL estimator does to the diversity of a policy", helpOf(c)
	}
	c.DisableAutoGenTag = true
	c.Use, c.Short, c.Long = escaped.Replace(c.Use), escaped.Replace(renamed(c.Short, name)), markdown(renamed(c.Long, name))
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = escaped.Replace(renamed(f.Usage, name)) })
}

// escaped is a text in which Markdown finds nothing of its own.
var escaped = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`, "&", `\&`, "~", `\~`, "#", `\#`)

// markdown is a text of the help in Markdown: indented lines are a block.
func markdown(text string) string {
	var b strings.Builder
	block := false
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if indented := line[0] == ' ' || line[0] == '\t'; indented != block && line != "\n" {
			b.WriteString("\n")
			block = indented
		}
		if block {
			b.WriteString("\t" + line)
		} else {
			b.WriteString(escaped.Replace(line))
		}
	}
	return b.String()
}
