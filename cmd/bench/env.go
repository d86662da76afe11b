package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/envs"
	"modebench/envs/reference"
	"modebench/internal/cli"
	"modebench/internal/each"
	"modebench/plots/problem"
)

func newEnvCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "env NAME [flags]", Short: "show a problem and everything that is known about it",
		ValidArgsFunction: cli.First(envs.Names),
		Long: `
Prints the prompt, a picture and the exact truth: how many modes and solutions
there are, the Pareto front of the reward vectors and the best scalar reward.
--format json prints prompt, truth and the environment's own fields as one document.
--jsonl prints a data set for language models: --count problems from --index on,
one line of JSON each, with the prompt, also as messages of a chat, and the truth.
Its id names the problem for bench judge --jsonl. --shots 3 puts three solved
examples before each prompt, problems of the split pretrain; with --reasoning each has
its calculation before its answer. Numbers of a split may name one problem twice;
--unique leaves out the later lines. --no-truth leaves out the truth, which takes from
microseconds a problem to milliseconds (polynomial).
--draw FILE draws the problem into a file as well: .png, .svg, .pdf or .pgf (for LaTeX). --answer marks an
answer in all pictures (in <answer> tags or not). Pictures show answers that the
environment's tokens can write, which are fewer than bench judge reads: of a
multiplication, all four steps in their order:

  bench env bandit --answer m03 --answer m03 --answer m11 --draw bandit.png`,
	}, &envOptions{})
}

type envOptions struct {
	problem  problemFlags
	pictures pictureFlags
	form     string
	dataset  datasetFlags
}

func (o *envOptions) AddFlags(flags *pflag.FlagSet) {
	o.problem.AddFlags(flags)
	o.pictures.AddFlags(flags)
	addForm(flags, &o.form, formJSON)
	o.dataset.AddFlags(flags)
}

func (o *envOptions) run(ctx context.Context, s streams, args []string) error {
	if err := o.pictures.check(); err != nil {
		return err
	}
	files := o.pictures.files
	if err := o.dataset.check(o.form == formText && len(files) == 0 && len(o.pictures.answers) == 0); err != nil {
		return err
	}
	if o.dataset.jsonl {
		return o.dataset.print(ctx, s, &o.problem, args)
	}
	_, q, err := o.problem.problem("env", args)
	if err != nil {
		return err
	}
	answers, err := tokenAnswers(q.Problem, o.pictures.answers)
	if err != nil {
		return err
	}
	if o.form == formJSON && len(answers) > 0 && len(files) == 0 {
		return usagef("--answer marks answers in pictures, and --format json prints none; see bench help env")
	}
	if err := drawProblem(args[0], q.Problem, answers, files); err != nil {
		return err
	}
	if o.form == formJSON {
		return printJSON(s.out, document(q, &o.problem))
	}
	return printProblem(s.out, q, answers)
}

// pictureFlags ask for drawings of a problem, with answers marked in them.
type pictureFlags struct {
	files, answers []string
}

func (f *pictureFlags) AddFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.answers, "answer", nil, "mark this answer in the pictures: --answer m03 (any number of them)")
	flags.StringArrayVar(&f.files, "draw", nil, "draw the problem into this file too: .svg, .png, .pdf or .pgf (any number of them)")
}

// check checks the names of the files to draw.
func (f *pictureFlags) check() error {
	for _, file := range f.files {
		if format, _ := formatOf(file); !slices.Contains(figureFormats, format) {
			return usagef("--draw %q: want a file that ends in .%s", file, strings.Join(figureFormats, ", ."))
		}
	}
	return nil
}

// drawProblem draws a problem into files, if there are any.
func drawProblem(env string, p envs.Problem, answers [][]envs.Token, files []string) error {
	if len(files) == 0 {
		return nil
	}
	if !problem.CanDraw(p) {
		return usagef("problems of %s cannot be drawn; without --draw bench env prints a picture as text", env)
	}
	figure, err := problem.Draw(env, p, answers)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := figure.Save(file); err != nil {
			return err
		}
	}
	return nil
}

// tokenAnswers reads answers in their text form.
func tokenAnswers(p envs.Problem, texts []string) ([][]envs.Token, error) {
	var answers [][]envs.Token
	for _, text := range texts {
		answer, err := p.AnswerTokens(text)
		if err != nil {
			return nil, usagef("--answer %q: %w", text, err)
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// document is the output of --format json: the problem, its truth and the environment's own fields.
func document(q *reference.Posed, f *problemFlags) map[string]any {
	doc := map[string]any{"id": q.Problem.ID(), "split": f.split, "index": f.index, "prompt": q.Prompt(), "truth": q.Truth()}
	maps.Copy(doc, q.Problem.Fields())
	return doc
}

func printProblem(w io.Writer, q *reference.Posed, answers [][]envs.Token) error {
	truth := q.Problem.Truth()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%s\n", q.Prompt(), q.Problem.Picture(answers...))
	fmt.Fprintf(&b, "correct modes: %d", len(truth.Modes))
	if truth.Solutions >= 0 {
		fmt.Fprintf(&b, ", solutions: %d", truth.Solutions)
	}
	name := "w*.r"
	if q.Stated {
		name = "w.r"
	}
	fmt.Fprintf(&b, "\nbest %s: %.6g, %s = %s\nPareto front (%s):\n", name, truth.Best(q.Weights), strings.TrimSuffix(name, ".r"), numbers(q.Weights), strings.Join(q.Info.Components, ", "))
	for _, r := range truth.Front {
		fmt.Fprintf(&b, "  %s  %s %.6g\n", numbers(r), name, (&envs.Verdict{Reward: r}).Scalar(q.Weights))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// numbers writes a reward vector with three digits.
func numbers(r []float64) string {
	words := each.Map(r, func(x float64) string { return fmt.Sprintf("%.3g", x) })
	return "(" + strings.Join(words, ", ") + ")"
}
