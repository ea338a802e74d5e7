"""What a predictor is made of: the files of a model, and switches."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from teachgraph import passes
from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.io.programs import beside

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
"""What a program for use goes through, in this order."""


RUNTIME = {None: "if it gives the same", True: "true", False: "false"}
"""What a summary says of ONNX Runtime."""


class PassBuilder:
    """The passes that a program will go through, to be changed before it does.

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
        """Their names, in order."""
        return list(self._names)

    def append_pass(self, pass_type: str) -> None:
        """Add a pass at the end."""
        self._names.append(known_pass(pass_type))

    def insert_pass(self, idx: int, pass_type: str) -> None:
        """Add a pass before the one at a place."""
        self._names.insert(idx, known_pass(pass_type))

    def delete_pass(self, pass_type: str) -> None:
        """Leave a pass out, if it is there; Paddle's `_pass` at the end may stand."""
        name = pass_type.removesuffix("_pass")
        self._names = [one for one in self._names if one != name]

    def clear_passes(self) -> None:
        """Leave all out."""
        self._names.clear()

    def turn_on_debug(self) -> None:
        """Nothing: `Predictor.report` says in any case what each pass did."""


def known_pass(name: str) -> str:
    """The name of a pass, with or without Paddle's `_pass` at the end.

    Raises:
        InvalidValueError: There is none.
    """
    found = str(name).removesuffix("_pass")
    if found not in passes.list():
        message = f"there is no pass {name!r}; there are {', '.join(passes.list())}"
        raise InvalidValueError(at_user_line(message))
    return found


class Config:
    """Which model, and how it is to run.

    Args:
        prog_file: The program's file, or what the model's files begin with, or a folder
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
        """The folder, if the model was given as one."""
        return str(self._program) if self.in_folder() else ""

    def in_folder(self) -> bool:
        """Whether the model is a folder of files."""
        return self._program is not None and Path(self._program).is_dir()

    def prog_file(self) -> str:
        """The program's file."""
        return "" if self._program is None else str(self.files()[0])

    def params_file(self) -> str:
        """The parameters' file."""
        return "" if self._program is None else str(self.files()[1])

    def files(self) -> tuple[Path, Path]:
        """The program's and the parameters' file.

        Raises:
            InvalidValueError: No model was chosen.
        """
        if self._program is None:
            message = "there is no model: give Config its files, or call set_model"
            raise InvalidValueError(at_user_line(message))
        program = Path(self._program)
        if program.is_dir():
            values = program / (self._values or "__params__")
            return program / "__model__", values
        if not program.is_file():
            program = beside(program, ".pdmodel")
        values = program.with_name(program.name.removesuffix(".pdmodel") + ".pdiparams")
        return program, values if self._values is None else Path(self._values)

    def switch_ir_optim(self, x: bool = True) -> None:
        """Rewrite the program before it runs, or run it as it was saved."""
        self._ir_optim = bool(x)

    def ir_optim(self) -> bool:
        """Whether the program is rewritten."""
        return self._ir_optim

    def pass_builder(self) -> PassBuilder:
        """The passes it goes through, to be changed."""
        return self._builder

    def delete_pass(self, pass_type: str) -> None:
        """Leave a pass out."""
        self._builder.delete_pass(pass_type)

    def passes(self) -> list[str]:
        """The passes that will be made."""
        return self._builder.all_passes() if self._ir_optim else []

    def enable_memory_optim(self, x: bool = True) -> None:
        """Accepted: a plan frees and reuses arrays in any case."""
        self._memory_optim = bool(x)

    def memory_optim_enabled(self) -> bool:
        """Whether that was asked for."""
        return self._memory_optim

    def set_cpu_math_library_num_threads(
        self, cpu_math_library_num_threads: int
    ) -> None:
        """How many threads ONNX Runtime may have; NumPy's library decides alone.

        By default as many as OMP_NUM_THREADS says, which NumPy's library asks too.
        """
        if int(cpu_math_library_num_threads) < 1:
            raise InvalidValueError(at_user_line("there is one thread at least"))
        self._threads = int(cpu_math_library_num_threads)

    def cpu_math_library_num_threads(self) -> int:
        """How many threads were asked for, at least 1."""
        return self._threads or 1

    def chosen_threads(self) -> int | None:
        """How many threads were asked for, None if nobody did."""
        return self._threads

    def disable_gpu(self) -> None:
        """Nothing: there is only the CPU."""

    def enable_use_gpu(self, *_: Any, **__: Any) -> None:
        """Stay on the CPU, and say so."""
        warnings.warn("there is no GPU here: it runs on the CPU", stacklevel=2)

    def use_gpu(self) -> bool:
        """False."""
        return False

    def enable_mkldnn(self) -> None:
        """Accepted: NumPy's own library makes the products."""
        self._mkldnn = True

    def disable_mkldnn(self) -> None:
        """The other way round."""
        self._mkldnn = False

    def mkldnn_enabled(self) -> bool:
        """Whether that was asked for."""
        return self._mkldnn

    def enable_onnxruntime(self) -> None:
        """Demand ONNX Runtime, from the first run on and whatever it answers.

        `onnx` and `onnxruntime` must be there: the extra `deploy`.
        """
        self._onnxruntime = True

    def disable_onnxruntime(self) -> None:
        """Let the plan run the model, always."""
        self._onnxruntime = False

    def onnxruntime_enabled(self) -> bool:
        """Whether ONNX Runtime may run the model, as it may by default."""
        return self._onnxruntime is not False

    def onnxruntime_demanded(self) -> bool:
        """Whether it must."""
        return self._onnxruntime is True

    def enable_ort_optimization(self) -> None:
        """Accepted: ONNX Runtime optimises in any case."""

    def enable_profile(self) -> None:
        """Accepted: a profiler watches from outside."""
        self._profile = True

    def profile_enabled(self) -> bool:
        """Whether that was asked for."""
        return self._profile

    def disable_glog_info(self) -> None:
        """Accepted: nothing is logged."""
        self._log = False

    def glog_info_disabled(self) -> bool:
        """Whether that was asked for."""
        return not self._log

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """Accepted: there are no such operators."""

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Accepted: inputs have names in any case."""

    def switch_ir_debug(self, x: bool = True) -> None:
        """Accepted: `Predictor.report` says in any case what each pass did."""

    def is_valid(self) -> bool:
        """Whether a model was chosen."""
        return self._program is not None

    def summary(self) -> str:
        """What is chosen, as a table."""
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
