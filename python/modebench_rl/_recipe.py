"""The settings of a trainer that belong to a method."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from . import _program
from ._trainers import openrlhf, trl, verl

TRAINERS = {
    "trl": "TRL's GRPOConfig",
    "verl": "verl's command line",
    "openrlhf": "OpenRLHF's command line",
}
_LOSSES = {"trl": trl, "verl": verl, "openrlhf": openrlhf}

_FIRST_OF_LOSS = "clip_low"  # the fields of a method's advantages come before it, those of its loss from it on


@dataclass(frozen=True)
class Method:
    """A method as the program lists it. advantage, loss: its fields. reads: the inputs of its advantages. rollouts:
    what it draws."""

    name: str
    reads: tuple[str, ...]
    rollouts: str
    advantage: Mapping[str, Any]
    loss: Mapping[str, Any]


@dataclass(frozen=True)
class Recipe:
    """A method under a trainer. settings: what the trainer is set to. missing: what of the method the trainer does
    not have, a line for each; empty where the trainer does all of it."""

    method: str
    trainer: str
    settings: dict[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"# {self.method} under {TRAINERS[self.trainer]}"]
        lines += [_line(self.trainer, name, value) for name, value in self.settings.items()]
        lines += [f"# no counterpart: {line}" for line in self.missing]
        return "\n".join(lines)


def recipe(method: str, trainer: str = "trl", **fields: Any) -> Recipe:
    """The settings of a trainer that make a whole method, beside its advantages: clips, aggregation of the loss,
    divergence from the reference, entropy bonus.

        print(mb.recipe("poly-epo"))
        args = GRPOConfig(..., **mb.recipe("poly-epo").settings)

    trainer: "trl", for the fields of its GRPOConfig (1.16), "verl", for words of its command line (0.9), or "openrlhf",
    for options of its command line (0.11), the last two with the method's advantages. fields: of the method, where
    they are not its defaults. `lm.GRPOTrainer(method=...)` applies TRL's recipe and computes the advantages too."""
    if trainer not in TRAINERS:
        raise ValueError(f"trainer is {trainer!r}, want one of {', '.join(map(repr, TRAINERS))}")
    found = listed(method)
    if not found.loss:
        raise ValueError(f"{method} has no loss: it is no method to train by")
    loss = dict(found.loss)
    for name, value in fields.items():
        if name in loss:
            loss[name] = value
        elif name not in found.advantage:
            raise ValueError(f"{method} has no field {name!r}; `modebench list methods {method}` lists its fields")
    settings, missing = _LOSSES[trainer](loss)
    own = {name: value for name, value in fields.items() if name in found.advantage}
    if trainer == "openrlhf":  # lm.openrlhf_trainer reads it
        settings = {"MODEBENCH_METHOD": " ".join([method, *(f"{n}={_word(v)}" for n, v in own.items())]), **settings}
    if trainer == "verl":
        settings = {
            "algorithm.adv_estimator": "modebench",
            "+algorithm.modebench.method": method,
            **{f"+algorithm.modebench.{name}": value for name, value in own.items()},
            **settings,
        }
    return Recipe(method, trainer, settings, tuple(missing))


def check(method: str, given: Iterable[str], trainer: str, chains: bool = False) -> None:
    """A ValueError if the advantages of a method read what a trainer does not give, or if it draws otherwise.

    given: the inputs that the trainer gives. trainer: its name in errors. chains: a completion may hold several
    answers there."""
    found = listed(method)
    absent = [name for name in found.reads if name not in given]
    if absent:
        raise ValueError(f"method {method} reads {', '.join(absent)}, which {trainer} does not give before an update")
    odd = ("none",) if chains else ("chains", "none")
    if found.rollouts.startswith(odd) or "greedy" in found.rollouts or "weights" in found.rollouts:
        raise ValueError(f"method {method} draws {found.rollouts}, and {trainer} one answer a completion")


def _line(trainer: str, name: str, value: Any) -> str:
    if trainer == "trl":
        return f"{name} = {value!r}"
    if not name.startswith("--"):
        return f"{name}={shlex.quote(value) if trainer == 'openrlhf' else _word(value)}"
    values = value if isinstance(value, tuple) else () if value is True else (value,)
    return " ".join([name, *map(str, values)])


def _word(value: Any) -> str:
    """A value as a word of a command line that Hydra reads."""
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache(maxsize=256)
def listed(method: str) -> Method:
    """A method and its defaults, of what the program prints of it."""
    text = _program.call(["list", "methods", method]).decode()
    head = dict(re.findall(r"^(reads|rollouts):\s+(.*)$", text, re.MULTILINE))
    advantage: dict[str, Any] = {}
    loss: dict[str, Any] = {}
    into = advantage
    for name, value, kind in re.findall(r"^  (\w+) = (.*?) *\((\S[^()]*)\)$", text, re.MULTILINE):
        if name == _FIRST_OF_LOSS:
            into = loss
        into[name] = _value(value, kind)
    reads = head.get("reads", "").partition(";")[0].strip()
    inputs = () if reads == "nothing" else tuple(reads.split(", "))
    return Method(method, inputs, head.get("rollouts", ""), advantage, loss)


def _value(text: str, kind: str) -> Any:
    if kind == "bool":
        return text == "true"
    if kind in ("int", "float"):
        number = float(text)
        return int(number) if kind == "int" or number == int(number) else number
    return text
