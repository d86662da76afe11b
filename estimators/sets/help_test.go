package sets

import (
	"math"
	"math/rand/v2"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/estimators/internal/setstest"
	"modebench/internal/testkit"
)

var (
	near, wantError        = testkit.Near, testkit.WantError
	build, advantages      = batchtest.Method, batchtest.Advantages
	groupOf, batchOf       = batchtest.Group, batchtest.Of
	fractions, mixed       = setstest.Fractions, setstest.Mixed
	randomModes, distinct  = setstest.Modes, setstest.Distinct
	eachSet, exactMarginal = setstest.EachSet, setstest.Marginal
	exactly, exactBest     = setstest.Exactly, setstest.Best
	ratio, mul             = setstest.Ratio, setstest.Mul
)

// change sets a field of a method and checks that all of them fit.
func change(i *estimators.Instance, pair string) error {
	if err := i.SetText(pair); err != nil {
		return err
	}
	return i.Check()
}

// ofGroup is advantages for a batch of one group.
func ofGroup(t testkit.Failer, e estimators.Estimator, g estimators.Group) []float64 {
	t.Helper()
	return advantages(t, e, batchOf(g))[0]
}

func sum(xs []float64) float64 {
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s
}

// largeGroup has 0/1 rewards and modes of very unequal sizes.
func largeGroup(r *rand.Rand, size, modes int) estimators.Group {
	rewards, letters := make([]float64, size), make([]byte, size)
	for i := range rewards {
		rewards[i] = float64(r.IntN(2))
		letters[i] = byte('0' + int(float64(modes)*math.Pow(r.Float64(), 3)))
	}
	return groupOf(rewards, string(letters))
}
