"""OpenRLHF's experience maker under a method: its code runs, and what needs a GPU or a model is empty."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace as Of
from typing import Any

import pytest

import modebench_rl as mb
from modebench_rl import _program

torch = pytest.importorskip("torch", reason="no torch: see install_trainers.sh")
pytest.importorskip("openrlhf", reason="no openrlhf: see install_trainers.sh")
pytest.importorskip("ray", reason="no ray: see install_trainers.sh")

PARITY = Path(__file__).resolve().parents[2] / "estimators" / "parity"
# Not installed with the trainers: none of them computes advantages.
ABSENT = (
    "deepspeed",
    "vllm",
    "flash_attn",
    "peft",
    "bitsandbytes",
    "torchdata",
    "ring_flash_attn",
    "optree",
    "liger_kernel",
)
REWARDS = [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.5]
MODES = ["x", "y", "", "x", "", "u", "v", "u"]
LENGTHS = [1, 2, 3, 4, 4, 3, 2, 1]
GROUP = 4


@pytest.fixture(scope="module")
def home() -> Any:
    """OpenRLHF's module, imported behind Ray's hook."""
    sys.path.insert(0, str(PARITY))
    import absent

    absent.missing(*ABSENT)
    os.environ["MODEBENCH_METHOD"] = "poly-epo n=2"
    ours = importlib.import_module("modebench_rl.lm.openrlhf_trainer")
    ours.setup()
    yield importlib.import_module(ours.HOME)
    del os.environ["MODEBENCH_METHOD"]
    absent._finder.names.difference_update(ABSENT)  # other tests look for these libraries too
    for name in [name for name in sys.modules if name.partition(".")[0] in (*ABSENT, "openrlhf")]:
        del sys.modules[name]
    sys.path.remove(str(PARITY))


def settings(estimator: str, **reward: Any) -> Any:
    return Of(
        algo=Of(advantage=Of(estimator=estimator, gamma=1.0, lambd=1.0, no_std_norm=False), kl=Of(use_loss=False)),
        rollout=Of(n_samples_per_prompt=GROUP, micro_batch_size=3), reward=Of(clip_range=(-10, 10), **reward),
        train=Of(dynamic_batch_enable=False),
    )  # fmt: skip


def experiences(home: Any, order: list[int], extra: bool = True) -> list[Any]:
    """Micro batches of three rollouts, in any order, as OpenRLHF joins them of single ones."""
    singles = []
    for i in order:
        mask = torch.tensor([[t < LENGTHS[i] for t in range(LENGTHS[i])]])
        info = {"reward": torch.tensor([REWARDS[i]])}
        if extra:
            number = zlib.crc32(MODES[i].encode()) if MODES[i] else -1
            info |= {"acc": torch.tensor([float(REWARDS[i] == 1)]), "mode": torch.tensor([number])}
        singles.append(
            home.Experience(
                index=[i], sequences=torch.ones(1, LENGTHS[i] + 1, dtype=torch.long), action_mask=mask,
                rewards=torch.tensor([REWARDS[i]]), kl=torch.zeros(1, LENGTHS[i]), info=info,
                response_length=torch.tensor([LENGTHS[i]]),
            )
        )  # fmt: skip
    return [home.Experience.concat_experiences(singles[i : i + 3], 0) for i in range(0, len(singles), 3)]


def advantages(home: Any, kind: type, args: Any, batches: list[Any], kl: float = 0.0) -> list[float]:
    """Of each rollout by its number; they are 0 behind its tokens, and of one value on them."""
    maker = object.__new__(kind)
    maker.args, maker.strategy = args, Of(args=args)
    maker.advantage_estimator, maker.kl_ctl = args.algo.advantage.estimator, Of(value=kl)
    out: dict[int, float] = {}
    for batch in maker.compute_advantages_and_returns(batches):
        assert torch.equal(batch.returns, batch.advantages) and batch.kl is None
        for row, place in enumerate(batch.index):
            own = batch.advantages[row].tolist()
            assert own[: LENGTHS[place]] == [own[0]] * LENGTHS[place] and not any(own[LENGTHS[place] :])
            out[place] = own[0]
    return [out[place] for place in sorted(out)]


ORDER = [5, 0, 7, 2, 3, 1, 6, 4]


@pytest.mark.parametrize("method, theirs", [("grpo@openrlhf", "group_norm"), ("dr-grpo", "dr_grpo"), ("rloo", "rloo")])
def test_their_estimators(home: Any, monkeypatch: pytest.MonkeyPatch, method: str, theirs: str):
    """A method that OpenRLHF has too gives its advantages, behind its length penalty as well."""
    monkeypatch.setenv("MODEBENCH_METHOD", method)
    kind = home.RemoteExperienceMaker
    for more in ({}, {"overlong_buffer_len": 2, "overlong_penalty_factor": 0.5}):
        args = settings(theirs, **more)
        args.rollout.max_new_tokens = 4
        own = advantages(home, kind, args, experiences(home, ORDER))
        want = advantages(home, kind.__mro__[1], args, experiences(home, ORDER))
        assert own == pytest.approx(want, abs=1e-5) and any(own)


def test_modes(home: Any):
    assert home.RemoteExperienceMaker.__module__ == "modebench_rl.lm.openrlhf_trainer"
    own = advantages(home, home.RemoteExperienceMaker, settings("dr_grpo"), experiences(home, ORDER))
    groups = [slice(0, GROUP), slice(GROUP, 2 * GROUP)]
    modes = [m or None for m in MODES]
    found = mb.Estimator("poly-epo", n=2)(rewards=[REWARDS[g] for g in groups], modes=[modes[g] for g in groups])
    assert own == pytest.approx([x for group in found for x in group], abs=1e-6)
    assert own[1] > own[0] == own[3], "the rare mode has more"


def test_the_divergence_in_the_reward_stays(home: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MODEBENCH_METHOD", "dr-grpo")
    kind, found = home.RemoteExperienceMaker, []
    for one in (kind, kind.__mro__[1]):
        batches = experiences(home, ORDER)
        for batch in batches:
            batch.kl = 0.5 * batch.action_mask.float()
        maker = object.__new__(one)
        maker.args, maker.strategy = settings("dr_grpo"), Of(args=settings("dr_grpo"))
        maker.advantage_estimator, maker.kl_ctl = "dr_grpo", Of(value=0.1)
        found.append([batch.advantages for batch in maker.compute_advantages_and_returns(batches)])
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(*found, strict=True))


def test_mistakes(home: Any, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(
        ValueError, match="poly-epo reads mode, which no reward function gives: modebench_rl.lm.openrlhf"
    ):
        advantages(home, home.RemoteExperienceMaker, settings("rloo"), experiences(home, ORDER, extra=False))
    ours = sys.modules["modebench_rl.lm.openrlhf_trainer"]
    with pytest.raises(RuntimeError, match="imported already"):
        ours.setup()
    monkeypatch.setenv("MODEBENCH_METHOD", "setpo+grpo")
    with pytest.raises(ValueError, match="reads embedding, which OpenRLHF does not give"):
        ours.setup()
    monkeypatch.delenv("MODEBENCH_METHOD")
    with pytest.raises(ValueError, match="MODEBENCH_METHOD is not set"):
        ours.setup()


IN_RAY = """
import sys
import ray

variables = {"MODEBENCH_METHOD": "grpo", "PYTHONPATH": ":".join(sys.path[1:])}
hook = "modebench_rl.lm.openrlhf_trainer.setup"
ray.init(num_cpus=1, include_dashboard=False, runtime_env={"worker_process_setup_hook": hook, "env_vars": variables})

@ray.remote
def finders():
    import sys
    return [type(finder).__module__ for finder in sys.meta_path]

print(ray.get(finders.remote())[0])
"""


def test_in_a_ray_process():
    """Ray calls the hook in a process that it starts, before anything of OpenRLHF is imported."""
    environment = {**os.environ, "MODEBENCH_BENCH": _program.program(), "RAY_raylet_start_wait_time_s": "120"}
    command = [sys.executable, "-c", IN_RAY]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.stdout.split() == ["modebench_rl.lm.openrlhf_trainer"], done.stderr[-2000:]
