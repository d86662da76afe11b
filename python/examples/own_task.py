"""Poly-EPO on a task of your own, under TRL's GRPOTrainer.

    python own_task.py Qwen/Qwen3-0.6B

The task: write a number as a sum of two positive numbers. Each pair of numbers is a mode: 7 has 1+6, 2+5 and 3+4.
"""

import re
import sys

import datasets
from trl import GRPOConfig

from modebench_rl import lm

PROMPT = "Write {0} as a sum of two positive whole numbers, as in 9 = 2+7.\n{0} = "
rows = [{"prompt": PROMPT.format(n), "number": n} for n in range(6, 38)]
right_modes = {str(row["number"]): row["number"] // 2 for row in rows}  # how many, for coverage@k; leave out if unknown
log = lm.ModeLog("own-task/modes.jsonl", modes=right_modes)


def read(text: str) -> list[int] | None:
    """The two numbers of a sum, the smaller one first; None if the answer is no sum."""
    found = re.match(r"\s*(\d+)\s*\+\s*(\d+)(?!\s*[+\d])", text)
    return sorted(map(int, found.groups())) if found else None


def reward(completions, number, log_extra, **_):
    pairs = [read(text) for text in completions]
    right = [pair is not None and pair[0] > 0 and sum(pair) == n for pair, n in zip(pairs, number, strict=True)]
    modes = [None if pair is None else f"{pair[0]}+{pair[1]}" for pair in pairs]  # 5+2 is the mode 2+5 too
    log_extra("mode", modes)  # for Poly-EPO, which reads modes beside rewards
    verdicts = [{"reward": [float(r)], "correct": r, "mode": mode} for r, mode in zip(right, modes, strict=True)]
    log.add([str(n) for n in number], verdicts)  # for the log: pass@k, coverage@k, distinct right modes
    return [float(r) for r in right]


trainer = lm.GRPOTrainer(
    model=sys.argv[1],
    method="poly-epo",
    n=4,  # of each set of answers, below num_generations
    reward_funcs=reward,
    train_dataset=datasets.Dataset.from_list(rows),
    callbacks=[lm.ModeCallback(log)],
    args=GRPOConfig("own-task", num_generations=8, max_completion_length=16, log_completions=True, logging_steps=1),
)
trainer.train()
