"""prime-rl: the advantages of a group of traces, for an algorithm of one's own.

prime-rl 0.8 takes an algorithm as a class in its own sources, in src/prime_rl/orchestrator/algo, and not by the path of
a function (its docs/algorithms.md, "Authoring an Algorithm"):

    class ModebenchAlgorithm(Algorithm):
        async def score_group(self, episodes):
            traces = [trace for _, trace in iter_trainable_traces(episodes)]
            for trace, advantage in zip(traces, advantages(traces, "poly-epo", n=2)):
                assign_advantages(trace, advantage)

The problems are those of `modebench_rl.lm.verifiers`. verifiers itself has rewards alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from modebench_rl._judge import shared
from modebench_rl.lm.advantages import Advantages

_GIVEN = ("reward", "tokens", "correct", "valid", "answer", "mode")
_steps = itertools.count()


def advantages(traces: Sequence[Any], method: str, **fields: Any) -> list[float]:
    """One advantage for each trace of a group: verifiers' traces of one problem of ours.

    The reward is that of the trace, with what other rewards have added. Modes are judged here, from the id of the
    problem and the last reply."""
    if not traces:
        return []
    found = Advantages(method, fields, _GIVEN, "prime-rl", "its problems have no such input")
    judged = shared("lenient", False).judge(
        [trace.task.data.id for trace in traces], [trace.last_reply for trace in traces]
    )
    if any("answers" in verdict for verdict in judged):
        raise ValueError("a reply has several answers; advantages are of problems with one answer a reply")
    rows = [{**verdict, "tokens": trace.num_output_tokens} for trace, verdict in zip(traces, judged, strict=True)]
    rewards = [float(trace.reward) for trace in traces]
    return [float(x) for x in found(rows, rewards=rewards, index=[0] * len(rows), step=next(_steps))]
