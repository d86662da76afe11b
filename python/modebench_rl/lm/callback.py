"""A callback that logs modes, for the trainers of transformers and TRL."""

from __future__ import annotations

import os
from typing import Any

from transformers import TrainerCallback

from .modelog import ModeLog


class ModeCallback(TrainerCallback):  # type: ignore[misc, unused-ignore]
    """Logs modes at every step of a transformers or TRL trainer, and at every evaluation.

    log: the log that `TRLReward` fills. On several processes, the first logs the answers of all.

    Where the trainer reports to TensorBoard or Weights & Biases (`report_to`), the numbers stand there too, below
    `modes/`: in a folder `modes` of event files, and in the active run. Where the log names others, in those."""

    def __init__(self, log: ModeLog) -> None:
        self.log = log

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Takes over where the trainer reports to."""
        targets = args.report_to if isinstance(args.report_to, (list, tuple)) else [args.report_to]
        if not state.is_world_process_zero:
            return
        if "tensorboard" in targets and self.log.tensorboard is None:
            self.log.tensorboard = f"{os.environ.get('TENSORBOARD_LOGGING_DIR') or args.output_dir}/modes"
        if "wandb" in targets and self.log.wandb is None:
            self.log.wandb = True

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._step(state, "train")

    def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._step(state, "eval")

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.log.close()

    def _step(self, state: Any, split: str) -> None:
        from torch import distributed

        if distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1:
            mine = (self.log.take(), self.log.modes)
            everyones: list[Any] = [None] * distributed.get_world_size()
            distributed.all_gather_object(everyones, mine)
            if state.is_world_process_zero:
                for pools, modes in everyones:
                    self.log.put(pools)
                    self.log.modes.update(modes)
        if state.is_world_process_zero:
            self.log.step(state.global_step, split)
