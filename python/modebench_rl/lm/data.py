"""Problems as the data sets that trainers read."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
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
    difficulty: str | None = None,
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
    rows: a list of rows in any case. difficulty: "easy", "medium" or "hard", a step of `ladder`: the first n problems
    of the step among 4n + 100, of which a third should be.

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
    if difficulty is None:
        found = problems(env, split, n, start=start, truth=truth, **more)
    else:
        found = _of_step(difficulty, env, split, n, start, more)
    first = [] if system is None else [{"role": "system", "content": system}]
    made = [FORMS[form](problem, TEMPLATES[template]([*first, *problem["messages"]])) for problem in found]
    if rows or importlib.util.find_spec("datasets") is None:
        return made
    import datasets

    return datasets.Dataset.from_list(made)


STEPS = ("hard", "medium", "easy")
MEASURED = 1000  # problems that a ladder is of


def ladder(env: str, **settings: Any) -> dict[str, tuple[int, int]]:
    """Steps of difficulty: of each, the fewest and the most right answers that its problems have.

        ladder("countdown")  # {"hard": (1, 24), "medium": (25, 40), "easy": (41, 200)}, or the like

    They are the thirds of the first 1000 problems of the split train. The number of right answers is exact, and
    it is the truth's `solutions`. Where all problems have about as many possible answers, as in countdown and coins,
    a policy that guesses is right in proportion to it. It is no measurement of a language model. Other environments
    are refused: the number says little there. settings: fields of the environment, and env_seed."""
    if env not in ("countdown", "coins"):
        raise ValueError(f"there is no ladder of {env}: its problems differ in how many answers are possible")
    return _ladder(env, problems(env, n=MEASURED, **settings))


def _ladder(env: str, found: Sequence[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    counts = sorted(problem["truth"]["solutions"] for problem in found)
    ends = [counts[len(counts) * step // 3 - 1] for step in (1, 2, 3)]
    starts = [counts[0], *(end + 1 for end in ends[:-1])]
    if any(start > end for start, end in zip(starts, ends, strict=True)):
        raise ValueError(f"problems of {env} do not differ enough in how many answers are right for three steps")
    return dict(zip(STEPS, zip(starts, ends, strict=True), strict=True))


def _of_step(step: str, env: str, split: str, n: int, start: int, more: dict[str, Any]) -> list[dict[str, Any]]:
    if step not in STEPS:
        raise ValueError(f"difficulty is {step!r}, want one of {', '.join(STEPS)}")
    settings = {name: value for name, value in more.items() if name not in ("shots", "reasoning", "unique")}
    fewest, most = ladder(env, **settings)[step]
    if step == "hard":
        fewest = 1
    elif step == "easy":
        most = 2**63
    found = problems(env, split, 4 * n + 100, start=start, **more)
    return [p for p in found if fewest <= p["truth"]["solutions"] <= most][:n]
