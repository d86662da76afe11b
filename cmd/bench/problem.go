package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/envs"
	"modebench/envs/reference"
	"modebench/internal/params"
	"modebench/plots/problem"
)

// problemFlags are the flags that name a problem and say how it is posed, shared by env and
// judge.
type problemFlags struct {
	split      string
	index      int
	envSeed    int
	set        []string
	candidates int
	stops      bool
	weights    []float64
}

func (f *problemFlags) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.split, "split", "train", "pretrain, train, test or ood")
	flags.IntVar(&f.index, "index", 0, "number of the problem in its split")
	flags.IntVar(&f.envSeed, "env-seed", 0, "draw of the problems, as --set env_seed: another sample for each number")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the environment: --set arms_per_mode=4 (bench list envs NAME)")
	flags.IntVar(&f.candidates, "candidates", 1, "answers asked for in one response, a multi-answer chain above 1")
	flags.BoolVar(&f.stops, "stops", false, "fewer answers than --candidates will do, and one of them may be named as final")
	flags.Float64SliceVar(&f.weights, "weights", nil, "score answers under these weights of the reward components and state them in the prompt; without it, under w*")
}

// reference is what flags and argument name: of the first problem, where there are several.
func (f *problemFlags) reference(command string, args []string) (*reference.Reference, error) {
	if len(args) != 1 {
		return nil, usagef("bench %s takes the name of one environment; see bench help %s", command, command)
	}
	d, err := envs.Lookup(args[0])
	if err != nil {
		return nil, &usageError{err}
	}
	config := d.Default()
	for _, pair := range f.set {
		if err := params.SetPair(config, pair); err != nil {
			return nil, usagef("--set: %w", err)
		}
	}
	if f.envSeed != 0 {
		if err := params.Set(config, "env_seed", int64(f.envSeed)); err != nil {
			return nil, usagef("--env-seed: %w", err)
		}
	}
	split, err := envs.ParseSplit(f.split)
	if err != nil {
		return nil, usagef("--split: %w", err)
	}
	if f.index < 0 {
		return nil, usagef("--index is %d, want 0 or more", f.index)
	}
	return &reference.Reference{
		Env: d.Name, Config: config, Split: split, Index: f.index,
		Pose: reference.Pose{Candidates: f.candidates, Stops: f.stops, Weights: f.weights},
	}, nil
}

// problem finds the problem that flags and argument name.
func (f *problemFlags) problem(command string, args []string) (*reference.Posed, error) {
	r, err := f.reference(command, args)
	if err != nil {
		return nil, err
	}
	env, err := build(r)
	if err != nil {
		return nil, err
	}
	p, err := env.Problem(r.Split, r.Index)
	if err != nil {
		return nil, &usageError{err}
	}
	return pose(env.Info(), p, r.Pose)
}

// build makes the environment that flags name.
func build(r *reference.Reference) (envs.Env, error) {
	env, err := r.Build()
	if err != nil {
		return nil, usagef("--set: %w", err)
	}
	return env, nil
}

// pose poses a problem as flags say, which errors name.
func pose(info envs.Info, p envs.Problem, how reference.Pose) (*reference.Posed, error) {
	q, err := reference.NewPosed(info, p, how)
	var wrong *params.FieldError
	if errors.As(err, &wrong) {
		return nil, usagef("--%s: %w", wrong.Field, wrong.Err)
	}
	return q, err
}

func newEnvCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "env NAME [flags]", Short: "show a problem and everything that is known about it",
		ValidArgsFunction: completed(first(envs.Names)),
		Long: `
Prints the prompt, a picture and the exact truth: how many modes and solutions
there are, the Pareto front of the reward vectors and the best scalar reward.
--json prints prompt, truth and the environment's own fields as one document.
--jsonl prints a data set for language models: --count problems from --index on,
one line of JSON each, with the prompt, also as messages of a chat, and the truth.
Its id names the problem for bench judge --jsonl. --shots 3 puts three solved
examples before each prompt, problems of the split pretrain. Numbers of a split may
name one problem twice; --unique leaves out what an earlier line has. What takes time is
the truth, from microseconds a problem to milliseconds (polynomial); --no-truth
leaves it out.
--png, --svg, --pdf and --pgf (for LaTeX) draw the problem into files as well. --answer marks an
answer in all pictures (in <answer> tags or not). Pictures are of what the
environment's tokens can write, which is less than what bench judge reads: of a
multiplication, all four steps in their order:

  bench env bandit --answer m03 --answer m03 --answer m11 --png bandit.png`,
	}, &envOptions{})
}

type envOptions struct {
	problem  problemFlags
	pictures pictureFlags
	asJSON   bool
	dataset  datasetFlags
}

func (o *envOptions) AddFlags(flags *pflag.FlagSet) {
	o.problem.AddFlags(flags)
	o.pictures.AddFlags(flags)
	flags.BoolVar(&o.asJSON, "json", false, "print one JSON document")
	o.dataset.AddFlags(flags)
}

func (o *envOptions) run(ctx context.Context, s streams, args []string) error {
	files, err := o.pictures.files()
	if err != nil {
		return err
	}
	if err := o.dataset.check(o.asJSON || len(files) > 0 || len(o.pictures.answers) > 0); err != nil {
		return err
	}
	if o.dataset.jsonl {
		return o.dataset.print(ctx, s, &o.problem, args)
	}
	q, err := o.problem.problem("env", args)
	if err != nil {
		return err
	}
	answers, err := tokenAnswers(q.Problem, o.pictures.answers)
	if err != nil {
		return err
	}
	if o.asJSON && len(answers) > 0 && len(files) == 0 {
		return usagef("--answer marks answers in pictures, and --json prints none; see bench help env")
	}
	if err := drawProblem(args[0], q.Problem, answers, files); err != nil {
		return err
	}
	if o.asJSON {
		return printJSON(s.out, document(q, &o.problem))
	}
	return printProblem(s.out, q, answers)
}

// pictureFlags ask for drawings of a problem, with answers marked in them.
type pictureFlags struct {
	answers []string
	targets []pictureTarget
}

// A pictureTarget is the flag of one format and its file.
type pictureTarget struct {
	flag *pflag.Flag
	path *string
}

func (f *pictureFlags) AddFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.answers, "answer", nil, "mark this answer in the pictures: --answer m03 (any number of them)")
	for _, format := range []string{"png", "svg", "pdf", "pgf"} {
		path := flags.String(format, "", "draw the problem into this file, NAME."+format)
		f.targets = append(f.targets, pictureTarget{flags.Lookup(format), path})
	}
}

// files lists the files to draw. The file's extension must be the flag's, so
// that no file holds another format than its name says.
func (f *pictureFlags) files() ([]string, error) {
	var files []string
	for _, t := range f.targets {
		if !t.flag.Changed {
			continue
		}
		if want := "." + t.flag.Name; !strings.EqualFold(filepath.Ext(*t.path), want) {
			return nil, usagef("--%s %q: want a file name that ends in %s", t.flag.Name, *t.path, want)
		}
		files = append(files, *t.path)
	}
	return files, nil
}

// drawProblem draws a problem into files, if there are any.
func drawProblem(env string, p envs.Problem, answers [][]envs.Token, files []string) error {
	if len(files) == 0 {
		return nil
	}
	if !problem.CanDraw(p) {
		return usagef("problems of %s cannot be drawn; without --png, --svg, --pdf and --pgf bench env prints a picture as text", env)
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

// document is what --json prints: the problem, its truth and the environment's
// own fields.
func document(q *reference.Posed, f *problemFlags) map[string]any {
	doc := map[string]any{"id": q.Problem.ID(), "split": f.split, "index": f.index, "prompt": q.Prompt(), "truth": q.Truth()}
	for key, value := range q.Problem.Fields() {
		doc[key] = value
	}
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
	words := make([]string, len(r))
	for i, x := range r {
		words[i] = fmt.Sprintf("%.3g", x)
	}
	return "(" + strings.Join(words, ", ") + ")"
}

func printJSON(w io.Writer, doc any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(doc)
}
