"""A log of the modes that a language model has, step by step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from .._problems import metrics

# What is logged unless more is asked for; a name with @ stands for all sizes of it.
METRICS = ("reward", "accuracy", "pass@", "coverage@", "distinct_correct", "entropy_mode")


class ModeLog:
    """Gathers judged answers, and logs what their modes are like beside the reward.

        log = ModeLog("modes.jsonl", modes={id: 11})
        log.add(ids, verdicts)
        log.step(10)  # {"reward": 0.41, "coverage@8": 0.2, "entropy_mode": 0.9, ...}

    All answers to a problem since the last step are its pool. The numbers are those of
    `modebench_rl.metrics`: coverage@k is the expected number of distinct correct modes among k answers,
    over the most there could be; entropy_mode is in nats; distinct_correct counts the correct modes in a
    pool. All are averaged over the problems of the step.

    path: a file to which a line of JSON is appended for each step. tensorboard: the folder of an event
    file, or a SummaryWriter. wandb: a run, or True for the run that is active. k: sizes of sets of answers; by
    default the powers of two up to the smallest pool. A size above a step's smallest pool is left out of that
    step. modes: how many correct modes each problem has, by its id: without them there is no coverage. metrics:
    which ones, None for all that there are."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        tensorboard: Any = None,
        wandb: Any = None,
        k: Sequence[int] = (),
        modes: Mapping[str, int] | None = None,
        metrics: Iterable[str] | None = METRICS,
    ) -> None:
        self.k = sorted(set(k))
        self.modes: dict[str, int] = dict(modes or {})
        self.history: list[dict[str, Any]] = []
        self._metrics = None if metrics is None else tuple(metrics)
        self._pools: dict[str, list[Any]] = {}
        self._path = None if path is None else Path(path)
        self._file: IO[str] | None = None
        self.tensorboard = tensorboard
        self.wandb = wandb

    def __getstate__(self) -> dict[str, Any]:
        """A copy opens the file by itself, and appends to it."""
        return {**self.__dict__, "_file": None}

    def add(self, ids: Sequence[str], verdicts: Sequence[Any], modes: Iterable[int | None] | None = None) -> None:
        """Adds answers to the pools of this step.

        ids: of each answer the id of its problem. verdicts: what `judge` gives for them, or for problems of your own
        {"reward": [1.0], "correct": True, "mode": "2+5"}, with None for no mode. modes: of each answer, how many
        correct modes its problem has."""
        if len(ids) != len(verdicts):
            raise ValueError(f"{len(ids)} ids for {len(verdicts)} verdicts")
        for i, verdict in zip(ids, verdicts, strict=True):
            self._pools.setdefault(i, []).append(verdict.get("answers", verdict))
        for i, known in zip(ids, modes or (), strict=False):
            if known is not None:
                self.modes[i] = known

    def take(self) -> dict[str, list[Any]]:
        """The pools of this step, after which the log has none."""
        pools, self._pools = self._pools, {}
        return pools

    def put(self, pools: Mapping[str, Sequence[Any]]) -> None:
        """Adds pools that another log has taken, as of other processes of the same run."""
        for i, pool in pools.items():
            self._pools.setdefault(i, []).extend(pool)

    def measure(self) -> dict[str, float]:
        """The metrics of this step's pools; none without a pool."""
        if not self._pools:
            return {}
        smallest = min(len(pool) for pool in self._pools.values())
        sizes = [k for k in self.k if k <= smallest] or [1] if self.k else ()
        known = all(i in self.modes for i in self._pools)
        found = metrics(self._pools, k=sizes, modes={i: self.modes[i] for i in self._pools} if known else None)
        wanted = self._metrics
        if wanted is None:
            return found
        return {name: x for name, x in found.items() if name in wanted or f"{name.partition('@')[0]}@" in wanted}

    def step(self, step: int, split: str = "train", **more: Any) -> dict[str, Any]:
        """Logs the metrics of this step's pools, and forgets these. Without a pool it logs nothing.

        step: what the step is called. split: "train" or "eval". more: numbers to log beside."""
        found = self.measure()
        answers = sum(len(pool) for pool in self._pools.values())
        problems = len(self.take())
        if not problems:
            return {}
        row = {"step": step, "split": split, "problems": problems, "answers": answers, **found, **more}
        self.history.append(row)
        self._write(row)
        named = {f"modes/{split}/{name}": x for name, x in {**found, **more}.items() if isinstance(x, (int, float))}
        self._to_tensorboard(step, named)
        self._to_wandb(step, split, named)
        return row

    def close(self) -> None:
        """Closes the file and the writer of events. Further steps open them again."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if hasattr(self.tensorboard, "flush"):
            self.tensorboard.flush()

    def __enter__(self) -> ModeLog:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _write(self, row: dict[str, Any]) -> None:
        if self._path is None:
            return
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a", encoding="utf-8")
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()

    def _to_tensorboard(self, step: int, named: dict[str, float]) -> None:
        if self.tensorboard is None:
            return
        if isinstance(self.tensorboard, (str, Path)):
            from torch.utils.tensorboard import SummaryWriter

            self.tensorboard = SummaryWriter(str(self.tensorboard))
        for name, x in named.items():
            self.tensorboard.add_scalar(name, x, step)

    def _to_wandb(self, step: int, split: str, named: dict[str, float]) -> None:
        run = self.wandb
        if run is True:
            import wandb

            run = wandb.run
        if run is None or run is False:
            return
        # The run's own steps count calls, also those of others, so the step is a number beside.
        run.log({**named, f"modes/{split}/step": step})
