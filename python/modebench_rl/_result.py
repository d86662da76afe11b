"""What a run left behind: records as DataFrames, figures, comparisons and the report."""

from __future__ import annotations

import csv
import html
import json
from pathlib import Path
from typing import Any

from . import _program
from ._scratch import folder as scratch

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # before a text that begins so, CSV has an apostrophe


class Result:
    """The folder of an experiment, as `run` or `modebench run` leaves it.

    folder: where its manifest is, such as results/quick."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / "run.json").is_file():
            raise _program.InputError(f"{self.folder} is no folder of a result: there is no run.json in it", 3)

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.folder.name

    def evals(self, frame: str = "pandas") -> Any:
        """A row for every metric of every evaluation: label, seed, step, metric, value.

        frame: "pandas" or "polars"."""
        return self._table("evals", frame)

    def trains(self, frame: str = "pandas") -> Any:
        """A row for every training record: label, seed, step, reward, entropy, loss and others."""
        return self._table("trains", frame)

    def cells(self, frame: str = "pandas") -> Any:
        """A row for every cell: label, seed, all parameters, and the metrics at the end."""
        return self._table("cells", frame)

    def summary(self, frame: str = "pandas") -> Any:
        """A row for every variant and column of the table: mean over seeds, with its 95% interval."""
        return self._table("summary", frame)

    def _table(self, name: str, frame: str) -> Any:
        if frame not in ("pandas", "polars"):
            raise ValueError(f"frame is {frame!r}, want 'pandas' or 'polars'")
        kind = "csv" if frame == "pandas" else "parquet"
        with scratch() as folder:
            if frame == "polars":
                import polars

                return polars.read_parquet(self._export(name, kind, folder))
            return _pandas(self._export(name, kind, folder))

    def _export(self, name: str, kind: str, folder: Path) -> Path:
        _program.call(["export", str(self.folder), "--what", name, "--format", kind, "--out", str(folder)])
        return folder / f"{name}.{kind}"

    def plot(self, *figures: str, metrics: tuple[str, ...] | list[str] = ()) -> Figures:
        """The figures of the spec, or those of these names. All of them get the metrics in place of their own:
        name those that take them."""
        with scratch() as folder:
            args = ["plot", str(self.folder), "--out", str(folder), "--figure-format", "svg,png,pdf"]
            for name in figures:
                args += ["--figure", name]
            if metrics:
                args += ["--set", "figure.metrics=" + json.dumps(list(metrics))]
            _program.call(args)
            return figures_in(folder)

    def compare(
        self,
        other: Result | str | Path | None = None,
        *,
        old: str | None = None,
        new: str | None = None,
        metrics: tuple[str, ...] | list[str] = (),
    ) -> Comparison:
        """What is different in the other result: it is the new one, and this one the old.

            result.compare(earlier)                      # variants with the same label
            result.compare(old="grpo", new="mine")       # two methods of one result

        old, new: compare this variant, or method, of this result with that of the other one."""
        if other is None and (old is None or new is None):
            raise ValueError("give another result, or two variants of this one: compare(old='grpo', new='mine')")
        args = ["compare", _side(self, old), _side(self if other is None else other, new)]
        for metric in metrics:
            args += ["--metric", metric]
        document = json.loads(_program.call([*args, "--format", "json"]))
        return Comparison(_program.call(args).decode(), document, document["rows"])

    def report(self, path: str | Path | None = None) -> Path:
        """Writes one HTML page with everything, by default report.html in the result's folder."""
        page = Path(path) if path is not None else self.folder / "report.html"
        _program.call(["report", str(self.folder), "--out", str(page)])
        return page

    def __repr__(self) -> str:
        return (self.folder / "summary.txt").read_text(encoding="utf-8").rstrip()

    def _repr_html_(self) -> str:
        with scratch() as folder:
            with self._export("summary", "csv", folder).open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        labels, columns = list(dict.fromkeys(r["label"] for r in rows)), list(dict.fromkeys(r["metric"] for r in rows))
        cell = {(r["label"], r["metric"]): _interval(r) for r in rows}
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        body = "".join(
            f"<tr><th style='text-align:left'>{html.escape(_plain(label))}</th>"
            + "".join(f"<td>{cell.get((label, column), '')}</td>" for column in columns)
            + "</tr>"
            for label in labels
        )
        _, note, *more = repr(self).partition("\n\n")[0].splitlines()  # what stands above the table
        return (
            f"<table><caption>{html.escape(f'{self.name}: {note}')}</caption>"
            f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
            + "".join(f"<p>{html.escape(line)}</p>" for line in more)
        )


def _side(result: Result | str | Path, label: str | None) -> str:
    folder = str(result.folder if isinstance(result, Result) else result)
    return folder if label is None else f"{folder}:{label}"


def _interval(row: dict[str, str]) -> str:
    if not row["mean"]:
        return ""
    text = f"{float(row['mean']):.3f}"
    return text if not row["low"] else f"{text} [{float(row['low']):.3f}, {float(row['high']):.3f}]"


def _plain(text: str) -> str:
    """A text of CSV without the apostrophe that keeps a spreadsheet from reading it as a formula."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text


def _pandas(path: Path) -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("DataFrames need pandas, or polars with frame='polars': pip install pandas") from None
    exact = {} if int(pandas.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
    frame = pandas.read_csv(path, **exact)
    for column in frame.columns:
        if not pandas.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].map(lambda x: _plain(x) if isinstance(x, str) else x)
    return frame


class Figure:
    """One figure: `svg` as text, `png` and `pdf` as bytes. A notebook shows it."""

    def __init__(self, name: str, svg: str, png: bytes, pdf: bytes) -> None:
        self.name, self.svg, self.png, self.pdf = name, svg, png, pdf

    def save(self, path: str | Path) -> Path:
        """Writes it, in the format that the name ends in."""
        path = Path(path)
        data = {".svg": self.svg.encode(), ".png": self.png, ".pdf": self.pdf}.get(path.suffix)
        if data is None:
            raise ValueError(f"{path}: want a name that ends in .svg, .png or .pdf")
        path.write_bytes(data)
        return path

    def __repr__(self) -> str:
        return f"<figure {self.name}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_png_(self) -> bytes:
        return self.png


class Figures(tuple[Figure, ...]):
    """Several figures, by their number or name. A notebook shows them all."""

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for figure in self:
            if figure.name == key:
                return figure
        raise KeyError(f"there is no figure {key!r}; there are {', '.join(f.name for f in self)}")

    def _repr_html_(self) -> str:
        return "".join(f"<div>{figure.svg[figure.svg.index('<svg') :]}</div>" for figure in self)


def figures_in(folder: Path) -> Figures:
    """The figures that a folder has as .svg, .png and .pdf."""
    return Figures(
        Figure(
            path.stem,
            path.read_text(encoding="utf-8"),
            path.with_suffix(".png").read_bytes(),
            path.with_suffix(".pdf").read_bytes(),
        )
        for path in sorted(folder.glob("*.svg"), key=lambda path: path.stem)
    )


class Document:
    """What a command of the program prints, as text and as numbers.

    document: what it prints as JSON. rows: a dict for each row. figures: those that it draws."""

    def __init__(self, text: str, document: Any, rows: list[dict[str, Any]], figures: Figures | None = None) -> None:
        self._text, self.document, self.rows = text, document, rows
        self.figures = figures if figures is not None else Figures()

    def frame(self) -> Any:
        """The rows as a DataFrame of pandas."""
        import pandas

        return pandas.json_normalize(self.rows)

    def __repr__(self) -> str:
        return self._text.rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


class Comparison(Document):
    """What moved between two results: a row for each variant and metric."""

    def moved(self) -> list[dict[str, Any]]:
        """The rows whose difference is more than chance."""
        return [row for row in self.rows if row["verdict"] == "moved"]
