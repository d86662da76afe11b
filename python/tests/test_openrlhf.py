"""OpenRLHF's own client of rewards: from a file, and over HTTP."""

from __future__ import annotations

import asyncio
import importlib.metadata
import socket
import subprocess
import sys
import time
import zlib
from types import SimpleNamespace
from typing import Any

import pytest

import modebench_rl as mb
from modebench_rl import _program, lm

torch = pytest.importorskip("torch", reason="no torch: see install_trainers.sh")
pytest.importorskip("openrlhf", reason="no openrlhf: see install_trainers.sh")
agent = pytest.importorskip("openrlhf.utils.agent", reason="what openrlhf's client imports is missing")

COINS = "coins/train/0"
ANSWERS = ["<answer>10+12+3</answer>", "<answer>10+10</answer>", "nothing"]
END = 3


class Characters:
    """A tokenizer with a token for each character, and one that ends a response."""

    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        return {"input_ids": torch.tensor([[ord(c) for c in text]])}

    def decode(self, tokens: list[int], skip_special_tokens: bool = False) -> str:
        return "".join("<|im_end|>" if t == END else chr(t) for t in tokens)


class Engine:
    """What generates: here a text that is given."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def generate(self, *_: Any, **__: Any) -> Any:
        tokens = [*map(ord, self.text), END]
        return SimpleNamespace(outputs=[SimpleNamespace(token_ids=tokens, finish_reason="stop", logprobs=None)])


def rollouts(url: str) -> list[dict[str, Any]]:
    """What OpenRLHF has of a rollout for each answer."""
    [row] = lm.dataset("coins", n=1, form="openrlhf", rows=True)
    executor = agent.SingleTurnAgentExecutor(url)
    sampling = SimpleNamespace(max_tokens=100, logprobs=None)

    async def all_of_them() -> list[dict[str, Any]]:
        return await asyncio.gather(
            *(executor.execute(row["input"], row["label"], sampling, 4096, Characters(), Engine(a)) for a in ANSWERS)
        )

    return asyncio.run(all_of_them())


def numbers(found: list[dict[str, Any]], name: str) -> list[float]:
    """As OpenRLHF makes a tensor of them (its samples generator)."""
    return [torch.tensor([one[name]]).flatten().tolist()[0] for one in found]


def test_the_function_of_a_file(capsys: pytest.CaptureFixture[str]):
    command = [sys.executable, "-m", "modebench_rl.lm.openrlhf"]
    found = rollouts(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    expected = [v["scalar"] for v in mb.judge(COINS, ANSWERS)]
    assert numbers(found, "reward") == pytest.approx(expected) == numbers(found, "scores")
    assert [one["extra_logs"]["acc"].item() for one in found] == [1, 0, 0]
    names = [v["mode"] for v in mb.judge(COINS, ANSWERS)]
    numbered = [zlib.crc32(name.encode()) if name else -1 for name in names]
    assert [one["extra_logs"]["mode"].item() for one in found] == numbered and numbered[2] == -1
    with capsys.disabled():
        print(f"\nOpenRLHF {importlib.metadata.version('openrlhf')}")


def test_a_server():
    if "serve" not in _program.call(["help"]).decode():
        pytest.skip("this program has no bench serve")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{s.getsockname()[1]}"
    command = [_program.program(), "serve", "--listen", address]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as s:
                host, port = address.split(":")
                if s.connect_ex((host, int(port))) == 0:
                    break
            time.sleep(0.1)
        found = rollouts(f"http://{address}/openrlhf")
    finally:
        server.terminate()
        server.wait(timeout=10)
    expected = [v["scalar"] for v in mb.judge(COINS, ANSWERS)]
    assert numbers(found, "reward") == pytest.approx(expected)
    modes = [v["mode"] for v in mb.judge(COINS, ANSWERS)]
    assert [one["extra_logs"]["mode"] for one in found] == [[zlib.crc32(m.encode()) if m else -1] for m in modes]
