"""Divides by the spread of the rewards, which is 0 where all are the same."""

import numpy as np

np.seterr(all="raise")


def advantages(rewards):
    return (rewards - rewards.mean(axis=1, keepdims=True)) / rewards.std(axis=1, keepdims=True)
