#!/usr/bin/env python3
"""Holds the stand-ins for verl that the Python adapter has against verl's own functions.

Prints {"skip": why}, or {"version": verl's, "functions": {name: {"cases": n, "largest":
x}}} with the largest difference of each function's results, over the largest number in
them where that is above 1. An error where the other side gives a result is "inf".
"""

import importlib.metadata
import json
import math
import os
import sys
import warnings

import numpy
import torch

import absent
import frameworks

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import modebench_verl

CASES = 40


class Settings(dict):
    """A configuration of the algorithm."""

    def __init__(self, gamma, **more):
        super().__init__(more)
        self.gamma = gamma


def flat(result):
    """The numbers of a result, or what kind of error it was."""
    if isinstance(result, Exception):
        return type(result).__name__
    parts = result if isinstance(result, tuple) else (result,)
    return [(tuple(p.shape), p.dtype.is_floating_point, p.detach().double().reshape(-1).tolist()) for p in parts]


def call(function, *args, **kwargs):
    try:
        return flat(function(*[a.clone() if isinstance(a, torch.Tensor) else a for a in args], **kwargs))
    except (ValueError, TypeError) as error:
        return flat(error)


def apart(a, b):
    """How far two results are from each other."""
    if isinstance(a, str) or isinstance(b, str) or [p[:2] for p in a] != [p[:2] for p in b]:
        return 0.0 if a == b else math.inf
    numbers = [(x, y) for p, q in zip(a, b) for x, y in zip(p[2], q[2])]
    scale = max([1.0] + [abs(x) for pair in numbers for x in pair])
    return max([abs(x - y) if x == x or y == y else 0.0 for x, y in numbers], default=0.0) / scale


def draws(seed):
    """A ragged batch: the mask may have gaps, as observations of tools leave them."""
    r = torch.Generator().manual_seed(seed)
    whole = lambda low, high, *shape: torch.randint(low, high, shape, generator=r)
    rows, width = int(whole(3, 12)), 6
    mask = (torch.arange(width) < whole(1, width + 1, rows)[:, None]).long()
    if seed % 3 == 0:
        mask[:, 1] = 0
    mask[0, 0] = mask[1, 0] = 1
    rewards = whole(-2048, 4096, rows, width).double() / 1024 * mask
    # Rewards of 0 and 1 make groups of equal ones; their sums are exact.
    if seed % 2:
        rewards = (rewards > 2).double() * mask
    prompts = numpy.array([f"p{g}" for g in whole(0, 1 + rows // 2, rows).tolist()], dtype=object)
    return rewards, mask, prompts, whole(-4, 5, rows).double() / 2, r


def labels(seed, prompts):
    """Names of groups of every kind that as_torch_index takes."""
    numbers = [int(p[1:]) for p in prompts]
    return [prompts, numbers, numpy.array(numbers), torch.tensor(numbers), [str(n) for n in numbers], numpy.array(numbers) + 0.5,
            torch.tensor(numbers).double(), torch.tensor(numbers) + 0.5, [n > 0 for n in numbers], [1, "a"] + numbers, numpy.array(prompts, dtype=str)][seed % 11]


def compared(core_algos, functional, groupwise):
    """Every stand-in, verl's own, and what both are called with, by the seed."""
    for function in modebench_verl.COMPUTE:
        def arguments(seed, function=function):
            rewards, mask, prompts, greedy, _ = draws(seed)
            given = {"token_level_rewards": rewards, "response_mask": mask, "config": Settings([1.0, 0.75][seed % 2], norm_adv_by_std_in_grpo=seed % 4 < 2)}
            if "remax" in function:
                given["reward_baselines"] = greedy
            elif function != "compute_reinforce_plus_plus_outcome_advantage":
                given["index"] = prompts
            if function.startswith("compute_grpo") and "passk" not in function:
                given["norm_adv_by_std_in_grpo"] = seed % 4 < 2
            return (), {k: v.clone() if isinstance(v, torch.Tensor) else v for k, v in given.items()}
        yield function, core_algos, arguments

    def masked(seed):
        rewards, mask, *_ = draws(seed)
        if seed == 5:
            mask[:] = 0
            mask[0, 0] = 1
        return (rewards.masked_fill(mask == 0, math.nan) if seed % 2 else rewards, mask)

    def tensors(seed):
        *_, r = draws(seed)
        return torch.randn(3, 4, 7, generator=r) * 3, torch.randint(0, 7, (3, 4), generator=r)

    def clips(seed):
        x, _ = tensors(seed)
        return x, -x.abs() / 2, x.abs() / 3

    for name, arguments in {
        "masked_sum": lambda s: (masked(s), {"axis": [None, 0, 1, -1][s % 4]}),
        "masked_mean": lambda s: (masked(s), {"axis": [None, 0, 1, -1][s % 4]}),
        "masked_var": lambda s: (masked(2 * s if s != 5 else s), {"unbiased": s % 4 > 0}),
        "masked_whiten": lambda s: (masked(2 * s if s != 5 else s), {"shift_mean": s % 4 > 0}),
        "clip_by_value": lambda s: (clips(s), {}),
        "entropy_from_logits": lambda s: (tensors(s)[:1], {}),
        "logprobs_from_logits": lambda s: (tensors(s), {}),
    }.items():
        yield name, functional, arguments
    yield "as_torch_index", groupwise, lambda s: ((labels(s, draws(s)[2]),), {})
    yield "group_mean_std", groupwise, lambda s: ((draws(s)[0].sum(-1), modebench_verl.as_torch_index(draws(s)[2])), {"eps": [1e-6, 0.0][s % 2]})


def main():
    warnings.simplefilter("ignore")
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    os.environ["VERL_FORCE_DEVICE"] = "cpu"
    # Without flash_attn, whose kernels verl would call, it takes the logarithms itself.
    absent.missing(*(name for name in frameworks.HEAVY.split() if name != "flash_attn"))
    try:
        from verl.trainer.ppo import core_algos
        from verl.utils import groupwise, torch_functional
    except Exception as error:
        print(json.dumps({"skip": str(error)}))
        return
    functions = {}
    for name, module, arguments in compared(core_algos, torch_functional, groupwise):
        largest = 0.0
        for seed in range(CASES):
            (args, kwargs), (again, kwagain) = arguments(seed), arguments(seed)
            largest = max(largest, apart(call(getattr(modebench_verl, name), *args, **kwargs), call(getattr(module, name), *again, **kwagain)))
        functions[name] = {"cases": CASES, "largest": str(largest)}
    print(json.dumps({"version": importlib.metadata.version("verl"), "functions": functions}))


if __name__ == "__main__":
    main()
