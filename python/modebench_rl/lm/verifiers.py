"""verifiers: problems as a taskset of `verifiers.v1`.

    taskset = ModebenchTaskset(ModebenchConfig(env="countdown", n=1000))

verifiers finds a taskset by the name of a module at the top level. For its command line, have a file
modebench_taskset.py on the path with

    from modebench_rl.lm.verifiers import ModebenchTaskset
    __all__ = ["ModebenchTaskset"]

and say `--env.taskset.id modebench_taskset --env.taskset.env countdown`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

from modebench_rl._judge import shared
from modebench_rl._problems import problems
from modebench_rl.lm.verdicts import told

__all__ = ["ModebenchTaskset"]


class ModebenchConfig(vf.TasksetConfig):  # type: ignore[misc, unused-ignore]
    """Which problems; see `modebench_rl.problems`. settings: fields of the environment."""

    env: str = "countdown"
    split: str = "train"
    n: int = 100
    start: int = 0
    shots: int = 0
    unique: bool = False
    settings: dict[str, Any] = {}


class ModebenchData(vf.TaskData):  # type: ignore[misc, unused-ignore]
    """A problem. modes: how many correct modes it has."""

    modes: int | None = None


class ModebenchTask(vf.Task[ModebenchData, vf.State, vf.TaskConfig]):  # type: ignore[misc, unused-ignore]
    """Asks one problem, and judges what the model replies last."""

    @property
    def key(self) -> str:
        return str(self.data.id)

    @vf.reward
    async def modebench(self, trace: vf.Trace) -> float:
        """The scalar reward."""
        return float((await self._told(trace))["score"])

    @vf.metric
    async def components(self, trace: vf.Trace) -> dict[str, float]:
        """Whether the answer is correct, and the components of the reward."""
        return {name: x for name, x in (await self._told(trace)).items() if name not in ("score", "mode")}

    async def _told(self, trace: vf.Trace) -> dict[str, Any]:
        [verdict] = await asyncio.to_thread(shared("lenient", False).judge, [self.data.id], [trace.last_reply])
        return told(verdict, components=True)


class ModebenchTaskset(vf.Taskset[ModebenchTask, ModebenchConfig]):  # type: ignore[misc, unused-ignore]
    """Problems of an environment."""

    def load(self) -> Iterator[ModebenchTask]:
        c = self.config
        for problem in problems(c.env, c.split, c.n, start=c.start, shots=c.shots, unique=c.unique, **c.settings):
            data = ModebenchData(
                id=problem["id"], prompt=problem["messages"], modes=problem.get("truth", {}).get("modes")
            )
            yield ModebenchTask(data, c.task)
