package plots

import (
	"bytes"
	"strings"
	"testing"

	"modebench/experiments/analysis"
	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// TestClaimRows: a claim on metrics of two units is a row for each, with the settings of its
// metrics, and one about a multiple shows a over b.
func TestClaimRows(t *testing.T) {
	side := func(mean float64) stats.Interval { return stats.Interval{N: 6, Mean: mean, Low: mean, High: mean} }
	setting := func(metric string, a, b float64, holds bool) analysis.Setting {
		return analysis.Setting{Metric: metric, A: "x", B: "y", ValueA: side(a), ValueB: side(b), Effect: side(a - b), Holds: holds}
	}
	claim := func(name, gate string, metrics ...string) record.Claim {
		return record.Claim{Name: name, Text: name, Gate: gate, Metrics: metrics, A: "x", B: []string{"y"}}
	}
	rows := claimRows([]analysis.ClaimVerdict{
		{Spec: "s", Verdict: analysis.PartlySo, Claim: claim("two units", "a.low > b.high", "entropy_mode", "pass@16", "maj@4"), Settings: []analysis.Setting{
			setting("entropy_mode", 2, 1, true), setting("pass@16", 0.5, 0.25, true), setting("maj@4", 0.25, 0.5, false),
		}},
		{Spec: "s", Verdict: analysis.Reproduced, Claim: claim("five times", "a.low > 5 * b.high", "distinct_correct"), Settings: []analysis.Setting{
			setting("distinct_correct", 12, 2, true),
		}},
	})
	for i, want := range []struct {
		unit, text, effect string
		holds, judged      int
	}{
		{natsUnit, "two units: entropy_mode", "+1.00 [+1.00, +1.00]", 1, 1},
		{shareUnit, "two units: pass@16, maj@4", "-0.25 to +0.25", 1, 2},
		{ratioUnit, "five times", "6.00 [6.00, 6.00] times", 1, 1},
	} {
		r := rows[i]
		if r.unit() != want.unit || r.Text != want.text || r.effect() != want.effect || r.Holds != want.holds || r.Judged != want.judged {
			t.Errorf("%s, %s, %s, %d of %d; want %+v", r.unit(), r.Text, r.effect(), r.Holds, r.Judged, want)
		}
	}
	if got := claimsTally(rows); got != "2 claims: 1 reproduced, 1 in part." {
		t.Errorf("the tally of two claims in three rows: %q", got)
	}
	var file bytes.Buffer
	if err := claimsData("claims", "", rows).Write(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	if _, err := ParseData([]byte(text)); err != nil {
		t.Error(err)
	}
	if _, err := ParseData([]byte(strings.Replace(text, `["distinct_correct"]`, `[]`, 1))); err == nil || !strings.Contains(err.Error(), "claims[2]: metrics: a claim is about some") {
		t.Errorf("a claim about no metric: %v", err)
	}
}
