package estimators

import "modebench/estimators/loss"

// Target policy optimization and the delightful policy gradient, which its author compares it
// with, are losses: target and delight in package loss. Read in JeanKaddour/tpo at 73473b9
// (2026-04), with the paper's text beside the code.
//
// The scores of TPO are z-scores with the population deviation and nothing added to it (tpo_skill,
// which centres alone where the deviation is below 1e-6; here there is no signal below 1e-12). DG
// takes rewards less a mean. Its runs there have one rollout per prompt and the mean over prompts;
// here it is the mean of the group.
func init() {
	tpo := ZScored(Method{
		Name: "tpo", Summary: "towards the group's own shares times e^(z-score), by cross-entropy",
		Source:    "Kaddour 2026 (2604.06159), eqs. 1-3; JeanKaddour/tpo (2026-04)",
		Estimator: From(GRPO{Scale: "group", Singleton: "zero"}),
		Loss:      loss.Function{Ratio: "target", Eta: 1, Aggregation: "seq-mean-token-sum", KL: "k3"},
	})
	tpo.Target = NoTarget("its loss seeks a distribution over the group's answers, and not the most of anything")
	Register(Baselines, 680, tpo)
	Register(Baselines, 690, Method{
		Name: "dg", Summary: "centred rewards, of which unlikely good tokens count in full and unlikely bad ones hardly", Trains: true,
		Source:     "Osband 2026 (2603.14608), in JeanKaddour/tpo (2026-04)",
		Estimator:  From(Centred),
		Loss:       loss.Function{Ratio: "delight", Eta: 1, Aggregation: "seq-mean-token-sum", KL: "k3"},
		Properties: centredProperties,
		Target:     NoTarget("its gate depends on the policy's own log-probabilities"),
	})
}
