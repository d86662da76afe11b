"""Estimators in plain Python, as an example of what check.py calls.

    python3 check.py grpo.json grpo-frameworks.json --method grpo --function example:grpo

Each takes the batch document and the method's fields, and returns one list of
advantages per group. They follow the definitions word by word and share nothing with
the implementation that the vectors come with: poly_epo goes through all sets.
"""

import functools
import itertools
import math


def per_group(batch, advantage):
    """Calls advantage with the trained rollouts of each group and their scalar
    rewards; rollouts that only vote get 0."""
    answer = []
    for group in batch["groups"]:
        rollouts = [r for r in group["rollouts"] if r["train"]]
        rewards = [scalar(r, group["weights"]) for r in rollouts]
        found = iter(advantage(rollouts, rewards) if rollouts else [])
        answer.append([next(found) if r["train"] else 0.0 for r in group["rollouts"]])
    return answer


def scalar(rollout, weights):
    """The one candidate's reward under the weights."""
    if len(rollout["candidates"]) != 1:
        raise ValueError("%d candidates, want one" % len(rollout["candidates"]))
    reward = rollout["candidates"][0]["reward"]
    value = sum(w * x for w, x in zip(weights, reward))
    if len(weights) != len(reward) or not math.isfinite(value):
        raise ValueError("reward %r under weights %r" % (reward, weights))
    return value


def alike(rewards):
    """Whether rewards differ by rounding only."""
    return max(rewards) - min(rewards) < 1e-12 * max(1, max(abs(r) for r in rewards))


def grpo(batch, scale="group", ddof=0, epsilon=1e-6, singleton="zero"):
    def advantage(_, rewards):
        n = len(rewards)
        if n == 1:
            raw = rewards[0] if singleton == "raw" else 0.0
            return [raw / (1 + epsilon) if scale == "group" else raw]
        if alike(rewards):
            return [0.0] * n
        mean = math.fsum(rewards) / n
        sd = math.sqrt(math.fsum((r - mean) ** 2 for r in rewards) / (n - ddof))
        return [(r - mean) / (sd + epsilon if scale == "group" else 1) for r in rewards]

    return per_group(batch, advantage)


grpo_verl = functools.partial(grpo, ddof=1, singleton="raw")  # the method grpo@verl
grpo_prime = functools.partial(grpo, scale="none")  # the method grpo@prime


def rloo(batch, singleton="zero"):
    def advantage(_, rewards):
        n = len(rewards)
        if n == 1:
            return [rewards[0] if singleton == "raw" else 0.0]
        if alike(rewards):
            return [0.0] * n
        return [r - math.fsum(rewards[:i] + rewards[i + 1:]) / (n - 1) for i, r in enumerate(rewards)]

    return per_group(batch, advantage)


def maxrl(batch, epsilon=1e-6, singleton="zero", fidelity="code"):
    def advantage(_, rewards):
        n = len(rewards)
        if min(rewards) < 0:
            raise ValueError("a negative reward")
        if n == 1:
            return [rewards[0] if singleton == "raw" else 0.0]
        mean = math.fsum(rewards) / n
        if mean < 1e-12:
            return [-1.0 if fidelity == "paper" else 0.0] * n
        if alike(rewards):
            return [0.0] * n
        return [(r - mean) / (mean + epsilon) for r in rewards]

    return per_group(batch, advantage)


SETS = 200_000  # more than this is too many to go through


def poly_epo(batch, n=4):
    largest = max(sum(r["train"] for r in g["rollouts"]) for g in batch["groups"])
    if math.comb(largest, n) > SETS:
        return None

    def advantage(rollouts, rewards):
        modes = [r["candidates"][0]["mode"] for r in rollouts]
        if len(rewards) < n:
            raise ValueError("%d rollouts, want at least %d" % (len(rewards), n))
        sets = list(itertools.combinations(range(len(rewards)), n))

        def value(members):  # mean reward times the share of distinct modes (eq. 10)
            distinct = {modes[i] for i in members} - {None}
            return math.fsum(rewards[i] for i in members) / n * len(distinct) / n

        values = [value(s) for s in sets]
        mean = math.fsum(values) / len(sets)
        found = []
        for i in range(len(rewards)):
            own = [v for s, v in zip(sets, values) if i in s]
            found.append(math.fsum(own) / len(own) - mean)
        return [0.0 if abs(a) < 1e-12 else a for a in found]

    return per_group(batch, advantage)
