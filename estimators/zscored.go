package estimators

import "modebench/estimators/loss"

var (
	// gspoLoss is GSPO's: one length-normalised ratio per sequence.
	gspoLoss = loss.Function{
		ClipLow: 3e-4, ClipHigh: 4e-4, Ratio: "sequence-norm", Aggregation: "seq-mean-token-mean", KL: "k3",
	}
	// dapoLoss is DAPO's: clip-higher and the mean over all tokens.
	dapoLoss = loss.Function{ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Aggregation: "token-mean", KL: "k3"}
	// setpoLoss is SetPO's (eq. 1 with the hyperparameters of table 4). The divergence is printed for
	// whole distributions, so it is exact.
	setpoLoss = loss.Function{
		ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "exact", KLCoef: 1e-4,
	}
)

// asInSetPO is an objective with the divergence of SetPO's runs and its baselines (tables 5, 6).
func asInSetPO(o loss.Function) loss.Function {
	o.KL, o.KLCoef = setpoLoss.KL, setpoLoss.KLCoef
	return o
}

// zscored are the methods whose advantages are GRPO's z-scores. They differ in losses and protocols.
var zscored = []struct {
	family                Family
	rank                  int
	name, source, summary string
	loss                  loss.Function
	generations           int
}{
	{Baselines, 50, "grpo", "Shao et al. 2024; conventions of VPO app. B",
		"group z-score, population deviation", PlainLoss, 0},
	// The deviation's ddof and epsilon are not given.
	{Baselines, 70, "grpo@setpo", "SetPO eq. 1, table 4",
		"SetPO's baseline: z-score, KL 1e-4", setpoLoss, 0},
	{Baselines, 80, "grpo@vpo", "VPO app. B",
		"VPO's baseline: z-score, dual clip, token mean, k3 KL 1e-3", VPOLoss, 0},
	{Baselines, 90, "grpo@sd-e2", "SD-E2 eqs. 31-37, app. F",
		"SD-E2's GRPO: z-score, sequence ratio, exact KL", sde2Loss, 0},
	// The paper writes std(r) without a ddof; its code inherits verl's sample deviation (ddof 1).
	{Baselines, 100, "grpo@evol-rl", "Evol-RL sec. 2 and app. A.5",
		"Evol-RL's GRPO: z-score, symmetric clip, KL 1e-3", evolrlLoss(0.2, 0), 0},
	// The paper writes a deviation without a ddof or an epsilon. Its reward for overlong
	// answers is left out: here answers have a bounded length.
	{Baselines, 220, "dapo", "Yu et al. 2025 (2503.14476)",
		"z-score, clip-higher, token mean, groups without a spread drawn anew", dapoLoss, 10},
	{Baselines, 230, "dapo@setpo", "SetPO app. A, table 6",
		"SetPO's DAPO: exact KL 1e-4", asInSetPO(dapoLoss), 10},
	{Baselines, 240, "gspo", "Zheng et al. 2025 (2507.18071); SetPO table 5",
		"z-score under one length-normalised ratio per sequence", gspoLoss, 0},
	{Baselines, 250, "gspo@setpo", "SetPO app. A, table 5",
		"SetPO's GSPO: exact KL 1e-4", asInSetPO(gspoLoss), 0},
	// MiniMax-M1 gives no bound of the weight. TRL recommends 5, after ScaleRL (2510.13786):
	// 1 + clip_high.
	{Baselines, 260, "cispo", "MiniMax 2025 (2506.13585); TRL GRPOTrainer (1.10.0.dev0)",
		"z-score under a clipped importance weight that cuts no gradient",
		loss.Function{ClipHigh: 4, Ratio: "importance", Aggregation: "token-mean", KL: "k3"}, 0},
	// Bounds in log space: token ratios from e^-0.4 to e^0.4.
	{Baselines, 270, "gmpo", "Zhao et al. 2025 (2507.20673); callsys/GMPO",
		"z-score under the geometric mean of clipped token ratios",
		loss.Function{ClipLow: 0.4, ClipHigh: 0.4, Ratio: "geometric", Aggregation: "seq-mean-token-mean", KL: "k3"}, 0},
	{Baselines, 500, "sapo", "Gao et al. 2025 (2511.20347); temperatures of verl core_algos.py (2026-08) and TRL",
		"z-score under a smooth gate of token ratios in the place of a clip",
		loss.Function{Ratio: "soft", TauPos: 1, TauNeg: 1.05, Aggregation: "seq-mean-token-mean", KL: "k3"}, 0},
	// verl bounds the weight at 3, its clip_ratio_c.
	{Baselines, 510, "dppo-tv", "2602.04879, Binary-TV; verl core_algos.py (2026-08)",
		"z-score under importance weights of tokens whose probability has not moved far", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "importance-tv", Aggregation: "token-mean", KL: "k3",
		}, 0},
	{Baselines, 520, "dppo-kl", "2602.04879, Binary-KL; verl core_algos.py (2026-08)",
		"the same with a bound of the divergence in the place of the move", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, DualClip: 3, Ratio: "importance-kl", Aggregation: "token-mean", KL: "k3",
		}, 0},
	// SkyRL's is the same without the squared log ratio: log_ratio_coef 0, or under Binary-KL
	// ratio token-kl.
	{Baselines, 530, "dppo-tv@prime", "prime-rl loss.py (2026-08), default_loss_fn",
		"prime-rl's DPPO: the gradient goes through the ratio, a squared log ratio holds it", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token-tv", LogRatioCoef: 1e-3, Aggregation: "token-mean", KL: "k3",
		}, 0},
	{Baselines, 540, "ipo", "prime-rl loss.py (2026-08), ipo_loss_fn",
		"z-score under ratios of tokens whose probability has not moved far either way", loss.Function{
			ClipLow: 0.1, ClipHigh: 0.1, Ratio: "token-move", LogRatioCoef: 1e-3, Aggregation: "token-mean", KL: "k3",
		}, 0},
	// verl calls it DRO and has no default for beta, which ROLL has under the name of
	// Kimi-1.5: 0.1, twice the coefficient.
	{Baselines, 550, "dro", "verl core_algos.py (2026-08); Kimi-1.5 (2501.12599) in ROLL",
		"z-score, a plain score function held by the squared log ratio",
		loss.Function{Ratio: "none", LogRatioCoef: 0.05, Aggregation: "token-mean", KL: "k3"}, 0},
	{Baselines, 560, "vespo", "VESPO (2602.10693); FloyedShen/VESPO; TRL GRPOTrainer (2026-07)",
		"z-score under a smooth weight of the sequence's product of ratios",
		loss.Function{Ratio: "gamma", Aggregation: "token-mean", KL: "k3"}, 0},
	// GSPO's loss of a sequence times its length; bounds of the paper's sec. 5.1 as TRL gives them.
	{Baselines, 570, "luspo", "LUSPO (2602.05261); TRL GRPOTrainer (2026-07)",
		"GSPO that weighs a sequence by its length", loss.Function{
			ClipLow: 2e-3, ClipHigh: 2.5e-3, Ratio: "sequence-norm", Aggregation: "seq-mean-token-sum", KL: "k3",
		}, 0},
	// The paper gives no bound. slime's default is taken; TRL advises 0.5.
	{Baselines, 580, "opsm", "DeepSeek-V3.2 (2512.02556), eq. 9; bound of slime",
		"GRPO that leaves out bad answers which the policy has moved away from", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", OffPolicyMask: 1e-4, Aggregation: "seq-mean-token-mean", KL: "k3",
		}, 0},
	{Baselines, 590, "intellect-2", "INTELLECT-2 (2505.07291), sec. 4.1, in TRL GRPOTrainer (2026-07)",
		"z-score under a clip that bounds ratios of bad answers too", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, DualClip: 4, Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCoef: 1e-3,
		}, 0},
	{Baselines, 600, "topr", "Le Roux et al. 2025 (2503.14286) in ROLL (2026-08)",
		"z-score, weights of at most 1 for wrong answers and of 1 for right ones",
		loss.Function{Ratio: "tapered", Aggregation: "seq-mean-token-mean", KL: "k3"}, 0},
	{Baselines, 610, "tis@roll", "ROLL (2026-08), pg_variant tis",
		"z-score under importance weights of at most 1",
		loss.Function{Ratio: "truncated", Aggregation: "seq-mean-token-mean", KL: "k3"}, 0},
	// The five papers print no other entropy coefficient; others use up to 0.01.
	{EntropyControl, 10, "entropy-bonus", "Williams and Peng 1991; coefficient of Evol-RL table 5",
		"GRPO plus the policy's entropy as a bonus", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "seq-mean-token-mean", KL: "k3", EntropyCoef: 0.003,
		}, 0},
	// Its target is far below the entropies of most environments: a spec sets its own.
	{EntropyControl, 15, "entropy-adaptive", "Skywork-OR1 (He et al. 2025, 2505.22312); TRL GRPOTrainer (2026-07)",
		"GRPO plus an entropy bonus whose weight follows the entropy", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3",
			EntropyTarget: 0.2, EntropyDelta: 0.005, EntropyMax: 1,
		}, 0},
	// Official runs set both clip bounds to 1: the ratio stays within (0, 2], and since no ratio
	// is below 0 that is clip_low = 0 here. On small minibatches few covariances lie between 1
	// and 5, so often no token is left out; a single token is a far larger share than 2e-4.
	{EntropyControl, 20, "clip-cov", "Cui et al. 2025, Clip-Cov; ratio 2e-4, bounds 1 and 5",
		"GRPO that leaves a few tokens of high covariance between advantage and log-probability out of the loss",
		loss.Function{
			ClipHigh: 1, Ratio: "token", Aggregation: "token-mean", KL: "k3", ClipCov: 2e-4, ClipCovLow: 1, ClipCovHigh: 5,
		}, 0},
	// The share of the published 7B recipe, with its coefficient; the code's own fallback is
	// 2e-4. At least one token a minibatch is held, but nothing pulls before the policy has
	// moved since sampling: with one update per batch this is GRPO without a clip.
	{EntropyControl, 30, "kl-cov", "Cui et al. 2025, KL-Cov; share 2e-3, coefficient 1",
		"GRPO without a clip that holds the tokens of the highest covariance between advantage and log-probability",
		loss.Function{Ratio: "token", Aggregation: "token-mean", KL: "k3", KLCov: 2e-3, KLCovCoef: 1}, 0},
	// zeta is constant unless a spec has a repo_target, as in SkyRL.
	{EntropyControl, 500, "repo-r", "Petrenko et al. 2026 (2603.11682), app. D.2, in SkyRL's pull request 1896",
		"GRPO whose advantages weigh more on unlikely tokens",
		loss.Function{ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Repo: 0.01, Aggregation: "token-mean", KL: "k3"}, 0},
	// By TRL's account the paper's main results are on top of DAPO.
	{EntropyControl, 510, "forking-tokens", "Wang et al. 2025 (2506.01939); TRL GRPOTrainer (2026-07)",
		"DAPO on the fifth of tokens with the highest entropy", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.28, Ratio: "token", Forking: 0.2, Aggregation: "token-mean", KL: "k3",
		}, 10},
	// Values of its runs; its settings file has 1 and 1.0 for the last two, which spreads nothing.
	{EntropyControl, 530, "simko", "SimKO (2510.14807); CLR-Lab/SimKO (2025-10)",
		"GRPO whose gradient is spread to the likeliest tokens where right answers fork", loss.Function{
			ClipLow: 0.2, ClipHigh: 0.2, Ratio: "token", Aggregation: "token-mean", KL: "k3",
			SimKO: 0.01, SimKOTop: 3, SimKOQuantile: 0.8,
		}, 0},
	// The next three are the parts of Evol-RL added to supervised GRPO (sec. 4.5), the third all
	// of them but the novelty.
	{LabelFree, 90, "grpo+cliphigh", "Evol-RL sec. 4.5",
		"supervised GRPO with Evol-RL's upper clip", evolrlLoss(0.28, 0), 0},
	{LabelFree, 100, "grpo+ent", "Evol-RL sec. 4.5",
		"supervised GRPO with Evol-RL's entropy bonus", evolrlLoss(0.2, 0.003), 0},
	{LabelFree, 110, "grpo+cliphigh+ent", "Evol-RL sec. 4.5",
		"supervised GRPO with Evol-RL's upper clip and entropy bonus", evolrlLoss(0.28, 0.003), 0},
}

func init() {
	for _, m := range zscored {
		Register(m.family, m.rank, ZScored(Method{
			Name: m.name, Summary: m.summary, Source: m.source, Loss: m.loss, Protocol: Protocol{Generations: m.generations},
		}))
	}
	registerDPH()
	flow := ZScored(Method{
		Name: "flowrl-vargrad", Summary: "towards the base policy times e^(beta z-score), with log Z from the group",
		Source: "FlowRL (2509.15207), Xuekai-Zhu/FlowRL (2025); log Z is ours, after VarGrad (Richter et al. 2020)",
		Loss:   loss.Function{Ratio: "flow", FlowBeta: 15, Aggregation: "seq-mean-token-mean", KL: "k3"},
	})
	flow.Target = NoTarget("its loss seeks a distribution, the base policy times e^(beta A), and not the most of anything")
	Register(Baselines, 640, flow)
	bonus := ZScored(Method{
		// The bonus, weighted 0.01, is part of the objective: on correct answers, by token. SetPO trains
		// it under the settings of its own methods, which follow Yao et al. (sec. 5.1, app. E.1).
		Name: "r1-zero-div", Summary: "GRPO plus a bonus for unlikely tokens of correct answers",
		Source: "Yao et al. 2025; SetPO sec. 5.1, tables 1-2, 4",
		Loss:   setpoLoss,
	})
	bonus.Loss.DivCoef, bonus.Properties.Why = 0.01, "a z-score; the bonus is no part of the advantage"
	Register(SetDiversity, 40, bonus)
}

// registerDPH registers DPH-RL (Li et al. 2025, 2509.07430), which splits the problems before
// training. If four rollouts of the base policy are all correct, the reward counts no more: the
// policy is held near a stored answer of the base policy (holdStored in package loss). Other
// problems learn by GRPO without a divergence.
//
// Read in seamoke/DPH-RL at 139a9b2. Its README has eight rollouts; exact_correct_id.py goes by
// four. clip_high is that of scripts/llama, and so is the weight 0.01. For the JS generator the
// README has 0.05 to 0.2, which excludes the scripts' default; 0.1 is taken.
//
// The loss of a stored answer has no gradient while the policy is the base policy. So it holds
// solved answers against the learning of other problems, and if problems share no parameters it
// leaves solved ones as they are. bench audit and bench estimate have no stored samples and measure GRPO.
func registerDPH() {
	for i, d := range []struct {
		name, summary      string
		forward, js, alpha float64
	}{
		{
			"dph-forward",
			"GRPO that holds to an answer of the base policy if that solves the problem, by the forward KL", 0.01, 0, 0,
		},
		{"dph-js", "the same by the Jensen-Shannon divergence", 0, 0.1, 0},
		{"dph-alpha", "the same by an alpha-divergence, alpha 0.2", 0, 0, 0.01},
	} {
		held := dapoLoss
		held.DPHForward, held.DPHJS, held.DPHAlpha, held.DPHRollouts = d.forward, d.js, d.alpha, 4
		Register(Baselines, 650+10*i, ZScored(Method{
			Name: d.name, Summary: d.summary, Source: "Li et al. 2025 (2509.07430); seamoke/DPH-RL (2025-09)", Loss: held,
		}))
	}
}
