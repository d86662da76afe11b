package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/envs/judging"
	"modebench/experiments/imported"
	"modebench/experiments/record"
	"modebench/internal/cli"
	"modebench/plots/sources"
)

func newImportCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "import FILE... [flags]", Short: "make records of a language model's completions, from logs",
		Args: cli.Takes(1, math.MaxInt, "files of completions"),
		Long: `
Reads completions that a language model gave to problems of the environments, judges them
and makes the folder of an experiment of them, OUT/NAME, with table and figures: metrics as
those of bench run, and compare, plot, report, export and the Python package read it.

FILE is JSON Lines or a list of JSON, either of them in gzip too, or Parquet. The form is that
of its first record, unless --log names it:

  jsonl   id, problem or problem_id: the problem, by its reference (bench env --jsonl);
          completion, response, output, answer, text or messages: what the model said, a
          text or a chat, of which the last turn of the assistant counts;
          step (0), label, method or run (the file's name), seed (0)
  trl     GRPOTrainer of TRL with log_completions: step, prompt, completion
  verl    rollout_data_dir or validation_data_dir of verl: input, output, gts (which may be
          the reference), step
  lm-eval lm-evaluation-harness with --log_samples: resps, and the reference in doc.id
  vllm    vLLM's RequestOutput as an object: outputs, and the reference in id or request_id
  openai  OpenAI's Batch API and vLLM's run-batch: the reference in custom_id,
          response.body.choices or response.body.output

Of several fields the first one counts. --field text=output names another field for the text,
and likewise for id, prompt, step, label and seed. Lines of trl, verl and lm-eval without a
label have the name of their folder, and --as NAME is the label of all lines without one. With
--skip-bad records that cannot be read are left out and counted, and the first ones are named.

If a log has prompts and no ids, --env, --set, --split, --index and --count name their
problems. A prompt is found if it is that of a problem, or holds it. Numbers with one prompt
are one problem, the first of them. A prompt that fits none, or several whose solutions
differ, is an error.

A variant is a label, with the settings of the environment where labels have several; a cell
is a seed of it; an evaluation is a step, over the problems that it has. Every completion was
drawn: equal ones count as often as they occur, and an empty text does not parse. k goes over the powers of two up to the smallest pool (the
completions of one problem at one step); --k lists others. --samples N takes the first N
completions of each problem at each step, and leaves out problems that have fewer: counts
such as distinct_correct compare at equal pools only.

  bench import base.jsonl trained.jsonl --name my-model
  bench import out/completions/*.parquet --env countdown --split train --count 1000
  bench compare results/my-model:base results/my-model:trained`,
	}, &importOptions{})
}

type importOptions struct {
	imported.Options
	flags   *pflag.FlagSet
	env     string
	count   int
	figures []string
	named   []string // ROLE=FIELD
	problem problemFlags
}

func (f *importOptions) AddFlags(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVarP(&f.Out, "out", "o", "results", "folder to write to")
	flags.StringVar(&f.Name, "name", "", "name of the experiment; default: that of the first file")
	f.Form, f.Reading, f.Keep, f.count = imported.Auto, judging.Lenient, 64, 1
	cli.Choice(flags, &f.Form, "log", "form of the files, as above; auto: as the first record shows", imported.Forms()...)
	flags.StringArrayVar(&f.named, "field", nil, "`ROLE=FIELD`: another field for one of "+strings.Join(imported.Roles(), ", ")+", once for each")
	flags.BoolVar(&f.SkipBad, "skip-bad", false, "leave out records that cannot be read; without it, the first one is an error")
	cli.Choice(flags, &f.Reading, "reading", "how answers are read: lenient, as models write them, or strict, as the prompt asks for them (bench help judge)", judging.Readings()...)
	flags.StringVar(&f.As, "as", "", "label of lines without a label")
	flags.IntSliceVar(&f.K, "k", nil, "pool sizes of pass@k and so on; default: powers of two up to the smallest pool")
	cli.Int(flags, &f.Samples, "samples", "completions to take of each problem at each step, the first ones; 0: all", 0)
	cli.Int(flags, &f.Keep, "answers", "problems whose answers are recorded, for figures of answers: the first ones", 0)
	flags.BoolVar(&f.Embeddings, "embeddings", false, "measure the metrics of embeddings too")
	addFigureFormats(flags, &f.figures, sources.DataFormat)
	flags.StringVar(&f.env, "env", "", "environment of the problems that prompts are of")
	cli.Int(flags, &f.count, "count", "of --env: how many problems, from --index on", 1)
	f.problem.AddFlags(flags)
}

func (f *importOptions) run(ctx context.Context, s streams, args []string) error {
	if err := f.complete(args[0]); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	f.Notes = s.note
	run, err := imported.Import(ctx, args, f.Options)
	if err != nil {
		return err
	}
	table, err := writeSummary(ctx, run)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, table)
	printRough(s, run)
	return drawAndList(ctx, s, run, false, f.figures)
}

// complete checks the options, and completes them by the first file and by the flags of problems.
func (f *importOptions) complete(file string) error {
	for i, k := range f.K {
		if k < 1 || i > 0 && k <= f.K[i-1] {
			return usagef("--k %v: want ascending sizes from 1 on", f.K)
		}
	}
	f.Name = cmp.Or(f.Name, nameOf(file))
	if !record.IsSpecName(f.Name) {
		return usagef("--name %q, want the name of a folder: %s, and not %q", f.Name, record.NameRule, record.CellsDir)
	}
	f.Fields = imported.Fields{}
	for _, pair := range f.named {
		role, name, _ := strings.Cut(pair, "=")
		if !slices.Contains(imported.Roles(), role) || name == "" {
			return usagef("--field %s, want ROLE=FIELD, with one of the roles %s", pair, strings.Join(imported.Roles(), ", "))
		}
		f.Fields[role] = []string{name}
	}
	if f.env == "" {
		return cli.Refuse(f.flags, "--%s is about --env, which is missing; see bench help import",
			"count", "split", "index", "env-seed", "set", "candidates", "stops", "weights")
	}
	first, _, err := f.problem.problem("import", []string{f.env})
	f.Prompts = &imported.Prompts{First: first, Count: f.count}
	return err
}

// unnamable are the characters that names of folders do not have.
var unnamable = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// nameOf is the name of an experiment that a file gives.
func nameOf(file string) string {
	return strings.Trim(unnamable.ReplaceAllString(imported.Stem(file), "-"), ".-")
}

// isImported reports whether a folder is that of an import.
func isImported(dir string) bool {
	run, err := record.Open(dir)
	return err == nil && imported.Is(&run.Manifest)
}
