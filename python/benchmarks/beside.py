"""How fast the package is, beside numpy, reasoning-gym's judge and TinyZero's.

    python benchmarks/beside.py [--tinyzero FILE]

FILE is TinyZero's verl/utils/reward_score/countdown.py, which is on no package index. Each line is
the best of several rounds, and its ratio is against the line that it stands below. The judges are given
the same 12,000 answers to Countdown, in batches of 256, and are held against each other."""

from __future__ import annotations

import argparse
import contextlib
import http.client
import importlib.util
import io
import json
import random
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import modebench_rl as mb
from modebench_rl._judge import Judge

ANSWERS, BATCH, ROUNDS = 12_000, 256, 5


def best(run: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The shortest time of several, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def estimators() -> None:
    """128 groups of 8 rollouts."""
    rng = np.random.default_rng(0)
    rewards, modes = rng.integers(0, 2, (128, 8)).astype(float), rng.integers(0, 5, (128, 8))
    embeddings = rng.normal(size=(128, 8, 50)).astype(np.float32)
    embeddings /= np.linalg.norm(embeddings, axis=-1, keepdims=True)

    def by_numpy() -> Any:
        return (rewards - rewards.mean(1, keepdims=True)) / (rewards.std(1, ddof=1, keepdims=True) + 1e-6)

    print("128 groups of 8 rollouts, ms a batch")
    print(f"  grpo in numpy                       {1e3 * best(by_numpy, 200):7.3f}")
    for method, fields, given in (
        ("grpo", {}, {}),
        ("poly-epo", {"n": 4}, {"modes": modes}),
        ("setpo+grpo", {}, {"embeddings": embeddings}),
    ):
        with mb.Estimator(method, **fields) as estimator:
            seconds = best(lambda: estimator(rewards=rewards, **given), 200)  # noqa: B023 - it is called at once
        print(f"  {method:<36}{1e3 * seconds:7.3f}")


def answers() -> tuple[list[str], list[dict[str, Any]], list[str]]:
    """Ids, their numbers and target, and answers: written at random, and one in four right."""
    draw = random.Random(0)
    problems = mb.problems("countdown", "test", 40)
    known = []
    for i in range(len(problems)):
        command = ["env", "countdown", "--split", "test", "--index", str(i), "--format", "json"]
        document = json.loads(mb._program.call(command))
        known.append([s["answer"] for s in document["solutions"]])
    ids, truths, texts = [], [], []
    for n in range(ANSWERS):
        p = n % len(problems)
        found = re.search(r"numbers ([\d, ]+) to write an expression that equals (\d+)", problems[p]["prompt"])
        assert found
        numbers, target = [int(x) for x in found[1].split(",")], int(found[2])
        draw.shuffle(numbers)
        text = draw.choice(known[p]) if n % 4 == 0 else "".join(f"{x}{draw.choice('+-*')}" for x in numbers)[:-1]
        ids.append(problems[p]["id"])
        truths.append({"numbers": numbers, "target": target})
        texts.append(text)
    return ids, truths, texts


@contextlib.contextmanager
def served() -> Iterator[tuple[str, int]]:
    """`bench serve` on a free port."""
    process = subprocess.Popen(
        [mb.program(), "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stderr
    try:
        line = process.stderr.readline() or process.stdout.readline()
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        assert found, line
        yield "127.0.0.1", int(found[1])
    finally:
        process.terminate()
        process.communicate()


def judges(tinyzero: str | None) -> None:
    """12,000 answers."""
    ids, truths, texts = answers()
    spans = [slice(i, i + BATCH) for i in range(0, ANSWERS, BATCH)]
    tagged = [f"<answer>{text}</answer>" for text in texts]
    rows: dict[str, Callable[[], list[bool]]] = {}

    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError):
            import reasoning_gym

            gym = reasoning_gym.create_dataset("countdown", size=1, seed=0)
            rows["reasoning-gym"] = lambda: [
                gym.score_answer(text, {"metadata": truth}) == 1.0 for text, truth in zip(texts, truths, strict=True)
            ]
        if tinyzero:
            found = importlib.util.spec_from_file_location("tinyzero", tinyzero)
            assert found and found.loader
            module = importlib.util.module_from_spec(found)
            found.loader.exec_module(module)

            def by_tinyzero() -> list[bool]:
                with contextlib.redirect_stdout(io.StringIO()):  # it prints one answer in 800
                    return [
                        module.compute_score(f"Assistant: {text}", truth) == 1.0
                        for text, truth in zip(tagged, truths, strict=True)
                    ]

            rows["TinyZero"] = by_tinyzero
        judge = stack.enter_context(Judge("strict"))
        rows["modebench_rl.judge"] = lambda: [
            v["correct"] for span in spans for v in judge.judge(ids[span], tagged[span])
        ]
        host, port = stack.enter_context(served())
        connection = http.client.HTTPConnection(host, port)
        bodies = [
            json.dumps({"items": [{"id": i, "answer": a} for i, a in zip(ids[s], tagged[s], strict=True)]})
            for s in spans
        ]

        def over_http() -> list[bool]:
            out = []
            for body in bodies:
                connection.request("POST", "/judge", body, {"Content-Type": "application/json"})
                out += [v["correct"] for v in json.loads(connection.getresponse().read())["verdicts"]]
            return out

        rows["bench serve, one connection"] = over_http
        print(f"{ANSWERS} answers to Countdown, verdicts a second")
        reference, slowest = None, None
        for name, run in rows.items():
            verdicts = run()
            rate = ANSWERS / best(run)
            slowest = slowest or rate
            reference = reference or verdicts
            other = sum(a != b for a, b in zip(reference, verdicts, strict=True))
            print(f"  {name:<36}{rate:10.0f}  x {rate / slowest:5.1f}  {sum(verdicts)} right, {other} unlike")


def main() -> None:
    """Prints both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tinyzero", metavar="FILE")
    args = parser.parse_args()
    estimators()
    judges(args.tinyzero)


if __name__ == "__main__":
    main()
