"""Runs the cells of an experiment wherever an executor runs things."""

from __future__ import annotations

import io
import zipfile
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Any

from . import _program
from ._execute import execute
from ._progress import Progress
from ._scratch import folder as scratch
from ._spec import Function, Prepared

TRIES = 3  # of a shard whose worker is lost


def run_shards(
    args: list[str], prepared: Prepared, folder: Path, out: Path, executor: Executor, shards: int | None, show: Progress
) -> None:
    """Divides the cells into shards, has the executor run them, and merges what comes back into `out`.

    A shard whose worker was lost is given to another one; where it was is not lost on a folder that
    both see, and made again otherwise. Cells that fail are left to the run that follows, which says
    so."""
    count = shards or 4 * int(getattr(executor, "_max_workers", None) or 2)
    text = _portable(prepared)
    tries = dict.fromkeys(range(count), 0)
    waiting: dict[Future[bytes], int] = {}

    def submit(shard: int) -> None:
        tries[shard] += 1
        job = executor.submit(
            run_shard,
            args[1:],
            Path(prepared.argument).name,
            text,
            prepared.functions,
            prepared.files,
            prepared.given,
            prepared.own,
            f"{shard}/{count}",
        )
        waiting[job] = shard

    for shard in range(count):
        submit(shard)
    done = 0
    try:
        while waiting:
            for job in wait(waiting, return_when=FIRST_COMPLETED).done:
                shard = waiting.pop(job)
                try:
                    cells = job.result()
                except _program.BenchError:
                    raise
                except Exception as lost:  # noqa: BLE001 - every executor has an error of its own
                    if tries[shard] == TRIES:
                        raise _program.BenchError(
                            f"shard {shard} of {count}: {TRIES} workers were lost, the last by {lost!r}"
                        ) from lost
                    submit(shard)
                    continue
                _merge(cells, folder / f"shard-{shard}", out)
                done += 1
                show.update({"cells": count, "made": done, "steps": count, "done": done})
    except BaseException:
        for job in waiting:
            job.cancel()
        raise


def _portable(prepared: Prepared) -> str | None:
    """The text of the spec, which goes to the workers; None: it is built in."""
    return Path(prepared.argument).read_text(encoding="utf-8") if prepared.argument.endswith(".toml") else None


def run_shard(
    flags: list[str],
    name: str,
    text: str | None,
    functions: dict[str, Function],
    files: dict[str, str],
    given: str,
    own: int,
    shard: str,
) -> bytes:
    """Runs a shard in this worker, and gives its cells as a ZIP archive.

    name, text: the spec, and what is in its file; None: it is built in. given, own: as `Prepared` has them."""
    with scratch() as folder:
        spec = name
        if text is not None:
            path = folder / name
            path.write_text(text, encoding="utf-8")
            spec = str(path)
        out = folder / "out"
        args = ["run", spec, *flags, "--shard", shard, "--out", str(out)]
        execute(
            [*args, "--figure-format", "none", "--progress", "json"],
            Prepared(spec, functions, files, given, own),
            Progress(),
        )
        return _pack(out)


def _pack(out: Path) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(out.glob("cells/*/*")):
            packed.write(path, path.relative_to(out).as_posix())
    return archive.getvalue()


def _merge(cells: bytes, part: Path, out: Path) -> None:
    """Puts the cells of a shard into a folder of results: `bench merge` checks their hashes."""
    with zipfile.ZipFile(io.BytesIO(cells)) as packed:
        if not packed.namelist():
            return  # more shards than cells
        packed.extractall(part)
    merge: list[Any] = ["merge", str(part), "--out", str(out)]
    _program.call(merge)
