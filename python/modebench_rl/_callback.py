"""How the program calls functions of this process.

The program starts a plug-in for every cell. That plug-in is `relay`, which only carries lines
between the program and this process, over a connection on the loopback. `Callbacks` answers
them in the thread that called `run`, so that a breakpoint in an estimator works."""

from __future__ import annotations

import json
import os
import queue
import re
import secrets
import shutil
import socket
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import _program

VARIABLE = "MODEBENCH_CALLBACK"  # where the relay finds the process: PORT SECRET
COMMAND = "modebench-rl-callback"  # the relay, as the package installs it


def relay() -> int:
    """Carries lines between standard input and output and the function that the argument names."""
    port, secret = os.environ.get(VARIABLE, " ").split(" ", 1)
    if len(sys.argv) != 2 or not port:
        print(f"{COMMAND} is started by modebench_rl.run alone", file=sys.stderr)
        return 2
    try:
        connection = socket.create_connection(("127.0.0.1", int(port)))
    except OSError:
        print("the process that runs the estimator has ended", file=sys.stderr)
        return 2
    connection.sendall(f"{secret} {sys.argv[1]}\n".encode())
    threading.Thread(target=_carry_in, args=(connection,), daemon=True).start()
    while block := connection.recv(1 << 16):
        sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
    return 0


def _carry_in(connection: socket.socket) -> None:
    try:
        while block := os.read(0, 1 << 16):
            connection.sendall(block)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other side has ended, and the main thread says so


class Cell:
    """One conversation with the program: of one cell, or to ask what a function needs."""

    def __init__(self, function: Callable[..., Any], name: str, connection: socket.socket) -> None:
        self.function, self.name, self.connection = function, name, connection
        self.plugin: Any = None
        self.state: Any = None  # what the function remembers of this cell's steps


class Callbacks:
    """Answers the program's questions about functions, one at a time, in the thread that calls `serve`."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]], adapter: Any) -> None:
        self._functions, self._adapter = functions, adapter
        self._secret = secrets.token_hex(16)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._asked: queue.SimpleQueue[tuple[Cell, bytes]] = queue.SimpleQueue()
        self._last: dict[str, Cell] = {}  # the cell whose state a function has, by its name
        self.raised: BaseException | None = None  # the first that a function raised
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def environment(self) -> dict[str, str]:
        """What the program's environment needs: where the relay is, and what it has to find there."""
        path = _scripts() + os.pathsep + os.environ.get("PATH", "")
        return {VARIABLE: f"{self._listener.getsockname()[1]} {self._secret}", "PATH": path}

    flags = ("--plugin-timeout", "24h")  # of the program: somebody may stop at a breakpoint

    def close(self) -> None:
        """Takes no more conversations."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._listen, args=(connection,), daemon=True).start()

    def _listen(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            try:
                secret, _, name = lines.readline().decode("utf-8", "replace").strip().partition(" ")
                if not secrets.compare_digest(secret, self._secret) or name not in self._functions:
                    return
                cell = Cell(self._functions[name], name, connection)
                for line in lines:
                    self._asked.put((cell, line))
            except OSError:
                return  # the program has ended the relay

    def serve(self, seconds: float) -> None:
        """Answers what is asked within this time, and returns."""
        try:
            cell, line = self._asked.get(timeout=seconds)
        except queue.Empty:
            return
        answer = self._answer(cell, line)
        try:
            if answer is None:
                cell.connection.shutdown(socket.SHUT_WR)
            else:
                cell.connection.sendall(answer)
        except OSError:
            pass  # the cell was ended meanwhile

    def _answer(self, cell: Cell, line: bytes) -> bytes | None:
        """The line that answers one; None: nothing does, and the conversation ends."""
        request = json.loads(line)
        if request["method"] == "bye":
            return None
        try:
            said: dict[str, Any] = {"result": self._result(cell, request["method"], request.get("params"))}
        except Exception as error:  # noqa: BLE001 - whatever a function raises is the answer
            own = error.__traceback__
            while own and own.tb_frame.f_code.co_filename == __file__:
                own = own.tb_next  # the line of an error is of the user's file
            error = error.with_traceback(own or error.__traceback__)
            if not isinstance(error, self._adapter.Refusal) and not _tries(request):
                self.raised = self.raised or error
            said = {"error": {"code": 1, "message": self._adapter._line(error)}}
        return json.dumps({"jsonrpc": "2.0", "id": request.get("id"), **said}).encode() + b"\n"

    def _result(self, cell: Cell, method: str, params: Any) -> Any:
        if method == "hello":
            cell.plugin = self._adapter.Plugin(cell.function, cell.name)
            return cell.plugin.description
        self._remember(cell)
        if method == "advantage":
            return {"advantages": cell.plugin.advantages(params)}
        if method == "save":
            return {"state": cell.plugin.save()}
        return cell.plugin.load(params["state"])

    def _remember(self, cell: Cell) -> None:
        """Gives a function that remembers over steps what it remembers of this cell: several
        cells take turns with it."""
        last = self._last.get(cell.name)
        if last is cell or not cell.plugin.description.get("state"):
            return
        if last is not None:
            last.state = json.loads(json.dumps(last.plugin.save()))  # it may be what the function goes on with
        cell.plugin.load(cell.state)
        self._last[cell.name] = cell


def _tries(request: dict[str, Any]) -> bool:
    """Whether a batch is the one that the program makes up to try a function. An error of it is one of
    many that may have no meaning, and the program says which have one."""
    groups = (request.get("params") or {}).get("groups") or [{}]
    return str(groups[0].get("problem")).startswith("probe/")


def said(message: str) -> str:
    """A message of the program, in which a function is called as its user calls it and not as the relay."""
    called = rf'(?:field "command": )?plug-in (?:"[^"]*" )?\({COMMAND} (\w+)\)(?:: hello)?'
    return re.sub(called, r"estimator \1", message)


def _scripts() -> str:
    """The folder where the package's own commands are installed."""
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", f"{os.name}_user"),
        str(Path(sys.executable).parent),
    ]
    for folder in folders:
        if shutil.which(COMMAND, path=folder):
            return folder
    raise _program.BenchError(
        f"the command {COMMAND} of this package is in none of {', '.join(folders)}: install the package again"
    )
