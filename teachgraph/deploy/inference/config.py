"""`Config` of a predictor: the files of a model, and switches."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from teachgraph import passes
from teachgraph.core.errors import InvalidValueError
from teachgraph.io.prefix import with_suffix

__all__ = ["Config", "PassBuilder"]

FUSIONS = (
    "identities",
    "algebra",
    "conv_bn_fuse",
    "constant_folding",
    "parameter_folding",
    "common_subexpressions",
    "attention_fuse",
    "layer_norm",
    "fc_fuse",
    "early_slice",
    "elementwise_fusion",
    "dead_code",
)
"""The passes for an inference program, in their order."""


RUNTIME = {None: "if it gives the same", True: "true", False: "false"}
"""The words of `Config.summary` for ONNX Runtime."""


class PassBuilder:
    """A list of passes that can be edited before a predictor applies it.

    In Paddle this is `paddle.inference.PassBuilder`.

    >>> builder = PassBuilder(["identities", "fc_fuse"])
    >>> builder.delete_pass("fc_fuse")
    >>> builder.append_pass("dead_code")
    >>> builder.all_passes()
    ['identities', 'dead_code']
    """

    def __init__(self, names: Any = ()) -> None:
        self._names = [known_pass(name) for name in names]

    def all_passes(self) -> list[str]:
        """Return the names of the passes, in order."""
        return list(self._names)

    def append_pass(self, pass_type: str) -> None:
        """Add a pass at the end."""
        self._names.append(known_pass(pass_type))

    def insert_pass(self, idx: int, pass_type: str) -> None:
        """Add a pass before the one at a place."""
        self._names.insert(idx, known_pass(pass_type))

    def delete_pass(self, pass_type: str) -> None:
        """Remove a pass, if it is there; Paddle's suffix `_pass` is ignored."""
        name = pass_type.removesuffix("_pass")
        self._names = [one for one in self._names if one != name]

    def clear_passes(self) -> None:
        """Remove all passes."""
        self._names.clear()

    def turn_on_debug(self) -> None:
        """Do nothing: `Predictor.report` lists the rewrites in any case."""


def known_pass(name: str) -> str:
    """Return the name of a pass without Paddle's suffix `_pass`.

    Raises:
        InvalidValueError: There is no such pass.
    """
    own = str(name).removesuffix("_pass")
    if own not in passes.list():
        message = f"there is no pass {name!r}; there are {', '.join(passes.list())}"
        raise InvalidValueError.here(message)
    return own


class Config:
    """The files of a model, and the settings of its predictor.

    Args:
        prog_file: The program's file, or the prefix of the model's files, or a folder
            that `fluid.io.save_inference_model` wrote.
        params_file: The parameters' file, if it is not beside the program's.

    In Paddle this is `paddle.inference.Config`. Switches for other devices and
    libraries are accepted; there is one device, the CPU.

    >>> config = Config("model.pdmodel", "model.pdiparams")
    >>> config.switch_ir_optim(False)
    >>> config.ir_optim(), config.use_gpu()
    (False, False)
    """

    def __init__(self, prog_file: Any = None, params_file: Any = None) -> None:
        self._program, self._values = prog_file, params_file
        self._builder = PassBuilder(FUSIONS)
        self._ir_optim, self._memory_optim = True, True
        self._mkldnn, self._log, self._profile = False, True, False
        self._threads: int | None = None
        self._onnxruntime: bool | None = None

    def set_model(self, prog_file: Any, params_file: Any = None) -> None:
        """Choose the model."""
        self._program, self._values = prog_file, params_file

    def set_prog_file(self, prog_file: Any) -> None:
        """Choose the program's file."""
        self._program = prog_file

    def set_params_file(self, params_file: Any) -> None:
        """Choose the parameters' file."""
        self._values = params_file

    def model_dir(self) -> str:
        """Return the folder of the model, an empty string if it is no folder."""
        return str(self._program) if self.in_folder() else ""

    def in_folder(self) -> bool:
        """True if the model is a folder of files."""
        return self._program is not None and Path(self._program).is_dir()

    def prog_file(self) -> str:
        """Return the program's file."""
        return "" if self._program is None else str(self.files()[0])

    def params_file(self) -> str:
        """Return the parameters' file."""
        return "" if self._program is None else str(self.files()[1])

    def files(self) -> tuple[Path, Path]:
        """Return the program's and the parameters' file.

        Raises:
            InvalidValueError: No model was set.
        """
        if self._program is None:
            message = "there is no model: give Config its files, or call set_model"
            raise InvalidValueError.here(message)
        program = Path(self._program)
        if program.is_dir():
            values = program / (self._values or "__params__")
            return program / "__model__", values
        if not program.is_file():
            program = with_suffix(program, ".pdmodel")
        values = program.with_name(program.name.removesuffix(".pdmodel") + ".pdiparams")
        return program, values if self._values is None else Path(self._values)

    def switch_ir_optim(self, x: bool = True) -> None:
        """Rewrite the program before it runs, or run it as it was saved."""
        self._ir_optim = bool(x)

    def ir_optim(self) -> bool:
        """True if the program will be rewritten."""
        return self._ir_optim

    def pass_builder(self) -> PassBuilder:
        """Return the list of passes, which can be edited."""
        return self._builder

    def delete_pass(self, pass_type: str) -> None:
        """Remove a pass."""
        self._builder.delete_pass(pass_type)

    def passes(self) -> list[str]:
        """Return the names of the passes that will be applied."""
        return self._builder.all_passes() if self._ir_optim else []

    def enable_memory_optim(self, x: bool = True) -> None:
        """Accepted: a plan frees and reuses arrays in any case."""
        self._memory_optim = bool(x)

    def memory_optim_enabled(self) -> bool:
        """True unless `enable_memory_optim(False)` was called."""
        return self._memory_optim

    def set_cpu_math_library_num_threads(
        self, cpu_math_library_num_threads: int
    ) -> None:
        """Set the number of threads of ONNX Runtime; NumPy's library is not affected.

        The default is OMP_NUM_THREADS, which NumPy's library reads too.
        """
        if int(cpu_math_library_num_threads) < 1:
            raise InvalidValueError.here("there is one thread at least")
        self._threads = int(cpu_math_library_num_threads)

    def cpu_math_library_num_threads(self) -> int:
        """Return the number of threads that was set, 1 if none was."""
        return self._threads or 1

    def threads(self) -> int | None:
        """Return the number of threads that was set, None if none was."""
        return self._threads

    def disable_gpu(self) -> None:
        """Do nothing: there is only the CPU."""

    def enable_use_gpu(self, *_: Any, **__: Any) -> None:
        """Warn that there is only the CPU."""
        warnings.warn("there is no GPU here: it runs on the CPU", stacklevel=2)

    def use_gpu(self) -> bool:
        """Return False."""
        return False

    def enable_mkldnn(self) -> None:
        """Accepted: NumPy's library computes the products."""
        self._mkldnn = True

    def disable_mkldnn(self) -> None:
        """Undo `enable_mkldnn`."""
        self._mkldnn = False

    def mkldnn_enabled(self) -> bool:
        """True after `enable_mkldnn`."""
        return self._mkldnn

    def enable_onnxruntime(self) -> None:
        """Use ONNX Runtime from the first run on, without comparing its results.

        `onnx` and `onnxruntime` must be installed: the extra `deploy`.
        """
        self._onnxruntime = True

    def disable_onnxruntime(self) -> None:
        """Always run the plan."""
        self._onnxruntime = False

    def onnxruntime_enabled(self) -> bool:
        """True if ONNX Runtime may run the model, the default."""
        return self._onnxruntime is not False

    def onnxruntime_demanded(self) -> bool:
        """True if ONNX Runtime must run the model."""
        return self._onnxruntime is True

    def enable_ort_optimization(self) -> None:
        """Accepted: ONNX Runtime optimises in any case."""

    def enable_profile(self) -> None:
        """Accepted: a profiler watches from outside."""
        self._profile = True

    def profile_enabled(self) -> bool:
        """True after `enable_profile`."""
        return self._profile

    def disable_glog_info(self) -> None:
        """Accepted: nothing is logged."""
        self._log = False

    def glog_info_disabled(self) -> bool:
        """True after `disable_glog_info`."""
        return not self._log

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """Accepted: there are no such operators."""

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Accepted: inputs have names in any case."""

    def switch_ir_debug(self, x: bool = True) -> None:
        """Accepted: `Predictor.report` lists the rewrites in any case."""

    def is_valid(self) -> bool:
        """True if a model was set."""
        return self._program is not None

    def summary(self) -> str:
        """Return the settings as a table."""
        rows = {
            "model_file": self.prog_file() or "none",
            "params_file": self.params_file() or "none",
            "use_gpu": "false",
            "cpu_math_thread": str(self._threads or "default"),
            "enable_onnxruntime": RUNTIME[self._onnxruntime],
            "enable_mkldnn": str(self._mkldnn).lower(),
            "ir_optim": str(self._ir_optim).lower(),
            "memory_optim": str(self._memory_optim).lower(),
            "passes": ", ".join(self.passes()) or "none",
        }
        width = max(map(len, rows))
        return "\n".join(
            f"{name.ljust(width)}  {value}" for name, value in rows.items()
        )
