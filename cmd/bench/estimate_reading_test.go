package main

import (
	"strings"
	"testing"
)

// TestEstimateReadsLenientVerdicts: bench estimate reads the verdicts that bench judge prints, with the
// id and the place of the answer.
func TestEstimateReadsLenientVerdicts(t *testing.T) {
	const answers = `{"id":"bandit/train/0","answer":"**m03**"}
{"id":"bandit/train/0","answer":"\\boxed{m11}"}
`
	code, verdicts, errs := call(t, answers, "judge", "--jsonl", "--reading", "lenient")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var rollouts []string
	for verdict := range strings.Lines(verdicts) {
		rollouts = append(rollouts, `{"candidates":[`+strings.TrimSpace(verdict)+`]}`)
	}
	code, out, errs := call(t, `{"groups":[{"rollouts":[`+strings.Join(rollouts, ",")+`]}]}`, "estimate", "rloo")
	if want := `{"advantages":[[1,-1]]}` + "\n"; code != exitOK || out != want {
		t.Errorf("exit code %d: %s%s, want %s", code, out, errs, want)
	}
}
