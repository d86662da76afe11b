#!/usr/bin/env bash
# PyTorch beside package transformer, on the same shapes and the same threads:
# times, ratios and shares of the processor's peak. A few minutes on an idle
# machine; arguments are those of benchmark.py (--help). Needs Go and Debian's
# python3-torch and libopenblas0-openmp; PYTHON names another interpreter.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-/usr/bin/python3}

# OpenBLAS may take a new or virtual processor for an old one. Kernels for
# Skylake-X use AVX-512, which Zen 4 has too; those for Zen are AVX2.
if [ -z "${OPENBLAS_CORETYPE:-}" ]; then
	if grep -qw avx512f /proc/cpuinfo; then
		OPENBLAS_CORETYPE=SKYLAKEX
	elif grep -q AuthenticAMD /proc/cpuinfo && grep -qw avx2 /proc/cpuinfo; then
		OPENBLAS_CORETYPE=ZEN
	elif grep -qw avx2 /proc/cpuinfo; then
		OPENBLAS_CORETYPE=HASWELL
	fi
	[ -z "${OPENBLAS_CORETYPE:-}" ] || export OPENBLAS_CORETYPE
fi

# PyTorch runs OpenMP threads of its own; a BLAS with threads of another kind
# would fight them for the cores.
for folder in /usr/lib/*-linux-gnu/openblas-openmp; do
	[ -d "$folder" ] && export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done

# Large tensors come from a heap that is kept, not from fresh pages each time.
export MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=4294967296
export PYTHONDONTWRITEBYTECODE=1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" benchmark.py --scratch "$scratch" "$@"
