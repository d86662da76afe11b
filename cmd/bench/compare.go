package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/internal/cli"
	"modebench/internal/input"
)

func newCompareCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "compare OLD[:LABEL] NEW[:LABEL] [flags]", Short: "compare two results: the shift of each metric, and whether it is more than chance",
		Args: cli.Takes(2, 2, "two folders, OLD and NEW"),
		Long: `
OLD and NEW are folders of experiments, as bench run leaves them (results/quick).
Variants (methods at their settings) are matched by label; one whose label the other
side lacks is matched by the spec's name of the method, at the settings that agree: so
bench run quick --set 'train.lr=[0.1, 0.3]' is held against bench run quick. With :LABEL a
side is one variant, or the spec's name of a method, or a method; so two methods of one
run are compared by results/maze-bestk:grpo results/maze-bestk:vpo. Named at
several settings, each is compared at the settings that both have. A name on one
side alone selects the same variants on the other.

Every metric is that of the last evaluation, one value per seed. Where both sides
ran the same seeds (or share six at least), a seed is compared with itself: its
problems and the uniforms of its evaluation are the same on both sides. The table
has, for each variant and metric:
  old, new     mean over the seeds compared
  delta        new - old, with its 95% interval
  p            corrected for the number of metrics (Holm), not for that of methods;
               n counts seeds; "~": not significant at 0.05; "same": no seed differs
               (by more than 1e-12);
               "underpowered, need 8": with fewer seeds no p could be small enough,
               so it is left out
  P(new>old)   chance that a seed of new is above one of old, with its interval
Variants that are the same in every metric (what a setting did not touch) are counted
below the table; --all shows their rows too.

Every metric that is compared makes a verdict harder for the others: --metric asks
for those that matter. Comparisons are no gate: the exit code is 0 whatever moved.

--detect D prints instead the number of seeds that show a difference of D in one metric.

--format json prints one document, of all rows: {"old": {"dir", "spec", "label"}, "new": ..., "statistic",
"alpha", "rows": [{"variant", "metric", "n", "paired", "old": {"variant", "n",
"mean", "low", "high"}, "new": ..., "delta": {"mean", "low", "high"},
"improvement": ..., "p", "need", "verdict"}], "only_old", "only_new", "left_out",
"warnings"}. verdict is same, moved, unclear, underpowered or undefined (no
seed has a value on both sides); p is null with fewer seeds than need, and so is every
number that is not finite. With --detect a row also has "detect": {"difference",
"deviation", "seeds", "detectable"}.`,
	}, &compareOptions{})
}

type compareOptions struct {
	flags     *pflag.FlagSet
	metrics   []string
	statistic analysis.Statistic
	detect    float64
	form      string
	all       bool
}

func (o *compareOptions) AddFlags(flags *pflag.FlagSet) {
	o.flags = flags
	flags.StringSliceVar(&o.metrics, "metric", nil, "metrics to compare, or all; default: the columns of NEW's table")
	o.statistic = analysis.StatisticMean
	cli.Choice(flags, &o.statistic, "stat", "what sums up the seeds: mean, or iqm, the interquartile mean", analysis.StatisticMean, analysis.StatisticIQM)
	flags.Float64Var(&o.detect, "detect", 0, "print the number of seeds that show a difference of `D` in the one --metric")
	flags.BoolVar(&o.all, "all", false, "show variants that are the same on both sides too")
	addForm(flags, &o.form, formJSON, formLaTeX)
}

func (o *compareOptions) run(_ context.Context, s streams, args []string) error {
	if err := o.checkDetect(); err != nil {
		return err
	}
	c, err := compareArgs(args, analysis.CompareOptions{Metrics: o.metrics, Statistic: o.statistic})
	if err != nil {
		return err
	}
	for _, warning := range c.Warnings() {
		s.note("warning: " + warning)
	}
	return o.print(s, c)
}

// checkDetect checks the difference of --detect, and the flags beside it.
func (o *compareOptions) checkDetect() error {
	asked := o.flags.Changed("detect")
	switch {
	case asked && (!(o.detect > 0) || math.IsInf(o.detect, 1)):
		return usagef("--detect is %v, want a difference above 0, in the metric's unit", o.detect)
	case asked && (len(o.metrics) != 1 || o.metrics[0] == analysis.AllMetrics):
		return usagef("--detect plans for one metric: name it with --metric")
	case o.form == formLaTeX && asked:
		return usagef("--format latex prints the table of a comparison: leave out --detect")
	}
	return nil
}

// compareArgs opens the two sides and compares them.
func compareArgs(args []string, opt analysis.CompareOptions) (*analysis.Comparison, error) {
	var sides [2]analysis.Side
	for i, arg := range args {
		dir, label, err := splitSide(arg)
		if err != nil {
			return nil, err
		}
		run, err := record.Open(dir)
		if err != nil {
			return nil, input.UnlessFile(err)
		}
		sides[i] = analysis.Side{Run: run, Label: label}
	}
	c, err := analysis.Compare(sides[0], sides[1], opt)
	return c, input.UnlessFile(err)
}

// splitSide splits FOLDER:LABEL. A colon belongs to the folder if a folder of that
// name exists; of several, the last colon behind an existing folder
// begins the label.
func splitSide(arg string) (dir, label string, err error) {
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	colon := strings.LastIndexByte(arg, ':')
	if colon < 0 || exists(arg) {
		return arg, "", nil
	}
	for i := colon; i > 0; i = strings.LastIndexByte(arg[:i], ':') {
		if exists(arg[:i]) {
			colon = i
			break
		}
	}
	dir, label = arg[:colon], arg[colon+1:]
	if dir == "" || label == "" {
		return "", "", usagef("%q: want a folder, or FOLDER:LABEL", arg)
	}
	return dir, label, nil
}

func (o *compareOptions) print(s streams, c *analysis.Comparison) error {
	text := ""
	switch {
	case o.form == formJSON:
		data, err := analysis.CompareJSON(c, o.detect)
		if err != nil {
			return err
		}
		text = string(data)
	case o.form == formLaTeX:
		text = analysis.CompareLaTeX(c, o.all)
	case o.detect > 0:
		text = analysis.PlanText(c, o.detect)
	default:
		text = analysis.CompareText(c, o.all)
	}
	_, err := fmt.Fprint(s.out, text)
	return err
}
