"""The loss of a method as settings of trainers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What an aggregation is called as TRL's loss_type.
_TRL_LOSS = {
    "token-mean": "dapo", "seq-mean-token-mean": "grpo", "seq-mean-token-sum": "luspo",
    "seq-mean-token-sum-norm": "dr_grpo",
}  # fmt: skip
# Ratios with a loss_type of their own, and how that aggregates.
_TRL_RATIO = {
    "importance": ("cispo", "token-mean"),
    "soft": ("sapo", "seq-mean-token-mean"),
    "gamma": ("vespo", "token-mean"),
}
_UNBOUNDED = 1e9  # a clip that never acts
# The fields of a loss that the mapping reads. Any other field that is not at its neutral value has no counterpart.
_TRL_READS = {
    "clip_low", "clip_high", "dual_clip", "ratio", "aggregation", "kl", "kl_coef", "entropy_coef", "tau_pos", "tau_neg",
    "kl_in_reward", "off_policy_mask", "forking", "entropy_target", "entropy_delta", "entropy_max",
}  # fmt: skip
_NEUTRAL = (0, False, "")


def trl(loss: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The fields of TRL's GRPOConfig, and a line for each part of the loss that has none."""
    missing: list[str] = []
    settings: dict[str, Any] = {
        "epsilon": loss["clip_low"] or 1.0,  # ratios are above 0
        "epsilon_high": loss["clip_high"] or _UNBOUNDED,
        "delta": loss["dual_clip"] or None,
        "importance_sampling_level": "token",
        "loss_type": _TRL_LOSS.get(loss["aggregation"]),
        "beta": 0.0,
        "use_bias_correction_kl": False,
        "entropy_coef": loss["entropy_coef"],
        "top_entropy_quantile": loss["forking"] or 1.0,
        "off_policy_mask_threshold": loss["off_policy_mask"] or None,
    }
    if settings["loss_type"] is None:
        settings["loss_type"] = "grpo"
        missing.append(f"aggregation = {loss['aggregation']}; the loss is a mean over each answer's tokens")
    ratio = loss["ratio"]
    if ratio in _TRL_RATIO:
        settings["loss_type"], aggregation = _TRL_RATIO[ratio]
        settings["delta"] = None
        if aggregation != loss["aggregation"]:
            missing.append(f"aggregation = {loss['aggregation']}; under {settings['loss_type']} it is {aggregation}")
    if ratio == "sequence-norm":
        settings["importance_sampling_level"] = "sequence"
    elif ratio == "none":  # with fresh rollouts the ratio is 1, and its gradient the score
        settings |= {"epsilon": 1.0, "epsilon_high": _UNBOUNDED, "delta": None}
        missing.append("ratio = none; the gradient is the same as long as every update uses fresh rollouts")
    elif ratio == "importance":
        settings["epsilon_high"] += 1  # the bound itself; there is none below
        if loss["clip_low"]:
            missing.append(f"clip_low = {loss['clip_low']} of importance weights")
    elif ratio == "soft":
        settings |= {"sapo_temperature_pos": loss["tau_pos"], "sapo_temperature_neg": loss["tau_neg"]}
    elif ratio not in ("token", "gamma"):
        missing.append(f"ratio = {ratio}; a clipped ratio of each token takes its place")
    if loss["kl_coef"]:
        if loss["kl"] not in ("k3", "k3-ratio"):
            missing.append(f"kl = {loss['kl']}; k3 takes its place")
        if loss["kl_in_reward"]:
            missing.append("kl_in_reward: the divergence is in the loss")
        settings |= {"beta": loss["kl_coef"], "use_bias_correction_kl": loss["kl"] == "k3-ratio"}
    if loss["entropy_target"]:
        settings |= {
            "use_adaptive_entropy": True,
            "entropy_target": loss["entropy_target"],
            "entropy_coef_delta": loss["entropy_delta"],
            "entropy_coef_max": loss["entropy_max"],
        }
    return settings, missing + _unread(loss, _TRL_READS)


# The ratios of verl's losses, by loss_mode.
_VERL_MODE = {
    "token": "vanilla", "sequence-norm": "gspo", "geometric": "geo_mean", "importance": "cispo", "soft": "sapo",
    "none": "gpg", "importance-tv": "dppo_tv", "importance-kl": "dppo_kl",
}  # fmt: skip
_VERL_KL = {"k1": "kl", "k2": "mse", "k3": "low_var_kl"}
_VERL_READS = {
    "clip_low", "clip_high", "dual_clip", "ratio", "aggregation", "kl", "kl_coef", "kl_in_reward", "entropy_coef",
    "tau_pos", "tau_neg", "clip_cov", "clip_cov_low", "clip_cov_high", "kl_cov", "kl_cov_coef",
}  # fmt: skip


def verl(loss: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The words of verl's command line, and a line for each part of the loss that has none."""
    missing: list[str] = []
    actor = "actor_rollout_ref.actor"
    mode = _VERL_MODE.get(loss["ratio"])
    if mode is None:
        mode = "vanilla"
        missing.append(f"ratio = {loss['ratio']}; a clipped ratio of each token takes its place")
    settings: dict[str, Any] = {
        f"{actor}.policy_loss.loss_mode": mode,
        f"{actor}.loss_agg_mode": loss["aggregation"],
        f"{actor}.clip_ratio_low": loss["clip_low"] or 1.0,  # ratios are above 0
        f"{actor}.clip_ratio_high": loss["clip_high"] or _UNBOUNDED,
        f"{actor}.clip_ratio_c": loss["dual_clip"] or _UNBOUNDED,
        f"{actor}.entropy_coeff": loss["entropy_coef"],
    }
    if mode == "sapo":
        settings |= {f"{actor}.tau_pos": loss["tau_pos"], f"{actor}.tau_neg": loss["tau_neg"]}
    if loss["clip_cov"] and mode == "vanilla":
        settings |= {
            f"{actor}.policy_loss.loss_mode": "clip_cov",
            f"{actor}.policy_loss.clip_cov_ratio": loss["clip_cov"],
            f"{actor}.policy_loss.clip_cov_lb": loss["clip_cov_low"],
            f"{actor}.policy_loss.clip_cov_ub": loss["clip_cov_high"],
        }
    if loss["kl_cov"] and mode == "vanilla":
        settings |= {
            f"{actor}.policy_loss.loss_mode": "kl_cov",
            f"{actor}.policy_loss.kl_cov_ratio": loss["kl_cov"],
            f"{actor}.policy_loss.ppo_kl_coef": loss["kl_cov_coef"],
        }
    if loss["kl_coef"] and loss["kl"] not in _VERL_KL:
        missing.append(f"kl = {loss['kl']}; k3 takes its place")
    kind = _VERL_KL.get(loss["kl"], "low_var_kl")
    in_reward = bool(loss["kl_coef"] and loss["kl_in_reward"])
    in_loss = bool(loss["kl_coef"] and not loss["kl_in_reward"])
    settings |= {"algorithm.use_kl_in_reward": in_reward, f"{actor}.use_kl_loss": in_loss}
    if in_reward:
        settings |= {"algorithm.kl_penalty": kind, "algorithm.kl_ctrl.kl_coef": loss["kl_coef"]}
    if in_loss:
        settings |= {f"{actor}.kl_loss_type": kind, f"{actor}.kl_loss_coef": loss["kl_coef"]}
    return settings, missing + _unread(loss, _VERL_READS)


_OPENRLHF_READS = {
    "clip_low", "clip_high", "dual_clip", "ratio", "aggregation", "kl", "kl_coef", "kl_in_reward", "entropy_coef",
    "tis", "icepop_low", "icepop_high",
}  # fmt: skip


def openrlhf(loss: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The options of OpenRLHF's command line, and a line for each part of the loss that has none."""
    missing: list[str] = []
    kind = "gspo" if loss["ratio"] == "sequence-norm" else "ppo"
    low, high = loss["clip_low"] or 1.0, loss["clip_high"] or _UNBOUNDED  # ratios are above 0
    if loss["ratio"] == "none":  # with fresh rollouts the ratio is 1, and its gradient the score
        low, high = 1.0, _UNBOUNDED
        missing.append("ratio = none; the gradient is the same as long as every update uses fresh rollouts")
    elif kind == "ppo" and loss["ratio"] != "token":
        missing.append(f"ratio = {loss['ratio']}; a clipped ratio of each token takes its place")
    aggregation = loss["aggregation"] if loss["aggregation"] == "token-mean" else "seq-mean-token-mean"
    if kind == "gspo":
        aggregation = "seq-mean-token-mean"
    if aggregation != loss["aggregation"]:
        missing.append(f"aggregation = {loss['aggregation']}; the loss is a mean over each answer's tokens")
    settings: dict[str, Any] = {
        "--algo.advantage.estimator": "dr_grpo",  # any without a critic: nothing reads it
        "--actor.policy_loss_type": kind,
        "--actor.loss_agg_mode": aggregation,
        "--actor.eps_clip_low_high": (low, high),
        "--algo.kl.init_coef": loss["kl_coef"],
    }
    if loss["dual_clip"]:
        settings["--actor.dual_clip"] = loss["dual_clip"]
    if loss["entropy_coef"]:
        settings["--actor.entropy_coef"] = loss["entropy_coef"]
    if loss["kl_coef"]:
        if loss["kl"] not in ("k1", "k2", "k3"):
            missing.append(f"kl = {loss['kl']}; k3 takes its place")
        if loss["kl_in_reward"]:
            missing.append("kl_in_reward: the divergence is in the loss")
        settings |= {
            "--algo.kl.use_loss": True,
            "--algo.kl.estimator": loss["kl"] if loss["kl"] in ("k1", "k2") else "k3",
        }
    if aggregation != "token-mean" and (loss["kl_coef"] or loss["entropy_coef"]):
        missing.append("the divergence and the entropy bonus are means over tokens, and not over answers")
    correction = {}
    if loss["tis"]:
        correction = {"mode": "clip", "threshold": (0, loss["tis"])}
    elif loss["icepop_high"]:
        correction = {"mode": "mask", "threshold": (loss["icepop_low"], loss["icepop_high"])}
    if correction and kind == "gspo":
        missing.append("tis and icepop: sequence ratios have no correction")
    elif correction:
        settings["--algo.advantage.is_correction_level"] = "token"
        settings |= {f"--algo.advantage.is_correction_{name}": value for name, value in correction.items()}
    return settings, missing + _unread(loss, _OPENRLHF_READS)


def _unread(loss: Mapping[str, Any], reads: set[str]) -> list[str]:
    """The fields of a loss that act and that a mapping does not read."""
    return [f"{name} = {value}" for name, value in loss.items() if name not in reads and value not in _NEUTRAL]
