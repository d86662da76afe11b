"""The judge that stays, data sets, rewards and the log of modes. No trainer is needed for them."""

from __future__ import annotations

import copy
import importlib
import itertools
import json
import math
import os
import pickle
import pydoc
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import modebench_rl as mb
from modebench_rl import lm
from modebench_rl._judge import Judge
from modebench_rl.lm import openrlhf, verdicts

COINS = "coins/train/0"  # pays 25 with coins of 3, 6, 10 and 12
RIGHT, OTHER, WRONG = "<answer>10+12+3</answer>", "<answer>10+6+6+3</answer>", "<answer>10+10</answer>"


@pytest.fixture(scope="module")
def judge():
    with Judge() as it:
        yield it


def test_verdicts_are_in_order(judge: Judge):
    texts = [RIGHT, WRONG, OTHER, "no answer at all", RIGHT + "\nin two lines"]
    verdicts = judge.judge([COINS] * 5, texts)
    assert [v["correct"] for v in verdicts] == [True, False, True, False, True]
    assert verdicts[0]["mode"] == verdicts[4]["mode"] != verdicts[2]["mode"]
    assert verdicts[3]["error"] and verdicts[0]["error"] is None
    assert judge.judge([], []) == []


def test_a_batch_larger_than_any_pipe(judge: Judge):
    """Both pipes would be full at once if one thread did both."""
    texts = [f"{'x' * 700} {RIGHT if i % 3 else WRONG}" for i in range(4000)]
    assert [v["correct"] for v in judge.judge([COINS] * len(texts), texts)] == [i % 3 > 0 for i in range(4000)]


def test_many_threads(judge: Judge):
    found: dict[int, list[bool]] = {}

    def ask(number: int) -> None:
        texts = [RIGHT if i % number else WRONG for i in range(200)]
        found[number] = [v["correct"] for v in judge.judge([COINS] * 200, texts)]

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(2, 10)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == {n: [i % n > 0 for i in range(200)] for n in range(2, 10)}


def test_what_no_problem_has(judge: Judge):
    with pytest.raises(mb.InputError, match="answer 1: .*unknown split"):
        judge.judge([COINS, "coins/trian/0"], [RIGHT, RIGHT])
    assert judge.judge([COINS], [RIGHT])[0]["correct"], "the judge goes on"
    with pytest.raises(ValueError, match="2 ids for 1 answers"):
        judge.judge([COINS, COINS], [RIGHT])
    with pytest.raises(ValueError, match="reading"):
        Judge("literal")


def test_a_judge_that_has_died_is_started_again():
    with Judge() as it:
        it.judge([COINS], [RIGHT])
        os.kill(it._process._popen.pid, signal.SIGKILL)
        assert it.judge([COINS], [RIGHT])[0]["correct"]


def test_a_program_that_is_no_judge(tmp_path: Path):
    program = tmp_path / "bench"
    program.write_text("#!/bin/sh\necho 'bench: out of order' >&2; exit 70\n")
    program.chmod(0o755)
    with pytest.raises(mb.BenchError, match="out of order"), Judge(bench=str(program)) as it:
        it.judge([COINS], [RIGHT])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_fork_has_a_judge_of_its_own(judge: Judge):
    """Also where another thread holds the lock at the fork."""
    judge.judge([COINS], [RIGHT])
    mine = judge._process._popen.pid
    with judge._lock:
        child = os.fork()
        if child == 0:
            ok = judge.judge([COINS], [RIGHT])[0]["correct"] and judge._process._popen.pid != mine
            judge.close()
            os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert judge.judge([COINS], [RIGHT])[0]["correct"] and judge._process._popen.pid == mine


def test_the_judge_ends_with_its_process(tmp_path: Path):
    code = (
        "from modebench_rl._judge import shared\n"
        f"shared().judge([{COINS!r}], ['x'])\n"
        "print(shared()._process._popen.pid)"
    )
    pid = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"the judge, process {pid}, goes on")


@pytest.mark.parametrize("form", ["trl", "verl", "openrlhf"])
def test_data_sets(form: str):
    rows = lm.dataset("countdown", n=3, form=form, rows=True, numbers=5)
    problems = mb.problems("countdown", n=3, numbers=5)
    for row, problem in zip(rows, problems, strict=True):
        if form == "verl":
            assert row["reward_model"] == {"style": "rule", "ground_truth": problem["id"]}
            assert row["prompt"] == problem["messages"] and row["data_source"] == "modebench/countdown"
            assert row["extra_info"]["truth"] == problem["truth"]
        else:
            prompt, name = ("prompt", "id") if form == "trl" else ("input", "label")
            assert row == {prompt: problem["prompt"], name: problem["id"], "truth": problem["truth"]}
    with pytest.raises(ValueError, match="form is 'ppo'"):
        lm.dataset("countdown", form="ppo")
    assert lm.dataset("coins", n=1, chat=True, rows=True)[0]["prompt"][-1]["role"] == "user"


def test_templates():
    given: dict[str, Any] = {"n": 1, "rows": True, "shots": 1, "reasoning": True, "system": "Be brief."}
    [problem] = mb.problems("coins", n=1, shots=1, reasoning=True)
    ask, show, last = [message["content"] for message in problem["messages"]]
    assert show.startswith("<think>5+4 = 9, ") and show.endswith("</answer>")
    texts = {t: lm.dataset("coins", template=t, **given)[0]["prompt"] for t in ("plain", "qwen", "r1-zero", "chat")}
    assert texts["chat"] == [{"role": "system", "content": "Be brief."}, *problem["messages"]]
    assert texts["plain"] == f"Be brief.\n\n{problem['prompt']}" == lm.dataset("coins", **given)[0]["prompt"]
    marked = [("system", "Be brief."), ("user", ask), ("assistant", show), ("user", last)]
    turns = "".join(f"<|im_start|>{role}\n{says}<|im_end|>\n" for role, says in marked)
    assert texts["qwen"] == turns + "<|im_start|>assistant\n"
    head, _, rest = texts["r1-zero"].partition("\n")
    assert "<think> and </think>" in head and "<answer> and </answer>" in head
    assert rest == f"Be brief.\nUser: {ask}\nAssistant: {show}\nUser: {last}\nAssistant:"
    assert lm.dataset("coins", form="verl", **given)[0]["prompt"] == texts["chat"]
    with pytest.raises(ValueError, match="template is 'llama', want one of chat, plain, qwen, r1-zero"):
        lm.dataset("coins", template="llama")
    with pytest.raises(ValueError, match="template is 'qwen', but verl writes prompts by the chat template"):
        lm.dataset("coins", template="qwen", form="verl")
    with pytest.raises(mb.InputError, match="maze: its answers are no expressions"):
        lm.dataset("maze", **given)


def test_a_ladder_of_difficulty():
    """Its steps are thirds by success, equal success is one step, and a data set has the problems of a step alone."""
    names = [p["id"] for p in mb.problems("coins", n=30)]
    shares = [k % 10 / 10 for k in range(30)]  # each of ten shares three times
    ids = [name for name in names for _ in range(10)]
    verdicts = [{"correct": answer < 10 * share} for share in shares for answer in range(10)]
    steps = lm.ladder(ids, verdicts)
    assert list(steps) == ["hard", "medium", "easy"]
    assert {**steps["hard"], **steps["medium"], **steps["easy"]} == pytest.approx(dict(zip(names, shares, strict=True)))
    assert [sorted(set(step.values())) for step in steps.values()] == [
        [0, 0.1, 0.2],
        [0.3, 0.4, 0.5, 0.6],
        [0.7, 0.8, 0.9],
    ]
    rows = lm.dataset("coins", n=30, rows=True, difficulty=steps["easy"])
    assert [row["id"] for row in rows] == list(steps["easy"])
    assert [row["label"] for row in lm.dataset("coins", n=9, form="openrlhf", rows=True, difficulty=steps["easy"])] == [
        names[7], names[8]
    ]  # fmt: skip
    chains = [{"answers": [{"correct": True}, {"correct": share > 0.5}, {"correct": share > 0.2}]} for share in shares]
    assert sorted({x for step in lm.ladder(names, chains).values() for x in step.values()}) == pytest.approx(
        [1 / 3, 2 / 3, 1]
    )
    # Most problems were never solved: they are hard, and the others are halved.
    weak = lm.ladder(
        ids, [{"correct": problem >= 20 and answer < problem - 19} for problem in range(30) for answer in range(10)]
    )
    assert [len(step) for step in weak.values()] == [20, 5, 5] and set(weak["hard"].values()) == {0}
    with pytest.raises(ValueError, match="no problem of 30 is medium: want more problems"):
        lm.ladder(names, [{"correct": False}] * 30)
    with pytest.raises(ValueError, match="no problem of 0 is hard"):
        lm.ladder([], [])
    with pytest.raises(TypeError, match="difficulty is 'easy', want ids"):
        lm.dataset("coins", n=9, difficulty="easy")
    with pytest.raises(ValueError, match="none of the first 9 problems of coins, test, has an id in difficulty"):
        lm.dataset("coins", "test", n=9, difficulty=steps["easy"])


def test_a_data_set_without_repetitions():
    rows = lm.dataset("multiplication", n=300, rows=True, truth=False)
    once = list({row["prompt"]: row for row in reversed(rows)}.values())[::-1]
    found = lm.dataset("multiplication", n=300, rows=True, truth=False, unique=True)
    assert found == sorted(once, key=rows.index) and len(found) < 300
    assert [p["id"] for p in mb.problems("multiplication", n=300, truth=False, unique=True)] == [r["id"] for r in found]


def test_a_data_set_of_the_library():
    datasets = pytest.importorskip("datasets")
    found = lm.dataset("coins", n=4, split="test")
    assert isinstance(found, datasets.Dataset) and found.column_names == ["prompt", "id", "truth"]
    assert found[3]["id"] == "coins/test/3" and found[3]["truth"]["modes"] > 0


def test_text_of_completions():
    def says(content: object, role: str = "assistant") -> dict[str, object]:
        return {"role": role, "content": content}

    assert verdicts.text("a") == "a"
    assert verdicts.text([says("first"), says("t", "tool")]) == "first"
    assert verdicts.text(says([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])) == "ab"
    assert verdicts.text([says("u", "user")]) == "" == verdicts.text([says(None)])


def test_text_behind_a_prompt(clone: Path):
    """The server is tested on the same cases."""
    cases = json.loads((clone / "envs/judging/httpjudge/testdata/responses.json").read_text(encoding="utf-8"))
    for case in cases:
        assert openrlhf.response(case["query"], case["prompt"]) == case["want"], case["reason"]
    # Where decoding has changed the prompt, its last line is looked for.
    assert openrlhf.response("ask:  <answer>1</answer>\n3", "ask:\n<answer>1</answer>") == "\n3"


def test_rewards():
    reward = lm.TRLReward()
    assert reward.__name__ == "modebench"
    given = {"prompts": ["p"] * 3, "completions": [RIGHT, WRONG, "none"], "id": [COINS] * 3}
    scalar, format_only = reward(**given), lm.TRLReward(1)(**given)
    assert scalar == pytest.approx([v["scalar"] for v in mb.judge(COINS, given["completions"])])
    assert format_only == [v["reward"][1] for v in mb.judge(COINS, given["completions"])]
    assert lm.TRLReward(weights=[0, 2])(**given) == pytest.approx([2 * x for x in format_only])
    chats = [[{"role": "assistant", "content": c}] for c in given["completions"]]
    assert reward(prompts=given["prompts"], completions=chats, id=given["id"], trainer_state=None) == scalar
    with pytest.raises(ValueError, match="no column id"):
        reward(prompts=["p"], completions=["c"])
    with pytest.raises(ValueError, match="3 weights, but a reward has 2"):
        lm.TRLReward(weights=[1, 2, 3])(**given)


# What other data sets have where ours has an id: nothing, numbers, names of their own.
FOREIGN = [None, 17, "", "18", "algebra/train/17", {"answer": "18"}, ["18"]]


def test_rows_of_other_data_sets_have_no_reward():
    """None is TRL's word for a function that a row is not for."""
    log = lm.ModeLog(k=[1])
    ids = [COINS, *FOREIGN, COINS, COINS]
    truth = [{"modes": 4}, *[None] * len(FOREIGN), {"modes": 4}, {"modes": 4}]
    texts = [RIGHT, *[RIGHT] * len(FOREIGN), WRONG, OTHER]
    rewards = lm.TRLReward(log=log)(prompts=["p"] * len(ids), completions=texts, id=ids, truth=truth)
    [right, wrong, other] = [v["scalar"] for v in mb.judge(COINS, [RIGHT, WRONG, OTHER])]
    assert rewards == [right, *[None] * len(FOREIGN), wrong, other]
    row = log.step(1)
    assert (row["problems"], row["answers"]) == (1, 3) and row["coverage@1"] == pytest.approx(2 / 3)
    # A whole batch of others, as where each batch is of one data set.
    assert lm.TRLReward(log=log)(prompts=["p"] * 2, completions=["c"] * 2, id=[None, None]) == [None, None]
    assert log.step(2) == {}
    with pytest.raises(mb.InputError, match="did you mean train"):
        lm.TRLReward()(prompts=["p"], completions=["c"], id=["coins/trian/0"])


def their_score(data_source: str, solution_str: str, ground_truth: object, extra_info: object = None, **more: object):
    """A reward function of somebody else."""
    told = {"score": 0.25, "acc": True, "pred": solution_str}
    return told if data_source == "dict" else float(solution_str == ground_truth)


def test_rows_of_other_data_sets_are_passed_on(monkeypatch: pytest.MonkeyPatch):
    sources = ["modebench/coins", "gsm8k", "gsm8k", "dict", "modebench/coins"]
    texts, truths = [RIGHT, "18", "17", "x", WRONG], [COINS, "18", "18", {"a": 1}, COINS]
    expected = [
        {"score": 1, "acc": 1, "mode": "12+10+3"},
        {"score": 1, "acc": 1, "mode": ""},
        {"score": 0, "acc": 0, "mode": ""},
        {"score": 0.25, "acc": 1, "mode": ""},  # with the fields of all rows, which verl joins to columns
        {"score": 0.1, "acc": 0, "mode": "10+10"},
    ]
    for fallback in (their_score, f"{__name__}:their_score"):
        assert lm.compute_scores(sources, texts, truths, fallback=fallback) == expected
        one_by_one = [
            lm.compute_score(*given, {"index": 1}, fallback=fallback, reward_router_address="x")
            for given in zip(sources, texts, truths, strict=True)
        ]
        assert one_by_one == expected
    for foreign in FOREIGN:
        assert lm.compute_score("gsm8k", "x", foreign, fallback=lambda **_: 0.5)["score"] == 0.5
    # Without one, verl's own.
    default = SimpleNamespace(default_compute_score=their_score)
    monkeypatch.setitem(sys.modules, "verl.utils.reward_score", default)
    assert lm.compute_scores(sources, texts, truths) == expected
    monkeypatch.setitem(sys.modules, "verl.utils.reward_score", None)
    with pytest.raises(ValueError, match="a row of gsm8k .* name a fallback"):
        lm.compute_score("gsm8k", "18", "18")
    with pytest.raises(ValueError, match="want .module:function"):
        lm.compute_score("gsm8k", "18", "18", fallback="math")
    with pytest.raises(ValueError, match="components is set, but a row of gsm8k has none"):
        lm.compute_score("gsm8k", "18", "18", fallback=their_score, components=True)
    with pytest.raises(mb.InputError, match="did you mean train"):
        lm.compute_score("modebench/coins", RIGHT, "coins/trian/0", fallback=their_score)


def test_several_answers_in_one_text():
    chain = f"{COINS}?candidates=2"
    text = "<payment_1>10+12+3</payment_1><payment_2>10+10</payment_2>"
    [right, wrong] = mb.judge(COINS, [RIGHT, WRONG])
    mean = (right["scalar"] + wrong["scalar"]) / 2
    assert lm.TRLReward()(prompts=["p"], completions=[text], id=[chain]) == pytest.approx([mean])
    assert lm.compute_score("modebench/coins", text, chain) == {
        "score": pytest.approx(mean), "acc": 0.5, "mode": right["mode"],
    }  # fmt: skip
    log = lm.ModeLog(k=[2], modes={chain: 4})
    log.add([chain] * 2, mb.judge([chain] * 2, [text, text]))
    assert log.measure()["coverage@2"] == 0.5, "one of the two that two candidates could have"


def test_groups_of_prime_rl():
    """Traces as verifiers has them, by the attributes that are read."""
    from modebench_rl.lm.prime_rl import advantages

    def trace(reply: str, reward: float) -> Any:
        task = SimpleNamespace(data=SimpleNamespace(id=COINS))
        return SimpleNamespace(task=task, last_reply=reply, reward=reward, num_output_tokens=9)

    traces = [trace(RIGHT, 1), trace(OTHER, 1), trace(RIGHT, 1), trace(WRONG, 0.1), trace("none", 0)]
    modes = [v["mode"] for v in mb.judge(COINS, [t.last_reply for t in traces])]
    [expected] = mb.Estimator("poly-epo", n=2)(rewards=[[1, 1, 1, 0.1, 0]], modes=[modes])
    found = advantages(traces, "poly-epo", n=2)
    assert found == pytest.approx(list(expected)) and found[1] > found[0] == found[2]
    assert advantages(traces, "dr-grpo") == pytest.approx([r - 3.1 / 5 for r in (1, 1, 1, 0.1, 0)])
    assert advantages([], "dr-grpo") == []
    with pytest.raises(ValueError, match="reads embedding, which prime-rl does not give"):
        advantages(traces, "setpo+grpo")


def by_hand(pool: list[tuple[bool, str | None]], modes: int, k: int) -> tuple[float, float]:
    """pass@k and coverage@k of a pool, averaged over all of its subsets of k."""
    passed = covered = 0.0
    subsets = list(itertools.combinations(pool, k))
    for subset in subsets:
        found = {mode for correct, mode in subset if correct}
        passed += bool(found)
        covered += len(found) / min(k, modes)
    return passed / len(subsets), covered / len(subsets)


def test_the_log_has_what_the_pools_have(tmp_path: Path):
    draw = random.Random(3)
    log = lm.ModeLog(tmp_path / "log" / "modes.jsonl", k=[1, 2, 4, 8])
    for step in range(3):
        pools = {}
        for number in range(4):
            pool = [draw.choice([(True, "a"), (True, "b"), (True, "c"), (False, "d"), (False, None)]) for _ in range(8)]
            pools[f"p{number}"] = pool
            judged = [
                {"reward": [c], "scalar": 0.9 * c, "correct": c, "mode": m, "error": None if m else "none"}
                for c, m in pool
            ]
            log.add([f"p{number}"] * 8, judged, [3 + number] * 8)
        row = log.step(step)
        for k in (1, 2, 4, 8):
            expected = [by_hand(pool, 3 + i, k) for i, pool in enumerate(pools.values())]
            assert row[f"pass@{k}"] == pytest.approx(sum(p for p, _ in expected) / 4)
            assert row[f"coverage@{k}"] == pytest.approx(sum(c for _, c in expected) / 4)
        shares = [[sum(m == x for _, m in pool) / 8 for x in {m for _, m in pool}] for pool in pools.values()]
        assert row["entropy_mode"] == pytest.approx(sum(-x * math.log(x) for s in shares for x in s) / 4)
        assert row["reward"] == pytest.approx(sum(0.9 * c for pool in pools.values() for c, _ in pool) / 32)
        assert row["distinct_correct"] == sum(len({m for c, m in pool if c}) for pool in pools.values()) / 4
        assert (row["step"], row["split"], row["problems"], row["answers"]) == (step, "train", 4, 32)
    log.close()
    assert log.step(3) == {}, "no pool, no row"
    written = [json.loads(line) for line in (tmp_path / "log" / "modes.jsonl").read_text().splitlines()]
    assert written == log.history and len(written) == 3


def test_the_log_leaves_out_what_is_not_known():
    [right, wrong] = mb.judge(COINS, [RIGHT, WRONG])
    log = lm.ModeLog(k=[1, 2, 64])
    log.add([COINS] * 3, [right, wrong, right])
    row = log.step(0)
    assert "coverage@1" not in row and row["pass@2"] == 1 and "pass@64" not in row
    log = lm.ModeLog(modes={COINS: 4}, metrics=None)
    log.add([COINS] * 3, [right, wrong, right])
    row = log.step(0)
    assert row["coverage@1"] == pytest.approx(2 / 3) and "best@2" in row and "pass@4" not in row
    with pytest.raises(ValueError, match="2 ids for 1 verdicts"):
        log.add([COINS] * 2, [right])


def test_help_works_where_optional_packages_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)  # as where it is not installed
    for name in ("modebench_rl.lm.callback", "modebench_rl.lm"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    alone = importlib.import_module("modebench_rl.lm")
    with pytest.raises(ModuleNotFoundError, match="ModeCallback needs transformers, which is not installed"):
        alone.ModeCallback  # noqa: B018
    text = pydoc.render_doc(alone, renderer=pydoc.plaintext)
    for name in ("class TRLReward", "class ModeLog", "dataset(", "compute_score(", "`ModeCallback` needs transformers"):
        assert name in text, name
    assert "ModeCallback" not in dir(alone) and "ModeCallback" in alone.__all__


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda reward: pickle.loads(pickle.dumps(reward))], ids=["deepcopy", "pickle"]
)
def test_rewards_are_copied_with_their_log_and_judge(tmp_path: Path, copied: Any):
    """As Ray sends them to its workers, and trainers copy their arguments: while they are in use."""
    log = lm.ModeLog(tmp_path / "modes.jsonl", k=[1])
    reward = lm.TRLReward(log=log, judge=Judge("strict"))
    given = {"prompts": ["p"], "completions": ["<answer>10+12+3</answer>"], "id": ["coins/train/0"]}
    assert reward(**given) == [1.0]
    log.step(1)
    other = copied(reward)
    assert other(**given) == [1.0] and other.log.history == log.history
    other.log.step(2)
    assert reward(**given) == [1.0]
    assert [row["step"] for row in log.history] == [1]
    lines = [json.loads(line) for line in (tmp_path / "modes.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [1, 2]
    assert other._judge._process is not reward._judge._process
