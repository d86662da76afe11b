package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"modebench/estimators"
	"modebench/estimators/batcharrays"
	"modebench/estimators/batchjson"
	"modebench/metrics"
)

var estimateCommand = command{
	name: "estimate", args: "METHOD [FILE] [flags]",
	summary: "the advantages that a method gives one judged batch",
	detail: `
Reads a batch document (JSON) from FILE or standard input and prints
{"advantages": [[...], ...]}, one list per group. A method that gives every token an
advantage of its own has a list for each rollout in it. The document, which
bench estimate poly-epo batch.json reads as it stands:

  {"weights": [1], "groups": [{"problem": "p0", "rollouts": [
    {"candidates": [{"reward": [1], "mode": "A"}]},
    {"candidates": [{"reward": [1], "mode": "A"}]},
    {"candidates": [{"reward": [1], "mode": "B"}]},
    {"candidates": [{"reward": [0], "mode": "C"}]}]}]}

A rollout of several candidates is a chain, for methods that take chains (vpo,
multi-rlvr, sd-e2). "weights" is w*, by default the same for every component; a
group may carry "weights" of its own (goal-conditioned). Also known are

  of the batch      "seed", "step": what random draws are keyed by
  of a group        "greedy": the scalar reward of the greedy rollout
  of a rollout      "tokens", "logprob", "entropy": its length, and sums over it;
                    "final": its final answer; "train": false if it only votes;
                    of each of its tokens "token_logprobs", "token_entropies",
                    "token_ref_logprobs", "token_squares", "token_distributions"
  of a candidate    "correct", "valid", "answer", "embedding", "variant"

and a field that the method reads and that is missing is an error naming it. null says
that there is none: "answer": null does not vote. What bench judge prints is a candidate,
or a list of them, as it is (docs/commands.md). bench list methods METHOD says what it
reads and what --set can change. The method plugin is a program of yours
(docs/plug-ins.md): --set command=python3,-m,modebench,mine.py

--arrays reads batches from standard input until it ends, and answers each at once. A batch
is a line of JSON and the bytes of its arrays (go doc ./estimators/batcharrays Read). The
answer is the line {"advantages":N} and N float64, or {"tokens":N} of a method that gives
every token an advantage of its own, or {"error":"..."}. The first batch with a group in
which every advantage is 0, since it is too small for the method, has a line
{"note":"..."} before its answer. The Python package asks so.`,
	complete: first(methodNames),
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		set := flags.StringArray("set", nil, "set a field of the method: --set n=2")
		arrays := flags.Bool("arrays", false, "read batches as arrays, one after the other, until the input ends")
		plugins := &pluginFlags{}
		plugins.AddFlags(flags)
		return func(ctx context.Context, s streams, args []string) error {
			if len(args) == 0 {
				return usagef("bench estimate takes a method; see bench help estimate")
			}
			m, err := estimators.Lookup(args[0])
			if err != nil {
				return &usageError{err}
			}
			instance := m.New()
			for _, pair := range *set {
				if err := instance.SetText(pair); err != nil {
					return usagef("--set: %w", err)
				}
			}
			if err := instance.Check(); err != nil {
				return usagef("--set: %w", err)
			}
			if err := plugins.check(); err != nil {
				return err
			}
			if *arrays {
				if len(args) > 1 {
					return usagef("--arrays reads standard input alone, got the file %s too", args[1])
				}
				return answerArrays(ctx, s, instance, plugins)
			}
			data, name, err := readInput(s, args[1:], "batch")
			if err != nil {
				return err
			}
			ctx, stop := untilSignal(ctx)
			defer stop()
			end, err := plugins.openPlugin(ctx, s, instance)
			if err != nil {
				return err
			}
			advantages, note, err := estimate(instance, data)
			if err != nil {
				return errors.Join(inputError(fmt.Errorf("%s: %w", name, err)), end())
			}
			if note != "" {
				fmt.Fprintf(s.err, "note: %s\n", note)
			}
			if err := end(); err != nil {
				return err
			}
			return printJSON(s.out, map[string]any{"advantages": advantages})
		}
	},
}

// estimate is one advantage per rollout, or of a method that gives those, one per token; with
// what there is to note about the batch.
func estimate(m *estimators.Instance, data []byte) (found any, note string, err error) {
	batch, err := batchjson.Read(bytes.NewReader(data))
	if err != nil {
		return nil, "", err
	}
	if m.PerToken() {
		found, err = tokenAdvantages(m, batch)
	} else {
		found, err = advantages(m, batch)
	}
	return found, idle(m, batch), err
}

// idle notes that groups are too small for the method to teach anything; "": none is.
func idle(m *estimators.Instance, batch *estimators.Batch) string {
	if why := m.Requirements().Idle(batch); why != "" {
		return "method " + m.Method.Name + ": " + why
	}
	return ""
}

func advantages(m *estimators.Instance, batch *estimators.Batch) ([][]float64, error) {
	dst := estimators.NewAdvantages(batch)
	err := m.Requirements().Check(batch)
	if err == nil {
		err = m.Advantages(dst, batch)
	}
	return dst, ofMethod(m, err)
}

func tokenAdvantages(m *estimators.Instance, batch *estimators.Batch) ([][][]float64, error) {
	dst := estimators.NewTokenAdvantages(batch)
	err := m.Requirements().Check(batch)
	if err == nil {
		err = m.TokenAdvantages(dst, batch)
	}
	return dst, ofMethod(m, err)
}

func ofMethod(m *estimators.Instance, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("method %s: %w", m.Method.Name, err)
}

// answerArrays answers batches of arrays until the input ends. A mistake in a batch is the
// answer to it, and ends nothing.
func answerArrays(ctx context.Context, s streams, m *estimators.Instance, plugins *pluginFlags) error {
	end, err := plugins.openPlugin(ctx, s, m)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(s.in, 1<<16)
	var answer []byte
	noted := false
	for {
		batch, err := batcharrays.Read(in)
		if errors.Is(err, io.EOF) {
			return end()
		}
		answer = answer[:0]
		note := ""
		if err == nil && !noted {
			if note = idle(m, batch); note != "" {
				answer = batcharrays.AppendNote(answer, note)
			}
		}
		var wrong *batcharrays.BatchError
		switch {
		case err != nil && !errors.As(err, &wrong):
			return errors.Join(inputError(fmt.Errorf("standard input: %w", err)), end())
		case err != nil:
		case m.PerToken():
			var found [][][]float64
			if found, err = tokenAdvantages(m, batch); err == nil {
				answer = batcharrays.AppendTokens(answer, found)
			}
		default:
			var found [][]float64
			if found, err = advantages(m, batch); err == nil {
				answer = batcharrays.Append(answer, found)
			}
		}
		if err != nil {
			answer = batcharrays.AppendError(answer[:0], err)
		} else {
			noted = noted || note != ""
		}
		if _, err := s.out.Write(answer); err != nil {
			return errors.Join(err, end())
		}
	}
}

var metricsCommand = command{
	name: "metrics", args: "[FILE]",
	summary: "the metrics of judged pools of answers",
	detail: `
Reads a pool document (JSON) from FILE or standard input and prints every metric
that can be computed from it, averaged over its problems, as one JSON object:

  {"k": [1, 2], "weights": [1], "problems": [{"id": "p0", "modes": 3, "chains": [
    [{"reward": [1], "correct": true, "mode": "A"}],
    [{"reward": [0], "correct": false, "mode": "B"}]]}]}

A chain of several candidates is one rollout; all chains of a problem are equally
long. What bench judge prints is a candidate, or a chain, as it is (docs/commands.md). A
candidate may also carry "answer", for maj@k and the accuracy of final answers,
"embedding", for vendi and other metrics of cosines, and "variant". A problem may carry
"front", the vectors of its exact Pareto front, for regret, front_coverage and
hypervolume, and "named", which candidate each chain names as its final answer: [0, 2]
is none and the second. With "named", chains that stopped early may be shorter. What
lacks a field that it reads is left out. bench list metrics says what each metric is.`,
	setup: func(*pflag.FlagSet) func(context.Context, streams, []string) error {
		return func(_ context.Context, s streams, args []string) error {
			data, name, err := readInput(s, args, "pool document")
			if err != nil {
				return err
			}
			doc, err := metrics.ReadDocument(bytes.NewReader(data))
			if err != nil {
				return inputError(fmt.Errorf("%s: %w", name, err))
			}
			values, err := doc.Metrics()
			if err != nil {
				return inputError(fmt.Errorf("%s: %w", name, err))
			}
			out := map[string]float64{}
			for _, v := range values {
				out[v.Name] = v.Mean
			}
			return printJSON(s.out, out)
		}
	},
}
