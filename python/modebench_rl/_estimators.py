"""Estimators that are functions: what the adapter of plug-ins knows of them, and what they are made of."""

from __future__ import annotations

import importlib.util
import inspect
import pickle
import sys
import textwrap
import types
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, overload

F = TypeVar("F", bound=Callable[..., Any])


@cache
def adapter() -> types.ModuleType:
    """The adapter of plug-ins: `modebench.py`, which the program carries too."""
    folder = Path(__file__).with_name("_adapter")
    found = importlib.util.spec_from_file_location("modebench_rl._adapter.modebench", folder / "modebench.py")
    if found is None or found.loader is None:
        raise ImportError(f"the adapter is not in {folder}: install the wheel")
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last: it is for the stand-ins of verl alone
    return module


def needs(*fields: str, **declared: Any) -> Callable[[F], F]:
    """Declares what the names of a function's parameters do not say: see `pydoc modebench_rl.needs`.

    fields: what `batch` has to hold, as the batch document names it. min_group: the fewest trained
    rollouts in a group. chains: it takes rollouts of several candidates. objective: what the
    advantages claim to climb. per_token: one number per token. save, load: for a function that
    remembers over steps; save() gives what it remembers, as JSON has it, and load(state) takes that
    over; load(None) forgets everything."""
    result: Callable[[F], F] = adapter().needs(*fields, **declared)
    return result


def rng(seed: int, step: int, problem: str = "") -> Any:
    """A numpy Generator that depends on these three alone: the same for the same batch."""
    return adapter().rng(seed, step, problem)


@overload
def estimator(function: F) -> F: ...
@overload
def estimator(function: str, **declared: Any) -> Callable[[F], F]: ...
@overload
def estimator(function: None = None, *fields: str, **declared: Any) -> Callable[[F], F]: ...
def estimator(function: Any = None, *fields: str, **declared: Any) -> Any:
    """Marks a function as an advantage estimator, with what `needs` declares.

        @estimator
        def mine(rewards, modes):        # arrays of (groups, rollouts), by the parameters' names
            return rewards - rewards.mean(axis=1, keepdims=True)

        @estimator(min_group=2, objective="reward")
        def other(rewards): ...

    It stays the function that it was. `run(..., estimators=[mine])` calls it in this process, and
    `python -m modebench_rl FILE.py mine` serves it."""
    if callable(function):
        return needs()(function)
    return needs(*([] if function is None else [function]), *fields, **declared)


def name_of(function: Callable[..., Any]) -> str:
    """The name that a function's method has."""
    return getattr(function, "__name__", type(function).__name__)


def source_of(function: Callable[..., Any]) -> str:
    """What a function is made of, as text: its source, and that of what it refers to.

    A cell of an experiment is named by it: when it changes, the cell is trained anew. Functions and
    classes of the same module are followed; numbers, texts, lists and arrays are said by their value.
    Of another module it is the name that counts."""
    parts: dict[str, str] = {}
    _gather(function, function.__module__, parts)
    return "\n\n".join(f"# {name}\n{parts[name]}" for name in sorted(parts))


def _gather(thing: Any, home: str, parts: dict[str, str]) -> None:
    name = f"{thing.__module__ if thing.__module__ != home else ''}:{thing.__qualname__}"
    if name in parts:
        return
    try:
        parts[name] = textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError):
        raise ValueError(
            f"the source of {thing.__qualname__} is not to be had: define it in a file or a notebook"
        ) from None
    if declared := getattr(thing, "modebench", None):
        told = {k: v if not callable(v) else name_of(v) for k, v in declared.items()}
        parts[name] += f"# declares {sorted(told.items())!r}\n"
        for value in declared.values():
            _follow(value, home, parts, f"{name}.declared")
    if not isinstance(thing, types.FunctionType):
        return
    found = inspect.getclosurevars(thing)
    for own, value in sorted({**found.globals, **found.nonlocals}.items()):
        _follow(value, home, parts, f"{name}.{own}")


def _follow(value: Any, home: str, parts: dict[str, str], at: str) -> None:
    """Adds what a function refers to."""
    if isinstance(value, (types.FunctionType, type)):
        if value.__module__ == home:
            _gather(value, home, parts)
    elif isinstance(value, types.ModuleType):
        parts[at] = f"module {value.__name__} {getattr(value, '__version__', '')}"
    elif value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        parts[at] = repr(value)
    elif isinstance(value, (set, frozenset)):
        parts[at] = f"{type(value).__name__} {sorted(map(repr, value))}"
    elif isinstance(value, (list, tuple, dict)) or type(value).__module__.split(".")[0] in ("numpy", "torch"):
        try:
            plain = value.detach().cpu().numpy() if hasattr(value, "detach") else value
            parts[at] = f"{type(value).__name__} {sha256(pickle.dumps(plain, protocol=4)).hexdigest()}"
        except Exception:  # noqa: BLE001 - something in it cannot be said by its value
            parts[at] = type(value).__name__
