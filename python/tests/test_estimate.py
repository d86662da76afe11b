"""Advantages of arrays, against the test vectors that every implementation can be held against."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import textwrap
import time
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import modebench_rl as mb

CANDIDATE = {
    "reward": "vectors",
    "correct": "correct",
    "valid": "valid",
    "answer": "answers",
    "mode": "modes",
    "embedding": "embeddings",
}
ROLLOUT = {"tokens": "tokens", "logprob": "logprobs", "entropy": "entropies", "final": "finals", "train": "train"}


def arrays(batch: dict[str, Any]) -> dict[str, Any] | None:
    """A batch document as arrays, ragged where its groups are; None where arrays cannot say it."""
    groups = [g["rollouts"] for g in batch["groups"]]
    rollouts = [r for g in groups for r in g]
    candidates = [c for r in rollouts for c in r["candidates"]]
    chain = {len(r["candidates"]) for r in rollouts}
    odd = {
        "token_logprobs",
        "token_entropies",
        "token_ref_logprobs",
        "token_squares",
        "token_distributions",
        "error",
        "variant",
        "scalar",
    }
    if len(chain) > 1 or any(odd & c.keys() for c in [*rollouts, *candidates]) or "weights" in batch:
        return None
    if any("weights" in g for g in batch["groups"]) or any(r.get("tokens", 0) < 0 for r in rollouts):
        return None
    out: dict[str, Any] = {k: batch[k] for k in ("seed", "step") if k in batch}
    for field, name in CANDIDATE.items():
        have = [field in c for c in candidates]
        if not any(have):
            continue
        if not all(have):
            return None
        rows = [[[c[field] for c in r["candidates"]] for r in g] for g in groups]
        if field == "embedding":
            width = max(len(c[field] or []) for c in candidates)
            if width == 0 or any(len(c[field] or []) not in (0, width) for c in candidates):
                return None
            rows = [[[(c or [0.0] * width) for c in r] for r in g] for g in rows]
        if field == "reward" and len({len(c[field]) for c in candidates}) != 1:
            return None
        if field in ("answer", "mode"):
            rows = [[[c or None for c in r] for r in g] for g in rows]
        if chain == {1}:
            rows = [[r[0] for r in g] for g in rows]
        out[name] = [np.array(g, dtype=object if field in ("answer", "mode") else None) for g in rows]
    for field, name in ROLLOUT.items():
        have = [field in r for r in rollouts]
        if field == "train":
            if any(have):
                out[name] = [np.array([r.get(field, True) for r in g]) for g in groups]
        elif all(have):
            out[name] = [np.array([r[field] for r in g], dtype=object if field == "final" else None) for g in groups]
        elif any(have):
            return None
    if all("greedy" in g for g in batch["groups"]):
        out["greedy"] = [g["greedy"] for g in batch["groups"]]
    out["problems"] = [g.get("problem", "") for g in batch["groups"]]
    return out


def number(value: Any) -> float:
    return float(Fraction(value)) if isinstance(value, str) else float(value)


def test_vectors(clone: Path) -> None:
    checked = 0
    for path in sorted((clone / "estimators" / "testdata").glob("*.json")):
        for vector in json.loads(path.read_text()):
            if "advantages" not in vector or "batch" not in vector or "calls" in vector:
                continue
            given = arrays(vector["batch"])
            if given is None or "vectors" not in given and "answers" not in given:
                continue
            fields = vector.get("config", vector.get("set", {}))
            with mb.Estimator(vector["method"], **fields) as method:
                found = method(**given)
            want = vector["advantages"]
            if any(isinstance(a, list) for g in want for a in g):
                continue
            tolerance = vector.get("tolerance", 1e-12)
            for g, (ours, theirs) in enumerate(zip(found, want, strict=True)):
                assert ours == pytest.approx([number(x) for x in theirs], abs=tolerance, rel=tolerance), (
                    path.name,
                    vector["name"],
                    g,
                )
            checked += 1
    assert checked > 100


REWARDS = np.array([[1.0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 0]])
MODES = np.array([[0, 1, 2, 0], [0, 0, 1, -1], [3, 3, 4, 5]])


def test_forms_of_one_batch() -> None:
    whole = mb.estimate("poly-epo", rewards=REWARDS, modes=MODES, n=2)
    assert whole.shape == (3, 4)
    named = np.where(MODES < 0, None, np.char.add("mode ", MODES.astype(str)))
    assert np.array_equal(whole, mb.estimate("poly-epo", rewards=REWARDS, modes=named, n=2))
    shuffled = np.arange(12).reshape(3, 4).T.reshape(-1)  # groups take turns; within one the order stays
    index = np.repeat([7, 3, 5], 4)[shuffled]
    flat = mb.estimate(
        "poly-epo", rewards=REWARDS.reshape(-1)[shuffled], modes=MODES.reshape(-1)[shuffled], index=index, n=2
    )
    assert np.array_equal(flat, whole.reshape(-1)[shuffled])
    vectors = np.stack([REWARDS, REWARDS], axis=-1)
    assert np.array_equal(whole, mb.estimate("poly-epo", vectors=vectors, modes=MODES, weights=[0.25, 0.75], n=2))


def test_ragged_groups() -> None:
    groups = [np.array([1.0, 0, 0]), np.array([1.0, 0])]
    found = mb.estimate("grpo", rewards=groups)
    assert [len(g) for g in found] == [3, 2]
    for ours, group in zip(found, groups, strict=True):
        assert np.array_equal(ours, mb.estimate("grpo", rewards=group[None])[0])


def test_a_list_of_arrays_stays_one() -> None:
    whole = mb.estimate("rloo", rewards=REWARDS)
    found = mb.estimate("rloo", rewards=list(REWARDS))
    assert isinstance(found, list) and np.array_equal(np.stack(found), whole)
    assert np.array_equal(mb.estimate("rloo", rewards=REWARDS.tolist()), whole)


def test_advantages_of_tokens() -> None:
    entropy = np.array([[[0.5, 3.0, 9.0], [3.0, 9.0, 9.0]]])
    mask = np.array([[[1, 1, 0], [1, 0, 0]]])
    found = mb.estimate("entropy-shaped", rewards=np.array([[2.0, 0.0]]), entropy=entropy, mask=mask)
    assert found == pytest.approx(np.array([[[1.2, 1.5, 0], [-0.5, 0, 0]]]), abs=1e-5)
    assert (found[mask == 0] == 0).all()
    with pytest.raises(ValueError, match="mask says where there is one"):
        mb.estimate("entropy-shaped", rewards=np.array([[2.0, 0.0]]), entropy=entropy)
    with pytest.raises(ValueError, match=r"entropy is of \(3,\) tokens, want \(4,\), as mask is"):
        mb.estimate("entropy-shaped", rewards=np.array([[2.0, 0.0]]), entropy=entropy, mask=np.ones((1, 2, 4)))


@pytest.mark.parametrize("where", [[1, 3], [2, 3], [0, 2]], ids=["a tool's tokens", "padding on the left", "both"])
def test_masks_with_gaps(where: list[int]) -> None:
    """Tokens of the policy's own may stand anywhere: what stands between them is none of its doing."""
    given = {"rewards": np.array([[2.0, 0.0]]), "logprobs": np.array([[-1.0, -2.0]])}
    packed = np.array([[[0.5, 3.0], [3.0, 9.0]]])
    mask = np.zeros((1, 2, 4), dtype=bool)
    entropy = np.full((1, 2, 4), np.nan)  # of a tool's token there may be nothing to say
    rows = [where, where[:1]]
    want = np.zeros((1, 2, 4))
    flush = mb.estimate("entropy-shaped", **given, entropy=packed, mask=np.array([[[True, True], [True, False]]]))
    for i, tokens in enumerate(rows):
        for k, at in enumerate(tokens):
            mask[0, i, at], entropy[0, i, at], want[0, i, at] = True, packed[0, i, k], flush[0, i, k]
    assert np.array_equal(mb.estimate("entropy-shaped", **given, entropy=entropy, mask=mask), want)
    index = np.array([5, 5])
    flat = {name: value[0] for name, value in {**given, "entropy": entropy, "mask": mask}.items()}
    assert np.array_equal(mb.estimate("entropy-shaped", **flat, index=index), want[0])

    def mine(rewards: Any, mask: Any, entropy: Any) -> Any:
        assert mask.tolist() == [[1, 1], [1, 0]] and entropy.tolist() == [[0.5, 3.0], [3.0, 0.0]]
        return rewards[:, None] * mask * mask.cumsum(1)

    found = mb.estimate(mine, **given, entropy=entropy, mask=mask)[0]
    assert found[0, where].tolist() == [2, 4] and found.sum() == 6


@pytest.mark.parametrize(
    "index",
    [
        [2**63, 2**63 + 1, 2**63, 2**63 + 1],
        np.array([2**63, 2**63 + 1] * 2, dtype=np.uint64),
        [-1, 2**63, -1, 2**63],
        [2**64, 2**64 + 1] * 2,
        [1, "1", 1, "1"],
        ["a", "b", "a", "b"],
        np.array(["a", "b", "a", "b"], dtype=object),
        [-1, 0, -1, 0],
        [np.int64(-1), np.int64(3), -1, 3.0],
    ],
    ids=str,
)
def test_groups_of_an_index_stay_apart(index: Any) -> None:
    assert mb.estimate("rloo", rewards=[1.0, 5, 0, 5], index=index).tolist() == [1, 0, -1, 0]


def test_an_index_names_groups_in_the_order_of_numbers() -> None:
    rewards, greedy = [1.0, 5, 0, 7], [10, 20]  # one for each group, in this order
    assert mb.estimate("remax", rewards=rewards, index=[7, -1, 7, -1], greedy=greedy).tolist() == [-19, -5, -20, -3]
    assert mb.estimate("remax", rewards=rewards, index=["1", 1, "1", 1], greedy=greedy).tolist() == [-19, -5, -20, -3]
    for wrong, says in [
        ([0.5, 1, 2, 3], "index[0] is 0.5, want a whole number or a text"),
        ([0, None, 1, 1], "index[1] is None, want a whole number or a text"),
        (np.array([0, np.nan, 1, 1]), "index[1] is nan, want a whole number or a text"),
        ([[0, 0], [1, 1]], "index has shape (2, 2), want one axis"),
        ([0, 0, 1], "rewards is of 4 rollouts, want 3"),
    ]:
        with pytest.raises(ValueError, match=re.escape(says)):
            mb.estimate("rloo", rewards=rewards, index=wrong)


def test_a_group_that_is_one_set_warns_once() -> None:
    """Every advantage is 0 then: where each of two processes sees half of a group, nothing is learned."""
    half = {"rewards": [[1.0, 0, 0, 1]], "modes": [[0, 1, 2, 0]]}
    with mb.Estimator("poly-epo", n=4) as method:
        with pytest.warns(UserWarning, match=r"every advantage is 0: .* has 4 rollouts .* want at least 5") as found:
            assert not method(**half).any()
        assert [Path(warning.filename).name for warning in found] == ["test_estimate.py"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not method(**half).any()
            assert method(rewards=[[1.0, 0, 0, 1, 0]], modes=[[0, 1, 2, 0, 1]]).any()


def test_modes_of_numbers_and_texts_are_not_mixed_up() -> None:
    with pytest.raises(ValueError, match="modes: 1 is neither a text"):
        mb.estimate("poly-epo", rewards=[[1.0, 1, 0]], modes=[[1, "1", "2"]], n=2)
    wide = mb.estimate("poly-epo", rewards=[[1.0, 1, 1, 0]], modes=[[2**63, 2**63 + 1, -1, 2**63]], n=2)
    assert np.array_equal(wide, mb.estimate("poly-epo", rewards=[[1.0, 1, 1, 0]], modes=[[0, 1, -1, 0]], n=2))


def test_one_axis_says_what_would_be_right() -> None:
    says = "rewards has shape (4,), want (groups, rollouts), or index, the group of each: one group of 4"
    says += " rollouts is [rewards]"
    for rewards in ([1.0, 0, 0, 1], np.array([1.0, 0, 0, 1])):
        with pytest.raises(ValueError, match=re.escape(says)):
            mb.estimate("rloo", rewards=rewards)
        assert np.ravel(mb.estimate("rloo", rewards=[rewards])).tolist() == pytest.approx(
            [2 / 3, -2 / 3, -2 / 3, 2 / 3]
        )
    for wrong, says in [
        (1.0, "rewards has shape (), want (groups, rollouts)"),
        ([], "rewards has shape (0,), want (groups, rollouts)"),
        ([[1.0, 0], 1.0], "rewards: entry 1 is one number, want a list of the group's rollouts"),
    ]:
        with pytest.raises(ValueError, match=re.escape(says)):
            mb.estimate("rloo", rewards=wrong)
    with pytest.raises(ValueError, match=r"vectors has 2 axes, want \(groups, rollouts\) and one more"):
        mb.estimate("gdpo", vectors=np.ones((4, 2)))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tokens": [[3.5, 1.0, 1.0, 1.0]]}, "tokens holds 3.5, want whole numbers"),
        ({"tokens": [[np.nan, 1.0, 1.0, 1.0]]}, "tokens holds nan, want whole numbers"),
        ({"tokens": [[2**31 + 5, 1, 1, 1]]}, "tokens holds 2147483653.0, want whole numbers below 2**31"),
        ({"rewards": [["1", "0", "0", "1"]]}, "rewards holds str"),
        ({"rewards": [[1j, 0, 0, 1]]}, "rewards holds complex128, want numbers"),
        ({"rewards": [[{}, 0, 0, 1]]}, "rewards holds what is no number"),
        ({"greedy": ["1"]}, "greedy holds str"),
        ({"weights": ["1"]}, "weights holds str"),
        ({"seed": 3.5}, "seed is 3.5, want a whole number"),
        ({"step": "3"}, "step is '3', want a whole number"),
    ],
    ids=lambda case: next(iter(case)) if isinstance(case, dict) else "",
)
def test_numbers_are_not_cut(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        mb.estimate("grpo", **{"rewards": [[1.0, 0, 0, 1]], **given})
    assert mb.estimate("grpo", rewards=[[1.0, 0]], tokens=[[3.0, 2]], seed=np.float64(3)).shape == (1, 2)


def test_groups_are_not_mixed_up() -> None:
    rewards = [np.array([1.0, 0]), np.array([1.0, 0, 1])]
    with pytest.raises(ValueError, match=r"modes has groups of \[3, 2\], want \[2, 3\]"):
        mb.estimate("poly-epo", rewards=rewards, modes=[np.array([0, 1, 2]), np.array([3, 3])], n=2)
    with pytest.raises(ValueError, match=r"modes has groups of \['one number', .*, want \[2, 3\], as rewards has"):
        mb.estimate("poly-epo", rewards=rewards, modes=np.arange(5), n=2)


def test_modes_of_64_bits_stay_apart() -> None:
    wide = np.where(MODES > 0, MODES + 2**32 - 1, MODES)
    assert np.array_equal(
        mb.estimate("poly-epo", rewards=REWARDS, modes=wide, n=2),
        mb.estimate("poly-epo", rewards=REWARDS, modes=MODES, n=2),
    )


def test_an_interrupt_leaves_no_answer_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    with mb.Estimator("rloo") as method:
        method(rewards=REWARDS)

        def interrupted(text: bytes) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("modebench_rl._estimate.json.loads", interrupted)
        with pytest.raises(KeyboardInterrupt):
            method(rewards=-REWARDS)
        monkeypatch.undo()
        assert np.array_equal(method(rewards=REWARDS), mb.estimate("rloo", rewards=REWARDS))


def test_torch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    rewards = torch.tensor(REWARDS, dtype=torch.float32)
    found = mb.estimate("rloo", rewards=rewards)
    assert found.dtype == torch.float32 and found.shape == (3, 4)
    assert found.double().numpy() == pytest.approx(mb.estimate("rloo", rewards=REWARDS), abs=1e-7)
    groups = mb.estimate("rloo", rewards=list(rewards))
    assert all(torch.equal(ours, theirs) for ours, theirs in zip(groups, found, strict=True))
    half = mb.estimate("rloo", rewards=[group.bfloat16() for group in rewards])
    assert half[0].dtype == torch.bfloat16

    def mine(rewards: Any) -> Any:
        return rewards - rewards.mean(axis=1, keepdims=True)

    assert torch.equal(mb.estimate(mine, rewards=rewards), mb.estimate("dr-grpo", rewards=rewards))
    correct = rewards > 0.5
    modes = torch.tensor(MODES)
    assert torch.equal(
        mb.estimate("poly-epo", rewards=rewards, modes=modes, correct=correct, n=2),
        mb.estimate("poly-epo", rewards=rewards, modes=modes, correct=correct.bfloat16(), n=2),
    )
    with pytest.raises(ValueError, match="correct holds what is neither true nor false"):
        mb.estimate("poly-epo", rewards=rewards, modes=modes, correct=rewards * float("nan"), n=2)


def test_mistakes_say_what_is_wrong() -> None:
    with pytest.raises(mb.InputError, match='poly-epo: the array "modes" is missing'):
        mb.estimate("poly-epo", rewards=REWARDS, n=2)
    assert mb.estimate("poly-epo", rewards=REWARDS, modes=MODES, n=2).shape == (3, 4), "the process goes on"
    with pytest.raises(mb.InputError, match="did you mean poly-epo"):
        mb.estimate("poly-ep", rewards=REWARDS)
    with pytest.raises(mb.InputError, match='unknown field "m"'):
        mb.estimate("poly-epo", rewards=REWARDS, modes=MODES, m=2)
    with pytest.raises(mb.InputError, match=r"\[1\] is NaN|\[0, 1\]|\[1, 0\] is NaN"):
        mb.estimate("grpo", rewards=np.array([[1.0, np.nan]]))
    with pytest.raises(ValueError, match=r"rewards has shape \(2,\), want \(groups, rollouts\), or index"):
        mb.estimate("grpo", rewards=np.array([1.0, 0]))
    with pytest.raises(ValueError, match=r"modes has shape \(4, 3\), want \(3, 4\) first"):
        mb.estimate("poly-epo", rewards=REWARDS, modes=MODES.T)
    with pytest.raises(ValueError, match="a batch has no array 'mode'; there are answers, correct"):
        mb.estimate("poly-epo", rewards=REWARDS, mode=MODES)
    with pytest.raises(ValueError, match="give the batch"):
        mb.estimate("grpo")
    for wrong in (np.where(MODES > 0, 1, np.nan), MODES, MODES.astype(str)):
        with pytest.raises(ValueError, match="correct holds what is neither true nor false"):
            mb.estimate("poly-epo", rewards=REWARDS, modes=MODES, correct=wrong)
    tokens = np.ones((3, 4, 2))
    with pytest.raises(ValueError, match="mask holds what is neither true nor false"):
        mb.estimate("entropy-shaped", rewards=REWARDS, entropy=tokens, mask=np.nan * tokens)
    with pytest.raises(ValueError, match=r"problems has shape \(2,\), want one for each of 3 groups"):
        mb.estimate("grpo", rewards=REWARDS, problems=["a", "b"])
    with pytest.raises(ValueError, match=r"weights has shape \(3,\), want \(1,\) or \(3, 1\)"):
        mb.estimate("grpo", rewards=REWARDS, weights=[1, 1, 1])


def test_errors_call_the_arrays_what_their_arguments_are() -> None:
    """Every array, where it is missing and where it is wrong."""
    with pytest.raises(mb.InputError, match='array "vectors": .* is NaN'):
        mb.estimate("grpo", vectors=np.full((3, 4, 2), np.nan))
    with pytest.raises(mb.InputError, match='array "logprobs": .* is NaN'):
        mb.estimate("grpo", rewards=REWARDS, logprobs=np.nan * REWARDS)
    with pytest.raises(mb.InputError, match='the array "tokens" or "mask" is missing'):
        mb.estimate("entropy-shaped", rewards=REWARDS)
    with pytest.raises(mb.InputError, match='the array "entropy" is missing'):
        mb.estimate("entropy-shaped", rewards=REWARDS, mask=np.ones((3, 4, 2)))
    with pytest.raises(ValueError, match="answers: 1.0 is neither a text"):
        mb.estimate("grpo", rewards=REWARDS, answers=REWARDS / 2 + 0.5)


BATCH = {
    "rewards": REWARDS, "modes": MODES, "correct": REWARDS > 0, "valid": MODES >= 0, "variants": MODES - 1,
    "answers": np.where(MODES < 0, None, MODES.astype(str).astype(object)), "finals": 3 - MODES,
    "embeddings": np.stack([REWARDS, 0.1 * REWARDS], axis=-1), "logprobs": REWARDS / 3, "entropies": REWARDS / 7,
    "greedy": [0.5, 1, 0], "seed": 7, "step": 3, "train": MODES < 4, "problems": ["a", None, "c"],
}  # fmt: skip
MASK = np.arange(3) < np.arange(1, 13).reshape(3, 4, 1) % 3 + 1
OF_TOKENS = {"mask": MASK, "old_logp": -0.5 * MASK, "entropy": 0.3 * MASK, "ref_logp": -0.4 * MASK, "squares": MASK / 3}


@pytest.mark.parametrize(
    "given",
    [
        BATCH,
        {**BATCH, "rewards": None, "vectors": np.stack([REWARDS, 1 - REWARDS], axis=-1)},
        {**BATCH, "rewards": None, "vectors": np.stack([REWARDS, 1 - REWARDS], axis=-1), "weights": [[1, 0]] * 3},
        {**BATCH, "weights": [2]},
        {name: value[0] if isinstance(value, list) else value for name, value in BATCH.items() if name != "greedy"}
        | {"rewards": REWARDS[:, :, None].repeat(2, 2), "modes": MODES[:, :, None].repeat(2, 2)}
        | dict.fromkeys(["correct", "valid", "variants", "answers", "embeddings", "problems"]),
        {**BATCH, **OF_TOKENS},
    ],
    ids=["scalars", "vectors", "weights of groups", "weights", "chains", "tokens"],
)
def test_a_function_sees_what_a_plug_in_sees(given: dict[str, Any], tmp_path: Path) -> None:
    """The same file is called here, and by the program."""
    wants = {"rewards": "reward", "vectors": "reward", "modes": "mode", "variants": "variant", "answers": "answer",
             "embeddings": "embedding", "logprobs": "logprob", "entropies": "entropy", "finals": "final",
             "old_logp": "token_logprobs", "entropy": "token_entropies", "ref_logp": "token_ref_logprobs",
             "squares": "token_squares", "correct": "correct", "valid": "valid", "greedy": "greedy"}  # fmt: skip
    needs = sorted({field for name, field in wants.items() if given.get(name) is not None})
    per_token, chains = "mask" in given, np.ndim(given["rewards"]) == 3
    (tmp_path / "seen.py").write_text(
        textwrap.dedent(f"""
        import json
        import modebench_rl as mb

        @mb.estimator(*{needs!r}, chains={chains}, per_token={per_token})
        def seen(batch):
            open({str(tmp_path / "seen.json")!r}, "w").write(json.dumps(batch))
            one = lambda r: [0.5, 1e-13, 2.0, 0.0][: r["tokens"]] if {per_token} else 1.0
            return [[one(r) for r in g["rollouts"]] for g in batch["groups"]]
        """)
    )
    scope: dict[str, Any] = {}
    exec(compile((tmp_path / "seen.py").read_text(), str(tmp_path / "seen.py"), "exec"), scope)
    ours = mb.estimate(scope["seen"], **given)
    here = json.loads((tmp_path / "seen.json").read_text())
    command = ",".join([sys.executable, "-m", "modebench_rl", str(tmp_path / "seen.py"), "seen"])
    theirs = mb.estimate("plugin", command=command, **given)
    assert here == json.loads((tmp_path / "seen.json").read_text())
    assert np.array_equal(ours, theirs) and ours.any()


def test_a_function_of_mine() -> None:
    @mb.estimator(min_group=2)
    def mine(rewards: np.ndarray, modes: np.ndarray) -> Any:
        assert modes.tolist() == [[0, 1, 2, 0], [0, 0, 1, -1], [0, 0, 1, 2]], "modes are numbered group by group"
        return rewards - rewards.mean(axis=1, keepdims=True)

    want = mb.estimate("dr-grpo", rewards=REWARDS)
    assert mb.estimate(mine, rewards=REWARDS, modes=MODES) == pytest.approx(want, abs=1e-12)
    index = np.repeat([3, 5, 7], 4)
    flat = mb.estimate(mine, rewards=REWARDS.reshape(-1), modes=MODES.reshape(-1), index=index)
    assert flat == pytest.approx(want.reshape(-1), abs=1e-12)
    with pytest.raises(mb.InputError, match='method mine: the array "modes" is missing'):
        mb.estimate(mine, rewards=REWARDS)
    with pytest.raises(
        mb.InputError, match=r'method mine: group 0 \(problem "0"\): 1 rollouts to train on, want at least 2'
    ):
        mb.estimate(mine, rewards=np.ones((2, 1)), modes=np.ones((2, 1), dtype=int))
    with pytest.raises(ValueError, match="mine is a function, and has no field 'n'"):
        mb.estimate(mine, rewards=REWARDS, modes=MODES, n=2)

    def asks(foo: Any) -> Any:
        return foo

    with pytest.raises(mb.InputError, match="asks asks for 'foo', which there is not"):
        mb.Estimator(asks)


@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize(
    "reduced",
    [
        lambda r: r.mean(axis=1),
        lambda r: r.mean(axis=1, keepdims=True),
        lambda r: r.mean(axis=0),
        lambda r: r.mean(),
        lambda r: r.T,
        lambda r: r[..., None],
        lambda r: r.reshape(-1),
        lambda r: r[:, :-1],
        lambda r: [r],
    ],
)
def test_what_a_function_returns_has_the_shape_of_the_rewards(reduced: Any, groups: int) -> None:
    def mine(rewards: np.ndarray) -> Any:
        return reduced(rewards)

    with pytest.raises(mb.InputError, match="mine returned .*, want"):
        mb.estimate(mine, rewards=REWARDS[:groups])


def test_an_axis_that_is_lost_is_seen_before_the_batch() -> None:
    """Of one group, and of as many groups as rollouts, numpy makes what was not meant."""

    def forgets(rewards: np.ndarray) -> Any:
        return rewards - rewards.mean(axis=1)

    for rewards in ([[1, 0, 0]], np.eye(3), [[1, 0, 0], [1, 1, 0]]):
        with pytest.raises(mb.InputError, match=r"drop an axis, which keepdims=True keeps\?\): .* not be broadcast"):
            mb.estimate(forgets, rewards=rewards)


def test_what_only_the_made_up_batch_raises_is_no_cause() -> None:
    known = {"p": 1.0}

    def mine(rewards: np.ndarray, problems: list[str]) -> Any:
        if rewards.sum() > 1:
            raise ZeroDivisionError
        return rewards * [[known[problem]] for problem in problems]

    assert mb.estimate(mine, rewards=[[1, 0]], problems=["p"]).tolist() == [[1, 0]]
    with pytest.raises(mb.InputError) as failure:
        mb.estimate(mine, rewards=[[1, 1]], problems=["p"])
    assert isinstance(failure.value.__cause__, ZeroDivisionError)


def test_a_process_that_died_is_started_again() -> None:
    with mb.Estimator("rloo") as method:
        first = method(rewards=REWARDS)
        assert method._process
        method._process.kill()
        method._process.wait()
        assert np.array_equal(method(rewards=REWARDS), first)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_has_a_process_of_its_own() -> None:
    with mb.Estimator("rloo") as method:
        want = method(rewards=REWARDS)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if np.array_equal(method(rewards=REWARDS), want) else 2
                method.close()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        assert status == 0
        sleeper = os.fork()
        if sleeper == 0:
            time.sleep(60)
            os._exit(0)
        start = time.monotonic()
        method.close()
        assert time.monotonic() - start < 30, "it does not wait for who was forked from it"
        os.kill(sleeper, signal.SIGKILL)
        os.waitpid(sleeper, 0)
        assert np.array_equal(method(rewards=REWARDS), want)


COINS = ["<answer>10+12+3</answer>", "<answer>12+10+3</answer>", "<answer>10+10</answer>", "no"]


def test_verdicts_as_judge_gives_them():
    """They are the arrays that they hold, and one advantage for each comes back."""
    verdicts = mb.judge("coins/train/0", COINS, embeddings=True) + mb.judge(
        "coins/train/0", COINS[::-1], embeddings=True
    )
    for method, read in {"poly-epo": "mode", "grpo": None, "setpo+grpo": "embedding", "psr": "correct"}.items():
        own: dict[str, Any] = {"rewards": [v["scalar"] for v in verdicts]}
        if read == "mode":
            own["modes"] = [v["mode"] for v in verdicts]
        if read == "correct":
            own["correct"] = [v["correct"] for v in verdicts]
        if read == "embedding":
            own["embeddings"] = np.array([v["embedding"] or [0.0] * 12 for v in verdicts])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = mb.estimate(method, verdicts=verdicts, group=4)
            assert found.shape == (8,)
            assert found.tolist() == mb.estimate(method, index=[0] * 4 + [1] * 4, **own).tolist()
            index = ["b"] * 4 + ["a"] * 4
            assert found.tolist() == mb.estimate(method, verdicts=verdicts, index=index).tolist()
    ones = mb.estimate("dr-grpo", verdicts=verdicts, group=4, rewards=[1.0] * 8)
    assert ones.tolist() == [0] * 8, "rewards of one's own take the place of the judge's"


@pytest.mark.parametrize(
    "given, error",
    [
        ({"group": 3}, "4 verdicts do not make groups of 3"),
        ({}, "give group, how many verdicts make a group, or index"),
        ({"group": 2, "index": [0, 0, 1, 1]}, "group and index are both given"),
    ],
)
def test_verdicts_that_make_no_groups(given: dict[str, Any], error: str):
    with pytest.raises(ValueError, match=error):
        mb.estimate("grpo", verdicts=mb.judge("coins/train/0", COINS), **given)


def test_no_verdicts():
    with pytest.raises(ValueError, match="there are no verdicts"):
        mb.estimate("grpo", rewards=[[1.0, 0.0]], group=2)
    with pytest.raises(ValueError, match="there are no verdicts"):
        mb.estimate("grpo", verdicts=[], group=2)
    chain = mb.judge("coins/train/0?candidates=2", ["x"])
    with pytest.raises(ValueError, match="an answer holds several answers"):
        mb.estimate("grpo", verdicts=chain, group=1)
