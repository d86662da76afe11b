"""Tests for advantages and policy losses of group-based reinforcement learning, in one file to copy.

It needs pytest, numpy and, for functions of tensors, PyTorch. A class in a test file of yours is the adapter:

    from conformance import Conformance

    class TestMine(Conformance):
        def rloo(self, rewards, groups, mask):
            return my_rloo(rewards, groups, mask)

Write the methods that you have. `grpo`, `dr_grpo`, `rloo`, `opo` and `reinforce_pp_baseline` get the reward and the
label of the group of every rollout (n), and 1 for its places that hold a token of the policy, 0 for others (n, width).
They return one number per rollout, or one per place. `policy_loss` is described below. What sound frameworks differ
in is an attribute. A known deviation is listed in `known`, by the name of its check, and that check has to fail.

Expected numbers are exact: fractions, closed forms, and means over every group that a small policy can draw.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

ADVANTAGES = ("grpo", "dr_grpo", "rloo", "opo", "reinforce_pp_baseline")

# A line is a rollout: group, reward, tokens, and its advantage by Dr. GRPO (reward less the mean of the group), by
# RLOO (less the mean of the others), and by OPO (less the mean weighted by numbers of tokens).
BATCHES = {
    "right and wrong": """
    a   1            1111   1/2           2/3           3/10
    a   0            1100   -1/2          -2/3          -7/10
    a   0            1000   -1/2          -2/3          -7/10
    a   1            1110   1/2           2/3           3/10
    b   0            1110   -1/4          -1/3          -1/5
    b   0            1111   -1/4          -1/3          -1/5
    b   1            1100   3/4           1             4/5
    b   0            1000   -1/4          -1/3          -1/5
    """,
    "rewards of any size": """
    a   5/2          1100   2             3             43/18
    a   -1           1111   -3/2          -9/4          -10/9
    a   0            1110   -1/2          -3/4          -1/9
    b   1001         1111   -1            -3/2          -11/8
    b   1000         1000   -2            -3            -19/8
    b   1005         1110   3             9/2           21/8
    """,
    "groups of several sizes, in no order": """
    p1  1            1110   0             0             3/8
    p10 0            1000   -5/16         -5/12         -9/20
    p2  1            1100   1             2             4/3
    p1  0            1111   -1            -3/2          -5/8
    p10 1/4          1100   -1/16         -1/12         -1/5
    p1  2            1000   1             3/2           11/8
    p10 1            1111   11/16         11/12         11/20
    p10 0            1110   -5/16         -5/12         -9/20
    p2  -1           1111   -1            -2            -2/3
    """,
    "gaps in the masks": """
    x   1            1011   1/2           3/4           5/12
    x   0            0110   -1/2          -3/4          -7/12
    x   1/2          0001   0             0             -1/12
    y   -1           1101   -4/3          -2            -8/7
    y   1            0011   2/3           1             6/7
    y   1            1010   2/3           1             6/7
    """,
    "all equal": """
    c   -2           1111   0             0             0
    c   -2           1000   0             0             0
    d   0            1110   0             0             0
    d   0            1100   0             0             0
    """,
    "hardly different": """
    a   0            1110   -1/24576      -1/16384      -1/24576
    a   1/8192       1100   1/12288       1/8192        1/12288
    a   0            1000   -1/24576      -1/16384      -1/24576
    b   0            1000   -1/1572864    -1/1048576    -3/3670016
    b   1/1048576    1111   1/3145728     1/2097152     1/7340032
    b   1/1048576    1100   1/3145728     1/2097152     1/7340032
    c   1/1073741824 1110   1/1610612736  1/1073741824  1/2147483648
    c   0            1000   -1/3221225472 -1/2147483648 -1/2147483648
    c   0            1100   -1/3221225472 -1/2147483648 -1/2147483648
    """,
    "a lone rollout": """
    a   1            1100   2/3           1             2/3
    a   0            1110   -1/3          -1/2          -1/3
    a   0            1000   -1/3          -1/2          -1/3
    b   1            1100   0             0             0
    """,
}

# How far a ratio may be below and above 1, and the dual clip. A line is a rollout: its advantage, then its places. A
# token is ratio:loss:slope, by the log-probability. Where the dual clip changes these, what they are with it follows.
# An x is a place without a token, with numbers that must not matter.
CLIPS = {
    (0.2, 0.28, 3.0): """
    2     1:-2:-2        1/2:-1:-1      3/2:-64/25:0   5/4:-5/2:-5/2
    -2    1/2:8/5:0      3/4:8/5:0      3/2:3:3        x
    -1/2  x              4:2:2:3/2:0    1:1/2:1/2      x
    3     4:-96/25:0     x              x              x
    0     2:0:0          1/2:0:0        x              x
    """,
    (0.5, 1.0, 2.5): """
    1/2   3/2:-3/4:-3/4  9/4:-1:0       2/5:-1/5:-1/5  3:-1:0
    -1    2/5:1/2:0      3/5:3/5:3/5    9/4:9/4:9/4    7/2:7/2:7/2:5/2:0
    -3    x              x              1/8:3/2:0      5:15:15:15/2:0
    """,
}
AGGREGATIONS = {  # the weight of a token among N, of a rollout with n of them among B, where the longest may have L
    "token-mean": lambda N, n, B, L: 1 / N,
    "seq-mean-token-mean": lambda N, n, B, L: 1 / (B * n),
    "seq-mean-token-sum": lambda N, n, B, L: 1 / B,
    "seq-mean-token-sum-norm": lambda N, n, B, L: 1 / (B * L),
}
LONGEST = 11
CHECKS = {}


def check(name, needs):
    """Registers a check under its name, for classes that have what it needs."""
    return lambda function: CHECKS.setdefault(name, (needs, function))


class Conformance:
    contiguous = False  # whether groups have to be of one size, one behind the other
    tolerance = {}  # by method or aggregation, instead of 1e-12: 1e-6 for float32
    ddof, epsilon = 1, 1e-6  # of GRPO: the deviation's n - ddof, and what is added to the deviation
    whiten_ddof = 0  # of REINFORCE++-baseline: the same for the variance over the tokens of the batch
    aggregations = tuple(AGGREGATIONS)  # that policy_loss has
    dual_clip = True  # whether policy_loss has one
    known = {}  # name of a check: why it fails

    grpo = dr_grpo = rloo = opo = reinforce_pp_baseline = None

    # policy_loss(self, logp, old, advantages, mask, low, high, dual, aggregation, longest): log-probabilities by the
    # policy and by the one that sampled (n, width), one advantage per rollout (n), the mask, how far the ratio may be
    # below and above 1, the dual clip (None: there is none), a name of AGGREGATIONS, and the divisor of the last of
    # these. It returns a scalar tensor, or the loss and its gradient in logp.
    policy_loss = None

    def tensor(self, values):
        """An array of float64 as the functions take it."""
        import torch  # not needed by an adapter that has a tensor of its own

        return torch.tensor(values)

    def whiten(self, variance):
        """What REINFORCE++-baseline divides by."""
        return math.sqrt(variance + 1e-8)

    def checks(self):
        return [name for name, (needs, _) in CHECKS.items() if needs(self)]

    def pytest_generate_tests(self, metafunc):
        names = self.checks()
        assert set(self.known) <= set(names), f"no such checks: {set(self.known) - set(names)}"
        metafunc.parametrize("name", names)

    def test(self, name):
        try:
            CHECKS[name][1](self)
        except Exception:
            if name in self.known:
                pytest.xfail(self.known[name])
            raise
        assert name not in self.known, f"this deviation is gone: {self.known[name]}"


def advantages(own, method, rewards, groups, mask):
    """One advantage per rollout, and what is where there is no token."""
    rewards, mask = np.array(rewards), np.array(mask, float)
    found = np.asarray(getattr(own, method)(own.tensor(rewards), np.array(groups, object), own.tensor(mask)), float)
    if found.ndim == 1:
        return found, 0 * mask
    each = np.sum(found * mask, axis=1) / mask.sum(axis=1)
    same(found * mask, each[:, None] * mask, 1e-12, "tokens of one rollout")
    return each, found * (1 - mask)


def same(found, want, tolerance, what):
    """Holds the largest difference against the largest number that is wanted."""
    want = np.asarray(want, float)
    off = np.max(np.abs(np.asarray(found, float) - want), initial=0) / (np.max(np.abs(want), initial=0) or 1)
    assert off <= tolerance, f"{what}: off by {off:.2g}, at most {tolerance:.0e} is allowed: {found}, not {want}"


def words(text):
    return [line.split() for line in text.strip().split("\n")]


def numbers(fractions):
    return np.array([float(Fraction(x)) if x != "x" else math.nan for x in fractions])


def of_vectors(method, batch):
    groups, rewards, masks, *exact = np.array(words(BATCHES[batch])).T
    rewards, mask = numbers(rewards), np.array([[int(place) for place in row] for row in masks])
    size = np.sum(groups == groups[0])
    regular = np.array_equal(groups, np.repeat(sorted(set(groups)), size))

    @check(f"{method}: {batch}", lambda own: getattr(own, method) and (regular or not own.contiguous))
    def vectors(own):
        want = {"dr_grpo": numbers(exact[0]), "rloo": numbers(exact[1]), "opo": numbers(exact[2])}
        centred, alike, tokens = want["dr_grpo"], groups[:, None] == groups, mask.sum(axis=1)
        deviation = np.sqrt(alike @ centred**2 / np.maximum(alike.sum(axis=1) - own.ddof, 1))
        want["grpo"] = centred / (deviation + own.epsilon)
        rest = centred - tokens @ centred / sum(tokens)
        variance = tokens @ rest**2 / (sum(tokens) - own.whiten_ddof)
        want["reinforce_pp_baseline"] = rest / own.whiten(variance)
        found = advantages(own, method, rewards, groups, mask)[0]
        same(found, want[method], own.tolerance.get(method, 1e-12), "advantages")

    if batch == "gaps in the masks":

        @check(f"{method}: nothing where there is no token", lambda own: getattr(own, method))
        def elsewhere(own):
            same(advantages(own, method, rewards, groups, mask)[1], 0 * mask, 0, "advantages without a token")


def of_gradient(method, size):
    """The policy, a softmax of three numbers, has three answers. Every group that it can draw is in the batch, so the
    mean of the estimate is exact. It has to be the gradient of the expected reward, times a factor of the method."""
    policy = np.array([0.5, 0.3, 0.2])
    drawn = np.array(list(itertools.product(range(3), repeat=size)))

    @check(f"{method}: gradient, groups of {size}", lambda own: getattr(own, method))
    def gradient(own):
        reward = np.array([1.0, 0.0, 0.0] if method == "grpo" else [1.0, -0.5, 3.0])
        groups = np.repeat([f"prompt {g}" for g in range(len(drawn))], size)
        # Lengths that go with the answer, but for OPO, whose baseline then depends on them.
        tokens = np.array([2, 2, 2] if method in ("opo", "reinforce_pp_baseline") else [3, 1, 2])[drawn.ravel()]
        found = advantages(own, method, reward[drawn.ravel()], groups, np.arange(3) < tokens[:, None])[0]
        chance, score = policy[drawn].prod(axis=1), np.eye(3)[drawn] - policy
        mean = np.einsum("g,gi,gia->a", chance, found.reshape(drawn.shape), score) / size
        factor = 1 if method == "rloo" else (size - 1) / size
        if method == "reinforce_pp_baseline":  # over all groups as often, centred rewards vary by this much
            n = 2 * drawn.size
            factor /= own.whiten(factor * reward.var() * n / (n - own.whiten_ddof))
        if method == "grpo":  # with k right answers of the others: what a right one gains over a wrong one
            factor = 0.0
            for k in range(size):
                right, wrong = (j * (1 - j / size) for j in (k + 1, k))  # sums of squares around the mean
                right, wrong = (math.sqrt(s / (size - own.ddof)) + own.epsilon for s in (right, wrong))
                chance = math.comb(size - 1, k) * policy[0] ** k * (1 - policy[0]) ** (size - 1 - k)
                factor += chance * ((1 - (k + 1) / size) / right + k / size / wrong)
        want = factor * policy * (reward - policy @ reward)
        same(mean, want, own.tolerance.get(method, 1e-12), "expected gradient")


for method in ADVANTAGES:
    for batch in BATCHES:
        of_vectors(method, batch)
    for size in (2, 3, 4):
        of_gradient(method, size)


@check("grpo: equal rewards in float32", lambda own: own.grpo)
def equal_in_float32(own):
    for size in range(3, 8):
        rewards = np.repeat(np.float32([0.1, 0.7, 0.9]), size)
        found = advantages(own, "grpo", rewards, np.repeat(["a", "b", "c"], size), np.ones((3 * size, 2)))[0]
        same(found, 0 * rewards, 1e-6, "advantages of rewards that are all equal")


def of_loss(aggregation, clips, dual, empty):
    low, high, dual = *clips[:2], clips[2] if dual else None
    lines = words(CLIPS[clips]) + [["1", *"xxxx"]] * empty
    places = [[numbers(place.replace("x", "x:0:0").split(":")) for place in line[1:]] for line in lines]
    last = slice(-2, None) if dual else slice(1, 3)
    exact = np.array([[place[last] for place in row] for row in places])
    ratios = np.array([[place[0] for place in row] for row in places])
    mask = 1.0 - np.isnan(ratios)
    counts = mask.sum(axis=1, keepdims=True)
    weight = mask * AGGREGATIONS[aggregation](mask.sum(), np.maximum(counts, 1), np.sum(counts > 0), LONGEST)
    advantage = numbers(line[0] for line in lines)
    old = np.where(mask, -1 - np.arange(mask.size).reshape(mask.shape) / 8, -9.0)
    logp = np.where(mask, old + np.log(np.where(mask, ratios, 1)), -1.0)
    name = f"loss: {aggregation}, clips {low} {high} {dual}" + ", a rollout without a token" * empty

    @check(name, lambda own: own.policy_loss and aggregation in own.aggregations and (own.dual_clip or not dual))
    def loss(own):
        tensor = own.tensor(logp)
        if hasattr(tensor, "requires_grad_"):
            tensor.requires_grad_()
        args = *map(own.tensor, (old, advantage, mask)), low, high, dual, aggregation, LONGEST
        found = own.policy_loss(tensor, *args)
        if not isinstance(found, tuple):
            found.backward()
            found = found.item(), tensor.grad.numpy()
        tolerance = own.tolerance.get(aggregation, 1e-12)
        same(found[0], np.sum(weight * exact[..., 0]), tolerance, "loss")
        same(found[1], weight * exact[..., 1], tolerance, "gradient")


for aggregation in AGGREGATIONS:
    for clips in CLIPS:
        of_loss(aggregation, clips, False, False)
        of_loss(aggregation, clips, True, False)
    of_loss(aggregation, (0.2, 0.28, 3.0), False, True)
