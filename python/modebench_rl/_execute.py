"""Runs the program, with functions of this process for it to call."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

from . import _program
from ._callback import Callbacks
from ._estimators import adapter
from ._progress import Progress
from ._spec import Prepared


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
