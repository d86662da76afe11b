package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"modebench/experiments/claims"
	"modebench/experiments/claims/study"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/cli"
	"modebench/internal/each"
	"modebench/internal/input"
)

// studyFlags are the flags of registering claims and of deciding them.
type studyFlags struct {
	flags            *pflag.FlagSet
	register, until  bool
	folder, verdicts string
	limit            int
	parts            partFlags
}

func (f *studyFlags) AddFlags(flags *pflag.FlagSet) {
	f.flags = flags
	flags.BoolVar(&f.register, "register", false, "run a pilot, plan the seeds that decide, and write DIR/SPEC.json: the cells to run and the rule to judge by")
	flags.BoolVar(&f.until, "until-decided", false, "run the registered seeds of each spec, all of them, and judge its claims by these")
	flags.StringVar(&f.folder, "registered", "registered", "folder of registrations, DIR")
	cli.Int(flags, &f.limit, "cap", fmt.Sprintf("with --register: most seeds that decide, %d at least; default: %d, %d with transformers", claims.MinPlanned, claims.MaxTabular, claims.MaxTransformer), claims.MinPlanned)
	flags.StringVar(&f.verdicts, "verdicts", "", "with --until-decided: keep what --format json prints of each spec in this folder, as SPEC.json")
	f.parts.AddFlags(flags)
}

// wanted reports whether a study is asked for.
func (f *studyFlags) wanted() bool { return f.register || f.until }

// folderBeside is the folder of registrations, by default the one beside a folder of verdicts.
func (f *studyFlags) folderBeside(verdicts string) string {
	if f.flags.Changed("registered") {
		return f.folder
	}
	return filepath.Join(filepath.Dir(filepath.Clean(verdicts)), "registered")
}

// check checks the flags that need no spec.
func (f *studyFlags) check(args int, kept bool) error {
	const printed = "--%s is for the answers of --until-decided"
	rules := []struct {
		fits  bool
		flags []string
		text  string // of the error, with the name of the flag
	}{
		{f.until || !f.register, []string{"format", "draw"}, printed},
		{f.until, []string{"verdicts"}, printed},
		{f.until && args == 1, []string{"shard", "cells"}, "--%s is for --until-decided of one spec"},
		{f.wanted() || kept, []string{"registered"}, "--%s is for --register, --until-decided and --kept"},
		{f.register, []string{"cap"}, "--%s is for --register"},
		{!f.wanted(), []string{"seeds"}, "--%s: a registration has the number of seeds; --cap bounds it"},
	}
	for _, rule := range rules {
		if rule.fits {
			continue
		}
		if err := cli.Refuse(f.flags, rule.text, rule.flags...); err != nil {
			return err
		}
	}
	return f.parts.check()
}

// studySource reads the spec of an argument for a study.
type studySource struct {
	*claimsOptions
	streams
	arg   string
	named bool // by the user
}

// Look implements study.Source.
func (o studySource) Look(ctx context.Context, design spec.Design) (*spec.Spec, error) {
	return o.read(design, spec.LoadOptions{Context: ctx})
}

func (o studySource) read(design spec.Design, opt spec.LoadOptions) (*spec.Spec, error) {
	opt.Policy, opt.Design = o.policy, &design
	return claimingSpec(o.arg, opt, 0, o.named)
}

// Ready implements study.Source.
func (o studySource) Ready(ctx context.Context, looked *spec.Spec, design spec.Design, part func(int) bool) (*spec.Spec, error) {
	return o.plugins.toRun(ctx, o.streams, looked, o.making.out, part, func(opt spec.LoadOptions) (*spec.Spec, error) { return o.read(design, opt) })
}

// studies are those of the named specs, or of all built-in specs with claims.
func (o *claimsOptions) studies(ctx context.Context, s streams, args []string) ([]*study.Study, error) {
	pilot := func(y *study.Study) *spec.Spec { return y.Pilot }
	list, err := claiming(args, o.policy, func(arg string) (*study.Study, error) {
		return study.New(ctx, studySource{o, s, arg, len(args) > 0}, o.study.folder, o.study.limit)
	}, pilot)
	if err != nil {
		return nil, err
	}
	return list, o.figure.checkPaper(each.Map(list, pilot))
}

// runStudy registers and decides, as the flags ask, and prints the result.
func (o *claimsOptions) runStudy(ctx context.Context, s streams, args []string, form claimForm) error {
	all, err := o.studies(ctx, s, args)
	if err != nil {
		return err
	}
	var open []*study.Study // not registered yet
	for _, y := range all {
		registered, err := y.Registered()
		if err != nil {
			return err
		}
		if !registered {
			open = append(open, y)
		}
	}
	switch {
	case o.study.register && !o.study.until:
		return o.register(ctx, s, all)
	case o.study.register && len(open) > 0: // those that are registered stay so
		plans := s
		if form.name == formJSON {
			plans.out = s.err // standard output has the documents alone
		}
		if err := o.register(ctx, plans, open); err != nil {
			return err
		}
	case len(open) > 0:
		y := open[0]
		words := append([]string{"bench", "claims", y.Source.(studySource).arg, "--register"}, cli.Given(o.flags, "cells", "shard", "until-decided", "format", "first", "draw", "paper", "verdicts", "register")...)
		return input.Errorf("%s is not registered: there is no %s; make it first: %s", y.Name, y.Path, cli.ShellLine(words))
	}
	return o.decide(ctx, s, all, form)
}

// runAll makes cells and shows how far it is.
func (s streams) runAll(ctx context.Context, specs []*spec.Spec, opt sweep.Options, made func(int, *record.Run) error) error {
	return progress.RunAll(ctx, s.progress(), specs, &opt, made)
}

// register registers studies and prints the plans.
func (o *claimsOptions) register(ctx context.Context, s streams, list []*study.Study) error {
	plans, err := study.Register(ctx, list, o.making.options(), s.runAll)
	for _, plan := range plans {
		if plan.Hash != "" {
			fmt.Fprint(s.out, plan.Text())
		}
	}
	return err
}

// decide decides registered studies and prints their verdicts.
func (o *claimsOptions) decide(ctx context.Context, s streams, list []*study.Study, form claimForm) error {
	var decisions []*study.Decision
	for _, y := range list {
		d, err := y.Decision(ctx)
		if err != nil {
			return err
		}
		if d.Registration.TextSum != d.Confirm.TextSum {
			s.note(y.Name + ": the spec's text has changed since it was registered; its variants, cells and claims are the same")
		}
		if text := d.Registration.Overruled(); text != "" {
			fmt.Fprintln(s.err, text)
		}
		decisions = append(decisions, d)
	}
	if len(decisions) == 0 {
		return nil
	}
	opt := o.making.options()
	var err error
	if opt.Part, err = o.study.parts.choose(decisions[0].Confirm, opt.Out); err != nil {
		return err
	}
	verdicts, failed := study.Decide(ctx, decisions, opt, s.runAll)
	if opt.Part != nil {
		if failed == nil {
			fmt.Fprintf(s.out, "records: %s, of a part of the cells; without --shard and --cells the claims are judged\n", filepath.Join(opt.Out, record.CellsDir))
		}
		return failed
	}
	documents, err := study.Documents(decisions, verdicts, o.study.verdicts)
	if err != nil {
		return errors.Join(err, failed)
	}
	if o.figure.file != "" && failed == nil && len(verdicts) > 0 {
		failed = o.figure.draw(verdicts)
	}
	return errors.Join(writeDecisions(s, decisions, documents, verdicts, form), failed)
}

// writeDecisions prints verdicts in a form: as JSON a document for each spec.
func writeDecisions(s streams, decisions []*study.Decision, documents [][]byte, verdicts []claims.Verdict, form claimForm) error {
	switch {
	case form.name == formJSON:
		for _, text := range documents {
			if _, err := s.out.Write(text); err != nil {
				return err
			}
		}
		return nil
	case len(verdicts) == 0:
		return nil
	case form.name != formText:
		return form.write(s, verdicts)
	}
	for _, d := range decisions {
		if d.Verdicts != nil {
			seeds := d.Registration.Seeds
			fmt.Fprintf(s.out, "%s: %d registered seeds from %d on; registration %s\n", d.Name, seeds.Number, seeds.First, d.Registration.Hash)
		}
	}
	fmt.Fprintf(s.out, "\n%s", claims.Table(verdicts))
	for i := range verdicts {
		if text := verdicts[i].Missed(); text != "" {
			fmt.Fprintf(s.out, "%s\n", text)
		}
	}
	return nil
}
