package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

var mergeCommand = command{
	name: "merge", args: "OUT... [flags]",
	summary: "put the cells of several output folders into one",
	detail: `
Every OUT is the --out folder of a bench run, of some machine: its finished cells are
copied to --out. Their hashes are checked first and after; a damaged cell that no folder
has whole is left out and named, and the exit code is 3. What comes out does not depend on
the number of folders nor on their order: a cell has the same bytes wherever it was run (but
for provenance.json, which says where). Where two folders disagree nothing is copied, and
the cells are named. Of cells that no folder has finished, where they stand and why they
failed is taken along: a run goes on from the latest place.

--spec writes the manifest of an experiment whose cells are then all there, so that plot,
report, compare and export read it. bench run SPEC --out does so too, with its table and
figures.`,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		out := flags.StringP("out", "o", "results", "folder to merge into")
		specs := flags.StringArray("spec", nil, "write the manifest of this spec; may be given several times")
		read := newSpecFlags(flags)
		return func(ctx context.Context, s streams, args []string) error {
			if len(args) == 0 {
				return usagef("bench merge takes output folders of bench run; see bench help merge")
			}
			if *read.name != "" && len(*specs) > 1 {
				return usagef("--name is for one --spec, and there are %d", len(*specs))
			}
			if err := read.check(); err != nil {
				return err
			}
			loading, stop := untilSignal(ctx)
			defer stop()
			var loaded []*spec.Spec // before anything is written
			for _, name := range *specs {
				one, err := read.load(loading, name)
				if err != nil {
					return err
				}
				loaded = append(loaded, one)
			}
			stop() // a merge that a signal ends is made again: cells are there whole or not at all
			merged, err := sweep.Merge(*out, args...)
			if err != nil {
				return err
			}
			for _, dir := range merged.Damaged {
				fmt.Fprintf(s.err, "%s is damaged, and no folder has the cell whole\n", dir)
			}
			for _, note := range merged.Notes {
				fmt.Fprintln(s.err, note)
			}
			fmt.Fprintf(s.out, "%d cells copied to %s, %d were there\n", merged.Copied, *out, merged.There)
			if merged.Carried > 0 || merged.Failed > 0 {
				fmt.Fprintf(s.out, "not finished anywhere: %d that can be gone on with, %d that failed; bench status says which\n", merged.Carried, merged.Failed)
			}
			for _, one := range loaded {
				if err := beside(ctx, s, one, *out); err != nil {
					return err
				}
				run, err := sweep.WriteManifest(ctx, one, *out)
				if err != nil {
					return err
				}
				fmt.Fprintf(s.out, "manifest: %s\n", run.Dir)
			}
			if n := len(merged.Damaged); n > 0 {
				return inputError(fmt.Errorf("%d damaged cells were left out: run them again before you delete what they are in", n))
			}
			return nil
		}
	},
}
