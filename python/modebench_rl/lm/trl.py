"""TRL: a reward function for its trainers, as GRPOTrainer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._judge import Judge, shared
from .modelog import ModeLog
from .verdicts import ours, text


class TRLReward:
    """A function for `reward_funcs`: the reward of each completion.

    The data set needs the column `id`, which `lm.dataset` gives it; with the column `truth` the log has
    coverage. A row without an id, or with one of another data set, gets None: TRL then leaves this function out of
    the row's reward.

    component: the number of one component of the reward; without it, the scalar reward. weights: what
    weighs the components in it; without them, the environment's own. Where a completion holds several
    answers, its reward is the mean of theirs. log: gets what is judged; `ModeCallback` then logs it by step.
    reading, judge: as for `modebench_rl.judge`, or a judge of your own.

    TRL's table of completions gets the columns id and mode. `verdicts` has those of the last call, None for rows that
    are none of ours; with `embeddings` set they have embeddings. `lm.GRPOTrainer` reads them."""

    def __init__(
        self,
        component: int | None = None,
        *,
        weights: Sequence[float] | None = None,
        log: ModeLog | None = None,
        reading: str = "lenient",
        judge: Judge | None = None,
        name: str | None = None,
    ) -> None:
        if component is not None and weights is not None:
            raise ValueError("component and weights are both given, want one of them")
        self.component = component
        self.weights = None if weights is None else [float(w) for w in weights]
        self.log = log
        self.embeddings = False
        self.verdicts: list[dict[str, Any] | None] = []
        self._judge, self._reading = judge, reading
        # What TRL calls the function in its logs.
        self.__name__ = name or ("modebench" if component is None else f"modebench_{component}")

    def __call__(
        self, prompts: Sequence[Any], completions: Sequence[Any], id: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        """The rewards of completions, which are texts or chats; None where a row is none of ours."""
        if id is None:
            raise ValueError("the data set has no column id, which says which problem a prompt is; lm.dataset gives it")
        judge = self._judge or shared(self._reading, self.embeddings)
        own = [place for place, name in enumerate(id) if ours(name)]
        ids = [id[place] for place in own]
        verdicts = judge.judge(ids, [text(completions[place]) for place in own])
        if self.log is not None:
            truth = columns.get("truth") or [None] * len(id)
            self.log.add(ids, verdicts, [(truth[place] or {}).get("modes") for place in own])
        rewards: list[float | None] = [None] * len(id)
        self.verdicts = [None] * len(id)
        for place, verdict in zip(own, verdicts, strict=True):
            rewards[place], self.verdicts[place] = self._of(verdict), verdict
        log_extra = columns.get("log_extra")
        pending = getattr(getattr(log_extra, "__self__", None), "_pending_extra_logs", {})
        if log_extra and not pending.get("id"):  # once, where several of these functions judge the same completions
            log_extra("id", list(id))
            log_extra("mode", [None if verdict is None else _mode(verdict) for verdict in self.verdicts])
        return rewards

    def _of(self, verdict: Mapping[str, Any]) -> float:
        answers = verdict.get("answers")
        if answers is not None:
            return sum(self._of(v) for v in answers) / len(answers) if answers else 0.0
        vector = verdict["reward"]
        if self.component is not None:
            return float(vector[self.component])
        if self.weights is None:
            return float(verdict["scalar"])
        if len(self.weights) != len(vector):
            raise ValueError(f"{len(self.weights)} weights, but a reward has {len(vector)} components")
        return float(sum(w * r for w, r in zip(self.weights, vector, strict=True)))


def _mode(verdict: Mapping[str, Any]) -> str | None:
    """The mode of an answer, or those of a chain's answers, for the table of completions."""
    if "answers" in verdict:
        return ", ".join(answer.get("mode") or "none" for answer in verdict["answers"])
    return verdict.get("mode")
