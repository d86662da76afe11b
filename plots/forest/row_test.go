package forest

import (
	"fmt"
	"math"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/metrics/stats"
	"testing"
)

// TestClaimRows: a figure has the answers of the verdicts, paper by paper, with effects in units
// of delta that are above 0 where the claim is right, and in the unit of the metric.
func TestClaimRows(t *testing.T) {
	side := func(mean float64) stats.Interval { return stats.Interval{N: 6, Mean: mean, Low: mean, High: mean} }
	setting := func(metric string, a, b float64, answer stats.Answer) claims.Setting {
		return claims.Setting{
			Metric: metric, A: "x", B: "y", ValueA: side(a), ValueB: side(b), Effect: side(a - b), Answer: answer,
			Delta: 0.125, Finding: stats.Finding{N: 6, Effect: side(a - b)},
		}
	}
	claim := func(name, source, says string, metrics ...string) record.Claim {
		return record.Claim{Name: name, Text: name, Source: source, Says: says, Metrics: metrics, A: "x", B: []string{"y"}}
	}
	ratio := setting("distinct_correct", 12, 2, stats.Supported)
	ratio.Effect, ratio.Finding.Effect = side(6), side(2)
	times := claim("five times", "VPO table 2", "above", "distinct_correct")
	times.Times = 5
	rows := RowsOf([]claims.Verdict{
		{Spec: "s", Answer: stats.Supported, Claim: claim("ours", "none: a guess", "same", "maj@4"), Settings: []claims.Setting{setting("maj@4", 0.5, 0.5, stats.Supported)}},
		{Spec: "s", Answer: stats.Opposed, Claim: claim("less", "VPO fig. 1", "below", "entropy_mode", "pass@16"), Settings: []claims.Setting{
			setting("entropy_mode", 1, 1.5, stats.Supported), setting("pass@16", 0.5, 0.25, stats.Opposed),
			{Metric: "pass@16", Answer: stats.Untestable, Reason: "no seed has both sides", Effect: stats.Interval{Mean: math.NaN()}},
		}},
		{Spec: "s", Answer: stats.Supported, Claim: times, Settings: []claims.Setting{ratio}},
	})
	for i, want := range []struct {
		name, paper, label string
		delta              float64
		text               string
	}{
		{"less", "VPO", "entropy_mode", 4, "-0.500 [-0.500, -0.500]"},
		{"five times", "VPO", "distinct_correct", 16, "6.00 [6.00, 6.00] times"},
		{"ours", "our own", "maj@4", 0, "0.00 [0.00, 0.00]"},
	} {
		r := rows[i]
		if r.Name != want.name || r.Paper != want.paper || r.Settings[0].Label != want.label || r.text(0) != want.text {
			t.Errorf("%s of %s, %s: %s; want %+v", r.Name, r.Paper, r.Settings[0].Label, r.text(0), want)
		}
		if want.name != "ours" && r.Effect(0).Mean != want.delta {
			t.Errorf("%s: %v deltas, want %v", r.Name, r.Effect(0).Mean, want.delta)
		}
	}
	if less := rows[0]; less.Effect(1).Mean != -2 || less.Effect(2).N != 0 || less.text(2) != "n/a" || !rows[2].Same || less.Same || less.Bound || !rows[1].Bound || rows[2].Bound {
		t.Errorf("%+v", less)
	}
	if got := claimsTally(rows); got != "3 claims: 2 supported, 1 opposed" {
		t.Errorf("the tally: %q", got)
	}
}

// TestQuantile: against numpy's default method, by hand.
func TestQuantile(t *testing.T) {
	xs := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 3, 0.75: 5, 1: 8} {
		if got := Quantile(xs, p); got != want {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
	if Quantile(xs[:1], 0.75) != 1 {
		t.Error("of one number")
	}
}

// TestClaimMarks: answers have shapes of their own, so that they tell in a grey print.
func TestClaimMarks(t *testing.T) {
	shapes := map[string]stats.Answer{}
	for _, answer := range claims.Answers {
		look, known := claimLooks[answer]
		key := fmt.Sprintf("%T %v", look.Shape, look.Shape)
		if other, taken := shapes[key]; taken || !known {
			t.Errorf("%s and %s have one shape, or %v none", answer, other, !known)
		}
		shapes[key] = answer
	}
}
