package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/estimators"
	"modebench/estimators/batcharrays"
	"modebench/estimators/batchjson"
	"modebench/experiments/catalog"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/metrics"
)

func newEstimateCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "estimate METHOD [FILE] [flags]", Short: "the advantages that a method gives one judged batch",
		Args:              cli.Takes(1, 2, "a method, and one file at most"),
		ValidArgsFunction: cli.First(catalog.Methods),
		Long: `
Reads a batch document (JSON) from FILE or standard input and prints
{"advantages": [[...], ...]}, one list per group. A method that gives every token an
advantage of its own has a list for each rollout in it. The document, which
bench estimate poly-epo batch.json reads as it is:

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

and a field that the method reads and that is missing is an error naming it. null is a
missing value: "answer": null does not vote. The output of bench judge is a candidate,
or a list of them, as it is (docs/commands.md). bench list methods METHOD lists the fields
that it reads and that --set can change. The method plugin is a program of yours
(docs/plug-ins.md): --set command=python3,-m,modebench,mine.py

--arrays reads batches from standard input until it ends, and answers each at once. A batch
is a line of JSON and the bytes of its arrays (go doc ./estimators/batcharrays Read). The
answer is the line {"advantages":N} and N float64, or {"tokens":N} of a method that gives
every token an advantage of its own, or {"error":"..."}. The first batch with a group in
which every advantage is 0, since it is too small for the method, has a line
{"note":"..."} before its answer. The Python package asks so.`,
	}, &estimateOptions{})
}

type estimateOptions struct {
	set     []string
	arrays  bool
	plugins pluginFlags
}

func (o *estimateOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.set, "set", nil, "set a field of the method: --set n=2")
	flags.BoolVar(&o.arrays, "arrays", false, "read batches as arrays, one after the other, until the input ends")
	o.plugins.AddFlags(flags)
}

func (o *estimateOptions) run(ctx context.Context, s streams, args []string) error {
	method, err := o.method(args[0])
	if err != nil {
		return err
	}
	if !o.arrays {
		return o.answerDocument(ctx, s, method, args[1:])
	}
	if len(args) > 1 {
		return usagef("--arrays reads standard input alone, got the file %s too", args[1])
	}
	end, err := o.plugins.openPlugin(ctx, s, method)
	if err != nil {
		return err
	}
	err = batcharrays.Answer(s.out, s.in, method)
	if input.Is[*input.Error](err) {
		err = fmt.Errorf("standard input: %w", err)
	}
	return errors.Join(err, end())
}

// method is the method of a name with the fields that --set changes.
func (o *estimateOptions) method(name string) (*estimators.Instance, error) {
	m, err := estimators.Lookup(name)
	if err != nil {
		return nil, &input.Usage{Err: err}
	}
	instance := m.New()
	for _, pair := range o.set {
		if err := instance.SetText(pair); err != nil {
			return nil, usagef("--set: %w", err)
		}
	}
	if err := instance.Check(); err != nil {
		return nil, usagef("--set: %w", err)
	}
	return instance, nil
}

// answerDocument prints the advantages of the batch in the file, or on standard input.
func (o *estimateOptions) answerDocument(ctx context.Context, s streams, method *estimators.Instance, files []string) error {
	data, name, err := readInput(s, files, "batch")
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	end, err := o.plugins.openPlugin(ctx, s, method)
	if err != nil {
		return err
	}
	advantages, note, err := estimate(method, data)
	if err != nil {
		return errors.Join(input.Errorf("%s: %w", name, err), end())
	}
	if note != "" {
		fmt.Fprintf(s.err, "note: %s\n", note)
	}
	if err := end(); err != nil {
		return err
	}
	return printJSON(s.out, map[string]any{"advantages": advantages})
}

// estimate gives the advantages of a document, per rollout or per token, and a note on the batch.
func estimate(m *estimators.Instance, data []byte) (found any, note string, err error) {
	batch, err := batchjson.Read(bytes.NewReader(data))
	if err != nil {
		return nil, "", err
	}
	if m.PerToken() {
		found, err = m.AllTokenAdvantages(batch)
	} else {
		found, err = m.RolloutAdvantages(batch)
	}
	return found, m.Idle(batch), err
}

func newMetricsCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "metrics [FILE]", Short: "the metrics of judged pools of answers",
		Long: `
Reads a pool document (JSON) from FILE or standard input and prints every metric
that can be computed from it, averaged over its problems, as one JSON object:

  {"k": [1, 2], "weights": [1], "problems": [{"id": "p0", "modes": 3, "chains": [
    [{"reward": [1], "correct": true, "mode": "A"}],
    [{"reward": [0], "correct": false, "mode": "B"}]]}]}

A chain of several candidates is one rollout; all chains of a problem are equally
long. The output of bench judge is a candidate, or a chain, as it is (docs/commands.md). A
candidate may also carry "answer", for maj@k and the accuracy of final answers,
"embedding", for vendi and other metrics of cosines, and "variant". A problem may carry
"front", the vectors of its exact Pareto front, for regret, front_coverage and
hypervolume, and "named", which candidate each chain names as its final answer: [0, 2]
is no answer and the second. With "named", chains that stopped early may be shorter. Metrics
that read a missing field are left out. bench list metrics explains each metric.`,
	}, &metricsOptions{})
}

type metricsOptions struct{ noFlags }

func (*metricsOptions) run(_ context.Context, s streams, args []string) error {
	data, name, err := readInput(s, args, "pool document")
	if err != nil {
		return err
	}
	var values []metrics.Value
	doc, err := metrics.ReadDocument(bytes.NewReader(data))
	if err == nil {
		values, err = doc.Metrics()
	}
	if err != nil {
		return input.Errorf("%s: %w", name, err)
	}
	out := map[string]float64{}
	for _, v := range values {
		out[v.Name] = v.Mean
	}
	return printJSON(s.out, out)
}
