// Package pages makes the report of folders of experiments: once, or served on this machine and made
// again while the experiments run.
package pages

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"modebench/experiments/analysis"
	"modebench/experiments/claims"
	"modebench/experiments/imported"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/plots"
	"modebench/plots/report"
)

// Make is the page of experiments that have ended.
func Make(ctx context.Context, dirs []string, opt report.Options) ([]byte, error) {
	return makePage(ctx, dirs, opt, func(dir string) (report.Experiment, error) {
		run, err := record.Open(dir)
		return report.Experiment{Run: run}, err
	})
}

// makePage is the page of some folders. open gives the run in one, with the parts to show.
func makePage(ctx context.Context, dirs []string, opt report.Options, open func(dir string) (report.Experiment, error)) ([]byte, error) {
	var list []report.Experiment
	again := "bench report"
	for _, dir := range dirs {
		e, err := open(dir)
		if err != nil {
			return nil, input.UnlessFile(err)
		}
		if err := workOut(ctx, &e); err != nil {
			return nil, input.UnlessFile(fmt.Errorf("%s: %w", dir, err))
		}
		list = append(list, e)
		again += " results/" + e.Run.Spec
	}
	if len(list) > 1 {
		again += " --out report.html"
	}
	for i := range list {
		list[i].Again = []string{runAgain(list[i].Run), "# The page, where records are in results/:", again}
	}
	var buf bytes.Buffer
	if err := report.Write(&buf, list, opt); err != nil {
		return nil, input.UnlessFile(err)
	}
	return buf.Bytes(), nil
}

// workOut computes the summary, the verdicts and the timings of a run from its records.
func workOut(ctx context.Context, e *report.Experiment) error {
	var err error
	if e.Summary, err = analysis.SummaryRows(ctx, e.Run); err != nil {
		return err
	}
	verdicts, err := claims.Judge(e.Run)
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		c := report.Claim{Claim: v.Claim, Answer: v.Answer, Says: claims.Sentence(v.Claim), Outcome: v.Outcome(), Effect: v.Effect()}
		for _, s := range v.Settings {
			c.Settings = append(c.Settings, report.Setting{
				Metric: s.Metric, A: s.A, B: s.B, Axes: s.Axes, ValueA: s.ValueA, ValueB: s.ValueB,
				Effect: s.Effect, InDeltas: s.InDeltas(v.Claim), Answer: s.Answer, Outcome: s.Outcome(),
			})
		}
		e.Claims = append(e.Claims, c)
	}
	if e.Run.Manifest.Timings {
		e.Timings, err = analysis.TimingText(e.Run)
	}
	return err
}

// finished leaves out figures and claims of methods of which no cell is finished. The others keep their
// numbers.
func finished(run *record.Run) report.Experiment {
	e := report.Experiment{Run: run, FigureNumbers: []int{}, ClaimNumbers: []int{}}
	var figures []record.Figure
	for i, fig := range run.Figures {
		data, err := plots.Gather(run, fig)
		if err == nil {
			_, err = data.Draw()
		}
		if err == nil {
			figures, e.FigureNumbers = append(figures, fig), append(e.FigureNumbers, i+1)
		}
	}
	var kept []record.Claim
	for i, c := range run.Claims {
		alone := *run
		alone.Claims = []record.Claim{c}
		if _, err := claims.Judge(&alone); err == nil {
			kept, e.ClaimNumbers = append(kept, c), append(e.ClaimNumbers, i+1)
		}
	}
	run.Figures, run.Claims = figures, kept
	return e
}

// runAgain is the command that makes the records again. Of a spec that is not built in the records hold
// the name alone, not its file nor the fields that were set.
func runAgain(run *record.Run) string {
	name, policy, form := run.Spec, "", ""
	if base, cut := strings.CutSuffix(name, "-quick"); cut && !builtIn(name) {
		name, form = base, " --quick"
	}
	names, _ := spec.Policies()
	for _, p := range names {
		if base, cut := strings.CutSuffix(name, "-"+p); cut && builtIn(base) {
			name, policy = base, " --policy "+p
		}
	}
	seeds := each.Largest(run.Variants, func(v record.Variant) int { return len(v.Cells) })
	switch {
	case imported.Is(&run.Manifest):
		return fmt.Sprintf("# The records of %s were made by bench import, from files of answers that they do not hold.", run.Spec)
	case !builtIn(name):
		return fmt.Sprintf("# %s is no built-in spec, and the records do not hold its file. With the file, and --set\n"+
			"# if fields were changed: bench run FILE.toml --seeds %d", run.Spec, seeds)
	}
	return fmt.Sprintf("bench run %s%s%s --seeds %d", name, policy, form, seeds)
}

func builtIn(name string) bool {
	_, err := spec.BuiltinText(name)
	return err == nil
}
