package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"modebench/experiments/analysis"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/atomicfile"
	"modebench/internal/nearest"
	"modebench/plots"
)

var runCommand = command{
	name: "run", args: "SPEC [flags]",
	summary: "run an experiment: train, evaluate, print a table, draw figures",
	detail: `
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
is written for, and is measured on held-out problems (split test). What the spec says
in [transformer] holds then. Fields that suit tables alone never carry over: steps,
problems, batch, schedule, warm-up and optimiser of training; every, split, problems
and enumerate of the evaluation; all of the policy. They begin from defaults of their
own (bench list train transformer). The run says which fields of the spec do not hold.
The output goes to OUT/SPEC-transformer.

A transformer starts from a base policy, which is pre-trained on demonstrations in
one to four minutes on two cores, once for each environment and kind of prompt. Base
policies are kept in the folder --cache, by default that of the variable
` + train.CacheVariable + `, else modebench in the user's cache folder. Cells say in their
provenance.json which one they began from, by its SHA-256; a run of cells that began from
another one says so. --verify-cache makes base policies again, and ends the run before any
cell where one that is kept is another.

A run that is interrupted or killed goes on from where each cell stood when it is run
again, and ends with the bytes of one that was not: where a cell stands is kept in
OUT/cells/.resume-ID, at an interrupt and every --checkpoint. (Cells with a plug-in start
over: a program may remember what it was sent.) One interrupt (Ctrl-C) stops at the next
safe point, a second at once. SIGTERM and SIGUSR1, which schedulers send
before they take a machine, stop it too, and the exit code is 75: queue it again. A cell
that fails stops no other, unless --fail-fast; the end says which failed, why, and what
runs only those.

--plan lists the cells with their numbers. With --out it also divides them among the N
tasks of an array: so many that each takes --task-time, by what finished cells of the same
variants have taken, or --shards. --shard I/N runs the cells whose number leaves I when
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
evaluation to evaluation. Elsewhere, and with NO_COLOR or TERM=dumb, a line says every
tenth of the way, and at least every half minute. With --progress json it is a line of
JSON, five a second: {"cells":4,"made":1,"steps":8000,"done":2100}, and while a base policy is
made "base": {"name", "step", "steps"} too; {"note": "..."} is what else there is to say,
and {"result": "results/quick"} at the end the folder of manifest, table and figures.

With --device cuda a transformer computes on an NVIDIA GPU, with --device cuda:1 on
the second one, with --device auto on one if there is one: the same records, to the
bit. Only the driver is needed (bench version says what is there).`,
	complete: first(spec.BuiltinNames),
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		out := flags.StringP("out", "o", "results", "folder to write to")
		jobs := flags.IntP("jobs", "j", runtime.GOMAXPROCS(0), "cells to run at the same time, on a GPU 64 unless this is given; those after the first wait where memory does not do for one more")
		source, plugins := newSpecFlags(flags), newPluginFlags(flags)
		device := flags.String("device", train.DefaultDevice, "what transformers compute on: auto, cpu, cuda, cuda:1")
		cache := flags.String("cache", "", "folder to keep base policies in")
		verify := verifyCache(flags)
		formats := flags.StringSlice("format", []string{"svg", "png"}, "figure formats: svg, png, pdf, pgf (for LaTeX), json (its numbers, for bench plot); none for no figures")
		checkpoint := flags.Duration("checkpoint", time.Minute, "how often to keep where a cell stands, for a run that is killed; 0: only when interrupted")
		failFast := flags.Bool("fail-fast", false, "stop at the first cell that fails")
		progress := flags.String("progress", "auto", "how a run says how far it is: auto, or json for programs")
		plan := newPlanFlags(flags)
		parts := newPartFlags(flags)
		force := flags.Bool("force", false, "with fewer seeds than the result that is there: replace it, in place of writing beside it")
		return func(ctx context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("bench run takes one spec; see bench help run")
			}
			if *jobs < 1 {
				return usagef("--jobs is %d, want 1 or more", *jobs)
			}
			if err := checkFormats(*formats, dataFormat); err != nil {
				return err
			}
			if *progress != "auto" && *progress != "json" {
				return usagef("--progress is %q, want auto or json", *progress)
			}
			s.json = *progress == "json"
			if *checkpoint < 0 {
				return usagef("--checkpoint is %v, want 0 or more, as in 30s", *checkpoint)
			}
			if err := cmp.Or(source.check(), plugins.check(), parts.check(), plan.check()); err != nil {
				return err
			}
			ctx, stop := untilStopped(ctx)
			defer stop()
			if err := notImported(args[0]); err != nil {
				return err
			}
			spec, err := source.load(ctx, args[0])
			if err == nil {
				err = keepsImported(filepath.Join(*out, spec.Name))
			}
			if err != nil {
				return preempted(ctx, err)
			}
			part, err := parts.of(spec, *out)
			if err != nil {
				return err
			}
			if *plan.plan {
				if spec.Plugins() {
					fmt.Fprintln(s.err, "no plug-in is started: a run finds out whether what it needs fits the spec")
				}
				return preempted(ctx, plan.print(ctx, s, spec, args[0], *out, *cache, part))
			}
			if spec, err = plugins.toRun(ctx, s, spec, *out, part, source.reader(args[0])); err != nil {
				return preempted(ctx, err)
			}
			if part == nil && !*force {
				if err := beside(ctx, s, spec, *out); err != nil {
					return err
				}
			}
			err = runSpec(ctx, s, spec, sweep.Options{
				Out: *out, Jobs: askedJobs(flags, *jobs), Cache: *cache, VerifyCache: *verify, Device: *device, Checkpoint: *checkpoint, FailFast: *failFast, Part: part,
			}, *formats)
			return preempted(ctx, again(err, flags, args[0]))
		}
	},
}

// askedJobs is how many cells are to run at the same time, 0 where nobody has said so.
func askedJobs(flags *pflag.FlagSet, jobs int) int {
	if !flags.Changed("jobs") {
		return 0
	}
	return jobs
}

// verifyCache is the flag for those who do not trust the folder of base policies.
func verifyCache(flags *pflag.FlagSet) *bool {
	return flags.Bool("verify-cache", false, "make base policies again, and stop if one that is kept is another")
}

var figureFormats = []string{"svg", "png", "pdf", "pgf"}

// dataFormat is the format of a figure's numbers, from which bench plot draws it again.
const dataFormat = "json"

// checkFormats checks what --format was given; more are formats beside those of pictures.
func checkFormats(formats []string, more ...string) error {
	known := slices.Concat(figureFormats, more)
	for i, f := range formats {
		if f == "none" && len(formats) == 1 {
			return nil
		}
		if !slices.Contains(known, f) || slices.Contains(formats[:i], f) {
			return usagef("--format %q, want some of %s, each once, or none alone", strings.Join(formats, ","), strings.Join(known, ", "))
		}
	}
	return nil
}

// checkPolicy says whether --policy, where it is given, names a kind of policy.
func checkPolicy(flags *pflag.FlagSet, policy string) error {
	if names, _ := spec.Policies(); flags.Changed("policy") && !slices.Contains(names, policy) {
		return usagef("--policy %q, %swant one of %s", policy, nearest.Hint(policy, names), policyNames())
	}
	return nil
}

// policyNames lists the kinds of policies.
func policyNames() string {
	names, _ := spec.Policies()
	return strings.Join(names, ", ")
}

func runSpec(ctx context.Context, s streams, spec *spec.Spec, opt sweep.Options, formats []string) error {
	defer s.tellNotes()
	finish := show(ctx, s, spec, &opt)
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
		fmt.Fprintf(s.out, "records: %s, of a part of the cells; bench status tells what is missing, and a run of all makes table and figures\n", filepath.Join(opt.Out, record.CellsDir))
		return nil
	}
	table, err := summary(ctx, run)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(run.Dir, "summary.txt"), []byte(table)); err != nil {
		return err
	}
	said, err := answers(run)
	if err == nil && said != "" {
		err = atomicfile.Write(filepath.Join(run.Dir, claimsFile), []byte(said))
	}
	if err != nil {
		return err
	}
	if spec.Timings { // they are what was asked for; the table is in its file
		if table, err = analysis.TimingText(run); err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(run.Dir, "timings.txt"), []byte(table)); err != nil {
			return err
		}
	}
	fmt.Fprintln(s.out, table)
	printRough(s, run)
	fmt.Fprint(s.out, said)
	if err := overhead(s, spec, run); err != nil {
		return err
	}
	files, err := draw(ctx, run, run.Dir, formats)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "records: %s\ntable:   %s\n", filepath.Join(opt.Out, record.CellsDir), filepath.Join(run.Dir, "summary.txt"))
	if said != "" {
		fmt.Fprintf(s.out, "claims:  %s\n", filepath.Join(run.Dir, claimsFile))
	}
	if len(files) > 0 {
		fmt.Fprintf(s.out, "figures: %s\n", strings.Join(files, " "))
	}
	if s.json {
		s.tellNotes() // the result is the last line
		return printJSON(s.err, resultLine{run.Dir})
	}
	return nil
}

// printRough says below a table how far to trust its intervals, where that is not far.
func printRough(s streams, run *record.Run) {
	if rough := analysis.Rough(run); rough != "" {
		fmt.Fprintf(s.out, "%s\n\n", rough)
	}
}

// overhead says what a step takes where an estimator is a program of the user's.
func overhead(s streams, spec *spec.Spec, run *record.Run) error {
	if !spec.Plugins() || spec.Timings {
		return nil
	}
	text, err := analysis.TimingText(run)
	if err == nil {
		fmt.Fprintln(s.out, text)
	}
	return err
}

// leftOut says which methods a spec of all methods runs without.
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

// summary is the table of a run, unless the context ends.
func summary(ctx context.Context, run *record.Run) (string, error) {
	text, err := analysis.Summary(ctx, run)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", err
	}
	return text, nil
}

// claimsFile is the file of an experiment that says what its claims come to.
const claimsFile = "claims.txt"

// answers is what the seeds of a run say of its claims, "" where it makes none. They are the
// seeds of the spec, which may have been looked at before the claims were written.
func answers(run *record.Run) (string, error) {
	verdicts, err := claims.Judge(run)
	var text strings.Builder
	for _, v := range verdicts {
		text.WriteString(claims.Text(v) + "\n")
	}
	return text.String(), err
}

// draw writes every figure of the run into dir, in every format, unless the context ends.
func draw(ctx context.Context, run *record.Run, dir string, formats []string) ([]string, error) {
	var files []string
	for _, fig := range run.Figures {
		if slices.Contains(formats, "none") {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := plots.Gather(run, fig)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		written, err := drawData(data, dir, formats)
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	return files, nil
}

// readInput opens a file argument, or standard input for none or "-".
func readInput(s streams, args []string, what string) ([]byte, string, error) {
	if len(args) > 1 {
		return nil, "", usagef("one %s at a time, got %d", what, len(args))
	}
	if len(args) == 0 || args[0] == "-" {
		data, err := io.ReadAll(s.in)
		return data, "standard input", err
	}
	data, err := os.ReadFile(args[0])
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", inputError(fmt.Errorf("%s does not exist", args[0]))
	}
	return data, args[0], err
}
