"""Builds the program into the wheel, for the platform that MODEBENCH_PLATFORM names or this one.

It needs Go and the whole clone: the folder above this one. On Linux the program needs the loader of glibc
alone, to open a driver of CUDA. MODEBENCH_PROGRAM names one that is built already."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
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


def here() -> str:
    """This platform's name for Go."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    return {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform) + "/" + machine


class ProgramHook(BuildHookInterface):
    """Compiles the program, which the wheel then carries."""

    _folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles it into a folder that `finalize` removes."""
        target = os.environ.get("MODEBENCH_PLATFORM") or here()
        if target not in PLATFORMS:
            raise ValueError(f"there is no wheel for {target}; there are {', '.join(PLATFORMS)}")
        system, architecture = target.split("/")
        name = "bench.exe" if system == "windows" else "bench"
        program = os.environ.get("MODEBENCH_PROGRAM") or self._compile(name, system, architecture)
        build_data["force_include"][program] = f"modebench_rl/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORMS[target]}"

    def _compile(self, name: str, system: str, architecture: str) -> str:
        self._folder = tempfile.TemporaryDirectory()
        program = str(Path(self._folder.name) / name)
        clone = Path(self.root).parent
        go = {**os.environ, "GOOS": system, "GOARCH": architecture, "CGO_ENABLED": "0"}
        try:
            subprocess.run(
                ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/bench"],
                cwd=clone,
                env=go,
                check=True,
            )
        except FileNotFoundError:
            raise RuntimeError(
                "the program is compiled from source, for which Go has to be installed; a wheel needs none"
            ) from None
        return program

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the program, which the wheel has now."""
        if self._folder is not None:
            self._folder.cleanup()
