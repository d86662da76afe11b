"""TRL's GRPOTrainer under methods of modebench, on a CPU, in one process and in two."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import modebench_rl as mb
from modebench_rl import lm

torch = pytest.importorskip("torch", reason="no torch: see install_trainers.sh")
trl = pytest.importorskip("trl", reason="no trl: see install_trainers.sh")
datasets = pytest.importorskip("datasets")

# Before its version 1 TRL has no log_extra, by which a reward function gives more than rewards.
EXTRA = int(trl.__version__.partition(".")[0]) > 0
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
GROUP = 8


@pytest.fixture(scope="module")
def parts() -> Any:
    """A model of two layers that writes right expressions at times, its tokenizer, and problems."""
    sys.path.insert(0, str(EXAMPLES))
    import trl_countdown as example

    torch.set_num_threads(1)
    torch.manual_seed(0)
    rows = [example.short(row) for row in lm.dataset("countdown", n=2, rows=True, **example.SETTINGS)]
    tokens, draw = example.tokenizer(), random.Random(0)
    net = example.model(tokens)
    example.learn(net, tokens, example.examples(rows, 0.5, draw), 120, draw)
    return net, tokens, rows


def trainer(parts: Any, out: Path, method: str, rewards: Any = None, steps: int = 2, **given: Any) -> Any:
    net, tokens, rows = parts
    arguments = {
        "output_dir": str(out), "max_steps": steps, "per_device_train_batch_size": 2 * GROUP, "num_generations": GROUP,
        "max_completion_length": 16, "learning_rate": 1e-4, "use_cpu": True, "bf16": False, "report_to": [],
        "save_strategy": "no", "logging_steps": 1, "disable_tqdm": True, "seed": 3, **given.pop("args", {}),
    }  # fmt: skip
    return lm.GRPOTrainer(
        model=net, method=method, processing_class=tokens, reward_funcs=rewards or lm.TRLReward(),
        train_dataset=datasets.Dataset.from_list(rows), args=trl.GRPOConfig(**arguments), **given,
    )  # fmt: skip


def test_the_method_of_trl_has_the_advantages_of_trl(parts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """TRL computes its own advantages too, before they are replaced."""
    theirs: list[Any] = []
    inner = trl.GRPOTrainer._generate_and_score_completions

    def spied(self: Any, inputs: Any) -> Any:
        output = inner(self, inputs)
        theirs.append(output["advantages"].clone())
        return output

    monkeypatch.setattr(trl.GRPOTrainer, "_generate_and_score_completions", spied)
    mine: list[Any] = []
    running = trainer(parts, tmp_path, "grpo@trl")
    outer = running._generate_and_score_completions
    running._generate_and_score_completions = lambda inputs: mine.append(outer(inputs)) or mine[-1]
    running.train()
    assert len(mine) == len(theirs) == 2
    for ours, own in zip(mine, theirs, strict=True):
        assert ours["advantages"].dtype == own.dtype
        assert ours["advantages"].tolist() == pytest.approx(own.tolist(), abs=1e-5)
    assert any(own.abs().max() > 0 for own in theirs), "a group with right and wrong answers"


def test_poly_epo_learns_by_modes(parts: Any, tmp_path: Path):
    """The advantages that TRL logs are those of the modes and rewards that it logs beside, and they train."""
    judged = lm.TRLReward()
    running = trainer(parts, tmp_path, "poly-epo", judged, n=2, args={"log_completions": False})
    before = [p.detach().clone() for p in running.model.parameters()]
    running.train()
    logs = running._logs
    rewards, modes = list(logs["rewards"]["modebench"]), [verdict["mode"] for verdict in judged.verdicts]
    assert len(rewards) == 2 * GROUP
    if EXTRA:
        assert set(logs["extra"]) == {"id", "mode"} and list(logs["extra"]["mode"]) == modes
    assert any(mode is not None for mode in modes), "a right answer"
    shape = [rewards[:GROUP], rewards[GROUP:]], [modes[:GROUP], modes[GROUP:]]
    expected = mb.Estimator("poly-epo", n=2)(rewards=shape[0], modes=shape[1])
    assert list(logs["advantages"]) == pytest.approx([x for group in expected for x in group], abs=1e-6)
    changed = [not torch.equal(a, b) for a, b in zip(before, running.model.parameters(), strict=True)]
    assert any(changed)
    assert (running.args.loss_type, running.epsilon_high) == ("dr_grpo", 0.28)


@pytest.mark.skipif(not EXTRA, reason=f"TRL {trl.__version__} has no log_extra")
def test_a_reward_function_of_ones_own_gives_modes(parts: Any, tmp_path: Path):
    seen: list[Any] = []

    def own(completions: Any, log_extra: Any, **_: Any) -> list[float]:
        modes = [text.partition("+")[0] or None for text in completions]
        log_extra("mode", modes)
        seen.append((modes, [float(len(text) % 2) for text in completions]))
        return seen[-1][1]

    running = trainer(parts, tmp_path, "poly-epo", own, steps=1, n=2)
    running.train()
    modes, rewards = seen[0]
    expected = mb.Estimator("poly-epo", n=2)(
        rewards=[rewards[:GROUP], rewards[GROUP:]], modes=[modes[:GROUP], modes[GROUP:]]
    )
    assert list(running._logs["advantages"]) == pytest.approx([x for group in expected for x in group], abs=1e-6)


def test_several_functions_are_components(parts: Any, tmp_path: Path):
    """GDPO normalises each component by itself. The table of completions has one id and one mode for each."""
    components = [lm.TRLReward(0), lm.TRLReward(1)]
    running = trainer(parts, tmp_path, "gdpo", components, steps=1, kl_coef=0, args={"reward_weights": [1.0, 0.5]})
    running.train()
    logs = running._logs
    vectors = [list(pair) for pair in zip(logs["rewards"]["modebench_0"], logs["rewards"]["modebench_1"], strict=True)]
    expected = mb.Estimator("gdpo")(vectors=[vectors[:GROUP], vectors[GROUP:]], weights=[1.0, 0.5])
    assert list(logs["advantages"]) == pytest.approx([x for group in expected for x in group], abs=1e-5)
    if EXTRA:
        assert {column: len(given) for column, given in logs["extra"].items()} == {"id": 2 * GROUP, "mode": 2 * GROUP}


class Written(lm.TRLReward):
    """Judges texts in the place of completions."""

    texts: list[str]

    def __call__(self, prompts: Any, completions: Any, **columns: Any) -> list[float | None]:
        return super().__call__(prompts, self.texts, **columns)


def test_chains_of_answers(parts: Any, tmp_path: Path):
    """VPO takes several answers in a completion, with the weights of the problem's own rewards."""
    import trl_countdown as example

    net, tokens, _ = parts
    rows = [example.short(row) for row in lm.dataset("countdown", n=2, rows=True, candidates=3, **example.SETTINGS)]
    judged = Written()
    draw = random.Random(1)
    judged.texts = []
    for row in rows:
        numbers = row["prompt"].partition(" =")[0].split(", ")
        for _ in range(GROUP):
            answers = [example.expression(numbers, draw) if draw.random() < 0.7 else "no" for _ in range(3)]
            tagged = [f"<expression_{j}>{text}</expression_{j}>" for j, text in enumerate(answers, 1)]
            judged.texts.append("".join(tagged))
    found = mb.judge([row["id"] for row in rows for _ in range(GROUP)], judged.texts)
    vectors = [[answer["reward"] for answer in verdict["answers"]] for verdict in found]
    running = trainer((net, tokens, rows), tmp_path, "vpo", judged, steps=1, kl_coef=0, args={"shuffle_dataset": False})
    running.train()
    weights = rows[0]["weights"]
    expected = mb.Estimator("vpo")(vectors=[vectors[:GROUP], vectors[GROUP:]], weights=weights, seed=3, step=0)
    assert list(running._logs["advantages"]) == pytest.approx([x for group in expected for x in group], abs=1e-5)
    assert max(running._logs["advantages"]) > 0, "answers differ"


def test_silent_zeros_are_a_warning(parts: Any, tmp_path: Path):
    """One set of all answers has no other to be compared with."""
    running = trainer(parts, tmp_path, "poly-epo", steps=1, n=GROUP)
    with pytest.warns(UserWarning, match="poly-epo gives only zeros, though rewards differ"):
        running.train()


def test_embeddings(parts: Any, tmp_path: Path):
    """MMR-GRPO lowers rewards of right answers that resemble others, by the judge's embeddings."""
    import trl_countdown as example

    net, tokens, rows = parts
    judged, draw = Written(), random.Random(2)
    judged.texts = []
    for row in rows:
        texts = sorted({example.expression(row["prompt"].partition(" =")[0].split(", "), draw) for _ in range(100)})
        found = zip(texts, mb.judge(row["id"], texts), strict=True)
        ordered = [text for text, _ in sorted(found, key=lambda pair: not pair[1]["correct"])]
        judged.texts += ordered[:5] + ordered[-3:]
    found = mb.judge([row["id"] for row in rows for _ in range(GROUP)], judged.texts, embeddings=True)
    expected = mb.estimate("mmr-grpo", verdicts=found, group=GROUP)
    given = {"kl_coef": 0, "args": {"shuffle_dataset": False}}
    running = trainer((net, tokens, rows), tmp_path, "mmr-grpo", judged, steps=1, **given)
    running.train()
    assert list(running._logs["advantages"]) == pytest.approx(list(expected), abs=1e-5)
    right = [x for x, verdict in zip(expected, found, strict=True) if verdict["correct"]]
    assert len({round(x, 6) for x in right}) > 1, "right answers that differ in more than their reward"


def test_one_answer_and_several(parts: Any, tmp_path: Path):
    """Each kind of method says what completions it takes."""
    net, tokens, rows = parts
    with pytest.raises(ValueError, match="vpo takes several answers a completion: give lm.dataset candidates=3"):
        trainer(parts, tmp_path, "vpo", steps=1, kl_coef=0).train()
    several = [{**row, "id": row["id"] + "&candidates=2"} for row in rows]
    with pytest.raises(ValueError, match="a completion has several answers, and grpo takes one a completion"):
        trainer((net, tokens, several), tmp_path, "grpo", steps=1).train()
    with pytest.raises(
        ValueError, match="vpo has a divergence from the reference, kl_coef = 0.001, .*: give kl_coef=0"
    ):
        trainer(parts, tmp_path, "vpo", steps=1)
    with pytest.raises(ValueError, match="vpo reads chains of answers"):
        own = lambda completions, **_: [1.0] * len(completions)  # noqa: E731
        trainer(parts, tmp_path, "vpo", own, steps=1, kl_coef=0).train()


def test_completions_that_nobody_scores_are_left_out(parts: Any, tmp_path: Path):
    scored: list[list[float | None]] = []

    def some(completions: Any, **_: Any) -> list[float | None]:
        scored.append([None if i % 3 == 0 else float(i % 2) for i in range(len(completions))])
        return scored[-1]

    running = trainer(parts, tmp_path, "dr-grpo", some, steps=1)
    running.train()
    found = list(running._logs["advantages"])
    for first in (0, GROUP):
        group = scored[0][first : first + GROUP]
        mean = sum(x for x in group if x is not None) / sum(x is not None for x in group)
        wanted = [0 if x is None else x - mean for x in group]
        assert found[first : first + GROUP] == pytest.approx(wanted, abs=1e-6)


def test_settings_that_are_changed_stay(parts: Any, tmp_path: Path):
    running = trainer(parts, tmp_path, "poly-epo", args={"epsilon_high": 0.5, "loss_type": "bnpo"})
    assert running.args.epsilon_high == 0.5 and running.args.loss_type == "bnpo"
    assert trainer(parts, tmp_path, "poly-epo", clip_high=0.3).args.epsilon_high == 0.3
    with pytest.warns(UserWarning, match="dapo under TRL: no counterpart for generations = 10"):
        trainer(parts, tmp_path, "dapo")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*no counterpart.*")
        trainer(parts, tmp_path, "grpo")


@pytest.mark.parametrize(
    "method, given, error",
    [
        ("remax", {}, "method remax reads greedy, which TRL does not give before an update"),
        ("token-baseline", {}, "method token-baseline reads token_logprobs, token_squares"),
        ("poly-epo", {"m": 3}, "poly-epo has no field 'm'"),
    ],
)
def test_methods_that_do_not_fit(parts: Any, tmp_path: Path, method: str, given: dict[str, Any], error: str):
    with pytest.raises(ValueError, match=error):
        trainer(parts, tmp_path, method, **given)


def test_a_method_without_its_modes_is_an_error(parts: Any, tmp_path: Path):
    running = trainer(parts, tmp_path, "poly-epo", lambda completions, **_: [1.0] * len(completions))
    with pytest.raises(ValueError, match="poly-epo reads mode, which no reward function gives: use lm.TRLReward"):
        running.train()


TWO = """
import json, os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import datasets, torch, transformers, trl
import trl_countdown as example
from modebench_rl import lm
torch.set_num_threads(1)
transformers.set_seed(0)
rank = int(os.environ["RANK"])
tokens = example.tokenizer()
rows = [example.short(row) for row in lm.dataset("countdown", n=1, rows=True, **example.SETTINGS)]
modes = ["a", "a"] if rank == 0 else ["b", None]

def reward(completions, log_extra=None, **_):
    log_extra("mode", modes)
    return [1.0, 1.0] if rank == 0 else [1.0, 0.0]

arguments = trl.GRPOConfig(
    output_dir=sys.argv[2], max_steps=1, per_device_train_batch_size=2, num_generations=4, max_completion_length=4,
    use_cpu=True, bf16=False, report_to=[], save_strategy="no", disable_tqdm=True, seed=1,
)
trainer = lm.GRPOTrainer(
    model=example.model(tokens), method="poly-epo", n=2, processing_class=tokens, reward_funcs=reward,
    train_dataset=datasets.Dataset.from_list(rows), args=arguments,
)
mine = []
inner = trainer._generate_and_score_completions
trainer._generate_and_score_completions = lambda inputs: mine.append(inner(inputs)) or mine[-1]
trainer.train()
Path(sys.argv[2], f"{rank}.json").write_text(json.dumps(mine[0]["advantages"].tolist()))
"""


def test_a_group_on_two_processes(tmp_path: Path):
    """Each of two processes has half of a group, and its own half of the advantages of the whole group."""
    script = tmp_path / "two.py"
    script.write_text(TWO)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    env = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([*command, script, EXAMPLES, tmp_path], env=env, timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    found = [x for rank in (0, 1) for x in json.loads((tmp_path / f"{rank}.json").read_text())]
    [expected] = mb.Estimator("poly-epo", n=2)(rewards=[[1.0, 1, 1, 0]], modes=[["a", "a", "b", None]])
    assert found == pytest.approx(list(expected), abs=1e-6)
    assert found[0] == found[1] < found[2], "the rare mode has more"


@pytest.mark.skipif(not EXTRA, reason="no log_extra in this TRL")
def test_the_example_of_an_own_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """own_task.py as it is, but for the size and number of steps, on a model that writes right sums at times."""
    import functools
    import runpy

    sys.path.insert(0, str(EXAMPLES))
    import trl_countdown as example

    torch.set_num_threads(1)
    torch.manual_seed(0)
    tokens, draw = example.tokenizer(), random.Random(0)
    net = example.model(tokens)
    prompt = "Write {0} as a sum of two positive whole numbers, as in 9 = 2+7.\n{0} = "
    sums = [(prompt.format(n), f"{a}+{n - a}") for n in range(6, 38) for a in (1, 2, 3)]
    example.learn(net, tokens, sums, 200, draw)
    net.save_pretrained(tmp_path / "model")
    tokens.save_pretrained(tmp_path / "model")
    small = functools.partial(
        trl.GRPOConfig, max_steps=3, per_device_train_batch_size=32, use_cpu=True, bf16=False, report_to=[],
        gradient_checkpointing=False, save_strategy="no", disable_tqdm=True, seed=1,
    )  # fmt: skip
    monkeypatch.setattr(trl, "GRPOConfig", small)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["own_task.py", str(tmp_path / "model")])
    ran = runpy.run_path(str(EXAMPLES / "own_task.py"))
    assert ran["read"]("5+2 = 7") == [2, 5] and ran["read"]("seven") is ran["read"]("3+4+5") is None
    logged = [json.loads(line) for line in (tmp_path / "own-task" / "modes.jsonl").read_text().splitlines()]
    assert [row["step"] for row in logged] == [1, 2, 3]
    assert all(0 < row["accuracy"] < 1 and row["distinct_correct"] > 0 and "coverage@8" in row for row in logged)
    # The last batch again, by mb.estimate.
    table = ran["trainer"]._logs
    modes, rewards = list(table["extra"]["mode"]), list(table["rewards"]["reward"])
    again = mb.estimate("poly-epo", rewards=np.reshape(rewards, (-1, 8)), modes=np.reshape(modes, (-1, 8)), n=4)
    assert list(table["advantages"]) == pytest.approx(again.ravel().tolist(), abs=1e-5)
    differ = [a for a, r in zip(table["advantages"], rewards, strict=True) if r == 1]
    assert len(set(differ)) > 1, "right answers of different modes have different advantages"
