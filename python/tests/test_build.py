"""How the package is made and installed: the source distribution, which has all that a wheel is made of, the bytes of
a wheel, and its installation without Go and without a network."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from modebench_rl._program import program

MISSING = [name for name in ("build", "hatchling") if importlib.util.find_spec(name) is None]
NUMPY = [Path(folder) for folder in os.environ.get("PIP_FIND_LINKS", "").split() if [*Path(folder).glob("numpy-*.whl")]]

needs_build = pytest.mark.skipif(bool(MISSING), reason=f"no {' and '.join(MISSING)}")
needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="no Go")


def build(what: str, folder: Path, out: Path, **settings: str) -> Path:
    """What is built of a folder, under settings of the environment."""
    command = [sys.executable, "-m", "build", f"--{what}", "--no-isolation", "--outdir", str(out), str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, **settings})
    return next(out.iterdir())


@pytest.fixture(scope="module")
def apart(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked away from the clone."""
    folder = tmp_path_factory.mktemp("apart")
    with tarfile.open(build("sdist", clone / "python", folder / "sdist")) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    return next((folder / "unpacked").iterdir())


@needs_build
@needs_go
def test_a_wheel_is_made_of_the_source_distribution_alone(clone: Path, apart: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(build("wheel", apart, tmp_path, MODEBENCH_PROGRAM=program())) as wheel:
        names = set(wheel.namelist())
    assert {"modebench_rl/_adapter/modebench.py", "modebench_rl/_adapter/modebench_verl.py"} <= names
    assert not [name for name in names if "suite" in name]
    # Every package is there, with the files that it embeds, on every platform that a wheel is for.
    files = "{{if not .Standard}}{{.ImportPath}} {{.GoFiles}} {{.SFiles}} {{.EmbedFiles}}{{end}}"

    def packages(folder: Path, system: str) -> bytes:
        on = {**os.environ, "GOOS": system, "GOARCH": "amd64", "CGO_ENABLED": "0"}
        command = ["go", "list", "-deps", "-f", files, "./cmd/bench"]
        return subprocess.run(command, check=True, cwd=folder, env=on, stdout=subprocess.PIPE).stdout

    for system in ("linux", "darwin", "windows"):
        found = packages(apart / "suite", system)
        assert found == packages(clone, system) and b"modebench/cmd/bench" in found


@needs_build
@needs_go
def test_a_wheel_has_the_same_bytes_from_any_folder_and_settings(clone: Path, apart: Path, tmp_path: Path) -> None:
    """Compiled twice, which takes a minute where Go has compiled neither before."""
    users = {"GOAMD64": "v3", "GOFLAGS": "-tags=nocuda -ldflags=-X=main.x=1", "CGO_ENABLED": "1", "GOOS": "plan9"}
    wheels = [
        build("wheel", clone / "python", tmp_path / "clone", MODEBENCH_PLATFORM="linux/amd64"),
        build("wheel", apart, tmp_path / "apart", MODEBENCH_PLATFORM="linux/amd64", **users),
    ]
    assert wheels[0].name == wheels[1].name
    assert len({hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels}) == 1


@contextlib.contextmanager
def served(wheels: list[Path], folder: Path) -> Iterator[str]:
    """The address of a "simple" index (PEP 503) of these wheels, on this machine."""
    for wheel in wheels:
        project = folder / "simple" / re.sub(r"[-_.]+", "-", wheel.name.split("-")[0])
        project.mkdir(parents=True, exist_ok=True)
        shutil.copy(wheel, project)
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Lists folders as pages of links, and prints nothing."""

    def log_message(self, *_: object) -> None:
        pass


@needs_build
@pytest.mark.skipif(not NUMPY, reason="no folder in PIP_FIND_LINKS has a wheel of numpy")
@pytest.mark.parametrize("kind", ["links", "index"])
def test_a_wheel_installs_without_go_and_without_a_network(kind: str, clone: Path, tmp_path: Path) -> None:
    wheel = build("wheel", clone / "python", tmp_path / "dist", MODEBENCH_PROGRAM=program())
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    scripts = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "MODEBENCH_"))}
    bare["PATH"] = str(scripts)

    def installed(*source: str) -> None:
        pip = [str(scripts / "python"), "-m", "pip", "--isolated", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", *source, "modebench-rl"], check=True, env=bare)
        printed = subprocess.run(
            [str(scripts / "modebench"), "run", "quick", "--figure-format", "none", "--jobs", "1"],
            check=True,
            env=bare,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
        [block] = re.findall(r"^```text\n(quick: .*?)^```", (clone / "README.md").read_text(), re.M | re.S)
        assert printed.startswith(block)
        usage = subprocess.run([str(scripts / "modebench"), "help"], check=True, env=bare, stdout=subprocess.PIPE)
        assert usage.stdout.startswith(b"modebench shows") and not re.search(rb"\bbench\b", usage.stdout)
        wrong = subprocess.run([str(scripts / "modebench"), "report", "a", "b"], env=bare, stderr=subprocess.PIPE)
        assert (wrong.returncode, wrong.stderr[:28]) == (64, b"modebench: modebench report ")
        subprocess.run([*pip, "uninstall", "--quiet", "--yes", "modebench-rl"], check=True, env=bare)
        assert not [path for path in (tmp_path / "venv").rglob("*modebench*")]

    if kind == "links":
        installed("--no-index", "--find-links", str(wheel.parent), "--find-links", str(NUMPY[0]))
        return
    with served([wheel, *NUMPY[0].glob("numpy-*.whl")], tmp_path) as address:
        installed("--index-url", address)
