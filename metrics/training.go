package metrics

// DrawnMetric is the cost of training in tokens of rollouts, whatever became of them.
const DrawnMetric = "drawn_tokens"

// Metrics that package train measures: of training, and of a search at test time.
func init() {
	register(
		Metric{rank: 400, Name: "kl", Doc: "KL divergence of a rollout from the policy before training, nats; at temperature 1", Detail: ">= 0",
			Label: "KL to the base policy", Unit: "nats", Axis: AxisFromZero, Delta: natsDelta, Measure: MeasureKL, Policy: true},
		Metric{rank: 430, Name: "clipped", Doc: "share of tokens that the ratio's clip cut off, over all updates so far", Detail: "[0, 1]",
			Delta: shareDelta, Measure: MeasureUpdates, Policy: true},
		Metric{rank: 440, Name: "corrected", Doc: "share of tokens whose weight a correction (tis, icepop, bound) truncated or set to 0, over all updates so far", Detail: "[0, 1]",
			Delta: shareDelta, Measure: MeasureUpdates, Policy: true},
		Metric{rank: 450, Name: "log_ratio", Doc: "mean |log pi - log pi_old| of a token, nats, over all updates so far", Detail: ">= 0",
			Delta: Delta{0.02, "a fiftieth of a nat, a tenth of the usual clip"}, Measure: MeasureUpdates, Policy: true},
		Metric{rank: 460, Name: DrawnMetric, Doc: "tokens of all rollouts drawn for training so far: those that only vote, those of dropped groups and greedy ones too", Detail: "count, >= 0",
			Delta: Delta{1000, "a thousand tokens; the bandit's default training draws 24,000"}, Measure: MeasureDrawn, Policy: true},
		Metric{rank: 410, Name: "search@k", Doc: "best w*.r that an evolutionary search finds with k answers to a problem (MAP-Elites over modes; VPO fig. 4)", Detail: "reward units",
			Delta: rewardDelta, Measure: MeasureSearch, Pools: true, Policy: true},
		Metric{rank: 420, Name: "search_pass@k", Doc: "share of problems of which that search finds a correct answer with k of them", Detail: "[0, 1]",
			Delta: shareDelta, Measure: MeasureSearch, Pools: true, Policy: true},
	)
}
