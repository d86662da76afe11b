"""The pack on the suite's own methods, in Go: two derivations of the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import modebench_rl as mb
from conformance import Conformance


def advantage(method: str, **fields: Any) -> Any:
    return lambda own, rewards, groups, mask: mb.estimate(method, rewards=rewards, index=groups, mask=mask, **fields)


class TestModebench(Conformance):
    tensor = staticmethod(np.asarray)
    ddof = 0
    grpo = advantage("grpo")
    dr_grpo = advantage("dr-grpo")
    rloo = advantage("rloo")
    opo = advantage("opo")
    reinforce_pp_baseline = advantage("reinforce++-baseline", singleton="zero")
