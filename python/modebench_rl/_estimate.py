"""The advantages that a method gives a batch of yours: numpy arrays or torch tensors in, the same out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from . import _program
from ._callback import COMMAND, Callbacks, said
from ._estimators import adapter, name_of
from ._recipe import listed

# The parameters of `Estimator`, by the field of the batch that each is: whose it is, the type of its
# numbers (None: texts, or whole numbers), and how many axes an entry has.
CANDIDATES = {
    "rewards": ("reward", "<f8", 0), "vectors": ("reward", "<f8", 1), "correct": ("correct", "u1", 0),
    "valid": ("valid", "u1", 0), "answers": ("answer", None, 0), "modes": ("mode", None, 0),
    "variants": ("variant", None, 0), "embeddings": ("embedding", "<f4", 1),
}  # fmt: skip
ROLLOUTS = {
    "tokens": ("tokens", "<i4", 0), "logprobs": ("logprob", "<f8", 0), "entropies": ("entropy", "<f8", 0),
    "finals": ("final", None, 0), "train": ("train", "u1", 0),
}  # fmt: skip
TOKENS = {
    "old_logp": "token_logprobs",
    "entropy": "token_entropies",
    "ref_logp": "token_ref_logprobs",
    "squares": "token_squares",
}


def estimate(
    method: str | Callable[..., Any],
    *,
    rewards: Any = None,
    vectors: Any = None,
    verdicts: Sequence[Mapping[str, Any]] | None = None,
    group: int | None = None,
    **given: Any,
) -> Any:
    """The advantages of one batch: `Estimator(method, ...)` with the batch's arrays.

        estimate("poly-epo", rewards=rewards, modes=modes, n=4)
        estimate("poly-epo", verdicts=judge(ids, texts), group=8)

    method: its name, or a function as `run(..., estimators=[...])` takes it. What is no array of a
    batch (see `Estimator.__call__`) is a field of the method, as `n`. The process that answers is
    kept for the next call with the same fields.

    verdicts: what `judge` gives, in place of rewards, correct, valid, answers, modes, variants and embeddings; those
    that are given too take precedence. group: how many of them make a group, one behind the other; without it
    `index` says which group each is of. The advantages are then an array with one for each verdict."""
    own = {name: given.pop(name) for name in list(given) if name in ARRAYS}
    if verdicts is not None:
        own = {**_of_verdicts(verdicts, group, own), **own}
        scalars = own.pop("rewards", None)
        if rewards is None and vectors is None:
            rewards = scalars
    elif group is not None:
        raise ValueError("group is how many verdicts make a group, and there are no verdicts")
    for name, value in given.items():
        if np.ndim(value) > 0 and not isinstance(value, (list, tuple, str)):
            known = ", ".join(sorted({"rewards", "vectors", *ARRAYS}))
            raise ValueError(f"a batch has no array {name!r}; there are {known}")
    if callable(method):
        return Estimator(method, **given)(rewards=rewards, vectors=vectors, **own)
    found = kept(method, given)(rewards=rewards, vectors=vectors, **own)
    _tell_of_loss(method)
    return found


@lru_cache(maxsize=256)
def _tell_of_loss(method: str) -> None:
    """Warns once of a method whose loss is not that of GRPO: advantages are a part of it."""
    theirs = listed("grpo").loss
    other = [f"{name} = {value}" for name, value in listed(method).loss.items() if theirs.get(name) != value]
    if other:
        warnings.warn(
            f"these are the advantages of {method}; its loss differs from GRPO's too, in {', '.join(other)}: "
            f'modebench_rl.recipe("{method}") has the settings of a trainer',
            stacklevel=_outside(),
        )


def _of_verdicts(verdicts: Sequence[Mapping[str, Any]], group: int | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of a flat batch of verdicts."""
    if not verdicts:
        raise ValueError("there are no verdicts")
    if any("answers" in verdict for verdict in verdicts):
        raise ValueError("an answer holds several answers; verdicts of one answer each are wanted")
    found: dict[str, Any] = {}
    if group is not None:
        if "index" in given:
            raise ValueError("group and index are both given, want one of them")
        if group < 1 or len(verdicts) % group:
            raise ValueError(f"{len(verdicts)} verdicts do not make groups of {group}")
        found["index"] = np.arange(len(verdicts)) // group
    elif "index" not in given:
        raise ValueError("give group, how many verdicts make a group, or index, the group of each")
    if all("scalar" in verdict for verdict in verdicts):
        found["rewards"] = [verdict["scalar"] for verdict in verdicts]
    return {**found, **arrays_of(verdicts)}


def arrays_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The arrays of a flat batch, beside its rewards, of what is known of each rollout: some fields of a verdict. A
    wrong answer may have no mode, answer, variant or embedding; the other fields are of all or none."""
    rows = [{"valid": row["error"] is None, **row} if "error" in row else row for row in rows]
    found: dict[str, Any] = {}
    for name, (field, kind, inner) in CANDIDATES.items():
        values = [row.get(field) for row in rows]
        if field != "reward" and any(field in row for row in rows) and (kind is None or inner or None not in values):
            found[name] = dense(values) if inner else values
    return found


def dense(vectors: Sequence[Sequence[float] | None]) -> np.ndarray:
    """Embeddings as an array with a row for each, of zeros where there is none."""
    width = max((len(v) for v in vectors if v is not None), default=1)
    return np.array([[0.0] * width if v is None else v for v in vectors])


def kept(method: str, fields: Mapping[str, Any]) -> Estimator:
    """An estimator that all callers of this process share."""
    return _kept(method, tuple(sorted((name, json.dumps(value)) for name, value in fields.items())))


@lru_cache(maxsize=8)
def _kept(method: str, fields: tuple[tuple[str, str], ...]) -> Estimator:
    return Estimator(method, **{name: json.loads(value) for name, value in fields})


class Estimator:
    """A method, with a process that stays for many batches.

    method: its name (`modebench list methods`). fields: what `modebench list methods NAME` says
    can be set, as n=4. May be used from several threads; ends with `close`, at the end of a `with`, or
    with this process.

    A function in the place of a name is called here, with what a run would give it of the batch."""

    def __init__(self, method: str | Callable[..., Any], **fields: Any) -> None:
        self.method = method if isinstance(method, str) else name_of(method)
        self._function = None if isinstance(method, str) else method
        self._callbacks: Callbacks | None = None
        self._args = ["estimate", self.method, "--arrays"]
        if self._function is not None:
            if fields:
                raise ValueError(f"{self.method} is a function, and has no field {', '.join(map(repr, fields))}")
            try:
                adapter().Plugin(self._function, self.method)
            except adapter().Refusal as refusal:
                raise _program.InputError(str(refusal), 3) from None
            self._args = [
                "estimate",
                "plugin",
                "--arrays",
                "--set",
                f"command={COMMAND},{self.method}",
                *Callbacks.flags,
            ]
        for name, value in fields.items():
            self._args += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize[..., Estimator] | None = None
        _estimators.add(self)

    def __call__(
        self,
        *,
        rewards: Any = None,
        vectors: Any = None,
        correct: Any = None,
        valid: Any = None,
        answers: Any = None,
        modes: Any = None,
        variants: Any = None,
        embeddings: Any = None,
        tokens: Any = None,
        logprobs: Any = None,
        entropies: Any = None,
        finals: Any = None,
        train: Any = None,
        greedy: Any = None,
        weights: Any = None,
        problems: Sequence[str] | None = None,
        index: Any = None,
        mask: Any = None,
        old_logp: Any = None,
        entropy: Any = None,
        ref_logp: Any = None,
        squares: Any = None,
        seed: int = 0,
        step: int = 0,
    ) -> Any:
        """The advantages of a batch, shaped as its rewards.

        Arrays are (groups, rollouts); where groups differ in size, a list with an array for each
        group; or (rollouts,) with `index`, the group of each: whole numbers or texts, any of them, -1
        too. Groups then come in the order of numbers, and of texts behind them. A chain's candidates
        are an axis more.

        rewards: scalar rewards; or vectors, with an axis for their components, and weights, (d,) or
        (groups, d). correct, valid: bool. modes, variants, answers, finals: texts with None for none,
        or whole numbers with -1 for none. embeddings: with an axis more; zeros for none. tokens,
        logprobs, entropies: of a rollout. train: bool, false where a rollout only votes. greedy,
        problems: one a group. mask, old_logp, entropy, ref_logp, squares: of every token, with an axis
        for these; the advantages then have it too, where the method gives every token its own. mask is
        true at the policy's own tokens, wherever they stand: padding, on the left too, and what tools
        wrote between them are left out, and get 0. seed, step: what random draws are keyed by.

        They are tensors where the first of these is one, of its type and device, else float64."""
        candidate = {
            "rewards": rewards, "vectors": vectors, "correct": correct, "valid": valid, "answers": answers,
            "modes": modes, "variants": variants, "embeddings": embeddings,
        }  # fmt: skip
        rollout = {"tokens": tokens, "logprobs": logprobs, "entropies": entropies, "finals": finals, "train": train}
        token = {"old_logp": old_logp, "entropy": entropy, "ref_logp": ref_logp, "squares": squares}
        layout = _Layout(candidate, index)
        message = _Message(layout, seed, step)
        for name, value in candidate.items():
            if value is not None:
                message.add(*CANDIDATES[name], value, name)
        own = None if mask is None else layout.mask(mask)
        if own is not None:
            message.numbers("tokens", own.sum(axis=1, dtype="<i4"), "mask")
        for name, value in rollout.items():
            if value is not None and not (name == "tokens" and mask is not None):
                message.add(*ROLLOUTS[name], value, name, of_rollouts=True)
        for name, value in token.items():
            if value is None:
                continue
            if own is None:
                raise ValueError(f"{name} is of every token, and mask says where there is one: give it too")
            message.numbers(TOKENS[name], layout.own_tokens(value, own, name), name)
        if greedy is not None:
            message.of_groups("greedy", greedy, "greedy")
        if weights is not None:
            message.weights(weights)
        if problems is not None:
            message.of_groups("problem", problems, "problems")
        kind, found = self._ask(message)
        if kind == "tokens":
            if own is None:
                raise ValueError(
                    f"{self.method} gives every token an advantage of its own: give mask, which says where there is one"
                )
            return layout.tokens_back(found, own)
        return layout.back(found)

    def _ask(self, message: _Message) -> tuple[str, np.ndarray]:
        with self._lock:
            process = self._running()
            try:
                if self._callbacks is None:
                    return self._exchange(process, message)
                return self._serve(self._callbacks, process, message)
            except _program.BenchError:
                raise
            except BaseException:  # an interrupt: the answer that is on its way is of no other batch
                self.close()
                raise

    def _serve(
        self, callbacks: Callbacks, process: subprocess.Popen[bytes], message: _Message
    ) -> tuple[str, np.ndarray]:
        """Another thread waits for the program, and this one calls the function for it."""
        callbacks.raised = None
        with ThreadPoolExecutor(1) as other:
            answer = other.submit(self._exchange, process, message)
            try:
                while not answer.done():
                    callbacks.serve(0.01)
                return answer.result()
            except _program.BenchError as error:
                raise error from callbacks.raised
            except BaseException:
                process.kill()  # so that the other thread waits no more
                raise

    def _exchange(self, process: subprocess.Popen[bytes], message: _Message) -> tuple[str, np.ndarray]:
        assert process.stdin and process.stdout
        try:
            message.write(process.stdin)
            answer = json.loads(process.stdout.readline())
            if "note" in answer:
                warnings.warn(self._said(message.our_names(answer["note"])), stacklevel=_outside())
                answer = json.loads(process.stdout.readline())
            if "error" in answer:
                raise _program.InputError(self._said(message.our_names(answer["error"])), 3)
            kind = "tokens" if "tokens" in answer else "advantages"
            body = process.stdout.read(8 * answer[kind])
        except (OSError, ValueError) as broken:
            if isinstance(broken, _program.InputError):
                raise
            raise self._failure() from None
        if len(body) < 8 * answer[kind]:
            raise self._failure()
        return kind, np.frombuffer(bytearray(body), dtype="<f8")  # which may be written to

    def _said(self, error: str) -> str:
        return error if self._function is None else said(error.replace("method plugin:", f"method {self.method}:"))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            environment = dict(os.environ)
            if self._function is not None:
                self._callbacks = Callbacks({self.method: self._function}, adapter())
                environment.update(self._callbacks.environment)
                weakref.finalize(self, self._callbacks.close)
            self._process = subprocess.Popen(
                [_program.NAME, *self._args],
                executable=_program.program(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
            )
            # At the end of this process, or when nobody has the estimator any more.
            self._finalizer = weakref.finalize(self, _program.end, self._process, os.getpid())
        return self._process

    def _failure(self) -> _program.BenchError:
        """Why the process has ended."""
        process, self._process = self._process, None
        assert process
        _, stderr = process.communicate()
        failure = _program.error(process.returncode, stderr.decode("utf-8", "replace"))
        failure.args = (self._said(str(failure)),)
        return failure

    def close(self) -> None:
        """Ends the process. The next call starts another."""
        self._process = None
        if self._finalizer is not None:
            self._finalizer()

    def __enter__(self) -> Estimator:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _outside() -> int:
    """How many calls up the first is that is not of this package, for a warning."""
    frame, up = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, up = frame.f_back, up + 1
    return up


_estimators: weakref.WeakSet[Estimator] = weakref.WeakSet()


def _after_fork() -> None:
    """In the child of a fork: the process is the parent's, and the lock may be held by a thread that is not there."""
    for estimator in list(_estimators):
        if estimator._process is not None and estimator._finalizer is not None:
            estimator._finalizer.detach()
            _program.leave(estimator._process)
        estimator._process, estimator._lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


ARRAYS = {
    *CANDIDATES, *ROLLOUTS, *TOKENS, "greedy", "weights", "problems", "index", "mask", "seed", "step",
}  # fmt: skip


# The arrays by the fields of the batch that they are, which the program calls them by.
NAMES = {
    **{field: name for name, (field, *_) in {**CANDIDATES, **ROLLOUTS}.items() if name != "vectors"},
    **{field: name for name, field in TOKENS.items()},
    "problem": "problems",
    "tokens": 'tokens" or "mask',
}  # fmt: skip


class _Layout:
    """How the rollouts of a batch lie in the arrays that were given, and lie in a message: group by group."""

    def __init__(self, candidate: dict[str, Any], index: Any) -> None:
        name, first = next(((n, v) for n, v in candidate.items() if v is not None), ("", None))
        if first is None:
            raise ValueError("give the batch: rewards, and what else the method reads")
        self.name, self.first, inner = name, first, CANDIDATES[name][2]
        if index is None:
            _check_axes(first, name, 2 + inner)
        self.order: np.ndarray | None = None
        self.ragged = index is None and isinstance(first, (list, tuple)) and len({len(g) for g in first}) > 1
        if index is not None:
            group = _numbered(index)
            self.order = np.argsort(group, kind="stable")
            self.sizes = np.unique(group, return_counts=True)[1].tolist()
            shape: tuple[int, ...] = np.shape(_plain(first))
            self.shape: tuple[int, ...] = (len(group),)
        elif self.ragged:
            self.sizes = [len(g) for g in first]
            shape = (sum(self.sizes), *np.shape(_plain(first[0]))[1:])
            self.shape = (sum(self.sizes),)
        else:
            whole = np.shape(_plain(first))
            self.sizes = [whole[1]] * whole[0]
            shape = (whole[0] * whole[1], *whole[2:])
            self.shape = whole[:2]
        chain = shape[1 : len(shape) - inner]
        if len(chain) > 1:
            raise ValueError(f"{name} has shape {shape}: too many axes")
        self.candidates = chain[0] if chain else 1
        self.rollouts = int(sum(self.sizes))

    def flat(self, value: Any, name: str, texts: bool = False) -> np.ndarray:
        """An array with the rollouts as its first axis, group by group. texts: lists are of texts or of
        whole numbers, and stay what they are: numpy would write numbers beside texts as texts."""

        def array_of(part: Any) -> np.ndarray:
            plain = _plain(part)
            return np.asarray(plain, dtype=object if texts and isinstance(plain, (list, tuple)) else None)

        if self.ragged:
            sizes = [len(g) if np.ndim(_plain(g)) else "one number" for g in value]
            if sizes != self.sizes:
                raise ValueError(f"{name} has groups of {sizes[:8]}, want {self.sizes}, as {self.name} has")
            array = np.concatenate([array_of(g) for g in value])
        else:
            array = array_of(value)
            if self.order is None:
                if array.shape[:2] != self.shape:
                    raise ValueError(f"{name} has shape {array.shape}, want {self.shape} first")
                array = array.reshape(self.rollouts, *array.shape[2:])
        if len(array) != self.rollouts:
            raise ValueError(f"{name} is of {len(array)} rollouts, want {self.rollouts}")
        ordered: np.ndarray = array if self.order is None else array[self.order]
        return ordered

    def mask(self, mask: Any) -> np.ndarray:
        """Where each rollout has a token of its own: (rollouts, length). They may stand anywhere."""
        array = _bools(self.flat(mask, "mask"), "mask")
        if array.ndim != 2:
            raise ValueError(
                f"mask has shape {np.shape(_plain(mask))}, want an axis for tokens behind that of rollouts"
            )
        return array

    def own_tokens(self, value: Any, mask: np.ndarray, name: str) -> np.ndarray:
        """What is of the tokens that there are, one rollout behind the other."""
        array = _numbers(self.flat(value, name), "<f8", name)
        if array.shape != mask.shape:
            raise ValueError(f"{name} is of {array.shape[1:]} tokens, want {mask.shape[1:]}, as mask is")
        own: np.ndarray = array[mask]
        return own

    def back(self, found: np.ndarray) -> Any:
        """Numbers of the rollouts, shaped as what was given."""
        if self.ragged:
            parts = np.split(found, np.cumsum(self.sizes)[:-1])
            return [_as(part, g) for part, g in zip(parts, self.first, strict=True)]
        if self.order is not None:
            out = np.empty_like(found)
            out[self.order] = found
            return _as(out, self.first)
        return self._groups(found.reshape(self.shape))

    def _groups(self, out: np.ndarray) -> Any:
        """An array of groups; a list of arrays where that was given."""
        if isinstance(self.first, (list, tuple)) and all(hasattr(g, "dtype") for g in self.first):
            return [_as(part, g) for part, g in zip(out, self.first, strict=True)]
        return _as(out, self.first)

    def tokens_back(self, found: np.ndarray, mask: np.ndarray) -> Any:
        """Numbers of the tokens, shaped as the mask, with zeros where there is none."""
        out = np.zeros(mask.shape)
        out[mask] = found
        if self.ragged:
            return [_as(part, g) for part, g in zip(np.split(out, np.cumsum(self.sizes)[:-1]), self.first, strict=True)]
        if self.order is not None:
            back = np.empty_like(out)
            back[self.order] = out
            return _as(back, self.first)
        return self._groups(out.reshape(*self.shape, mask.shape[1]))


class _Message:
    """A batch, as `bench estimate --arrays` reads it."""

    def __init__(self, layout: _Layout, seed: int, step: int) -> None:
        self._layout = layout
        self.columns: dict[str, Any] = {}  # an array, or a list of texts, by the field of the batch that it is
        self.names: dict[str, str] = {}  # what a field is called by who gave it
        self.head = {
            "seed": _whole(seed, "seed"),
            "step": _whole(step, "step"),
            "sizes": layout.sizes,
            "candidates": layout.candidates,
        }

    def add(self, field: str, kind: str | None, inner: int, value: Any, name: str, of_rollouts: bool = False) -> None:
        """Adds an array of candidates or rollouts."""
        flat = self._layout.flat(value, name, texts=kind is None)
        rows = self._layout.rollouts * (1 if of_rollouts else self._layout.candidates)
        entry = flat.shape[flat.ndim - inner :] if inner else ()
        if kind == "u1":
            flat = _bools(flat, name)
        if flat.size != rows * int(np.prod(entry, dtype=int)):
            raise ValueError(f"{name} has {flat.size} entries, want {rows} times {entry or 1}")
        if kind is None and not _whole_numbers(flat):
            self.texts(field, flat.reshape(-1).tolist(), name)
        elif kind is None:
            # Only which are equal matters, and their order: numbers of any size become small ones.
            small = np.unique(flat[flat >= 0], return_inverse=True)[1]
            numbered = np.full(flat.shape, -1, dtype="<i4")
            numbered[flat >= 0] = small.reshape(-1)
            self.numbers(field, numbered.reshape(rows), name)
        elif field == "reward" and not inner:
            self.numbers(field, _numbers(flat.reshape(rows, 1), kind, name), name)
        else:
            self.numbers(field, _numbers(flat.reshape(rows, *entry), kind, name), name)

    def numbers(self, field: str, array: np.ndarray, name: str) -> None:
        """Adds an array of numbers, of the type that the field has."""
        self.columns[field], self.names[field] = array, name

    def texts(self, field: str, texts: list[Any], name: str) -> None:
        """Adds a list of texts; None is none, and so is NaN, which DataFrames have in its place."""
        texts = [None if isinstance(text, float) and text != text else text for text in texts]
        for text in texts:
            if text is not None and not isinstance(text, str):
                raise ValueError(f"{name}: {text!r} is neither a text, nor None, nor are all whole numbers")
        self.columns[field], self.names[field] = texts, name

    def of_groups(self, field: str, value: Any, name: str) -> None:
        """Adds an array with a number for each group, or a list with a text."""
        groups = len(self._layout.sizes)
        array = np.asarray(_plain(value))
        if array.shape != (groups,):
            raise ValueError(f"{name} has shape {array.shape}, want one for each of {groups} groups")
        if field == "problem":
            self.texts(field, [p if p is None else str(p) for p in array.tolist()], name)
        else:
            self.numbers(field, _numbers(array, "<f8", name), name)

    def weights(self, value: Any) -> None:
        """Adds the weights of the rewards, which are there by now."""
        array = _numbers(np.asarray(_plain(value)), "<f8", "weights")
        groups, d = len(self._layout.sizes), self.columns["reward"].shape[1] if "reward" in self.columns else 0
        if d and array.shape not in ((d,), (groups, d)):
            raise ValueError(
                f"weights has shape {array.shape}, want {(d,)} or {(groups, d)}, as rewards have components"
            )
        self.numbers("weights", array, "weights")

    def our_names(self, text: str) -> str:
        """What the program says of an array, with the name that the array has here."""
        return re.sub(r'\barray "(\w+)"', lambda m: f'array "{self.names.get(m[1]) or NAMES.get(m[1], m[1])}"', text)

    def write(self, pipe: Any) -> None:
        """Sends the batch."""
        arrays, bodies = [], []
        for field, column in self.columns.items():
            if isinstance(column, list):
                arrays.append({"name": field, "texts": column})
            else:
                arrays.append({"name": field, "shape": column.shape})
                bodies.append(column.tobytes())
        head = json.dumps({**self.head, "arrays": arrays})
        pipe.write(b"".join([head.encode(), b"\n", *bodies]))
        pipe.flush()


def _plain(value: Any) -> Any:
    """An array of numpy, for a tensor of torch; anything else as it is."""
    if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
        return (
            value.detach().cpu().numpy()
            if value.dtype != sys.modules["torch"].bfloat16
            else value.detach().cpu().float().numpy()
        )
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _check_axes(first: Any, name: str, axes: int) -> None:
    """Says what is wrong with an array of too few axes, and what would be right."""
    listed = isinstance(first, (list, tuple))
    single = [_axes(group) == 0 for group in first] if listed else []
    if all(single) and (listed or _axes(first) < 2):
        shape = (len(first),) if listed else np.shape(_plain(first))
        one = f": one group of {shape[0]} rollouts is [{name}]" if shape and shape[0] else ""
        raise ValueError(f"{name} has shape {shape}, want (groups, rollouts), or index, the group of each{one}")
    if any(single):
        raise ValueError(f"{name}: entry {single.index(True)} is one number, want a list of the group's rollouts")
    found = 1 + min(_axes(group) for group in first) if listed else _axes(first)
    if found < axes:
        raise ValueError(f"{name} has {found} axes, want (groups, rollouts) and one more for what an entry holds")


def _axes(value: Any) -> int:
    """The number of axes of an array, or of lists in one another."""
    if isinstance(value, (list, tuple)):
        return 1 + (_axes(value[0]) if value else 0)
    return int(value.ndim if hasattr(value, "ndim") else np.ndim(value))


def _numbered(index: Any) -> np.ndarray:
    """The group of each rollout as a small number, in the order of what was given. Whole numbers of any
    size and texts stay apart: numpy would make float64 of numbers above 2**63, and texts of numbers
    beside texts."""
    plain = _plain(index)
    array = np.asarray(plain, dtype=object if isinstance(plain, (list, tuple)) else None)
    if array.ndim != 1:
        raise ValueError(f"index has shape {array.shape}, want one axis, with the group of each rollout")
    if array.dtype.kind not in "iuU":
        array = array.astype(object)
        for i, group in enumerate(array):
            if not isinstance(group, str):
                array[i] = _whole(group, f"index[{i}]", "a whole number or a text")
    found = {(isinstance(group, str), group) for group in array.tolist()}
    number = {group: i for i, (_, group) in enumerate(sorted(found))}
    return np.array([number[group] for group in array.tolist()], dtype=np.int64)


def _whole(value: Any, name: str, want: str = "a whole number") -> int:
    """A whole number, however it is given; 3.0 is one."""
    try:
        number = int(value)
        if number == value:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name} is {value!r}, want {want}")


def _whole_numbers(array: np.ndarray) -> bool:
    """Whether all entries are whole numbers, of any size."""
    if array.dtype != object:
        return array.dtype.kind in "iu"
    return bool(array.size) and all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in array.flat)


def _numbers(array: np.ndarray, kind: str, name: str) -> np.ndarray:
    """An array of the type that a field has: nothing is cut off, and no text is read as a number."""
    if array.dtype.kind not in "biufO":
        raise ValueError(f"{name} holds {array.dtype.name}, want numbers")
    if kind == "<i4":
        wide = _numbers(array, "<f8", name)
        wrong = wide[~((wide == np.floor(wide)) & (np.abs(wide) < 2**31))]
        if wrong.size:
            raise ValueError(f"{name} holds {wrong.flat[0]}, want whole numbers below 2**31")
    try:
        out: np.ndarray = array.astype(kind)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds what is no number") from None
    return out


def _bools(array: np.ndarray, name: str) -> np.ndarray:
    """An array of truth values: bools, or numbers that are 0 or 1."""
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} holds what is neither true nor false: want bools, or 0 and 1")
    out: np.ndarray = array.astype(bool)
    return out


def _as(array: np.ndarray, like: Any) -> Any:
    """A tensor of the type and on the device of `like`, if that is one; else the array."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(like, torch.Tensor):
        return array
    return torch.from_numpy(np.ascontiguousarray(array)).to(
        device=like.device, dtype=like.dtype if like.is_floating_point() else torch.float64
    )
