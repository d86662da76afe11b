"""verl's own trainer computes the advantages of a method: its code runs, and what needs a GPU or a cluster is empty."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import modebench_rl as mb

torch = pytest.importorskip("torch", reason="no torch: see install_trainers.sh")
pytest.importorskip("verl", reason="no verl: see install_trainers.sh")
np = pytest.importorskip("numpy")

from omegaconf import OmegaConf  # noqa: E402

PARITY = Path(__file__).resolve().parents[2] / "estimators" / "parity"
# Not installed with the trainers: none of them computes advantages.
ABSENT = ("transfer_queue", "hydra", "cachetools", "uvicorn", "fastapi", "torchdata", "peft")
GROUPS = ["a", "b", "a", "b", "a", "b", "a", "b"]
REWARDS = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
MODES = ["x", "u", "x", "", "y", "u", "", "v"]
LENGTHS = [1, 2, 3, 4, 4, 3, 2, 1]


@pytest.fixture(scope="module")
def ours() -> Any:
    sys.path.insert(0, str(PARITY))
    import absent

    absent.missing(*ABSENT)
    yield importlib.import_module("modebench_rl.lm.verl_trainer")
    absent._finder.names.difference_update(ABSENT)  # other tests look for these libraries too
    for name in [name for name in sys.modules if name.partition(".")[0] in ABSENT]:
        del sys.modules[name]
    sys.path.remove(str(PARITY))


def config(**own: Any) -> Any:
    algorithm = {
        "adv_estimator": "modebench", "gamma": 1.0, "lam": 1.0, "use_kl_in_reward": False, "modebench": own,
    }  # fmt: skip
    return OmegaConf.create({"algorithm": algorithm, "actor_rollout_ref": {"rollout": {"n": 4}}})


def tensors() -> tuple[Any, Any]:
    """Rewards at the last token of each rollout, as verl has them, and masks."""
    mask = torch.tensor([[float(t < n) for t in range(4)] for n in LENGTHS])
    rewards = torch.zeros_like(mask)
    for row, (n, reward) in enumerate(zip(LENGTHS, REWARDS, strict=True)):
        rewards[row, n - 1] = reward
    return rewards, mask


def expected(method: str, **more: Any) -> list[float]:
    """By groups, and in the order of the rollouts."""
    rows = [[i for i, g in enumerate(GROUPS) if g == name] for name in ("a", "b")]
    batch = {name: [[values[i] for i in group] for group in rows] for name, values in more.items() if name != "n"}
    fields = {"n": more["n"]} if "n" in more else {}
    found = mb.Estimator(method, **fields)(rewards=[[REWARDS[i] for i in group] for group in rows], **batch)
    out = [0.0] * len(GROUPS)
    for group, advantages in zip(rows, found, strict=True):
        for i, x in zip(group, advantages, strict=True):
            out[i] = float(x)
    return out


def rows() -> list[dict[str, Any]]:
    return [{"score": r, "acc": r, "mode": m} for r, m in zip(REWARDS, MODES, strict=True)]


def test_the_function_that_verl_registers(ours: Any):
    """verl finds the estimator by its name, and calls it with these arguments."""
    function = ours.core_algos.get_adv_estimator_fn("modebench")
    rewards, mask = tensors()
    given = {"token_level_rewards": rewards, "response_mask": mask, "index": np.array(GROUPS, dtype=object)}
    with ours.judged(rows()):
        advantages, returns = function(**given, config=config(method="poly-epo", n=2).algorithm)
    modes = [m or None for m in MODES]
    wanted = expected("poly-epo", modes=modes, n=2)
    assert advantages.dtype == rewards.dtype and torch.equal(advantages, returns)
    for row, (x, n) in enumerate(zip(wanted, LENGTHS, strict=True)):
        assert advantages[row].tolist() == pytest.approx([x] * n + [0.0] * (4 - n), abs=1e-6)
    plain, _ = function(**given, config=config(method="grpo@verl").algorithm)
    theirs, _ = ours.core_algos.compute_grpo_outcome_advantage(**given, norm_adv_by_std_in_grpo=True)
    assert torch.allclose(plain, theirs, atol=1e-5), "verl's own GRPO"


class Batch:
    """The keys of a batch in verl's queue."""

    keys = [f"{g}_{i}_0" for i, g in enumerate(GROUPS)]
    partition_id = "train"

    def __len__(self) -> int:
        return len(self.keys)


def test_verls_trainer_hands_modes_on(ours: Any, monkeypatch: pytest.MonkeyPatch):
    """PPOTrainer._compute_advantage, with a queue that holds one batch."""
    from tensordict import NonTensorStack, TensorDict

    rewards, mask = tensors()

    def ragged(values: Any) -> Any:
        return torch.nested.as_nested_tensor([v[:n] for v, n in zip(values, LENGTHS, strict=True)], layout=torch.jagged)

    held = {
        "uid": NonTensorStack(*GROUPS), "response_mask": ragged(mask), "rm_scores": ragged(rewards),
        "extra_fields": NonTensorStack(*({"reward_extra_info": row} for row in rows())),
    }  # fmt: skip
    written: dict[str, Any] = {}

    def get(keys: Any, partition_id: str, select_fields: list[str]) -> Any:
        assert keys == Batch.keys and partition_id == "train"
        return TensorDict({name: held[name] for name in select_fields if name in held}, batch_size=len(GROUPS))

    def put(keys: Any, partition_id: str, fields: Any) -> Any:
        written.update(fields.items())
        return "the batch"

    monkeypatch.setattr(ours.trainer_base, "tq", SimpleNamespace(kv_batch_get=get, kv_batch_put=put))
    trainer = SimpleNamespace(config=config(method="poly-epo", n=2))
    assert ours.trainer_base.PPOTrainer._compute_advantage(trainer, Batch(), {}) == "the batch"
    wanted = expected("poly-epo", modes=[m or None for m in MODES], n=2)
    found = [row.tolist() for row in written["advantages"].unbind()]
    assert found == [pytest.approx([x] * n, abs=1e-6) for x, n in zip(wanted, LENGTHS, strict=True)]
    trainer.config.algorithm.adv_estimator = "rloo"
    ours.trainer_base.PPOTrainer._compute_advantage(trainer, Batch(), {})
    others = [row.tolist()[0] for row in written["advantages"].unbind()]
    assert others == pytest.approx(expected("rloo"), abs=1e-6), "verl's own estimators go their own way"


@pytest.mark.parametrize(
    "own, error",
    [
        ({}, "algorithm.modebench.method is not set"),
        ({"method": "setpo+grpo"}, "method setpo\\+grpo reads embedding, which verl does not give"),
        ({"method": "poly-epo"}, '"mode'),
    ],
)
def test_mistakes(ours: Any, own: dict[str, Any], error: str):
    rewards, mask = tensors()
    given = {"token_level_rewards": rewards, "response_mask": mask, "index": np.array(GROUPS, dtype=object)}
    with pytest.raises(ValueError, match=error):
        ours.compute_advantage(**given, config=config(**own).algorithm)


ALONE = """
import os, sys
sys.path.insert(0, sys.argv[1])
import absent
absent.missing(*sys.argv[2:])
os.environ["VERL_USE_EXTERNAL_MODULES"] = "modebench_rl.lm.verl_trainer"
import verl
from verl.trainer.ppo.core_algos import get_adv_estimator_fn
from verl.trainer.ppo.v1.trainer_base import PPOTrainer
print(get_adv_estimator_fn("modebench").__module__, PPOTrainer._compute_advantage.__module__)
"""


def test_verl_loads_it_by_itself():
    """By the variable that names external modules, as verl is imported."""
    command = [sys.executable, "-c", ALONE, PARITY, *ABSENT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["modebench_rl.lm.verl_trainer"] * 2, done.stderr[-2000:]
