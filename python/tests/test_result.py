"""Results: tables, figures, comparisons, the report."""

from __future__ import annotations

from pathlib import Path

import pytest

import modebench_rl as mb


def test_tables_are_the_same_in_pandas_and_polars(quick: mb.Result) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("polars", reason="polars is not installed")
    for name in ("evals", "trains", "cells", "summary"):
        pandas, polars = getattr(quick, name)(), getattr(quick, name)("polars")
        assert list(pandas.columns) == polars.columns
        assert len(pandas) == len(polars) > 0
        for column in pandas.columns:
            for ours, theirs in zip(pandas[column].tolist(), polars[column].to_list(), strict=True):
                missing = ours != ours or ours is None
                assert (theirs is None or theirs == "") if missing else ours == theirs, (name, column)


def test_numbers_are_those_of_the_records(quick: mb.Result) -> None:
    evals = quick.evals()
    last = evals[(evals.label == "grpo") & (evals.metric == "coverage@4")].groupby("seed").last()["value"]
    summary = quick.summary()
    mean = summary[(summary.label == "grpo") & (summary.metric == "coverage@4")]["mean"].item()
    assert last.mean() == pytest.approx(mean, rel=1e-12)
    assert f"{mean:.3f}" in repr(quick)


def test_a_text_that_looks_like_a_formula(tmp_path: Path) -> None:
    spec = {
        "env": {"name": "bandit"},
        "train": {"steps": 3},
        "eval": {"every": 3},
        "method": [{"name": "grpo", "label": "-ClipHigh"}, {"name": "rloo", "label": "'quoted'"}],
    }
    result = mb.run(spec, out=tmp_path, seeds=1, progress=False)
    assert set(result.evals()["label"]) == {"-ClipHigh", "'quoted'"} == set(result.evals("polars")["label"])
    assert "<th style='text-align:left'>-ClipHigh</th>" in result._repr_html_()


def test_figures(quick: mb.Result, tmp_path: Path) -> None:
    figures = quick.plot()
    assert {f.name for f in figures} >= {"curves", "modes"}
    one = quick.plot("curves", metrics=["reward"])
    assert len(one) == 1 and len(one[0].svg) < len(figures["curves"].svg)
    assert one["curves"]._repr_png_().startswith(b"\x89PNG") and "<svg" in one["curves"]._repr_svg_()
    assert one._repr_html_().startswith("<div><svg")
    assert one[0].save(tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(ValueError, match=".svg, .png or .pdf"):
        one[0].save(tmp_path / "x.gif")
    with pytest.raises(KeyError, match="there is no figure 'curve'; there are"):
        figures["curve"]
    with pytest.raises(mb.BenchError):
        quick.plot("no such figure")


def test_html(quick: mb.Result) -> None:
    page = quick._repr_html_()
    assert page.count("<tr>") == 7 and "coverage@4" in page and "0.342 [0.286, 0.455]" in page


def test_compare(quick: mb.Result, tmp_path: Path) -> None:
    other = mb.run("quick", out=tmp_path, set={"train.lr": 0.02}, progress=False)
    comparison = quick.compare(other, metrics=["coverage@4"])
    assert {row["metric"] for row in comparison.rows} == {"coverage@4"}
    assert "coverage@4" in repr(comparison)
    assert quick.compare(quick).moved() == []
    assert len(comparison.frame()) == len(comparison.rows)


def test_report(quick: mb.Result, tmp_path: Path) -> None:
    page = quick.report(tmp_path / "page.html")
    assert page == tmp_path / "page.html" and page.read_text().startswith("<!DOCTYPE html>")


def test_a_folder_that_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(mb.InputError, match="no folder of a result"):
        mb.Result(tmp_path)


def test_two_methods_of_one_result(quick: mb.Result) -> None:
    comparison = quick.compare(old="grpo", new="poly-epo", metrics=["coverage@4"])
    (row,) = comparison.rows
    evals = quick.evals()
    last = evals[evals.metric == "coverage@4"].groupby(["label", "seed"]).last()["value"]
    assert row["old"]["variant"] == "grpo" and row["new"]["variant"] == "poly-epo"
    assert row["delta"]["mean"] == pytest.approx(last["poly-epo"].mean() - last["grpo"].mean(), abs=1e-9)
    assert "coverage@4" in comparison._repr_html_()
    with pytest.raises(ValueError, match="give another result, or two variants"):
        quick.compare(new="grpo")


def test_a_first_look_says_so_in_a_notebook(tmp_path: Path) -> None:
    spec = {"env": {"name": "bandit"}, "train": {"steps": 3}, "eval": {"every": 3}, "method": "grpo"}
    few = mb.run(spec, out=tmp_path, seeds=2, progress=False)
    assert "<p>underpowered: 2 seeds are a first look" in few._repr_html_()
    assert "after training, mean over 2 seeds: no interval of fewer than 3</caption>" in few._repr_html_()


def test_version() -> None:
    import importlib.metadata

    assert mb.__version__ == importlib.metadata.version("modebench-rl")
