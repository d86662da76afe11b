"""The program's other commands, for methods by name and for functions of this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _program
from ._execute import execute
from ._progress import shown
from ._result import Comparison, Document, Result, figures_in
from ._run import as_flags
from ._scratch import folder as scratch
from ._spec import Function, Prepared, prepare

Method = str | Mapping[str, Any] | Function


def audit(*methods: Method, env: Mapping[str, Any] | None = None, **flags: Any) -> Document:
    """How good the steps of methods are: bias, variance, and what they climb.

        mb.audit("grpo", {"name": "poly-epo", "n": 2}, mine, groups=[4, 8])

    methods: names, dicts as a spec has them, and functions. Without one: every method that trains.
    env: fields of the bandit. flags: groups, problems, outcomes, samples, seed, jobs, as `modebench help
    audit` has them. The answer has a row for every method and group size, and two figures."""
    with scratch() as folder:
        args = ["audit", *as_flags(flags)]
        prepared = Prepared("", {}, {}, "")
        if methods or env:
            prepared = prepare({"env": {"name": "bandit", **(env or {})}, "method": list(methods)}, (), "audit", folder)
            args += ["--spec", prepared.argument]
        out = folder / "out"
        text = execute([*args, "--out", str(out), "--figure-format", "svg,png,pdf"], prepared).output
        document = json.loads((out / "audit.json").read_text(encoding="utf-8"))
        text, _, _ = text.rpartition("\n\nrecord:")  # files that go with the folder
        return Document(text, document, document["rows"], figures_in(out))


def board(*methods: Method, policy: str = "tabular", **options: Any) -> Document:
    """The published board; its rows of some methods; or where a method of yours stands on it.

        mb.board()                                # the whole table
        mb.board("poly-epo", "vpo")               # rows of it
        mb.board(mine, out="results")             # a function of yours, or a dict as a spec has it: minutes
        mb.board({"name": "pkpo"}, tune={"knob": "k", "values": [2, 4, 8]})

    policy: "tabular" or "transformer". options, of a method of yours alone: tune, out, cache, jobs, tasks
    (some tasks alone), source (a folder of results in place of the published ones) and progress, as `run` has
    it. The answer has a row for each method, or one."""
    return _placed("board", methods, {"policy": policy}, options)


def profile(*methods: Method, **options: Any) -> Document:
    """What methods are capable of: the profiles that come with the program, or that of a method of yours.

    methods and options: as of `board`, with capabilities (some alone) in place of tasks."""
    return _placed("profile", methods, {}, options)


def _placed(command: str, methods: tuple[Method, ...], flags: Mapping[str, Any], options: dict[str, Any]) -> Document:
    own = [m for m in methods if not isinstance(m, str)]
    if own and len(methods) > 1:
        raise ValueError(f"{command} places one method of yours at a time, and takes names of methods without it")
    if not own:
        if options:
            raise TypeError(f"{', '.join(options)}: for a method of yours alone, a function or a dict")
        names = [str(m) for m in methods]
        args = [command, *as_flags(flags), "--from", "published"]
        args += ["--methods", ",".join(names)] if names and command == "board" else names
        table = _program.call(args).decode()
        document = json.loads(_program.call([*args, "--format", "json"]))
        return Document(table, document, document["methods"])
    show, tune = shown(options.pop("progress", True)), options.pop("tune", None)
    options = {"from" if name == "source" else name: value for name, value in options.items()}
    args = [command, "add", *as_flags({**flags, **options})]
    with scratch() as folder:
        tables: dict[str, Any] = {"method": own, **({"tune": dict(tune)} if tune else {})}
        prepared = prepare(tables, (), None, folder)
        args.insert(2, prepared.argument)
        document = json.loads(execute([*args, "--format", "json"], prepared, show).output)
        rows = document["methods"] if command == "profile" else [document]
        return Document(execute(args, prepared).output, document, rows)


def claims(*specs: str | Path, progress: bool | Callable[[Mapping[str, Any]], None] = True, **flags: Any) -> Document:
    """Runs specs and answers their claims: supported, opposed, no difference, mixed or undecided.

    specs: names of built-in specs, or files. flags: out, seeds, jobs, policy, device, cache, as `modebench
    help claims` has them. The answer has a row for every claim."""
    if not specs:
        raise ValueError("claims takes specs: all of the built-in ones take half an hour (modebench list specs)")
    args = ["claims", *map(str, specs), *as_flags(flags)]
    none = Prepared("", {}, {}, "")
    rows = json.loads(execute([*args, "--format", "json"], none, shown(progress)).output)
    return Document(execute(args, none).output, rows, rows)


def compare(old: Result | str | Path, new: Result | str | Path, *, metrics: Iterable[str] = ()) -> Comparison:
    """What is different in the new result: `Result.compare` of the old one, for folders too."""
    old = old if isinstance(old, Result) else Result(old)
    return old.compare(new, metrics=list(metrics))


def import_log(*files: str | Path, **flags: Any) -> Result:
    """Judges the completions in logs of training, and gives them as a result.

        mb.import_log("base.jsonl", "trained.jsonl", name="my-model")

    flags: out, name, log, env, split, count, index, field, reading, as_, k, samples, answers, embeddings,
    candidates, stops, weights and set, as `modebench help import` has them; field={"text": "output"} names the
    field that holds the text."""
    named = {name.removesuffix("_"): value for name, value in flags.items()}
    printed = _program.call(["import", *map(str, files), *as_flags(named), "--figure-format", "none"]).decode()
    table = printed.rstrip().splitlines()[-1].partition(":")[2].strip()
    return Result(Path(table).parent)


def show(result: Result | str | Path, *metrics: str) -> Document:
    """How metrics of a result went, as lines of text, and where they ended."""
    folder = str(result.folder if isinstance(result, Result) else result)
    args = ["show", folder, *as_flags({"metric": metrics or None})]
    return Document(_program.call(args).decode(), {}, [])
