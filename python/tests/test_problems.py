"""Prompts, verdicts and metrics, and what the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

import modebench_rl as mb


def test_problems_have_all_that_a_trainer_needs() -> None:
    found = mb.problems("countdown", "test", 3, start=5, shots=1)
    assert [p["index"] for p in found] == [5, 6, 7]
    for problem in found:
        assert problem["id"] == f"countdown/test/{problem['index']}"
        assert problem["prompt"].endswith(problem["messages"][-1]["content"])
        assert [m["role"] for m in problem["messages"]] == ["user", "assistant", "user"]
        assert problem["truth"]["modes"] >= 4
        assert len(problem["components"]) == len(problem["weights"])


def test_settings_are_in_the_id() -> None:
    problem = mb.problems("bandit", n=1, modes=6, truth=False, env_seed=3)[0]
    assert problem["id"] == "bandit/train/0?modes=6&env_seed=3" and "truth" not in problem
    with pytest.raises(mb.InputError, match="did you mean bandit"):
        mb.problems("bandid")


def test_verdicts() -> None:
    verdicts = mb.judge("bandit/train/0", ["m03", "<answer>m11</answer>", "no idea"])
    assert [v["correct"] for v in verdicts] == [True, False, False]
    assert [v["mode"] for v in verdicts] == ["m03", "m11", None]
    assert verdicts[2]["error"]
    assert mb.judge([], []) == []
    [several] = mb.problems("coins", n=1, candidates=2)
    assert len(mb.judge(several["id"], ["<payment_1>6+6</payment_1>"])[0]["answers"]) == 2
    boxed = r"so the answer is $\boxed{18 + 8 + 2 - 10}$."
    assert mb.judge("countdown/train/0", [boxed])[0]["correct"]
    assert not mb.judge("countdown/train/0", [boxed], reading="strict")[0]["correct"]
    with pytest.raises(mb.InputError, match="did you mean countdown"):
        mb.judge("countdwn/train/0", ["1"])


def test_metrics_of_verdicts_by_hand() -> None:
    # Two problems, four answers each: two right, of one mode; three right, of two modes.
    right = [["m00", "m00", "m05", "m06"], ["m00", "m01", "m01", "m07"]]
    pools = {f"bandit/train/{i}": mb.judge(f"bandit/train/{i}", answers) for i, answers in enumerate(right)}
    found = mb.metrics(pools, modes=dict.fromkeys(pools, 4))
    assert found["pass@1"] == pytest.approx((2 / 4 + 3 / 4) / 2)
    assert found["pass@2"] == pytest.approx((1 - 1 / 6 + 1) / 2)
    assert found["pass@4"] == 1
    assert found["coverage@4"] == pytest.approx((1 / 4 + 2 / 4) / 2)
    assert found["distinct_correct"] == pytest.approx(1.5)
    assert found == mb.metrics(list(pools.values()), modes=[4, 4])


def test_answers_to_several_problems_make_no_pool() -> None:
    verdicts = mb.judge(["bandit/train/0", "bandit/train/1"], ["m03", "m04"])
    with pytest.raises(
        mb.InputError, match='"bandit/train/1", but .* is an answer to "bandit/train/0": each problem wants'
    ):
        mb.metrics([verdicts])
    with pytest.raises(mb.InputError, match="each problem wants a list of its own"):
        mb.metrics([[[verdicts[0]], [verdicts[1]]]])  # of chains
    assert mb.metrics([[verdict] for verdict in verdicts])["pass@1"] == 0.5


def test_scalar_rewards_are_the_environments() -> None:
    verdict = mb.judge("countdown/train/0", ["<answer>1+1</answer>"])[0]
    assert verdict["scalar"] == pytest.approx(sum(w * r for w, r in zip((0.9, 0.1), verdict["reward"], strict=True)))
    assert mb.metrics([[verdict]])["best@1"] == pytest.approx(verdict["scalar"])
    assert mb.metrics([[verdict]], weights=[0.5, 0.5])["best@1"] == pytest.approx(sum(verdict["reward"]) / 2)


def test_the_blocks_of_the_readmes_run(clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    monkeypatch.chdir(tmp_path)
    pages = [clone / "python" / "README.md", clone / "README.md"]
    blocks = [block.split("```")[0] for page in pages for block in page.read_text().split("```python\n")[1:]]
    assert len(blocks) >= 5
    known = {
        "rewards": [[1.0, 0, 0, 1], [0, 0, 1, 0]],
        "modes": [[0, 1, 2, 0], [0, 0, 1, 1]],
        "ids": ["countdown/train/0"] * 2,
        "completions": ["<answer>18+8+2-10</answer>", "I do not know"],
        "steps": {"easy": {"countdown/train/0": 0.9, "countdown/train/2": 0.8}},
    }
    for number, block in enumerate(blocks):
        if "scheduler:8786" in block or "GRPOTrainer" in block or "lm.ladder" in block:
            continue  # a cluster of the reader's, a trainer, which test_trl runs, and answers of the reader's model
        file = tmp_path / f"block{number}.py"  # a function has to have a source that can be read
        file.write_text(block)
        exec(compile(block, str(file), "exec"), known)
