"""modebench for Python: what an RL estimator does to the diversity of a policy.

    import modebench_rl as mb

    result = mb.run("quick")             # a built-in spec, a file, or a dict
    result                               # its table; in a notebook too
    result.evals()                       # records as a DataFrame
    result.plot()                        # its figures

    @mb.estimator                        # an advantage estimator of your own, in this process
    def mine(rewards, modes):            # (groups, rollouts)
        return rewards - rewards.mean(axis=1, keepdims=True)

    mb.run("quick", estimators=[mine])

    mb.estimate("poly-epo", rewards=rewards, modes=modes)    # a method's advantages of your batch
    mb.estimate(mine, rewards=rewards, modes=modes)          # those of your function
    mb.recipe("poly-epo", trainer="trl")                     # the trainer's settings of the rest of the method
    mb.problems("countdown", n=100)                          # prompts, for a language model
    mb.judge(ids, answers)                                   # reward and mode of its answers
    mb.metrics(pools, modes=counts)                          # pass@k and others, of a pool for each problem
    mb.audit("grpo", mine)                                   # bias and variance of steps, and what they climb
    mb.board(); mb.board(mine); mb.profile("vpo", "grpo")    # the published board, and your function on it

The program that does the work is inside the package. `python -m modebench_rl FILE.py` serves an
estimator to it, and `modebench` is the program itself.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._commands import audit, board, claims, compare, import_log, profile, show
    from ._estimate import Estimator, estimate
    from ._estimators import estimator, needs, rng
    from ._problems import judge, metrics, problems
    from ._program import BenchError, InputError, program, version
    from ._recipe import Recipe, recipe
    from ._result import Comparison, Document, Figure, Figures, Result
    from ._run import run

__all__ = [
    "BenchError",
    "Comparison",
    "Document",
    "Estimator",
    "Figure",
    "Figures",
    "InputError",
    "Recipe",
    "Result",
    "audit",
    "board",
    "claims",
    "compare",
    "estimate",
    "estimator",
    "import_log",
    "judge",
    "metrics",
    "needs",
    "problems",
    "profile",
    "program",
    "recipe",
    "rng",
    "run",
    "show",
    "version",
]

# Where each name is. They are imported when they are asked for: a process that serves one cell
# starts in the time of Python alone.
_HOMES = {
    "_commands": ("audit", "board", "claims", "compare", "import_log", "profile", "show"),
    "_estimate": ("Estimator", "estimate"),
    "_estimators": ("estimator", "needs", "rng"),
    "_problems": ("judge", "metrics", "problems"),
    "_program": ("BenchError", "InputError", "program", "version"),
    "_recipe": ("Recipe", "recipe"),
    "_result": ("Comparison", "Document", "Figure", "Figures", "Result"),
    "_run": ("run",),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version as installed

        return installed("modebench-rl")
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
