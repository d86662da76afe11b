"""OpenRLHF: its reward function in a file.

    data:    lm.dataset("countdown", n=1000, form="openrlhf").to_json("train.jsonl")
             --data.input_key input --data.label_key label
    reward:  --reward.remote_url "$(python -m modebench_rl.lm.openrlhf)"

The label of a row is the id of its problem. Where the judge runs on another machine, the URL is that of
`bench serve --anywhere` there, with `--host NAME` where the URL has a name. OpenRLHF sends no token.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import Any

from modebench_rl._judge import shared
from modebench_rl.lm.verdicts import told

# The tags of thoughts, as the judge knows them.
_NAME = "(?:think|thinking|thought|thoughts|reasoning)"
# The tag of a thought with which a prompt ends, so that the response begins in the thought.
OPENED = re.compile(
    rf"(?:<{_NAME}(?:[ \t\r\n][^<>]*)?>|<\|(?:begin|start)_of_{_NAME}\|>|(?-i:\[{_NAME.upper()}\]))\Z", re.IGNORECASE
)
# A token that ends a response. OpenRLHF decodes them with the rest. The end of a thought is none.
END = re.compile(rf"(?:</s>|<eos>|<end_of_turn>|(?!(?i:<\|end_of_{_NAME}\|>))<[|｜][^<>]{{1,40}}[|｜]>)\Z")


def response(query: str, prompt: str) -> str:
    """What stands behind the prompt, without tokens that end it, and with the tag of a thought that the prompt opens.

    Where decoding has changed the prompt, the query does not hold it. The last line of the problem, which
    shows an example of an answer, must then not be taken for the model's: what stands behind that is."""
    for text in (prompt, prompt.strip().rpartition("\n")[2]):
        if text and text in query:
            opened = OPENED.search(prompt.rstrip()) if text is prompt else None
            query = (opened[0] if opened else "") + query.partition(text)[2]
            break
    while ended := END.search(query := query.rstrip()):
        query = query[: ended.start()]
    return query


def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str], **_: Any) -> dict[str, Any]:
    """What OpenRLHF is told of responses.

    queries: the prompts with the responses behind them. labels: the ids of the problems.

    rewards and scores are the scalar rewards. acc in extra_logs says whether answers are correct (1 or 0), and mode is
    a number that stands for the name of the mode, -1 for none. All are tensors. Where a response holds several
    answers, rewards and acc are means and mode is that of the first."""
    import torch

    texts = [response(q, p) for q, p in zip(queries, prompts, strict=True)]
    rows = [told(v) for v in shared("lenient", False).judge(list(labels), texts)]
    rewards = torch.tensor([row["score"] for row in rows])
    modes = [zlib.crc32(row["mode"].encode()) if row["mode"] else -1 for row in rows]  # the same in all processes
    logs = {"acc": torch.tensor([row["acc"] for row in rows]), "mode": torch.tensor(modes)}
    return {"rewards": rewards, "scores": rewards, "extra_logs": logs}


if __name__ == "__main__":
    print(__file__)
