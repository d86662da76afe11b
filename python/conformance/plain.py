"""Sound advantages and a policy loss in numpy: what faults are put into, to measure the pack (test_mutants.py)."""

import numpy as np


def grpo(rewards, groups, mask):
    out = np.zeros(len(rewards))
    for group in set(groups):
        rows = groups == group
        n = np.sum(rows)
        if np.min(rewards[rows]) == np.max(rewards[rows]):
            continue
        centred = rewards[rows] - np.sum(rewards[rows]) / n
        variance = np.sum(centred**2) / max(n - 1, 1)
        out[rows] = centred / (np.sqrt(variance) + 1e-6)
    return out[:, None] * mask


def dr_grpo(rewards, groups, mask):
    out = np.zeros(len(rewards))
    for group in set(groups):
        rows = groups == group
        n = np.sum(rows)
        out[rows] = rewards[rows] - np.sum(rewards[rows]) / n
    return out[:, None] * mask


def rloo(rewards, groups, mask):
    out = np.zeros(len(rewards))
    for group in set(groups):
        rows = groups == group
        n = np.sum(rows)
        if n > 1:
            others = (np.sum(rewards[rows]) - rewards[rows]) / (n - 1)
            out[rows] = rewards[rows] - others
    return out[:, None] * mask


def opo(rewards, groups, mask):
    out = np.zeros(len(rewards))
    tokens = np.sum(mask, axis=1)
    for group in set(groups):
        rows = groups == group
        baseline = np.sum(tokens[rows] * rewards[rows]) / np.sum(tokens[rows])
        out[rows] = rewards[rows] - baseline
    return out[:, None] * mask


def reinforce_pp_baseline(rewards, groups, mask):
    centred = np.zeros(len(rewards))
    for group in set(groups):
        rows = groups == group
        n = np.sum(rows)
        centred[rows] = rewards[rows] - np.sum(rewards[rows]) / n
    each = centred[:, None] * mask
    tokens = np.sum(mask)
    rest = (each - np.sum(each) / tokens) * mask
    variance = np.sum(rest**2) / tokens
    return rest / np.sqrt(variance + 1e-8)


def policy_loss(logp, old, advantages, mask, low, high, dual, aggregation, longest):
    ratio = np.exp(logp - old)
    advantage = advantages[:, None]
    free = -advantage * ratio
    clipped = -advantage * np.minimum(np.maximum(ratio, 1 - low), 1 + high)
    each = np.maximum(free, clipped)
    slope = np.where(free >= clipped, free, 0)
    if dual is not None:
        capped = (advantage < 0) & (ratio > dual)
        each = np.where(capped, -advantage * dual, each)
        slope = np.where(capped, 0, slope)
    counts = np.sum(mask, axis=1)
    rows = np.sum(counts > 0)
    if aggregation == "token-mean":
        weight = mask / np.sum(counts)
    elif aggregation == "seq-mean-token-mean":
        weight = mask / np.maximum(counts, 1)[:, None] / rows
    elif aggregation == "seq-mean-token-sum":
        weight = mask / rows
    else:
        weight = mask / rows / longest
    return np.sum(weight * each), weight * slope
