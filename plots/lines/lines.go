// Package lines shows an experiment in the terminal: for each metric a line of blocks for each
// method, from the first step to the last, between the means before and after training.
package lines

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/experiments/analysis"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/internal/plural"
	"modebench/internal/terminal"
	"modebench/plots"
)

// A Look is how an experiment is shown.
type Look struct {
	Width int  // in characters
	ASCII bool // no other characters
	Bold  bool // the names of metrics, by control sequences
}

// LookOf is the look that a stream and the variables of the environment allow. restore undoes its
// changes to the terminal.
func LookOf(out io.Writer, environment func(string) string) (look Look, restore func()) {
	restore = func() {}
	screen, _ := out.(*os.File)
	if screen != nil && !terminal.Is(screen) {
		screen = nil
	}
	if screen != nil && terminal.WantsDrawing(environment) {
		if undo, ok := terminal.EnableSequences(screen); ok {
			look.Bold, restore = true, undo
		}
	}
	look.Width = max(30, terminal.Width(screen, environment))
	return look, restore
}

// Text shows metrics of the experiment in a folder, nil for those of its table, or the finished cells
// of a run that has not ended. A metric that no record has is an *input.Usage error of --metric.
func (l Look) Text(ctx context.Context, dir string, metrics []string) (string, error) {
	run, part, err := sweep.OpenFolder(dir)
	if err != nil {
		return "", err
	}
	text := ""
	if part != nil {
		text = l.wrapped(fmt.Sprintf("%s: the run has not ended, %s; see bench status %s", part.Spec, part.Status.Text(), dir)) + "\n"
	}
	if run == nil {
		return text + "There is nothing to show yet.\n", nil
	}
	shown, err := l.run(ctx, run, metrics, part == nil)
	if err != nil {
		return "", err
	}
	text += shown
	if part != nil && len(part.Without) > 0 {
		text += "\n" + l.wrapped("no cell is finished of "+strings.Join(part.Without, ", ")) + "\n"
	}
	if l.ASCII {
		text = strings.Map(toASCII, text)
	}
	return text, nil
}

// run is the text of a run. If it has ended, its claims are judged.
func (l Look) run(ctx context.Context, run *record.Run, metrics []string, ended bool) (string, error) {
	known := run.Columns
	if metrics == nil {
		metrics = known
	}
	run.Columns = metrics
	rows, err := analysis.SummaryRows(ctx, run)
	if err != nil {
		return "", input.UnlessFile(err)
	}
	courses, err := readCourses(ctx, run, metrics)
	if err != nil {
		return "", input.UnlessFile(err)
	}
	var b strings.Builder
	head := run.Spec
	if run.Title != "" {
		head += ": " + run.Title
	}
	fmt.Fprintf(&b, "%s\n%s\n", l.bold(terminal.Cut(head, l.Width)), l.wrapped(note(run, rows)))
	for i, metric := range metrics {
		if !courses.has(i) && !slices.Contains(known, metric) {
			return "", input.Usagef("--metric %q: %sthe records have no such metric; the table has %s", metric, nearest.Hint(metric, known), strings.Join(known, ", "))
		}
		b.WriteString("\n" + l.metric(courses, i, metric, rows))
	}
	if ended && len(run.Claims) > 0 {
		verdicts, err := claims.Judge(run)
		if err != nil {
			return "", input.UnlessFile(err)
		}
		b.WriteString("\n" + l.wrapped(claims.Tally(verdicts)) + "\n")
	}
	return b.String(), nil
}

// note describes the numbers.
func note(run *record.Run, rows []analysis.SummaryRow) string {
	lowest, highest, step := len(run.Variants[0].Cells), 0, 0
	for i, v := range run.Variants {
		lowest, highest, step = min(lowest, len(v.Cells)), max(highest, len(v.Cells)), max(step, rows[i].Step)
	}
	seeds := plural.Count(highest, "seed")
	if lowest < highest {
		seeds = fmt.Sprintf("%d to %d seeds", lowest, highest)
	}
	return fmt.Sprintf("%s, %s, steps 0 to %d; means: first, course, last [95%% interval]", plural.Count(len(run.Variants), "method"), seeds, step)
}

func (l Look) bold(text string) string {
	if !l.Bold {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// wrapped breaks a text at blanks into lines of the width.
func (l Look) wrapped(text string) string {
	var b strings.Builder
	room := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			room = l.Width
		case n < room:
			b.WriteString(" ")
			room--
		default:
			b.WriteString("\n")
			room = l.Width
		}
		b.WriteString(word)
		room -= n
	}
	return b.String()
}

// Widths of the parts of a line, in characters.
const (
	labelWidth = 24
	sparkWidth = 48
	leastSpark = 8 // with less it is left out
)

// metric is the block of a metric: a line for each variant.
func (l Look) metric(c *courses, metric int, name string, rows []analysis.SummaryRow) string {
	var b strings.Builder
	extent := ""
	if low, high := c.extent(metric); low <= high {
		extent = fmt.Sprintf("  %s to %s", terminal.Number(low), terminal.Number(high))
	}
	head := terminal.Cut(name, l.Width-len(extent))
	if title := plots.MetricTitle(name); title != "" {
		extent = terminal.Cut(extent+"  "+title, l.Width-utf8.RuneCountInString(head))
	}
	fmt.Fprintf(&b, "%s%s\n", l.bold(head), extent)
	label, first, last := 0, 0, 0
	firsts := make([]string, len(rows))
	for i, r := range rows {
		if line := c.lines[i][metric]; len(line) > 0 {
			firsts[i] = terminal.Number(line[0].Value())
		}
		label = min(labelWidth, max(label, utf8.RuneCountInString(r.Label)))
		first = max(first, len(firsts[i]))
		last = max(last, utf8.RuneCountInString(r.Cells[metric].Text))
	}
	room := l.Width - label - first - 8
	if room-last < leastSpark { // the mean without its interval
		last = min(last, 8)
	}
	spark := min(sparkWidth, room-last)
	heights := terminal.Sparks
	if l.ASCII {
		heights = []rune("_.:-=+*#")
	}
	for i, r := range rows {
		text := r.Cells[metric].Text
		if utf8.RuneCountInString(text) > last {
			text, _, _ = strings.Cut(text, " [")
		}
		line := fmt.Sprintf("  %-*s  %*s", label, terminal.Cut(r.Label, label), first, firsts[i])
		if spark >= leastSpark && c.has(metric) {
			line += "  " + c.spark(i, metric, spark, heights)
		}
		b.WriteString(strings.TrimRight(terminal.Cut(line+"  "+text, l.Width), " ") + "\n")
	}
	return b.String()
}

// toASCII replaces a character that is not of ASCII.
func toASCII(r rune) rune {
	switch {
	case r == '…':
		return '.'
	case r == '−':
		return '-'
	case r >= utf8.RuneSelf:
		return '?'
	}
	return r
}
