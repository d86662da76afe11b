"""What the tests share. They run against the installed package: `pip install ./python`."""

from __future__ import annotations

from pathlib import Path

import pytest

import modebench_rl as mb

CLONE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def clone() -> Path:
    """The clone that the tests lie in, which has the suite's own data."""
    return CLONE


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> mb.Result:
    """The result of the quick spec."""
    return mb.run("quick", out=tmp_path_factory.mktemp("results"), progress=False)


SPEC = {
    "name": "small",
    "seeds": 2,
    "columns": ["reward", "coverage@4"],
    "env": {"name": "bandit"},
    "train": {"steps": 30, "group": 6},
    "eval": {"every": 10, "k": [1, 4], "samples": 8},
    "method": ["grpo", {"name": "poly-epo", "n": 4, "label": "sets of four"}],
    "figure": [{"name": "curves", "kind": "curve", "metrics": ["reward"]}],
}


@pytest.fixture
def spec() -> dict[str, object]:
    """A spec of seconds."""
    return dict(SPEC)
