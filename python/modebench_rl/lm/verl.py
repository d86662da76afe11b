"""verl: its custom reward function.

    data:    lm.dataset("countdown", n=1000, form="verl").to_parquet("train.parquet")
    reward:  reward.custom_reward_function.path=pkg://modebench_rl.lm.verl
             reward.custom_reward_function.name=compute_score

The ground truth of a row is the id of its problem. `compute_scores` is the function for verl's reward manager
`batch`, which judges a whole batch at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modebench_rl._judge import shared
from modebench_rl.lm.verdicts import told


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Any = None,
    *,
    reading: str = "lenient",
    components: bool = False,
    **_: Any,
) -> dict[str, Any]:
    """What verl is told of one answer: score, acc and mode, as `modebench_rl.lm.verdicts.told` says.

    ground_truth: the id of the problem. reading: as for `modebench_rl.judge`. components: whether the components
    of the reward are fields too; then all problems need to have the same ones. Both are set below
    `custom_reward_function.reward_kwargs`."""
    given = [data_source], [solution_str], [ground_truth], [extra_info]
    return compute_scores(*given, reading=reading, components=components)[0]


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[str],
    extra_infos: Any = None,
    *,
    reading: str = "lenient",
    components: bool = False,
    **_: Any,
) -> list[dict[str, Any]]:
    """What verl is told of each answer of a batch; see `compute_score`."""
    verdicts = shared(reading, False).judge([str(t) for t in ground_truths], list(solution_strs))
    return [told(verdict, components) for verdict in verdicts]
