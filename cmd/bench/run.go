package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/pflag"

	"modebench/experiments"
	"modebench/experiments/record"
	"modebench/internal/atomicfile"
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
or that of --name, so that bench compare can hold both against each other.

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
` + experiments.CacheVariable + `, else modebench in the user's cache folder.

With --device cuda a transformer computes on an NVIDIA GPU, with --device cuda:1 on
the second one, with --device auto on one if there is one: the same records, to the
bit. Only the driver is needed (bench version says what is there).`,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		out := flags.StringP("out", "o", "results", "folder to write to")
		jobs := flags.IntP("jobs", "j", runtime.GOMAXPROCS(0), "cells to run at the same time")
		seeds := flags.Int("seeds", 0, "run seeds 0 to N-1 instead of the spec's number")
		policy := flags.String("policy", "", "run under this kind of policy: "+policyNames()+"; default: the spec's")
		device := flags.String("device", experiments.DefaultDevice, "what transformers compute on: auto, cpu, cuda, cuda:1")
		cache := flags.String("cache", "", "folder to keep base policies in")
		pairs := flags.StringArray("set", nil, "change a field of the spec: --set train.lr=0.03, --set method.vpo.draws=4")
		name := flags.String("name", "", "name of the run and of its folder; default: the spec's, with what --set and --policy change")
		timeout := pluginTimeout(flags)
		formats := flags.StringSlice("format", []string{"svg", "png"}, "figure formats: svg, png, pdf; none for no figures")
		return func(ctx context.Context, s streams, args []string) error {
			if len(args) != 1 {
				return usagef("bench run takes one spec; see bench help run")
			}
			if *jobs < 1 {
				return usagef("--jobs is %d, want 1 or more", *jobs)
			}
			if err := checkFormats(*formats); err != nil {
				return err
			}
			if err := checkTimeout(*timeout); err != nil {
				return err
			}
			if err := checkPolicy(flags, *policy); err != nil {
				return err
			}
			ctx, stop := untilSignal(ctx)
			defer stop()
			spec, err := experiments.LoadWith(args[0], experiments.LoadOptions{Policy: *policy, Set: *pairs, Name: *name, PluginTimeout: *timeout, Context: ctx})
			var set *experiments.SetError
			if errors.As(err, &set) {
				return &usageError{set}
			}
			if err != nil {
				return err
			}
			if flags.Changed("seeds") {
				if *seeds < 1 || *seeds > experiments.MaxSeeds {
					return usagef("--seeds is %d, want 1 to %d", *seeds, experiments.MaxSeeds)
				}
				spec.Seeds = *seeds
			}
			return runSpec(ctx, s, spec, experiments.Options{Out: *out, Jobs: *jobs, Cache: *cache, Device: *device}, *formats)
		}
	},
}

var figureFormats = []string{"svg", "png", "pdf"}

func checkFormats(formats []string) error {
	for i, f := range formats {
		if f == "none" && len(formats) == 1 {
			return nil
		}
		if !slices.Contains(figureFormats, f) || slices.Contains(formats[:i], f) {
			return usagef("--format %q, want some of %s, each once, or none alone", strings.Join(formats, ","), strings.Join(figureFormats, ", "))
		}
	}
	return nil
}

// checkPolicy says whether --policy, where it is given, names a kind of policy.
func checkPolicy(flags *pflag.FlagSet, policy string) error {
	if names, _ := experiments.Policies(); flags.Changed("policy") && !slices.Contains(names, policy) {
		return usagef("--policy %q, want one of %s", policy, policyNames())
	}
	return nil
}

// policyNames lists the kinds of policies.
func policyNames() string {
	names, _ := experiments.Policies()
	return strings.Join(names, ", ")
}

func runSpec(ctx context.Context, s streams, spec *experiments.Spec, opt experiments.Options, formats []string) error {
	for _, note := range spec.Notes {
		fmt.Fprintln(s.err, note)
	}
	bar := progress{streams: s}
	opt.Planned, opt.Progress, opt.Pretraining, opt.Notes = bar.planned, bar.update, bar.pretraining, bar.note
	run, err := spec.Run(ctx, opt)
	bar.finish()
	if err != nil {
		return err
	}
	leftOut(s, spec)
	table, err := summary(run)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(run.Dir, "summary.txt"), []byte(table)); err != nil {
		return err
	}
	if spec.Timings { // they are what was asked for; the table is in its file
		if table, err = experiments.TimingText(run); err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(run.Dir, "timings.txt"), []byte(table)); err != nil {
			return err
		}
	}
	fmt.Fprintln(s.out, table)
	if err := overhead(s, spec, run); err != nil {
		return err
	}
	files, err := draw(run, run.Dir, formats)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "records: %s\ntable:   %s\n", filepath.Join(opt.Out, experiments.CellsDir), filepath.Join(run.Dir, "summary.txt"))
	if len(files) > 0 {
		fmt.Fprintf(s.out, "figures: %s\n", strings.Join(files, " "))
	}
	return nil
}

// overhead says what a step takes where an estimator is a program of the user's.
func overhead(s streams, spec *experiments.Spec, run *record.Run) error {
	if !spec.Plugins() || spec.Timings {
		return nil
	}
	text, err := experiments.TimingText(run)
	if err == nil {
		fmt.Fprintln(s.out, text)
	}
	return err
}

// leftOut says which methods a spec of all methods runs without.
func leftOut(s streams, spec *experiments.Spec) {
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
		fmt.Fprintf(s.err, "left out on %s: %s (%s)\n", g.env, strings.Join(methods[g], ", "), g.why)
	}
}

// summary is the table of a run and the verdicts on its claims.
func summary(run *record.Run) (string, error) {
	text, err := experiments.Summary(run)
	if err != nil {
		return "", err
	}
	verdicts, err := experiments.Verdicts(run)
	for _, v := range verdicts {
		text += "\n" + experiments.ClaimText(v.Claim, v.Settings)
	}
	return text, err
}

// draw writes every figure of the run into dir, in every format.
func draw(run *record.Run, dir string, formats []string) ([]string, error) {
	var files []string
	for _, fig := range run.Figures {
		if slices.Contains(formats, "none") {
			break
		}
		picture, err := plots.Draw(run, fig)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		for _, format := range formats {
			path := filepath.Join(dir, fig.Name+"."+format)
			if err := picture.Save(path); err != nil {
				return nil, err
			}
			files = append(files, path)
		}
	}
	return files, nil
}

// progress shows how far a run is: a bar in a terminal, else a line for each
// tenth.
type progress struct {
	streams
	quiet bool // nothing but a bar
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	tenth int
	bases []*baseProgress
}

// baseProgress is how far the pre-training of one base policy is.
type baseProgress struct {
	name, file string
	title      string
	tenth      int
}

// base finds a base policy by its file. Those of one name, which differ in the network
// or in fields of the environment, are numbered in the order that they are begun.
func (p *progress) base(at experiments.Pretraining) *baseProgress {
	same := 0
	for _, b := range p.bases {
		if b.file == at.File {
			return b
		}
		if b.name == at.Name {
			same++
		}
	}
	b := &baseProgress{name: at.Name, file: at.File, title: "base policy"}
	if same > 0 {
		b.title = fmt.Sprintf("base policy %d", same+1)
	}
	p.bases = append(p.bases, b)
	return b
}

func (p *progress) planned(plan experiments.Plan) {
	if plan.Finished > 0 {
		fmt.Fprintf(p.err, "%d of %d cells are finished already\n", plan.Finished, plan.Cells)
	}
	if plan.Steps == 0 || !p.terminal {
		return
	}
	p.bar = progressbar.NewOptions(plan.Steps,
		progressbar.OptionSetWriter(p.err),
		progressbar.OptionSetDescription(fmt.Sprintf("%d cells", plan.Cells-plan.Finished)),
		progressbar.OptionSetItsString("steps"),
		progressbar.OptionShowIts(),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionFullWidth(),
	)
}

func (p *progress) update(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
		return
	}
	if p.terminal || p.quiet || total == 0 {
		return
	}
	if tenth := 10 * done / total; tenth > p.tenth {
		p.tenth = tenth
		fmt.Fprintf(p.err, "%3d%% of %d steps\n", 10*tenth, total)
	}
}

// pretraining shows how far a base policy is: before the bar where there is one, else
// in a line for each tenth.
func (p *progress) pretraining(at experiments.Pretraining) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet && p.bar == nil {
		return
	}
	base := p.base(at)
	tenth := 10 * at.Step / at.Steps
	if tenth == base.tenth {
		return
	}
	base.tenth = tenth
	text := fmt.Sprintf("%s (%s): %3d%% of %d steps, loss %.3f", base.title, at.Name, 10*tenth, at.Steps, at.Loss)
	if p.bar == nil {
		fmt.Fprintln(p.err, text)
		return
	}
	p.bar.Describe(text) // until the first cell is done with it
	if at.Step == at.Steps {
		p.bar.Describe("training")
	}
}

// note shows a line that a plug-in wrote, above the bar where there is one.
func (p *progress) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear() // it is drawn anew at the next step
	}
	fmt.Fprintln(p.err, line)
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
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
		return nil, "", input(fmt.Errorf("%s does not exist", args[0]))
	}
	return data, args[0], err
}
