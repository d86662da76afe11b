"""Specs: a built-in one, a file, or a dict; with functions among its methods."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _program
from ._callback import COMMAND, said
from ._estimators import name_of, source_of

Function = Callable[..., Any]


class Prepared:
    """A spec that the program can be given.

    argument: a name or a path. functions: those that it calls. files: what lies beside the spec, by
    name: the sources of the functions, which name their cells. given: what the user calls the spec.
    own: the first lines of it that the user wrote."""

    def __init__(
        self, argument: str, functions: dict[str, Function], files: dict[str, str], given: str, own: int = 0
    ) -> None:
        self.argument, self.functions, self.files, self.given, self.own = argument, functions, files, given, own
        for name, text in files.items():
            Path(argument).with_name(name).write_text(text, encoding="utf-8")

    def said(self, message: str) -> str:
        """A message of the program in terms of what was given: the made file is gone when somebody reads it."""
        if self.given != self.argument:
            made = Path(self.argument)
            message = message.replace(str(made.parent) + os.sep, "")
            message = re.sub(rf"(?<![\w.-]){re.escape(made.name)}:(\d+)", lambda m: self._place(int(m[1])), message)
        return said(message)

    def _place(self, line: int) -> str:
        """A line of the made file: the same of what was given, or the table that it is in."""
        if line <= self.own:
            return f"{self.given}:{line}"
        lines = Path(self.argument).read_text(encoding="utf-8").splitlines()[:line]
        tables = [text for text in lines if text.startswith("[")]
        if not tables:
            return f"spec {self.given}"
        number = f" {tables.count(tables[-1])}" if tables[-1].startswith("[[") else ""
        return f"spec {self.given}, {tables[-1].strip('[]')}{number}"


def prepare(spec: Any, estimators: Function | Iterable[Function], name: str | None, folder: Path) -> Prepared:
    """Makes a spec that the program can be given. What has to be written for it goes into the folder.

    spec: the name of a built-in spec, the path of a file, or a dict with the tables of a spec. Among
    a dict's methods may be functions, and dicts whose "name" is one. estimators: functions to run
    beside the spec's own methods."""
    if not callable(estimators) and (isinstance(estimators, str) or not isinstance(estimators, Iterable)):
        raise _program.InputError(f"estimators is {estimators!r}: want a function, or a list of functions", 64)
    estimators = [estimators] if callable(estimators) else list(estimators)
    for function in estimators:
        if not callable(function):
            raise _program.InputError(f"estimators holds {function!r}: want functions", 64)
    if isinstance(spec, Mapping):
        tables = dict(spec)
        own = tables.pop("name", None)
        functions: dict[str, Function] = {}
        methods = [*_list(tables.get("method", [])), *estimators]
        tables["method"] = [_method(m, functions) for m in methods]
        if "figure" in tables:
            tables["figure"] = [_shown_in(f, [name_of(e) for e in estimators]) for f in _list(tables["figure"])]
        path = folder / f"{name or own or 'experiment'}.toml"
        path.write_text(_toml(tables), encoding="utf-8")
        return Prepared(str(path), functions, sources(functions), path.stem)
    if not isinstance(spec, (str, Path)):
        raise _program.InputError(f"a spec is a name, a path or a dict, got {type(spec).__name__}", 64)
    if not estimators:
        return Prepared(str(spec), {}, {}, str(spec), sys.maxsize)
    functions = {}
    added = "".join("\n" + _toml({"method": [_method(f, functions)]}) for f in estimators)
    path = Path(spec)
    if path.suffix == ".toml":
        text, stem = path.read_text(encoding="utf-8"), path.stem
        if re.search(r"^\s*(command|files)\s*=", text, re.MULTILINE):
            raise _program.InputError(
                f"{path} has plug-ins, whose files are beside it: name your function's file there too", 64
            )
    else:
        text, stem = _program.call(["list", "specs", str(spec)]).decode(), str(spec)
    own = text.count("\n") if path.suffix == ".toml" else 0
    out = folder / f"{name or '-'.join([stem, *functions])}.toml"
    out.write_text(_shown_too(text, functions) + added, encoding="utf-8")
    return Prepared(str(out), functions, sources(functions), str(spec), own)


def _shown_in(figure: Mapping[str, Any], functions: list[str]) -> dict[str, Any]:
    """A figure that has these functions' methods too, where it is of some methods."""
    where = figure.get("where", {})
    if "method" in where:
        where = {**where, "method": [*_list(where["method"]), *functions]}
    return {**figure, **({"where": where} if where else {})}


def _shown_too(text: str, functions: Iterable[str]) -> str:
    """The text of a spec whose figures of some methods have these functions' methods too."""
    more = "".join(f', "{name}"' for name in functions)
    return re.sub(r"^(where = .*\bmethod = \[[^\]]*)\]", rf"\1{more}]", text, flags=re.MULTILINE)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _method(method: Any, functions: dict[str, Function]) -> dict[str, Any]:
    """The table of a method; a function among them is noted."""
    table = {"name": method} if callable(method) or isinstance(method, str) else dict(method)
    function = table.get("name")
    if not callable(function):
        return table
    name = name_of(function)
    if not re.fullmatch(r"\w+", name):
        raise _program.InputError(f"an estimator needs a name, and this one is {name!r}: define it with def", 64)
    if functions.setdefault(name, function) is not function:
        raise _program.InputError(f"two estimators are named {name}", 64)
    return {
        **table,
        "name": "plugin",
        "label": table.get("label", name),
        "command": [COMMAND, name],
        "files": [f"{name}.py"],
    }


def sources(functions: Mapping[str, Function]) -> dict[str, str]:
    """What each function is made of, by the name of its file."""
    return {f"{name}.py": source_of(function) for name, function in functions.items()}


def _toml(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    """A dict as TOML: its values, then its tables, then its lists of tables."""
    values, tables = [], []
    for key, value in table.items():
        at = (*path, _key(key))
        if isinstance(value, Mapping):
            tables.append(f"\n[{'.'.join(at)}]\n{_toml(value, at)}")
        elif isinstance(value, (list, tuple)) and value and all(isinstance(v, Mapping) for v in value):
            tables.extend(f"\n[[{'.'.join(at)}]]\n{_toml(v, at)}" for v in value)
        else:
            values.append(f"{_key(key)} = {_value(value, '.'.join(at))}\n")
    return "".join(values + tables)


def _key(key: Any) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", str(key)) else json.dumps(str(key))


def _value(value: Any, at: str) -> str:
    if hasattr(value, "item") and not isinstance(value, (bool, int, float, str)):
        value = value.tolist()  # a number or an array of numpy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _program.InputError(f"{at} is {value}, want a finite number", 64)
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v, at) for v in value) + "]"
    raise _program.InputError(f"{at} is a {type(value).__name__}, which no field of a spec is", 64)
