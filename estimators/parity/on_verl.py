"""verl's functions (verl.trainer.ppo.core_algos)."""

import types

import torch
from verl.trainer.ppo import core_algos, rollout_corr_helper
from verl.workers.config import ActorConfig

PACKAGE = "verl"

# What it logs of weights divides by 0 where all of them are 0. No number of a loss goes through it.
rollout_corr_helper.compute_is_metrics = lambda **_: {}


def estimator(name):
    """An estimator under the name that verl has it registered by."""

    def run(batch, settings):
        takes = {"token_level_rewards": batch.rewards, "response_mask": batch.mask, "config": Settings(vars(settings)), "index": batch.index}
        if name == "remax":
            takes["reward_baselines"] = batch.greedy
        if name in ("reinforce_plus_plus", "remax"):
            del takes["index"]
        if name in ("grpo", "grpo_vectorized"):
            takes["norm_adv_by_std_in_grpo"] = getattr(settings, "norm_adv_by_std_in_grpo", True)
        return batch.read(core_algos.get_adv_estimator_fn(name)(**takes)[0])

    return run


class Settings(dict):
    """verl's configuration of the algorithm, as far as an estimator asks for it."""

    gamma = 1.0


grpo = estimator("grpo")
grpo_vectorized = estimator("grpo_vectorized")
grpo_passk = estimator("grpo_passk")
reinforce_plus_plus = estimator("reinforce_plus_plus")
reinforce_plus_plus_baseline = estimator("reinforce_plus_plus_baseline")
remax = estimator("remax")
rloo = estimator("rloo")
rloo_vectorized = estimator("rloo_vectorized")
opo = estimator("opo")
gpg = estimator("gpg")


def gdpo(batch, settings):
    keys = [f"component {k}" for k in range(batch.vectors.shape[1])]
    prompt = torch.ones(len(batch.lengths), 1, dtype=torch.int64)
    rows = core_algos.get_adv_estimator_fn("gdpo")(
        token_level_rewards=batch.rewards, response_mask=batch.mask, index=batch.index,
        config=Settings(gdpo_reward_keys=keys, gdpo_reward_weights=batch.weights),
        non_tensor_batch={key: batch.vectors[:, k].numpy() for k, key in enumerate(keys)},
        batch={"prompts": prompt, "attention_mask": torch.cat([prompt, batch.mask], dim=1)},
    )[0]
    return batch.read(rows)


def optimal_token_baseline(batch, settings):
    rows = core_algos.get_adv_estimator_fn("optimal_token_baseline")(
        token_level_rewards=batch.rewards, response_mask=batch.mask, index=batch.index,
        old_log_probs=batch.logprobs, sum_pi_squared=batch.squares, **vars(settings),
    )[0]
    return batch.read_tokens(rows)


def correction(tokens, settings):
    """The weights for a sampler that is not the old policy, None without, and what mask
    rejection leaves (verl.trainer.ppo.rollout_corr_helper)."""
    weights, mask, log_ratio = None, tokens.mask, None
    if tokens.sampler is not None:
        log_ratio = tokens.old - tokens.sampler
    if hasattr(settings, "rollout_is"):
        weights, _ = rollout_corr_helper.compute_rollout_correction_weights(
            log_ratio, tokens.mask, rollout_is=settings.rollout_is, rollout_is_threshold=settings.rollout_is_threshold
        )
    if hasattr(settings, "rollout_rs"):
        mask, _ = rollout_corr_helper.compute_rollout_rejection_mask(
            log_ratio, tokens.mask, rollout_rs=settings.rollout_rs, rollout_rs_threshold=settings.rollout_rs_threshold
        )
    return weights, mask


def policy_loss(name):
    """A policy loss under the name that verl has it registered by, to which the
    divergence from the reference comes as verl's actor adds it."""

    def run(tokens, settings):
        s = settings
        config = ActorConfig.__new__(ActorConfig)  # its checks want a whole trainer
        own = types.SimpleNamespace(**{k: getattr(s, k, v) for k, v in OWN.items()})
        values = {
            "clip_ratio": 0.2, "clip_ratio_low": s.clip_low, "clip_ratio_high": s.clip_high, "clip_ratio_c": getattr(s, "dual_clip", 3.0),
            "tau_pos": getattr(s, "tau_pos", None), "tau_neg": getattr(s, "tau_neg", None), "policy_loss": own, "global_batch_info": {"loss_scale_factor": getattr(s, "max_tokens", None)},
        }
        for key, value in values.items():
            object.__setattr__(config, key, value)
        weights, mask = correction(tokens, s)
        loss, _ = core_algos.get_policy_loss_fn(name)(
            old_log_prob=tokens.old, log_prob=tokens.logp, advantages=tokens.rows, response_mask=mask,
            loss_agg_mode=s.aggregation, config=config, rollout_is_weights=weights,
        )
        if hasattr(s, "kl"):
            each = core_algos.kl_penalty(tokens.logp, tokens.ref, s.kl)
            loss = loss + s.kl_coef * core_algos.agg_loss(each, tokens.mask, s.aggregation, loss_scale_factor=getattr(s, "max_tokens", None))
        return loss

    return run


# What single losses ask for.
OWN = {"clip_cov_ratio": None, "clip_cov_lb": None, "clip_cov_ub": None, "kl_cov_ratio": None, "ppo_kl_coef": None, "dro_beta": None}

loss_vanilla = policy_loss("vanilla")
loss_gspo = policy_loss("gspo")
loss_geo_mean = policy_loss("geo_mean")
loss_cispo = policy_loss("cispo")
loss_gpg = policy_loss("gpg")
loss_clip_cov = policy_loss("clip_cov")
loss_kl_cov = policy_loss("kl_cov")
loss_sapo = policy_loss("sapo")
loss_dppo_tv = policy_loss("dppo_tv")
loss_dppo_kl = policy_loss("dppo_kl")
loss_dro = policy_loss("dro")
