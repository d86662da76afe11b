package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/plots"
	"modebench/plots/sources"
)

func newPlotCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "plot DIR [DIR2...] [flags]", Short: "draw the figures of an experiment again, or of several side by side",
		Args: cli.Takes(1, math.MaxInt, "the folder of an experiment, or of several"),
		Long: `
DIR is the folder of an experiment, as bench run leaves it (results/quick). The
figures are those its spec asks for; --figure picks some of them. --show, once for each, picks
variants in order, under their labels or other names. --set changes the fields of [[figure]] that
bench list figure describes, such as metrics, width in inches, limits and logarithms of the axes:

  bench plot results/quick --figure curves --show poly-epo=Poly-EPO --show grpo=GRPO --out mine
  bench plot results/quick --figure curves --set figure.width=5.5 --set figure.log=y --out mine
  bench plot results/quick --figure curves --set figure.metrics=entropy_mode --set figure.x=0,50 \
    --set figure.without=title,footer --out mine

Of the formats json is no picture but a figure's numbers: NAME.json, a few kilobytes
beside records of megabytes, from which the same figure is drawn again, byte for
byte. DIR may be such a file, or a folder that holds some and no records
(results/reference/maze-bestk):

  bench plot results/quick --figure-format json --out kept
  bench plot kept

pgf is for a paper, with \usepackage{pgf}: the figure is drawn in the font of the text around it.

  \resizebox{\textwidth}{!}{\input{curves.pgf}}

makes one as wide as the page, and \columnwidth in its place as wide as a column. Without
\resizebox a figure of one panel is 3.25 inches wide and most others 6.75, which are the column and
the page of ICML. For the pages of NeurIPS and ICLR give --set figure.width=5.5, for others see
docs/papers.md.

Several folders are drawn side by side, with one legend and the same axes: the
figure of the name --figure of each, a curve or a k-curve, as one file in --out:

  bench plot results/maze-bestk results/maze-bestk-transformer --figure best-at-k --out .
  bench plot before/mine after/mine --label before --label after --out .`,
	}, &plotOptions{})
}

type plotOptions struct {
	out                           string
	figures, set, labels, formats []string
	show                          []string
}

func (o *plotOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&o.out, "out", "o", "", "folder for the figures; default: DIR, if it is the only one")
	flags.StringSliceVar(&o.figures, "figure", nil, "names of the figures to draw; default: all, or the figure that several folders share")
	flags.StringArrayVar(&o.set, "set", nil, "change a field of the figures: --set figure.width=5.5, --set figure.metrics=reward")
	flags.StringArrayVar(&o.show, "show", nil, "draw this variant, under its label or another name; once for each, in order: `LABEL[=NAME]`")
	flags.StringArrayVar(&o.labels, "label", nil, "heading of a folder's panels, once for each of several; default: its policy or spec, and its title if they differ")
	addFigureFormats(flags, &o.formats, sources.DataFormat)
}

func (o *plotOptions) run(_ context.Context, s streams, args []string) error {
	if err := o.check(len(args)); err != nil {
		return err
	}
	var opened []*sources.Source
	for _, dir := range args {
		from, err := sources.Open(dir)
		if err != nil {
			return err
		}
		opened = append(opened, from)
	}
	draw := o.sideBySide
	if len(opened) == 1 {
		draw = o.again
	}
	files, err := draw(opened)
	if err == nil && len(files) > 0 {
		fmt.Fprintln(s.out, strings.Join(files, "\n"))
	}
	return err
}

// check checks the flags for a number of folders.
func (o *plotOptions) check(dirs int) error {
	switch {
	case dirs == 1 && o.labels != nil:
		return usagef("--label is for several folders, and bench plot got one")
	case dirs == 1 && (o.set != nil || o.show != nil) && o.out == "":
		return usagef("--set and --show draw another figure than that of the name in the folder: give another folder by --out")
	case dirs > 1 && o.show != nil:
		return usagef("--show is for one folder, and bench plot got several")
	case dirs > 1 && o.out == "":
		return usagef("bench plot of several folders: give a folder for the figures by --out")
	case dirs > 1 && o.labels != nil && len(o.labels) != dirs:
		return usagef("--label is given %d times for %d folders, want it once for each", len(o.labels), dirs)
	case dirs > 1 && slices.Contains(o.formats, sources.DataFormat):
		return usagef("--figure-format %q: the numbers of a figure are those of one folder", sources.DataFormat)
	}
	return nil
}

// change sets the fields of --set.
func (o *plotOptions) change(figures []record.Figure) error {
	if err := spec.SetFigures(figures, o.set); err != nil {
		return &input.Usage{Err: err}
	}
	return nil
}

// again draws figures of a source, and lists the files.
func (o *plotOptions) again(from []*sources.Source) (files []string, err error) {
	figures, err := from[0].Pick(o.figures)
	if err == nil {
		err = o.change(figures)
	}
	if err != nil {
		return nil, err
	}
	out := cmp.Or(o.out, from[0].Dir)
	if err := os.MkdirAll(out, 0o755); err != nil || slices.Contains(o.formats, "none") {
		return nil, err
	}
	var all []*plots.Data
	for _, fig := range figures {
		data, err := from[0].Gather(fig)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	if o.show != nil {
		if all, err = plots.Show(all, o.show); err != nil {
			return nil, fmt.Errorf("--show: %w", err)
		}
	}
	for _, data := range all {
		written, err := sources.Save(data, out, o.formats)
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	return files, nil
}

// sideBySide draws figures that all sources have, and lists the files.
func (o *plotOptions) sideBySide(from []*sources.Source) (files []string, err error) {
	sides := sources.Sides{Sources: from, Change: o.change, Labels: o.labels}
	names, err := sides.Names(o.figures)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		picture, err := sides.Draw(name)
		if err != nil {
			return nil, err
		}
		saved, err := saveFigure(picture, o.out, name, o.formats)
		if err != nil {
			return nil, err
		}
		files = append(files, saved...)
	}
	return files, nil
}
