"""verl's own code loads the reward function, and its reward managers call it."""

from __future__ import annotations

import asyncio
import importlib.metadata
from pathlib import Path
from typing import Any

import pytest

import modebench_rl as mb
from modebench_rl import lm

torch = pytest.importorskip("torch", reason="no torch: see install_trainers.sh")
pytest.importorskip("verl", reason="no verl: see install_trainers.sh")
np = pytest.importorskip("numpy")

from omegaconf import OmegaConf  # noqa: E402
from verl import DataProto  # noqa: E402
from verl.trainer.ppo.reward import get_custom_reward_fn, load_reward_manager  # noqa: E402
from verl.workers.reward_manager import get_reward_manager_cls  # noqa: E402

COINS = "coins/train/0"
ANSWERS = ["<answer>10+12+3</answer>", "<answer>10+10</answer>", "nothing"]


class Characters:
    """A tokenizer with a token for each character."""

    def decode(self, tokens: Any, skip_special_tokens: bool = True) -> str:
        return "".join(chr(int(t)) for t in tokens if int(t))


def config(path: str, name: str = "compute_score", manager: str = "naive", **more: Any) -> Any:
    custom = {"path": path, "name": name, "reward_kwargs": more}
    return OmegaConf.create(
        {"reward": {"custom_reward_function": custom, "reward_manager": {"source": "register", "name": manager}}}
    )


def batch() -> Any:
    """Rollouts as verl has them: padded tokens, and the columns of the data set."""
    [row] = lm.dataset("coins", n=1, form="verl", rows=True)
    width, prompt = max(map(len, ANSWERS)), 4
    responses = torch.tensor([[*map(ord, a), *[0] * (width - len(a))] for a in ANSWERS])
    prompts = torch.full((len(ANSWERS), prompt), ord("p"))
    rows = {name: np.array([row[name]] * len(ANSWERS), dtype=object) for name in ("data_source", "reward_model")}
    rows["extra_info"] = np.array([dict(row["extra_info"]) for _ in ANSWERS], dtype=object)
    return DataProto.from_dict(
        tensors={
            "prompts": prompts,
            "responses": responses,
            "attention_mask": torch.cat([torch.ones_like(prompts), (responses > 0).long()], dim=1),
        },
        non_tensors=rows,
    )


@pytest.mark.parametrize("path", ["pkg://modebench_rl.lm.verl", "file"])
def test_the_reward_loop(path: str, capsys: pytest.CaptureFixture[str]):
    """verl's present reward manager, which calls the function in threads, one answer at a time."""
    if path == "file":
        path = str(Path(mb.__file__).parent / "lm" / "verl.py")
    manager = load_reward_manager(config(path), Characters())
    data = batch()

    async def all_of_them() -> list[dict[str, Any]]:
        manager.loop = asyncio.get_running_loop()
        return await asyncio.gather(*(manager.run_single(data[i : i + 1]) for i in range(len(data))))

    found = asyncio.run(all_of_them())
    expected = mb.judge(COINS, ANSWERS)
    assert [one["reward_score"] for one in found] == pytest.approx([v["scalar"] for v in expected])
    assert [one["reward_extra_info"]["acc"] for one in found] == [1, 0, 0]
    assert [one["reward_extra_info"]["mode"] for one in found] == [v["mode"] or "" for v in expected]
    with capsys.disabled():
        print(f"\nverl {importlib.metadata.version('verl')}")


def test_rows_of_other_data_sets():
    """verl joins what it is told of all rows to columns, and scores gsm8k by its own function."""
    data = batch()
    data.non_tensor_batch["data_source"][1:] = "openai/gsm8k"
    for place, answer in ((1, "7"), (2, "nothing")):
        data.non_tensor_batch["reward_model"][place] = {"style": "rule", "ground_truth": answer}
    manager = load_reward_manager(config("pkg://modebench_rl.lm.verl"), Characters())

    async def all_of_them() -> list[dict[str, Any]]:
        manager.loop = asyncio.get_running_loop()
        return await asyncio.gather(*(manager.run_single(data[i : i + 1]) for i in range(len(data))))

    found = asyncio.run(all_of_them())
    assert [one["reward_score"] for one in found] == [1, 0, 0]
    assert [list(one["reward_extra_info"]) for one in found] == [["score", "acc", "mode"]] * 3
    right = get_custom_reward_fn(config("pkg://modebench_rl.lm.verl"))(
        data_source="openai/gsm8k", solution_str="so it is\n#### 18", ground_truth="18", extra_info={}
    )
    assert right == {"score": 1, "acc": 1, "mode": ""}


def test_what_is_set_of_the_function():
    function = get_custom_reward_fn(config("pkg://modebench_rl.lm.verl", reading="strict", components=True))
    given = {"data_source": "modebench/coins", "solution_str": ANSWERS[0], "ground_truth": COINS, "extra_info": {}}
    assert {name: function(**given)[name] for name in ("reward_0", "reward_1")} == {"reward_0": 1, "reward_1": 1}


@pytest.mark.parametrize("manager, name", [("naive", "compute_score"), ("batch", "compute_scores")])
def test_managers_of_whole_batches(manager: str, name: str):
    function = get_custom_reward_fn(config("pkg://modebench_rl.lm.verl", name))
    found = get_reward_manager_cls(manager)(Characters(), 0, function)(batch(), return_dict=True)
    expected = [v["scalar"] for v in mb.judge(COINS, ANSWERS)]
    tensor = found["reward_tensor"]
    assert tensor.sum(dim=1).tolist() == pytest.approx(expected)
    assert [tensor[i, len(a) - 1].item() for i, a in enumerate(ANSWERS)] == pytest.approx(expected)
    assert found["reward_extra_info"]["acc"] == [1, 0, 0] and len(found["reward_extra_info"]["mode"]) == 3


def test_its_data_set_reads_ours(tmp_path: Path):
    """The parquet file that the documentation says to write, through verl's own data set."""
    datasets = pytest.importorskip("datasets")
    rl_dataset = pytest.importorskip("verl.utils.dataset.rl_dataset")
    found = lm.dataset("coins", n=3, form="verl")
    assert isinstance(found, datasets.Dataset)
    found.to_parquet(str(tmp_path / "train.parquet"))

    class Chat(Characters):
        def apply_chat_template(self, messages: Any, **_: Any) -> list[int]:
            return [ord(c) for m in messages for c in m["content"]]

    settings = {"cache_dir": str(tmp_path), "max_prompt_length": 4096, "filter_overlong_prompts": False}
    row = rl_dataset.RLHFDataset(str(tmp_path / "train.parquet"), Chat(), OmegaConf.create(settings))[1]
    assert row["reward_model"]["ground_truth"] == "coins/train/1" and row["data_source"] == "modebench/coins"
    assert row["raw_prompt"][0]["content"] == mb.problems("coins", n=1, start=1)[0]["prompt"]
