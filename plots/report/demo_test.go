package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"modebench/experiments/record"
	"modebench/metrics/stats"

	_ "modebench/envs/bandit"
)

// hostile is a label that would be markup, were it not escaped.
const hostile = `<script>alert("x")</script> & 'co'`

// sharedFolder has the records of the experiments that several tests read and none changes.
var sharedFolder string

func TestMain(m *testing.M) {
	var err error
	if sharedFolder, err = os.MkdirTemp("", "report"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(sharedFolder)
	os.Exit(code)
}

var sharedPages = map[string]string{}

// sharedPage is the page of n demos, or of one with answers, written once in a process, with the
// demo.
func sharedPage(t testing.TB, n int, played bool) (Experiment, string) {
	t.Helper()
	e := demoIn(t, filepath.Join(sharedFolder, fmt.Sprint(played), "demo"))
	if played {
		keepAnswers(t, e)
	}
	key := fmt.Sprint(n, played)
	if sharedPages[key] == "" {
		sharedPages[key] = written(t, slices.Repeat([]Experiment{e}, n)...)
	}
	return e, sharedPages[key]
}

// demo is an experiment with a figure of every kind and a claim of every verdict,
// whose metrics are simple sums: see value.
func demo(t testing.TB) Experiment {
	t.Helper()
	return demoIn(t, filepath.Join(t.TempDir(), "demo"))
}

// demoIn is the demo with its records in a folder. It does not write those that are there.
func demoIn(t testing.TB, dir string) Experiment {
	t.Helper()
	run := &record.Run{Dir: dir, Manifest: record.Manifest{
		Version: record.Version, Spec: "demo", Title: "three methods", Source: "nobody", Cells: "../cells",
		Columns: []string{"reward", "entropy_mode", "absent"},
		Figures: []record.Figure{
			{Name: "curve", Kind: "curve", Title: "By step", Metrics: []string{"reward", "entropy_mode"}},
			{Name: "k", Kind: "k-curve", Metrics: []string{"pass"}},
			{Name: "modes", Kind: "modes", Title: "Modes"},
			{Name: "grid", Kind: "grid", Title: "Grid", Metrics: []string{"reward"}, Rows: []string{"method"}, Cols: []string{"train.lr"}},
			{Name: "bars", Kind: "bars", Metrics: []string{"reward"}},
			{Name: "positions", Kind: "positions"},
			{Name: "signs", Kind: "curve", Title: "Below, at and above 0", Metrics: []string{"rho_bar"}},
			{Name: "pair", Kind: "scatter", Title: "Reward and entropy", Metrics: []string{"reward", "entropy_mode"}},
		},
	}}
	for i, label := range []string{"base", "grpo", hostile} {
		v := record.Variant{Label: label, Name: label, Method: "grpo", Trains: i > 0}
		if i == 0 {
			v.Method = "base"
		} else {
			v.Axes = []record.Axis{{Field: "train.lr", Value: "0.1"}}
		}
		for seed := range demoSeeds {
			ref := record.Ref{Seed: seed, ID: fmt.Sprintf("c#%d-s%d", i, seed)}
			writeCell(t, run, ref, i)
			v.Cells = append(v.Cells, ref)
		}
		run.Variants = append(run.Variants, v)
	}
	return Experiment{Run: run, Summary: demoSummary(run), Claims: demoClaims(), Timings: "what <b>steps</b> took", Again: []string{"bench run demo", "bench report results/demo"}}
}

const demoSeeds, demoSteps, demoEvery = 7, 132, 2

// value is the metric of a variant's seed at a step.
func value(metric string, variant, seed, step int) float64 {
	x := 0.1*float64(variant) + 0.01*float64(seed) + 0.001*float64(step)
	if metric == "entropy_mode" {
		return 3 - x
	}
	return x
}

func writeCell(t testing.TB, run *record.Run, ref record.Ref, variant int) {
	t.Helper()
	dir := run.Folder(ref)
	if _, err := os.Stat(dir); err == nil {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var evals bytes.Buffer
	last := demoSteps
	if variant == 0 {
		last = 0
	}
	for step := 0; step <= last; step += demoEvery {
		e := record.Eval{Step: step, Exact: variant > 0, Metrics: map[string]float64{
			"reward": value("reward", variant, ref.Seed, step), "entropy_mode": value("entropy_mode", variant, ref.Seed, step),
			"pass@1": 0.25, "pass@2": 0.5, "coverage@2": 0.5, "pass@16": 0.75 + 0.01*float64(variant),
			"branches@1": 1 + float64(variant), "branches@3": 2 + float64(variant), "branches@5": 4, "rho_bar": 0.5*float64(variant) - 0.5,
		}, Modes: []record.Share{{Mode: "a", Correct: true, Mass: 0.5}, {Mode: "b", Correct: true, Mass: 0.25}, {Mode: "c", Mass: 0.25}}}
		if err := json.NewEncoder(&evals).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	cell := record.Cell{
		Version: record.Version, Env: record.Component{Name: "bandit", Params: map[string]any{"modes": 6, "rewarded": 2}},
		Policy: record.Component{Name: "tabular", Params: map[string]any{}}, Method: run.Spec,
		Train: map[string]any{"lr": 0.1 + float64(variant), "steps": last}, Eval: map[string]any{"split": "train", "k": []int{1, 2, 16}}, Seed: ref.Seed,
	}
	if variant > 0 {
		cell.Objective = map[string]any{"kl_coef": 0.5}
	}
	text, err := json.Marshal(cell)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		record.EvalFile: evals.Bytes(), record.TrainFile: nil, record.CellFile: text,
		record.ProvenanceFile: []byte(`{"go":"go1.99","os":"plan9","arch":"amd64","host":"secret-host","started":"2026-01-02T03:04:05Z","modebench":{"version":"v9","vcs.revision":"abcdef"}}`),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// demoSummary is the table of the demo, by value and not by its records.
func demoSummary(run *record.Run) []Row {
	var out []Row
	for i, v := range run.Variants {
		row := Row{Label: v.Label, Seeds: len(v.Cells), Step: demoSteps, Exact: len(v.Cells)}
		if i == 0 {
			row.Step, row.Exact = 0, 0
		}
		for _, metric := range run.Columns {
			at := stats.Interval{N: demoSeeds, Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
			text := "n/a"
			if metric != "absent" || i == 1 {
				mean := value(metric, i, demoSeeds/2, row.Step)
				at = stats.Interval{N: demoSeeds, Mean: mean, Low: mean - 0.5, High: mean + 0.5}
				text = fmt.Sprintf("%.3f [%.3f, %.3f]", at.Mean, at.Low, at.High)
			}
			row.Cells = append(row.Cells, Cell{Interval: at, Text: text})
		}
		out = append(out, row)
	}
	return out
}

func demoClaims() []Claim {
	above := stats.Interval{N: 7, Mean: 0.25, Low: 0.125, High: 0.375}
	below := stats.Interval{N: 7, Mean: -0.5, Low: -0.75, High: -0.25}
	claim := func(name string, answer stats.Answer, outcome, effect string, settings ...Setting) Claim {
		return Claim{
			Claim:  record.Claim{Name: name, Text: "Claim " + name + " <i>in words</i>", Source: "fig. 1", Paper: "0.9 against 0.1", Metrics: []string{"reward"}, A: "a", B: []string{"b"}, Gate: "a.low > b.high"},
			Answer: answer, Says: "says: a above b", Outcome: outcome, Effect: effect, Settings: settings,
		}
	}
	deltas := func(mean, half float64) stats.Interval {
		return stats.Interval{N: 7, Mean: mean, Low: mean - half, High: mean + half}
	}
	yes := Setting{Metric: "reward", A: hostile, B: "base", Axes: []record.Axis{{Field: "train.lr", Value: "0.1"}}, ValueA: above, ValueB: below, Effect: above, InDeltas: deltas(12.5, 6.25), Answer: stats.Supported, Outcome: "supported"}
	no := Setting{Metric: "reward", A: "grpo", B: "base", ValueA: below, ValueB: above, Effect: below, InDeltas: deltas(-60, 20), Answer: stats.Opposed, Outcome: "opposed"}
	alike := Setting{Metric: "reward", A: "grpo", B: "base", ValueA: above, ValueB: above, Effect: above, InDeltas: deltas(0.25, 0.5), Answer: stats.NoDifference, Outcome: "no difference"}
	few := Setting{Metric: "reward", A: "grpo", B: "base", ValueA: below, ValueB: above, Effect: below, InDeltas: stats.Interval{N: 2, Mean: 2, Low: math.Inf(-1), High: math.Inf(1)}, Answer: stats.Undecided, Outcome: "undecided: 2 seeds, need <6> at least"}
	never := Setting{Metric: "reward", A: "grpo", B: "base", ValueA: above, ValueB: above, Effect: above, InDeltas: stats.Interval{Mean: math.NaN()}, Answer: stats.Untestable, Outcome: "untestable here: both sides are at the optimum, 1"}
	return []Claim{
		claim("one", stats.Supported, "supported", "+0.25 [+0.125, +0.375]", yes),
		claim("two", stats.Undecided, "undecided, needs 34 seeds (1 supported, 1 opposed of 2)", "-0.5 to +0.25 (2 settings)", yes, no),
		claim("three", stats.Opposed, "opposed (1 opposed, 1 undecided of 2)", "-0.5 to -0.5 (2 settings)", no, few),
		claim("four", stats.Untestable, "untestable here: both sides are at the optimum, 1", "n/a", never),
		claim("five", stats.NoDifference, "no difference (4 no difference, 1 supported, 1 undecided, 1 untestable of 7)", "-0.5 to +0.25 (7 settings)", alike, alike, alike, alike, yes, few, never),
	}
}

// written is the page of the experiments in the folder of the first.
func written(t testing.TB, list ...Experiment) string {
	t.Helper()
	var buf bytes.Buffer
	if err := Write(&buf, list, Options{Folder: list[0].Run.Dir}); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}
