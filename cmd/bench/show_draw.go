package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/terminal"
	"modebench/plots"
)

// courses are the means over seeds of metrics at the steps where they were evaluated.
type courses struct {
	lines [][]terminal.Series // by variant and metric
	last  int                 // step of the last evaluation of all
	still []bool              // by variant: it is measured once
}

// readCourses reads the evaluations of all cells.
func readCourses(ctx context.Context, run *record.Run, metrics []string) (*courses, error) {
	c := &courses{}
	for _, v := range run.Variants {
		lines := make([]terminal.Series, len(metrics))
		for _, ref := range v.Cells {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			evals, err := run.Evals(ref)
			if err != nil {
				return nil, err
			}
			for _, e := range evals {
				c.last = max(c.last, e.Step)
				for i, metric := range metrics {
					if x, ok := e.Metrics[metric]; ok && !math.IsNaN(x) && !math.IsInf(x, 0) {
						lines[i].Add(e.Step, x)
					}
				}
			}
		}
		c.lines = append(c.lines, lines)
		c.still = append(c.still, !v.Trains)
	}
	return c, nil
}

// has says whether any variant has the metric: not so the step of a collapse, which is of all
// evaluations together.
func (c *courses) has(metric int) bool {
	return slices.ContainsFunc(c.lines, func(of []terminal.Series) bool { return len(of[metric]) > 0 })
}

// extent is the least and the greatest mean of a metric.
func (c *courses) extent(metric int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, of := range c.lines {
		for i := range of[metric] {
			x := of[metric][i].Value()
			low, high = min(low, x), max(high, x)
		}
	}
	return low, high
}

// asciiSparks are heights for terminals without block characters.
var asciiSparks = []rune("_.:-=+*#")

// spacing is the mean number of steps from one evaluation to the next.
func spacing(line terminal.Series) float64 {
	if len(line) < 2 {
		return 0
	}
	return float64(line[len(line)-1].Step-line[0].Step) / float64(len(line)-1)
}

// end is the step at which the axis of a metric ends, with the room of the last evaluation of all.
func (c *courses) end(metric int) float64 {
	room := 0.0
	for _, of := range c.lines {
		if line := of[metric]; len(line) > 0 && line[len(line)-1].Step == c.last {
			room = max(room, spacing(line))
		}
	}
	return float64(c.last) + room
}

// spark draws a course over so many characters, from step 0 to the end of the axis: at each what was
// measured last until then. It is blank where nothing has been measured yet, and behind the end.
func (c *courses) spark(variant, metric, width int, heights []rune) string {
	line := c.lines[variant][metric]
	low, high := c.extent(metric)
	out := make([]rune, width)
	at, end := -1, c.end(metric)
	for i := range out {
		step := end * float64(i) / float64(width)
		if i == width-1 { // of more evaluations than characters the last one is seen
			step = float64(c.last)
		}
		for at+1 < len(line) && float64(line[at+1].Step) <= step {
			at++
		}
		out[i] = ' '
		if at < 0 || !c.still[variant] && at == len(line)-1 && step > float64(line[at].Step) && step >= float64(line[at].Step)+spacing(line) {
			continue
		}
		height := 0
		if high > low {
			height = min(len(heights)-1, int((line[at].Value()-low)/(high-low)*float64(len(heights))))
		}
		out[i] = heights[height]
	}
	return string(out)
}

// showLook is how an experiment is shown.
type showLook struct {
	width           int
	ascii, sequence bool // sequence: the terminal takes control sequences
}

// lookOf is how the stream and the environment want it. restore undoes what it did to the terminal.
func lookOf(s streams, environment func(string) string) (look showLook, restore func()) {
	restore = func() {}
	var screen *os.File
	if out, ok := s.out.(*checkedWriter); ok {
		if file, ok := out.w.(*os.File); ok && terminal.Is(file) {
			screen = file
		}
	}
	if screen != nil && terminal.WantsDrawing(environment) {
		if undo, ok := terminal.EnableSequences(screen); ok {
			look.sequence, restore = true, undo
		}
	}
	look.width = max(30, terminal.Width(screen, environment))
	return look, restore
}

func (l showLook) bold(text string) string {
	if !l.sequence {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// wrapped breaks a text at blanks into lines of the width.
func (l showLook) wrapped(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if joined := strings.TrimSpace(line + " " + word); utf8.RuneCountInString(joined) <= l.width || line == "" {
			line = joined
			continue
		}
		lines = append(lines, line)
		line = word
	}
	return strings.Join(append(lines, line), "\n")
}

// Widths of the parts of a line, in characters.
const (
	showLabel = 24
	showSpark = 48
	sparkWish = 8 // with less it is left out
)

// metric is the block of a metric: a line for each variant.
func (l showLook) metric(c *courses, metric int, name string, rows []analysis.SummaryRow) string {
	var b strings.Builder
	extent := ""
	if low, high := c.extent(metric); low <= high {
		extent = fmt.Sprintf("  %s to %s", terminal.Number(low), terminal.Number(high))
	}
	head := terminal.Cut(name, l.width-len(extent))
	if title := plots.MetricTitle(name); title != "" {
		extent = terminal.Cut(extent+"  "+title, l.width-utf8.RuneCountInString(head))
	}
	fmt.Fprintf(&b, "%s%s\n", l.bold(head), extent)
	label, first, last := 0, 0, 0
	firsts := make([]string, len(rows))
	for i, r := range rows {
		if line := c.lines[i][metric]; len(line) > 0 {
			firsts[i] = terminal.Number(line[0].Value())
		}
		label = max(label, utf8.RuneCountInString(r.Label))
		first = max(first, len(firsts[i]))
		last = max(last, utf8.RuneCountInString(r.Cells[metric].Text))
	}
	label = min(label, showLabel)
	spark := min(showSpark, l.width-2-label-2-first-2-2-last)
	if spark < sparkWish { // the mean without its interval
		last = min(last, 8)
		spark = min(showSpark, l.width-2-label-2-first-2-2-last)
	}
	heights := terminal.Sparks
	if l.ascii {
		heights = asciiSparks
	}
	for i, r := range rows {
		text := r.Cells[metric].Text
		if utf8.RuneCountInString(text) > last {
			text, _, _ = strings.Cut(text, " [")
		}
		line := fmt.Sprintf("  %-*s  %*s", label, terminal.Cut(r.Label, label), first, firsts[i])
		if spark >= sparkWish && c.has(metric) {
			line += "  " + c.spark(i, metric, spark, heights)
		}
		b.WriteString(strings.TrimRight(terminal.Cut(line+"  "+text, l.width), " ") + "\n")
	}
	return b.String()
}

// inASCII stands something of ASCII for every other character.
func inASCII(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '…':
			return '.'
		case r == '−':
			return '-'
		case r >= utf8.RuneSelf:
			return '?'
		}
		return r
	}, text)
}
