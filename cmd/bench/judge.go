package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"modebench/envs"
	"modebench/envs/judging"
	"modebench/envs/reference"
)

var judgeCommand = command{
	name: "judge", args: "NAME|--jsonl [flags] <answers",
	summary: "judge answers to a problem, from anywhere",
	detail: `
Reads one answer a line from standard input, plain (m03) or as JSON ("m03", or
{"answer": "m03"} with any other fields), and prints one verdict a line as JSON:

  {"reward":[1],"scalar":1,"correct":true,"answer":"A0","mode":"m03","error":null}

reward has an entry per component and scalar is its sum under w*; answer is what would
be voted with; mode is the strategy (go doc ./envs/NAME says when there is none); variant
is how the strategy was written; error says why an answer does not parse. null says that
this answer has none. answer and variant are left out where no answer of the environment
has one. --embeddings adds each answer's embedding, a list of numbers, null where there is
none: setpo+grpo, sd-e2, evol-rl and other methods compare answers by it. bench estimate and bench metrics read verdicts as they are (docs/commands.md).

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
says where it stood (docs/language-models.md).

An answer that does not parse gets a verdict with an error; it does not stop the
others. A line that begins with " or { and is no JSON is judged as the text that it is.
An object without the text "answer" stops: exit code 3, the verdicts before it stand.

bench judge --jsonl, without a NAME, judges answers to many problems. A line is
{"id": "countdown/train/17", "answer": "..."}, with the id that bench env --jsonl prints
and any other fields. Each line gets one line, in order: the verdict with the id before
it, with a chain's list as "answers". A line that names no problem, or is no such object,
gets {"id": ..., "fault": "..."}, and the others are judged: a process that stays open is
not ended by one of them. The exit code is 3 then, once all lines are read. A verdict
is printed at once when no further line waits.`,
	complete: first(envs.Names),
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		var f problemFlags
		f.declare(flags)
		embeddings := flags.Bool("embeddings", false, "print embeddings too, the lists of numbers that some methods and metrics compare answers by")
		lines := flags.Bool("jsonl", false, "judge answers to many problems: lines of {\"id\": ..., \"answer\": ...}")
		as := flags.String("reading", string(judging.Strict), "how answers are read: strict, as the prompt asks for them, or lenient, as models write them")
		return func(_ context.Context, s streams, args []string) error {
			reading := judging.Reading(*as)
			if !slices.Contains(judging.Readings(), reading) {
				return usagef("--reading is %q, want strict or lenient", *as)
			}
			if *lines {
				if err := onlyLines(flags, args); err != nil {
					return err
				}
				return judgeLines(s, reading, *embeddings)
			}
			q, err := f.problem("judge", args)
			if err != nil {
				return err
			}
			has := judging.Fields(q, *embeddings)
			if *embeddings && has&envs.HasEmbedding == 0 {
				return usagef("--embeddings: answers of %s have none under these settings", args[0])
			}
			return judgeAnswers(s, q, reading, has)
		}
	},
}

// maxLine bounds an answer, so that a stray binary file is an error and not an
// allocation.
const maxLine = 1 << 20

// maxJSONLine bounds a line of JSON with an answer, whose every byte may be escaped as six.
const maxJSONLine = 6*maxLine + 1<<16

// judgeAnswers prints the verdicts of the answers on standard input, with the fields of has.
func judgeAnswers(s streams, q *reference.Posed, reading judging.Reading, has envs.Fields) error {
	lines := bufio.NewScanner(s.in)
	lines.Buffer(nil, maxLine)
	var out []byte
	for n := 1; lines.Scan(); n++ {
		answer, err := answerOf(lines.Bytes())
		if err != nil {
			return inputError(fmt.Errorf("standard input, line %d: %w", n, err))
		}
		// Written line by line, so that it works as a filter and a later mistake
		// takes nothing back.
		j := judging.Judge(q, answer, reading)
		out = append(j.Append(out[:0], has), '\n')
		if _, err := s.out.Write(out); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return inputError(fmt.Errorf("standard input: an answer of more than %d bytes", maxLine))
	}
	return lines.Err()
}

// answerOf takes the answer out of a line: a text of JSON, the field "answer" of an object
// of JSON, or else the line itself. A model may begin its answer with a quote or a brace,
// so what is no JSON is no mistake.
func answerOf(line []byte) (string, error) {
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '"' || !json.Valid(trimmed) {
		return string(line), nil
	}
	if trimmed[0] == '"' {
		var text string
		err := json.Unmarshal(trimmed, &text)
		return text, err
	}
	var doc struct {
		Answer *string `json:"answer"`
	}
	// Other fields pass: logs of answers carry them.
	if json.Unmarshal(trimmed, &doc) != nil {
		return "", errors.New(`the field "answer" is not a text`)
	}
	if doc.Answer == nil {
		return "", fmt.Errorf(`no field "answer" in the object`)
	}
	return *doc.Answer, nil
}
