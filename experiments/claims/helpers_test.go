package claims

import (
	"context"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/metrics/stats"
)

// judgeSpec runs a spec whole and judges its claims.
func judgeSpec(t *testing.T, text string) (*record.Run, []Verdict) {
	t.Helper()
	run, err := sweep.Run(context.Background(), exptest.Load(t, "my.toml", text), sweep.Options{Out: t.TempDir(), Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := Judge(run)
	if err != nil {
		t.Fatal(err)
	}
	return run, verdicts
}

// bandits are two methods at two rates, one of them with two coefficients.
const bandits = `
source = "a paper"
[env]
name = "bandit"
[train]
steps = 60
lr = [0.1, 1]
[eval]
every = 60
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
lambda = [0.5, 5]
`

// claim is a [[claim]] with these lines.
func claim(lines ...string) string {
	return "[[claim]]\nname = \"c\"\ntext = \"a fact\"\nsource = \"fig. 1\"\npaper = \"4 against 1\"\n" + strings.Join(lines, "\n") + "\n"
}

// seedValues reads a metric of a variant after training from its files, by seed.
func seedValues(t *testing.T, run *record.Run, v record.Variant, metric string) map[int]float64 {
	t.Helper()
	out := map[int]float64{}
	for _, ref := range v.Cells {
		evals, err := run.Evals(ref)
		if err != nil {
			t.Fatal(err)
		}
		out[ref.Seed] = evals[len(evals)-1].Metrics[metric]
	}
	return out
}

// verdictOf is a claim whose settings have these findings.
func verdictOf(c record.Claim, findings ...stats.Finding) *Verdict {
	v := &Verdict{Claim: c}
	for _, f := range findings {
		v.Settings = append(v.Settings, Setting{Finding: f, Answer: stats.Undecided, Delta: 1})
	}
	v.combine()
	return v
}

// found is a finding with these p values.
func found(supported, opposed, none float64) stats.Finding {
	return stats.Finding{N: 20, Supported: supported, Opposed: opposed, NoDifference: none}
}
