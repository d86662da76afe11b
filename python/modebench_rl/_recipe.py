"""The settings of a trainer that belong to a method."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from . import _program

TRAINERS = {"trl": "TRL's GRPOConfig"}

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
    "off_policy_mask", "forking", "entropy_target", "entropy_delta", "entropy_max",
}  # fmt: skip
_FIRST_OF_LOSS = "clip_low"  # the fields of a method's advantages come before it, those of its loss from it on
_NEUTRAL = (0, False, "")


@dataclass(frozen=True)
class Method:
    """A method as the program lists it. advantage, loss: its fields. reads: the inputs of its advantages. rollouts:
    what it draws."""

    name: str
    reads: tuple[str, ...]
    rollouts: str
    advantage: Mapping[str, Any]
    loss: Mapping[str, Any]


@dataclass(frozen=True)
class Recipe:
    """A method under a trainer. settings: what the trainer is set to. missing: what of the method the trainer does
    not have, a line for each; empty where the trainer does all of it."""

    method: str
    trainer: str
    settings: dict[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"# {self.method} under {TRAINERS[self.trainer]}, beside its advantages"]
        lines += [f"{name} = {value!r}" for name, value in self.settings.items()]
        lines += [f"# no counterpart: {line}" for line in self.missing]
        return "\n".join(lines)


def recipe(method: str, trainer: str = "trl", **fields: Any) -> Recipe:
    """The settings of a trainer that make a whole method, beside its advantages: clips, aggregation of the loss,
    divergence from the reference, entropy bonus.

        print(mb.recipe("poly-epo"))
        args = GRPOConfig(..., **mb.recipe("poly-epo").settings)

    trainer: "trl", for the fields of its GRPOConfig (1.16). fields: of the method, where they are not its defaults.
    `lm.GRPOTrainer(method=...)` applies the recipe and computes the advantages too."""
    if trainer not in TRAINERS:
        raise ValueError(f"trainer is {trainer!r}, want one of {', '.join(map(repr, TRAINERS))}")
    found = listed(method)
    if not found.loss:
        raise ValueError(f"{method} has no loss: it is no method to train by")
    loss = dict(found.loss)
    for name, value in fields.items():
        if name in loss:
            loss[name] = value
        elif name not in found.advantage:
            raise ValueError(f"{method} has no field {name!r}; `modebench-rl list methods {method}` lists its fields")
    settings, missing = _trl(loss)
    return Recipe(method, trainer, settings, tuple(missing))


def _trl(loss: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The fields of a GRPOConfig, and what has none."""
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
    for name, value in loss.items():
        if name not in _TRL_READS and name != "kl_in_reward" and value not in _NEUTRAL:
            missing.append(f"{name} = {value}")
    return settings, missing


@lru_cache(maxsize=256)
def listed(method: str) -> Method:
    """A method and its defaults, of what the program prints of it."""
    text = _program.call(["list", "methods", method]).decode()
    head = dict(re.findall(r"^(reads|rollouts):\s+(.*)$", text, re.MULTILINE))
    advantage: dict[str, Any] = {}
    loss: dict[str, Any] = {}
    into = advantage
    for name, value, kind in re.findall(r"^  (\w+) = (.*?) *\((\S[^()]*)\)$", text, re.MULTILINE):
        if name == _FIRST_OF_LOSS:
            into = loss
        into[name] = _value(value, kind)
    reads = head.get("reads", "").partition(";")[0].strip()
    inputs = () if reads == "nothing" else tuple(reads.split(", "))
    return Method(method, inputs, head.get("rollouts", ""), advantage, loss)


def _value(text: str, kind: str) -> Any:
    if kind == "bool":
        return text == "true"
    if kind in ("int", "float"):
        number = float(text)
        return int(number) if kind == "int" or number == int(number) else number
    return text
