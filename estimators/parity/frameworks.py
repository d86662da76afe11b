#!/usr/bin/env python3
"""Runs the frameworks' own functions on batches, for the tests of this folder.

Reads {"cases": [...]} from standard input. A case names a framework and one of its
functions, and holds a judged batch, flattened over its groups,

    rewards, groups, tokens   one number per rollout; the group that it is of; its length
    vectors, weights          reward vectors and the weights of their components
    greedy                    per rollout, the reward of its group's greedy one
    size                      rollouts per group where all have as many
    logprobs, squares         per rollout, of each token: its log-probability, and the sum of
                              the squared probabilities of what it was drawn from
    float32                   whether rewards are given in float32

or a minibatch of tokens as padded rows: mask, logp, old, ref, for corrections sampler, and
advantage, one number per row. Prints {"torch": version, "frameworks": {name: {"version": ...} or {"skip": why}},
"answers": [...]}. An answer is {"advantages": [...]}, or {"loss": x, "gradient": rows}
with the gradient with respect to logp by automatic differentiation.

Everything is float64 where the framework lets it be.
"""

import importlib
import importlib.metadata
import json
import sys
import types
import warnings

try:
    import numpy
    import torch
except ImportError as e:
    print(json.dumps({"skip": str(e)}))
    sys.exit()

import absent

FRAMEWORKS = {"verl": "on_verl", "TRL": "on_trl", "OpenRLHF": "on_openrlhf", "SkyRL": "on_skyrl", "NeMo-RL": "on_nemorl"}

# What the frameworks import beside torch, numpy and packaging. No function that is called here uses it.
HEAVY = """
    accelerate aiofiles aiohttp bitsandbytes cloudpickle codetiming datasets deepspeed einops fastapi flash_attn
    huggingface_hub hydra jaxtyping jinja2 loguru math_verify numba omegaconf optree orjson pandas peft PIL psutil
    pyarrow pybase64 pydantic pylatexenc ray rich safetensors skyrl_gym tensordict tokenizers torchdata torchvision
    tqdm trackio transformers uvicorn vllm wandb weave yaml
    torch.distributed._composable torch.distributed.device_mesh torch.distributed.fsdp torch.distributed.tensor
"""


class Batch:
    """A judged batch as the frameworks take it: one row of tokens per rollout, with the
    reward at its last token."""

    def __init__(self, case):
        self.lengths = numpy.array(case["tokens"])
        self.mask = torch.from_numpy((numpy.arange(self.lengths.max()) < self.lengths[:, None]).astype(numpy.int64))
        dtype = torch.float32 if case.get("float32") else torch.float64
        self.scores = torch.tensor(case["rewards"], dtype=dtype)
        self.rewards = torch.zeros(self.mask.shape, dtype=dtype)
        self.rewards[torch.arange(len(self.lengths)), torch.from_numpy(self.lengths - 1)] = self.scores
        self.index = numpy.array([f"prompt {g}" for g in case["groups"]], dtype=object)
        self.greedy = torch.tensor(case.get("greedy") or [], dtype=torch.float64)
        self.vectors = torch.tensor(case.get("vectors") or [], dtype=torch.float64)
        self.weights = case.get("weights")
        self.size = case.get("size")
        self.logprobs, self.squares = self.pad(case.get("logprobs")), self.pad(case.get("squares"))

    def pad(self, lists):
        """Padded rows of one number per token."""
        if lists is None:
            return None
        return torch.tensor([own + [0.0] * (self.mask.shape[1] - len(own)) for own in lists], dtype=torch.float64)

    def read_tokens(self, rows):
        """The numbers of all tokens. There is nothing beyond the last of a rollout."""
        if torch.any(rows * (1 - self.mask) != 0):
            raise ValueError("advantages where there is no token")
        return [x for row, length in zip(rows.tolist(), self.lengths) for x in row[:length]]

    def read(self, rows):
        """The one number of each rollout's tokens."""
        found = []
        for row, length in zip(rows.tolist(), self.lengths):
            own = row[:length]
            if max(own) - min(own) > 1e-12 * max(1.0, abs(own[-1])):
                raise ValueError(f"advantages from {min(own)} to {max(own)} for the tokens of one rollout")
            found.append(own[-1])
        return found


class Tokens:
    """A minibatch of tokens. Its log-probabilities want a gradient."""

    def __init__(self, case):
        rows = {name: torch.tensor(case[name], dtype=torch.float64) for name in ("mask", "logp", "old", "ref")}
        self.mask, self.old, self.ref = rows["mask"], rows["old"], rows["ref"]
        self.logp = rows["logp"].requires_grad_()
        self.sampler = torch.tensor(case["sampler"], dtype=torch.float64) if "sampler" in case else None
        self.advantage = torch.tensor(case["advantage"], dtype=torch.float64)
        self.rows = self.advantage[:, None].expand(self.mask.shape).contiguous()


def load(module):
    """A framework's module here and its version, or why it cannot run."""
    try:
        own = importlib.import_module(module)
        return own, {"version": importlib.metadata.version(own.PACKAGE)}
    except Exception as error:
        return None, {"skip": " ".join(str(error).split())[:200]}


def answer(own, case):
    function = getattr(own, case["function"].replace("-", "_"))
    settings = types.SimpleNamespace(**(case.get("settings") or {}))
    if "rewards" in case:
        return {"advantages": function(Batch(case), settings)}
    tokens = Tokens(case)
    loss = function(tokens, settings)
    loss.backward()
    return {"loss": loss.item(), "gradient": tokens.logp.grad.tolist()}


def prepare():
    """What the frameworks are imported into."""
    warnings.simplefilter("ignore")
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    if not hasattr(torch, "compile"):
        torch.compile = lambda function=None, **_: function or (lambda f: f)
    absent.missing(*HEAVY.split())


def main():
    prepare()
    out, sys.stdout = sys.stdout, sys.stderr  # frameworks print
    cases = json.load(sys.stdin)["cases"]
    modules, found, answers = {}, {}, []
    for name, module in FRAMEWORKS.items():
        modules[name], found[name] = load(module)
    for case in cases:
        own = modules[case["framework"]]
        if own is None:
            answers.append(None)
            continue
        try:
            answers.append(answer(own, case))
        except Exception as error:
            answers.append({"error": f"{type(error).__name__}: {error}"})
    json.dump({"torch": torch.__version__, "frameworks": found, "answers": answers}, out)


if __name__ == "__main__":
    main()
