"""`python -m modebench_rl FILE.py`: the adapter of plug-ins, under its new name and its old one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from modebench_rl import _program

BATCH = {"groups": [{"rollouts": [{"tokens": 2, "candidates": [{"reward": [r]}]} for r in (1, 0, 0, 1)]}]}


def advantages(folder: Path, monkeypatch: pytest.MonkeyPatch, *command: str) -> list[list[float]]:
    """What the program gets from a plug-in in the folder."""
    monkeypatch.chdir(folder)
    args = ["estimate", "plugin", "--set", "command=" + ",".join([sys.executable, "-m", *command])]
    found: list[list[float]] = json.loads(_program.call(args, json.dumps(BATCH).encode()))["advantages"]
    return found


@pytest.mark.parametrize("module", ["modebench_rl", "modebench"])
@pytest.mark.parametrize("imported", ["modebench_rl", "modebench"])
def test_either_name_serves_a_file(module: str, imported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        f"import {imported} as m\n\n"
        "@m.needs(min_group=2)\n"
        "def advantages(rewards, seed, step):\n"
        "    m.rng(seed, step).random()\n"
        "    return rewards - rewards.mean(axis=1, keepdims=True)\n"
    )
    assert advantages(tmp_path, monkeypatch, module, "mine.py") == [[0.5, -0.5, -0.5, 0.5]]


def test_the_estimator_of_a_notebook_runs_as_a_file_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "import modebench_rl as mb\n\n@mb.estimator\ndef twice(rewards):\n    return 2 * rewards\n"
    )
    assert advantages(tmp_path, monkeypatch, "modebench_rl", "mine.py", "twice") == [[2, 0, 0, 2]]


def test_verls_signature(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    examples = clone / "estimators" / "python" / "examples"
    found = advantages(examples, monkeypatch, "modebench_rl", "--verl", "verl_grpo.py")
    assert found[0] == pytest.approx([0.8660, -0.8660, -0.8660, 0.8660], abs=1e-3)


def test_what_does_not_load_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(_program.InputError, match="mine.py does not load: ModuleNotFoundError"):
        advantages(tmp_path, monkeypatch, "modebench_rl", "mine.py")


def test_it_can_be_read_about_after_it_has_served() -> None:
    read = "from modebench_rl._estimators import adapter; adapter(); import modebench_rl._adapter.modebench as m; "
    done = subprocess.run([sys.executable, "-c", read + "print(m.__doc__)"], capture_output=True, text=True)
    assert "entropies   (groups, rollouts)" in done.stdout, done.stderr
