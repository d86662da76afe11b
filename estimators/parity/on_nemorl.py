"""NeMo-RL. What the package index has of it is a name without code, and this module says so."""

import importlib.metadata
import importlib.util

PACKAGE = "nemo-rl"

if importlib.util.find_spec("nemo_rl") is None or importlib.util.find_spec("nemo_rl.algorithms") is None:
    raise ImportError(f"{PACKAGE} {importlib.metadata.version(PACKAGE)} of the package index holds no code")
