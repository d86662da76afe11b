"""The source distribution: all that a wheel is made of. It is not compiled here, which takes minutes."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from modebench_rl._program import program

MISSING = [name for name in ("build", "hatchling") if importlib.util.find_spec(name) is None]


@pytest.mark.skipif(bool(MISSING) or shutil.which("go") is None, reason=f"no Go, or no {' and '.join(MISSING)}")
def test_a_wheel_is_made_of_the_source_distribution_alone(clone: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "MODEBENCH_PROGRAM": program()}

    def build(what: str, folder: Path) -> Path:
        out = tmp_path / what
        command = [sys.executable, "-m", "build", f"--{what}", "--no-isolation", "--outdir", str(out), str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
        return next(out.iterdir())

    with tarfile.open(build("sdist", clone / "python")) as archive:
        archive.extractall(tmp_path / "apart", filter="data")
    apart = next((tmp_path / "apart").iterdir())
    with zipfile.ZipFile(build("wheel", apart)) as wheel:
        names = set(wheel.namelist())
    assert {"modebench_rl/_adapter/modebench.py", "modebench_rl/_adapter/modebench_verl.py"} <= names
    assert not [name for name in names if "suite" in name]
    # Every package is there, with the files that it embeds, on every platform that a wheel is for.
    files = "{{if not .Standard}}{{.ImportPath}} {{.GoFiles}} {{.SFiles}} {{.EmbedFiles}}{{end}}"

    def packages(folder: Path, system: str) -> bytes:
        on = {**environment, "GOOS": system, "GOARCH": "amd64", "CGO_ENABLED": "0"}
        command = ["go", "list", "-deps", "-f", files, "./cmd/bench"]
        return subprocess.run(command, check=True, cwd=folder, env=on, stdout=subprocess.PIPE).stdout

    for system in ("linux", "darwin", "windows"):
        found = packages(apart / "suite", system)
        assert found == packages(clone, system) and b"modebench/cmd/bench" in found
