"""How many faults the pack catches: faults are put into plain.py by rules, and have to fail a check.

A fault is one change of the syntax tree of one function, or of what the function is given. The rules know nothing
of the pack. A fault counts if it changes a result on random inputs, which the pack does not share, and if it gives
a result on any of them. SEED decides which of the faults are taken, as many as possible of each kind.
"""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import random
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import plain
import pytest

import conformance
from conformance import ADVANTAGES, AGGREGATIONS, CHECKS, Conformance

SEED = 1
FAULTS = 1000
LEAST = 0.99  # of the faults have to be caught
INPUTS = 300  # random ones, of each function
METHODS = (*ADVANTAGES, "policy_loss")
Function = Callable[..., Any]


class Plain(Conformance):
    """An adapter of functions of numpy arrays."""

    def tensor(self, values: Any) -> Any:
        return np.asarray(values)


class TestPlain(Plain):
    """The functions without a fault."""

    grpo, dr_grpo, rloo = (staticmethod(f) for f in (plain.grpo, plain.dr_grpo, plain.rloo))
    opo, reinforce_pp_baseline = staticmethod(plain.opo), staticmethod(plain.reinforce_pp_baseline)
    policy_loss = staticmethod(plain.policy_loss)


# Operators that stand for one another, and the calls that do.
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
SWAPPED = {"maximum": "minimum", "minimum": "maximum", "sum": "mean"}
FACTORS = (1.05, 0.95, 1.001, 2.0)


def replacements(node: ast.AST, names: list[str]) -> Iterator[tuple[str, ast.AST]]:
    """The kinds of faults at one place of the tree, and what stands there then."""
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return
    if isinstance(node, (ast.BinOp, ast.Subscript, ast.Call)):
        for factor in FACTORS:
            yield "scale", ast.BinOp(node, ast.Mult(), ast.Constant(factor))
        yield "sign", ast.UnaryOp(ast.USub(), node)
    if isinstance(node, ast.UnaryOp):
        yield "sign", node.operand
    if isinstance(node, ast.BinOp):
        for op in ARITHMETIC:
            if not isinstance(node.op, op):
                yield "operator", ast.BinOp(node.left, op(), node.right)
        yield "operand left out", node.left
        yield "operand left out", node.right
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        for value in {node.value + 1, node.value - 1, node.value * 10, node.value / 10, 0} - {node.value}:
            yield "constant", ast.Constant(value)
    if isinstance(node, ast.Compare):
        for compare in COMPARISONS:
            if not isinstance(node.ops[0], compare):
                yield "comparison", ast.Compare(node.left, [compare()], node.comparators)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        for name in names:
            if name != node.id:
                yield "another variable", ast.Name(name, ast.Load())
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in SWAPPED:
            other = ast.Attribute(node.func.value, SWAPPED[node.func.attr], ast.Load())
            yield "another function", ast.Call(other, node.args, node.keywords)
        for argument in node.args:
            yield "function left out", argument
    if isinstance(node, (ast.Assign, ast.If)):
        yield "statement left out", ast.Pass()


def parents(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every place of a tree: what it is in, under which name, and where in a list."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            for i, each in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(each, ast.AST):
                    yield parent, field, i if isinstance(value, list) else None


def rewritten(function: Function) -> Iterator[tuple[str, str, Function]]:
    """A function with each fault of its own: the kind, what was changed, and the function with it."""
    whole = ast.parse(inspect.getsource(function))
    names = sorted({n.id for n in ast.walk(whole) if isinstance(n, ast.Name)} - {"np", "len", "set", "max"})
    names += [a.arg for a in whole.body[0].args.args if a.arg not in names]
    for at, (parent, field, i) in enumerate(list(parents(whole))):
        if isinstance(parent, ast.arguments):
            continue
        old = getattr(parent, field) if i is None else getattr(parent, field)[i]
        for kind, new in replacements(old, names):
            changed = copy.deepcopy(whole)
            parent, field, i = list(parents(changed))[at]
            if i is None:
                setattr(parent, field, new)
            else:
                getattr(parent, field)[i] = new
            ast.fix_missing_locations(changed)
            space: dict[str, Any] = {"np": np}
            exec(compile(changed, function.__name__, "exec"), space)
            what = f"line {getattr(old, 'lineno', 0)}: {ast.unparse(old)} -> {ast.unparse(new)}"
            yield kind, f"{function.__name__} {what}", space[function.__name__]


def labels(groups: Any) -> dict[str, Any]:
    """Labels that are wrong."""
    position = np.arange(len(groups))
    rank = np.unique(groups, return_inverse=True)[1]
    wrong = {
        "all of one group": 0 * position, "each its own": position, "the first letter": [str(g)[0] for g in groups],
        "the last letter": [str(g)[-1] for g in groups], "up to the neighbour": np.append(groups[1:], groups[:1]),
        "runs": np.cumsum(np.append(True, rank[1:] != rank[:-1])), "backwards": groups[::-1], "sorted": sorted(groups),
        "two of them": rank % 2, "one less": np.maximum(rank - 1, 0),
        "all but the first": np.append(["none"], groups[1:]), "all but the last": np.append(groups[:-1], ["none"]),
    }  # fmt: skip
    wrong |= {f"blocks of {size}": position // size for size in (2, 3, 4, 5)}
    return wrong | {f"every {size}th": position % size for size in (2, 3, 4)}


def places(mask: Any) -> dict[str, Any]:
    """Masks that are wrong."""
    filled = np.maximum.accumulate(mask[:, ::-1], axis=1)[:, ::-1]
    return {
        "everywhere": np.ones_like(mask), "up to the last token": filled, "shifted right": np.roll(mask, 1, axis=1),
        "shifted left": np.roll(mask, -1, axis=1), "next rollout's": np.roll(mask, 1, axis=0), "inverted": 1 - mask,
        "from the left": np.sort(mask, axis=1)[:, ::-1], "one place": mask * (np.cumsum(mask, axis=1) == 1),
    }  # fmt: skip


def given(function: Function, name: str) -> Iterator[tuple[str, str, Function]]:
    """A function that is given something wrong, or whose result is."""
    at = {"groups": 1, "mask": 3 if name == "policy_loss" else 2}
    wrong: dict[str, tuple[str, Function]] = {"mask": ("leaked mask", places)}
    if name != "policy_loss":
        wrong["groups"] = ("wrong group", labels)
    for argument, (kind, options) in wrong.items():
        for option in options(np.array(["x1", "x2"]) if argument == "groups" else np.ones((2, 2))):

            def changed(*args: Any, argument: str = argument, options: Function = options, option: str = option) -> Any:
                own = list(args)
                own[at[argument]] = np.asarray(options(own[at[argument]])[option])
                return function(*own)

            yield kind, f"{name} {argument}: {option}", changed


def batches(name: str, seed: int) -> Iterator[tuple[Any, ...]]:
    """Random inputs of a function."""
    r = np.random.default_rng(seed)
    for _ in range(INPUTS):
        if name == "policy_loss":
            shape = r.integers(1, 5), r.integers(1, 6)
            mask = (r.random(shape) < 0.7).astype(float)
            mask[0, 0] = 1
            old, apart = -3 * r.random(shape), r.normal(size=shape) * r.choice([0.2, 1])
            clips = r.uniform(0.1, 0.6), r.uniform(0.1, 0.6), r.choice([None, 1.5, 3])
            advantage = r.normal(size=shape[0]) * 2
            yield old + apart, old, advantage, mask, *clips, str(r.choice(list(AGGREGATIONS))), int(r.integers(5, 12))
            continue
        n = r.integers(1, 13)
        groups = np.array([f"{'pq'[i % 2]}{i // 2}" for i in r.integers(0, r.integers(1, 5), size=n)], object)
        rewards = r.choice([r.integers(0, 2, n), r.integers(0, 2, n) * 1e-6, r.normal(size=n), r.normal(size=n) * 50])
        mask = (r.random((n, 5)) < r.choice([0.4, 0.8])).astype(float)
        mask[np.arange(n), r.integers(0, 5, n)] = 1
        yield rewards.astype(float), groups, mask


def results(function: Function, args: tuple[Any, ...]) -> Any:
    """What a function gives as one list of numbers, and None where it gives none."""
    try:
        found = function(*copy.deepcopy(args))
        parts = found if isinstance(found, tuple) else (found,)
        return np.concatenate([np.ravel(np.asarray(part, float)) for part in parts])
    except Exception:
        return None


def differs(found: Any, want: Any) -> bool:
    if found is None or found.shape != want.shape:
        return True
    return not np.max(np.abs(found - want)) <= 1e-13 + 1e-9 * np.max(np.abs(want))


def caught(name: str, function: Function, tolerance: float) -> bool:
    """Whether a check fails."""
    tolerances = dict.fromkeys([*ADVANTAGES, *AGGREGATIONS], tolerance)
    own = type("Faulty", (Plain,), {name: staticmethod(function), "tolerance": tolerances})()
    for check in own.checks():
        try:
            CHECKS[check][1](own)
        except Exception:
            return True
    return False


Fault = tuple[str, str, Function]  # the function that it is in, what it is, and the function with it


def faults(left_out: Counter[str]) -> Iterator[tuple[str, Fault]]:
    """Faults that count, and their kinds: one of each kind in turn, while there are any."""
    of_kind: dict[str, list[Fault]] = {}
    inputs: dict[str, list[tuple[Any, Any]]] = {}
    for name in METHODS:
        sound = getattr(plain, name)
        inputs[name] = [(args, results(sound, args)) for args in batches(name, SEED)]
        for kind, what, faulty in [*rewritten(sound), *given(sound, name)]:
            of_kind.setdefault(kind, []).append((name, what, faulty))
    r = random.Random(SEED)
    for those in of_kind.values():
        r.shuffle(those)
    while any(of_kind.values()):
        for kind, those in of_kind.items():
            if not those:
                continue
            name, _, faulty = fault = those.pop()
            if all(results(faulty, args) is None for args, _ in inputs[name]):
                left_out["give no result"] += 1
            elif not any(differs(results(faulty, args), want) for args, want in inputs[name]):
                left_out["change nothing"] += 1
            else:
                yield kind, fault


def test_faults_are_caught(capsys: pytest.CaptureFixture[str]) -> None:
    left_out: Counter[str] = Counter()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counted = list(itertools.islice(faults(left_out), FAULTS))
        for tolerance in (1e-12, 1e-6):
            escaped = [(kind, what) for kind, (name, what, f) in counted if not caught(name, f, tolerance)]
            lines = [f"{len(counted) - len(escaped)} of {len(counted)} faults caught, tolerance {tolerance:.0e}"]
            lines += [f"  escaped: {kind}: {what}" for kind, what in escaped]
            with capsys.disabled():
                print("", *lines, sep="\n")
            assert len(counted) == FAULTS and len(escaped) <= (1 - LEAST) * FAULTS, lines
    with capsys.disabled():
        print("of each kind:", dict(Counter(kind for kind, _ in counted)), "left out:", dict(left_out))


def test_the_pack_is_small_and_fast() -> None:
    text = Path(conformance.__file__).read_text()
    assert len(text.splitlines()) <= 300
    imports = set(re.findall(r"^ *(?:import|from) (\w+)", text.partition('"""\n\n')[2], re.MULTILINE))
    assert imports == {"itertools", "math", "fractions", "numpy", "pytest", "torch"}
    own, began = TestPlain(), time.process_time()
    for name in own.checks():
        CHECKS[name][1](own)
    assert time.process_time() - began < 3
