package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/record"
	"modebench/plots"
)

var plotCommand = command{
	name: "plot", args: "DIR [DIR2...] [flags]",
	summary: "draw the figures of an experiment again, or of several side by side",
	detail: `
DIR is the folder of an experiment, as bench run leaves it (results/quick). The
figures are those its spec asks for; --figure picks some of them, --metric some
of their panels, --format the file formats.

Several folders are drawn side by side, with one legend and the same axes: the
figure of the name --figure of each, a curve or a k-curve, as one file in --out:

  bench plot results/maze-bestk results/maze-bestk-transformer --figure best-at-k --out .
  bench plot before/mine after/mine --label before --label after --out .`,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		var opt plotOptions
		flags.StringVarP(&opt.out, "out", "o", "", "folder for the figures; default: DIR, if it is the only one")
		flags.StringSliceVar(&opt.figures, "figure", nil, "names of the figures to draw; default: all, or the one that several folders share")
		flags.StringSliceVar(&opt.metrics, "metric", nil, "metrics to keep of the figures, as their specs name them; default: all")
		flags.StringArrayVar(&opt.labels, "label", nil, "heading of a folder's panels, once for each of several; default: its policy or spec, and its title where they differ")
		flags.BoolVar(&opt.freeY, "free-y", false, "let the vertical axes of several folders differ")
		flags.StringSliceVar(&opt.formats, "format", []string{"svg", "png"}, "figure formats: svg, png, pdf")
		return func(_ context.Context, s streams, args []string) error {
			files, err := opt.plot(args)
			if err != nil || len(files) == 0 {
				return err
			}
			_, err = fmt.Fprintln(s.out, strings.Join(files, "\n"))
			return err
		}
	},
}

// plotOptions are the flags of bench plot.
type plotOptions struct {
	out                               string
	figures, metrics, labels, formats []string
	freeY                             bool
}

// plot draws the figures of the experiments in the folders and lists the files.
func (o plotOptions) plot(dirs []string) ([]string, error) {
	if err := o.check(len(dirs)); err != nil {
		return nil, err
	}
	var runs []*record.Run
	for _, dir := range dirs {
		run, err := record.Open(dir)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		runs = append(runs, run)
	}
	if len(runs) > 1 {
		return o.sideBySide(runs)
	}
	run := runs[0]
	if err := pick(run, o.figures); err != nil {
		return nil, err
	}
	kept, err := keepMetrics(run.Figures, o.metrics)
	if err != nil {
		return nil, err
	}
	if o.metrics != nil {
		kept = slices.DeleteFunc(kept, func(f record.Figure) bool { return len(f.Metrics) == 0 })
	}
	run.Figures = kept
	if o.out == "" {
		o.out = run.Dir
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return nil, err
	}
	return draw(run, o.out, o.formats)
}

// check finds what is wrong with the flags for so many folders.
func (o plotOptions) check(dirs int) error {
	switch {
	case dirs == 0:
		return usagef("bench plot takes the folder of an experiment, or of several; see bench help plot")
	case dirs == 1 && (o.labels != nil || o.freeY):
		return usagef("--label and --free-y are for several folders, and bench plot got one")
	case dirs == 1 && o.metrics != nil && o.out == "":
		return usagef("--metric draws less than the figure of that name in the folder holds: give another folder by --out")
	case dirs > 1 && o.out == "":
		return usagef("bench plot of several folders: give a folder for the figures by --out")
	case dirs > 1 && o.labels != nil && len(o.labels) != dirs:
		return usagef("--label is given %d times for %d folders, want it once for each", len(o.labels), dirs)
	}
	return checkFormats(o.formats)
}

// sideBySide draws figures that all runs have, each run's panels beside the others'.
func (o plotOptions) sideBySide(runs []*record.Run) ([]string, error) {
	names, err := o.shared(runs)
	if err != nil {
		return nil, err
	}
	labels, err := o.headings(runs)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return nil, err
	}
	var files []string
	for _, name := range names {
		sides, err := o.sides(runs, name, labels)
		if err != nil {
			return nil, err
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

// sides are the runs' figures of a name. Headings of the user's own stand in place of
// titles that differ.
func (o plotOptions) sides(runs []*record.Run, name string, labels []string) ([]plots.Side, error) {
	var figures []record.Figure
	same := true
	for _, run := range runs {
		figures = append(figures, run.Figures[slices.Index(figureNames(run), name)])
		same = same && figures[len(figures)-1].Title == figures[0].Title
	}
	figures, err := keepMetrics(figures, o.metrics)
	if err != nil {
		return nil, err
	}
	sides := make([]plots.Side, len(runs))
	for i, fig := range figures {
		if o.labels != nil && !same {
			fig.Title = ""
		}
		sides[i] = plots.Side{Run: runs[i], Figure: fig, Heading: labels[i]}
	}
	return sides, nil
}

// shared are the names of the figures to draw, which all runs have.
func (o plotOptions) shared(runs []*record.Run) ([]string, error) {
	common := figureNames(runs[0])
	for _, run := range runs[1:] {
		names := figureNames(run)
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(names, name) })
	}
	for _, name := range o.figures {
		for _, run := range runs {
			if !slices.Contains(figureNames(run), name) {
				return nil, usagef("--figure %q: %s has no such figure; the folders have in common: %s", name, run.Dir, listed(common))
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

// headings are what stands over the panels of each run: by default its policy, where
// the runs are of one spec under several, else its spec.
func (o plotOptions) headings(runs []*record.Run) ([]string, error) {
	if o.labels != nil {
		return o.labels, nil
	}
	var specs, stems, policies []string
	for _, run := range runs {
		policy, err := policyOf(run)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		specs = append(specs, run.Spec)
		stems = append(stems, strings.TrimSuffix(run.Spec, "-"+policy))
		if policy == "tabular" {
			policy = "tables"
		}
		policies = append(policies, policy)
	}
	if len(distinct(stems)) == 1 && len(distinct(policies)) == len(runs) {
		return policies, nil
	}
	if len(distinct(specs)) < len(runs) {
		return nil, usagef("say by --label which is which, once for each folder: their specs are %s", strings.Join(specs, ", "))
	}
	return specs, nil
}

// policyOf is the policy of what a run trains, or of its first cell.
func policyOf(run *record.Run) (string, error) {
	v := run.Variants[max(0, slices.IndexFunc(run.Variants, func(v record.Variant) bool { return v.Trains }))]
	if len(v.Cells) == 0 {
		return "", fmt.Errorf("%s: variant %s has no cells in the manifest", run.Dir, v.Label)
	}
	cell, err := run.Cell(v.Cells[0])
	return cell.Policy.Name, err
}

func distinct(names []string) []string {
	sorted := slices.Sorted(slices.Values(names))
	return slices.Compact(sorted)
}

func figureNames(run *record.Run) []string {
	var names []string
	for _, f := range run.Figures {
		names = append(names, f.Name)
	}
	return names
}

// listed writes names, also where there are none.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// keepMetrics keeps the named metrics of the figures, all for none. Each has to be in
// one of the figures; a figure that has none of them is left with none.
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
	}
	for _, metric := range metrics {
		if !slices.Contains(known, metric) {
			return nil, usagef("--metric %q: these figures have the metrics %s", metric, listed(known))
		}
	}
	return out, nil
}

// pick keeps the named figures of a run.
func pick(run *record.Run, names []string) error {
	for _, name := range names {
		if known := figureNames(run); !slices.Contains(known, name) {
			return usagef("--figure %q: this experiment has the figures %s", name, listed(known))
		}
	}
	if names != nil {
		run.Figures = slices.DeleteFunc(run.Figures, func(f record.Figure) bool { return !slices.Contains(names, f.Name) })
	}
	return nil
}
