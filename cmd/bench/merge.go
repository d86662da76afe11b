package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/cli"
	"modebench/internal/input"
)

func newMergeCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "merge OUT... [flags]", Short: "put the cells of several output folders into one",
		Args: cli.Takes(1, math.MaxInt, "output folders of bench run"),
		Long: `
Every OUT is the --out folder of a bench run, of some machine: its finished cells are
copied to --out. Their hashes are checked first and after; a damaged cell that no folder
has whole is left out and named, and the exit code is 3. The result does not depend on
the number of folders nor on their order: a cell has the same bytes wherever it was run (but
for provenance.json, which names the machine). If two folders disagree nothing is copied, and
the cells are named. Of cells that no folder has finished, the state and the reason of a
failure are taken along: a run goes on from the latest state.

--spec writes the manifest of an experiment whose cells are then all there, so that plot,
report, compare and export read it. bench run SPEC --out does so too, with its table and
figures.`,
	}, &mergeOptions{})
}

type mergeOptions struct {
	out    string
	specs  []string
	source specFlags
}

func (o *mergeOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&o.out, "out", "o", "results", "folder to merge into")
	flags.StringArrayVar(&o.specs, "spec", nil, "write the manifest of this spec; may be given several times")
	o.source.AddFlags(flags)
}

func (o *mergeOptions) run(ctx context.Context, s streams, args []string) error {
	if o.source.name != "" && len(o.specs) > 1 {
		return usagef("--name is for one --spec, and there are %d", len(o.specs))
	}
	loaded, err := o.load(ctx) // before anything is written
	if err != nil {
		return err
	}
	merged, err := sweep.Merge(o.out, args...)
	if err != nil {
		return err
	}
	printMerged(s, merged, o.out)
	for _, spec := range loaded {
		if err := beside(ctx, s, spec, o.out); err != nil {
			return err
		}
		run, err := sweep.WriteManifest(ctx, spec, o.out)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "manifest: %s\n", run.Dir)
	}
	if n := len(merged.Damaged); n > 0 {
		return input.Errorf("%d damaged cells were left out: run them again before you delete what they are in", n)
	}
	return nil
}

// load reads the specs. A signal ends that, but not the merge after it: cells are copied whole or
// not at all, and a merge that a signal ended is made again.
func (o *mergeOptions) load(ctx context.Context) ([]*spec.Spec, error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	var loaded []*spec.Spec
	for _, name := range o.specs {
		spec, err := o.source.load(ctx, name)
		if err != nil {
			return nil, err
		}
		loaded = append(loaded, spec)
	}
	return loaded, nil
}

// printMerged counts the cells that were copied to out, and warns of the others.
func printMerged(s streams, merged *sweep.Merged, out string) {
	for _, dir := range merged.Damaged {
		fmt.Fprintf(s.err, "%s is damaged, and no folder has the cell whole\n", dir)
	}
	for _, note := range merged.Notes {
		fmt.Fprintln(s.err, note)
	}
	fmt.Fprintf(s.out, "%d cells copied to %s, %d were there\n", merged.Copied, out, merged.There)
	if merged.Carried > 0 || merged.Failed > 0 {
		fmt.Fprintf(s.out, "not finished anywhere: %d that can be continued, %d that failed; %s status lists them\n", merged.Carried, merged.Failed, called())
	}
}
