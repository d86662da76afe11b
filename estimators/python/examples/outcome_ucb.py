"""A state: a bonus for answers that were rare so far, bit for bit the built-in
outcome-ucb-con with scale = "none"."""

import math

import modebench
import numpy as np

counts = {}  # how often an answer was given, by problem and answer


def save():
    return counts


def load(state):
    counts.clear()
    counts.update(state or {})


@modebench.needs(save=save, load=load)
def advantages(rewards, correct, answers, problems):  # (groups, rollouts), and a list of texts
    mean = np.add.accumulate(rewards, axis=1)[:, -1:] / rewards.shape[1]  # added in order, as Go does
    rounding = 1e-12 * np.maximum(1, np.abs(rewards).max(axis=1, keepdims=True))
    out = np.where(np.abs(rewards - mean) < rounding, 0, rewards - mean)
    for g, problem in enumerate(problems):
        seen = counts.get(problem, {})
        for i, answer in enumerate(answers[g]):
            if answer and rewards.shape[1] > 1 and not correct[g].all():
                out[g, i] += 0.2 * (1 / math.sqrt(max(1, seen.get(answer, 0))) - 0.5)
    for g, problem in enumerate(problems):  # counts are those of before the step
        for answer in answers[g]:
            if answer:
                seen = counts.setdefault(problem, {})
                seen[answer] = seen.get(answer, 0) + 1
    return out
