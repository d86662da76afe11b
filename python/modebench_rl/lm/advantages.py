"""The advantages of a method, of what a trainer knows of each rollout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from modebench_rl._estimate import NAMES, arrays_of, kept
from modebench_rl._recipe import check, listed


class Advantages:
    """A method under a trainer.

    fields: of the method; those of its loss are passed over. given: the inputs that the trainer gives. trainer: its
    name in errors. hint: what to do where an input is missing, with {} for its name. chains: completions may be chains
    of several answers."""

    def __init__(
        self,
        method: str,
        fields: Mapping[str, Any],
        given: Iterable[str],
        trainer: str,
        hint: str,
        chains: bool = False,
    ) -> None:
        check(method, given, trainer, chains)
        self.reads = listed(method).reads
        self.chains = listed(method).rollouts.startswith("chains")
        self._method, self._hint = method, hint
        own = listed(method).advantage
        self._estimator = kept(method, {name: value for name, value in fields.items() if name in own})

    def __call__(self, rows: Sequence[Mapping[str, Any]], **batch: Any) -> np.ndarray:
        """One advantage for each rollout.

        rows: of each rollout the fields of its verdict that are known, and tokens, how many it has; of a chain,
        answers, the verdicts of its answers. batch: its rewards, index and step."""
        known = {"tokens": np.array([row["tokens"] for row in rows])}
        if self.chains:
            answers = [row.get("answers", ()) for row in rows]
            if len({len(chain) for chain in answers}) > 1 or not answers[0]:
                raise ValueError(
                    f"{self._method} reads chains of answers, of lm.TRLReward, all with the same number of candidates"
                )
            batch["vectors"] = [[answer["reward"] for answer in chain] for chain in answers]
            flat = arrays_of([answer for chain in answers for answer in chain])
            known |= {name: _folded(values, len(answers[0])) for name, values in flat.items()}
        else:
            known |= arrays_of(rows)
        for field in self.reads:
            name = "tokens" if field == "tokens" else NAMES[field]
            if name in known:
                batch[name] = known[name]
            elif field != "reward":
                raise ValueError(
                    f"{self._method} reads {field}, which no reward function gives: {self._hint.format(field)}"
                )
        found: np.ndarray = self._estimator(**batch)
        return found


def _folded(values: Any, m: int) -> Any:
    """Of each chain of m answers a list, or a row of an array."""
    if isinstance(values, np.ndarray):
        return values.reshape(-1, m, *values.shape[1:])
    return [values[first : first + m] for first in range(0, len(values), m)]
