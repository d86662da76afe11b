package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/record"
	"modebench/internal/nearest"
	"modebench/plots"
)

func newPlotCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "plot DIR [DIR2...] [flags]", Short: "draw the figures of an experiment again, or of several side by side",
		Args: takes(1, math.MaxInt, "the folder of an experiment, or of several"),
		Long: `
DIR is the folder of an experiment, as bench run leaves it (results/quick). The
figures are those its spec asks for; --figure picks some of them, --metric some
of their panels, --format the file formats.

Of the formats json is no picture but a figure's numbers: NAME.json, a few kilobytes
beside records of megabytes, from which the same figure is drawn again, byte for
byte. In place of DIR stands such a file, or a folder that holds some and no records
(results/reference/maze-bestk):

  bench plot results/quick --format json --out kept
  bench plot kept

pgf is for a paper, with \usepackage{pgf}: the figure is drawn in the font of the text around it.

  \resizebox{\textwidth}{!}{\input{curves.pgf}}

makes one as wide as the page, and \columnwidth in its place as wide as a column. Without
\resizebox a figure of one panel is 3.25 inches wide and most others 6.75, which are the column and
the page of ICML. Pages of NeurIPS and ICLR are 5.5 inches wide, others in docs/papers.md.

Several folders are drawn side by side, with one legend and the same axes: the
figure of the name --figure of each, a curve or a k-curve, as one file in --out:

  bench plot results/maze-bestk results/maze-bestk-transformer --figure best-at-k --out .
  bench plot before/mine after/mine --label before --label after --out .`,
	}, &plotOptions{})
}

type plotOptions struct {
	out                               string
	figures, metrics, labels, formats []string
	freeY                             bool
}

func (o *plotOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&o.out, "out", "o", "", "folder for the figures; default: DIR, if it is the only one")
	flags.StringSliceVar(&o.figures, "figure", nil, "names of the figures to draw; default: all, or the one that several folders share")
	flags.StringSliceVar(&o.metrics, "metric", nil, "metrics to keep of the figures, as their specs name them; default: all")
	flags.StringArrayVar(&o.labels, "label", nil, "heading of a folder's panels, once for each of several; default: its policy or spec, and its title where they differ")
	flags.BoolVar(&o.freeY, "free-y", false, "let the vertical axes of several folders differ")
	flags.StringSliceVar(&o.formats, "format", []string{"svg", "png"}, "figure formats: svg, png, pdf, pgf (for LaTeX); json keeps the numbers")
}

func (o *plotOptions) run(_ context.Context, s streams, args []string) error {
	files, err := o.plot(args)
	if err != nil || len(files) == 0 {
		return err
	}
	_, err = fmt.Fprintln(s.out, strings.Join(files, "\n"))
	return err
}

// plot draws the figures of the experiments in the folders and lists the files.
func (o *plotOptions) plot(dirs []string) ([]string, error) {
	if err := o.check(len(dirs)); err != nil {
		return nil, err
	}
	var sources []*source
	for _, dir := range dirs {
		from, err := openSource(dir)
		if err != nil {
			return nil, err
		}
		sources = append(sources, from)
	}
	if len(sources) > 1 {
		return o.sideBySide(sources)
	}
	from := sources[0]
	figures, err := from.pick(o.figures)
	if err != nil {
		return nil, err
	}
	if figures, err = keepMetrics(figures, o.metrics); err != nil {
		return nil, err
	}
	if o.metrics != nil {
		figures = slices.DeleteFunc(figures, func(f record.Figure) bool { return len(f.Metrics) == 0 })
	}
	return o.draw(from, figures, cmp.Or(o.out, from.dir))
}

// draw draws figures of a source into the folder out and lists the files.
func (o *plotOptions) draw(from *source, figures []record.Figure, out string) (files []string, err error) {
	if err := os.MkdirAll(out, 0o755); err != nil || slices.Contains(o.formats, "none") {
		return nil, err
	}
	for _, fig := range figures {
		data, err := from.gather(fig)
		if err != nil {
			return nil, err
		}
		written, err := drawData(data, out, o.formats)
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	return files, nil
}

// check finds what is wrong with the flags for so many folders.
func (o *plotOptions) check(dirs int) error {
	switch {
	case dirs == 1 && (o.labels != nil || o.freeY):
		return usagef("--label and --free-y are for several folders, and bench plot got one")
	case dirs == 1 && o.metrics != nil && o.out == "":
		return usagef("--metric draws less than the figure of that name in the folder holds: give another folder by --out")
	case dirs > 1 && o.out == "":
		return usagef("bench plot of several folders: give a folder for the figures by --out")
	case dirs > 1 && o.labels != nil && len(o.labels) != dirs:
		return usagef("--label is given %d times for %d folders, want it once for each", len(o.labels), dirs)
	}
	if dirs > 1 {
		return checkFormats(o.formats)
	}
	return checkFormats(o.formats, dataFormat)
}

// sideBySide draws figures that all sources have, each one's panels beside the others'.
func (o *plotOptions) sideBySide(sources []*source) ([]string, error) {
	names, err := o.shared(sources)
	if err != nil {
		return nil, err
	}
	var files []string
	for i, name := range names {
		sides, err := o.sides(sources, name)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if err := os.MkdirAll(o.out, 0o755); err != nil {
				return nil, err
			}
		}
		picture, err := plots.Beside(sides, o.freeY)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		for _, format := range o.formats {
			if format == "none" {
				break
			}
			path := filepath.Join(o.out, name+"."+format)
			if err := picture.Save(path); err != nil {
				return nil, err
			}
			files = append(files, path)
		}
	}
	return files, nil
}

// sides are the sources' figures of a name. Headings of the user's own stand in place of
// titles that differ. Of records every side has the metrics of all figures.
func (o *plotOptions) sides(sources []*source, name string) ([]plots.Side, error) {
	var figures []record.Figure
	same, alike := true, true
	for _, from := range sources {
		figures = append(figures, from.figures[slices.Index(from.names(), name)])
		same = same && figures[len(figures)-1].Title == figures[0].Title
		alike = alike && figures[len(figures)-1].Kind == figures[0].Kind
	}
	figures, err := keepMetrics(figures, o.metrics)
	if err != nil {
		return nil, err
	}
	if alike {
		var all []string
		for _, fig := range figures {
			for _, metric := range fig.Metrics {
				if !slices.Contains(all, metric) {
					all = append(all, metric)
				}
			}
		}
		for i := range figures {
			figures[i].Metrics = all
		}
	}
	sides := make([]plots.Side, len(sources))
	for i, fig := range figures {
		if o.labels != nil && !same {
			fig.Title = ""
		}
		data, err := sources[i].gather(fig)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sources[i].name, err)
		}
		sides[i] = plots.Side{Data: data, From: sources[i].name}
	}
	headings, err := o.headings(sides)
	for i, heading := range headings {
		sides[i].Heading = heading
	}
	return sides, err
}

// shared are the names of the figures to draw, which all sources have.
func (o *plotOptions) shared(sources []*source) ([]string, error) {
	common := sources[0].names()
	for _, from := range sources[1:] {
		names := from.names()
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(names, name) })
	}
	if len(common) == 0 {
		var each []string
		for _, from := range sources {
			each = append(each, fmt.Sprintf("%s has %s", from.name, listed(from.names())))
		}
		return nil, usagef("the folders share no figure to draw side by side: %s", strings.Join(each, "; "))
	}
	for _, name := range o.figures {
		for _, from := range sources {
			if !slices.Contains(from.names(), name) {
				return nil, usagef("--figure %q: %s has no such figure; %sthe folders have in common: %s", name, from.name, nearest.Hint(name, common), listed(common))
			}
		}
	}
	if o.figures != nil {
		return o.figures, nil
	}
	if len(common) != 1 {
		return nil, usagef("say by --figure what to draw of several folders; they have in common: %s", listed(common))
	}
	return common, nil
}

// headings are what stands over the panels of each side: by default its policy, where
// the sides are of one spec under several, else its spec.
func (o *plotOptions) headings(sides []plots.Side) ([]string, error) {
	if o.labels != nil {
		return o.labels, nil
	}
	var specs, stems, policies []string
	for _, side := range sides {
		policy := side.Data.Policy
		specs = append(specs, side.Data.Spec)
		stems = append(stems, strings.TrimSuffix(side.Data.Spec, "-"+policy))
		if policy == "tabular" {
			policy = "tables"
		}
		policies = append(policies, policy)
	}
	if len(distinct(stems)) == 1 && len(distinct(policies)) == len(sides) {
		return policies, nil
	}
	if len(distinct(specs)) < len(sides) {
		return nil, usagef("say by --label which is which, once for each folder: their specs are %s", strings.Join(specs, ", "))
	}
	return specs, nil
}

func distinct(names []string) []string {
	sorted := slices.Sorted(slices.Values(names))
	return slices.Compact(sorted)
}

// listed writes names, also where there are none.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// keepMetrics keeps the named metrics of the figures, all for none. Each has to be in
// one of the figures. A figure that has none of them is left with none, and so is one that
// draws its metrics together, unless all of them are named.
func keepMetrics(figures []record.Figure, metrics []string) ([]record.Figure, error) {
	if metrics == nil {
		return figures, nil
	}
	var known []string
	out := slices.Clone(figures)
	for i, f := range figures {
		out[i].Metrics = nil
		for _, metric := range f.Metrics {
			if !slices.Contains(known, metric) {
				known = append(known, metric)
			}
			if slices.Contains(metrics, metric) {
				out[i].Metrics = append(out[i].Metrics, metric)
			}
		}
		if kind, _ := record.LookupFigureKind(f.Kind); kind.Together && len(out[i].Metrics) < len(f.Metrics) {
			out[i].Metrics = nil
		}
	}
	for _, metric := range metrics {
		if !slices.Contains(known, metric) {
			return nil, usagef("--metric %q: %sthese figures have the metrics %s", metric, nearest.Hint(metric, known), listed(known))
		}
	}
	return out, nil
}
