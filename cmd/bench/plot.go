package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/record"
)

var plotCommand = command{
	name: "plot", args: "DIR [flags]",
	summary: "draw the figures of an experiment again, from its records",
	detail: `
DIR is the folder of an experiment, as bench run leaves it (results/quick). The
figures are those its spec asks for; --figure picks some of them, --format the
file formats.`,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		out := flags.StringP("out", "o", "", "folder for the figures; default: DIR")
		only := flags.StringSlice("figure", nil, "names of the figures to draw; default: all")
		formats := flags.StringSlice("format", []string{"svg", "png"}, "figure formats: svg, png, pdf")
		return func(_ context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("bench plot takes one folder; see bench help plot")
			}
			if err := checkFormats(*formats); err != nil {
				return err
			}
			run, err := record.Open(args[0])
			if err != nil {
				return inputUnlessFile(err)
			}
			if err := pick(run, *only); err != nil {
				return err
			}
			dir := *out
			if dir == "" {
				dir = run.Dir
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			files, err := draw(run, dir, *formats)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.out, strings.Join(files, "\n"))
			return err
		}
	},
}

// pick keeps the named figures of a run.
func pick(run *record.Run, names []string) error {
	var known []string
	for _, f := range run.Figures {
		known = append(known, f.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return usagef("--figure %q: this experiment has the figures %s", name, strings.Join(known, ", "))
		}
	}
	if names != nil {
		run.Figures = slices.DeleteFunc(run.Figures, func(f record.Figure) bool { return !slices.Contains(names, f.Name) })
	}
	return nil
}
