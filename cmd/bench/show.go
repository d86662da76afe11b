package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/analysis"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/internal/nearest"
	"modebench/internal/plural"
	"modebench/internal/terminal"
)

func newShowCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "show DIR [flags]", Short: "show an experiment in the terminal: how its metrics went, and where they ended",
		Args: takes(1, 1, "the folder of one experiment"),
		Long: `
DIR is the folder of an experiment, as bench run leaves it (results/quick). For each metric of its
table, and each method: the mean over seeds before training, a line of how it went over steps, and
what the table has, the mean after training with its 95% interval. All lines of a metric have the
same steps from left to right, in which each evaluation has the room until the next one and the last
as much as the others. They have the same heights, from the least to the greatest mean, which stand
behind the metric's name, however near these are: whether a rise is more than noise, the intervals
say. What is measured once is a flat line.

Of a run that has not ended it shows the cells that are finished, and says how many are not.

The text is as wide as the terminal, or as the variable COLUMNS says, and 80 elsewhere. On a
terminal names are bold, unless NO_COLOR is set. --ascii draws without the block characters of
Unicode.

  bench show results/quick --metric entropy_mode,coverage@4`,
	}, &showOptions{})
}

type showOptions struct {
	metrics []string
	ascii   bool
}

func (o *showOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&o.metrics, "metric", nil, "metrics to show; default: those of the table")
	flags.BoolVar(&o.ascii, "ascii", false, "draw with ASCII characters alone")
}

func (o *showOptions) run(ctx context.Context, s streams, args []string) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	look, restore := lookOf(s, os.Getenv)
	defer restore()
	look.ascii = o.ascii
	return showFolder(ctx, s, args[0], o.metrics, look)
}

// showFolder shows the experiment in a folder.
func showFolder(ctx context.Context, s streams, dir string, metrics []string, look showLook) error {
	run, part, err := openPart(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	if part != nil {
		fmt.Fprintln(&b, look.wrapped(fmt.Sprintf("%s: the run has not ended, %s; bench status %s says more", part.Spec, countsText(part.Status), dir)))
	}
	if run == nil {
		fmt.Fprintln(&b, "There is nothing to show yet.")
	} else {
		text, err := shownText(ctx, run, metrics, part == nil, look)
		if err != nil {
			return err
		}
		if part != nil && len(part.Without) > 0 {
			text += "\n" + look.wrapped("no cell is finished of "+strings.Join(part.Without, ", ")) + "\n"
		}
		b.WriteString(text)
	}
	text := b.String()
	if look.ascii {
		text = inASCII(text)
	}
	_, err = fmt.Fprint(s.out, text)
	return err
}

// openPart opens the folder of an experiment: its run if it has ended, else what there is of it, by
// its plan, and the run of what is finished, nil for nothing.
func openPart(dir string) (*record.Run, *sweep.Part, error) {
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	var part *sweep.Part
	if there(record.PlanFile) {
		var err error
		if part, err = sweep.PartOf(dir); err != nil {
			return nil, nil, err
		}
		switch manifest := there(record.ManifestFile); {
		case manifest && len(part.Status.Cells) == 0: // the plan is of what has been run
			part = nil
		case part.Run != nil || !manifest: // else what there is from before
			return part.Run, part, nil
		}
	}
	run, err := record.Open(dir)
	return run, part, inputUnlessFile(err)
}

// shownText is the text of a run.
func shownText(ctx context.Context, run *record.Run, metrics []string, ended bool, look showLook) (string, error) {
	known := run.Columns
	if metrics == nil {
		metrics = known
	}
	run.Columns = metrics
	rows, err := analysis.SummaryRows(ctx, run)
	if err != nil {
		return "", inputUnlessFile(err)
	}
	courses, err := readCourses(ctx, run, metrics)
	if err != nil {
		return "", inputUnlessFile(err)
	}
	var b strings.Builder
	head := run.Spec
	if run.Title != "" {
		head += ": " + run.Title
	}
	fmt.Fprintf(&b, "%s\n%s\n", look.bold(terminal.Cut(head, look.width)), look.wrapped(showNote(run, rows)))
	for i, metric := range metrics {
		if !courses.has(i) && !slices.Contains(known, metric) {
			return "", usagef("--metric %q: %sthe records have no such metric; the table has %s", metric, nearest.Hint(metric, known), listed(known))
		}
		b.WriteString("\n" + look.metric(courses, i, metric, rows))
	}
	if ended && len(run.Claims) > 0 {
		verdicts, err := claims.Judge(run)
		if err != nil {
			return "", inputUnlessFile(err)
		}
		b.WriteString("\n" + look.wrapped(claims.Tally(verdicts)) + "\n")
	}
	return b.String(), nil
}

// showNote says what the numbers are.
func showNote(run *record.Run, rows []analysis.SummaryRow) string {
	least, most, step := len(run.Variants[0].Cells), 0, 0
	for i, v := range run.Variants {
		least, most, step = min(least, len(v.Cells)), max(most, len(v.Cells)), max(step, rows[i].Step)
	}
	seeds := plural.Of(most, "seed")
	if least < most {
		seeds = fmt.Sprintf("%d to %d seeds", least, most)
	}
	return fmt.Sprintf("%s, %s, steps 0 to %d; means: first, course, last [95%% interval]", plural.Of(len(run.Variants), "method"), seeds, step)
}
