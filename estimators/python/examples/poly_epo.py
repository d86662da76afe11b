"""Poly-EPO's marginal set advantage, through all sets: the built-in poly-epo to 1e-12.

The objective of a set of n rollouts is its mean reward times its share of distinct modes
(eq. 10). A rollout's advantage is the mean over the sets with it, less that over all.
"""

from itertools import combinations

import modebench
import numpy as np

N = 4


@modebench.needs(min_group=N, objective=f"mean(reward) * distinct(mode) / n over {N}")
def advantages(rewards, modes):  # (groups, rollouts); a degenerate mode is -1
    sets = np.array(list(combinations(range(rewards.shape[1]), N)))  # (sets, N)
    inside = (sets[:, :, None] == np.arange(rewards.shape[1])).any(axis=1)  # (sets, rollouts)
    out = []
    for r, m in zip(rewards, modes):
        distinct = np.array([len(set(s) - {-1}) for s in m[sets].tolist()])
        value = r[sets].mean(axis=1) * distinct / N
        out.append(value @ inside / inside.sum(axis=0) - value.mean())
    return out
