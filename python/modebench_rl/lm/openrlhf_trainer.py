"""OpenRLHF: the advantages of a method, in the Ray process that makes its experience.

    ray job submit --runtime-env-json '{
        "worker_process_setup_hook": "modebench_rl.lm.openrlhf_trainer.setup",
        "env_vars": {"MODEBENCH_METHOD": "poly-epo n=4"}}' -- \\
        python3 -m openrlhf.cli.train_ppo_ray ... --algo.advantage.estimator dr_grpo \\
        --reward.remote_url "$(python -m modebench_rl.lm.openrlhf)"

OpenRLHF has no place for an estimator of one's own. Ray calls `setup` in each of its processes, and the experience
maker gets the method as it is imported. The estimator that is named to OpenRLHF is any without a critic: nothing reads
it then. Its length penalties, its clip of rewards and its divergence in the reward stay, the last two behind the
method.
"""

from __future__ import annotations

import importlib.machinery
import itertools
import json
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from modebench_rl.lm.advantages import Advantages
from modebench_rl.lm.verdicts import columns

HOME = "openrlhf.trainer.ppo_utils.experience_maker"
VARIABLE = "MODEBENCH_METHOD"
_HINT = "modebench_rl.lm.openrlhf gives acc and mode as numbers in extra_logs, and a function of your own may too"
_steps = itertools.count()


def method(text: str) -> Advantages:
    """What a text names: a method, and its fields as n=4."""
    name, *fields = shlex.split(text) or [""]
    if not name:
        raise ValueError(f'{VARIABLE} is not set: say "poly-epo n=4", or the like')
    given = {}
    for field in fields:
        key, _, value = field.partition("=")
        try:
            given[key] = json.loads(value)
        except ValueError:
            given[key] = value
    return Advantages(name, given, ("reward", "tokens", "correct", "mode"), "OpenRLHF", _HINT)


def maker(base: type) -> type:
    """OpenRLHF's experience maker with the advantages of the method that the environment names."""
    of_theirs = sys.modules[base.__module__]

    class ExperienceMaker(base):  # type: ignore[misc]
        def compute_advantages_and_returns(self, experiences: Sequence[Any]) -> Sequence[Any]:
            import torch

            with torch.no_grad():
                for experience in experiences:
                    experience.rewards = experience.rewards.float()
                of_theirs.apply_length_penalties(experiences, self.args)
                found = self._advantages(experiences)
                for experience in experiences:
                    own = torch.tensor([found[place] for place in experience.index], dtype=torch.float32)
                    rewards = of_theirs.compute_reward(
                        own, self.kl_ctl.value, experience.kl, action_mask=experience.action_mask,
                        reward_clip_range=self.args.reward.clip_range,
                    )  # fmt: skip
                    experience.returns = self.get_cumulative_returns(rewards, experience.action_mask, 1.0)
                    experience.advantages = experience.returns.clone()
                    experience.info["return"] = rewards.sum(dim=-1)
                    experience.kl = None
            return experiences

        def _advantages(self, experiences: Sequence[Any]) -> Any:
            """Of each rollout, by its number: groups lie one behind the other, and micro batches anyhow."""
            rows: dict[int, dict[str, Any]] = {}
            for experience in experiences:
                tokens = experience.action_mask.sum(dim=-1).tolist()
                for row, place in enumerate(experience.index):
                    info = experience.info
                    told = {name: info[name][row].item() for name in ("acc", "mode") if name in info}
                    if "mode" in told:
                        told["mode"] = None if told["mode"] < 0 else str(told["mode"])
                    known = {"tokens": int(tokens[row]), "reward": float(experience.rewards[row]), **columns(told)}
                    rows[place] = known
            ordered = [rows[place] for place in range(len(rows))]
            size = self.args.rollout.n_samples_per_prompt
            return method(os.environ.get(VARIABLE, ""))(
                ordered,
                rewards=[row["reward"] for row in ordered],
                index=[place // size for place in range(len(ordered))],
                step=next(_steps),
            )

    return ExperienceMaker


class _Finder:
    """Gives OpenRLHF's experience maker the method as soon as its module is imported, and not before: a Ray process
    that imports it at its start would see GPUs that are not its own."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != HOME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            load(module)
            module.RemoteExperienceMaker = maker(module.RemoteExperienceMaker)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def setup() -> None:
    """Ray's hook for a process that starts."""
    method(os.environ.get(VARIABLE, ""))  # a mistake is told at the start
    if HOME in sys.modules:
        raise RuntimeError(f"{HOME} is imported already: setup is for Ray's worker_process_setup_hook")
    sys.meta_path.insert(0, _Finder())
