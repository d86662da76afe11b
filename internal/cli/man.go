package cli

import (
	"bytes"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// ManualPages are the manual pages of a program by their file names; short describes the
// program in a phrase. The texts of its commands are not of use after that.
func ManualPages(root *cobra.Command, short string) (map[string][]byte, error) {
	pages := map[string][]byte{}
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
		if c == root {
			c.Short, c.Long = short, Help(c)
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
	c.DisableAutoGenTag = true
	c.Use, c.Short, c.Long = escaped.Replace(c.Use), escaped.Replace(Renamed(c.Short, name)), markdown(Renamed(c.Long, name))
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = escaped.Replace(Renamed(f.Usage, name)) })
}

// escaped is a text without Markdown's signs.
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
