"""Audit, board, profile, claims, import and show, against what the program prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import modebench_rl as mb
from modebench_rl import _program


def grpo_again(rewards: np.ndarray) -> np.ndarray:
    """GRPO, written once more."""
    centred = rewards - rewards.mean(axis=1, keepdims=True)
    return centred / (rewards.std(axis=1, ddof=1, keepdims=True) + 1e-4)


def test_the_audit_of_a_function_is_that_of_its_method() -> None:
    found = mb.audit("grpo@trl", {"name": "poly-epo", "n": 2}, grpo_again, groups=[4], problems=8)
    assert [row["label"] for row in found.rows] == ["grpo@trl", "poly-epo", "grpo_again"]
    method, _, own = (np.array([k["value"] for k in row["pass"]]) for row in found.rows)
    # A method's groups are enumerated, those of a plug-in too where they are few: 256 of four answers.
    assert found.rows[2]["how"] == "exact"
    np.testing.assert_allclose(own, method, atol=1e-3)
    assert repr(found).startswith("Steps on 8 bandits") and "record:" not in repr(found)
    assert [figure.name for figure in found.figures] == ["audit", "audit-pass"]


def test_the_published_board_and_its_rows() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    found = mb.board("poly-epo", "grpo", policy="transformer")
    printed = _program.call(
        ["board", "--policy", "transformer", "--from", "published", "--methods", "poly-epo,grpo", "--format", "csv"]
    )
    names = [line.partition(",")[0] for line in printed.decode().splitlines()[1:]]
    assert sorted(names) == sorted(row["method"] for row in found.rows) == ["grpo", "poly-epo"]
    assert set(found.frame()["method"]) == {"grpo", "poly-epo"} and "poly-epo" in repr(found)


def test_a_function_is_placed_beside_the_method_that_it_is(tmp_path: Path) -> None:
    found = mb.board(grpo_again, tasks=["bandit-held-out"], out=tmp_path, progress=False)
    place = found.rows[0]
    assert place["method"] == "grpo_again" and place["beside_grpo"] == "equal"
    assert any(neighbour["method"].startswith("grpo") for neighbour in place["neighbours"])
    assert place["audit"]["rows"][0]["label"] == "grpo_again"
    assert "grpo_again on modebench board" in repr(found)


def test_profiles_are_those_of_the_program() -> None:
    found = mb.profile("vpo", "grpo")
    printed = json.loads(_program.call(["profile", "vpo", "grpo", "--format", "json"]))
    assert found.document == printed and {row["method"] for row in found.rows} == {"vpo", "grpo"}


def test_the_profile_of_a_function_is_beside_grpos(tmp_path: Path) -> None:
    found = mb.profile(grpo_again, capabilities=["keep"], out=tmp_path, progress=False)
    names = {name for row in found.rows for name in [row["method"], *row["same"]]}
    assert {"grpo", "grpo_again"} <= names and "grpo_again" in repr(found)


def test_claims_of_a_spec(spec: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        """
seeds = 4
columns = ["reward"]
[env]
name = "bandit"
[train]
steps = 30
[eval]
every = 30
k = [1]
samples = 8
[[method]]
name = "grpo"
[[method]]
name = "poly-epo"
n = 4
[[claim]]
name = "own"
text = "Training with GRPO ends at a higher reward."
source = "own"
metric = "reward"
a = "grpo"
b = "poly-epo"
says = "above"
delta = 0.01
delta_why = "a test"
"""
    )
    found = mb.claims(tmp_path / "own.toml", out=tmp_path / "results", progress=False)
    assert [row["claim"] for row in found.rows] == ["own"]
    assert found.rows[0]["answer"] in repr(found)
    with pytest.raises(ValueError, match="claims takes specs"):
        mb.claims()


def test_logs_become_a_result(tmp_path: Path) -> None:
    problem = mb.problems("countdown", n=1)[0]
    for step, answers in enumerate((["no", "<answer>1</answer>"], ["no", "none"])):
        (tmp_path / f"log{step}.jsonl").write_text(
            "".join(json.dumps({"id": problem["id"], "said": text, "step": step}) + "\n" for text in answers)
        )
    result = mb.import_log(
        tmp_path / "log0.jsonl",
        tmp_path / "log1.jsonl",
        name="mine",
        out=tmp_path,
        as_="model",
        k=[1, 2],
        field={"text": "said"},
    )
    assert result.name == "mine" and "model" in repr(result)
    assert "pass@1" in repr(mb.show(result))
    with pytest.raises(mb.InputError, match="--setp"):
        mb.import_log(tmp_path / "log0.jsonl", setp=1)


def test_comparing_folders(quick: mb.Result) -> None:
    assert mb.compare(quick.folder, quick, metrics=["reward"]).moved() == []
    assert "reward" in repr(mb.show(quick, "reward")) and "pass@1" not in repr(mb.show(quick.folder, "reward"))


def test_mistakes() -> None:
    with pytest.raises(ValueError, match="one method of yours at a time"):
        mb.board(grpo_again, "grpo")
    with pytest.raises(TypeError, match="jobs: for a method of yours alone"):
        mb.board("grpo", jobs=2)
    with pytest.raises(mb.InputError, match="did you mean"):
        mb.profile("grpoo")
