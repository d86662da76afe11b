package estimators

func init() {
	why := "grpo's z-score: what is chosen is the objective's affair"
	for _, method := range []string{"clip-cov", "kl-cov"} {
		degenerateRows = append(degenerateRows, degenerateRow{method, nil, nil, nil, "no spread"})
		singletonRows = append(singletonRows, singletonRow{method, nil, 0, why})
	}
	defaultRows = append(defaultRows,
		defaultRow{"clip-cov", set{"clip_low": 0., "clip_high": 1., "aggregation": "token-mean", "clip_cov": 2e-4, "clip_cov_low": 1., "clip_cov_high": 5.},
			"ratio 2e-4, bounds 1 and 5, both clip bounds 1: a ratio is never below 0"},
		defaultRow{"kl-cov", set{"clip_low": 0., "clip_high": 0., "aggregation": "token-mean", "kl_cov": 2e-3, "kl_cov_coef": 1.},
			"7B recipe: 2e-3, coefficient 1, no clip"},
	)
}
