"""`ModelCheckpoint`: saves the model after epochs, and at the end."""

from __future__ import annotations

from pathlib import Path

from teachgraph.callbacks.callback import Callback, Logs

__all__ = ["ModelCheckpoint"]


class ModelCheckpoint(Callback):
    """Save parameters and the optimizer's state in a folder.

    Args:
        save_freq: The epochs from one checkpoint to the next.
        save_dir: The folder: epoch e goes to `e.pdparams` and `e.pdopt`, the state at
            the end to `final.pdparams` and `final.pdopt`. None saves nothing.

    In Paddle this is `paddle.callbacks.ModelCheckpoint`.
    """

    def __init__(self, save_freq: int = 1, save_dir: str | Path | None = None) -> None:
        super().__init__()
        self.save_freq, self.save_dir = save_freq, save_dir

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Save, if this epoch's turn has come."""
        if epoch % self.save_freq == 0:
            self.save(str(epoch))

    def on_train_end(self, logs: Logs = None) -> None:
        """Save the last state."""
        self.save("final")

    def save(self, name: str) -> None:
        """Save under a name in the folder, and say where."""
        if self.save_dir is not None:
            path = Path(self.save_dir, name).resolve()
            print(f"save checkpoint at {path}")
            self.model.save(path)
