"""Stand-ins for what an estimator imports of verl, where verl is not installed.

    verl.trainer.ppo.core_algos   register_adv_est, get_adv_estimator_fn, AdvantageEstimator,
                                  and the compute_*_advantage of outcome rewards
    verl.utils.torch_functional   masked_sum, masked_mean, masked_var, masked_whiten,
                                  clip_by_value, entropy_from_logits, logprobs_from_logits
    verl.utils.groupwise          as_torch_index, group_mean_std (in verl.utils too)
    verl.trainer.config           AlgoConfig

They have verl's names, parameters and numbers (verl 0.9.1), and are written anew.
estimators/parity holds them against verl's own where that is installed. `python3 -m
modebench --verl` puts them in place; what is not listed is not there.
"""

from __future__ import annotations

import enum
import importlib.machinery
import sys
import types
from typing import Any, Callable, Optional

REGISTRY: dict = {}


class AdvantageEstimator(str, enum.Enum):
    """The estimators that there are here."""

    GRPO = "grpo"
    GRPO_VECTORIZED = "grpo_vectorized"
    GRPO_PASSK = "grpo_passk"
    GDPO = "gdpo"
    REINFORCE_PLUS_PLUS = "reinforce_plus_plus"
    REINFORCE_PLUS_PLUS_BASELINE = "reinforce_plus_plus_baseline"
    REMAX = "remax"
    RLOO = "rloo"
    RLOO_VECTORIZED = "rloo_vectorized"
    OPO = "opo"
    GPG = "gpg"


def _name(of: Any) -> str:
    return of.value if isinstance(of, enum.Enum) else of


def register_adv_est(name_or_enum: Any) -> Callable:
    """A decorator that registers an estimator under a name, which no other may have."""

    def register(function: Callable) -> Callable:
        if REGISTRY.setdefault(_name(name_or_enum), function) is not function:
            raise ValueError(f"an estimator {_name(name_or_enum)} has already been registered")
        return function

    return register


def get_adv_estimator_fn(name_or_enum: Any) -> Callable:
    """The estimator of that name."""
    if _name(name_or_enum) not in REGISTRY:
        raise ValueError(f"there is no estimator {_name(name_or_enum)}; there are {', '.join(REGISTRY)}")
    return REGISTRY[_name(name_or_enum)]


# verl.utils.torch_functional


def masked_sum(values: Any, mask: Any, axis: Any = None) -> Any:
    """The sum where the mask is 1. What stands elsewhere, a NaN too, does not matter."""
    import torch

    own = torch.where(mask.bool(), values, torch.zeros_like(values)) * mask
    return own.sum() if axis is None else own.sum(dim=axis)


def masked_mean(values: Any, mask: Any, axis: Any = None) -> Any:
    """The mean where the mask is 1: the sum over the number of those plus 1e-8."""
    number = mask.sum() if axis is None else mask.sum(dim=axis)
    return masked_sum(values, mask, axis) / (number + 1e-8)


def masked_var(values: Any, mask: Any, unbiased: bool = True) -> Any:
    """The variance where the mask is 1; unbiased: times n / (n - 1), an error for n < 2."""
    variance = masked_mean((values - masked_mean(values, mask)) ** 2, mask)
    if not unbiased:
        return variance
    n = mask.sum()
    if n < 2:
        raise ValueError(f"the variance of {int(n)} values, want two at least")
    return variance * (n / (n - 1))


def masked_whiten(values: Any, mask: Any, shift_mean: bool = True) -> Any:
    """(values - mean) / sqrt(variance + 1e-8), with the mean added again unless shift_mean."""
    mean = masked_mean(values, mask)
    white = (values - mean) / (masked_var(values, mask) + 1e-8).sqrt()
    return white if shift_mean else white + mean


def clip_by_value(x: Any, tensor_min: Any, tensor_max: Any) -> Any:
    """x within bounds that are tensors themselves."""
    import torch

    return torch.maximum(torch.minimum(x, tensor_max), tensor_min)


def entropy_from_logits(logits: Any) -> Any:
    """The entropy in nats of every distribution along the last axis."""
    logp = logits.log_softmax(dim=-1)
    return -(logp.exp() * logp).sum(dim=-1)


def logprobs_from_logits(logits: Any, labels: Any, inplace_backward: bool = True) -> Any:
    """The log-probability of each label."""
    return logits.log_softmax(dim=-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)


# verl.utils.groupwise


def as_torch_index(index: Any, device: Any = None) -> Any:
    """Groups as numbers. Whole numbers, and texts that are some, stay what they are, and
    other labels are numbered in their own order. As in verl, fractions lose what is after
    the point, but for those of a tensor, which are labels."""
    import numpy
    import torch

    tensor = isinstance(index, torch.Tensor)
    labels = numpy.asarray(index.cpu() if tensor else index).reshape(-1)
    if labels.dtype.kind == "f" and numpy.allclose(labels, numpy.rint(labels), rtol=0, atol=1e-6):
        labels = numpy.rint(labels)
    elif labels.dtype.kind == "f" and tensor:
        labels = labels.astype(str)
    try:
        numbers = labels.astype(numpy.int64)
    except (ValueError, TypeError):
        numbers = _ordered(labels.astype(object)).astype(numpy.int64)
    return torch.from_numpy(numbers).to(device or "cpu")


def _ordered(labels: Any) -> Any:
    import numpy

    try:
        return numpy.unique(labels, return_inverse=True)[1]
    except TypeError:  # labels that cannot be compared, as a number and a text
        return numpy.unique(labels.astype(str), return_inverse=True)[1]


def group_mean_std(scores: Any, gidx: Any, eps: float = 1e-6, device: Any = None) -> tuple:
    """Mean, sample deviation and size of each group, in float32. The variance is eps at
    least; a group of one has the mean 0 and the deviation 1."""
    import torch

    scores = scores.reshape(-1).to(torch.float32)
    gidx = gidx.reshape(-1).long()
    if len(scores) != len(gidx):
        raise ValueError(f"{len(scores)} scores and {len(gidx)} groups of them")
    count = torch.bincount(gidx).to(torch.float32)

    def total(x: Any) -> Any:
        return torch.zeros_like(count).index_add_(0, gidx, x)

    mean = total(scores) / count.clamp(min=1)
    std = (total((scores - mean[gidx]) ** 2) / (count - 1).clamp(min=1)).clamp(min=eps).sqrt()
    lone = count <= 1
    return mean.masked_fill(lone, 0.0), std.masked_fill(lone, 1.0), count


# verl.trainer.ppo.core_algos: token_level_rewards and response_mask are (rollouts, tokens), index
# has the prompt of each rollout. All return advantages and returns of that shape.


class _Groups:
    """The scores of rollouts, and the statistics of each one's group. A group of one has
    the mean 0 and the deviation 1."""

    def __init__(self, token_level_rewards: Any, index: Any):
        import torch

        self.scores = torch.as_tensor(token_level_rewards).sum(dim=-1)
        numbers: dict = {}
        labels = index.tolist() if hasattr(index, "tolist") else list(index)
        self.places = torch.tensor([numbers.setdefault(label, len(numbers)) for label in labels])
        self.size, self.mean, self.std = (torch.zeros_like(self.scores) for _ in range(3))
        for group in range(len(numbers)):
            own = self.places == group
            scores = self.scores[own]
            self.size[own] = len(scores)
            self.mean[own] = scores.mean() if len(scores) > 1 else 0.0
            self.std[own] = scores.std() if len(scores) > 1 else 1.0


def _everywhere(numbers: Any, response_mask: Any) -> tuple:
    """A number per rollout at each of its tokens, as advantages and as returns."""
    import torch

    rows = numbers[:, None] * torch.as_tensor(response_mask)
    return rows, rows


def _whitened(rows: Any, response_mask: Any) -> Any:
    import torch

    mask = torch.as_tensor(response_mask)
    return masked_whiten(rows, mask) * mask


def compute_grpo_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, norm_adv_by_std_in_grpo: bool = True, config: Any = None) -> tuple:
    """(r - mean) / (std + epsilon), or r - mean."""
    groups = _Groups(token_level_rewards, index)
    centred = groups.scores - groups.mean
    return _everywhere(centred / (groups.std + epsilon) if norm_adv_by_std_in_grpo else centred, response_mask)


def compute_grpo_vectorized_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, norm_adv_by_std_in_grpo: bool = True, config: Any = None) -> tuple:
    """The same, with a group's mean and deviation in float32."""
    import torch

    scores, numbers = torch.as_tensor(token_level_rewards).sum(dim=-1), as_torch_index(index)
    mean, std, _ = group_mean_std(scores, numbers, eps=0.0)
    centred = scores - mean[numbers]
    return _everywhere(centred / (std[numbers] + epsilon) if norm_adv_by_std_in_grpo else centred, response_mask)


def compute_grpo_passk_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, norm_adv_by_std_in_grpo: bool = True, config: Any = None, **kwargs: Any) -> tuple:
    """The lead of a group's best over its second, for the best alone; over std + epsilon
    unless the configuration says otherwise."""
    import torch

    groups = _Groups(token_level_rewards, index)
    if (groups.size < 2).any():
        raise ValueError("pass@k takes groups of two rollouts at least")
    found = torch.zeros_like(groups.scores)
    for group in range(int(groups.places.max()) + 1):
        own = torch.nonzero(groups.places == group)[:, 0]
        (first, second), places = torch.topk(groups.scores[own], 2)
        scale = groups.std[own[0]] + epsilon if config.get("norm_adv_by_std_in_grpo", True) else 1.0
        found[own[places[0]]] = (first - second) / scale
    return _everywhere(found, response_mask)


def compute_gdpo_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, norm_adv_by_std_in_grpo: bool = True, config: Any = None, non_tensor_batch: Optional[dict] = None, batch: Optional[dict] = None, **kwargs: Any) -> tuple:
    """GRPO, normalised over the tokens of the batch: GDPO of one component. Several, which
    verl has in batch and non_tensor_batch, are not sent to a plug-in."""
    if non_tensor_batch is not None or batch is not None:
        raise NotImplementedError("modebench's stand-in for verl has GDPO of one component alone")
    rows, _ = compute_grpo_outcome_advantage(token_level_rewards, response_mask, index, epsilon, norm_adv_by_std_in_grpo)
    white = _whitened(rows, response_mask)
    return white, white


def compute_reinforce_plus_plus_outcome_advantage(token_level_rewards: Any, response_mask: Any, config: Any = None, **kwargs: Any) -> tuple:
    """Discounted returns over the tokens of the mask, normalised over the batch."""
    import torch

    rewards, mask = torch.as_tensor(token_level_rewards), torch.as_tensor(response_mask)
    returns, behind = torch.zeros_like(rewards), torch.zeros_like(rewards[:, 0])
    for t in range(rewards.shape[1] - 1, -1, -1):
        here = rewards[:, t] + config.gamma * behind
        returns[:, t] = here * mask[:, t]
        behind = torch.where(mask[:, t] > 0, here, behind)
    return _whitened(returns, mask), returns


def compute_reinforce_plus_plus_baseline_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, config: Any = None, **kwargs: Any) -> tuple:
    """r - mean, normalised over the tokens of the batch."""
    groups = _Groups(token_level_rewards, index)
    white = _whitened(_everywhere(groups.scores - groups.mean, response_mask)[0], response_mask)
    return white, white


def compute_remax_outcome_advantage(token_level_rewards: Any, reward_baselines: Any, response_mask: Any, config: Any = None, **kwargs: Any) -> tuple:
    """The rewards still to come, less the reward of the greedy rollout."""
    import torch

    mask = torch.as_tensor(response_mask)
    returns = (torch.as_tensor(token_level_rewards) * mask).flip(-1).cumsum(-1).flip(-1)
    return returns - torch.as_tensor(reward_baselines)[:, None] * mask, returns


def compute_rloo_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, config: Any = None, **kwargs: Any) -> tuple:
    """r less the mean of the others; of a group of one, r."""
    groups = _Groups(token_level_rewards, index)
    return _everywhere((groups.scores - groups.mean) * groups.size / (groups.size - 1).clamp(min=1), response_mask)


def compute_rloo_vectorized_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, config: Any = None, **kwargs: Any) -> tuple:
    """r less the mean of the others; of a group of one, 0."""
    groups = _Groups(token_level_rewards, index)
    others = (groups.scores - groups.mean) * groups.size / (groups.size - 1).clamp(min=1)
    return _everywhere(others * (groups.size > 1), response_mask)


def compute_opo_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, config: Any = None, **kwargs: Any) -> tuple:
    """r less the mean reward of the group's tokens; of a group of one, r."""
    import torch

    groups, lengths = _Groups(token_level_rewards, index), torch.as_tensor(response_mask).sum(dim=-1)
    baseline = torch.zeros_like(groups.scores)
    for group in range(int(groups.places.max()) + 1):
        own = groups.places == group
        if own.sum() > 1:
            baseline[own] = (lengths[own] * groups.scores[own]).sum() / lengths[own].sum()
    return _everywhere(groups.scores - baseline, response_mask)


def compute_gpg_outcome_advantage(token_level_rewards: Any, response_mask: Any, index: Any, epsilon: float = 1e-6, f_norm: float = 1.0, alpha: float = 1.0, config: Any = None, **kwargs: Any) -> tuple:
    """r - mean over the share of rewards other than 0. alpha is not read, as in verl."""
    groups = _Groups(token_level_rewards, index)
    share = max(1, int((groups.scores != 0).sum())) / len(groups.scores)
    return _everywhere((groups.scores - groups.mean) / share / f_norm, response_mask)


for _estimator in AdvantageEstimator:
    register_adv_est(_estimator)(globals()[f"compute_{_estimator.value}_outcome_advantage"])

COMPUTE = tuple(f.__name__ for f in REGISTRY.values())
TORCH_FUNCTIONAL = ("masked_sum", "masked_mean", "masked_var", "masked_whiten", "clip_by_value", "entropy_from_logits", "logprobs_from_logits")
GROUPWISE = ("as_torch_index", "group_mean_std")


class _Finder:
    """Finds the modules of verl that there are. One that works on tensors alone imports
    torch, as verl's does, so that the estimator is given tensors."""

    def __init__(self, config: type):
        own = globals()
        self.modules: dict = {
            "verl": {}, "verl.trainer": {}, "verl.trainer.ppo": {}, "verl.trainer.config": {"AlgoConfig": config},
            "verl.utils": {n: own[n] for n in GROUPWISE},
            "verl.utils.groupwise": {n: own[n] for n in GROUPWISE},
            "verl.utils.torch_functional": {n: own[n] for n in TORCH_FUNCTIONAL},
            "verl.trainer.ppo.core_algos": {"ADV_ESTIMATOR_REGISTRY": REGISTRY, **{n: own[n] for n in ("register_adv_est", "get_adv_estimator_fn", "AdvantageEstimator")}},
        }

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name in self.modules:
            return importlib.machinery.ModuleSpec(name, self, origin="a stand-in of modebench", is_package=True)
        return None

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        if name in ("verl.utils.groupwise", "verl.utils.torch_functional"):
            import torch  # noqa: F401
        module.__dict__.update(self.modules[name])
        if name == "verl.trainer.ppo.core_algos":
            module.__dict__.update(__getattr__=_compute)


def _compute(name: str) -> Callable:
    """An estimator of core_algos. It works on tensors, while who only registers one of
    their own may do so without torch."""
    if name not in COMPUTE:
        raise AttributeError(f"modebench's stand-in for verl.trainer.ppo.core_algos has no {name}; verl is not installed")
    import torch  # noqa: F401

    return globals()[name]


def install(config: type) -> None:
    """Lets verl be imported. config: the class of the configuration, AlgoConfig."""
    sys.meta_path.append(_Finder(config))
