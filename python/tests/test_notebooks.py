"""The notebooks run from their first cell to their last, and are kept without what they print."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_it_has_no_outputs(path: Path):
    for cell in json.loads(path.read_text())["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None, "clear all outputs before you commit"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_it_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    for library in ("ipykernel", "pandas", "matplotlib"):
        pytest.importorskip(library)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
    texts = [output["data"].get("text/plain", "") for output in last.outputs if "data" in output]
    assert texts, "the last cell shows a result"
    with capsys.disabled():
        print(f"\n{path.name}\n{texts[-1]}")
    if folder := os.environ.get("MODEBENCH_NOTEBOOKS"):
        nbformat.write(notebook, Path(folder) / path.name)
