"""Temporary folders that the next run removes where their own process was killed.

They have the names and the lock files of the program's own (internal/scratch), which removes them too: the
kernel gives a lock back however a process ends, so a folder without a held lock is a left-over."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where a folder that is left stays
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
MACHINE = sha256(socket.gethostname().encode()).hexdigest()[:8]
PLACE = re.compile(rf"(modebench-(?:.+-)?{MACHINE}x[0-9a-f]{{16}})(?:\..*)?")  # and what belongs to it


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for this user alone, which goes at the end."""
    parent = Path(tempfile.gettempdir())
    clean(parent)
    place, lock = _claim(parent)
    if lock is None:
        with tempfile.TemporaryDirectory(prefix="modebench-") as plain:
            yield Path(plain)
        return
    try:
        place.mkdir(mode=0o700)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        _drop(_lock_of(place), lock)


def clean(parent: Path) -> None:
    """Removes what processes of this machine have left there that have ended."""
    if fcntl is None:
        return
    places: dict[str, list[Path]] = {}
    for name in os.listdir(parent):
        if found := PLACE.fullmatch(name):
            places.setdefault(found[1], []).append(parent / name)
    for name, paths in places.items():
        path = _lock_of(parent / name)
        lock = _take(path, os.O_RDWR | os.O_NOFOLLOW)
        if lock is None and path.exists():
            continue  # somebody holds it
        # Without a lock file its process has removed it, which is the last thing that it does.
        for left in paths:
            if left != path:
                shutil.rmtree(left, ignore_errors=True)
        if lock is None:
            continue
        if any(left != path and left.exists() for left in paths):
            os.close(lock)  # for somebody who may
        else:
            _drop(path, lock)


def _lock_of(place: Path) -> Path:
    return place.with_name(place.name + LOCK)


def _claim(parent: Path) -> tuple[Path, int | None]:
    """A free name, and its lock; None: there are no locks here."""
    while True:
        place = parent / f"modebench-run-{MACHINE}x{secrets.token_hex(8)}"
        if fcntl is None:
            return place, None
        try:
            lock = _take(_lock_of(place), os.O_RDWR | os.O_CREAT | os.O_EXCL)
        except OSError:  # the file system has none
            _lock_of(place).unlink(missing_ok=True)
            return place, None
        if lock is not None:  # else somebody who cleans up took it first
            return place, lock


def _take(path: Path, how: int) -> int | None:
    """Opens a lock file and takes its lock; None where it is another's, or gone."""
    try:
        lock = os.open(path, how, 0o644)
    except OSError:
        if how & os.O_CREAT:
            raise
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), os.lstat(path)):
            return lock
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(lock)
        if how & os.O_CREAT:
            raise
        return None
    os.close(lock)
    return None


def _drop(path: Path, lock: int) -> None:
    """Removes a lock file, which is the last thing that goes, and gives the lock back."""
    path.unlink(missing_ok=True)
    os.close(lock)
