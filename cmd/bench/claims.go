package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/spf13/pflag"

	"modebench/experiments/claims"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

var claimsCommand = command{
	name: "claims", args: "[SPEC...] [flags]",
	summary: "what seeds say of the papers' claims: an answer to each",
	detail: `
Runs the specs, or where none is named every built-in one that makes claims and is not
written for a transformer, and prints for each claim its answer (supported, opposed, no
difference, mixed, undecided, untestable here), its effect with an interval, and the paper's own
number. The cells of all specs are one run: none waits for another spec's last cells. Those
that are in OUT already are skipped, so that after bench run of the same specs there is
nothing left to train. All of these specs take about 25 minutes on two cores and 13 GB.

These are the seeds that the specs have for themselves, and somebody may have looked at
them before a claim was written. --register and --until-decided judge by fresh ones.

--policy transformer judges the claims that specs make for transformers, on held-out
problems, and those of the specs that are written for one.

--figure FILE draws the effects with their intervals, paper by paper on one axis, in units
of delta, the smallest effect that matters: a line for each claim, of one spec a line for
each setting where these are few. With --paper NAME it has the claims of that paper alone,
every setting. With --kept DIR nothing is run: it draws the answers that DIR has from --verdicts,
of the specs that are named or of all, under --policy or any.

--matrix prints a row for each spec with a sign for each claim, --latex the table for a
paper. --markdown --first FILE has a column with what the gates said that were written first, and
one with why an answer differs.

--register plans the seeds that decide, before anybody has seen them: it runs a pilot
(OUT/SPEC-pilot: seeds 0 to 9, of which two in turn share a draw of problems), plans by its
variance, prints the plan, and writes DIR/SPEC.json, the registration. It holds the rule, the
claims with their deltas, the seeds and their cells, and a hash over all of it, and is never
overwritten. It is refused, with exit code 3, where a cell of these seeds is finished in OUT.
All seeds are counted from the spec's first_seed, for specs that share cells with another one.

--until-decided runs the registered seeds (OUT/SPEC-confirm: from seed 1000 on, each with
a draw of problems and a base policy of its own) and judges by these alone. The exit code
is 3 if there is no registration, or the spec is not as it was registered; with --register it is
made first if there is none. --shard I/N runs a part. What stays undecided says which effect
the seeds would have shown. --json prints a document for each spec, with the hash of its
registration; --verdicts DIR keeps them as DIR/SPEC.json.

Without these two, --json prints a list of {"spec", "claim", "text", "source", "paper", "metrics",
"says", "answer", "p": {"supported", "opposed", "no_difference"}, "needs", "settings": [{"metric",
"a", "b", "axes", "effect": {"mean", "low", "high", "n"}, "in_deltas": {...}, "p": {...}, "answer",
"reason", "needs"}]}; what is not finite is null.`,
	complete: every(spec.BuiltinNames),
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		var making sweepFlags
		making.AddFlags(flags)
		seeds := flags.Int("seeds", 0, "run N seeds instead of each spec's number: 0 to N-1, or from its first_seed on")
		policy := flags.String("policy", "", "judge the claims under this kind of policy: "+policyNames()+"; default: each spec's own")
		chosen := claimFormFlags(flags)
		figure := newClaimsFigure(flags)
		plugins := &pluginFlags{}
		plugins.AddFlags(flags)
		study := newStudyFlags(flags, plugins)
		return func(ctx context.Context, s streams, args []string) error {
			if err := making.check(); err != nil {
				return err
			}
			if flags.Changed("seeds") && (*seeds < 1 || *seeds > spec.MaxSeeds) {
				return usagef("--seeds is %d, want 1 to %d", *seeds, spec.MaxSeeds)
			}
			form, err := chosen(*policy)
			if err != nil {
				return err
			}
			if err := cmp.Or(study.check(len(args), *figure.kept != "", "json", "markdown", "matrix", "latex", "figure"), plugins.check()); err != nil {
				return err
			}
			if err := figure.check(); err != nil {
				return err
			}
			if err := checkPolicy(flags, *policy); err != nil {
				return err
			}
			if *figure.kept != "" {
				return figure.drawKept(args, *policy, study.folderBeside(*figure.kept))
			}
			ctx, stop := untilSignal(ctx)
			defer stop()
			opt := making.options()
			if study.on() {
				list, err := study.studies(ctx, args, *policy)
				if err != nil {
					return err
				}
				return study.study(ctx, s, list, opt, form, figure)
			}
			specs, err := claiming(args, *policy, func(name string) (*spec.Spec, error) {
				read := func(opt spec.LoadOptions) (*spec.Spec, error) {
					opt.Policy = *policy
					return claimingSpec(name, opt, *seeds, len(args) > 0)
				}
				looked, err := read(spec.LoadOptions{Context: ctx})
				if err != nil {
					return nil, err
				}
				return plugins.toRun(ctx, s, looked, opt.Out, nil, read)
			})
			if err != nil {
				return err
			}
			if err := figure.checkPaper(specs); err != nil {
				return err
			}
			for _, spec := range specs {
				if err := beside(ctx, s, spec, opt.Out); err != nil {
					return err
				}
			}
			// A spec whose cells fail leaves the others their verdicts.
			verdicts, failed := judgeSpecs(ctx, s, specs, opt)
			switch {
			case *figure.file != "" && failed != nil:
				s.note(*figure.file + " is not drawn: the claims are not all judged")
			case *figure.file != "" && len(verdicts) > 0:
				failed = errors.Join(failed, figure.draw(verdicts))
			}
			return errors.Join(form.write(s, verdicts), failed)
		}
	},
}

// claiming reads the specs, or all built-in ones that make claims under the policy; where none
// is named, all but those that are written for a transformer.
func claiming(names []string, policy string, read func(name string) (*spec.Spec, error)) ([]*spec.Spec, error) {
	if len(names) == 0 {
		builtins, err := spec.Builtins()
		if err != nil {
			return nil, err
		}
		for _, b := range builtins {
			if policy == b.Policy || slices.Contains(b.Overlays, policy) || policy == "" && b.Policy != "transformer" {
				names = append(names, b.Name)
			}
		}
	}
	var out []*spec.Spec
	for _, name := range names {
		loaded, err := read(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(s *spec.Spec) bool { return s.Name == loaded.Name }) {
			return nil, usagef("two specs are named %s: one of them", loaded.Name)
		}
		if len(loaded.Claims) > 0 {
			out = append(out, loaded)
		}
	}
	return out, nil
}

// claimingSpec loads one spec, with so many seeds; 0: its own. One that was named has to make
// claims.
func claimingSpec(name string, opt spec.LoadOptions, seeds int, named bool) (*spec.Spec, error) {
	loaded, err := spec.LoadWith(name, opt)
	if err != nil {
		return nil, err
	}
	if named && len(loaded.Claims) == 0 {
		return nil, inputError(fmt.Errorf("%s makes no claims", name))
	}
	loaded.Seeds = cmp.Or(seeds, loaded.Seeds)
	return loaded, nil
}

// judgeSpecs runs what is missing of the specs, all as one run, and judges the claims of
// those whose cells are all there.
func judgeSpecs(ctx context.Context, s streams, specs []*spec.Spec, opt sweep.Options) ([]claims.Verdict, error) {
	finish := progress.ShowAll(ctx, s.progress(), specs, &opt)
	judged := make([][]claims.Verdict, len(specs))
	var ended atomic.Int32
	err := sweep.RunAll(ctx, specs, opt, func(i int, run *record.Run) (err error) {
		if judged[i], err = claims.Judge(run); err == nil {
			opt.Notes(fmt.Sprintf("%s is judged, %d of %d", specs[i].Name, ended.Add(1), len(specs)))
		}
		return err
	})
	finish()
	all := slices.Concat(judged...)
	claims.Together(all)
	return all, err
}
