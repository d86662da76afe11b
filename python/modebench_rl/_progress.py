"""How a run says how far it is."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any


class Progress:
    """Says nothing."""

    def update(self, line: Mapping[str, Any]) -> None:
        """Takes {"cells", "made", "steps", "done"}, and "base" while a base policy is made."""

    def note(self, text: str) -> None:
        """Takes what else there is to say."""

    def close(self) -> None:
        """Nothing more comes."""


class Called(Progress):
    """Calls a function."""

    def __init__(self, function: Callable[[Mapping[str, Any]], None]) -> None:
        self._function = function

    def update(self, line: Mapping[str, Any]) -> None:
        self._function(line)


class Bar(Progress):
    """A bar of tqdm, in a notebook too."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._of = ""  # what it is the bar of

    def update(self, line: Mapping[str, Any]) -> None:
        base = None if line["done"] else line.get("base")
        total, done = (base["steps"], base["step"]) if base else (line["steps"], line["done"])
        if not total:
            return
        of = f"base policy {base['name']}" if base else "cells"
        if of != self._of:
            self.close()
            self._of = of
            self._bar = self._tqdm(unit="step", unit_scale=True, total=total, initial=done, leave=not base)
        self._bar.set_description(of if base else f"{line['made']} of {line['cells']} cells", refresh=False)
        self._bar.total, self._bar.n = total, done
        self._bar.refresh()

    def note(self, text: str) -> None:
        if _is_news(text):
            self._tqdm.write(text, file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class Lines(Progress):
    """A line for each tenth, where there is no tqdm."""

    def __init__(self) -> None:
        self._tenth = 0

    def update(self, line: Mapping[str, Any]) -> None:
        tenth = 10 * line["done"] // line["steps"] if line["steps"] else 0
        if tenth > self._tenth:
            self._tenth = tenth
            print(f"{10 * tenth:3d}% of {line['steps']} steps", file=sys.stderr)

    def note(self, text: str) -> None:
        if _is_news(text):
            print(text, file=sys.stderr)


_told: set[str] = set()  # notes of this session


def _is_news(note: str) -> bool:
    """Whether a note is to be shown: what an estimator prints always, what a spec does in vain once a session."""
    if re.search(r", seed \d+: ", note):
        return True
    if note in _told:
        return False
    _told.add(note)
    return True


def shown(progress: bool | Callable[[Mapping[str, Any]], None]) -> Progress:
    """What shows the progress that `run` was asked for."""
    if callable(progress):
        return Called(progress)
    if not progress:
        return Progress()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Lines()
    return Bar(tqdm)
