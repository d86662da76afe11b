"""The notebooks run from their first cell to their last, and print what they are kept with.

With MODEBENCH_NOTEBOOKS=keep the notebooks are kept with what they print now."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def printed(notebook: Any) -> list[str]:
    """The texts that the cells show, without pictures, whose bytes depend on libraries."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.data.get("text/plain", "") if "data" in output else output.text for output in outputs]


def clean(notebook: Any) -> None:
    """Takes out what differs from run to run: times, and warnings with the paths of a kernel."""
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_it_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    for library in ("ipykernel", "pandas", "matplotlib"):
        pytest.importorskip(library)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    notebook = nbformat.read(path, as_version=4)
    kept = printed(notebook)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    clean(notebook)
    if os.environ.get("MODEBENCH_NOTEBOOKS") == "keep":
        nbformat.write(notebook, path)
        return
    assert kept and printed(notebook) == kept
