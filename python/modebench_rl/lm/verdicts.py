"""What trainers give as an answer, and what they are told of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modebench_rl._problems import environments


def ours(name: Any) -> bool:
    """Whether a name is meant as the id of a problem: it is one of an environment. Another data set may have ids of
    its own, or none. A misspelt id of ours stays ours, so that the judge says what is wrong with it."""
    return isinstance(name, str) and "/" in name and name.partition("/")[0] in environments()


def text(completion: Any) -> str:
    """A completion's text: the text that it is, or what the last message of a chat by the assistant says."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        completion = [completion]
    for message in reversed(list(completion)):
        if message.get("role", "assistant") == "assistant":
            content = message.get("content") or ""
            if isinstance(content, str):
                return content
            return "".join(part.get("text") or "" for part in content if part.get("type", "text") == "text")
    return ""


def told(verdict: Mapping[str, Any], components: bool = False) -> dict[str, Any]:
    """A verdict as numbers, with the name of the mode.

    score is the scalar reward, acc whether the answer is correct (1 or 0), and mode the name of its mode, or "".
    With components, reward_0, reward_1, ... are those of the reward. Where a text holds several answers, the
    numbers are means and mode is that of the first."""
    answers = verdict.get("answers", [verdict])
    found: dict[str, Any] = {
        "score": _mean([v["scalar"] for v in answers]),
        "acc": _mean([bool(v["correct"]) for v in answers]),
        "mode": (answers[0].get("mode") or "") if answers else "",
    }
    for number, rewards in enumerate(zip(*(v["reward"] for v in answers), strict=True) if components else ()):
        found[f"reward_{number}"] = _mean(rewards)
    return found


def columns(told: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a verdict that `told` has kept, or a reward function of somebody else gives by its names."""
    found: dict[str, Any] = {}
    if "acc" in told:
        found["correct"] = float(told["acc"]) > 0
    if "mode" in told:
        found["mode"] = told["mode"] or None
    return found


def _mean(numbers: Any) -> float:
    return float(sum(numbers)) / max(1, len(numbers))
