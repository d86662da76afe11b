package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/envs"
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

func (f *problemFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.split, "split", "train", "pretrain, train, test or ood")
	flags.IntVar(&f.index, "index", 0, "number of the problem in its split")
	flags.IntVar(&f.envSeed, "env-seed", 0, "draw of the problems, as --set env_seed: another sample for each number")
	flags.StringArrayVar(&f.set, "set", nil, "set a field of the environment: --set arms_per_mode=4 (bench list envs NAME)")
	flags.IntVar(&f.candidates, "candidates", 1, "answers asked for in one response, a multi-answer chain above 1")
	flags.BoolVar(&f.stops, "stops", false, "fewer answers than --candidates will do, and one of them may be named as final")
	flags.Float64SliceVar(&f.weights, "weights", nil, "score answers under these weights of the reward components and state them in the prompt; without it, under w*")
}

// A posedProblem is a problem with how it is posed.
type posedProblem struct {
	env     envs.Env
	problem envs.Problem
	chain   *envs.Chain // nil for a single answer
	weights []float64
	stated  bool // the prompt states the weights
}

// problem finds the problem that flags and argument name.
func (f *problemFlags) problem(command string, args []string) (*posedProblem, error) {
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
	env, err := config.Build()
	if err != nil {
		return nil, usagef("--set: %w", err)
	}
	split, err := envs.ParseSplit(f.split)
	if err != nil {
		return nil, usagef("--split: %w", err)
	}
	if f.index < 0 {
		return nil, usagef("--index is %d, want 0 or more", f.index)
	}
	p, err := env.Problem(split, f.index)
	if err != nil {
		return nil, &usageError{err}
	}
	return f.pose(env, p)
}

// pose applies the flags that say how the problem is posed.
func (f *problemFlags) pose(env envs.Env, p envs.Problem) (*posedProblem, error) {
	info := env.Info()
	out := &posedProblem{env: env, problem: p, weights: info.Weights}
	if f.weights != nil {
		if len(f.weights) != len(info.Components) {
			return nil, usagef("--weights: got %d numbers, want %d: %s", len(f.weights), len(info.Components), strings.Join(info.Components, ", "))
		}
		for _, w := range f.weights {
			if !(w >= 0 && w <= math.MaxFloat64) {
				return nil, usagef("--weights: got %v, want numbers of at least 0", w)
			}
		}
		if slices.Max(f.weights) == 0 {
			return nil, usagef("--weights: all are 0, want one at least that is more")
		}
		out.weights, out.stated = f.weights, true
	}
	if f.stops && f.candidates < 2 {
		return nil, usagef("--stops is about several answers: want --candidates of 2 or more")
	}
	if f.candidates != 1 {
		var err error
		if out.chain, err = envs.NewChain(p, f.candidates, envs.ChainOptions{Word: info.Word, Stops: f.stops, Vocabulary: len(info.Vocabulary)}); err != nil {
			return nil, usagef("--candidates: %w", err)
		}
	}
	return out, nil
}

// prompt is what a model would be asked.
func (q *posedProblem) prompt() string {
	text := q.problem.PromptText()
	if q.chain != nil {
		text = q.chain.PromptText()
	}
	if q.stated {
		text += "\n\n" + envs.GoalPrompt(q.env.Info().Components, q.weights)
	}
	return text
}

var envCommand = command{
	name: "env", args: "NAME [flags]",
	summary: "show a problem and everything that is known about it",
	detail: `
Prints the prompt, a picture and the exact truth: how many modes and solutions
there are, the Pareto front of the reward vectors and the best scalar reward.
--json prints prompt, truth and the environment's own fields as one document.
--png, --svg and --pdf draw the problem into files as well. --answer marks an
answer in all pictures (in <answer> tags or not). Pictures are of what the
environment's tokens can write, which is less than what bench judge reads: of a
multiplication, all four steps in their order:

  bench env bandit --answer m03 --answer m03 --answer m11 --png bandit.png`,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		var f problemFlags
		f.declare(flags)
		var pictures pictureFlags
		pictures.declare(flags)
		asJSON := flags.Bool("json", false, "print one JSON document")
		return func(_ context.Context, s streams, args []string) error {
			files, err := pictures.files()
			if err != nil {
				return err
			}
			q, err := f.problem("env", args)
			if err != nil {
				return err
			}
			answers, err := tokenAnswers(q.problem, pictures.answers)
			if err != nil {
				return err
			}
			if *asJSON && len(answers) > 0 && len(files) == 0 {
				return usagef("--answer marks answers in pictures, and --json prints none; see bench help env")
			}
			if err := drawProblem(args[0], q.problem, answers, files); err != nil {
				return err
			}
			if *asJSON {
				return printJSON(s.out, q.document(f))
			}
			return q.print(s.out, answers)
		}
	},
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

func (f *pictureFlags) declare(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.answers, "answer", nil, "mark this answer in the pictures: --answer m03 (any number of them)")
	for _, format := range []string{"png", "svg", "pdf"} {
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
	if !problem.CanDraw(env, p) {
		return usagef("problems of %s cannot be drawn, only those of %s; without --png, --svg and --pdf bench env prints a picture as text",
			env, strings.Join(problem.Drawable(), ", "))
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
func (q *posedProblem) document(f problemFlags) map[string]any {
	truth := q.problem.Truth()
	var solutions any
	if truth.Solutions >= 0 {
		solutions = truth.Solutions
	}
	doc := map[string]any{
		"id": q.problem.ID(), "split": f.split, "index": f.index, "prompt": q.prompt(),
		"truth": map[string]any{
			"modes": len(truth.Modes), "solutions": solutions,
			"front": truth.Front, "best": truth.Best(q.weights),
		},
	}
	for key, value := range q.problem.Fields() {
		doc[key] = value
	}
	return doc
}

func (q *posedProblem) print(w io.Writer, answers [][]envs.Token) error {
	truth := q.problem.Truth()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%s\n", q.prompt(), q.problem.Picture(answers...))
	fmt.Fprintf(&b, "correct modes: %d", len(truth.Modes))
	if truth.Solutions >= 0 {
		fmt.Fprintf(&b, ", solutions: %d", truth.Solutions)
	}
	name := "w*.r"
	if q.stated {
		name = "w.r"
	}
	fmt.Fprintf(&b, "\nbest %s: %.6g, %s = %s\nPareto front (%s):\n", name, truth.Best(q.weights), strings.TrimSuffix(name, ".r"), numbers(q.weights), strings.Join(q.env.Info().Components, ", "))
	for _, r := range truth.Front {
		fmt.Fprintf(&b, "  %s  %s %.6g\n", numbers(r), name, (&envs.Verdict{Reward: r}).Scalar(q.weights))
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
