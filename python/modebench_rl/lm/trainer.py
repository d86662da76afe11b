"""TRL's GRPOTrainer with the advantages and the loss of a method."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import trl
from accelerate.utils import gather_object

from .._recipe import Recipe, recipe
from .advantages import Advantages
from .trl import TRLReward

# What a rollout can be judged by beside its rewards.
COLUMNS = ("correct", "valid", "answer", "mode", "embedding")
_HINT = 'use lm.TRLReward, or log_extra("{}", [...]) in a reward function'


class GRPOTrainer(trl.GRPOTrainer):  # type: ignore[misc, unused-ignore]
    """TRL's GRPOTrainer under a method of modebench.

        trainer = lm.GRPOTrainer(
            model=model,
            method="poly-epo",
            n=4,
            reward_funcs=lm.TRLReward(),
            train_dataset=lm.dataset("countdown", n=1000),
            args=GRPOConfig(...),
        )

    method: its name (`modebench list methods`). Arguments that TRL's trainer does not know are fields of the
    method, as n=4. All others are those of TRL's trainer, by name.

    A group is judged as a whole, also if its completions are on several processes. Beside rewards a method may read
    modes, correct, valid, answers and embeddings. `TRLReward` gives them. A reward function of your own gives them
    with TRL's `log_extra`, one for each completion: log_extra("mode", [...]). Several reward functions are components
    of the reward, for methods that read these, with `reward_weights`. A completion that no reward function scores is
    left out of its group, and its advantage is 0.

    The trainer is set to the method's loss (`modebench_rl.recipe`): clips, aggregation, divergence, entropy bonus. A
    value in args that differs from TRL's default stays as it is. What has no counterpart under TRL is a warning."""

    def __init__(
        self,
        model: Any,
        *,
        method: str,
        reward_funcs: Any = None,
        args: trl.GRPOConfig | None = None,
        **given: Any,
    ) -> None:
        theirs = inspect.signature(trl.GRPOTrainer.__init__).parameters
        fields = {name: given.pop(name) for name in list(given) if name not in theirs}
        self.recipe: Recipe = recipe(method, "trl", **fields)
        self._method = Advantages(method, fields, ("reward", "tokens", *COLUMNS), "TRL", _HINT, chains=True)
        if args is None:
            args = trl.GRPOConfig("trainer_output")
        args = self._set(args)
        if self.recipe.missing:
            warnings.warn(f"{method} under TRL: no counterpart for {'; '.join(self.recipe.missing)}", stacklevel=2)
        self._name, self._batches = method, 0
        self._judged: Sequence[Mapping[str, Any]] = ()
        self._rewards: torch.Tensor | None = None
        if "embedding" in self._method.reads:
            for function in reward_funcs if isinstance(reward_funcs, (list, tuple)) else [reward_funcs]:
                if isinstance(function, TRLReward):
                    function.embeddings = True
        path = model if isinstance(model, str) else getattr(getattr(model, "config", None), "_name_or_path", "")
        if args.beta and not path and given.get("peft_config") is None:
            raise ValueError(
                f"{method} has a divergence from the reference, kl_coef = {args.beta}, for which TRL loads the model "
                "again by its name or path, and this one has none: give kl_coef=0, or a path as the model"
            )
        super().__init__(model=model, reward_funcs=reward_funcs, args=args, **given)

    def _set(self, args: trl.GRPOConfig) -> trl.GRPOConfig:
        """The arguments with the settings of the recipe, but for those that the user has changed."""
        defaults = {f.name: f.default for f in dataclasses.fields(args)}
        settings = {name: value for name, value in self.recipe.settings.items() if name in defaults}
        absent = [
            f"{name} = {value}" for name, value in self.recipe.settings.items()
            if name not in defaults and value not in (None, 0, False, 1.0)
        ]  # fmt: skip
        self.recipe = dataclasses.replace(self.recipe, missing=(*self.recipe.missing, *absent))
        args = copy.copy(args)
        for name, value in settings.items():
            if getattr(args, name) == defaults[name]:
                setattr(args, name, value)
        return args

    def _calculate_rewards(
        self, inputs: Any, prompts: Sequence[Any], completions: Sequence[Any], completion_ids_list: Any
    ) -> torch.Tensor:
        """TRL's rewards of all processes. What completions were judged to be beside is kept for the advantages."""
        rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        rows: list[dict[str, Any]] = [{"tokens": len(ids)} for ids in completion_ids_list]
        for function in self.reward_funcs:
            if isinstance(function, TRLReward):
                for row, verdict, given in zip(rows, function.verdicts, inputs, strict=True):
                    if verdict is not None:
                        row.update(self._of(verdict), weights=function.weights or given.get("weights"))
        for column, values in getattr(self, "_pending_extra_logs", {}).items():
            if column in COLUMNS and len(values) == len(rows):
                for row, value in zip(rows, values, strict=True):
                    row.setdefault(column, value)
        self._judged = gather_object(rows)
        self._rewards = rewards
        return rewards

    def _generate_and_score_completions(self, inputs: Any) -> dict[str, Any]:
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        everyones = self._advantages()
        first = self.accelerator.process_index * len(inputs)
        mine = everyones[first : first + len(inputs)]
        output["advantages"] = mine.to(output["advantages"])
        logged = self._logs["advantages"]
        for _ in range(min(len(everyones), len(logged))):
            logged.pop()
        logged.extend(everyones.tolist())
        return output

    def _advantages(self) -> torch.Tensor:
        """The advantages of the completions of all processes."""
        assert self._rewards is not None
        training = self.model.training
        group: Any = self.num_generations if training else getattr(self, "num_generations_eval", self.num_generations)
        found = self._rewards.detach().cpu().double().numpy()
        scored = np.flatnonzero(~np.isnan(found).all(axis=1))
        everyones = np.zeros(len(found))
        if len(scored):
            weights = self.reward_weights.detach().cpu().double().numpy()
            batch: dict[str, Any] = {"rewards": np.nan_to_num(found[scored, 0]) * weights[0]}
            if found.shape[1] > 1:
                batch = {"vectors": np.nan_to_num(found[scored]), "weights": weights}
            rows = [self._judged[int(place)] for place in scored]
            if self._method.chains:
                firsts = [i for i, place in enumerate(scored) if i == 0 or place // group != scored[i - 1] // group]
                batch = {"weights": [rows[i].get("weights") for i in firsts]}
            step = {"seed": self.args.seed, "step": self._batches}
            everyones[scored] = self._method(rows, index=scored // group, **step, **batch)
            differ = any(
                np.ptp(np.nansum(found[first : first + group], axis=1)) for first in range(0, len(found), group)
            )
            if training and not self._batches and differ and not everyones.any():
                warnings.warn(
                    f"{self._name} gives only zeros, though rewards differ: is the group too small?", stacklevel=2
                )
        self._batches += training
        return torch.as_tensor(everyones, dtype=torch.float32)

    def _of(self, verdict: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a verdict that advantages may read."""
        if self._method.chains:
            if "answers" not in verdict:
                raise ValueError(f"{self._name} takes several answers a completion: give lm.dataset candidates=3")
            return {"answers": verdict["answers"]}
        if "answers" in verdict:
            raise ValueError(f"a completion has several answers, and {self._name} takes one a completion")
        return {column: verdict[column] for column in (*COLUMNS, "error") if column in verdict}
