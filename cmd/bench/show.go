package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/internal/cli"
	"modebench/plots/lines"
)

func newShowCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "show DIR [flags]", Short: "show an experiment in the terminal: how its metrics went and ended",
		Args: cli.Takes(1, 1, "the folder of one experiment"),
		Long: `
DIR is the folder of an experiment, as bench run leaves it (results/quick). For each metric of its
table, and each method: the mean over seeds before training, a line of how it went over steps, and
what the table has, the mean after training with its 95% interval. All lines of a metric have the
same steps from left to right, in which each evaluation has the room until the next one and the last
as much as the others. They have the same heights, from the least to the greatest mean, which follow
the metric's name, however near these are: the intervals tell a rise from noise. A metric that is
measured once is a flat line.

Of a run that has not ended it shows the cells that are finished, and the number of the others.

The text is as wide as the terminal, or as the variable COLUMNS, and 80 elsewhere. On a
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
	out := s.out
	if checked, ok := out.(*checkedWriter); ok {
		out = checked.w
	}
	look, restore := lines.LookOf(out, os.Getenv)
	defer restore()
	look.ASCII = o.ascii
	text, err := look.Text(ctx, args[0], o.metrics)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.out, text)
	return err
}
