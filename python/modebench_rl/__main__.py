"""`python -m modebench_rl FILE.py` serves an advantage estimator to modebench."""

from __future__ import annotations

import sys

from ._estimators import adapter

# A file may import the adapter under its old name, and the adapter its stand-ins of verl.
sys.modules.setdefault("modebench", adapter())
adapter().main()
