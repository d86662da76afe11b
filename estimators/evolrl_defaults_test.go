package estimators

import "math"

func init() {
	objective := func(clipHigh, entropy float64, votes int, more set) set {
		out := set{"clip_high": clipHigh, "entropy_coef": entropy, "kl_coef": 1e-3, "votes": votes}
		for name, value := range more {
			out[name] = value
		}
		return out
	}
	bands := func(labels string) set {
		return set{"alpha": .5, "epsilon_norm": 1e-8, "labels": labels, "fidelity": "paper"}
	}
	code := objective(.28, .003, 64, set{
		"alpha": .5, "epsilon_norm": 1e-8, "labels": "majority", "fidelity": "code",
		"ddof": 1, "singleton": "raw", "aggregation": "token-mean", "dual_clip": 3.,
	})
	defaultRows = append(defaultRows, []defaultRow{
		{"evol-rl", objective(.28, .003, 64, bands("majority")), "tables 4-5: 0.28, 0.003, KL 1e-3, alpha 0.5, 64 votes"},
		{"evol-rl-cliphigh", objective(.2, .003, 64, bands("majority")), "table 2, -ClipHigh"},
		{"evol-rl-ent", objective(.28, 0, 64, bands("majority")), "table 2, -Ent"},
		{"evol-rl-cliphigh-ent", objective(.2, 0, 64, bands("majority")), "table 2, -ClipHigh-Ent"},
		{"evol-rl-novelty", objective(.28, .003, 64, nil), "table 2, -Novelty Reward"},
		{"evol-rl@code", code, "verl: sample deviation, token-mean, clip_ratio_c 3, raw singletons"},
		{"ttrl", objective(.2, 0, 64, nil), "table 4: as Evol-RL without its three parts"},
		{"self-consistency", objective(.2, 0, 64, set{"scale": nil, "ddof": nil, "epsilon": nil}), "app. B.2: the same label-free setting"},
		{"grpo+cliphigh", objective(.28, 0, 0, nil), "sec. 4.5"},
		{"grpo+ent", objective(.2, .003, 0, nil), "sec. 4.5"},
		{"grpo+cliphigh+ent", objective(.28, .003, 0, nil), "sec. 4.5"},
		{"grpo+novelty", objective(.2, 0, 0, bands("correct")), "sec. 4.5"},
		{"grpo+cliphigh+ent+novelty", objective(.28, .003, 0, bands("correct")), "sec. 4.5"},
		{"entropy-bonus", set{"entropy_coef": .003}, "Evol-RL table 5's coefficient on plain grpo"},
		{"entropy-adaptive", set{"entropy_target": .2, "entropy_delta": .005, "entropy_max": 1., "aggregation": "token-mean"}, "TRL's defaults (GRPOConfig, f2cd5771)"},
	}...)

	// Of the rollouts A, A, B, C the twins are the majority; B and C are equally
	// novel. The paper: .5, .5, -1, -1; the code: +-.75.
	voted := twinned(.75 / (.75 + 1e-6))
	sample := twinned(.75 / (.75*math.Sqrt(4./3) + 1e-6))
	// All under one label: u of the twins is 1 - (1/3 + 1)/2, of the other two, whose
	// cosine is the root of 1/2, 1 - (root/3 + root)/2.
	root := math.Sqrt(.5)
	spread := 2. / 3 * (1 - root)
	high := .25 * spread / (spread + 1e-8)
	novel := twinned(-high / (high + 1e-6))
	for _, m := range []string{"evol-rl", "evol-rl-cliphigh", "evol-rl-ent", "evol-rl-cliphigh-ent"} {
		degenerateRows = append(degenerateRows, degenerateRow{m, nil, voted, voted, "no reward is read: the vote teaches"})
		singletonRows = append(singletonRows, singletonRow{m, nil, 0, "no spread"})
	}
	for _, m := range []string{"grpo+cliphigh", "grpo+ent", "grpo+cliphigh+ent", "entropy-bonus", "entropy-adaptive"} {
		degenerateRows = append(degenerateRows, degenerateRow{m, nil, nil, nil, "no spread"})
		singletonRows = append(singletonRows, singletonRow{m, nil, 0, "no spread"})
	}
	half := twinned(.5 / (.5 + 1e-6))
	degenerateRows = append(degenerateRows, []degenerateRow{
		{"evol-rl-novelty", nil, half, half, "1 for the majority, 0 for the others"},
		{"evol-rl@code", nil, sample, sample, "all of a band equally novel: +-0.75"},
		{"ttrl", nil, half, half, "1 for the majority, 0 for the others"},
		{"self-consistency", nil, twinned(1. / 6), twinned(1. / 6), "r = 1/2, 1/2, 1/4, 1/4, times 4/3"},
		{"grpo+novelty", nil, novel, novel, "one band: novelty alone, right or wrong"},
		{"grpo+cliphigh+ent+novelty", nil, novel, novel, "one band: novelty alone, right or wrong"},
	}...)
	singletonRows = append(singletonRows, []singletonRow{
		{"evol-rl", []string{"singleton=raw"}, .5 / (1 + 1e-6), "the lower end of the majority's band"},
		{"evol-rl-novelty", nil, 0, "no spread"},
		{"evol-rl@code", nil, 1 / (1 + 1e-6), "the vote of a prompt with one rollout"},
		{"evol-rl@code", []string{"singleton=zero"}, 0, "no spread"},
		{"ttrl", nil, 0, "no spread"},
		{"ttrl", []string{"singleton=raw"}, 1 / (1 + 1e-6), "the majority of itself"},
		{"self-consistency", nil, 0, "no others"},
		{"self-consistency", []string{"singleton=raw"}, 1, "it agrees with itself"},
		{"grpo+novelty", nil, 0, "no spread"},
		{"grpo+novelty", []string{"singleton=raw"}, .5 / (1 + 1e-6), "correct: the lower end of the upper band"},
		{"grpo+cliphigh+ent+novelty", nil, 0, "no spread"},
	}...)
	moreDeclared = append(moreDeclared,
		declared{"evol-rl", []string{"scale=none"}, votedProperties},
		declared{"evol-rl", []string{"fidelity=code"}, votedProperties},
		declared{"evol-rl", []string{"alpha=0"}, votedProperties},
		declared{"evol-rl", []string{"alpha=1", "epsilon_norm=0"}, votedProperties},
		declared{"evol-rl", []string{"labels=correct", "fidelity=code"}, noveltyProperties},
		declared{"grpo+novelty", []string{"scale=none", "epsilon_norm=0"}, noveltyProperties},
		declared{"ttrl", []string{"scale=none"}, votedProperties},
	)
}

// twinned is the advantage of the twins, and with the other sign the other two.
func twinned(a float64) []float64 { return []float64{a, a, -a, -a} }
