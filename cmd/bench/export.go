package main

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/export"
	"modebench/experiments/record"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/internal/scratch"
)

func newExportCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "export DIR [DIR2...] [flags]", Short: "write records as tables, CSV and Parquet, for pandas, polars and others",
		Args: cli.Takes(1, math.MaxInt, "the folder of an experiment, or of several"),
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

Missing values are empty in CSV and null in Parquet. A column has one type: text, int64,
float64 (the same bits when read again) or true and false. In CSV an apostrophe precedes
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
	o.tables.Formats, o.tables.Tables = slices.Clone(export.Formats), slices.Clone(export.Tables)
	cli.Choices(flags, &o.tables.Formats, "format", "file formats: csv and parquet of every table, latex of the summary, tensorboard of evals and trains", append(slices.Clone(export.Formats), latexFormat, tensorBoardFormat), "")
	cli.Choices(flags, &o.tables.Tables, "what", "tables", export.Tables, "")
	flags.BoolVar(&o.tables.Wide, "wide", false, "write evals_wide as well")
}

func (o *exportOptions) run(ctx context.Context, s streams, args []string) error {
	if err := o.check(len(args)); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	out := cmp.Or(o.out, args[0])
	if o.out == standardOut { // once the file is whole
		place, err := scratch.Dir(os.TempDir(), scratch.Named("export"))
		if err != nil {
			return err
		}
		defer place.Remove()
		out = place.Path
	}
	files, err := o.write(ctx, args, out)
	if err != nil {
		return input.UnlessFile(err)
	}
	text := []byte(strings.Join(files, "\n") + "\n")
	if o.out == standardOut {
		if text, err = os.ReadFile(files[0]); err != nil {
			return err
		}
	}
	_, err = s.out.Write(text)
	return err
}

// Formats of some tables alone, beside those of every table.
const (
	latexFormat       = "latex"
	tensorBoardFormat = "tensorboard"
)

// write writes the tables of experiments in folders to out, and lists the files: of TensorBoard's, the
// folder.
func (o *exportOptions) write(ctx context.Context, dirs []string, out string) (files []string, err error) {
	opt := o.tables
	opt.Formats = slices.DeleteFunc(slices.Clone(o.tables.Formats), func(f string) bool { return !slices.Contains(export.Formats, f) })
	var runs []*record.Run
	for _, dir := range dirs {
		run, err := record.Open(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	if len(opt.Formats) > 0 {
		if files, err = export.Write(ctx, out, runs, opt); err != nil {
			return nil, err
		}
	}
	if slices.Contains(o.tables.Formats, latexFormat) {
		file, err := export.LaTeX(ctx, out, runs)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	if slices.Contains(o.tables.Formats, tensorBoardFormat) {
		files = append(files, filepath.Join(out, export.TensorBoardFolder))
		_, err = export.TensorBoard(ctx, out, runs)
	}
	return files, err
}

// check checks the flags for a number of folders.
func (o *exportOptions) check(dirs int) error {
	opt := &o.tables
	switch {
	case dirs > 1 && o.out == "":
		return usagef("bench export of several folders: give a folder for the tables by --out")
	case o.out == standardOut && (len(opt.Formats) > 1 || opt.Formats[0] == tensorBoardFormat || opt.Formats[0] != latexFormat && len(opt.Tables) > 1 || opt.Wide):
		return usagef("--out - is standard output, which takes one file: --what evals --format csv, or --format latex")
	case opt.Wide && !slices.Contains(opt.Tables, "evals"):
		return usagef("--wide is another form of evals, which --what %s leaves out", strings.Join(opt.Tables, ","))
	}
	return nil
}
