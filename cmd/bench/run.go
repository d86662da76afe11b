package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/cli"
	"modebench/plots/sources"
)

func newRunCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "run SPEC [flags]", Short: "run an experiment: train, evaluate, print a table, draw figures",
		Args:              cli.Takes(1, 1, "one spec"),
		ValidArgsFunction: cli.First(spec.BuiltinNames),
		Long:              runText,
	}, &runOptions{})
}

const runText = `
SPEC is the name of a built-in spec (bench list specs) or the path of a .toml
file. Every method runs once per seed; each such cell gets a folder of its own
under OUT/cells, named by a hash of everything that can change its records, so
that cells that are already there are skipped. OUT/SPEC gets the manifest, the
table and the figures. Records do not depend on --jobs or on the machine.

--set changes a field of the spec, or gives it a list of values to try: --set
train.lr=0.03, --set env.slack=11, --set 'eval.k=[1, 8]', and of one method --set
method.vpo.draws=4. The output goes to a folder of its own, SPEC-train.lr-0.03,
or that of --name, so that bench compare can hold both against each other. A run of
fewer --seeds than the result that is there goes to SPEC-seeds-N, unless --force.

--policy transformer trains a small transformer in place of the policy that the spec
is written for, and is measured on held-out problems (split test). The fields of
[transformer] in the spec hold then. Fields that suit tables alone never carry over: steps,
problems, batch, schedule, warm-up and optimiser of training; every, split, problems
and enumerate of the evaluation; all of the policy. They begin from defaults of their
own (bench list train transformer). The run names the fields of the spec that do not hold.
The output goes to OUT/SPEC-transformer.

A transformer starts from a base policy, which is pre-trained on demonstrations in
one to four minutes on two cores, once for each environment and kind of prompt. Base
policies are kept in the folder --cache, by default that of the variable
` + train.CacheVariable + `, else modebench in the user's cache folder. Cells have the
SHA-256 of theirs in provenance.json; a run names cells that began from another base policy.
--verify-cache makes base policies again, and ends the run before any cell if a kept one differs.

A run that is interrupted or killed goes on when it is run again, and ends with the bytes of an
uninterrupted run: the state of a cell is kept in OUT/cells/.resume-ID, at an interrupt and
every --checkpoint. (Cells with a plug-in start
over: a program may remember what it was sent.) One interrupt (Ctrl-C) stops at the next
safe point, a second at once. SIGTERM and SIGUSR1, which schedulers send
before they take a machine, stop it too, and the exit code is 75: queue it again. A cell
that fails stops no other, unless --fail-fast; the end names those that failed, the reasons, and the
command that runs only those.

--plan lists the cells with their numbers. With --out it also divides them among the N
tasks of an array. N is --shards, or enough that each task takes --task-time, by the times of
finished cells of the same variants. --shard I/N runs the cells whose number leaves I when
divided by N (I from 0 to N-1), --cells 3,7-9 those of these numbers. In a task of a Slurm
array or a pod of an indexed Job --shard auto knows I, and takes N from the plan in OUT/SPEC,
or from the variable JOB_COMPLETIONS of a Job; --shard auto/N needs neither. Such runs write
no manifest and draw nothing: bench status tells what is missing, bench merge puts folders
of several machines into one, and bench run without them makes table and figures.

A plug-in is a program that the spec names (docs/plug-ins.md). It is started only where a
cell of it has yet to be made, and never by --plan. Its command line and folder are printed
first, on standard error. With --no-plugins it is not started, and the exit code is 3.

In a terminal a table shows the methods while they train: cells done, the step of
those that run, means over seeds of each cell's latest evaluation, and entropy from
evaluation to evaluation. Elsewhere, and with NO_COLOR or TERM=dumb, a line reports every
tenth of the way with the time left, and at least every half minute. With --progress none there is
no such line. With --progress json it is a line of JSON, five a second:
{"cells":4,"made":1,"steps":8000,"done":2100}, and while a base policy is made
"base": {"name", "step", "steps"} too; {"note": "..."} has other messages,
and {"result": "results/quick"} at the end the folder of manifest, table and figures.

With --device cuda a transformer computes on an NVIDIA GPU, with --device cuda:1 on
the second one, with --device auto on one if there is one: the same records, to the
bit. Only the driver is needed (bench version lists the devices).`

type runOptions struct {
	making          sweepFlags
	source          specFlags
	plugins         pluginFlags
	plan            planFlags
	parts           partFlags
	formats         []string
	checkpoint      time.Duration
	failFast, force bool
	progress        string
}

func (o *runOptions) AddFlags(flags *pflag.FlagSet) {
	o.making.AddFlags(flags)
	o.source.AddFlags(flags)
	o.plugins.AddFlags(flags)
	addFigureFormats(flags, &o.formats, sources.DataFormat)
	o.checkpoint, o.progress = time.Minute, "auto"
	cli.Duration(flags, &o.checkpoint, "checkpoint", "how often to keep the state of a cell, for a run that is killed; 0: only when interrupted", 0)
	flags.BoolVar(&o.failFast, "fail-fast", false, "stop at the first cell that fails")
	cli.Choice(flags, &o.progress, "progress", "form of a run's progress: auto, json for programs, or none", "auto", "json", "none")
	o.plan.AddFlags(flags)
	o.parts.AddFlags(flags)
	flags.BoolVar(&o.force, "force", false, "with fewer seeds than the result that is there: replace it, in place of writing beside it")
}

func (o *runOptions) run(ctx context.Context, s streams, args []string) error {
	if err := cmp.Or(o.parts.check(), o.plan.check()); err != nil {
		return err
	}
	s.json, s.quiet = o.progress == "json", o.progress == "none"
	ctx, stop := untilStopped(ctx)
	defer stop()
	if isImported(args[0]) {
		return usagef("%s was imported from completions: there is nothing to run; bench import FILE... makes it again", args[0])
	}
	spec, err := o.source.load(ctx, args[0])
	if err != nil {
		return err
	}
	if dir := filepath.Join(o.making.out, spec.Name); isImported(dir) {
		return usagef("%s was imported from completions: give the run another folder (--out) or name (--name)", dir)
	}
	part, err := o.parts.choose(spec, o.making.out)
	if err != nil {
		return err
	}
	if o.plan.plan {
		if spec.Plugins() {
			fmt.Fprintln(s.err, "no plug-in is started: a run finds out whether what it needs fits the spec")
		}
		return o.plan.print(ctx, s, spec, args[0], o.making.out, o.making.cache, part)
	}
	return o.train(ctx, s, spec, args[0], part)
}

// train makes the cells of part, nil for all, of the spec that the user calls arg.
func (o *runOptions) train(ctx context.Context, s streams, spec *spec.Spec, arg string, part func(int) bool) error {
	spec, err := o.plugins.toRun(ctx, s, spec, o.making.out, part, o.source.reader(arg))
	if err != nil {
		return err
	}
	if part == nil && !o.force {
		if err := beside(ctx, s, spec, o.making.out); err != nil {
			return err
		}
	}
	opt := o.making.options()
	opt.Checkpoint, opt.FailFast, opt.Part = o.checkpoint, o.failFast, part
	return again(runSpec(ctx, s, spec, opt, o.formats), o.source.flags, arg)
}

// runSpec makes the cells of a spec, and its results if they are all of them.
func runSpec(ctx context.Context, s streams, spec *spec.Spec, opt sweep.Options, formats []string) error {
	defer s.tellNotes()
	finish := progress.Show(ctx, s.progress(), spec, &opt)
	planned := opt.Planned
	opt.Planned = func(plan sweep.Plan) { // not before: why a run cannot begin is one line
		planned(plan)
		for _, note := range spec.Notes {
			s.note(note)
		}
	}
	run, err := sweep.Run(ctx, spec, opt)
	finish()
	if err != nil {
		return err
	}
	leftOut(s, spec)
	if run == nil {
		fmt.Fprintf(s.out, "records: %s, of a part of the cells; %s status tells what is missing, and a run of all makes table and figures\n", filepath.Join(opt.Out, record.CellsDir), called())
		return nil
	}
	return conclude(ctx, s, spec, run, formats)
}

// leftOut names the methods that a spec of all methods runs without.
func leftOut(s streams, spec *spec.Spec) {
	type group struct{ env, why string }
	var groups []group
	methods := map[group][]string{}
	for _, l := range spec.LeftOut {
		g := group{l.Env, l.Why}
		if methods[g] == nil {
			groups = append(groups, g)
		}
		if !slices.Contains(methods[g], l.Method) { // it may be there at several settings
			methods[g] = append(methods[g], l.Method)
		}
	}
	for _, g := range groups {
		s.note(fmt.Sprintf("left out on %s: %s (%s)", g.env, strings.Join(methods[g], ", "), g.why))
	}
}
