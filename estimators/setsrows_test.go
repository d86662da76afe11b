package estimators

import (
	"maps"
	"math/big"
)

// The rows that package sets has in the tables of this package's tests.

func init() {
	defaultRows = append(defaultRows, defaultRow{"pkpo", set{"scale": nil, "ddof": nil, "epsilon": nil, "singleton": nil, "k": 4, "variant": "loo-1"},
		"the paper's recommended baseline; it gives several k and no clip range"})
	quarter, loo := []float64{.5, .5, .5, .5}, []float64{-1. / 6, -1. / 6, -1. / 6, -1. / 6}
	degenerateRows = append(degenerateRows, []degenerateRow{
		{"pkpo", []string{"k=2"}, nil, nil, "nobody leads"},
		{"pkpo", nil, nil, nil, "k = n: nobody leads"},
		{"pkpo", []string{"k=1"}, []float64{.25, .25, .25, .25}, nil, "k = 1: the best of nothing is 0, so r/n"},
		{"pkpo", []string{"k=2", "variant=s"}, quarter, nil, "k/n"},
		{"pkpo", []string{"k=2", "variant=loo"}, loo, nil, "-k/(n(n-1)): coefficients k/n against k/(n-1)"},
	}...)
	singletonRows = append(singletonRows, []singletonRow{
		{"pkpo", []string{"k=1"}, 3, "r/n: nothing to compare with"},
		{"pkpo", []string{"k=1", "variant=s"}, 3, "r/n"},
	}...)
	moreDeclared = append(moreDeclared,
		declared{"pkpo", []string{"k=2", "variant=s"}, Properties{Scale: Linear, MovesEqualRewards: true, Why: "a constant has the share k/n"}},
		declared{"pkpo", []string{"k=2", "variant=loo"}, Properties{Scale: Linear, MovesEqualRewards: true, Why: "a constant c is worth -kc/(n(n-1))"}},
		declared{"pkpo", []string{"k=1"}, Properties{Scale: Linear, MovesEqualRewards: true, Why: "r/n"}},
	)
}

func init() {
	defaultRows = append(defaultRows, defaultRow{"passk-training", set{"scale": nil, "ddof": nil, "singleton": nil, "k": 4},
		"epsilon 1e-6 as in the published code, which says nothing of the loss"})
	degenerateRows = append(degenerateRows, []degenerateRow{
		{"passk-training", []string{"k=2"}, nil, nil, "every set is worth the same"},
		{"passk-training", []string{"k=2", "epsilon=0"}, nil, nil, "no deviation: no 0/0"},
		{"passk-training", nil, nil, nil, "k = N: one set"},
	}...)
	singletonRows = append(singletonRows, singletonRow{"passk-training", []string{"k=1"}, 0, "one set"})
}

func init() {
	setRL := func(with set) set {
		out := set{"scale": nil, "ddof": nil, "epsilon": nil, "singleton": nil, "clip_high": .28, "aggregation": "seq-mean-token-sum-norm", "n": 4}
		maps.Copy(out, with)
		return out
	}
	defaultRows = append(defaultRows,
		defaultRow{"set-rl", setRL(set{"objective": "polychromic", "sets": 0}), "app. A: n = 4, all sets, token sum over T_max"},
		defaultRow{"pass-n", setRL(nil), "as poly-epo with another objective"},
	)
	one := big.NewRat(1, 1)
	four := []*big.Rat{one, one, one, one}
	value := func(name string) []float64 { return exactMarginal(name, four, "AABC", 2) }
	degenerateRows = append(degenerateRows, []degenerateRow{
		{"set-rl", []string{"n=2"}, value("polychromic"), nil, "diversity only where there is reward"},
		{"set-rl", nil, nil, nil, "n = N: one set"},
		{"set-rl", []string{"n=2", "objective=polychromic-ppo"}, value("polychromic-ppo"), nil, "a pair of one mode is worth nothing"},
		{"set-rl", []string{"n=2", "objective=polychromic-max"}, value("polychromic-max"), nil, "diversity only where there is reward"},
		{"set-rl", []string{"n=2", "objective=mean"}, nil, nil, "every set is worth the same"},
		{"set-rl", []string{"n=2", "objective=max"}, nil, nil, "every set is worth the same"},
		{"set-rl", []string{"n=2", "objective=min"}, nil, nil, "every set is worth the same"},
		{"set-rl", []string{"n=2", "objective=distinct"}, value("distinct"), value("distinct"), "rewards play no part"},
		{"set-rl", []string{"n=2", "objective=distinct-correct"}, value("distinct"), nil, "the modes of wrong answers do not count"},
		{"set-rl", []string{"n=2", "objective=pass"}, nil, nil, "every set is worth the same"},
		{"set-rl", []string{"n=2", "objective=all"}, nil, nil, "every set is worth the same"},
		{"set-rl", []string{"n=2", "objective=majority"}, nil, nil, "every set is worth the same"},
		{"set-rl", []string{"n=2", "sets=1"}, nil, nil, "one set is its own mean"},
		{"pass-n", []string{"n=2"}, nil, nil, "every set is worth the same"},
		{"pass-n", nil, nil, nil, "n = N: one set"},
	}...)
	singletonRows = append(singletonRows, []singletonRow{
		{"set-rl", []string{"n=1"}, 0, "one set: nothing is marginal"},
		{"set-rl", []string{"n=1", "objective=polychromic-max"}, 0, "one set: nothing is marginal"},
		{"set-rl", []string{"n=1", "objective=mean"}, 0, "one set: nothing is marginal"},
		{"pass-n", []string{"n=1"}, 0, "one set: nothing is marginal"},
	}...)
	judged := Properties{ShiftInvariant: true, Scale: Invariant, ZeroSum: true, Why: "it looks at correctness, not at rewards"}
	modal := judged
	modal.MovesEqualRewards = true
	modal.Why = "it looks at modes"
	moreDeclared = append(moreDeclared,
		declared{"set-rl", []string{"n=2", "objective=polychromic-ppo"}, Properties{Scale: Linear, ZeroSum: true, MovesEqualRewards: true, Why: "a product with the mean reward"}},
		declared{"set-rl", []string{"n=2", "objective=polychromic-max"}, Properties{Scale: Linear, ZeroSum: true, MovesEqualRewards: true, Why: "a product with the largest reward"}},
		declared{"set-rl", []string{"n=2", "objective=mean"}, Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "differences of mean rewards"}},
		declared{"set-rl", []string{"n=2", "objective=max"}, Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "differences of largest rewards"}},
		declared{"set-rl", []string{"n=2", "objective=min"}, Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "differences of smallest rewards"}},
		declared{"set-rl", []string{"n=2", "objective=distinct"}, modal},
		declared{"set-rl", []string{"n=2", "objective=distinct-correct"}, modal},
		declared{"set-rl", []string{"n=2", "objective=pass"}, judged},
		declared{"set-rl", []string{"n=2", "objective=all"}, judged},
		declared{"set-rl", []string{"n=2", "objective=majority"}, judged},
		declared{"set-rl", []string{"n=2", "sets=3"}, Properties{Scale: Linear, OrderMatters: true, MovesEqualRewards: true, Why: "rollouts are drawn into sets by their place"}},
		declared{"set-rl", []string{"n=2", "sets=3", "objective=mean"}, Properties{ShiftInvariant: true, Scale: Linear, OrderMatters: true, Why: "differences of mean rewards of sets"}},
		declared{"poly-epo", []string{"n=2", "sets=3"}, Properties{Scale: Linear, OrderMatters: true, MovesEqualRewards: true, Why: "rollouts are drawn into sets by their place"}},
	)
}
