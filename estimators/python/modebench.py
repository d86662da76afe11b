"""Serves an advantage estimator written in Python to modebench.

    python3 -m modebench mine.py             # the function `advantages` of mine.py
    python3 -m modebench mine.py centred     # another one
    python3 -m modebench --verl mine.py      # a function with verl's signature

A function asks for what it reads by the names of its parameters, and returns one number
per rollout, as an array or as lists:

    def advantages(rewards):             # (groups, rollouts)
        return rewards - rewards.mean(axis=1, keepdims=True)

    rewards     (groups, rollouts)            scalar reward w.r
    vectors     (groups, rollouts, d)         reward vector r
    correct     (groups, rollouts)            bool
    valid       (groups, rollouts)            bool: the answer could be read
    answers     (groups, rollouts)            text
    modes       (groups, rollouts)            int: the modes of a group, numbered from 0
                                              as they appear; -1: degenerate
    variants    (groups, rollouts)            int, likewise; -1: none
    embeddings  (groups, rollouts, e)         zeros for an answer that has none
    tokens      (groups, rollouts)            int: length in tokens
    logprobs    (groups, rollouts)            sum of the tokens' log-probabilities, nats
    entropies   (groups, rollouts)            sum of the tokens' entropies, nats
    finals      (groups, rollouts)            text: the final answer
    train       (groups, rollouts)            bool: false where a rollout only votes
    greedy      (groups,)                     scalar reward of the greedy rollout
    weights     (groups, d)                   w of each group
    problems    list of texts                 one per group
    seed, step  int
    batch       dict                          the batch document as it came

A function with one of the following parameters gives every token an advantage of its own
(protocol 2). Its arrays are shaped as verl's: the rollouts of all groups are rows, and what
stands above as (groups, rollouts, ...) is (batch, ...). Behind a rollout's last token there
are zeros.

    mask        (batch, length)               int: 1 where there is a token
    old_logp    (batch, length)               log-probability when it was sampled, nats
    entropy     (batch, length)               of the distribution it was drawn from, nats
    ref_logp    (batch, length)               log-probability under the reference, nats
    squares     (batch, length)               sum of that distribution's squared probabilities
    index       (batch,)                      int: the group

    def advantages(rewards, mask, entropy, index): ...     # returns (batch, length)

They are torch tensors where the file has imported torch. The whole distribution over legal
tokens is in `batch` alone: needs("token_distributions", per_token=True), and the function
returns a list of lists per group.

A parameter of another name has to have a default, which it keeps. Rollouts that only vote
are left out and get 0, unless the function asks for `train` or `batch`: then it is shown
all of them. Groups of different sizes make no array: only `batch` holds them.

The decorator `needs` says the rest. A function has to give the same numbers for the same
batch: draw random ones from `rng(seed, step, problem)`. What it prints goes to standard
error. In place of `python3 -m modebench`, a program may call `serve` or `serve_verl`.

With --verl the file may import verl's helpers where verl is not installed: modebench_verl.py,
which lies beside this file, says which.

Python 3.9 or later; arrays need numpy. The protocol is in docs/plug-ins.md.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import inspect
import json
import math
import os
import signal
import sys
import traceback
import types
from typing import Any, BinaryIO, Callable, Optional

__all__ = ["needs", "rng", "serve", "serve_verl"]
PROTOCOL = 1
TOKEN_PROTOCOL = 2  # what a plug-in answers that reads or gives something for every token

# The parameters of a function, by the field of the batch document that each is made of.
CANDIDATE = {
    "rewards": "reward", "vectors": "reward", "correct": "correct", "valid": "valid", "answers": "answer",
    "modes": "mode", "embeddings": "embedding", "variants": "variant",
}
ROLLOUT = {"tokens": "tokens", "logprobs": "logprob", "entropies": "entropy", "finals": "final"}
TOKEN = {"old_logp": "token_logprobs", "entropy": "token_entropies", "ref_logp": "token_ref_logprobs", "squares": "token_squares"}
LISTS = [*TOKEN.values(), "token_distributions"]  # what a batch may say of every token
ROWS = ("mask", "index")  # made for a function of tokens, without being asked for by a field
FIELDS = {**CANDIDATE, **ROLLOUT, "greedy": "greedy"}
ALWAYS = ("weights", "problems", "train", "seed", "step", "batch")  # sent without being asked for
NEEDS = [*dict.fromkeys(FIELDS.values()), *LISTS]
DTYPES = {"correct": bool, "valid": bool, "modes": int, "variants": int, "tokens": int, "train": bool, "answers": object, "finals": object}


class Refusal(Exception):
    """What modebench is told in place of an answer: one line."""


def needs(*fields: str, min_group: int = 1, chains: bool = False, objective: Optional[str] = None, per_token: bool = False,
          save: Optional[Callable] = None, load: Optional[Callable] = None) -> Callable:
    """Declares what the names of a function's parameters do not say.

    fields: what `batch` has to hold, as the batch document names it (by default "reward").
    min_group: the fewest trained rollouts in a group. chains: it takes rollouts of several
    candidates, for which the arrays have an axis after that of the rollouts. objective:
    what the advantages claim to climb, for `bench audit`. per_token: a function of `batch`
    gives one list per rollout, of one number per token.

    save and load are for a function that remembers over steps. save() gives what it
    remembers, and load(state) takes that over, so that a run that was interrupted goes on.
    A state is made of what JSON has: None, bool, int, float, str, lists, and dicts whose keys
    are str. load(None) forgets everything."""
    if (save is None) != (load is None):
        raise Refusal("needs: save and load go together")
    for field in fields:
        if field not in NEEDS:
            raise Refusal(f"needs: there is no {field!r}; there are {', '.join(NEEDS)}")

    def declare(function: Callable) -> Callable:
        function.modebench = {"needs": fields, "min_group": min_group, "chains": chains, "objective": objective, "per_token": per_token,
                              "save": save, "load": load}
        return function

    return declare


def rng(seed: int, step: int, problem: str = "") -> Any:
    """A numpy Generator that depends on these three alone: the same for the same batch,
    independent for others. What it draws may change between versions of numpy."""
    key = hashlib.sha256(json.dumps([seed, step, problem]).encode()).digest()
    return _numpy("rng").random.default_rng(int.from_bytes(key, "big"))


def serve(function: Callable, name: Optional[str] = None) -> None:
    """Answers modebench over standard input and output until it says bye. A program must
    have printed nothing before."""
    _converse(lambda: Plugin(function, name or function.__name__), *_streams())


def serve_verl(function: Callable, name: Optional[str] = None) -> None:
    """serve for a function with the signature of verl's advantage estimators."""
    _converse(lambda: Plugin(from_verl(function), name or function.__name__), *_streams())


class Plugin:
    """A function, and what it asks for."""

    def __init__(self, function: Callable, name: str):
        declared = {"needs": (), "min_group": 1, "chains": False, "objective": None, "per_token": False, "save": None, "load": None, **getattr(function, "modebench", {})}
        self.function, self.name, self.chains = function, name, declared["chains"]
        self.rows = any(p.name in TOKEN or p.name in ROWS for p in _parameters(function))
        self.per_token = self.rows or declared["per_token"]
        self.names = [p.name for p in _parameters(function) if p.name in FIELDS or p.name in ALWAYS or p.name in TOKEN or p.name in ROWS]
        for p in _parameters(function):
            if p.name not in self.names and p.default is p.empty:
                raise Refusal(f"{name} asks for {p.name!r}, which there is not; there are {', '.join([*FIELDS, *ALWAYS, *TOKEN, *ROWS])}")
        for array in self.names:
            if array not in ALWAYS or array in ("weights", "train"):
                _numpy(f"{name}({array})")
        self.whole = "train" in self.names or "batch" in self.names
        sources = {**FIELDS, **TOKEN}
        wanted = {*declared["needs"], *(sources[n] for n in self.names if n in sources)} or {"reward"}
        if self.per_token and not wanted.intersection(LISTS):
            wanted.add("token_logprobs")  # whoever gives a number per token is told how many there are
        self.description = {
            "protocol": TOKEN_PROTOCOL if wanted.intersection(LISTS) else PROTOCOL, "name": name, "needs": [n for n in NEEDS if n in wanted],
            "min_group": declared["min_group"], "chains": self.chains,
        }
        if self.per_token:
            self.description["advantages"] = "token"
        if declared["objective"]:
            self.description["objective"] = declared["objective"]
        self._save, self._load = declared["save"], declared["load"]
        if self._save:
            self.description["state"] = True

    def save(self) -> Any:
        """What the function remembers. It has to come back from JSON as it is: a run that
        goes on with it would else differ from one that was not interrupted."""
        if not self._save:
            raise Refusal(f"{self.name} has no state to save")
        state = self._save()
        try:
            same = json.loads(json.dumps(state, allow_nan=False)) == state
        except (TypeError, ValueError) as error:
            raise Refusal(f"the state of {self.name} is nothing that JSON has: {error}") from None
        if not same:
            raise Refusal(f"the state of {self.name} does not come back from JSON as it is: keys have to be str, and tuples lists")
        return state

    def load(self, state: Any) -> dict:
        if not self._load:
            raise Refusal(f"{self.name} has no state to load")
        self._load(state)
        return {}

    def advantages(self, batch: dict) -> list:
        """What the function makes of a batch: one list per group, one float per rollout."""
        shown = [[r for r in g["rollouts"] if self.whole or r.get("train", True)] for g in batch["groups"]]
        if self.rows:
            return self._by_rows(batch, shown)
        found = _entries(self.function(**self._arguments(batch, shown)), len(shown), f"{self.name} returned", "groups")
        out = []
        for g, rollouts in enumerate(shown):
            rest = iter(_entries(found[g], len(rollouts), f"group {g}: {self.name} returned", "rollouts"))
            out.append([self._given(next(rest), r, f"group {g}, rollout {i}: {self.name} returned") if self.whole or r.get("train", True) else self._nothing(r)
                        for i, r in enumerate(batch["groups"][g]["rollouts"])])
        return out

    def _given(self, x: Any, rollout: dict, what: str) -> Any:
        """The number of a rollout, or those of its tokens."""
        return [_number(a, what) for a in _entries(x, rollout["tokens"], what, "tokens")] if self.per_token else _number(x, what)

    def _nothing(self, rollout: dict) -> Any:
        return [0.0] * rollout["tokens"] if self.per_token else 0.0

    def _by_rows(self, batch: dict, shown: list) -> list:
        """advantages of a function of tokens: its rows are the rollouts of all groups."""
        np = _numpy(self.name)
        rows = [(g, r) for g, rollouts in enumerate(shown) for r in rollouts]
        lengths = [r["tokens"] for _, r in rows]
        width = max(lengths, default=0)
        own = {
            "mask": lambda: (np.arange(width) < np.array(lengths, dtype=int)[:, None]).astype(np.int64),
            "index": lambda: np.array([g for g, _ in rows], dtype=np.int64),
        }
        given = {}
        for n in self.names:
            if n in TOKEN:
                given[n] = _padded([_field(r, TOKEN[n], f"group {g}") for g, r in rows], width)
            elif n in own:
                given[n] = own[n]()
            else:
                given[n] = self._arguments(batch, shown, [n])[n]
            given[n] = _tensor(given[n])
        found = _entries(self.function(**given), len(rows), f"{self.name} returned", "rollouts")
        rest = iter(zip(found, rows))
        out = []
        for g, group in enumerate(batch["groups"]):
            out.append([])
            for i, r in enumerate(group["rollouts"]):
                if not (self.whole or r.get("train", True)):
                    out[g].append(self._nothing(r))
                    continue
                row, _ = next(rest)
                what = f"group {g}, rollout {i}: {self.name} returned"
                out[g].append(self._given(_entries(row, width, what, "tokens")[: r["tokens"]], r, what))
        return out

    def _arguments(self, batch: dict, shown: list, names: Optional[list] = None) -> dict:
        groups = batch["groups"]
        if not self.rows and any(n in CANDIDATE or n in ROLLOUT or n == "train" for n in self.names):
            _same([len(rollouts) for rollouts in shown], "rollouts" if self.whole else "rollouts to train on")
        given = {
            "seed": lambda: batch["seed"], "step": lambda: batch["step"], "batch": lambda: batch,
            "problems": lambda: [g["problem"] for g in groups], "weights": lambda: self._weights(batch, shown),
            "greedy": lambda: _array("greedy", [_field(g, "greedy", f"group {i}") for i, g in enumerate(groups)]),
            "train": lambda: _array("train", self._flat([[r.get("train", True) for r in rollouts] for rollouts in shown])),
        }
        return {n: given[n]() if n in given else self._of_rollouts(n, batch, shown) for n in names or self.names}

    def _flat(self, values: list) -> list:
        """What is of groups and rollouts, of a function of tokens as rows."""
        return [v for group in values for v in group] if self.rows else values

    def _weights(self, batch: dict, shown: list) -> Any:
        weights = _weights(batch)
        return weights.repeat([len(rollouts) for rollouts in shown], axis=0) if self.rows else weights

    def _of_rollouts(self, name: str, batch: dict, shown: list) -> Any:
        values = [[self._of(r, name, f"group {g}, rollout {i}") for i, r in enumerate(rollouts)] for g, rollouts in enumerate(shown)]
        if name in ROLLOUT:
            return _array(name, self._flat(values))
        if self.chains:
            _same([len(candidates) for group in values for candidates in group], "candidates in a rollout")
        if name in ("modes", "variants"):
            values = [_numbered(group) for group in values]
        if name == "embeddings":
            values = _filled(values)
        if not self.chains:
            values = [[candidates[0] for candidates in group] for group in values]
        array = _array(name, self._flat(values))
        return _scalar(array, self._weights(batch, shown)) if name == "rewards" else array

    def _of(self, rollout: dict, name: str, where: str) -> Any:
        """A field of a rollout, or of each of its candidates."""
        if name in ROLLOUT:
            return _field(rollout, ROLLOUT[name], where)
        candidates = rollout["candidates"]
        if not self.chains and len(candidates) != 1:
            raise Refusal(f"{where}: {len(candidates)} candidates, and {self.name} takes one: see needs(chains=True)")
        return [_field(c, CANDIDATE[name], where) for c in candidates]


def _parameters(function: Callable) -> list:
    return [p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _field(document: dict, field: str, where: str) -> Any:
    if field not in document:
        raise Refusal(f"{where}: the batch has no {field}")
    return document[field]


def _same(counts: list, what: str) -> None:
    for count in counts:
        if count != counts[0]:
            raise Refusal(f"{counts[0]} and {count} {what} make no array: take `batch` in place of arrays")


def _numbered(rollouts: list) -> list:
    """The texts of a group's candidates as numbers, in order of appearance; None is -1."""
    numbers: dict = {None: -1}
    return [[numbers.setdefault(text, len(numbers) - 1) for text in candidates] for candidates in rollouts]


def _filled(groups: list) -> list:
    """Embeddings with zeros for the candidates that have none, which is sent as []."""
    length = max((len(e) for rollouts in groups for candidates in rollouts for e in candidates), default=0)
    return [[[e or [0.0] * length for e in candidates] for candidates in rollouts] for rollouts in groups]


def _padded(lists: list, width: int) -> Any:
    """Lists of numbers as the rows of an array, with zeros behind them."""
    array = _numpy("tokens").zeros((len(lists), width))
    for row, own in zip(array, lists):
        row[: len(own)] = own
    return array


def _tensor(value: Any) -> Any:
    """An array of numbers as a torch tensor, where torch has been imported by now."""
    torch = sys.modules.get("torch")
    return torch.from_numpy(value) if torch and hasattr(value, "dtype") and value.dtype != object else value


def _weights(batch: dict) -> Any:
    return _array("weights", [g.get("weights") or batch["weights"] for g in batch["groups"]])


def _scalar(vectors: Any, weights: Any) -> Any:
    """w.r, added in the order of the components: the bits that every estimator of
    modebench sees. vectors: (groups, rollouts[, candidates], d), weights: (groups, d)."""
    total = _numpy("rewards").zeros(vectors.shape[:-1])
    for i in range(vectors.shape[-1]):
        total = total + vectors[..., i] * weights[:, i].reshape((-1,) + (1,) * (vectors.ndim - 2))
    return total


def _numpy(what: str) -> Any:
    try:
        import numpy
    except ImportError:
        raise Refusal(f"{what} needs numpy, and {sys.executable} has none") from None
    return numpy


def _array(name: str, values: list) -> Any:
    try:
        return _numpy(name).array(values, dtype=DTYPES.get(name, float))
    except (ValueError, TypeError):
        raise Refusal(f"{name} of different lengths make no array: take `batch` in place of arrays") from None


def _entries(x: Any, count: int, what: str, each: str) -> list:
    """A list, a tuple or an array as a list of so many entries."""
    entries = x.tolist() if hasattr(x, "tolist") else x
    if not isinstance(entries, (list, tuple)):
        raise Refusal(f"{what} {_shown(x)}, want a list or an array of {count} {each}")
    if len(entries) != count:
        raise Refusal(f"{what} {len(entries)} entries, want one for each of {count} {each}")
    return list(entries)


def _number(x: Any, what: str) -> float:
    try:
        if not isinstance(x, (str, bytes)) and math.isfinite(float(x)):
            return float(x)
    except (TypeError, ValueError, OverflowError):
        pass
    raise Refusal(f"{what} {_shown(x)}, want a finite number")


def _shown(x: Any) -> str:
    return " ".join(repr(x).split())[:40]


# verl calls an estimator with keywords: two arrays of (rollouts, response length), the
# prompt of each rollout, its configuration and, for ReMax, the greedy rewards.
VERL = ("token_level_rewards", "response_mask", "index", "config", "reward_baselines")
# Under these names it keeps what is known of every token, (rollouts, response length). A
# function of one of them gives every token an advantage of its own.
VERL_TOKEN = {"old_log_probs": "token_logprobs", "entropys": "token_entropies", "ref_log_prob": "token_ref_logprobs", "sum_pi_squared": "token_squares"}


class Config(dict):
    """In place of verl's configuration of the algorithm: what it holds by default."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"modebench's configuration has no {name}; it has {', '.join(self)}")


def from_verl(function: Callable) -> Callable:
    """The estimator that a function with verl's signature is. It sees the rollouts that
    are trained on, each as a row of tokens (none counts as one) in float64, with the
    scalar reward at the last; torch tensors where torch has been imported by now, else
    numpy arrays. What it gives must be one number over the tokens of a rollout, unless it
    asks for something of every token."""
    name, own = function.__name__, [p.name for p in _parameters(function)]
    anything = len(own) < len(inspect.signature(function).parameters)
    takes = [n for n in VERL if n in own or anything and n != "reward_baselines"]
    lists = {n: field for n, field in VERL_TOKEN.items() if n in own}
    for p in _parameters(function):
        if p.name not in VERL and p.name not in VERL_TOKEN and p.default is p.empty:
            raise Refusal(f"{name} asks for {p.name!r}, which there is not; in verl's signature there are {', '.join([*VERL, *VERL_TOKEN])}")
    np, torch = _numpy("verl's signature"), sys.modules.get("torch")
    tensor = torch.from_numpy if torch else lambda array: array
    declared = {k: v for k, v in getattr(function, "modebench", {}).items() if k in ("min_group", "objective", "save", "load")}

    @needs("reward", "tokens", *(["greedy"] if "reward_baselines" in takes else []), *lists.values(), per_token=bool(lists), **declared)
    def advantages(batch: dict) -> list:
        rows = [(g, i, r) for g, group in enumerate(batch["groups"]) for i, r in enumerate(group["rollouts"]) if r.get("train", True)]
        lengths = np.array([max(1, r["tokens"]) for _, _, r in rows])
        vectors = np.array([[r["candidates"][0]["reward"]] for _, _, r in rows], dtype=float)
        mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
        rewards = np.zeros(mask.shape)
        rewards[np.arange(len(rows)), lengths - 1] = _scalar(vectors, _weights(batch)[[g for g, _, _ in rows]])[:, 0]
        given = {
            "token_level_rewards": tensor(rewards), "response_mask": tensor(mask),
            "index": np.array([f"prompt {g}" for g, _, _ in rows], dtype=object),
            "config": Config(gamma=1.0, lam=1.0, norm_adv_by_std_in_grpo=True),
        }
        if "reward_baselines" in takes:
            given["reward_baselines"] = tensor(np.array([float(batch["groups"][g]["greedy"]) for g, _, _ in rows]))
        for n, field in lists.items():
            given[n] = tensor(_padded([_field(r, field, f"group {g}, rollout {i}") for g, i, r in rows], mask.shape[1]))
        result = function(**{n: given[n] for n in [*takes, *lists]})
        if not isinstance(result, (tuple, list)) or len(result) < 2:
            raise Refusal(f"{name} returned {_shown(result)}, want a pair (advantages, returns)")
        found = [[[0.0] * r["tokens"] if lists else 0.0 for r in group["rollouts"]] for group in batch["groups"]]
        entries = _entries(result[0], len(rows), f"{name} returned advantages of", "rollouts")
        for (g, i, _), row, length in zip(rows, entries, lengths):
            what = f"group {g}, rollout {i}: {name} returned"
            if lists:
                found[g][i] = _entries(row, mask.shape[1], what, "tokens")[: batch["groups"][g]["rollouts"][i]["tokens"]]
            else:
                found[g][i] = _read_off(row, int(length), mask.shape[1], what)
        return found

    return advantages


def _read_off(row: Any, length: int, width: int, what: str) -> float:
    """The one number of a row's tokens; they may differ by rounding."""
    own = [_number(x, what) for x in _entries(row, width, what, "tokens")[:length]]
    if max(own) - min(own) > 1e-12 * max(1.0, abs(own[-1])):
        raise Refusal(f"{what} numbers from {min(own)} to {max(own)} for its tokens: modebench takes one number per rollout")
    return own[-1]


def _stand_in_for_verl() -> None:
    """Where verl is missing, lets a file import of it what an estimator needs."""
    if not importlib.util.find_spec("verl"):
        import modebench_verl

        modebench_verl.install(Config)


def _streams() -> tuple:
    """Takes standard input and output for the protocol alone: from here on whatever is
    printed, even below Python, goes to standard error, and there is no input to read."""
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull) as null:
        os.dup2(null.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    return reader, writer


def _converse(make: Callable[[], Plugin], reader: BinaryIO, writer: BinaryIO) -> None:
    plugin = None
    for line in reader:
        identity = None
        try:
            request = json.loads(line)
            identity, method = request.get("id"), request["method"]
            if method == "bye":
                return
            if method == "hello":
                if request["params"]["protocol"] != PROTOCOL:
                    raise Refusal(f"speaks protocol {PROTOCOL}, got {request['params']['protocol']}")
                plugin = make()
                result = plugin.description
            elif method == "advantage" and plugin:
                result = {"advantages": plugin.advantages(request["params"])}
            elif method == "save" and plugin:
                result = {"state": plugin.save()}
            elif method == "load" and plugin:
                result = plugin.load(request["params"]["state"])
            else:
                raise Refusal(f"no answer to {method!r}" + ("" if plugin else " before hello"))
            answer = {"result": result}
        except (Exception, SystemExit) as error:
            if not isinstance(error, Refusal):
                _print_traceback(error)
            answer = _error(_line(error))
        sys.stderr.flush()
        _send(writer, identity, answer)


def _error(message: str) -> dict:
    return {"error": {"code": 1, "message": message}}


def _send(writer: BinaryIO, identity: Any, answer: dict) -> None:
    try:
        writer.write(json.dumps({"jsonrpc": "2.0", "id": identity, **answer}, allow_nan=False).encode() + b"\n")
        writer.flush()
    except BrokenPipeError:
        os._exit(1)  # nobody listens: not even to what closing the stream would say


def _print_traceback(error: BaseException) -> None:
    """Prints the traceback from the user's file on, so that it is the same in every cell:
    modebench shows it once."""
    own = error.__traceback__
    while own and own.tb_frame.f_code.co_filename == __file__:
        own = own.tb_next
    traceback.print_exception(type(error), error, own or error.__traceback__)


def _refuse(message: str, reader: BinaryIO, writer: BinaryIO) -> None:
    """Ends with why there is no function to serve: in answer to hello, or, where nobody
    says hello, on standard error."""
    line = b"" if reader.isatty() else reader.readline()
    if line:
        _send(writer, json.loads(line).get("id"), _error(message))
    else:
        print(f"modebench: {message}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(2)  # at once: what the file has imported may take its time to end


def _line(error: BaseException) -> str:
    """An error in one line, with where the user's file was when it came up."""
    if isinstance(error, Refusal):
        return str(error)
    what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(" :")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    if isinstance(error, SyntaxError) or not frames:
        return what  # it names its line itself
    own = [f for f in frames if f.filename == frames[0].filename]
    return f"{what} ({os.path.basename(own[-1].filename)}:{own[-1].lineno})"


def _load(path: str, name: Optional[str], verl: bool) -> Callable:
    """The function of a file, which runs as a module of its own beside its neighbours."""
    sys.modules.setdefault("modebench", sys.modules[__name__])
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    stem = os.path.splitext(os.path.basename(path))[0]
    module = types.ModuleType(stem)
    module.__file__ = path
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    sys.modules.setdefault(stem, module)
    exec(code, module.__dict__)
    functions = {n: f for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == stem}
    if name is None and verl:
        found = [n for n, f in functions.items() if "token_level_rewards" in inspect.signature(f).parameters]
        if len(found) != 1:
            raise Refusal(f"{path} has {len(found)} functions of token_level_rewards: name the one to serve")
        name = found[0]
    function = getattr(module, name or "advantages", None)
    if not callable(function):
        raise Refusal(f"{path} has no function {name or 'advantages'}; it has {', '.join(functions) or 'none'}")
    return function


def main() -> None:
    parser = argparse.ArgumentParser(prog="modebench", description="Serves an advantage estimator to modebench.")
    parser.add_argument("file", metavar="FILE.py")
    parser.add_argument("function", metavar="FUNCTION", nargs="?", help="default: advantages; under --verl, the only one of token_level_rewards")
    parser.add_argument("--verl", action="store_true", help="the function has the signature of verl's estimators")
    args = parser.parse_args()
    streams = _streams()
    try:
        if args.verl:
            _stand_in_for_verl()
        function = _load(args.file, args.function, args.verl)
    except (Exception, SystemExit) as error:
        where = "" if isinstance(error, Refusal) else f"{args.file} does not load: "
        _refuse(where + _line(error), *streams)
    name = os.path.splitext(os.path.basename(args.file))[0] + (":" + args.function if args.function else "")
    _converse(lambda: Plugin(from_verl(function) if args.verl else function, name), *streams)


if __name__ == "__main__":
    main()
