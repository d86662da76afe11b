"""OpenRLHF's experience maker and policy loss."""

import types

import torch
from openrlhf.models.loss import PolicyLoss
from openrlhf.models.utils import compute_approx_kl, masked_mean
from openrlhf.trainer.ppo_utils.experience import Experience
from openrlhf.trainer.ppo_utils.experience_maker import RemoteExperienceMaker

PACKAGE = "openrlhf"
Of = types.SimpleNamespace


def estimator(name):
    """An advantage estimator of the experience maker, under the name of its option."""

    def run(batch, settings):
        maker = object.__new__(RemoteExperienceMaker)
        maker.args = Of(
            algo=Of(advantage=Of(estimator=name, gamma=1.0, lambd=1.0, no_std_norm=False)),
            rollout=Of(n_samples_per_prompt=batch.size), reward=Of(clip_range=None),
        )
        maker.strategy, maker.advantage_estimator, maker.kl_ctl = Of(args=maker.args), name, Of(value=0.0)
        whole = Experience(index=list(range(len(batch.lengths))), rewards=batch.scores.clone(), action_mask=batch.mask.bool(), kl=torch.zeros(batch.mask.shape))
        maker.compute_advantages_and_returns([whole])
        return batch.read(whole.advantages)

    return run


reinforce = estimator("reinforce")
rloo = estimator("rloo")
reinforce_baseline = estimator("reinforce_baseline")
dr_grpo = estimator("dr_grpo")
group_norm = estimator("group_norm")


def policy_loss(name):
    def run(tokens, s):
        loss = PolicyLoss(
            clip_eps_low=s.clip_low, clip_eps_high=s.clip_high, dual_clip=getattr(s, "dual_clip", None),
            token_level_loss=s.aggregation == "token-mean", policy_loss_type=name,
            is_correction_level=getattr(s, "level", "off"), is_correction_mode=getattr(s, "mode", "mask"), is_correction_threshold=getattr(s, "threshold", [0.5, 5.0]),
        )(tokens.logp, tokens.old, tokens.rows, action_mask=tokens.mask, rollout_log_probs=tokens.sampler)[0]
        if hasattr(s, "kl"):  # as its actor adds it: the mean over tokens
            loss = loss + s.kl_coef * masked_mean(compute_approx_kl(tokens.logp, tokens.ref, kl_estimator=s.kl), tokens.mask)
        return loss

    return run


loss_ppo = policy_loss("ppo")
loss_gspo = policy_loss("gspo")
