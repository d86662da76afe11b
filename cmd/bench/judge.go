package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/envs"
	"modebench/envs/judging"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/internal/plural"
)

func newJudgeCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "judge NAME|--jsonl [flags] <answers", Short: "judge answers to a problem, from anywhere",
		ValidArgsFunction: cli.First(envs.Names),
		Long: `
Reads one answer a line from standard input, plain (m03) or as JSON ("m03", or
{"answer": "m03"} with any other fields), and prints one verdict a line as JSON:

  {"reward":[1],"scalar":1,"correct":true,"answer":"A0","mode":"m03","error":null}

reward has an entry per component and scalar is its sum under w*; answer is the
vote; mode is the strategy (go doc ./envs/NAME lists answers without one); variant
is how the strategy was written; error is the reason why an answer does not parse. null is a
missing value. answer and variant are left out if no answer of the environment
has them. --embeddings adds each answer's embedding, a list of numbers or
null: setpo+grpo, sd-e2, evol-rl and other methods compare answers by it. bench
estimate and bench metrics read verdicts as they are (docs/commands.md).

An answer of several lines is given as JSON. With --candidates 3 an answer holds
three in numbered tags, as the prompt of bench env NAME --candidates 3 asks for
(<answer_1>...</answer_1>; <route_1> on the maze, <expression_1> in countdown,
<pair_1> in polynomial), and a list of three verdicts is printed. With --stops it
holds one to three, and may name one by its number, <final>2</final>; printed are
{"answers": [...], "named": 2, "final": "A0"}: the verdicts, the number, 0 for none, and
the named answer or else the last that there is, null without any.

--reading lenient takes answers as language models write them: in <answer> tags of any kind,
in \boxed{}, behind "the answer is", in Markdown or formulas, in the last line; with signs of
print and LaTeX for those of the grammar. The last one counts, and "reading" in the verdict
names its place (docs/language-models.md).

An answer that does not parse gets a verdict with an error; it does not stop the
others. A line that begins with " or { and is no JSON is judged as the text that it is.
An object without the text "answer" stops: exit code 3, the verdicts before it are kept.

bench judge --jsonl, without a NAME, judges answers to many problems. A line is
{"id": "countdown/train/17", "answer": "..."}, with the id that bench env --jsonl prints
and any other fields. Each line gets one line, in order: the verdict with the id before
it, with a chain's list as "answers". A line that names no problem, or is no such object,
gets {"id": ..., "fault": "..."}, and the others are judged: a process that stays open is
not ended by one of them. The exit code is 3 then, once all lines are read. A verdict
is printed at once when no further line waits.`,
	}, &judgeOptions{})
}

type judgeOptions struct {
	flags             *pflag.FlagSet
	problem           problemFlags
	embeddings, lines bool
	reading           judging.Reading
}

func (o *judgeOptions) AddFlags(flags *pflag.FlagSet) {
	o.flags = flags
	o.problem.AddFlags(flags)
	flags.BoolVar(&o.embeddings, "embeddings", false, "print embeddings too, the lists of numbers that some methods and metrics compare answers by")
	flags.BoolVar(&o.lines, "jsonl", false, "judge answers to many problems: lines of {\"id\": ..., \"answer\": ...}")
	o.reading = judging.Strict
	cli.Choice(flags, &o.reading, "reading", "how answers are read: strict, as the prompt asks for them, or lenient, as models write them", judging.Readings()...)
}

func (o *judgeOptions) run(_ context.Context, s streams, args []string) error {
	if o.lines {
		if err := onlyLines(o.flags, args); err != nil {
			return err
		}
		lines, faults, err := judging.Lines(s.out, s.in, o.reading, o.embeddings)
		if err == nil && faults > 0 {
			err = input.Errorf("standard input: no verdict on %s of %d; the output for a line has the reason", plural.Count(faults, "line"), lines)
		}
		return err
	}
	_, q, err := o.problem.problem("judge", args)
	if err != nil {
		return err
	}
	has := judging.Fields(q, o.embeddings)
	if o.embeddings && has&envs.HasEmbedding == 0 {
		return usagef("--embeddings: answers of %s have no embedding under these settings", args[0])
	}
	err = judging.Answers(s.out, s.in, q, o.reading, has)
	if wrong, ok := errors.AsType[*judging.LineError](err); ok {
		return input.Errorf("standard input, %w", wrong)
	}
	return err
}

// onlyLines refuses names of problems beside --jsonl: each line names its own, and how it is posed.
func onlyLines(flags *pflag.FlagSet, args []string) error {
	if len(args) > 0 {
		return usagef("bench judge --jsonl takes no name of an environment: each line names its problem")
	}
	var err error
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"jsonl", "embeddings", "reading"}, f.Name) {
			err = usagef("--%s names one problem: with --jsonl each line names its own, as in countdown/train/17?numbers=5&candidates=3", f.Name)
		}
	})
	return err
}
