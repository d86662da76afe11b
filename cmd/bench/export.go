package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/analysis"
	"modebench/experiments/export"
	"modebench/experiments/record"
	"modebench/internal/scratch"
)

func newExportCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "export DIR [DIR2...] [flags]", Short: "write records as tables, CSV and Parquet, for pandas, polars and others",
		Args: takes(1, math.MaxInt, "the folder of an experiment, or of several"),
		Long: `
DIR is the folder of an experiment, as bench run leaves it (results/quick). Several,
which have to be of different specs, go into the same tables. Each table is a file in
each format, TABLE.csv and TABLE.parquet, and begins with the columns

  spec, label, name, method   the experiment, the variant, what the spec calls its
                              method, and the method
  seed, cell                  the seed, and the folder of its records below cells/

after which evals, evals_wide, trains and summary have one for each field that is a list in some
spec (train.lr, env, lambda). Then come

  evals       a row for every metric of every evaluation: step, exact (and not estimated
              from sampled answers), metric, value
  evals_wide  with --wide: a row for every evaluation: step, exact, a column a metric
  trains      a row for every training record: step, reward, correct, solved, clusters,
              entropy, advantage, loss, grad_norm, kl, clipped
  summary     without seed and cell, a row for every variant and column of the table that
              bench run prints: seeds, exact (how many of them), step, metric, n (seeds where
              it is defined), mean, low, high (95% interval; empty for one seed)
  cells       a row for every cell: trains (whether steps change it), env, policy, all
              resolved parameters (env.modes, estimator.lambda, train.lr, lists as JSON),
              evals (how many there are), and of the last one step, exact and its metrics

What is missing is empty in CSV and null in Parquet. A column has one type: text, int64,
float64 (the same bits when read again) or true and false. In CSV an apostrophe stands before
a text that a spreadsheet would take for a formula. The same records give the same bytes.

--format latex writes the summary as summary.tex (booktabs), a row a variant. --format
tensorboard writes the folder tensorboard, in which each cell is a run SPEC/LABEL/seed-N with
scalars eval/METRIC and train/FIELD, as float32, whose times are the steps.

  bench export results/quick --out tables
  python3 -c 'import polars; print(polars.read_parquet("tables/evals.parquet"))'`,
	}, &exportOptions{})
}

type exportOptions struct {
	out    string
	tables export.Options
}

func (o *exportOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&o.out, "out", "o", "", "folder for the tables, - for standard output, which takes one file; default: DIR, if it is the only one")
	flags.StringSliceVar(&o.tables.Formats, "format", export.Formats, "file formats: csv and parquet of every table, latex of the summary, tensorboard of evals and trains")
	flags.StringSliceVar(&o.tables.Tables, "what", export.Tables, "tables")
	flags.BoolVar(&o.tables.Wide, "wide", false, "write evals_wide as well")
}

func (o *exportOptions) run(ctx context.Context, s streams, args []string) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	opt := o.tables
	opt.Summary = func(run *record.Run) ([]export.Summary, error) { return summaries(ctx, run) }
	if o.out == standardOut {
		return exportOne(ctx, s.out, args, opt)
	}
	files, err := exportTables(ctx, args, o.out, opt)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, strings.Join(files, "\n"))
	return err
}

// summaries are the rows of the table that bench run prints, as numbers.
func summaries(ctx context.Context, run *record.Run) ([]export.Summary, error) {
	rows, err := analysis.SummaryRows(ctx, run)
	if err != nil {
		return nil, err
	}
	var out []export.Summary
	for _, r := range rows {
		s := export.Summary{Seeds: r.Seeds, Exact: r.Exact, Step: r.Step}
		for _, c := range r.Cells {
			s.Cells = append(s.Cells, c.Interval)
		}
		out = append(out, s)
	}
	return out, nil
}

// exportOne writes the one file that is asked for to standard output, once it is whole.
func exportOne(ctx context.Context, w io.Writer, dirs []string, opt export.Options) error {
	if err := checkExport(dirs, standardOut, opt); err != nil {
		return err
	}
	place, err := scratch.Dir(os.TempDir(), scratch.Named("export"))
	if err != nil {
		return err
	}
	defer place.Remove()
	files, err := exportTables(ctx, dirs, place.Path, opt)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(files[0])
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// exportTables writes the tables of the experiments in the folders and lists the files.
func exportTables(ctx context.Context, dirs []string, out string, opt export.Options) ([]string, error) {
	if err := checkExport(dirs, out, opt); err != nil {
		return nil, err
	}
	var runs []*record.Run
	for _, dir := range dirs {
		run, err := record.Open(dir)
		if err != nil {
			return nil, inputUnlessFile(err)
		}
		runs = append(runs, run)
	}
	if out == "" {
		out = dirs[0]
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	files, err := exportFormats(ctx, out, runs, opt)
	return files, inputUnlessFile(err)
}

// Formats that are of some tables alone, beside those of every table.
const (
	latexFormat       = "latex"
	tensorBoardFormat = "tensorboard"
)

// exportFormats writes what the formats ask for and lists the files: of TensorBoard's, the folder.
func exportFormats(ctx context.Context, out string, runs []*record.Run, opt export.Options) (files []string, err error) {
	asked := opt.Formats
	opt.Formats = slices.DeleteFunc(slices.Clone(asked), func(f string) bool { return !slices.Contains(export.Formats, f) })
	if len(opt.Formats) > 0 {
		if files, err = export.Write(ctx, out, runs, opt); err != nil {
			return nil, err
		}
	}
	if slices.Contains(asked, latexFormat) {
		file, err := export.LaTeX(ctx, out, runs, opt.Summary)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	if slices.Contains(asked, tensorBoardFormat) {
		if _, err := export.TensorBoard(ctx, out, runs); err != nil {
			return nil, err
		}
		files = append(files, filepath.Join(out, export.TensorBoardFolder))
	}
	return files, nil
}

// checkExport finds what is wrong with the command line.
func checkExport(dirs []string, out string, opt export.Options) error {
	formats := append(slices.Clone(export.Formats), latexFormat, tensorBoardFormat)
	if err := cmp.Or(checkSome("format", opt.Formats, formats), checkSome("what", opt.Tables, export.Tables)); err != nil {
		return err
	}
	switch {
	case len(dirs) > 1 && out == "":
		return usagef("bench export of several folders: give a folder for the tables by --out")
	case out == standardOut && (len(opt.Formats) > 1 || opt.Formats[0] == tensorBoardFormat || opt.Formats[0] != latexFormat && len(opt.Tables) > 1 || opt.Wide):
		return usagef("--out - is standard output, which takes one file: --what evals --format csv, or --format latex")
	case opt.Wide && !slices.Contains(opt.Tables, "evals"):
		return usagef("--wide is another form of evals, which --what %s leaves out", strings.Join(opt.Tables, ","))
	}
	return nil
}

// checkSome checks the value of a flag that takes some of the known names, each once.
func checkSome(flag string, given, known []string) error {
	if len(given) == 0 {
		return usagef("--%s is empty, want some of %s", flag, listed(known))
	}
	for i, name := range given {
		if !slices.Contains(known, name) {
			return usagef("--%s %q, want some of %s", flag, name, listed(known))
		}
		if slices.Contains(given[:i], name) {
			return usagef("--%s names %s twice", flag, name)
		}
	}
	return nil
}
