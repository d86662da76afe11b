"""SkyRL's functions (skyrl.backends.skyrl_train.utils.ppo_utils)."""

import types

from skyrl.backends.skyrl_train.utils import ppo_utils

PACKAGE = "skyrl"


def estimator(name):
    """An estimator under the name that SkyRL has it registered by."""

    def run(batch, settings):
        rows, _ = ppo_utils.compute_advantages_and_returns(
            token_level_rewards=batch.rewards, response_mask=batch.mask, index=batch.index, adv_estimator=name, config=None, **vars(settings)
        )
        return batch.read(rows)

    return run


grpo = estimator("grpo")
rloo = estimator("rloo")
reinforce_plus_plus = estimator("reinforce++")
maxrl = estimator("maxrl")


# Its configuration of corrections for a sampler that is not the old policy, none of them on.
CORRECTION = {
    "tis_ratio_type": None, "token_tis_ratio_clip_high": None, "sequence_tis_ratio_clip_high": None,
    "sequence_mask_metric": None, "product_mask_low": None, "product_mask_high": None,
    "outlier_token_is_threshold_low": None, "outlier_token_is_threshold_high": None,
    "token_mask_is_threshold_low": None, "token_mask_is_threshold_high": None,
}


def policy_loss(name):
    """A policy loss. Its reduction is in the advantages, as SkyRL's trainer has it."""

    def run(tokens, s):
        advantages = ppo_utils.apply_loss_reduction_to_advantages_minibatch(
            tokens.rows, tokens.mask, s.loss_reduction, micro_batch_size=len(tokens.rows), max_seq_len=getattr(s, "max_tokens", 0)
        )
        config = types.SimpleNamespace(
            policy_loss_type=name, eps_clip_low=s.clip_low, eps_clip_high=s.clip_high, clip_ratio_c=getattr(s, "dual_clip", None),
            loss_reduction=s.loss_reduction, off_policy_correction=types.SimpleNamespace(**{k: getattr(s, k, v) for k, v in CORRECTION.items()}),
            sapo=types.SimpleNamespace(tau_pos=getattr(s, "tau_pos", None), tau_neg=getattr(s, "tau_neg", None)),
            dppo=types.SimpleNamespace(dppo_type=getattr(s, "dppo", None), delta_low=s.clip_low, delta_high=s.clip_high),
            cispo=types.SimpleNamespace(cispo_eps_clip_low=s.clip_low, cispo_eps_clip_high=s.clip_high),
        )
        return ppo_utils.PolicyLossRegistry.get(name)(tokens.logp, tokens.old, advantages, config, loss_mask=tokens.mask, rollout_logprobs=tokens.sampler)[0]

    return run


loss_regular = policy_loss("regular")
loss_dual_clip = policy_loss("dual_clip")
loss_gspo = policy_loss("gspo")
loss_cispo = policy_loss("cispo")
loss_sapo = policy_loss("sapo")
loss_dppo = policy_loss("dppo")
