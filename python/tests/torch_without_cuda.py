#!/usr/bin/env python3
"""Lets PyTorch start on a machine that has neither a GPU nor NVIDIA's libraries.

    pip install --no-deps torch==2.15.0
    python torch_without_cuda.py FOLDER      # of site-packages

The wheel of the Python package index is built for CUDA, and asks for gigabytes of libraries of which a
processor runs nothing. In their place it gets one small library that has all the functions that PyTorch
refers to. They answer as where there is no device. Needs Linux, a C compiler, nm and readelf.
"""

from __future__ import annotations

import collections
import re
import subprocess
import sys
from pathlib import Path

# "No CUDA-capable device is detected", from whatever is called. What gives text or writes an answer has to give one.
CODE = """
long none(void) { return 100; }
const char *cudaGetErrorString(int code) { return "no CUDA libraries are installed"; }
const char *cudaGetErrorName(int code) { return "cudaErrorNoDevice"; }
int cudaStreamIsCapturing(void *stream, int *capturing) { *capturing = 0; return 0; }
"""
WRITTEN = {"cudaGetErrorString", "cudaGetErrorName", "cudaStreamIsCapturing"}


def output(*command: str | Path) -> str:
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def main() -> None:
    lib = Path(sys.argv[1]) / "torch" / "lib"
    libraries: set[str] = set()
    functions: dict[str, set[str]] = collections.defaultdict(set)  # by the version of the library they are of
    for file in lib.glob("*.so*"):
        if file.is_symlink() or file.name == "libnone.so":
            continue  # made by an earlier run
        libraries |= set(re.findall(r"NEEDED.*\[(lib(?:cu|nv|nccl)[^\]]*)\]", output("readelf", "-dW", file)))
        undefined = output("nm", "-D", "--undefined-only", file)
        for name, version in re.findall(r" [Uw] ((?:__)?(?:cu|nccl|nv)\w+)(?:@@?(\S+))?", undefined):
            functions[version].add(name)
    if not libraries:
        return  # a build for the processor
    aliases = "".join(
        f'long {name}(void) __attribute__((alias("none")));\n'
        for name in sorted(set().union(*functions.values()) - WRITTEN)
    )
    versions = "".join(
        f"{version} {{ global: {' '.join(f'{n};' for n in sorted(names))} }};\n"
        for version, names in functions.items()
        if version
    )
    (lib / "none.c").write_text(CODE + aliases)
    (lib / "none.map").write_text(versions)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-w", "-o", lib / "libnone.so", lib / "none.c",
         f"-Wl,--version-script={lib / 'none.map'}"],
        check=True,
    )  # fmt: skip
    for name in libraries:
        (lib / name).unlink(missing_ok=True)
        (lib / name).symlink_to("libnone.so")


if __name__ == "__main__":
    main()
