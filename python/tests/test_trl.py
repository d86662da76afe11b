"""TRL's GRPOTrainer, on a CPU: a model of two layers learns Countdown, and its log says what became of its modes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from modebench_rl import lm

pytest.importorskip("torch", reason="no torch: see install_trainers.sh")
trl = pytest.importorskip("trl", reason="no trl: see install_trainers.sh")
pytest.importorskip("datasets")

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STEPS = 24


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the example leaves."""
    out = tmp_path_factory.mktemp("trl")
    command = [sys.executable, EXAMPLES / "trl_countdown.py", "--steps", str(STEPS), "--out", out]
    env = {**os.environ, "WANDB_MODE": "offline", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    return out


@pytest.fixture(scope="module")
def rows(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "modes.jsonl").read_text().splitlines()]


def mean(rows: list[dict[str, Any]], name: str) -> float:
    return sum(row[name] for row in rows) / len(rows)


def test_it_trains(rows: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]):
    names = ("reward", "coverage@4", "coverage@16", "distinct_correct", "entropy_mode")
    with capsys.disabled():
        print(f"\nTRL {trl.__version__}")
        for row in rows[:: STEPS // 6]:
            print(f"  step {row['step']:2}", *(f"{name} {row[name]:.3f}" for name in names))
    assert [row["step"] for row in rows] == list(range(1, STEPS + 1))
    assert all(row["problems"] == 8 and row["answers"] == 128 and row["split"] == "train" for row in rows)
    first, last = rows[:4], rows[-4:]
    assert mean(last, "reward") > mean(first, "reward") + 0.15, "GRPO learns"
    assert mean(last, "entropy_mode") < mean(first, "entropy_mode") - 0.3, "and its modes become fewer"


def events(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """What is in the event files of a folder itself."""
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    found = accumulator.EventAccumulator(str(folder))
    found.Reload()
    return {tag: [(e.step, e.value) for e in found.Scalars(tag)] for tag in found.Tags()["scalars"]}


def test_it_says_what_trl_says(run: Path, rows: list[dict[str, Any]]):
    """TRL works out the mean reward by itself, from what the function gave it."""
    theirs = events(run / "tensorboard")["train/rewards/modebench/mean"]
    assert theirs == [(row["step"], pytest.approx(row["reward"], abs=1e-6)) for row in rows]


def test_it_is_in_tensorboard_and_in_weights_and_biases(run: Path, rows: list[dict[str, Any]]):
    found = events(run / "tensorboard" / "modes")
    for name in ("reward", "coverage@16", "entropy_mode"):
        assert found[f"modes/train/{name}"] == [(row["step"], pytest.approx(row[name], abs=1e-6)) for row in rows]
    pytest.importorskip("wandb")
    [offline] = run.glob("wandb/offline-run-*/run-*.wandb")
    record = offline.read_bytes()
    assert record.count(b"modes/train/entropy_mode") >= STEPS and b"train/rewards/modebench/mean" in record


def test_the_figure(run: Path):
    pytest.importorskip("matplotlib")
    assert (run / "modes.svg").read_text().count("<svg") == 1
    assert (run / "modes.svg").stat().st_size < 100_000


def test_an_evaluation_has_a_row_of_its_own():
    log = lm.ModeLog(k=[1])
    callback = lm.ModeCallback(log)
    reward = lm.TRLReward(log=log)
    state = SimpleNamespace(global_step=7, is_world_process_zero=True)
    given = {"prompts": ["p"], "completions": ["<answer>10+12+3</answer>"], "id": ["coins/test/0"]}
    reward(**given)
    callback.on_step_end(None, state, None)
    callback.on_evaluate(None, state, None)
    reward(**given)
    callback.on_evaluate(None, state, None)
    assert [(row["step"], row["split"]) for row in log.history] == [(7, "train"), (7, "eval")]


def test_other_data_sets_may_be_mixed_in(tmp_path: Path):
    """A row of ours has our reward, one of another data set that of its own function, and both are trained on."""
    datasets = pytest.importorskip("datasets")
    sys.path.insert(0, str(EXAMPLES))
    import trl_countdown

    ours = lm.dataset("coins", n=4, rows=True)
    theirs = [{"prompt": f"{n} + 1 = ", "gold": str(n + 1)} for n in range(4)]
    mixed = datasets.concatenate_datasets([datasets.Dataset.from_list(ours), datasets.Dataset.from_list(theirs)])
    seen: list[tuple[Any, Any]] = []
    reward = lm.TRLReward()

    def counted(prompts: Any, completions: Any, **columns: Any) -> list[float | None]:
        rewards = reward(prompts=prompts, completions=completions, **columns)
        seen.extend(zip(columns["id"], rewards, strict=True))
        return rewards

    def gold(completions: Any, gold: Any, **_: Any) -> list[float | None]:
        return [None if g is None else float(c == g) for c, g in zip(completions, gold, strict=True)]

    tokens = trl_countdown.tokenizer()
    network = trl_countdown.model(tokens)
    network.config.max_position_embeddings = 512
    arguments = trl.GRPOConfig(
        output_dir=str(tmp_path), per_device_train_batch_size=8, num_generations=2, max_completion_length=4,
        max_steps=2, use_cpu=True, report_to=[], save_strategy="no", seed=1,
    )  # fmt: skip
    trainer = trl.GRPOTrainer(
        model=network, processing_class=tokens, reward_funcs=[counted, gold], train_dataset=mixed, args=arguments
    )
    trainer.train()
    assert {name is None for name, _ in seen} == {True, False}, "rows of both"
    assert all((reward is None) == (name is None) for name, reward in seen)
    assert trainer.state.global_step == 2


TWO = """
import json, sys
from types import SimpleNamespace
import torch.distributed as dist
from modebench_rl import lm
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method=sys.argv[2], rank=rank, world_size=2)
log = lm.ModeLog(sys.argv[3], k=[4])
judged = lambda mode: {"reward": [1], "scalar": 1, "correct": True, "mode": mode, "error": None}
log.add(["p"] * 2, [judged("a" if rank == 0 else "b")] * 2, [4] * 2)
lm.ModeCallback(log).on_step_end(None, SimpleNamespace(global_step=1, is_world_process_zero=rank == 0), None)
log.close()
dist.destroy_process_group()
"""


def test_two_processes_have_one_log(tmp_path: Path):
    """A group whose rollouts are on two processes is one pool."""
    meeting = f"file://{tmp_path / 'meeting'}"
    env = {**os.environ, "GLOO_SOCKET_IFNAME": "lo"}
    running = [
        subprocess.Popen([sys.executable, "-c", TWO, str(rank), meeting, tmp_path / "modes.jsonl"], env=env)
        for rank in (0, 1)
    ]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    [row] = [json.loads(line) for line in (tmp_path / "modes.jsonl").read_text().splitlines()]
    assert row["answers"] == 4 and row["problems"] == 1
    assert row["coverage@4"] == 0.5, "two of the four modes"
