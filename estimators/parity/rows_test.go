package parity

// row is a function of a framework, the method that claims to be it, and how near they are.
type row struct {
	framework, function string
	settings            set    // the settings of the framework
	method              string // with the fields that differ from its defaults
	fields              []string
	shape               shape
	float32             bool // the framework is given float32, as in a training run
	tolerance           float64
	why                 string // why it is above rounding, or what the deviation is
	// deviates: a known deviation. Its size is above the tolerance.
	deviates bool
}

type set = map[string]any

// The bounds for numbers that both sides compute in float64, and of those that the
// framework has in float32, whose machine epsilon is 1.2e-7.
const (
	rounding = 1e-12
	single   = 1e-5
)

const (
	toFloat32 = "it computes in float32"
	perToken  = "it adds 1e-8 to a number of tokens"
	capped    = "policy and reference far apart: it caps a token's divergence at 10, where its gradient ends"
	noTokens  = "rollouts without a token: it counts them in the mean over rollouts"
	cancels   = "components that cancel leave an error of rounding, which it divides by 1e-4"
)

// clips and clipsHere are the settings of clips in verl, OpenRLHF and SkyRL, and the same for a
// method.
var (
	clips     = set{"clip_low": 0.2, "clip_high": 0.28}
	clipsHere = []string{"clip_low=0.2", "clip_high=0.28"}
)

// with is settings with more of them.
func with(base set, more set) set {
	out := set{}
	for _, of := range []set{base, more} {
		for name, value := range of {
			out[name] = value
		}
	}
	return out
}

// rows are all of them, in the order of the page.
func rows() []row {
	out := append(verlAdvantages(), verlLosses()...)
	out = append(out, trl()...)
	out = append(out, openRLHF()...)
	out = append(out, skyRL()...)
	return append(out, corrections()...)
}

// planted are rows of wrong methods: a deviation with the wrong divisor, a lone rollout that loses
// its reward, a loss without the dual clip, one with the clip on the wrong side, one with the wrong
// aggregation, baselines that go on where verl's end, weights with another bound, of sequences in
// place of tokens, and of sequences that no veto drops. Each has to be far off.
func planted() []row {
	told := with(clips, set{"aggregation": "token-mean"})
	return []row{
		{"verl", "grpo", nil, "grpo@verl", []string{"ddof=0"}, shape{Equal: true}, false, 1e-3, "", true},
		{"verl", "grpo", nil, "grpo@verl", []string{"singleton=zero"}, shape{}, false, 1e-3, "", true},
		{"verl", "loss_vanilla", told, "grpo@verl", append([]string{"dual_clip=0"}, clipsHere...), shape{}, false, 1e-3, "", true},
		{"SkyRL", "loss_regular", with(clips, set{"loss_reduction": "token_mean"}), "grpo", []string{"clip_low=0.28", "clip_high=0.2", "aggregation=token-mean"}, shape{}, false, 1e-3, "", true},
		{"OpenRLHF", "loss_ppo", told, "grpo@openrlhf", append([]string{"aggregation=seq-mean-token-mean"}, clipsHere...), shape{}, false, 1e-3, "", true},
		{"TRL", "group", nil, "grpo@openrlhf", nil, shape{Equal: true, Spread: true}, false, 1e-5, "", true},
		{"TRL", "loss_grpo", with(set{"epsilon_low": 0.2, "epsilon_high": 0.28}, biasCorrected), "grpo@trl", clipped([]string{"aggregation=seq-mean-token-mean", "kl=k3", "kl_coef=0.3"}), shape{Long: true}, false, 1e-3, "", true},
		{"verl", "optimal_token_baseline", nil, "token-baseline", []string{"singleton=raw", "tail=own"}, shape{}, false, 1e-3, "", true},
		{"verl", "loss_vanilla", with(told, set{"rollout_is": "token", "rollout_is_threshold": 2}), "grpo@verl", clipped([]string{"tis=3"}), shape{}, false, 1e-3, "", true},
		{"verl", "loss_vanilla", with(told, set{"rollout_is": "token", "rollout_is_threshold": 2}), "grpo@verl", clipped(bySequence), shape{}, false, 1e-3, "", true},
		{"SkyRL", "loss_regular", with(clips, set{"loss_reduction": "token_mean", "tis_ratio_type": "token", "token_tis_ratio_clip_high": 2, "outlier_token_is_threshold_low": 0.3}), "grpo", clipped(truncated, "aggregation=token-mean"), shape{}, false, 1e-3, "", true},
	}
}

func verlAdvantages() []row {
	const f = "verl"
	equal := shape{Equal: true}
	return []row{
		{f, "grpo", nil, "grpo@verl", nil, shape{}, false, rounding, "", false},
		{f, "grpo", set{"norm_adv_by_std_in_grpo": false}, "grpo@verl", []string{"scale=none"}, shape{}, false, rounding, "", false},
		{f, "grpo_vectorized", nil, "grpo@verl", nil, shape{}, false, single, toFloat32, false},
		{f, "grpo_passk", set{"norm_adv_by_std_in_grpo": false}, "pkpo", []string{"k=SIZE"}, equal, false, rounding, "", false},
		{f, "grpo_passk", nil, "grpo-passk", nil, equal, false, rounding, "", false},
		{f, "reinforce_plus_plus", nil, "reinforce++", []string{"ddof=1"}, shape{Spread: true}, false, 1e-7, perToken, false},
		{f, "reinforce_plus_plus_baseline", nil, "reinforce++-baseline", []string{"ddof=1"}, shape{Spread: true}, false, 1e-7, perToken, false},
		{f, "remax", nil, "remax", nil, shape{}, false, rounding, "", false},
		{f, "rloo", nil, "rloo", []string{"singleton=raw"}, shape{}, false, rounding, "", false},
		{f, "rloo_vectorized", nil, "rloo", []string{"singleton=zero"}, shape{}, false, rounding, "", false},
		{f, "opo", nil, "opo", []string{"singleton=raw"}, shape{}, false, rounding, "", false},
		{f, "gpg", nil, "gpg@verl", nil, shape{}, false, rounding, "", false},
		{f, "optimal_token_baseline", nil, "token-baseline", []string{"singleton=raw"}, shape{}, false, rounding, "", false},
		{f, "optimal_token_baseline", set{"handle_zero_tail": false}, "token-baseline", []string{"singleton=raw", "tail=own"}, shape{}, false, rounding, "", false},
		{f, "gdpo", nil, "gdpo", []string{"ddof=1"}, shape{Equal: true, OneToken: true}, false, single, toFloat32 + ", and adds 1e-8 to the variance, not 1e-6 to the deviation; rollouts of one token, see below", false},
		{f, "gdpo", nil, "gdpo@verl", nil, equal, false, single, toFloat32, false},
		{f, "gdpo", nil, "gdpo", []string{"ddof=1"}, equal, false, 1e-3, "it normalises over the tokens of the batch, where the paper and the method do so over its rollouts", true},
		{f, "reinforce_plus_plus", nil, "reinforce++", []string{"ddof=1"}, shape{Flat: true}, false, 1e-7, "batches of equal rewards: it adds 1e-8 to the number of tokens, so that the mean is a little smaller, and divides by 1e-4; the method gives 0", true},
		{f, "grpo", nil, "grpo@verl", nil, shape{Equal: true, Tenths: true}, true, 1e-3, "groups of equal rewards: in float32 their mean may differ from them, and the difference is divided by 1e-6; the method gives 0", true},
	}
}

func verlLosses() []row {
	const f = "verl"
	mean := func(aggregation string) set {
		return with(clips, set{"aggregation": aggregation, "dual_clip": 3, "max_tokens": 11})
	}
	here := func(more ...string) []string { return append(append([]string{}, clipsHere...), more...) }
	tokens := with(clips, set{"aggregation": "token-mean"})
	sequences := with(clips, set{"aggregation": "seq-mean-token-mean"})
	return []row{
		{f, "loss_vanilla", mean("token-mean"), "grpo@verl", here(), shape{}, false, rounding, "", false},
		{f, "loss_vanilla", mean("seq-mean-token-mean"), "grpo@verl", here("aggregation=seq-mean-token-mean"), shape{}, false, 1e-7, perToken, false},
		{f, "loss_vanilla", mean("seq-mean-token-sum"), "grpo@verl", here("aggregation=seq-mean-token-sum"), shape{}, false, rounding, "", false},
		{f, "loss_vanilla", mean("seq-mean-token-sum-norm"), "grpo@verl", here("aggregation=seq-mean-token-sum-norm"), shape{}, false, rounding, "", false},
		{f, "loss_vanilla", with(mean("token-mean"), set{"kl": "k1", "kl_coef": 0.3}), "grpo@verl", here("kl=k1", "kl_coef=0.3"), shape{Near: true}, false, rounding, "", false},
		{f, "loss_vanilla", with(mean("token-mean"), set{"kl": "k2", "kl_coef": 0.3}), "grpo@verl", here("kl=k2", "kl_coef=0.3"), shape{Near: true}, false, rounding, "", false},
		{f, "loss_vanilla", with(mean("token-mean"), set{"kl": "k3", "kl_coef": 0.3}), "grpo@verl", here("kl=k3", "kl_coef=0.3"), shape{Near: true}, false, rounding, "", false},
		{f, "loss_vanilla", with(mean("token-mean"), set{"kl": "k3", "kl_coef": 0.3}), "grpo@verl", here("kl=k3", "kl_coef=0.3"), shape{}, false, 1e-3, capped, true},
		{f, "loss_gspo", sequences, "gspo", here(), shape{}, false, 1e-7, perToken, false},
		{f, "loss_geo_mean", sequences, "gmpo", here(), shape{Long: true}, false, 1e-7, perToken, false},
		{f, "loss_geo_mean", sequences, "gmpo", here(), shape{}, false, 1e-3, noTokens, true},
		{f, "loss_cispo", tokens, "cispo", here(), shape{}, false, rounding, "", false},
		{f, "loss_sapo", with(sequences, set{"tau_pos": 1, "tau_neg": 1.05}), "sapo", nil, shape{}, false, 1e-7, perToken, false},
		{f, "loss_dppo_tv", with(tokens, set{"dual_clip": 3}), "dppo-tv", here(), shape{}, false, rounding, "", false},
		{f, "loss_dppo_kl", with(tokens, set{"dual_clip": 3}), "dppo-kl", here(), shape{}, false, rounding, "", false},
		{f, "loss_dro", with(tokens, set{"dro_beta": 0.1}), "dro", nil, shape{}, false, rounding, "", false},
		{f, "loss_gpg", tokens, "gpg", []string{"aggregation=token-mean"}, shape{}, false, rounding, "", false},
		{f, "loss_clip_cov", with(tokens, set{"clip_cov_ratio": 1, "clip_cov_lb": 0.1, "clip_cov_ub": 2}), "clip-cov", here("clip_cov=1", "clip_cov_low=0.1", "clip_cov_high=2"), shape{}, false, rounding, "", false},
		{f, "loss_kl_cov", with(tokens, set{"kl_cov_ratio": 0.3, "ppo_kl_coef": 0.7}), "kl-cov", []string{"kl_cov=0.3", "kl_cov_coef=0.7"}, shape{}, false, rounding, "", false},
	}
}

// biasCorrected is TRL's divergence at its default settings.
var biasCorrected = set{"kl_coef": 0.3, "use_bias_correction_kl": true}

func trl() []row {
	const f = "TRL"
	equal, long := shape{Equal: true}, shape{Long: true}
	eps := set{"epsilon_low": 0.2, "epsilon_high": 0.28}
	here := func(more ...string) []string { return append(append([]string{}, clipsHere...), more...) }
	return []row{
		{f, "group", nil, "grpo@trl", nil, equal, false, rounding, "", false},
		{f, "batch", nil, "grpo@trl-batch", nil, equal, false, rounding, "", false},
		{f, "none", nil, "grpo@trl", []string{"scale=none"}, equal, false, rounding, "", false},
		{f, "normalize_then_sum", nil, "gdpo", []string{"ddof=1", "epsilon=1e-4"}, equal, false, 1e-11, cancels, false},
		{f, "group", nil, "grpo@trl", nil, shape{Equal: true, Tenths: true}, true, 1e-4, "groups of equal rewards: in float32 their mean may differ from them, and the difference is divided by 1e-4; the method gives 0", true},
		{f, "loss_grpo", eps, "grpo@trl", here("aggregation=seq-mean-token-mean"), long, false, rounding, "", false},
		{f, "loss_grpo", eps, "grpo@trl", here("aggregation=seq-mean-token-mean"), shape{}, false, 1e-3, noTokens, true},
		{f, "loss_grpo", with(eps, set{"kl_coef": 0.3}), "grpo@trl", here("aggregation=seq-mean-token-mean", "kl=k3", "kl_coef=0.3"), long, false, rounding, "", false},
		{f, "loss_grpo", with(eps, biasCorrected), "grpo@trl", here("aggregation=seq-mean-token-mean", "kl=k3-ratio", "kl_coef=0.3"), long, false, rounding, "", false},
		{f, "loss_dapo", with(eps, biasCorrected), "grpo@trl", here("kl=k3-ratio", "kl_coef=0.3"), long, false, rounding, "", false},
		{f, "loss_cispo", with(biasCorrected, set{"epsilon_low": 0, "epsilon_high": 1.3}), "cispo", []string{"clip_high=0.3", "kl=k3-ratio", "kl_coef=0.3"}, long, false, rounding, "", false},
		{f, "loss_grpo", with(eps, with(biasCorrected, set{"level": "sequence"})), "gspo", here("kl=k3-ratio", "kl_coef=0.3"), long, false, 1e-3, "sequences whose tokens share a ratio: it weighs the divergence of every token by that ratio, where the method weighs it by the token's own", true},
		{f, "loss_grpo", with(eps, set{"level": "sequence"}), "gspo", here(), long, false, rounding, "", false},
		{f, "loss_bnpo", eps, "grpo@trl", here("aggregation=token-mean"), long, false, rounding, "", false},
		{f, "loss_bnpo", with(eps, set{"delta": 1.5}), "grpo@trl", here("aggregation=token-mean", "dual_clip=1.5"), long, false, rounding, "", false},
		{f, "loss_dapo", eps, "grpo@trl", here(), long, false, rounding, "", false},
		{f, "loss_dr_grpo", with(eps, set{"max_tokens": 11}), "dr-grpo", here(), long, false, rounding, "", false},
		{f, "loss_cispo", set{"epsilon_low": 0, "epsilon_high": 1.3}, "cispo", []string{"clip_high=0.3"}, long, false, rounding, "", false},
		{f, "loss_luspo", with(eps, set{"level": "sequence"}), "luspo", here(), long, false, rounding, "", false},
		{f, "loss_sapo", with(eps, set{"tau_pos": 1, "tau_neg": 1.05}), "sapo", nil, long, false, rounding, "", false},
		{f, "loss_vespo", eps, "vespo", nil, long, false, rounding, "", false},
		{f, "loss_grpo", with(eps, set{"off_policy_mask": 0.1}), "opsm", here("off_policy_mask=0.1"), long, false, rounding, "", false},
	}
}

func openRLHF() []row {
	const f = "OpenRLHF"
	equal := shape{Equal: true}
	tokens, sequences := with(clips, set{"aggregation": "token-mean"}), with(clips, set{"aggregation": "seq-mean-token-mean"})
	here := func(more ...string) []string { return append(append([]string{}, clipsHere...), more...) }
	return []row{
		{f, "group_norm", nil, "grpo@openrlhf", nil, equal, false, rounding, "", false},
		{f, "dr_grpo", nil, "dr-grpo", nil, equal, false, rounding, "", false},
		{f, "rloo", nil, "rloo", nil, equal, false, rounding, "", false},
		{f, "reinforce", nil, "reinforce++", nil, equal, false, single, toFloat32, false},
		{f, "reinforce_baseline", nil, "reinforce++-baseline", nil, equal, false, single, toFloat32, false},
		{f, "reinforce", nil, "reinforce++@openrlhf", nil, equal, false, single, toFloat32, false},
		{f, "reinforce_baseline", nil, "reinforce++-baseline@openrlhf", nil, equal, false, single, toFloat32, false},
		{f, "group_norm", nil, "grpo@openrlhf", nil, shape{Equal: true, Tenths: true}, true, 1e-3, "groups of equal rewards: in float32 their mean may differ from them, and the difference is divided by 1e-9; the method gives 0", true},
		{f, "loss_ppo", tokens, "grpo@openrlhf", here(), shape{}, false, rounding, "", false},
		{f, "loss_ppo", sequences, "grpo@openrlhf", here("aggregation=seq-mean-token-mean"), shape{}, false, 1e-7, perToken, false},
		{f, "loss_ppo", with(tokens, set{"dual_clip": 1.5}), "grpo@openrlhf", here("dual_clip=1.5"), shape{}, false, rounding, "", false},
		{f, "loss_ppo", with(tokens, set{"kl": "k1", "kl_coef": 0.3}), "grpo@openrlhf", here("kl=k1", "kl_coef=0.3"), shape{Near: true}, false, single, toFloat32, false},
		{f, "loss_ppo", with(tokens, set{"kl": "k2", "kl_coef": 0.3}), "grpo@openrlhf", here("kl=k2", "kl_coef=0.3"), shape{Near: true}, false, single, toFloat32, false},
		{f, "loss_ppo", with(tokens, set{"kl": "k3", "kl_coef": 0.3}), "grpo@openrlhf", here("kl=k3", "kl_coef=0.3"), shape{Near: true}, false, single, toFloat32, false},
		{f, "loss_ppo", with(tokens, set{"kl": "k3", "kl_coef": 0.3}), "grpo@openrlhf", here("kl=k3", "kl_coef=0.3"), shape{}, false, 1e-3, capped, true},
		{f, "loss_gspo", sequences, "gspo", here(), shape{}, false, 1e-7, perToken, false},
	}
}

func skyRL() []row {
	const f = "SkyRL"
	by := func(reduction string) set { return with(clips, set{"loss_reduction": reduction, "max_tokens": 11}) }
	here := func(more ...string) []string { return append(append([]string{}, clipsHere...), more...) }
	long := shape{Long: true}
	return []row{
		{f, "grpo", nil, "grpo@verl", nil, shape{}, false, rounding, "", false},
		{f, "grpo", set{"grpo_norm_by_std": false}, "grpo@verl", []string{"scale=none"}, shape{}, false, rounding, "", false},
		{f, "rloo", nil, "rloo", []string{"singleton=zero"}, shape{}, false, rounding, "", false},
		{f, "reinforce_plus_plus", nil, "reinforce++", []string{"ddof=1"}, shape{}, false, rounding, "", false},
		{f, "maxrl", nil, "maxrl", []string{"singleton=raw"}, shape{NotNegative: true}, false, rounding, "", false},
		{f, "loss_regular", by("token_mean"), "grpo", here("aggregation=token-mean"), shape{}, false, single, toFloat32, false},
		{f, "loss_regular", by("sequence_mean"), "grpo", here(), long, false, single, toFloat32, false},
		{f, "loss_regular", by("seq_mean_token_sum_norm"), "dr-grpo", here(), long, false, single, toFloat32, false},
		{f, "loss_regular", by("sequence_mean"), "grpo", here(), shape{}, false, 1e-3, noTokens, true},
		{f, "loss_dual_clip", with(by("token_mean"), set{"dual_clip": 1.5}), "grpo", here("aggregation=token-mean", "dual_clip=1.5"), shape{}, false, single, toFloat32, false},
		{f, "loss_gspo", by("sequence_mean"), "gspo", here(), long, false, rounding, "", false},
		{f, "loss_cispo", by("token_mean"), "cispo", here(), shape{}, false, single, toFloat32, false},
		{f, "loss_sapo", with(by("sequence_mean"), set{"tau_pos": 1, "tau_neg": 1.05}), "sapo", nil, long, false, rounding, "", false},
		{f, "loss_dppo", with(by("token_mean"), set{"dppo": "binary_tv"}), "dppo-tv", here("ratio=token-tv", "dual_clip=0"), shape{}, false, single, toFloat32, false},
		{f, "loss_dppo", with(by("token_mean"), set{"dppo": "binary_kl"}), "dppo-kl", here("ratio=token-kl", "dual_clip=0"), shape{}, false, single, toFloat32, false},
	}
}
