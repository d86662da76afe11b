package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"modebench/experiments/claims"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/atomicfile"
)

// A decision is a study whose registration is there, with the spec that it registers.
type decision struct {
	*study
	registration claims.Registration
	confirm      *spec.Spec
	verdicts     []claims.Verdict
}

// now reads the study's registration, and holds it against the spec as it is now.
func (y *study) now(ctx context.Context) (*decision, error) {
	d := &decision{study: y}
	var err error
	if d.registration, err = claims.ReadRegistration(y.path); err != nil {
		return nil, err
	}
	if d.confirm, err = y.look(ctx, deciding(d.registration.Seeds.Number)); err != nil {
		return nil, err
	}
	now, err := y.registration(ctx, d.confirm, d.registration.Pilot)
	if err != nil {
		return nil, err
	}
	if text := d.registration.Match(now); text != "" {
		return nil, inputError(fmt.Errorf("%s is not what %s registers: %s", y.name, y.path, text))
	}
	return d, nil
}

// registrations reads those of the studies and holds each against its spec as it is now.
func (f studyFlags) registrations(ctx context.Context, s streams, list []*study) ([]*decision, error) {
	var out []*decision
	for _, y := range list {
		there, err := y.registered()
		if err == nil && !there {
			words := append([]string{"bench", "claims", y.arg, "--register"}, given(f.flags, "until-decided", "json", "markdown", "first", "matrix", "latex", "figure", "paper", "verdicts", "register")...)
			err = inputError(fmt.Errorf("%s is not registered: there is no %s; make it first: %s", y.name, y.path, shellLine(words)))
		}
		if err != nil {
			return nil, err
		}
		d, err := y.now(ctx)
		if err != nil {
			return nil, err
		}
		if d.registration.TextSum != d.confirm.TextSum {
			s.note(y.name + ": the spec's text is another one than when it was registered; its variants, cells and claims are the same")
		}
		if text := d.registration.Overruled(); text != "" {
			fmt.Fprintln(s.err, text)
		}
		out = append(out, d)
	}
	return out, nil
}

// decide runs the seeds that decide and judges the claims by them, all specs together. It
// returns none in a run of a part.
func (f studyFlags) decide(ctx context.Context, s streams, list []*decision, opt sweep.Options) ([]claims.Verdict, error) {
	var err error
	if opt.Part, err = f.parts.of(list[0].confirm, opt.Out); err != nil {
		return nil, err
	}
	var specs []*spec.Spec
	for _, d := range list {
		run, err := d.toRun(ctx, s, d.confirm, deciding(d.registration.Seeds.Number), opt.Out, opt.Part, f.plugins)
		if err != nil {
			return nil, err
		}
		specs = append(specs, run)
	}
	finish := progress.ShowAll(ctx, s.progress(), specs, &opt)
	err = sweep.RunAll(ctx, specs, opt, func(i int, run *record.Run) (err error) {
		if run == nil { // of a part
			return nil
		}
		list[i].verdicts, err = claims.Judge(run)
		for j := range list[i].verdicts {
			list[i].verdicts[j].Spec = list[i].name
		}
		return err
	})
	finish()
	var all []claims.Verdict
	for _, d := range list {
		all = append(all, d.verdicts...)
	}
	claims.Together(all)
	for _, d := range list { // with what is together
		d.verdicts, all = all[:len(d.verdicts)], all[len(d.verdicts):]
	}
	return slices.Concat(verdictsOf(list)...), err
}

func verdictsOf(list []*decision) (out [][]claims.Verdict) {
	for _, d := range list {
		out = append(out, d.verdicts)
	}
	return out
}

// keep writes the verdicts of each spec that was judged into a folder, and returns the texts.
func (f studyFlags) keep(list []*decision, all []claims.Verdict) (texts [][]byte, err error) {
	for _, d := range list {
		if len(d.verdicts) == 0 {
			continue
		}
		text := claims.DocumentText(claims.NewDocument(d.registration, d.verdicts, all))
		texts = append(texts, text)
		if *f.verdicts == "" {
			continue
		}
		if err := os.MkdirAll(*f.verdicts, 0o755); err != nil {
			return nil, err
		}
		if err := atomicfile.Write(filepath.Join(*f.verdicts, d.name+".json"), text); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// study registers and decides, as the flags say, and prints what came of it.
func (f studyFlags) study(ctx context.Context, s streams, list []*study, opt sweep.Options, form claimForm, figure claimsFigure) error {
	var specs []*spec.Spec
	for _, y := range list {
		specs = append(specs, y.pilot)
	}
	if err := figure.checkPaper(specs); err != nil {
		return err
	}
	if *f.register {
		open := list
		if *f.until { // those that are registered stay so
			open = nil
			for _, y := range list {
				there, err := y.registered()
				if err != nil {
					return err
				}
				if !there {
					open = append(open, y)
				}
			}
		}
		out := s
		if form.name == "json" {
			out.out = s.err // what is printed is one document a spec
		}
		if len(open) > 0 {
			if err := f.registerAll(ctx, out, open, opt); err != nil {
				return err
			}
		}
		if !*f.until {
			return nil
		}
	}
	decisions, err := f.registrations(ctx, s, list)
	if err != nil || len(decisions) == 0 {
		return err
	}
	verdicts, failed := f.decide(ctx, s, decisions, opt)
	if f.flags.Changed("shard") || f.flags.Changed("cells") {
		if failed == nil {
			fmt.Fprintf(s.out, "records: %s, of a part of the cells; without --shard and --cells the claims are judged\n", filepath.Join(opt.Out, record.CellsDir))
		}
		return failed
	}
	texts, err := f.keep(decisions, verdicts)
	if err != nil {
		return errors.Join(err, failed)
	}
	if *figure.file != "" && failed == nil && len(verdicts) > 0 {
		failed = figure.draw(verdicts)
	}
	switch {
	case form.name == "json":
		for _, text := range texts {
			if _, err := s.out.Write(text); err != nil {
				return errors.Join(err, failed)
			}
		}
		return failed
	case len(verdicts) == 0:
		return failed
	case form.name != "":
		return errors.Join(form.write(s, verdicts), failed)
	}
	for _, d := range decisions {
		if d.verdicts != nil {
			fmt.Fprintf(s.out, "%s: %d registered seeds from %d on; registration %s\n", d.name, d.registration.Seeds.Number, d.registration.Seeds.First, d.registration.Hash)
		}
	}
	fmt.Fprintf(s.out, "\n%s", claims.Table(verdicts))
	for i := range verdicts {
		if text := verdicts[i].Missed(); text != "" {
			fmt.Fprintf(s.out, "%s\n", text)
		}
	}
	return failed
}
