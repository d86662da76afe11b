"""Problems as the data sets that trainers read."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

from .._problems import problems

SOURCE = "modebench"  # of verl's data_source, which is modebench/countdown and the like


def _trl(problem: dict[str, Any], chat: bool) -> dict[str, Any]:
    prompt = problem["messages"] if chat else problem["prompt"]
    return {"prompt": prompt, "id": problem["id"], **_truth(problem)}


def _verl(problem: dict[str, Any], chat: bool) -> dict[str, Any]:
    return {
        "data_source": f"{SOURCE}/{problem['env']}",
        "prompt": problem["messages"],
        "ability": problem["env"],
        "reward_model": {"style": "rule", "ground_truth": problem["id"]},
        "extra_info": {"split": problem["split"], "index": problem["index"], **_truth(problem)},
    }


def _openrlhf(problem: dict[str, Any], chat: bool) -> dict[str, Any]:
    return {"input": problem["messages"] if chat else problem["prompt"], "label": problem["id"], **_truth(problem)}


def _truth(problem: dict[str, Any]) -> dict[str, Any]:
    return {"truth": problem["truth"]} if "truth" in problem else {}


FORMS: dict[str, Callable[[dict[str, Any], bool], dict[str, Any]]] = {
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
    chat: bool = False,
    rows: bool = False,
    start: int = 0,
    shots: int = 0,
    unique: bool = False,
    truth: bool = True,
    **settings: Any,
) -> Any:
    """Problems as a data set: a `datasets.Dataset` where that library is installed, else a list of rows.

    form: whose columns the rows have.
      "trl"       prompt, id, truth
      "verl"      data_source, prompt (a chat), ability, reward_model with the id as ground_truth, extra_info
      "openrlhf"  input, label (the id), truth
    chat: prompts as chats and not as texts. rows: a list of rows in any case. unique: leave out problems that
    come again among these n, of which there are then fewer: splits are drawn with replacement.

    truth has how many modes and solutions the problem has, the vectors of its Pareto front and the
    best scalar reward. The other arguments are those of `modebench_rl.problems`."""
    if form not in FORMS:
        raise ValueError(f"form is {form!r}, want one of {', '.join(FORMS)}")
    found = problems(env, split, n, start=start, shots=shots, unique=unique, truth=truth, **settings)
    made = [FORMS[form](problem, chat) for problem in found]
    if rows or importlib.util.find_spec("datasets") is None:
        return made
    import datasets

    return datasets.Dataset.from_list(made)
