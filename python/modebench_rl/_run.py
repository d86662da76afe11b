"""Runs experiments."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from . import _program
from ._execute import execute
from ._progress import shown
from ._result import Result
from ._scratch import folder as scratch
from ._shards import run_shards
from ._spec import Function, prepare


def run(
    spec: str | Path | Mapping[str, Any] = "quick",
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    out: str | Path = "results",
    name: str | None = None,
    set: Mapping[str, Any] | Iterable[str] = (),  # noqa: A002 - the program's word
    policy: str | None = None,
    quick: bool = False,
    estimators: Function | Iterable[Function] = (),
    device: str | None = None,
    cache: str | Path | None = None,
    progress: bool | Callable[[Mapping[str, Any]], None] = True,
    executor: Executor | None = None,
    shards: int | None = None,
) -> Result:
    """Trains and evaluates what a spec says, and gives the result.

    spec: the name of a built-in spec (`modebench list specs`), the path of a file, or a dict with
    the tables of a spec: {"env": {"name": "bandit"}, "train": {"steps": 100}, "method": [{"name":
    "grpo"}, mine]}. estimators: functions to run beside the spec's methods, and in its figures. They are
    called in this process, in this thread.

    seeds, jobs, name, set, policy, quick, device, cache: as `modebench help run` has them; set is
    {"train.lr": 0.03}, or texts "train.lr=0.03". out: the folder of the results, by default `results`.
    Cells that are there already are not made again. An interrupt keeps what is done: run it again.

    progress: True shows a bar (of tqdm where that is installed), False nothing; a function is called
    with {"cells", "made", "steps", "done"} as they change. A bar comes with notes, such as what a spec
    sets in vain, each once a session.

    executor: any of concurrent.futures, Dask's `client.get_executor()` and Ray's too. The cells are
    divided into shards, which it runs wherever it runs things: there this package has to be installed.
    The records are those of one machine. shards: how many; by default four for each worker.

    Raises InputError where the spec is wrong, and BenchError where a cell failed; the others are kept."""
    show = shown(progress)
    with scratch() as folder:
        prepared = prepare(spec, estimators, name, folder)
        given = {"seeds": seeds, "jobs": jobs, "name": name, "set": set, "policy": policy, "quick": quick}
        args = [prepared.argument, *as_flags({**given, "device": device, "cache": cache})]
        if executor is not None:
            run_shards(args, prepared, folder, Path(out), executor, shards, show)
        args = ["run", *args, "--out", str(out), "--figure-format", "none", "--progress", "json"]
        result = execute(args, prepared, show).result
    if result is None:
        raise _program.BenchError("the program ended without a result")
    return Result(result)


def as_flags(given: Mapping[str, Any]) -> list[str]:
    """Flags of the program, by their names; None leaves one out."""
    flags = []
    for name, value in given.items():
        flag = f"--{name.replace('_', '-')}"
        if name in ("set", "field"):
            pairs = value.items() if isinstance(value, Mapping) else (pair.partition("=")[::2] for pair in value)
            flags += [f"{flag}={f}={v if isinstance(v, str) else json.dumps(v)}" for f, v in pairs]
        elif isinstance(value, bool):
            flags += [flag] if value else []
        elif value is not None:
            several = isinstance(value, Iterable) and not isinstance(value, str)
            flags.append(f"{flag}={','.join(map(str, value)) if several else value}")
    return flags
