"""Problems as the data sets that trainers read."""

from __future__ import annotations

import importlib.util
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from .._problems import problems

SOURCE = "modebench"  # of verl's data_source, which is modebench/countdown and the like

Turns = Sequence[dict[str, str]]


def _plain(turns: Turns) -> str:
    return "\n\n".join(turn["content"] for turn in turns)


def _qwen(turns: Turns) -> str:
    return "".join(f"<|im_start|>{t['role']}\n{t['content']}<|im_end|>\n" for t in turns) + "<|im_start|>assistant\n"


_R1_ZERO = (
    "Below, User asks and Assistant answers. Assistant first thinks the question through between <think> and </think>, "
    "and then gives the answer between <answer> and </answer>."
)


def _r1_zero(turns: Turns) -> str:
    """The idea of the template for DeepSeek-R1-Zero (arXiv:2501.12948, its table 1), in other words."""
    names = {"user": "User: ", "assistant": "Assistant: ", "system": ""}
    told = [_R1_ZERO, *(names[turn["role"]] + turn["content"] for turn in turns)]
    return "\n".join([*told, "Assistant:"])


TEMPLATES: dict[str, Callable[[Turns], Any]] = {"chat": list, "plain": _plain, "qwen": _qwen, "r1-zero": _r1_zero}


def _trl(problem: dict[str, Any], prompt: Any) -> dict[str, Any]:
    chain = {"weights": problem["weights"]} if "candidates=" in problem["id"] else {}
    return {"prompt": prompt, "id": problem["id"], **_truth(problem), **chain}


def _verl(problem: dict[str, Any], prompt: Any) -> dict[str, Any]:
    return {
        "data_source": f"{SOURCE}/{problem['env']}",
        "prompt": prompt,
        "ability": problem["env"],
        "reward_model": {"style": "rule", "ground_truth": problem["id"]},
        "extra_info": {"split": problem["split"], "index": problem["index"], **_truth(problem)},
    }


def _openrlhf(problem: dict[str, Any], prompt: Any) -> dict[str, Any]:
    return {"input": prompt, "label": problem["id"], **_truth(problem)}


def _truth(problem: dict[str, Any]) -> dict[str, Any]:
    return {"truth": problem["truth"]} if "truth" in problem else {}


FORMS: dict[str, Callable[[dict[str, Any], Any], dict[str, Any]]] = {
    "trl": _trl,
    "verl": _verl,
    "openrlhf": _openrlhf,
}


def dataset(
    env: str,
    split: str = "train",
    n: int = 100,
    *,
    form: str = "trl",
    template: str | None = None,
    system: str | None = None,
    chat: bool = False,
    rows: bool = False,
    start: int = 0,
    difficulty: Container[str] | None = None,
    truth: bool = True,
    **more: Any,
) -> Any:
    """Problems as a data set: a `datasets.Dataset` where that library is installed, else a list of rows.

    form: whose columns the rows have.
      "trl"       prompt, id, truth
      "verl"      data_source, prompt (a chat), ability, reward_model with the id as ground_truth, extra_info
      "openrlhf"  input, label (the id), truth
    template: how a prompt is written.
      "plain"     the text alone; without a template, that is the default of "trl" and "openrlhf"
      "chat"      messages, for the model's own chat template; chat=True says the same
      "qwen"      a text with the marks of Qwen's chats, for its base models
      "r1-zero"   a text after the template of DeepSeek-R1-Zero: User asks, Assistant thinks and answers in tags
    system: what stands before all else, as a message of the system in a chat.
    rows: a list of rows in any case. difficulty: ids, as those of a step of `ladder`: only these of the n problems.

    truth has how many modes and solutions the problem has, the vectors of its Pareto front and the
    best scalar reward. The other arguments are those of `modebench_rl.problems`: candidates, shots, reasoning,
    unique and fields of the environment. With candidates, TRL's rows have the weights of the reward's components.
    With unique, n counts problems that come again among them too."""
    if form not in FORMS:
        raise ValueError(f"form is {form!r}, want one of {', '.join(FORMS)}")
    template = template or ("chat" if chat or form == "verl" else "plain")
    if template not in TEMPLATES:
        raise ValueError(f"template is {template!r}, want one of {', '.join(TEMPLATES)}")
    if form == "verl" and template != "chat":
        raise ValueError(f'template is {template!r}, but verl writes prompts by the chat template: want "chat"')
    found = problems(env, split, n, start=start, truth=truth, **more)
    if difficulty is not None:
        if isinstance(difficulty, str):
            raise TypeError(f"difficulty is {difficulty!r}, want ids, as those of a step of lm.ladder")
        found = [problem for problem in found if problem["id"] in difficulty]
        if not found:
            raise ValueError(f"none of the first {n} problems of {env}, {split}, has an id in difficulty")
    first = [] if system is None else [{"role": "system", "content": system}]
    made = [FORMS[form](problem, TEMPLATES[template]([*first, *problem["messages"]])) for problem in found]
    if rows or importlib.util.find_spec("datasets") is None:
        return made
    import datasets

    return datasets.Dataset.from_list(made)


STEPS = ("hard", "medium", "easy")


def ladder(ids: Sequence[str], verdicts: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Steps of difficulty, by how often a model answers right: of each step, the problems and their success.

        steps = lm.ladder(ids, mb.judge(ids, texts))  # texts of the model that is to be trained
        data = lm.dataset("countdown", n=1000, difficulty=steps["medium"])

    ids: of each answer the id of its problem. verdicts: what `judge` gives for them; of a chain each answer counts.
    The steps "hard", "medium" and "easy" are about a third of the problems each, by their share of right answers,
    which is the number that they come with. Problems of equal success are in one step, and those that were never
    solved are hard."""
    right: dict[str, list[bool]] = {}
    for name, verdict in zip(ids, verdicts, strict=True):
        right.setdefault(name, []).extend(v["correct"] for v in verdict.get("answers", [verdict]))
    success = {name: sum(found) / len(found) for name, found in right.items() if found}
    order = sorted(success.values())
    steps: dict[str, dict[str, float]] = {step: {} for step in STEPS}
    never = bisect_right(order, 0)
    for name, x in success.items():
        rank = (bisect_left(order, x) + bisect_right(order, x)) / 2  # of all that are as successful
        if never > len(order) / 3:  # the others are halves of what is left
            third = 0 if x == 0 else 1 + int(2 * (rank - never) / (len(order) - never))
        else:
            third = int(3 * rank / len(order))
        steps[STEPS[third]][name] = x
    for step, those in steps.items():
        if not those:
            raise ValueError(f"no problem of {len(order)} is {step}: want more problems, or more answers to each")
    return steps
