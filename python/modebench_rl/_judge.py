"""The judge: a process of the program that stays for many batches of answers."""

from __future__ import annotations

import io
import json
import os
import subprocess
import threading
import weakref
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from . import _program

ANY_PIPE = 4096  # bytes that any pipe takes without waiting for who reads it


class Judge:
    """Judges answers to problems, each named by its id.

        judge = Judge()
        judge.judge(["countdown/train/17"], ["<answer>2*3</answer>"])

    reading: "lenient" takes answers as models write them, "strict" as the prompt asks for them.
    embeddings: whether verdicts have them. bench: another program than the package's own.

    May be used from several threads, and after a fork in the parent and in the child: the child
    starts a process of its own. A process that has died is started again."""

    def __init__(self, reading: str = "lenient", bench: str | None = None, *, embeddings: bool = False) -> None:
        if reading not in ("lenient", "strict"):
            raise ValueError(f'reading is {reading!r}, want "lenient" or "strict"')
        self._args = ["judge", "--jsonl", "--reading", reading, *(["--embeddings"] if embeddings else [])]
        self._bench = bench
        self._lock = threading.Lock()
        self._process: _Process | None = None
        _judges.add(self)

    def __getstate__(self) -> dict[str, Any]:
        """A copy, and a judge on another machine, starts a process of its own."""
        return {**self.__dict__, "_lock": None, "_process": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())
        _judges.add(self)

    def judge(self, ids: Sequence[str], texts: Sequence[str]) -> list[dict[str, Any]]:
        """The verdicts of texts, one for each, in order.

        ids: of each text the id of its problem. A verdict has `reward`, a number for each component,
        `scalar`, `correct`, `mode`, `error`, and what else answers of the environment have. Where
        several answers are asked for in one text, it has the list `answers` of their verdicts.

        An id that names no problem, and a text of more than a megabyte, is an InputError."""
        if len(ids) != len(texts):
            raise ValueError(f"{len(ids)} ids for {len(texts)} answers")
        if not texts:
            return []
        lines = [json.dumps({"id": i, "answer": t}) + "\n" for i, t in zip(ids, texts, strict=True)]
        verdicts = [json.loads(line) for line in self._ask("".join(lines).encode(), len(lines))]
        for number, verdict in enumerate(verdicts):
            if "fault" in verdict:
                raise _program.InputError(f"answer {number}: {verdict['fault']}", 3)
        return verdicts

    def close(self) -> None:
        """Ends the process. The next call starts another."""
        with self._lock:
            self._end()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _ask(self, batch: bytes, count: int) -> list[bytes]:
        with self._lock:
            for again in (True, False):
                if self._process is not None and not self._process.alive():
                    self._end()
                if self._process is None:
                    self._process = _Process(self._bench or _program.program(), self._args)
                try:
                    return self._process.ask(batch, count)
                except EOFError:
                    # It has died, perhaps because memory ran out. A batch is judged in full by one process.
                    failure = self._process.failure()
                    self._end()
                    if not again or isinstance(failure, _program.InputError):
                        raise failure from None
                except BaseException:
                    self._end()  # verdicts that nobody has read are on their way
                    raise
        raise AssertionError("unreachable")

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _forked(self) -> None:
        """Makes the judge new, in the child of a fork: the lock may be held by a thread that is not there."""
        self._lock = threading.Lock()
        process, self._process = self._process, None
        if process is not None:
            process.leave()


@lru_cache(maxsize=8)
def shared(reading: str = "lenient", embeddings: bool = False) -> Judge:
    """A judge that all callers of this process share."""
    return Judge(reading, embeddings=embeddings)


_judges: weakref.WeakSet[Judge] = weakref.WeakSet()


def _after_fork() -> None:
    for judge in list(_judges):
        judge._forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Process:
    """A running `bench judge --jsonl`. Its input is not buffered here, so that a fork copies no part of a batch."""

    def __init__(self, program: str, args: Sequence[str]) -> None:
        self._popen = subprocess.Popen(
            [_program.NAME, *args],
            executable=program,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._popen.stdin and self._popen.stdout
        self._stdin = self._popen.stdin
        self._stdout = io.BufferedReader(self._popen.stdout)  # type: ignore[type-var]
        # At the end of this process, or when nobody has the judge any more.
        self._finalizer = weakref.finalize(self, _program.end, self._popen, os.getpid())

    def alive(self) -> bool:
        return self._popen.poll() is None

    def ask(self, batch: bytes, count: int) -> list[bytes]:
        """So many lines, for those of a batch. EOFError if the process ends before."""
        if len(batch) <= ANY_PIPE:
            self._write(batch)
            return self._read(count)
        # Both pipes may be full at once, so one thread writes while this one reads.
        writer = threading.Thread(target=self._write, args=(batch,), daemon=True)
        writer.start()
        lines = self._read(count)
        writer.join()
        return lines

    def _write(self, batch: bytes) -> None:
        rest = memoryview(batch)
        try:
            while rest:
                rest = rest[self._stdin.write(rest) :]
        except (OSError, ValueError):
            pass  # the process has ended, as whoever reads will see

    def _read(self, count: int) -> list[bytes]:
        lines = []
        for _ in range(count):
            line = self._stdout.readline()
            if not line.endswith(b"\n"):
                raise EOFError
            lines.append(line)
        return lines

    def failure(self) -> _program.BenchError:
        """Why the process has ended."""
        assert self._popen.stderr
        try:
            code = self._popen.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return _program.BenchError("the judge closed its output and goes on")
        return _program.error(code, self._popen.stderr.read().decode("utf-8", "replace"))

    def end(self) -> None:
        self._finalizer()

    def leave(self) -> None:
        """Leaves the process to the parent of the fork, of which it is a child."""
        self._finalizer.detach()
        _program.leave(self._popen)
