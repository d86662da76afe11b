"""Problems as prompts, the judge of their answers, and the metrics of judged answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from . import _program


def problems(
    env: str,
    split: str = "train",
    n: int = 100,
    *,
    start: int = 0,
    candidates: int = 1,
    shots: int = 0,
    reasoning: bool = False,
    unique: bool = False,
    truth: bool = True,
    **settings: Any,
) -> list[dict[str, Any]]:
    """Problems of an environment, as prompts for a language model.

    Each has `id`, which says all about the problem and which `judge` reads; `prompt`, a text;
    `messages`, the prompt as a chat; `truth`: how many modes and solutions there are, and the best
    reward; `components`, the names of the rewards, and `weights`.

    split: "train", "test", "ood" or "pretrain". start: the number of the first. candidates: how many answers a
    text gives, for methods that draw chains. shots: solved examples
    before each prompt. reasoning: with the calculation of each as a thought before its answer (countdown, coins).
    unique: leave out problems that come again among these n, of which there are then
    fewer. truth: whether to work the truth out. settings: fields of the environment (numbers=5), and
    env_seed, another draw of the problems."""
    args = ["env", env, "--jsonl", "--count", str(n), "--index", str(start), "--split", split]
    numbers = {"--shots": shots, "--candidates": candidates if candidates != 1 else 0}
    args += [word for flag, number in numbers.items() if number for word in (flag, str(number))]
    flags = {"--reasoning": reasoning, "--unique": unique, "--no-truth": not truth}
    args += [flag for flag, given in flags.items() if given]
    for field, value in settings.items():
        args += ["--set", f"{field}={value if isinstance(value, str) else json.dumps(value)}"]
    return [json.loads(line) for line in _program.call(args).splitlines()]


@cache
def environments() -> frozenset[str]:
    """The names of the environments."""
    lines = _program.call(["list", "envs"]).decode().splitlines()
    return frozenset(line.split()[0] for line in lines if line.startswith("  "))


def metrics(
    pools: Mapping[str, Sequence[Any]] | Iterable[Sequence[Any]],
    *,
    k: Sequence[int] = (),
    modes: Mapping[str, int] | Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
) -> dict[str, float]:
    """Every metric of judged answers, averaged over problems: pass@k, best@k, coverage@k, mode entropy and others.

    pools: of each problem, by its id or in order, the verdicts that `judge` gave its answers (of a
    chain, the list of its verdicts). Verdicts of two problems in one pool are an error. k: the sizes
    of pools, by default powers of 2. modes: how many correct modes each problem has; without it there
    is no coverage among the metrics. weights: of the reward's components; without them a reward is the
    verdict's scalar."""
    named = pools if isinstance(pools, Mapping) else {str(i): pool for i, pool in enumerate(pools)}
    document: dict[str, Any] = {"problems": [], "weights": [1.0] if weights is None else list(weights)}
    smallest = min((len(pool) for pool in named.values()), default=1)
    document["k"] = list(k) or [2**i for i in range(smallest.bit_length()) if 2**i <= smallest]
    for i, (name, pool) in enumerate(named.items()):
        problem: dict[str, Any] = {"id": name, "chains": [_chain(answer, weights is None) for answer in pool]}
        if modes is not None:
            problem["modes"] = modes[name] if isinstance(modes, Mapping) else modes[i]
        document["problems"].append(problem)
    found: dict[str, float] = json.loads(_program.call(["metrics"], json.dumps(document).encode()))
    return found


FIELDS = ("id", "reward", "correct", "valid", "error", "answer", "mode", "embedding", "variant")


def _chain(answer: Any, scalar: bool) -> list[dict[str, Any]]:
    """A rollout's candidates with what `bench metrics` reads of them."""
    candidates = []
    for verdict in answer if isinstance(answer, (list, tuple)) else [answer]:
        candidates.append({f: verdict[f] for f in FIELDS if f in verdict})
        if scalar and "scalar" in verdict:
            candidates[-1]["reward"] = [verdict["scalar"]]
    return candidates


def judge(
    ids: str | Sequence[str], answers: Sequence[str], *, reading: str = "lenient", embeddings: bool = False
) -> list[dict[str, Any]]:
    """The verdicts of answers, one for each: reward, correct, mode, the answer that votes, and why it does not parse.

    ids: of each answer the `id` of its problem, or one for all. reading: "lenient" takes answers as
    models write them (`\\boxed{}`, "the answer is", Markdown), "strict" as the prompt asks for them."""
    from ._judge import shared

    if isinstance(answers, str):
        raise ValueError("answers is one text: give a list of them")
    answers = list(answers)
    named = [ids] * len(answers) if isinstance(ids, str) else list(ids)
    found: list[dict[str, Any]] = shared(reading, embeddings).judge(named, answers)
    return found
