"""verl: methods of modebench as its advantage estimator.

    export VERL_USE_EXTERNAL_MODULES=modebench_rl.lm.verl_trainer
    python -m verl.trainer.main_ppo ... \\
        algorithm.adv_estimator=modebench +algorithm.modebench.method=poly-epo +algorithm.modebench.n=4 \\
        reward.custom_reward_function.path=pkg://modebench_rl.lm.verl reward.custom_reward_function.name=compute_score

verl imports this module in every process, and the estimator "modebench" is then known. The reward function gives acc
and mode of each answer (`modebench_rl.lm.verl`, or one of your own with these fields), and verl's trainer (its v1, the
default) hands them on. `print(modebench_rl.recipe("poly-epo", "verl"))` has the words of the method's loss.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from verl.trainer.ppo import core_algos
from verl.trainer.ppo.v1 import trainer_base

from modebench_rl.lm.advantages import Advantages
from modebench_rl.lm.verdicts import columns

NAME = "modebench"
_HINT = 'modebench_rl.lm.verl gives "acc" and "mode" beside "score", and a reward function of your own may too'
# The fields that the reward function gave beside its scores, for each row of the batch whose advantages are computed.
_judged: ContextVar[Sequence[Mapping[str, Any]] | None] = ContextVar("judged", default=None)
_steps = itertools.count()


@contextmanager
def judged(rows: Sequence[Mapping[str, Any]]) -> Iterator[None]:
    """Hands the fields of a reward function on to the estimator: acc and mode of each row of the batch."""
    token = _judged.set(rows)
    try:
        yield
    finally:
        _judged.reset(token)


@core_algos.register_adv_est(NAME)  # type: ignore[misc, unused-ignore]
def compute_advantage(
    token_level_rewards: Any, response_mask: Any, index: Any = None, config: Any = None, **_: Any
) -> tuple[Any, Any]:
    """The advantages of a method, which algorithm.modebench in the configuration names.

    token_level_rewards, response_mask: (rollouts, tokens). index: the group of each rollout. config: verl's
    algorithm. The advantages are 0 where the mask is, and are also the returns."""
    own = None if config is None else config.get(NAME)
    if not own or not own.get("method"):
        raise ValueError("algorithm.modebench.method is not set: say +algorithm.modebench.method=poly-epo")
    if index is None:
        raise ValueError("the batch has no uid, which says which rollouts make a group")
    fields = {name: _plain(value) for name, value in own.items() if name != "method"}
    method = Advantages(str(own["method"]), fields, ("reward", "tokens", "correct", "mode"), "verl", _HINT)
    rewards = token_level_rewards.sum(dim=-1).detach().cpu().double().numpy()
    judged = _judged.get() or [{}] * len(rewards)
    if len(judged) != len(rewards):
        raise ValueError(f"{len(judged)} rows of a reward function for {len(rewards)} rollouts")
    rows = [
        {"tokens": int(tokens), **columns(row)} for tokens, row in zip(response_mask.sum(dim=-1), judged, strict=True)
    ]
    found = method(rows, rewards=rewards, index=[str(group) for group in index], step=next(_steps))
    advantages = response_mask.new_tensor(found, dtype=token_level_rewards.dtype).unsqueeze(-1) * response_mask
    return advantages, advantages


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _hand_on(inner: Any) -> Any:
    def _compute_advantage(self: Any, batch: Any, metrics: dict[str, Any]) -> Any:
        if self.config.algorithm.adv_estimator != NAME:
            return inner(self, batch, metrics)
        data = trainer_base.tq.kv_batch_get(
            keys=batch.keys, partition_id=batch.partition_id, select_fields=["extra_fields"]
        )
        rows = [getattr(row, "data", row) for row in data["extra_fields"].tolist()]
        with judged([row.get("reward_extra_info", {}) if isinstance(row, Mapping) else {} for row in rows]):
            return inner(self, batch, metrics)

    return _compute_advantage


trainer_base.PPOTrainer._compute_advantage = _hand_on(trainer_base.PPOTrainer._compute_advantage)
