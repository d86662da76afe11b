package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/claims"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/cli"
	"modebench/internal/input"
)

func newClaimsCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "claims [SPEC...] [flags]", Short: "judge the papers' claims by seeds: an answer to each",
		ValidArgsFunction: cli.Every(spec.BuiltinNames),
		Long: `
Runs the specs, by default every built-in spec with claims that is not
written for a transformer, and prints for each claim its answer (supported, opposed, no
difference, mixed, undecided, untestable here), its effect with an interval, and the paper's own
number. The cells of all specs are one run: none waits for another spec's last cells. Those
that are in OUT already are skipped, so that after bench run of the same specs there is
nothing left to train. All of these specs take about 25 minutes on two cores and 13 GB.

These are the seeds that the specs have for themselves, and somebody may have looked at
them before a claim was written. --register and --until-decided judge by fresh ones.

--policy transformer judges the claims that specs make for transformers, on held-out
problems, and those of the specs that are written for one.

--draw FILE draws the effects with their intervals, paper by paper on one axis, in units
of delta, the smallest effect that matters: a line for each claim, of one spec a line for
each setting if these are few. With --paper NAME it has the claims of that paper alone,
every setting. With --kept DIR nothing is run: it draws the answers that DIR has from --verdicts,
of the specs that are named or of all, under --policy or any.

--format matrix prints a row for each spec with a sign for each claim, as Markdown. With
--format markdown --first FILE has a column with the answers of the gates that were written first, and
one with the reason why an answer differs.

--register plans the seeds that decide, before anybody has seen them: it runs a pilot
(OUT/SPEC-pilot: seeds 0 to 9, of which two in turn share a draw of problems), plans by its
variance, prints the plan, and writes DIR/SPEC.json, the registration. It holds the rule, the
claims with their deltas, the seeds and their cells, and a hash over all of it, and is never
overwritten. It is refused, with exit code 3, where a cell of these seeds is finished in OUT.
All seeds are counted from the spec's first_seed, for specs that share cells with another spec.

--until-decided runs the registered seeds (OUT/SPEC-confirm: from seed 1000 on, each with
a draw of problems and a base policy of its own) and judges by these alone. The exit code
is 3 without a registration, or if the spec is not as it was registered; --register makes a
missing one first. --shard I/N runs a part. An undecided claim has the effect that
the seeds would have shown. --format json prints a document for each spec, with the hash of its
registration; --verdicts DIR keeps them as DIR/SPEC.json.

Without these two, --format json prints a list of {"spec", "claim", "text", "source", "paper", "metrics",
"says", "answer", "p": {"supported", "opposed", "no_difference"}, "needs", "settings": [{"metric",
"a", "b", "axes", "effect": {"mean", "low", "high", "n"}, "in_deltas": {...}, "p": {...}, "answer",
"reason", "left_out", "needs"}]}; what is not finite is null.`,
	}, &claimsOptions{})
}

type claimsOptions struct {
	flags   *pflag.FlagSet
	making  sweepFlags
	seeds   int
	policy  string
	forms   claimFormFlags
	figure  claimsFigure
	plugins pluginFlags
	study   studyFlags
}

func (o *claimsOptions) AddFlags(flags *pflag.FlagSet) {
	o.flags = flags
	o.making.AddFlags(flags)
	cli.Int(flags, &o.seeds, "seeds", "run N seeds instead of each spec's number: 0 to N-1, or from its first_seed on", 1, spec.MaxSeeds)
	addPolicy(flags, &o.policy, "judge the claims under this kind of policy: ", "; default: each spec's own")
	o.forms.AddFlags(flags)
	o.figure.AddFlags(flags)
	o.plugins.AddFlags(flags)
	o.study.AddFlags(flags)
}

func (o *claimsOptions) run(ctx context.Context, s streams, args []string) error {
	form, err := o.check(len(args))
	switch {
	case err != nil:
		return err
	case o.figure.kept != "":
		return o.figure.drawKept(args, o.policy, o.study.folderBeside(o.figure.kept))
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	if o.study.wanted() {
		return o.runStudy(ctx, s, args, form)
	}
	specs, err := claiming(args, o.policy, func(name string) (*spec.Spec, error) {
		read := func(opt spec.LoadOptions) (*spec.Spec, error) {
			opt.Policy = o.policy
			return claimingSpec(name, opt, o.seeds, len(args) > 0)
		}
		looked, err := read(spec.LoadOptions{Context: ctx})
		if err != nil {
			return nil, err
		}
		return o.plugins.toRun(ctx, s, looked, o.making.out, nil, read)
	}, func(s *spec.Spec) *spec.Spec { return s })
	if err != nil {
		return err
	}
	if err := o.figure.checkPaper(specs); err != nil {
		return err
	}
	for _, spec := range specs {
		if err := beside(ctx, s, spec, o.making.out); err != nil {
			return err
		}
	}
	// A spec whose cells fail leaves the others their verdicts.
	verdicts, failed := judgeSpecs(ctx, s, specs, o.making.options())
	switch {
	case o.figure.file != "" && failed != nil:
		s.note(o.figure.file + " is not drawn: the claims are not all judged")
	case o.figure.file != "" && len(verdicts) > 0:
		failed = errors.Join(failed, o.figure.draw(verdicts))
	}
	return errors.Join(form.write(s, verdicts), failed)
}

// check checks the flags that need no spec, and returns the form to print in.
func (o *claimsOptions) check(args int) (claimForm, error) {
	form, err := o.forms.form(o.policy)
	if err != nil {
		return form, err
	}
	return form, cmp.Or(o.study.check(args, o.figure.kept != ""), o.figure.check(o.flags))
}

// claiming reads the named specs, or the built-in specs that make claims under the policy, without
// a policy all but those that are written for a transformer. specOf is the spec of a result of read.
func claiming[T any](names []string, policy string, read func(name string) (T, error), specOf func(T) *spec.Spec) (out []T, err error) {
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
	for _, name := range names {
		loaded, err := read(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(earlier T) bool { return specOf(earlier).Name == specOf(loaded).Name }) {
			return nil, usagef("two specs are named %s: one of them", specOf(loaded).Name)
		}
		if len(specOf(loaded).Claims) > 0 {
			out = append(out, loaded)
		}
	}
	return out, nil
}

// claimingSpec loads a spec, with seeds instead of its own number unless they are 0. A spec that was
// named must make claims.
func claimingSpec(name string, opt spec.LoadOptions, seeds int, named bool) (*spec.Spec, error) {
	loaded, err := spec.LoadWith(name, opt)
	if err != nil {
		return nil, err
	}
	if named && len(loaded.Claims) == 0 {
		return nil, input.Errorf("%s makes no claims", name)
	}
	loaded.Seeds = cmp.Or(seeds, loaded.Seeds)
	return loaded, nil
}

// judgeSpecs runs the missing cells of the specs, all as one run, and judges the claims of the specs
// whose cells are complete.
func judgeSpecs(ctx context.Context, s streams, specs []*spec.Spec, opt sweep.Options) ([]claims.Verdict, error) {
	judged := make([][]claims.Verdict, len(specs))
	var ended atomic.Int32
	err := progress.RunAll(ctx, s.progress(), specs, &opt, func(i int, run *record.Run) (err error) {
		if judged[i], err = claims.Judge(run); err == nil {
			opt.Notes(fmt.Sprintf("%s is judged, %d of %d", specs[i].Name, ended.Add(1), len(specs)))
		}
		return err
	})
	all := slices.Concat(judged...)
	claims.Together(all)
	return all, err
}
