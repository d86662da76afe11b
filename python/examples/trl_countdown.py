"""TRL's GRPOTrainer on Countdown: what it does to the modes of a small language model, on a CPU.

    python trl_countdown.py --steps 40 --out trl-countdown
    python trl_countdown.py --steps 60 --methods grpo@trl poly-epo grpo-div --seeds 3 --out methods

A two-layer model that reads and writes characters, with random weights, first learns from examples to write
expressions of the numbers that it is given, of which three in ten are correct, with all modes alike. Then GRPO
trains it on the reward. The folder gets modes.jsonl, event files for TensorBoard, an offline run of Weights & Biases
where that is installed, and modes.svg: reward, coverage and mode entropy by step.

With --methods it trains once for each method and seed, with modebench's advantages and loss, and prints a table: the
accuracy of the last steps, the distinct right answers of 16, and those of the first method when it was as accurate.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import re
from pathlib import Path
from typing import Any

SETTINGS = {"numbers": 3, "max_number": 12, "target_min": 2, "target_max": 30}  # every problem has four modes or more
EXPRESSION = 16  # characters at most


def tokenizer() -> Any:
    """A token for each character."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    characters = ["<pad>", "<end>", *map(chr, range(32, 127))]
    vocabulary = {character: number for number, character in enumerate(characters)}
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token=" "))
    inner.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    inner.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<end>", padding_side="left")


def model(tokens: Any, width: int = 64) -> Any:
    """Two layers with random weights."""
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokens), max_position_embeddings=64, hidden_size=width, intermediate_size=2 * width,
            num_hidden_layers=2, num_attention_heads=4, tie_word_embeddings=True,
            pad_token_id=tokens.pad_token_id, bos_token_id=None, eos_token_id=tokens.eos_token_id,
        )
    )  # fmt: skip


def short(problem: dict[str, Any]) -> dict[str, Any]:
    """A problem with what a small model needs of its prompt: the numbers and the target."""
    numbers, target = re.search(r"numbers (.+?) to write .*? equals (\d+)", problem["prompt"]).groups()
    return {**problem, "prompt": f"{numbers} = {target}: "}


def expression(numbers: list[str], draw: random.Random) -> str:
    """Any expression that has each of the numbers once."""
    parts = draw.sample(numbers, len(numbers))
    while len(parts) > 1:
        at = draw.randrange(len(parts) - 1)
        joined = parts[at] + draw.choice("+-*/") + parts[at + 1]
        parts[at : at + 2] = [f"({joined})" if len(parts) > 2 else joined]
    return parts[0]


def examples(rows: list[dict[str, Any]], right: float, draw: random.Random) -> list[tuple[str, str]]:
    """Prompts and expressions of their numbers, that share of them correct, the modes in equal parts."""
    import modebench_rl as mb

    found = []
    for row in rows:
        any_of_them = [expression(row["prompt"].partition(" =")[0].split(", "), draw) for _ in range(400)]
        modes: dict[str, list[str]] = {}
        for text, verdict in zip(any_of_them, mb.judge(row["id"], any_of_them), strict=True):
            if verdict["correct"]:
                modes.setdefault(verdict["mode"], []).append(text)
        for text in any_of_them[: 200 if modes else 0]:
            correct = draw.choice(modes[draw.choice(sorted(modes))])
            found.append((row["prompt"], correct if draw.random() < right else text))
    return found


def learn(net: Any, tokens: Any, pairs: list[tuple[str, str]], steps: int, draw: random.Random) -> float:
    """Trains the model on prompts and expressions, and returns the last loss."""
    import torch

    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    loss = torch.tensor(float("nan"))
    for _ in range(steps):
        drawn = draw.sample(pairs, 64)
        batch = tokens([p + e + "<end>" for p, e in drawn], return_tensors="pt", padding=True)
        # The loss is on the expression alone: of the prompt and of what pads it there is nothing to learn.
        labels = batch["input_ids"].clone()
        for row, (_, e) in enumerate(drawn):
            labels[row, : -len(e) - 1] = -100
        loss = net(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def train(
    out: Path,
    steps: int,
    problems: int = 8,
    group: int = 16,
    warm: int = 250,
    seed: int = 0,
    method: str | None = None,
) -> list[dict[str, Any]]:
    """Trains, and returns the log: a row for every step. method: one of modebench; without it TRL's own."""
    os.environ.setdefault("WANDB_MODE", "offline")
    os.environ.setdefault("WANDB_DIR", str(out))
    os.environ.setdefault("TENSORBOARD_LOGGING_DIR", str(out / "tensorboard"))
    import datasets
    import torch
    import transformers
    from trl import GRPOConfig, GRPOTrainer

    from modebench_rl import lm

    transformers.set_seed(seed)
    torch.set_num_threads(1)  # several threads of so small a model wait for each other
    rows = [short(row) for row in lm.dataset("countdown", n=problems, rows=True, **SETTINGS)]
    tokens = tokenizer()
    net = model(tokens)
    draw = random.Random(seed)
    loss = learn(net, tokens, examples(rows, 0.3, draw), warm, draw)
    print(f"{net.num_parameters():,} parameters; loss on the examples after {warm} steps: {loss:.3f}", flush=True)
    log = lm.ModeLog(out / "modes.jsonl", tensorboard=out / "tensorboard" / "modes", k=(1, 4, group))
    under = {} if method is None else {"method": method}
    trainer = (lm.GRPOTrainer if under else GRPOTrainer)(
        model=net,
        **under,
        processing_class=tokens,
        reward_funcs=lm.TRLReward(log=log),
        train_dataset=datasets.Dataset.from_list(rows),
        callbacks=[lm.ModeCallback(log)],
        args=GRPOConfig(
            output_dir=str(out / "trainer"),
            max_steps=steps,
            per_device_train_batch_size=problems * group,
            num_generations=group,
            max_completion_length=EXPRESSION,
            learning_rate=5e-4,
            lr_scheduler_type="constant",
            beta=0.0,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            logging_steps=1,
            save_strategy="no",
            report_to=[n for n in ("tensorboard", "wandb") if not under and importlib.util.find_spec(n)],
            disable_tqdm=True,
            seed=seed,
        ),
    )
    if under:
        trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    return log.history


LAST = 5  # steps, whose mean is called the end


def mean(rows: list[dict[str, Any]], name: str) -> float:
    return sum(row[name] for row in rows) / len(rows)


def when(rows: list[dict[str, Any]], accuracy: float) -> float:
    """The distinct right answers when a run first is so accurate, by means over LAST steps; NaN if it never is."""
    for end in range(LAST, len(rows) + 1):
        if mean(rows[end - LAST : end], "accuracy") >= accuracy:
            return mean(rows[end - LAST : end], "distinct_correct")
    return float("nan")


def compare(out: Path, methods: list[str], steps: int, seeds: int) -> None:
    """Trains with each method, and prints a table."""
    runs: dict[str, list[list[dict[str, Any]]]] = {}
    for method in methods:
        runs[method] = [train(out / method / str(seed), steps, seed=seed, method=method) for seed in range(seeds)]
    first = runs[methods[0]]
    print(f"| method | accuracy | distinct right answers | {methods[0]} at this accuracy |\n|---|---|---|---|")
    for method, found in runs.items():
        ends = [(mean(rows[-LAST:], "accuracy"), mean(rows[-LAST:], "distinct_correct")) for rows in found]
        before = [when(rows, accuracy) for rows, (accuracy, _) in zip(first, ends, strict=True)]
        numbers = [*(sum(column) / seeds for column in zip(*ends, strict=True)), sum(before) / seeds]
        print(f"| {method} | {' | '.join(f'{x:.2f}' for x in numbers)} |")


def figure(rows: list[dict[str, Any]], path: Path) -> None:
    """Reward, coverage and mode entropy by step."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "modebench"  # the same log gives the same bytes
    import matplotlib.pyplot as plt

    most = max((name for name in rows[0] if name.startswith("coverage@")), key=lambda name: int(name.split("@")[1]))
    named = {"reward": "reward", most: most.replace("@", " of ") + " answers", "entropy_mode": "mode entropy (nats)"}
    fig, axes = plt.subplots(1, len(named), figsize=(9, 2.6), constrained_layout=True)
    for axis, (name, title) in zip(axes, named.items(), strict=True):
        axis.plot([row["step"] for row in rows], [row[name] for row in rows], linewidth=1.4)
        axis.set(title=title, xlabel="step")
        axis.set_ylim(bottom=0)
        axis.spines[["top", "right"]].set_visible(False)
    fig.savefig(path, metadata={"Date": None})
    plt.close(fig)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40, help="steps of GRPO")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("trl-countdown"), help="folder for the log and the figure")
    parser.add_argument("--methods", nargs="+", default=[], help="compare these methods of modebench")
    parser.add_argument("--seeds", type=int, default=3, help="with --methods: how many")
    given = parser.parse_args()
    if given.methods:
        return compare(given.out, given.methods, given.steps, given.seeds)
    rows = train(given.out, given.steps, seed=given.seed)
    for row in rows[:: max(1, len(rows) // 10)]:
        print(json.dumps({name: round(x, 3) if isinstance(x, float) else x for name, x in row.items()}))
    if importlib.util.find_spec("matplotlib"):
        figure(rows, given.out / "modes.svg")


if __name__ == "__main__":
    main()
