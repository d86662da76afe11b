"""A function in the place of a method: it is called with what the program would send it of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _program
from ._estimators import adapter

TEXTS = ("mode", "variant", "answer", "final")
NULLABLE = ("mode", "variant")  # of the texts, those that are null where there is none; others are ""
OF_CANDIDATES = ("reward", "correct", "valid", "answer", "mode", "embedding", "variant")
OF_TOKENS = ("token_logprobs", "token_entropies", "token_ref_logprobs", "token_squares")
ROUNDING = 1e-12  # an advantage below it is none: the program has the same


def plugin(function: Callable[..., Any], name: str) -> Any:
    """What the adapter of plug-ins makes of a function."""
    try:
        return adapter().Plugin(function, name)
    except adapter().Refusal as refusal:
        raise _program.InputError(str(refusal), 3) from None


def answer(plugin: Any, message: Any) -> tuple[str, np.ndarray]:
    """The advantages that a function gives a batch, one rollout behind the other, and what each is of:
    "advantages" of rollouts, or "tokens"."""
    needs, least = plugin.description["needs"], plugin.description["min_group"]
    for field in needs:
        if field not in message.columns:
            raise _program.InputError(message.our_names(f'method {plugin.name}: the array "{field}" is missing'), 3)
    batch = document(message.head, message.columns, needs)
    for g, group in enumerate(batch["groups"]):
        trained = sum(r.get("train", True) for r in group["rollouts"])
        if trained < least:
            raise _program.InputError(f"group {g}: {trained} rollouts to train on, want at least {least}", 3)
    try:
        found = [given for group in plugin.advantages(batch) for given in group]
    except adapter().Refusal as refusal:
        raise _program.InputError(str(refusal), 3) from None
    train = message.columns.get("train")
    if plugin.per_token:
        lengths = [len(numbers) for numbers in found]
        found = [x for numbers in found for x in numbers]
        train = None if train is None else np.repeat(train, lengths)
    advantages = np.array(found, dtype=float)
    advantages[np.abs(advantages) < ROUNDING] = 0
    if train is not None:
        advantages[train == 0] = 0
    return "tokens" if plugin.per_token else "advantages", advantages


def document(head: dict[str, Any], columns: dict[str, Any], needs: Sequence[str]) -> dict[str, Any]:
    """The batch document that a plug-in with these needs gets."""
    sent = {field: _entries(field, columns[field]) for field in needs if field not in OF_TOKENS}
    if any(field in OF_TOKENS for field in needs):
        sent["tokens"] = columns["tokens"].tolist()
        ends = np.cumsum(columns["tokens"])[:-1]
        sent |= {f: [a.tolist() for a in np.split(columns[f], ends)] for f in needs if f in OF_TOKENS}
    batch: dict[str, Any] = {"seed": head["seed"], "step": head["step"], "groups": []}
    weights = columns.get("weights")
    if weights is not None:
        batch["weights"] = weights.tolist() if weights.ndim == 1 else weights[0].tolist()
    elif "reward" in columns:
        d = columns["reward"].shape[1]
        batch["weights"] = [1 / d] * d
    rollouts = _rollouts(sent, head["candidates"], columns.get("train"))
    for g, size in enumerate(head["sizes"]):
        problem = columns["problem"][g] if "problem" in columns else None
        group: dict[str, Any] = {"problem": str(g) if problem is None else problem}
        if "greedy" in sent:
            group["greedy"] = sent["greedy"][g]
        if weights is not None and weights.ndim == 2 and len(weights) > 1:
            group["weights"] = weights[g].tolist()
        batch["groups"].append({**group, "rollouts": [next(rollouts) for _ in range(size)]})
    return batch


def _rollouts(sent: dict[str, list[Any]], chain: int, train: Any) -> Iterator[dict[str, Any]]:
    """The rollouts of all groups, without end."""
    at = 0
    while True:
        rollout = {f: x[at] for f, x in sent.items() if f not in OF_CANDIDATES and f != "greedy"}
        if train is not None and not train[at]:
            rollout["train"] = False
        own = range(at * chain, (at + 1) * chain)
        yield {**rollout, "candidates": [{f: sent[f][c] for f in OF_CANDIDATES if f in sent} for c in own]}
        at += 1


def _entries(field: str, column: Any) -> list[Any]:
    """An array, or a list of texts, as the entries of a document."""
    if field in TEXTS:
        none = None if field in NULLABLE else ""
        texts = column if isinstance(column, list) else [str(n) if n >= 0 else None for n in column]
        return [text or none for text in texts]
    if field in ("correct", "valid"):
        return [bool(x) for x in column]
    if field == "embedding":
        return [row.tolist() if row.any() else [] for row in column]
    entries: list[Any] = column.tolist()
    return entries
