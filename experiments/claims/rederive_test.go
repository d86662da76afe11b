package claims

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"modebench/metrics/stats"
)

// byAnotherHand is the answer of testdata/rederive.py to a claim.
type byAnotherHand struct {
	Claim    string
	Answer   stats.Answer
	P        [3]*float64 // supported, opposed, no difference
	Settings []struct {
		Metric, A, B string
		Answer       stats.Answer
		P            *[3]*float64
	}
}

// TestAnswersByAnotherHand: numpy, from the files of a run, gives the same answers to claims of
// every form, with p values that differ by no more than two bootstraps do.
func TestAnswersByAnotherHand(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} { // a version manager's may lack numpy
		if python == "" && exec.Command(name, "-c", "import numpy").Run() == nil {
			python = name
		}
	}
	if python == "" {
		t.Skip("no python3 with numpy")
	}
	run, verdicts := judgeSpec(t, "seeds = 14"+bandits+"[[method]]\nname = \"base\"\n[[method]]\nname = \"optimum\"\n"+
		`[[claim]]
name = "more"
text = "t"
source = "P fig. 1"
metric = ["entropy_mode", "coverage@4", "pass@1"]
a = "setpo+grpo"
b = "grpo"
says = "above"
[[claim]]
name = "most of them"
text = "t"
source = "P fig. 2"
metric = ["entropy_mode", "coverage@4", "pass@1"]
a = "setpo+grpo"
b = "grpo"
says = "above"
combine = "most"
[[claim]]
name = "somewhere"
text = "t"
source = "P fig. 3"
metric = "correct_modes_alive"
a = "grpo"
b = "setpo+grpo"
says = "below"
combine = "any"
[[claim]]
name = "the same"
text = "t"
metric = "pass@1"
a = "grpo"
b = "setpo+grpo"
says = "same"
by = 0.05
[[claim]]
name = "half as much"
text = "t"
metric = "entropy_mode"
a = "grpo"
b = "base"
says = "below"
times = 0.5
[[claim]]
name = "alone"
text = "t"
metric = "correct_modes_alive"
a = "grpo"
says = "below"
by = 3
[[claim]]
name = "learns"
text = "t"
metric = "pass@1"
a = "grpo"
b = "base"
says = "above"
`)
	script := filepath.Join("testdata", "rederive.py")
	if _, err := os.ReadFile(script); err != nil { // so that go test knows what it depends on
		t.Fatal(err)
	}
	out, err := exec.Command(python, script, run.Dir).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var hand []byAnotherHand
	if err := json.Unmarshal(out, &hand); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(hand) != len(verdicts) {
		t.Fatalf("%d claims, want %d", len(hand), len(verdicts))
	}
	kinds := map[stats.Answer]bool{}
	for i, v := range verdicts {
		h := hand[i]
		if h.Claim != v.Claim.Name || h.Answer != v.Answer {
			t.Errorf("%s: %s, by another hand %s: %s\n%s", v.Claim.Name, v.Answer, h.Claim, h.Answer, Text(v))
		}
		if len(h.Settings) != len(v.Settings) {
			t.Errorf("%s: %d settings, by another hand %d", v.Claim.Name, len(v.Settings), len(h.Settings))
			continue
		}
		for j, s := range v.Settings {
			at := h.Settings[j]
			kinds[s.Answer] = true
			if at.A != s.A || at.B != s.B || at.Metric != s.Metric {
				t.Errorf("%s: setting %s, %s, %s, by another hand %s, %s, %s", v.Claim.Name, s.Metric, s.A, s.B, at.Metric, at.A, at.B)
			}
			// A claim about all of its settings takes its answer to them.
			if at.Answer != s.Answer && v.Answer != stats.Supported {
				t.Errorf("%s, %s, %s, %s: %s, by another hand %s", v.Claim.Name, s.Metric, s.A, s.B, s.Answer, at.Answer)
			}
			if at.P == nil {
				continue
			}
			for k, p := range []float64{s.Finding.Supported, s.Finding.Opposed, s.Finding.NoDifference} {
				switch other := at.P[k]; {
				case other == nil && math.IsNaN(p):
				case other == nil || math.Abs(*other-p) > 0.002+8*math.Sqrt(p*(1-p)/10000):
					t.Errorf("%s, %s, %s, %s: p[%d] = %v, by another hand %v", v.Claim.Name, s.Metric, s.A, s.B, k, p, at.P[k])
				}
			}
		}
	}
	if t.Logf("answers: %v", kinds); len(kinds) < 4 {
		t.Errorf("only %d different answers: %v", len(kinds), kinds)
	}
}
