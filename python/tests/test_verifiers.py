"""verifiers scores the tasks of the taskset."""

from __future__ import annotations

import asyncio
import importlib.metadata

import pytest

import modebench_rl as mb

vf = pytest.importorskip("verifiers.v1", reason="no verifiers: see install_trainers.sh")

from modebench_rl.lm.verifiers import ModebenchConfig, ModebenchTaskset  # noqa: E402

ANSWERS = ["<answer>10+12+3</answer>", "<answer>10+10</answer>", "nothing"]


def test_tasks():
    tasks = list(ModebenchTaskset(ModebenchConfig(env="countdown", n=3, settings={"numbers": 5})))
    problems = mb.problems("countdown", n=3, numbers=5)
    assert [task.key for task in tasks] == [p["id"] for p in problems]
    assert [task.data.prompt_text for task in tasks] == [p["prompt"] for p in problems]
    assert [task.data.modes for task in tasks] == [p["truth"]["modes"] for p in problems]


def test_scores(capsys: pytest.CaptureFixture[str]):
    """By verifiers' own scoring of a trace."""
    [task] = ModebenchTaskset(ModebenchConfig(env="coins", n=1))
    for answer, verdict in zip(ANSWERS, mb.judge("coins/train/0", ANSWERS), strict=True):
        trace = vf.Trace.model_construct(nodes=[], rewards={}, metrics={}, root_reply=answer)
        asyncio.run(task.score(trace))
        assert trace.reward == pytest.approx(verdict["scalar"])
        assert trace.metrics["acc"] == verdict["correct"]
        assert [trace.metrics["reward_0"], trace.metrics["reward_1"]] == verdict["reward"]
    with capsys.disabled():
        print(f"\nverifiers {importlib.metadata.version('verifiers')}")
