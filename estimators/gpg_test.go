package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// gpgByDefinition is the advantages of a batch as the two published codes compute them.
func gpgByDefinition(groups [][]float64, informative string, epsilon float64) [][]float64 {
	valid, total := 0, 0
	for _, rewards := range groups {
		total += len(rewards)
		for _, r := range rewards {
			if informative == "spread" && slices.Max(rewards) > slices.Min(rewards) || informative == "nonzero" && r != 0 {
				valid++
			}
		}
	}
	out := make([][]float64, len(groups))
	for g, rewards := range groups {
		mu := sum(rewards) / float64(len(rewards))
		for _, r := range rewards {
			a := 0.0
			if valid > 0 {
				a = (r - mu) / (float64(valid)/float64(total) + epsilon)
			}
			out[g] = append(out[g], a)
		}
	}
	return out
}

func TestGPGEqualsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for range 200 {
		b, groups := batchOf(), [][]float64{}
		for range 1 + r.IntN(5) {
			rewards := make([]float64, 2+r.IntN(4))
			for i := range rewards {
				rewards[i] = float64(r.IntN(3) - 1)
			}
			groups = append(groups, rewards)
			b.Groups = append(b.Groups, groupOf(rewards, ""))
		}
		for method, want := range map[string][][]float64{
			"gpg":      gpgByDefinition(groups, "spread", 1e-5),
			"gpg@verl": gpgByDefinition(groups, "nonzero", 0),
		} {
			for g, got := range advantages(t, build(t, method).Estimator, b) {
				near(t, fmt.Sprint(method, groups), got, want[g], 1e-12)
			}
		}
	}
}

// TestGPGKeepsTheStep: groups without a signal beside the others shrink a mean over the batch;
// GPG's share undoes that, so that the mean over the batch is the mean over its informative groups.
func TestGPGKeepsTheStep(t *testing.T) {
	e := build(t, "gpg", "epsilon=0").Estimator
	mixed, right := groupOf([]float64{1, 0, 0}, ""), groupOf([]float64{1, 1, 1}, "")
	alone := ofGroup(t, e, mixed)
	for others := range 4 {
		b := batchOf(mixed)
		for range others {
			b.Groups = append(b.Groups, right)
		}
		got := advantages(t, e, b)[0]
		for i := range got {
			got[i] /= float64(1 + others) // the mean over groups
		}
		near(t, fmt.Sprint(others, " groups without a signal"), got, alone, 1e-15)
	}
}

// TestGPGOverflow: a small share makes large rewards overflow, in the group that has them.
func TestGPGOverflow(t *testing.T) {
	e := build(t, "gpg").Estimator
	b := batchOf(groupOf([]float64{0, 0, 0, 0, 0, 0}, ""), groupOf([]float64{1e308, -0.7e308}, ""))
	wantError(t, e.Advantages(NewAdvantages(b), b), "group 1", "rollout 0", "overflow")
	b.Groups[1] = groupOf([]float64{math.MaxFloat64 / 16, 0}, "")
	advantages(t, e, b)
}
