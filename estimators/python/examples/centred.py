"""The reward less its group's mean: bit for bit the built-in grpo with scale = "none"."""

import numpy as np


def advantages(rewards):  # (groups, rollouts)
    mean = np.add.accumulate(rewards, axis=1)[:, -1:] / rewards.shape[1]  # added in order, as Go does
    rounding = 1e-12 * np.maximum(1, np.abs(rewards).max(axis=1, keepdims=True))
    return np.where(np.abs(rewards - mean) < rounding, 0, rewards - mean)
