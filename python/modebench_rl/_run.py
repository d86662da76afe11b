"""Runs experiments."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from . import _program
from ._callback import Callbacks
from ._estimators import adapter
from ._progress import Progress, shown
from ._result import Result
from ._scratch import folder as scratch
from ._spec import Function, Prepared, prepare


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
            from ._shards import run_shards

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


def execute(args: list[str], prepared: Prepared, show: Progress | None = None) -> Printed:
    """Runs the program, answers what it asks of functions, and gives what it printed.

    At an interrupt the program is let finish what it is at, and the interrupt is raised."""
    show = show or Progress()
    callbacks = Callbacks(prepared.functions, adapter()) if prepared.functions else None
    environment = dict(os.environ)
    if callbacks:
        environment.update(callbacks.environment)
        args = [*args, *callbacks.flags]
    group: dict[str, Any] = {"start_new_session": True} if sys.platform != "win32" else {}
    process = subprocess.Popen(
        [_program.NAME, *args],
        executable=_program.program(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        **group,
    )
    reader = Printed(process, show)
    try:
        while not reader.ended.is_set():
            if callbacks:
                callbacks.serve(0.05)
            else:
                reader.ended.wait(0.05)
            reader.show()
        process.wait()
    except BaseException:  # an interrupt, or what a progress function raised
        _stop(process)
        raise
    finally:
        reader.show()
        show.close()
        if callbacks:
            callbacks.close()
    if process.returncode:
        failed = _program.error(process.returncode, "".join(reader.errors))
        failed.args = (prepared.said(str(failed)),)
        raise failed from (callbacks.raised if callbacks else None)
    return reader


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Interrupts the program as Ctrl-C does, so that it keeps where every cell stands."""
    try:
        process.send_signal(signal.SIGINT if sys.platform != "win32" else signal.SIGTERM)
        process.wait(60)
    except (OSError, subprocess.TimeoutExpired):
        process.kill()
        process.wait()


class Printed:
    """Reads what the program prints, in threads of its own.

    output: its standard output. result: the folder that a run names in its lines of JSON. errors: its other lines
    on standard error."""

    def __init__(self, process: subprocess.Popen[bytes], show: Progress) -> None:
        self._process, self._show = process, show
        self._lines: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self.errors: list[str] = []
        self.result: str | None = None
        self.output = ""
        self.ended = threading.Event()
        self._output = threading.Thread(target=self._drain, daemon=True)
        self._output.start()
        threading.Thread(target=self._read, daemon=True).start()

    def _drain(self) -> None:
        assert self._process.stdout
        self.output = self._process.stdout.read().decode("utf-8", "replace")

    def _read(self) -> None:
        assert self._process.stderr
        for raw in self._process.stderr:
            line = raw.decode("utf-8", "replace")
            try:
                said = json.loads(line)
            except ValueError:
                said = None
            if isinstance(said, dict):
                self.result = said.get("result", self.result)
                self._lines.put(said)
            else:
                self.errors.append(line)
                if not line.startswith(_program.ERRORS):
                    self._lines.put({"note": line.rstrip()})
        self._output.join()
        self.ended.set()

    def show(self) -> None:
        """Shows what came since."""
        while not self._lines.empty():
            line = self._lines.get()
            if "note" in line:
                self._show.note(line["note"])
            elif "cells" in line:
                self._show.update(line)
