package plugin

import (
	"slices"
	"strings"
	"testing"
	"time"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

// TestProbe: a program that would train wrongly without a word is refused after its hello, and
// a fault that only a made-up batch brings up does not count.
func TestProbe(t *testing.T) {
	leavesNothing(t)
	shape := "it answers one group of 3 rollouts, and not 2 groups of 3 (does it drop an axis, which keepdims=True keeps?): "
	for kind, says := range map[string]string{
		"right":              "",
		"rounds otherwise":   "",
		"counts its calls":   "", // it remembers, and repeats it from its start
		"knows its problems": "",
		"wants groups of 16": "",
		"dies":               "",
		"answers twice":      "",
		"drops an axis":      shape + "ValueError: operands could not be broadcast together with shapes (2,3) (2,)",
		"transposes":         shape + `group 0 (problem "probe/0"): got 2 advantages, want 3`,
		"answers one group":  shape + "result.advantages has 1 list, want 2",
		"draws at random":    "it gives one batch other advantages each time that it is started: random numbers have to be drawn from seed, step and problem",
	} {
		t.Run(kind, func(t *testing.T) {
			p := plantedPlugin(t, kind)
			err := p.Describe(t.Context(), Host{})
			if says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			testkit.WantError(t, err, `plug-in "planted" (`, "): "+says)
		})
	}
}

// TestProbeIsNotRemembered: the program of a cell has seen nothing of the made-up batch.
func TestProbeIsNotRemembered(t *testing.T) {
	leavesNothing(t)
	p := plantedPlugin(t, "counts its calls")
	if err := p.Describe(t.Context(), Host{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Open(t.Context(), Host{}); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	b := batchtest.Of(batchtest.Group([]float64{1, 0}, ""))
	for call := range 3 {
		testkit.Near(t, "call", batchtest.Advantages(t, p, b)[0], []float64{float64(call) + 1.5, float64(call) + 0.5}, 0)
	}
}

// TestProbeWaitsOnce: a program that is late for the made-up batch is not asked again.
func TestProbeWaitsOnce(t *testing.T) {
	leavesNothing(t)
	start := time.Now()
	if err := plantedPlugin(t, "hangs").Describe(t.Context(), Host{Timeout: 300 * time.Millisecond}); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestProbeBatch: it holds what a program may ask for, and no two sizes are equal that an array
// of one axis too few would need; one group has as many tokens at most as rollouts.
func TestProbeBatch(t *testing.T) {
	hello := `{"protocol":2,"name":"mine","chains":true,"min_group":5,"needs":["reward","correct","valid","answer","mode","embedding","variant","tokens","logprob","entropy","final","greedy",` +
		`"token_logprobs","token_entropies","token_ref_logprobs","token_squares","token_distributions"]}`
	p, s := scripted(t, hello, say("2", `{"advantages":[[0,0,0,0,0],[0,0,0,0,0]]}`))
	b := p.probeBatch(probeGroups, 5)
	if err := p.Advantages(estimators.NewAdvantages(b), b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.sent[1], "null") || !strings.Contains(s.sent[1], `"problem":"probe/1"`) {
		t.Errorf("sent %s", s.sent[1])
	}
	longest, rows := 0, 0
	for _, g := range b.Groups {
		rows += len(g.Rollouts)
		for _, r := range g.Rollouts {
			longest = max(longest, r.Tokens)
		}
	}
	least := (&Plugin{description: p.description}).probeBatch(probeGroups, probeGroups+1)
	if got := least.Groups[1].Rollouts[2].Tokens; got != 4 {
		t.Errorf("the longest of 2 groups of 3 has %d tokens", got)
	}
	sizes := []int{len(b.Groups), len(b.Groups[0].Rollouts), rows, longest}
	if unique := slices.Compact(slices.Sorted(slices.Values(sizes))); len(unique) < len(sizes) || unique[0] < 2 {
		t.Errorf("sizes %v", sizes)
	}
	for i, r := range p.probeBatch(1, 5).Groups[0].Rollouts {
		if r.Tokens != 1+i || len(r.PerToken.Legal) != 1+i || len(r.Candidates) != 2 {
			t.Errorf("%d tokens, %d candidates", r.Tokens, len(r.Candidates))
		}
	}
}
