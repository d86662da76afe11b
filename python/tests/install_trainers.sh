#!/usr/bin/env bash
# Makes a virtual environment with the trainers that the package is tested with, on Linux:
#
#   install_trainers.sh VENV [PYTHON]
#
# 0.9 GB are downloaded, which takes about a minute. PyTorch's wheel is the one for CUDA, without what it
# needs of NVIDIA's (see torch_without_cuda.py), and runs on the processor alone. Needs a C compiler.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
venv=$1
"${2:-python3}" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
# The versions are pinned, so there is nothing to resolve.
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps -r "$tests/requirements-trainers.txt"
"$venv/bin/python" "$tests/torch_without_cuda.py" "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
