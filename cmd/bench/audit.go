package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/audit"
	"modebench/experiments/catalog"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/atomicfile"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/internal/params"
	"modebench/plots"
)

func newAuditCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "audit [METHOD[:FIELD=VALUE,...] ...] [flags]", Short: "how good an estimator's steps are: bias, variance, what they climb",
		ValidArgsFunction: cli.Every(catalog.Methods),
		Long: `
For each method and group size N: the expected step, and how steps scatter, on
bandits all of whose answers can be enumerated, under the softmax policy that training
starts from. A step is (1/N) sum_i A_i grad log pi(y_i) in the logits, from one group of
each bandit. It is held against the exact gradient of the objective that the method
claims, and against that of pass@k for k = 1, 2, 4 ... 64. Clips, divergences and
entropy bonuses are the objective's and no part of it, and groups normalised together
(REINFORCE++, GPG, GDPO, SD-E2) are audited in batches of one.

Without METHOD: every method that trains. poly-epo:n=2 sets fields. --spec takes
methods, expressions and plug-ins from a spec, and its bandit's parameters; a spec without
[env] fields of a bandit is audited on the audit's own 48, of four modes. Gradients of
pass@k that are parallel, as on a single bandit, cannot be told apart, and the table marks them.

All outcomes of a group are enumerated if they are at most --outcomes (and
2000, for plug-ins and expressions over sets): counts of answers where the order of
rollouts does not matter, else sequences. Above that, and for methods that draw numbers
of their own, --samples groups are drawn, and numbers have 95% intervals. Chains have
three independent answers. Answers that vote are drawn beside the N that are trained on.
A greedy answer is the likeliest one. Prompts that state weights state w*.

OUT gets audit.json, with everything, and the figures audit and audit-pass.`,
	}, &auditOptions{})
}

type auditOptions struct {
	opt       audit.Options
	spec, out string
	set       []string
	formats   []string
	form      string
	all       bool
	plugins   pluginFlags
}

func (f *auditOptions) AddFlags(flags *pflag.FlagSet) {
	f.opt = audit.Default()
	flags.StringVar(&f.spec, "spec", "", "take methods and bandit from this spec")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the bandit: --set modes=4 (bench list envs bandit)")
	flags.IntVar(&f.opt.Problems, "problems", f.opt.Problems, "number of bandits, train/0 and so on")
	flags.IntSliceVar(&f.opt.Groups, "groups", f.opt.Groups, "group sizes N")
	flags.IntVar(&f.opt.Outcomes, "outcomes", f.opt.Outcomes, "most outcomes of a group to enumerate")
	flags.IntVar(&f.opt.Samples, "samples", f.opt.Samples, "groups of each bandit to draw if there are more")
	flags.Uint64Var(&f.opt.Seed, "seed", 0, "of the drawn groups")
	addJobs(flags, &f.opt.Jobs, "rows to compute at the same time")
	flags.StringVarP(&f.out, "out", "o", filepath.Join("results", "audit"), "folder to write to")
	addFigureFormats(flags, &f.formats)
	flags.BoolVar(&f.all, "all", false, "a row for every group size in the table")
	addForm(flags, &f.form, formJSON, formLaTeX)
	f.plugins.AddFlags(flags)
}

func (f *auditOptions) run(ctx context.Context, s streams, args []string) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	err := f.audit(ctx, s, args)
	if errors.Is(err, context.Canceled) {
		return stoppedError("interrupted; an audit keeps nothing before its end")
	}
	return err
}

// audit makes and writes the audit of the methods that the arguments or the spec name.
func (f *auditOptions) audit(ctx context.Context, s streams, args []string) error {
	methods, err := f.methods(ctx, s, args)
	if err != nil {
		return err
	}
	for _, pair := range f.set {
		if err := params.SetPair(f.opt.Bandit, pair); err != nil {
			return usagef("--set: %w", err)
		}
	}
	if _, err := f.opt.Bandit.Build(); err != nil {
		return usagef("--set: %w", err)
	}
	if err := f.opt.Check(); err != nil {
		return &input.Usage{Err: err}
	}
	f.opt.Progress = auditProgress(s, time.Now)
	audit, failed := audit.Run(ctx, methods, f.opt)
	if audit == nil {
		return failed
	}
	return errors.Join(f.write(s, audit), failed)
}

// auditProgress prints the progress of an audit every ten seconds: most audits end before.
func auditProgress(s streams, clock func() time.Time) func(audit.Progress) {
	shown := clock()
	return func(p audit.Progress) {
		if clock().Sub(shown) < 10*time.Second {
			return
		}
		shown = clock()
		fmt.Fprintf(s.err, "%3d%% of the audit, at %s in groups of %d\n", 100*p.Done/p.Total, p.Label, p.Group)
	}
}

// methods are those of the arguments or of the spec, with the bandit to audit them on.
func (f *auditOptions) methods(ctx context.Context, s streams, args []string) ([]audit.Method, error) {
	if f.spec == "" {
		f.opt.Bandit = audit.Bandit()
		methods, err := audit.Methods(args)
		if err != nil {
			return nil, &input.Usage{Err: err}
		}
		return methods, nil
	}
	if len(args) > 0 {
		return nil, usagef("bench audit takes methods or --spec, not both")
	}
	spec, err := spec.LoadWith(f.spec, f.plugins.options(ctx, s))
	if err != nil {
		return nil, err
	}
	note := s.note // of the spec; later ones are of plug-ins, from several goroutines
	methods, config, err := audit.FromSpec(ctx, spec, func(line string) { note(line) })
	note, f.opt.Bandit = s.progress().Notes(), config
	return methods, err
}

// write prints the audit and leaves its files in the folder.
func (f *auditOptions) write(s streams, made *record.Audit) error {
	data, err := json.MarshalIndent(made, "", " ")
	if err != nil {
		return err
	}
	text := string(data) + "\n"
	path := filepath.Join(f.out, record.AuditFile)
	if err := atomicfile.Put(path, []byte(text)); err != nil {
		return err
	}
	var files []string
	for _, fig := range plots.AuditFigures(made, audit.GroupShown(made)) {
		saved, err := saveFigure(fig.Figure, f.out, fig.Name, f.formats)
		if err != nil {
			return err
		}
		files = append(files, saved...)
	}
	switch f.form {
	case formLaTeX:
		text = audit.LaTeX(made, f.all)
	case formText:
		text = audit.Text(made, f.all) + fmt.Sprintf("\nrecord:  %s\n", path)
		if len(files) > 0 {
			text += fmt.Sprintf("figures: %s\n", strings.Join(files, " "))
		}
	}
	_, err = fmt.Fprint(s.out, text)
	return err
}
