package metrics

// The metrics of a search at test time, which package train makes.
func init() {
	register(
		Metric{rank: 410, Name: "search@k", Doc: "best w*.r that an evolutionary search finds with k answers to a problem (MAP-Elites over modes; VPO fig. 4)", Detail: "reward units",
			Delta: rewardDelta, Measure: MeasureSearch, Pools: true, Policy: true},
		Metric{rank: 420, Name: "search_pass@k", Doc: "share of problems of which that search finds a correct answer with k of them", Detail: "[0, 1]",
			Delta: shareDelta, Measure: MeasureSearch, Pools: true, Policy: true},
	)
}
