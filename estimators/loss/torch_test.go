package loss

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"modebench/envs/envtest"
	"modebench/internal/params"
)

// everyTerm are the objectives of the gradient tests, those that choose tokens, those with
// advantages of tokens, and each with the bonus beside it.
func everyTerm() []Function {
	out := objectives()
	for _, o := range out {
		if o.KL == "k3" && o.KLCoef > 0 {
			o.KL = "k3-ratio"
			out = append(out, o)
		}
	}
	for _, aggregation := range allAggregations {
		for _, o := range []Function{clipCov(1, .2, 1.5), clipCov(1, -.5, 0), klCov(.01, .7), klCov(.4, .7)} {
			o.Aggregation, o.MaxTokens, o.EntropyCoef = aggregation, 7, .05
			out = append(out, o)
		}
		for _, o := range shaped {
			for i, ratio := range allRatios {
				o.Ratio, o.Aggregation, o.MaxTokens, o.TauPos, o.TauNeg, o.LogRatioCoef = ratio, aggregation, 7, 1, 1.05, .1*float64(i%3)
				if o.Check() == nil {
					out = append(out, o)
				}
			}
		}
	}
	for _, o := range out {
		o.DivCoef, o.KLInReward = .3, true
		out = append(out, o)
	}
	return out
}

// padded is a minibatch as rows of one length with a mask, and random numbers
// in places without a token, which must not matter.
func padded(r *rand.Rand, t *Tokens, width int) map[string]any {
	rows := func(of []float64) [][]float64 {
		var out [][]float64
		for s := range t.Sequences() {
			row := append([]float64(nil), of[t.Start[s]:t.Start[s+1]]...)
			for len(row) < width {
				row = append(row, -r.Float64())
			}
			out = append(out, row)
		}
		return out
	}
	mask := rows(make([]float64, len(t.Logp)))
	correct := make([]float64, t.Sequences())
	for s := range mask {
		for k := range mask[s] {
			mask[s][k] = 0
			if k < t.Start[s+1]-t.Start[s] {
				mask[s][k] = 1
			}
		}
		if t.Correct[s] {
			correct[s] = 1
		}
	}
	return map[string]any{
		"mask": mask, "advantage": t.Advantage, "correct": correct,
		"logp": rows(t.Logp), "old": rows(t.Old), "ref": rows(t.Ref), "entropy": rows(t.Entropy), "exact": rows(t.KL),
	}
}

// TestAutomaticDifferentiation holds every objective's loss and gradients against
// those of PyTorch, if it is installed: an implementation of its own, in the way
// that trainers write them, whose gradients are not derived by hand.
func TestAutomaticDifferentiation(t *testing.T) {
	const width = 6
	r := rand.New(rand.NewPCG(5, 77))
	all := everyTerm()
	var cases []map[string]any
	var batches []*Tokens
	for i, o := range all {
		tokens := ragged(uint64(i % 16))
		if i%5 == 4 {
			copy(tokens.Logp, tokens.Old)
		}
		tokens.Correct = []bool{true, true, i%2 == 0, false}
		c := padded(r, tokens, width)
		for _, f := range params.Fields(&o) {
			c[f.Name] = f.Value
		}
		maps.Copy(c, map[string]any{"max_tokens": o.MaxTokens})
		cases, batches = append(cases, c), append(batches, tokens)
	}
	input, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	output := envtest.Python(t, input, "../testdata/objectives/autograd.py")
	if output == nil {
		t.Skip("no python3")
	}
	var skip struct{ Skip string }
	if bytes.HasPrefix(output, []byte("{")) {
		if err := json.Unmarshal(output, &skip); err != nil {
			t.Fatal(err)
		}
		t.Skip(skip.Skip)
	}
	var answers []struct {
		Loss                 float64
		Logp, Entropy, Exact [][]float64
	}
	if err := json.Unmarshal(output, &answers); err != nil || len(answers) != len(all) {
		t.Fatalf("%d answers for %d cases: %v", len(answers), len(all), err)
	}
	largest := 0.0
	for i, o := range all {
		tokens, want := batches[i], answers[i]
		at := fmt.Sprintf("case %d, %+v", i, o)
		got := lossOf(t, o, tokens)
		near(t, at+": loss", []float64{got}, []float64{want.Loss}, 1e-12)
		for s := range tokens.Sequences() {
			lo, hi := tokens.Start[s], tokens.Start[s+1]
			near(t, fmt.Sprintf("%s: dL/dlogp of sequence %d", at, s), tokens.DLogp[lo:hi], want.Logp[s][:hi-lo], 1e-12)
			near(t, fmt.Sprintf("%s: dL/dentropy of sequence %d", at, s), tokens.DEntropy[lo:hi], want.Entropy[s][:hi-lo], 1e-12)
			near(t, fmt.Sprintf("%s: dL/dKL of sequence %d", at, s), tokens.DKL[lo:hi], want.Exact[s][:hi-lo], 1e-12)
			for k, x := range want.Logp[s][:hi-lo] {
				largest = max(largest, tokens.DLogp[lo+k]-x, x-tokens.DLogp[lo+k])
			}
		}
		largest = max(largest, got-want.Loss, want.Loss-got)
	}
	t.Logf("%d objectives; the largest difference is %.2g", len(all), largest)
}
