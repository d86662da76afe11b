"""Estimators that are functions: what the adapter of plug-ins knows of them, and what they are made of."""

from __future__ import annotations

import importlib
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
    try:
        module = importlib.import_module("modebench_rl._adapter.modebench")
    except ModuleNotFoundError:
        raise ImportError(f"the adapter is not in {folder}: install the wheel") from None
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last: it is for the stand-ins of verl alone
    return module


def needs(*fields: str, **declared: Any) -> Callable[[F], F]:
    """Declares what the names of a function's parameters do not say.

    `pydoc modebench_rl._adapter.modebench` lists the names of parameters, and what each holds.

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

    A cell of an experiment is named by it: when it changes, the cell is trained anew. Functions, classes
    and objects of the same module are followed, wrapped functions, nested ones and defaults too;
    numbers, texts, lists and arrays are said by their value. Of another module it is the name that counts."""
    if not isinstance(function, types.FunctionType):
        raise ValueError(f"an estimator is a function, got {type(function).__name__}: define it with def")
    parts: list[str] = []
    _say(function, function.__module__, parts, set())
    return "\n".join(parts) + "\n"


def _say(thing: Any, home: str, parts: list[str], seen: set[int]) -> None:
    """Adds what a thing is, and what it refers to."""
    if isinstance(thing, (types.FunctionType, type)) and thing.__module__ != home:
        parts.append(f"# {thing.__module__}.{thing.__qualname__}")
    elif isinstance(thing, types.ModuleType):
        parts.append(f"# module {thing.__name__} {getattr(thing, '__version__', '')}")
    elif thing is None or isinstance(thing, (bool, int, float, complex, str, bytes)):
        parts.append(f"# {thing!r}")
    elif id(thing) in seen:
        parts.append("# as before")
    else:
        seen.add(id(thing))
        _say_whole(thing, home, parts, seen)


def _say_whole(thing: Any, home: str, parts: list[str], seen: set[int]) -> None:
    inner: dict[str, Any] = {}
    if isinstance(thing, types.FunctionType):
        parts.append(_source(thing))
        inner = _referred(thing)
    elif isinstance(thing, (staticmethod, classmethod)):
        inner = {"of": thing.__func__}
    elif isinstance(thing, property):
        inner = {"get": thing.fget, "set": thing.fset}
    elif isinstance(thing, type):
        parts.append(f"# class {thing.__qualname__}")
        bases = {f"base {n}": base for n, base in enumerate(thing.__bases__)}
        inner = {**bases, **{k: v for k, v in vars(thing).items() if k not in OF_ANY_CLASS}}
    elif isinstance(thing, (set, frozenset)):
        parts.append(f"# {type(thing).__name__} {sorted(map(repr, thing))}")
    elif isinstance(thing, (list, tuple)):
        inner = {str(n): value for n, value in enumerate(thing)}
    elif isinstance(thing, dict):
        inner = {repr(key): value for key, value in thing.items()}
    elif type(thing).__module__.split(".")[0] in ("numpy", "torch"):
        plain = thing.detach().cpu().numpy() if hasattr(thing, "detach") else thing
        parts.append(f"# {type(thing).__name__} {sha256(pickle.dumps(plain, protocol=4)).hexdigest()}")
    else:
        inner = {"class": type(thing), **(vars(thing) if type(thing).__module__ == home else {})}
    for name, value in inner.items():
        parts.append(f"# {name}:")
        _say(value, home, parts, seen)


# What every class has, and what says where it stands and not what it is.
OF_ANY_CLASS = {
    "__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__static_attributes__",
}  # fmt: skip


def _source(function: types.FunctionType) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function.__code__))  # of itself, where it wraps another
    except (OSError, TypeError):
        if function.__code__.co_filename.startswith("<"):  # made by a library, as a dataclass's __init__ is
            return f"# {function.__qualname__} {function.__code__.co_code.hex()} {function.__code__.co_names}"
        name = function.__qualname__
        raise ValueError(f"the source of {name} is not to be had: define it in a file or a notebook") from None


def _referred(function: types.FunctionType) -> dict[str, Any]:
    """What a function refers to, by what it calls it; in nested functions too."""
    names: set[str] = set()
    codes = [function.__code__]
    for code in codes:  # which grows
        names |= set(code.co_names)
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    found = {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[f"closed over {name}"] = cell.cell_contents
        except ValueError:
            pass  # it has no value yet
    if wrapped := getattr(function, "__wrapped__", None):
        found["wraps"] = wrapped
    if declared := getattr(function, "modebench", None):
        found["declares"] = declared
    return {**found, "defaults": function.__defaults__, "keywords": function.__kwdefaults__}
