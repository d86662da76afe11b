"""The pack on the released functions of TRL, verl, OpenRLHF and SkyRL, through what runs them in estimators/parity.

A class here is the adapter of a framework, and its `known` is the framework's part of the table in docs/parity.md.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import math
import sys
from pathlib import Path
from types import SimpleNamespace as Of
from typing import Any

import numpy
import pytest

from conformance import ADVANTAGES, Conformance

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "estimators" / "parity"))

import absent  # noqa: E402
import frameworks  # noqa: E402

frameworks.prepare()

LONE = "a lone rollout keeps its reward, where the pack wants 0"
TENTHS = "the mean in float32 of equal rewards differs from them, and the difference is divided by epsilon"
GAPS = "places without a token have an advantage too, which the loss leaves out"
EMPTY = "a rollout without a token counts in the mean over rollouts"


def advantage(function: str, **settings: Any) -> Any:
    """A function of the framework's module in estimators/parity, as the pack calls it."""

    def method(own: Released, rewards: Any, groups: Any, mask: Any) -> Any:
        n, width = mask.shape
        size = n // len(set(groups))
        float32 = rewards.dtype == torch.float32
        batch = frameworks.Batch(
            {"rewards": rewards.tolist(), "groups": groups, "tokens": [width] * n, "size": size, "float32": float32}
        )
        batch.mask, batch.lengths, batch.read = mask.long(), mask.long().sum(dim=1).numpy(), lambda rows: rows
        return getattr(own.module, function)(batch, Of(**settings))

    return method


class Released(Conformance):
    """A framework: its module, and what the module calls a loss and its settings."""

    name: str

    @property
    def module(self) -> Any:
        own, found = frameworks.load(frameworks.FRAMEWORKS[self.name])
        if own is None:
            pytest.skip(f"{self.name}: {found['skip']}")
        return own

    def loss(self, function: str, logp: Any, old: Any, advantages: Any, mask: Any, settings: dict[str, Any]) -> Any:
        rows = advantages[:, None].expand(mask.shape).contiguous()
        tokens = Of(logp=logp, old=old, ref=old, mask=mask, advantage=advantages, rows=rows, sampler=None)
        return getattr(self.module, function)(tokens, Of(**settings))


class TestVerl(Released):
    name = "verl"
    grpo = advantage("grpo")
    dr_grpo = advantage("grpo", norm_adv_by_std_in_grpo=False)
    rloo = advantage("rloo")
    opo = advantage("opo")
    reinforce_pp_baseline = advantage("reinforce_plus_plus_baseline")
    whiten_ddof = 1
    tolerance = {"reinforce_pp_baseline": 1e-7, "seq-mean-token-mean": 1e-7}  # 1e-8 is added to numbers of tokens
    known = {
        **dict.fromkeys([f"{method}: a lone rollout" for method in ADVANTAGES], LONE),
        "grpo: equal rewards in float32": TENTHS,
    }

    def policy_loss(self, logp, old, advantages, mask, low, high, dual, aggregation, longest):  # type: ignore
        settings = {"clip_low": low, "clip_high": high, "dual_clip": dual or 1e9, "max_tokens": longest}
        return self.loss("loss_vanilla", logp, old, advantages, mask, {**settings, "aggregation": aggregation})


class TestVerlVectorized(Released):
    name = "verl"
    grpo = advantage("grpo_vectorized")
    rloo = advantage("rloo_vectorized")
    tolerance = {"grpo": 1e-6}  # it computes in float32
    known = {"grpo: a lone rollout": LONE, "grpo: equal rewards in float32": TENTHS}


class TestTRL(Released):
    name = "TRL"
    contiguous = True
    epsilon = 1e-4
    grpo = advantage("group")
    dr_grpo = advantage("none")
    losses = {"token-mean": "bnpo", "seq-mean-token-mean": "grpo", "seq-mean-token-sum-norm": "dr_grpo"}
    aggregations = tuple(losses)
    known = {
        "grpo: equal rewards in float32": TENTHS,
        "loss: seq-mean-token-mean, clips 0.2 0.28 None, a rollout without a token": EMPTY,
        "loss: seq-mean-token-sum-norm, clips 0.2 0.28 None, a rollout without a token": EMPTY,
    }

    def policy_loss(self, logp, old, advantages, mask, low, high, dual, aggregation, longest):  # type: ignore
        settings = {"epsilon_low": low, "epsilon_high": high, "delta": dual, "max_tokens": longest}
        return self.loss("loss_" + self.losses[aggregation], logp, old, advantages, mask, settings)


class TestTRLDapo(TestTRL):
    grpo = dr_grpo = None
    losses = {"token-mean": "dapo"}
    aggregations = tuple(losses)
    known: dict[str, str] = {}


class TestOpenRLHF(Released):
    name = "OpenRLHF"
    contiguous = True
    epsilon = 1e-9
    grpo = advantage("group_norm")
    dr_grpo = advantage("dr_grpo")
    rloo = advantage("rloo")
    reinforce_pp_baseline = advantage("reinforce_baseline")
    aggregations = ("token-mean", "seq-mean-token-mean")
    # It whitens in float32, and adds 1e-8 to numbers of tokens.
    tolerance = {"reinforce_pp_baseline": 1e-6, "seq-mean-token-mean": 1e-7}
    known = {
        "grpo: equal rewards in float32": TENTHS,
        **dict.fromkeys(
            [f"{method}: nothing where there is no token" for method in ADVANTAGES if method != "opo"], GAPS
        ),
    }

    def whiten(self, variance: float) -> float:
        return math.sqrt(max(variance, 1e-8))

    def policy_loss(self, logp, old, advantages, mask, low, high, dual, aggregation, longest):  # type: ignore
        settings = {"clip_low": low, "clip_high": high, "dual_clip": dual, "aggregation": aggregation}
        return self.loss("loss_ppo", logp, old, advantages, mask, settings)


class TestSkyRL(Released):
    name = "SkyRL"
    grpo = advantage("grpo")
    dr_grpo = advantage("grpo", grpo_norm_by_std=False)
    rloo = advantage("rloo")
    reductions = {
        "token-mean": "token_mean",
        "seq-mean-token-mean": "sequence_mean",
        "seq-mean-token-sum-norm": "seq_mean_token_sum_norm",
    }
    aggregations = tuple(reductions)
    tolerance = dict.fromkeys(reductions, 1e-6)  # it computes in float32
    known = {
        "grpo: a lone rollout": LONE,
        "dr_grpo: a lone rollout": LONE,
        "grpo: equal rewards in float32": TENTHS,
        "loss: seq-mean-token-mean, clips 0.2 0.28 None, a rollout without a token": EMPTY,
        "loss: seq-mean-token-sum-norm, clips 0.2 0.28 None, a rollout without a token": EMPTY,
    }

    def policy_loss(self, logp, old, advantages, mask, low, high, dual, aggregation, longest):  # type: ignore
        settings = {"clip_low": low, "clip_high": high, "dual_clip": dual, "max_tokens": longest}
        settings["loss_reduction"] = self.reductions[aggregation]
        return self.loss("loss_dual_clip" if dual else "loss_regular", logp, old, advantages, mask, settings)


class Checkout(Conformance):
    """A framework that the package index has no code of: the source of its repository has to be on the path."""

    def load(self, module: str, *without: str) -> Any:
        """Its module, with empty ones in place of those that it has no need of, and of what is not installed."""
        package = module.partition(".")[0]
        if (
            importlib.util.find_spec(package) is None
            or importlib.util.find_spec(".".join(module.split(".")[:2])) is None
        ):
            pytest.skip(f"the package index has no code of {package}")
        absent.missing(*without)
        while True:
            try:
                return importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name is None or error.name.startswith(package):
                    raise
                absent.missing(error.name.partition(".")[0])


class TestNeMoRL(Checkout):
    name = "NeMo-RL"
    aggregations = ("token-mean", "seq-mean-token-mean")
    # Its deviation is the root of a difference, and 1e-8 is added to numbers of tokens.
    tolerance = {"grpo": 1e-7, "token-mean": 1e-8, "seq-mean-token-mean": 1e-7}
    known = {
        "grpo: equal rewards in float32": TENTHS,
        **dict.fromkeys(
            [f"{method}: nothing where there is no token" for method in ADVANTAGES if method != "opo"], GAPS
        ),
        "loss: seq-mean-token-mean, clips 0.2 0.28 None, a rollout without a token": EMPTY,
    }
    without = ("nemo_rl.models.policy", "nemo_rl.algorithms.x_token.loss_utils")

    def of(self, name: str, rewards: Any, groups: Any, mask: Any, **settings: Any) -> Any:
        own = self.load("nemo_rl.algorithms.advantage_estimator", *self.without)
        loss = Of(use_kl_in_reward=False, reference_policy_kl_penalty=0.0, reference_policy_kl_type="k3")
        prompts = torch.tensor(numpy.unique(groups.astype(str), return_inverse=True)[1])[:, None]
        torch.set_default_dtype(rewards.dtype)  # it makes matrices without saying of what
        try:
            return getattr(own, name)(Of(**settings), loss).compute_advantage(prompts, rewards, mask)
        finally:
            torch.set_default_dtype(torch.float64)

    def grpo(self, *batch: Any) -> Any:
        return self.of("GRPOAdvantageEstimator", *batch, use_leave_one_out_baseline=False, normalize_rewards=True)

    def dr_grpo(self, *batch: Any) -> Any:
        return self.of("GRPOAdvantageEstimator", *batch, use_leave_one_out_baseline=False, normalize_rewards=False)

    def rloo(self, *batch: Any) -> Any:
        return self.of("GRPOAdvantageEstimator", *batch, use_leave_one_out_baseline=True, normalize_rewards=False)

    def reinforce_pp_baseline(self, *batch: Any) -> Any:
        return self.of("ReinforcePlusPlusAdvantageEstimator", *batch, minus_baseline=True)

    def whiten(self, variance: float) -> float:
        return math.sqrt(max(variance, 1e-8))

    def policy_loss(self, logp, old, advantages, mask, low, high, dual, aggregation, longest):  # type: ignore
        own = self.load("nemo_rl.algorithms.loss.loss_functions", *self.without)
        settings = {
            "disable_ppo_ratio": False, "token_level_loss": aggregation == "token-mean", "ratio_clip_min": low,
            "ratio_clip_max": high, "ratio_clip_c": dual, "use_kl_in_reward": False,
            "reference_policy_kl_penalty": 0.0, "reference_policy_kl_type": "k3", "kl_input_clamp_value": None,
            "kl_output_clamp_value": None, "use_importance_sampling_correction": False,
            "truncated_importance_sampling_type": None, "truncated_importance_sampling_ratio": None,
            "truncated_importance_sampling_ratio_min": None, "use_on_policy_kl_approximation": False,
            "force_on_policy_ratio": False, "sequence_level_importance_ratios": False,
            "positive_example_nll_weight": 0.0, "use_cispo": False,
        }  # fmt: skip
        rows = {"prev_logprobs": old, "generation_logprobs": old, "token_mask": mask}
        rows["advantages"] = advantages[:, None].expand(mask.shape)
        data = {key: torch.nn.functional.pad(row, (1, 0)) for key, row in rows.items()}  # its first token is a prompt's
        data["sample_mask"] = torch.ones(len(mask))
        return own.ClippedPGLossFn(Of(**settings))(logp, data, torch.tensor(float(len(mask))), mask.sum())[0]


class TestPrimeRL(Checkout):
    tolerance = {"dr_grpo": 1e-6}  # it computes in float32

    def dr_grpo(self, rewards: Any, groups: Any, mask: Any) -> Any:
        own = self.load("prime_rl.orchestrator.algo.grpo", "prime_rl.configs", "prime_rl.utils", "prime_rl.transports")
        found = torch.zeros(mask.shape)
        for group in set(groups):
            rows = numpy.flatnonzero(groups == group)
            nodes = [Of(mask=row.bool().tolist(), token_ids=row.tolist()) for row in mask[rows]]
            agent = Of(trainable=True)
            traces = [
                Of(reward=r, nodes=[node], has_error=False, agent=agent, id="")
                for r, node in zip(rewards[rows], nodes, strict=True)
            ]
            algorithm = own.GRPOAlgorithm(Of(length_penalty=None), None)
            asyncio.run(algorithm.score_group([Of(traces=traces)]))
            for row, node in zip(rows, nodes, strict=True):
                found[row, mask[row] == 1] = torch.tensor(node.advantages)
        return found


def test_the_page_lists_what_deviates() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "parity.md").read_text().splitlines()
    for own in (TestVerl, TestVerlVectorized, TestTRL, TestOpenRLHF, TestSkyRL, TestNeMoRL):
        for why in own.known.values():
            assert any(line.startswith(f"| {own.name} ") and f"| {why} |" in line for line in page), (own.name, why)
