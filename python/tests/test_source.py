"""What names a cell: whatever changes what a function does changes its source, and nothing else does."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from modebench_rl._estimators import source_of

HELPERS = """
import dataclasses
import functools
import numpy as np

BETA = {beta}
TABLE = [{beta}, "x"]
ARRAY = np.array([{beta}])

@dataclasses.dataclass
class Settings:
    beta: float = 0.0

SETTINGS = Settings({beta})

class Helper:
    factor = {beta}
    def scale(self, x):
        return x * BETA
    @staticmethod
    def other(x):
        return x + BETA
    @property
    def half(self):
        return BETA / 2

HELPER = Helper()

def inner(x):
    return BETA * x

CHOICES = {{"a": inner}}

def wrapping(function):
    @functools.wraps(function)
    def wrapper(rewards):
        return function(rewards) * {beta}
    return wrapper
"""

# Each refers to the number in a way of its own.
FUNCTIONS = {
    "a global": "def f(rewards):\n    return rewards * BETA",
    "a call": "def f(rewards):\n    return inner(rewards)",
    "a comprehension": "def f(rewards):\n    return [[r * BETA for r in group] for group in rewards]",
    "a lambda": "def f(rewards):\n    return list(map(lambda r: r * BETA, rewards))",
    "a nested function": "def f(rewards):\n    def g(r):\n        return r * BETA\n    return g(rewards)",
    "a default": "def f(rewards, c=BETA):\n    return rewards * c",
    "a keyword's default": "def f(rewards, *, c=BETA):\n    return rewards * c",
    "an object": "def f(rewards):\n    return rewards * SETTINGS.beta",
    "a class": "def f(rewards):\n    return rewards * Helper.factor",
    "a method": "def f(rewards):\n    return HELPER.scale(rewards)",
    "a static method": "def f(rewards):\n    return Helper.other(rewards)",
    "a property": "def f(rewards):\n    return rewards * HELPER.half",
    "a function in a dict": "def f(rewards):\n    return CHOICES['a'](rewards)",
    "a list": "def f(rewards):\n    return rewards * TABLE[0]",
    "an array": "def f(rewards):\n    return rewards * ARRAY",
    "a wrapper": "@wrapping\ndef f(rewards):\n    return rewards",
    "what is wrapped": "@wrapping\ndef f(rewards):\n    return rewards * BETA",
    "a closure": "def make(beta):\n    def f(rewards):\n        return rewards * beta\n    return f\nf = make(BETA)",
}


def source(folder: Path, name: str, text: str) -> str:
    """The source of the function `f` of a module with the text."""
    path = folder / f"{name}.py"
    path.write_text(text)
    module = types.ModuleType("home")
    module.__file__ = str(path)
    sys.modules["home"] = module
    exec(compile(text, str(path), "exec"), module.__dict__)
    return source_of(module.f)


@pytest.mark.parametrize("way", FUNCTIONS)
def test_a_number_that_it_refers_to(way: str, tmp_path: Path) -> None:
    one = source(tmp_path, "one", HELPERS.format(beta=0.5) + "\n" + FUNCTIONS[way])
    same = source(tmp_path, "same", "# moved\n\n" + HELPERS.format(beta=0.5) + "\n" + FUNCTIONS[way])
    other = source(tmp_path, "other", HELPERS.format(beta=0.7) + "\n" + FUNCTIONS[way])
    assert one == same, "where it stands does not matter"
    assert one != other


def test_what_is_no_function_is_one_line() -> None:
    import functools

    with pytest.raises(ValueError, match="an estimator is a function, got partial: define it with def"):
        source_of(functools.partial(print))


def test_functions_that_call_each_other(tmp_path: Path) -> None:
    text = "def f(rewards):\n    return g(rewards)\n\ndef g(rewards):\n    return f(rewards) if 0 else rewards\n"
    assert source(tmp_path, "ring", text).count("def ") == 2
