package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/estimators"
	"modebench/experiments/analysis"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/atomicfile"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/internal/scratch"
	"modebench/results"
)

func newCheckCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "check [SPEC...] [flags]", Short: "regression check: did an estimator's behaviour move?",
		ValidArgsFunction: cli.Every(spec.BuiltinNames),
		Long: `
Runs a pinned suite anew and holds its records, to the bit, against a baseline.
Every method that moved is named, with every metric that moved; the exit code tells
the kind of failure, for a CI job.

Without SPEC the suite is the built-in one: every method on the bandit and in
multiplication, every environment, optimisers, schedules, noise and clips (bench list
specs: check-...). Its baseline comes with the program (in the source tree:
` + results.BaselineFile + `).

A SPEC of your own needs a baseline of your own:

  bench check my.toml --baseline my-baseline.json --update   make it, and commit it
  bench check my.toml --baseline my-baseline.json            hold a change against it

--statistical is for changes that move bits. It compares the columns of
each spec over seeds, as bench compare does: red where one moved at p <= 0.05 after
Holm's correction over the columns of a method. It takes 6 seeds at least. Methods are
not corrected for one another: with 20 that did not change but for chance, one is
expected to turn the check red. Settings may differ from the baseline's; how many cells do is said.`,
	}, &check{})
}

// A check has the flags and arguments of one call of bench check.
type check struct {
	streams
	specs       []string
	named       bool // the user named the specs: they are not the built-in suite as a whole
	baseline    string
	update      bool
	methods     []string
	statistical bool
	jobs        int
	verbose     bool
	keep        string
	plugins     pluginFlags
}

// mostShifts is how many metrics of a cell are listed unless all are asked for.
const mostShifts = 6

func (c *check) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&c.baseline, "baseline", "b", "", "file of the baseline; default: the one of the built-in suite")
	flags.BoolVar(&c.update, "update", false, "write the baseline instead of comparing with it")
	flags.StringSliceVarP(&c.methods, "methods", "m", nil, "check these methods alone")
	flags.BoolVar(&c.statistical, "statistical", false, "compare over seeds, not bit by bit")
	addJobs(flags, &c.jobs, "cells to run at the same time")
	flags.BoolVarP(&c.verbose, "verbose", "v", false, "list every metric that moved")
	flags.StringVar(&c.keep, "keep", "", "folder to keep the records in, which must not exist yet")
	c.plugins.AddFlags(flags)
}

func (c *check) run(ctx context.Context, s streams, args []string) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	c.streams, c.specs = s, args
	if err := c.usage(); err != nil {
		return err
	}
	// Mistakes in the baseline are reported before the suite is run.
	baseline, err := c.readBaseline()
	if err != nil {
		return err
	}
	if c.named = len(c.specs) > 0; !c.named {
		c.specs = spec.CheckSpecs()
	}
	specs, err := c.load(ctx)
	if err != nil {
		return err
	}
	snapshot, err := c.runSuite(ctx, specs)
	if err != nil {
		return err
	}
	switch {
	case c.update:
		return c.write(snapshot)
	case c.statistical:
		return c.overSeeds(specs, snapshot, baseline)
	}
	return c.exactly(specs, snapshot, baseline)
}

func (c *check) usage() error {
	switch {
	case c.update && c.statistical:
		return usagef("--update writes a baseline, --statistical compares with one: one of them")
	case c.update && len(c.methods) > 0:
		return usagef("--update writes the baseline of a whole suite, so it goes without --methods")
	case c.update && c.baseline == "":
		return usagef("--update needs --baseline, the file to write (of the built-in suite: %s in the source tree)", results.BaselineFile)
	case c.baseline == "" && slices.ContainsFunc(c.specs, func(name string) bool { return !slices.Contains(spec.CheckSpecs(), name) }):
		return usagef("a suite of your own needs --baseline, the file that --update made")
	}
	for _, name := range c.methods {
		if _, err := estimators.Lookup(name); err != nil {
			return usagef("--methods: %w", err)
		}
	}
	return nil
}

func (c *check) readBaseline() (*analysis.Snapshot, error) {
	if c.update {
		_, err := os.Stat(filepath.Dir(c.baseline))
		return nil, err
	}
	if c.baseline == "" {
		return analysis.ReadSnapshot(results.BaselineFile, results.Baseline)
	}
	data, err := os.ReadFile(c.baseline)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, input.Errorf("baseline %s does not exist; bench check --update makes it", c.baseline)
	case err != nil:
		return nil, err
	}
	return analysis.ReadSnapshot(c.baseline, data)
}

func (c *check) load(ctx context.Context) ([]*spec.Spec, error) {
	var specs []*spec.Spec
	for _, name := range c.specs {
		loaded, err := spec.LoadWith(name, c.plugins.options(ctx, c.streams))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(specs, func(s *spec.Spec) bool { return s.Name == loaded.Name }) {
			return nil, usagef("two specs of the suite are named %s", loaded.Name)
		}
		if len(c.methods) > 0 {
			loaded.Variants = slices.DeleteFunc(loaded.Variants, func(v *spec.Variant) bool { return !slices.Contains(c.methods, v.Method) })
		}
		if len(loaded.Variants) > 0 {
			specs = append(specs, loaded)
		}
	}
	if len(specs) == 0 {
		return nil, usagef("--methods: no spec of the suite runs %s", strings.Join(c.methods, ", "))
	}
	return specs, nil
}

// runSuite runs the specs in a new folder, since records that are there may be those
// of another build, and reads what they gave.
func (c *check) runSuite(ctx context.Context, specs []*spec.Spec) (*analysis.Snapshot, error) {
	dir := c.keep
	if dir == "" {
		place, err := scratch.Dir(os.TempDir(), scratch.Named("check"))
		if err != nil {
			return nil, err
		}
		defer place.Remove()
		dir = place.Path
	} else if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	opt := sweep.Options{Out: dir, Jobs: c.jobs, Cache: filepath.Join(dir, "bases")} // of this build, too
	runs := make([]*record.Run, len(specs))
	err := progress.RunAll(ctx, c.progress(), specs, &opt, func(i int, run *record.Run) error {
		runs[i] = run
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return nil, stoppedError("interrupted before a verdict; a check starts anew")
	}
	if err != nil {
		return nil, err
	}
	return analysis.TakeSnapshot(runs...)
}

func (c *check) write(snapshot *analysis.Snapshot) error {
	text, err := snapshot.Text()
	if err == nil {
		err = atomicfile.Write(c.baseline, text)
	}
	if err == nil {
		fmt.Fprintf(c.out, "baseline of %d cells: %s\n", len(snapshot.Cells), c.baseline)
	}
	return err
}

// looksAt picks what is checked: the whole suite, or the specs and methods that are named.
func (c *check) looksAt(specs []*spec.Spec) func(spec, method string) bool {
	return func(name, method string) bool {
		return (!c.named || slices.ContainsFunc(specs, func(s *spec.Spec) bool { return s.Name == name })) &&
			(len(c.methods) == 0 || slices.Contains(c.methods, method))
	}
}

func (c *check) exactly(specs []*spec.Spec, snapshot, baseline *analysis.Snapshot) error {
	report := snapshot.Against(baseline, c.looksAt(specs))
	limit := mostShifts
	if c.verbose {
		limit = 0
	}
	fmt.Fprint(c.out, report.Text(limit))
	switch {
	case len(report.Moved) > 0:
		return &verdictError{exitMoved, fmt.Errorf("%d of %d cells moved: methods %s", len(report.Moved), report.Cells, firstOf(report.Methods()))}
	case !report.Green():
		return noBaseline(len(report.Added)+len(report.OtherSettings), len(report.Removed))
	}
	fmt.Fprintf(c.out, "%d cells: the same records to the bit\n", report.Cells)
	return nil
}

func (c *check) overSeeds(specs []*spec.Spec, snapshot, baseline *analysis.Snapshot) error {
	var all []analysis.StatisticalCheck
	for _, spec := range specs {
		all = append(all, snapshot.Statistically(baseline, spec.Columns, func(name, method string) bool {
			return name == spec.Name && c.looksAt(specs)(name, method)
		})...)
	}
	report := snapshot.Against(baseline, c.looksAt(specs))
	fmt.Fprint(c.out, analysis.StatisticalText(all))
	if n := len(report.OtherSettings); n > 0 {
		fmt.Fprintf(c.out, "%d cells have other settings than the baseline's: metrics may have moved with them\n", n)
	}
	var moved []string
	powerless := 0
	for _, variant := range all {
		for _, m := range variant.Metrics {
			switch {
			case m.Verdict == analysis.VerdictMoved || m.OneSided() != "":
				moved = append(moved, fmt.Sprintf("%s (%s)", variant.Label, m.Metric))
			case m.Verdict == analysis.VerdictUnderpowered:
				powerless++
			}
		}
	}
	switch {
	case len(moved) > 0:
		return &verdictError{exitMoved, fmt.Errorf("%d of the comparisons moved: %s", len(moved), firstOf(moved))}
	case len(report.Added)+len(report.Removed) > 0 || len(all) == 0:
		return noBaseline(len(report.Added), len(report.Removed))
	case powerless > 0:
		return &verdictError{exitUnderpowered, fmt.Errorf("too few seeds for a verdict on %d comparisons; raise seeds in the spec and make the baseline again", powerless)}
	}
	return nil
}

func noBaseline(added, removed int) error {
	return &verdictError{exitBaseline, fmt.Errorf("%d cells have no baseline, and %d of the baseline were not run; where that is meant, make the baseline again with --update", added, removed)}
}

// firstOf lists the first few of some names: the output has the others.
func firstOf(names []string) string {
	const few = 8
	if len(names) <= few+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
