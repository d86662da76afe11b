package plots

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"modebench/experiments/record"
	"modebench/plots/numbers"
)

// The synthetic bandit: policies over 12 modes, 4 of them rewarded, trained by
// a plain policy gradient with a bonus for rare modes.
const (
	banditModes    = 12
	banditRewarded = 4
)

// bonuses are the weights of the bonus that make the methods differ.
var bonuses = map[string]float64{
	"base": 0, "grpo": 0, "dr-grpo": 0.01, "grpo-div": 0.12, "poly-epo": 0.3, "setpo+grpo": 0.5,
}

var banditMethods = []string{"base", "grpo", "dr-grpo", "grpo-div", "poly-epo", "setpo+grpo"}

// banditEvals trains one seed and evaluates it at regular steps.
func banditEvals(bonus float64, trains bool, seed, steps, every int) []record.Eval {
	rng := rand.New(rand.NewPCG(uint64(seed), math.Float64bits(bonus)))
	logits := make([]float64, banditModes)
	for i := range logits {
		logits[i] = 0.3 * rng.NormFloat64()
	}
	evals := []record.Eval{evaluationOf(0, softmax(logits))}
	if !trains {
		return evals
	}
	for step := 1; step <= steps; step++ {
		learn(rng, logits, bonus)
		if step%every == 0 {
			evals = append(evals, evaluationOf(step, softmax(logits)))
		}
	}
	return evals
}

func learn(rng *rand.Rand, logits []float64, bonus float64) {
	const group, rate = 8, 0.015
	p := softmax(logits)
	arms, advantage, mean := make([]int, group), make([]float64, group), 0.0
	for g := range group {
		u := rng.Float64()
		for u > p[arms[g]] && arms[g] < banditModes-1 {
			u -= p[arms[g]]
			arms[g]++
		}
		if arms[g] < banditRewarded {
			advantage[g] = 1 - bonus*math.Log(banditRewarded*p[arms[g]])
		}
		mean += advantage[g] / group
	}
	for g, arm := range arms {
		for i := range logits {
			grad := -p[i]
			if i == arm {
				grad++
			}
			logits[i] += rate * (advantage[g] - mean) * grad
		}
	}
}

func softmax(logits []float64) []float64 {
	p, sum := make([]float64, len(logits)), 0.0
	for i, l := range logits {
		p[i] = math.Exp(l)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func evaluationOf(step int, p []float64) record.Eval {
	e := record.Eval{Step: step, Exact: true, Metrics: map[string]float64{}}
	reward, entropy, alive := 0.0, 0.0, 0.0
	for i, mass := range p {
		entropy -= mass * math.Log(mass)
		if i < banditRewarded {
			reward += mass
			if mass > 0.02 {
				alive++
			}
		}
		e.Modes = append(e.Modes, record.Share{Mode: strconv.Itoa(i), Correct: i < banditRewarded, Mass: mass})
	}
	e.Metrics["reward"], e.Metrics["entropy_mode"], e.Metrics["correct_modes_alive"] = reward, entropy, alive
	for k := 1; k <= 64; k *= 2 {
		covered := 0.0
		for i := range banditRewarded {
			covered += 1 - math.Pow(1-p[i], float64(k))
		}
		e.Metrics[fmt.Sprintf("pass@%d", k)] = 1 - math.Pow(1-reward, float64(k))
		e.Metrics[fmt.Sprintf("coverage@%d", k)] = covered / float64(min(k, banditRewarded))
	}
	return e
}

// writeCell writes the evaluation records of a cell below a run's folder.
func writeCell(t testing.TB, run *record.Run, id string, evals []record.Eval) {
	t.Helper()
	dir := run.Folder(record.Ref{ID: id})
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var data []byte
	for _, e := range evals {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		data = append(append(data, line...), '\n')
	}
	if err := os.WriteFile(filepath.Join(dir, record.EvalFile), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// addVariant writes the cells of a variant and lists it in the manifest.
// A variant without a name or a label is called like its method; all but the base policy and
// an exact optimum train.
func addVariant(t testing.TB, run *record.Run, v record.Variant, seeds int, evals func(seed int) []record.Eval) {
	t.Helper()
	v = usual(v)
	for seed := range seeds {
		ref := record.Ref{Seed: seed, ID: fmt.Sprintf("cell-%d-%d", len(run.Variants), seed)}
		writeCell(t, run, ref.ID, evals(seed))
		v.Cells = append(v.Cells, ref)
	}
	run.Variants = append(run.Variants, v)
}

func usual(v record.Variant) record.Variant {
	if v.Label == "" {
		v.Label = v.Method
	}
	if v.Name == "" {
		v.Name = v.Method
	}
	v.Trains = v.Method != numbers.BaseMethod && v.Method != numbers.OptimumMethod
	return v
}

func emptyRun(t testing.TB) *record.Run {
	return &record.Run{Manifest: record.Manifest{Version: record.Version, Spec: "test", Cells: "../cells"}, Dir: filepath.Join(t.TempDir(), "test")}
}

// banditRun has one variant for each method.
func banditRun(t testing.TB, seeds, steps, every int) *record.Run {
	t.Helper()
	run := emptyRun(t)
	for _, method := range banditMethods {
		addVariant(t, run, record.Variant{Method: method}, seeds, func(seed int) []record.Eval {
			return banditEvals(bonuses[method], method != "base", seed, steps, every)
		})
	}
	return run
}

// sweepRun has methods over learning rates, and SetPO over lambdas too.
func sweepRun(t testing.TB, seeds, steps, every int) *record.Run {
	t.Helper()
	run := emptyRun(t)
	add := func(method, lambda, rate string, bonus float64) {
		v := record.Variant{Label: method, Method: method}
		if lambda != "" {
			v.Axes = append(v.Axes, record.Axis{Field: "estimator.lambda", Value: lambda})
			v.Label += " lambda=" + lambda
		}
		if rate != "" {
			v.Axes = append(v.Axes, record.Axis{Field: "train.lr", Value: rate})
			v.Label += " lr=" + rate
		}
		addVariant(t, run, v, seeds, func(seed int) []record.Eval {
			return banditEvals(bonus, method != "base", seed, steps, every)
		})
	}
	add("base", "", "", 0)
	for i, rate := range []string{"0.02", "0.05", "0.1", "0.2"} {
		add("grpo", "", rate, 0.001*float64(i))
		for j, lambda := range []string{"0.05", "0.5", "2"} {
			add("setpo+grpo", lambda, rate, 0.05*float64(i+1)*float64(j+1))
		}
	}
	return run
}
