"""Language models on modebench's problems: data sets, rewards for trainers, and a log of modes.

    from modebench_rl import lm

    log = lm.ModeLog("modes.jsonl")
    trainer = lm.GRPOTrainer(  # TRL's own takes the same arguments, but for method and its fields
        model=model,
        method="poly-epo",
        train_dataset=lm.dataset("countdown", n=1000),
        reward_funcs=lm.TRLReward(log=log),
        callbacks=[lm.ModeCallback(log)],
        args=GRPOConfig(...),
    )

| trainer | what it is given |
|---|---|
| TRL | `GRPOTrainer` in place of its own; `TRLReward` and `ModeCallback` |
| verl | `custom_reward_function.path=pkg://modebench_rl.lm.verl`, which has `compute_score` |
| OpenRLHF | `--reward.remote_url` with the path that `python -m modebench_rl.lm.openrlhf` prints |
| verifiers | the taskset `modebench_rl.lm.verifiers` |

None of these libraries is needed before its own part is used. `ModeCallback` needs transformers, and `GRPOTrainer`
TRL: where that is not installed, asking for it says so, and it is not listed below.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .callback import ModeCallback
    from .data import dataset, ladder
    from .modelog import ModeLog
    from .openrlhf import reward_func
    from .trainer import GRPOTrainer
    from .trl import TRLReward
    from .verl import compute_score, compute_scores

_HOMES = {
    "dataset": "data",
    "ladder": "data",
    "ModeLog": "modelog",
    "TRLReward": "trl",
    "GRPOTrainer": "trainer",
    "ModeCallback": "callback",
    "compute_score": "verl",
    "compute_scores": "verl",
    "reward_func": "openrlhf",
}

_NEEDS = {"ModeCallback": ("transformers",), "GRPOTrainer": ("trl", "transformers")}  # what they are derived from

__all__ = [
    "GRPOTrainer",
    "ModeCallback",
    "ModeLog",
    "TRLReward",
    "compute_score",
    "compute_scores",
    "dataset",
    "ladder",
    "reward_func",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as missing:
        if missing.name not in _NEEDS.get(name, ()):
            raise
        raise ModuleNotFoundError(f"{name} needs {missing.name}, which is not installed", name=missing.name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What can be had here: `help` asks for each of it."""
    return [name for name in sorted(__all__) if all(map(importlib.util.find_spec, _NEEDS.get(name, ())))]
