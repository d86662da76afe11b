package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/analysis"
	"modebench/experiments/claims"
	"modebench/experiments/imported"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/atomicfile"
	page "modebench/plots/report"
)

func newReportCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "report DIR [DIR...] [flags]", Short: "write an experiment as one HTML page that can be sent",
		Args: takes(1, math.MaxInt, "one folder or more"),
		Long: `
DIR is the folder of an experiment, as bench run leaves it (results/quick); several
make one page with a part for each. The page holds the summary table, which sorts,
filters and downloads as CSV, the verdicts on all claims with their settings, every
figure of the spec, a problem, problems to play with, all settings, and what made the
records. In figures of metrics and of claims methods are turned on and off, with zoom,
other metrics and steps; all figures have a table of their values. The problems to play
with are those whose answers the records keep (keep in [eval]): what each method
answered at first and after any step, in the picture of the problem, and which modes
nobody found. The address of the page leads back to what was chosen
(docs/commands.md). It is one file that loads nothing and can be opened, sent and
printed; only its links to raw records need the folder of the cells beside it. The same
records and provenance give the same page.

--out - writes to standard output, with links relative to the current folder.

--serve writes no file and serves the page on this machine alone, at the address that it prints,
until Ctrl-C ends it. It may begin while the experiments still run (their folders are there from
the start of bench run): the page then has what is finished, says how much that is, and is made
again, and reloads itself, as cells are finished. Figures and claims about methods of which no
cell is finished come later. Only the page and the records that it links to can be read, of
whatever folders.

  bench report results/quick --serve --listen 127.0.0.1:8080`,
	}, &reportOptions{})
}

type reportOptions struct {
	flags       *pflag.FlagSet
	out, listen string
	serve       bool
}

func (o *reportOptions) AddFlags(flags *pflag.FlagSet) {
	o.flags = flags
	flags.StringVarP(&o.out, "out", "o", "", "file to write, - for standard output; default: DIR/report.html")
	flags.BoolVar(&o.serve, "serve", false, "serve the page, and make it again while the experiments run")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "with --serve: address and port on this machine; port 0: any that is free")
}

func (o *reportOptions) run(ctx context.Context, s streams, args []string) error {
	switch {
	case o.serve && o.out != "":
		return usagef("--serve writes no file: leave out --out")
	case o.flags.Changed("listen") && !o.serve:
		return usagef("--listen is the address of --serve, which is missing")
	case o.serve:
		return serveReport(ctx, s, args, o.listen)
	case len(args) > 1 && o.out == "":
		return usagef("bench report of %d folders: --out says which file to write", len(args))
	}
	path := cmp.Or(o.out, filepath.Join(args[0], "report.html"))
	folder := filepath.Dir(path)
	if path == standardOut {
		folder = "."
	}
	text, err := reportPage(ctx, args, page.Options{Folder: folder}, wholeExperiment)
	if err != nil {
		return err
	}
	if path == standardOut {
		_, err := s.out.Write(text)
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := atomicfile.Write(path, text); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, path)
	return err
}

// wholeExperiment is an experiment that has ended.
func wholeExperiment(dir string) (page.Experiment, error) {
	run, err := record.Open(dir)
	return page.Experiment{Run: run}, err
}

// reportPage is the page of some folders. open gives the run in one, with what is shown of it.
func reportPage(ctx context.Context, dirs []string, opt page.Options, open func(dir string) (page.Experiment, error)) ([]byte, error) {
	var list []page.Experiment
	for _, dir := range dirs {
		e, err := open(dir)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		if err := workOut(ctx, &e); err != nil {
			return nil, inputUnlessFile(fmt.Errorf("%s: %w", dir, err))
		}
		list = append(list, e)
	}
	for i := range list {
		list[i].Again = append(list[i].Again, "# The page, where records are in results/:", reportAgain(list))
	}
	var buf bytes.Buffer
	if err := page.Write(&buf, list, opt); err != nil {
		return nil, inputUnlessFile(err)
	}
	return buf.Bytes(), nil
}

// workOut works out of a run's records what its page shows.
func workOut(ctx context.Context, e *page.Experiment) error {
	run := e.Run
	e.Again = []string{runAgain(run)}
	rows, err := analysis.SummaryRows(ctx, run)
	if err != nil {
		return err
	}
	for _, r := range rows {
		row := page.Row{Label: r.Label, Seeds: r.Seeds, Exact: r.Exact, Step: r.Step}
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, page.Cell(c))
		}
		e.Summary = append(e.Summary, row)
	}
	verdicts, err := claims.Judge(run)
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		c := page.Claim{Claim: v.Claim, Answer: v.Answer, Says: claims.Sentence(v.Claim), Outcome: v.Outcome(), Effect: v.Effect()}
		for _, s := range v.Settings {
			c.Settings = append(c.Settings, page.Setting{
				Metric: s.Metric, A: s.A, B: s.B, Axes: s.Axes, ValueA: s.ValueA, ValueB: s.ValueB,
				Effect: s.Effect, InDeltas: s.InDeltas(v.Claim), Answer: s.Answer, Outcome: s.Outcome(),
			})
		}
		e.Claims = append(e.Claims, c)
	}
	if run.Manifest.Timings {
		e.Timings, err = analysis.TimingText(run)
	}
	return err
}

// runAgain is the command that makes the records again, as far as they tell: of a spec that is not
// built in they hold the name alone, not its file nor what was set.
func runAgain(run *record.Run) string {
	from, policy, form := run.Spec, "", ""
	if base, cut := strings.CutSuffix(from, "-quick"); cut && !builtIn(from) {
		from, form = base, " --quick"
	}
	names, _ := spec.Policies()
	for _, name := range names {
		if base, cut := strings.CutSuffix(from, "-"+name); cut && builtIn(base) {
			from, policy = base, " --policy "+name
		}
	}
	seeds := 0
	for _, v := range run.Variants {
		seeds = max(seeds, len(v.Cells))
	}
	switch {
	case imported.Is(&run.Manifest):
		return fmt.Sprintf("# The records of %s were made by bench import, from files of answers that they do not hold.", run.Spec)
	case !builtIn(from):
		return fmt.Sprintf("# %s is no built-in spec, and the records do not hold its file. With the file, and --set\n"+
			"# if fields were changed: bench run FILE.toml --seeds %d", run.Spec, seeds)
	}
	return fmt.Sprintf("bench run %s%s%s --seeds %d", from, policy, form, seeds)
}

func builtIn(name string) bool {
	_, err := spec.BuiltinText(name)
	return err == nil
}

// reportAgain is the command that makes the page again where bench run left the
// records in its own folder.
func reportAgain(list []page.Experiment) string {
	words := "bench report"
	for _, e := range list {
		words += " results/" + e.Run.Spec
	}
	if len(list) > 1 {
		words += " --out report.html"
	}
	return words
}
