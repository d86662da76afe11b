"""The program `bench`, which the package carries, and how it is called."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

VARIABLE = "MODEBENCH_BENCH"  # names another program than the one inside the package
NAME = "modebench"  # what the program is called by, here and on the command line
ERRORS = (f"{NAME}: ", "bench: ")  # before its errors; the second where a script calls it by its own name


class BenchError(Exception):
    """The program ended with an error, whose line is the text.

    code: its exit code; `modebench help` lists them."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


class InputError(BenchError, ValueError):
    """What the program was given is wrong: a spec, a field, a name, a batch."""


def program() -> str:
    """The path of the program: what MODEBENCH_BENCH names, else the one inside the package."""
    named = os.environ.get(VARIABLE)
    if named:
        return named
    path = Path(__file__).with_name("bench.exe" if sys.platform == "win32" else "bench")
    if not path.is_file():
        raise BenchError(f"the program is not in {path.parent}: install the wheel, or name a program in {VARIABLE}")
    return str(path)


def error(code: int, stderr: str) -> BenchError:
    """What a program says that ended with an error: the last line that it printed as one, or why the
    first cell failed."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    own = [line.partition(": ")[2] for line in lines if line.startswith(ERRORS)] or lines[-1:]
    message = own[-1] if own else f"the program ended with code {code}"
    if code == 1 and len(own) > 1:
        more = f", and {len(own) - 2} more failed" if len(own) > 2 else ""
        message = f"{own[0]}{more}; the other cells are kept"
    return (InputError if code in (3, 64) else BenchError)(message, code)


def call(args: Sequence[str], stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
    """What the program prints. An exit code other than 0 is a BenchError."""
    given = stdin if stdin is not None else b""
    done = subprocess.run([NAME, *args], executable=program(), input=given, capture_output=True, env=env)
    if done.returncode:
        raise error(done.returncode, done.stderr.decode("utf-8", "replace"))
    return done.stdout


def end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Ends a process that the process `owner` has started, if this is it. It has no state: nothing is lost."""
    if owner != os.getpid():
        return
    process.kill()
    process.wait()
    close_pipes(process)


def leave(process: subprocess.Popen[bytes]) -> None:
    """Leaves a process to the parent, in the child of a fork: whoever holds its input open keeps it alive."""
    close_pipes(process)
    process.returncode = 0  # so that it is not waited for


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Closes the pipes to a process."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                pass  # part of a batch, which nobody reads any more


def version() -> str:
    """The program's version, and what it was built with."""
    return call(["version"]).decode()


def main() -> int:
    """The program itself, as the command `modebench`."""
    args = [NAME, *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(program(), args)
    return subprocess.run(args, executable=program()).returncode
