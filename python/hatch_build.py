"""Builds the program into the wheel, for the platform that MODEBENCH_PLATFORM names or this one, and its source
into the source distribution.

A wheel needs Go, and the clone that this folder lies in or a source distribution, which has what it needs of it in
the folder `suite`. On Linux the program needs the loader of glibc alone, to open a driver of CUDA. MODEBENCH_PROGRAM
names one that is built already."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A platform's name for Go, and the tag of its wheel. Go needs Linux 3.2, macOS 12 and Windows 10.
PLATFORMS = {
    "linux/amd64": "manylinux2014_x86_64",
    "linux/arm64": "manylinux2014_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
}

# The adapter of plug-ins has one source, which the program carries too.
ADAPTER = ("estimators/python/modebench.py", "estimators/python/modebench_verl.py")

# Its terms, and those of what the program is made of.
TERMS = ("LICENSE", "THIRD-PARTY.txt")

SUITE = "suite"  # in a source distribution: what a wheel needs of the clone

# What `go list` calls the files of a package that a program is compiled from, on any platform.
FILES = ("GoFiles", "IgnoredGoFiles", "IgnoredOtherFiles", "CgoFiles", "CFiles", "HFiles", "SFiles", "EmbedFiles")

# The settings that decide the bytes of the program, as in .ci/release: not the user's.
SETTINGS = {
    "CGO_ENABLED": "0",
    "GOFLAGS": "-trimpath -buildvcs=false",  # not empty: that would be what `go env -w` has set
    "GOAMD64": "v1",
    "GOARM64": "v8.0",
    "GOEXPERIMENT": "",
    "GOFIPS140": "off",
    "GOWORK": "off",
}


def here() -> str:
    """This platform's name for Go."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    return {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform) + "/" + machine


class ProgramHook(BuildHookInterface):
    """Compiles the program, which the wheel then carries, or gathers its source."""

    _folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles it into a folder that `finalize` removes."""
        carried = Path(self.root) / SUITE
        clone = carried if carried.is_dir() else Path(self.root).parent
        if self.target_name == "sdist":
            if clone != carried:
                for path in source(clone):
                    build_data["force_include"][str(clone / path)] = f"{SUITE}/{path}"
            return
        target = os.environ.get("MODEBENCH_PLATFORM") or here()
        if target not in PLATFORMS:
            raise ValueError(f"there is no wheel for {target}; there are {', '.join(PLATFORMS)}")
        system, architecture = target.split("/")
        name = "bench.exe" if system == "windows" else "bench"
        program = os.environ.get("MODEBENCH_PROGRAM") or self._compile(clone, name, system, architecture)
        build_data["force_include"][program] = f"modebench_rl/{name}"
        for path in ADAPTER:
            build_data["force_include"][str(clone / path)] = f"modebench_rl/_adapter/{Path(path).name}"
        for path in TERMS:
            build_data["force_include"][str(clone / path)] = f"modebench_rl/{path}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORMS[target]}"

    def _compile(self, clone: Path, name: str, system: str, architecture: str) -> str:
        self._folder = tempfile.TemporaryDirectory()
        program = str(Path(self._folder.name) / name)
        go(clone, f"{system}/{architecture}", "build", "-ldflags=-s -w", "-o", program, "./cmd/bench")
        return program

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the program, which the wheel has now."""
        if self._folder is not None:
            self._folder.cleanup()


def go(clone: Path, target: str, *args: str) -> str:
    """What Go prints for a platform."""
    system, architecture = target.split("/")
    env = {**os.environ, **SETTINGS, "GOOS": system, "GOARCH": architecture}
    try:
        return subprocess.run(["go", *args], cwd=clone, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    except FileNotFoundError:
        raise RuntimeError(
            "the program is compiled from source, for which Go has to be installed; a wheel needs none"
        ) from None


def source(clone: Path) -> list[str]:
    """The files of the clone that a wheel is made of, on any platform."""
    found = {"go.mod", "go.sum", *TERMS, *ADAPTER}
    for target in PLATFORMS:
        listed = go(clone, target, "list", "-deps", "-json=Dir,Standard,Module," + ",".join(FILES), "./cmd/bench")
        for package in _documents(listed):
            if not package.get("Standard") and package["Module"].get("Main"):
                folder = Path(package["Dir"]).relative_to(clone.resolve())
                found.update((folder / name).as_posix() for kind in FILES for name in package.get(kind, ()))
    return sorted(found)


def _documents(text: str) -> Iterator[dict[str, Any]]:
    """The JSON documents that stand one behind the other."""
    decoder, at = json.JSONDecoder(), 0
    while (at := len(text) - len(text[at:].lstrip())) < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document
