package parity

// corrections are the rows of losses that weigh tokens for a sampler that is not the old
// policy: truncated importance sampling, IcePop, and the veto of whole sequences.
func corrections() []row {
	out := verlCorrections()
	out = append(out, trlCorrections()...)
	out = append(out, openRLHFCorrections()...)
	return append(out, skyRLCorrections()...)
}

// The corrections of methods that the rows are about, each of tokens and of sequences.
var (
	truncated    = []string{"tis=2"}
	bySequence   = []string{"tis=2", "by_sequence=true"}
	icePop       = []string{"icepop_low=0.5", "icepop_high=2"}
	icePopWhole  = []string{"icepop_low=0.5", "icepop_high=2", "by_sequence=true"}
	unboundedly  = 1e9 // a bound that no ratio reaches
	vetoAndTrunc = []string{"tis=2", "veto=0.3"}
)

// clipped are fields with the clips of the rows, and more.
func clipped(fields []string, more ...string) []string {
	out := append([]string{}, clipsHere...)
	return append(append(out, fields...), more...)
}

func verlCorrections() []row {
	const f = "verl"
	tokens := func(more set) set { return with(with(clips, set{"aggregation": "token-mean"}), more) }
	sequences := func(more set) set { return with(with(clips, set{"aggregation": "seq-mean-token-mean"}), more) }
	tis := set{"rollout_is": "token", "rollout_is_threshold": 2}
	return []row{
		{f, "loss_vanilla", tokens(tis), "grpo@verl", clipped(truncated), shape{}, false, rounding, "", false},
		{f, "loss_vanilla", tokens(set{"rollout_is": "sequence", "rollout_is_threshold": 2}), "grpo@verl", clipped(bySequence), shape{}, false, rounding, "", false},
		{f, "loss_vanilla", tokens(set{"rollout_is": "token", "rollout_is_threshold": "0.5_2"}), "grpo@verl", clipped(icePop), shape{}, false, rounding, "", false},
		{f, "loss_vanilla", tokens(set{"rollout_is": "sequence", "rollout_is_threshold": "0.5_2"}), "grpo@verl", clipped(icePopWhole), shape{}, false, rounding, "", false},
		{f, "loss_cispo", tokens(tis), "cispo", clipped(truncated), shape{}, false, rounding, "", false},
		{f, "loss_dppo_tv", with(tokens(tis), set{"dual_clip": 3}), "dppo-tv", clipped(truncated), shape{}, false, rounding, "", false},
		{f, "loss_gspo", sequences(tis), "gspo", clipped(truncated), shape{}, false, 1e-7, perToken, false},
		{f, "loss_geo_mean", sequences(tis), "gmpo", clipped(truncated), shape{Long: true}, false, 1e-7, perToken, false},
		{f, "loss_vanilla", tokens(set{"rollout_is": "token", "rollout_is_threshold": unboundedly, "rollout_rs": "token_k1", "rollout_rs_threshold": "0.5_2"}), "grpo@verl", clipped(icePop), shape{}, false, 1e-3, "rejected tokens: it takes them out of what the loss is divided by, the method keeps them there", true},
	}
}

func trlCorrections() []row {
	const f = "TRL"
	long := shape{Long: true}
	by := func(mode string, more set) set {
		return with(set{"epsilon_low": 0.2, "epsilon_high": 0.28, "vllm_mode": mode, "vllm_max": 2}, more)
	}
	least := set{"vllm_min": 0.5}
	return []row{
		{f, "loss_bnpo", by("token_truncate", nil), "grpo@trl", clipped(truncated, "aggregation=token-mean"), long, false, rounding, "", false},
		{f, "loss_bnpo", by("sequence_truncate", nil), "grpo@trl", clipped(bySequence, "aggregation=token-mean"), long, false, rounding, "", false},
		{f, "loss_bnpo", by("token_mask", least), "grpo@trl", clipped(icePop, "aggregation=token-mean"), long, false, rounding, "", false},
		{f, "loss_bnpo", by("sequence_mask", least), "grpo@trl", clipped(icePopWhole, "aggregation=token-mean"), long, false, rounding, "", false},
		{f, "loss_grpo", by("token_truncate", nil), "grpo@trl", clipped(truncated, "aggregation=seq-mean-token-mean"), long, false, rounding, "", false},
		{f, "loss_grpo", by("sequence_mask", with(least, set{"level": "sequence"})), "gspo", clipped(icePopWhole), long, false, rounding, "", false},
		{f, "loss_grpo", by("token_truncate", set{"level": "sequence"}), "gspo", clipped(truncated), long, false, 1e-3, "sequences whose tokens share a ratio: every token's slope has the mean weight of its sequence, where the method gives each its own, as verl does", true},
	}
}

func openRLHFCorrections() []row {
	const f = "OpenRLHF"
	by := func(mode string, low float64) set {
		return with(clips, set{"aggregation": "token-mean", "level": "token", "mode": mode, "threshold": []float64{low, 2}})
	}
	return []row{
		{f, "loss_ppo", by("clip", 0), "grpo@openrlhf", clipped(truncated), shape{}, false, rounding, "", false},
		{f, "loss_ppo", by("mask", 0.5), "grpo@openrlhf", clipped(icePop), shape{}, false, rounding, "", false},
	}
}

func skyRLCorrections() []row {
	const f = "SkyRL"
	by := func(more set) set {
		return with(with(clips, set{"loss_reduction": "token_mean"}), more)
	}
	here := func(fields []string) []string { return clipped(fields, "aggregation=token-mean") }
	tis := set{"tis_ratio_type": "token", "token_tis_ratio_clip_high": 2}
	return []row{
		{f, "loss_regular", by(tis), "grpo", here(truncated), shape{}, false, single, toFloat32, false},
		{f, "loss_regular", by(set{"tis_ratio_type": "sequence", "sequence_tis_ratio_clip_high": 2}), "grpo", here(bySequence), shape{}, false, single, toFloat32, false},
		{f, "loss_regular", by(set{"tis_ratio_type": "token", "token_tis_ratio_clip_high": unboundedly, "token_mask_is_threshold_low": 0.5, "token_mask_is_threshold_high": 2}), "grpo", here(icePop), shape{}, false, single, toFloat32, false},
		{f, "loss_regular", by(set{"tis_ratio_type": "sequence", "sequence_tis_ratio_clip_high": unboundedly, "sequence_mask_metric": "product", "product_mask_low": 0.5, "product_mask_high": 2}), "grpo", here(icePopWhole), shape{}, false, single, toFloat32, false},
		{f, "loss_regular", by(with(tis, set{"outlier_token_is_threshold_low": 0.3})), "grpo", here(vetoAndTrunc), shape{}, false, single, toFloat32, false},
	}
}
