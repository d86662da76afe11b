"""Makes the files of the tests with the code that writes them in TRL 1.16.0 and verl 0.9.1.

The statements of trl/trainer/grpo_trainer.py (GRPOTrainer.log: the table of completions) and
the function _write_generations of verl/trainer/ppo/ray_trainer.py are taken from the packages
and run as they are, on completions of ours.

  pip download --no-deps trl==1.16.0 verl==0.9.1   # and unzip both into one folder
  pip install pandas pyarrow numpy
  bench env coins --jsonl --count 2 --no-truth | python3 make.py FOLDER
"""
import ast
import json
import os
import sys
import types

import numpy as np
import pandas as pd

folder = sys.argv[1]
problems = [json.loads(line) for line in sys.stdin]
answers = [["10+12+3", "12+10+3", "1+2", ""], ["no", "", "<answer>", "éé"]]
prompts = [p for p in problems for _ in range(4)]
texts = [f"<answer>{a}</answer>" if a else "" for row in answers for a in row]


def trl(step, chats, out):
    """Runs the statements that make and write the table."""
    source = open(f"{folder}/trl/trainer/grpo_trainer.py").read()
    log = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == "log")
    inside = next(n for n in log.body if isinstance(n, ast.If) and "log_completions" in ast.unparse(n.test))
    begin = next(i for i, n in enumerate(inside.body) if isinstance(n, ast.Assign) and n.targets[0].id == "table")
    code = "\n".join(ast.unparse(n) for n in inside.body[begin : begin + 3])
    logs = {
        "prompt": [p["messages"] if chats else p["prompt"] for p in prompts],
        "completion": [[{"role": "assistant", "content": t}] for t in texts] if chats else texts,
        "rewards": {"coins_reward": [1.0, 1.0, 0.0, float("nan"), 0.0, 0.0, 0.0, 0.0]},
        "extra": {"note": ["a", None] * 4}, "advantages": [0.5] * 8,
    }
    this = types.SimpleNamespace(_logs=logs, state=types.SimpleNamespace(global_step=step), args=types.SimpleNamespace(output_dir=out))
    exec(code, {"self": this, "pd": pd, "os": os, "strip_images_from_messages": lambda m: m})


def verl(step, out):
    """Runs the function that writes the lines."""
    source = open(f"{folder}/verl/trainer/ppo/ray_trainer.py").read()
    write = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == "_write_generations")
    write.decorator_list = []
    names = {"os": os, "json": json, "np": np}
    exec(ast.unparse(write), names)
    inputs = [f"system\nYou are helpful.\nuser\n{p['prompt']}\nassistant\n" for p in prompts]
    gts = [p["id"] for p in prompts]
    scores = [np.float32(1), 1.0, 0.0, float("nan"), 0.0, 0.0, 0.0, 0.0]
    names["_write_generations"](inputs, texts, gts, scores, {"acc": [np.bool_(True)] * 8}, out, step)


trl(5, False, "testdata")
trl(10, True, "testdata")
verl(5, "testdata/rollouts")
nulls = {"completion": ["<answer>12+10+3</answer>", "x"], "label": [None, None], "seed": [None, None]}
pd.DataFrame({"id": ["coins/train/0"] * 2, **nulls}).to_parquet("testdata/nulls.parquet", index=False)
