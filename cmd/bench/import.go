package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/envs/judging"
	"modebench/envs/reference"
	"modebench/experiments/imported"
	"modebench/experiments/record"
)

func newImportCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "import FILE... [flags]", Short: "make records of a language model's completions, from logs",
		Args: takes(1, math.MaxInt, "files of completions"),
		Long: `
Reads completions that a language model gave to problems of the environments, judges them
and makes the folder of an experiment of them, OUT/NAME, with table and figures: metrics as
those of bench run, and compare, plot, report, export and the Python package read it.

FILE is JSON Lines, one completion a line, or Parquet of such columns. The form is that of
the first line, unless --format says it:

  jsonl  id, problem or problem_id: the problem, by its reference (bench env --jsonl);
         completion, response, output, answer, text or messages: what the model said, a
         text or a chat, of which the last turn of the assistant counts;
         step (0), label, method or run (the file's name), seed (0)
  trl    what GRPOTrainer of TRL writes with log_completions: step, prompt, completion
  verl   what verl writes to rollout_data_dir or validation_data_dir: input, output, gts,
         step; gts may be the reference

Of several fields the first one counts. --id, --text, --prompt, --step, --label and --seed
name other fields. Lines of trl and verl without a label have the name of their folder, and
--as NAME is the label of all lines without one.

Where a log has prompts and no ids, --env, --set, --split, --index and --count say which
problems they are of. A prompt is found where it is that of a problem, or holds it, as
templates of chats do. Numbers with one prompt are one problem, the first of them. A prompt
that fits none, or several whose solutions differ, is an error.

A variant is a label, with the settings of the environment where labels have several; a cell
is a seed of it; an evaluation is a step, over the problems that it has. Every line is an
answer that was drawn: equal lines count as often as they stand there, and an empty text is
an answer that does not parse. k goes over the powers of two up to the smallest pool (the
completions of one problem at one step); --k lists others. --samples N takes the first N
completions of each problem at each step, and leaves out problems that have fewer: counts
such as distinct_correct compare at equal pools only.

  bench import base.jsonl trained.jsonl --name my-model
  bench import out/completions/*.parquet --env countdown --split train --count 1000
  bench compare results/my-model:base results/my-model:trained`,
	}, &importOptions{})
}

type importOptions struct {
	flags                    *pflag.FlagSet
	out, name, form, as, env string
	reading                  string
	fields                   map[string]*string // by what they say
	k                        []int
	samples, keep, count     int
	embeddings               bool
	figures                  []string
	problem                  problemFlags
}

func (f *importOptions) AddFlags(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVarP(&f.out, "out", "o", "results", "folder to write to")
	flags.StringVar(&f.name, "name", "", "name of the experiment; default: that of the first file")
	flags.StringVar(&f.form, "format", string(imported.Auto), "form of the files: "+strings.Join(imported.Forms(), ", "))
	f.fields = map[string]*string{}
	for _, role := range imported.Roles() {
		f.fields[role] = flags.String(role, "", "name of the field that holds the "+role)
	}
	flags.StringVar(&f.reading, "reading", string(judging.Lenient), "how answers are read: lenient, as models write them, or strict, as the prompt asks for them (bench help judge)")
	flags.StringVar(&f.as, "as", "", "label of lines that have none")
	flags.IntSliceVar(&f.k, "k", nil, "pool sizes of pass@k and so on; default: powers of two up to the smallest pool")
	flags.IntVar(&f.samples, "samples", 0, "completions to take of each problem at each step, the first ones; 0: all")
	flags.IntVar(&f.keep, "keep", 64, "problems whose answers are recorded, for figures of answers: the first ones")
	flags.BoolVar(&f.embeddings, "embeddings", false, "measure the metrics of embeddings too")
	flags.StringSliceVar(&f.figures, "figures", []string{"svg", "png"}, "figure formats: svg, png, pdf, pgf, json; none for no figures")
	flags.StringVar(&f.env, "env", "", "environment of the problems that prompts are of")
	flags.IntVar(&f.count, "count", 1, "of --env: how many problems, from --index on")
	f.problem.AddFlags(flags)
}

func (f *importOptions) run(ctx context.Context, s streams, args []string) error {
	opt, err := f.options(args)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	opt.Notes = s.note
	run, err := imported.Import(ctx, args, *opt)
	if err != nil {
		return err
	}
	return showImported(ctx, s, run, f.figures)
}

// check looks at what needs no file.
func (f *importOptions) check(files []string) error {
	switch {
	case !slices.Contains(imported.Forms(), f.form):
		return usagef("--format %q, want one of %s", f.form, strings.Join(imported.Forms(), ", "))
	case !slices.Contains(judging.Readings(), judging.Reading(f.reading)):
		return usagef("--reading is %q, want strict or lenient", f.reading)
	case f.samples < 0:
		return usagef("--samples is %d, want 0 or more", f.samples)
	case f.keep < 0:
		return usagef("--keep is %d, want 0 or more", f.keep)
	}
	for i, k := range f.k {
		if k < 1 || i > 0 && k <= f.k[i-1] {
			return usagef("--k %v: want ascending sizes from 1 on", f.k)
		}
	}
	return checkFormats(f.figures, dataFormat)
}

// ofPrompts are the flags that are about --env.
var ofPrompts = []string{"count", "split", "index", "env-seed", "set", "candidates", "stops", "weights"}

// options are those of the import that the flags ask for.
func (f *importOptions) options(files []string) (*imported.Options, error) {
	if err := f.check(files); err != nil {
		return nil, err
	}
	opt := &imported.Options{
		Out: f.out, Name: f.name, Form: imported.Form(f.form), As: f.as, Fields: imported.Fields{},
		K: f.k, Samples: f.samples, Keep: f.keep, Embeddings: f.embeddings, Reading: judging.Reading(f.reading),
	}
	if opt.Name == "" {
		opt.Name = nameOf(files[0])
	}
	if !record.IsSpecName(opt.Name) {
		return nil, usagef("--name %q, want the name of a folder: %s, and not %q", opt.Name, record.NameRule, record.CellsDir)
	}
	for role, field := range f.fields {
		if f.flags.Changed(role) {
			opt.Fields[role] = []string{*field}
		}
	}
	if f.env == "" {
		for _, name := range ofPrompts {
			if f.flags.Changed(name) {
				return nil, usagef("--%s is about --env, which is missing; see bench help import", name)
			}
		}
		return opt, nil
	}
	first, err := f.first()
	if err != nil {
		return nil, err
	}
	opt.Prompts = &imported.Prompts{First: first, Count: f.count}
	return opt, nil
}

// first is the first of the problems that prompts are of; that its flags fit is checked by it.
func (f *importOptions) first() (*reference.Reference, error) {
	if f.count < 1 {
		return nil, usagef("--count is %d, want 1 or more", f.count)
	}
	args := []string{f.env}
	if _, err := f.problem.problem("import", args); err != nil {
		return nil, err
	}
	return f.problem.reference("import", args)
}

// unnamable are the characters that names of folders do not have.
var unnamable = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// nameOf is the name of an experiment that a file gives.
func nameOf(file string) string {
	base := filepath.Base(file)
	return strings.Trim(unnamable.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "-"), ".-")
}

// showImported prints the table and draws the figures.
func showImported(ctx context.Context, s streams, run *record.Run, formats []string) error {
	table, err := writeSummary(ctx, run)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, table)
	printRough(s, run)
	return drawAndList(ctx, s, run, false, formats)
}

// isImported says whether a folder is that of an import.
func isImported(dir string) bool {
	run, err := record.Open(dir)
	return err == nil && imported.Is(&run.Manifest)
}

// notImported refuses to run what was imported.
func notImported(arg string) error {
	if isImported(arg) {
		return usagef("%s was imported from completions: there is nothing to run; bench import FILE... makes it again", arg)
	}
	return nil
}

// keepsImported refuses to write the result of a spec in the place of an import.
func keepsImported(dir string) error {
	if isImported(dir) {
		return usagef("%s was imported from completions: give the run another folder (--out) or name (--name)", dir)
	}
	return nil
}
