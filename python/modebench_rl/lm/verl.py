"""verl: its custom reward function.

    data:    lm.dataset("countdown", n=1000, form="verl").to_parquet("train.parquet")
    reward:  reward.custom_reward_function.path=pkg://modebench_rl.lm.verl
             reward.custom_reward_function.name=compute_score

The ground truth of a row is the id of its problem. `compute_scores` is the function for verl's reward manager
`batch`, which judges a whole batch at once.

Rows of other data sets may stand beside ours. They are passed on: to the function that the argument `fallback`
names, or else to verl's own, which knows the answer checkers of usual data sets by their `data_source`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from modebench_rl._judge import shared
from modebench_rl.lm.verdicts import ours, told


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Any = None,
    *,
    reading: str = "lenient",
    components: bool = False,
    fallback: str | Callable[..., Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """What verl is told of one answer: score, acc and mode, as `modebench_rl.lm.verdicts.told` says.

    ground_truth: the id of the problem. reading: as for `modebench_rl.judge`. components: whether the components
    of the reward are fields too; then all problems need to have the same ones, and no row may be of another data
    set. fallback: "module:function", which scores rows whose ground truth is no id, by the arguments that verl gives;
    without it, verl's default_compute_score. All three are set below `custom_reward_function.reward_kwargs`."""
    given = [data_source], [solution_str], [ground_truth], [extra_info]
    return compute_scores(*given, reading=reading, components=components, fallback=fallback, **more)[0]


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Any = None,
    *,
    reading: str = "lenient",
    components: bool = False,
    fallback: str | Callable[..., Any] | None = None,
    **more: Any,
) -> list[dict[str, Any]]:
    """What verl is told of each answer of a batch; see `compute_score`."""
    own = [place for place, truth in enumerate(ground_truths) if ours(truth)]
    ids, texts = [ground_truths[place] for place in own], [solution_strs[place] for place in own]
    judged = dict(zip(own, shared(reading, False).judge(ids, texts), strict=True))
    found = []
    for place, truth in enumerate(ground_truths):
        if place in judged:
            found.append(told(judged[place], components))
            continue
        if components:
            raise ValueError(f"components is set, but a row of {data_sources[place]} has none: its truth is no id")
        info = None if extra_infos is None else extra_infos[place]
        score = _other(fallback, data_sources[place])(
            data_source=data_sources[place],
            solution_str=solution_strs[place],
            ground_truth=truth,
            extra_info=info,
            **more,
        )
        found.append(_as_told(score))
    return found


def _other(fallback: str | Callable[..., Any] | None, source: str) -> Callable[..., Any]:
    """The function for rows of other data sets."""
    if fallback is None:
        try:
            fallback = importlib.import_module("verl.utils.reward_score").default_compute_score
        except ImportError:
            raise ValueError(
                f'a row of {source} has no id as ground truth, and there is no verl: name a fallback, "module:function"'
            ) from None
    if isinstance(fallback, str):
        module, colon, name = fallback.partition(":")
        if not colon:
            raise ValueError(f'fallback is {fallback!r}, want "module:function"')
        return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]
    return fallback


def _as_told(score: Any) -> dict[str, Any]:
    """What another function says, with the fields of `told` and no others: verl wants those of the first row of all."""
    if not isinstance(score, Mapping):
        score = {"score": score}
    return {"score": float(score["score"]), "acc": float(score.get("acc", score["score"])), "mode": ""}
