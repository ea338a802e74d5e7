"""Run examples from Paddle's own docstrings on Paddle and here, and compare.

    python -m tests.oracle.examples [COUNT] [SEED]

By default a hundred, drawn by the number of commits, from the docstrings of the Paddle
in `.cache/paddle` (`make oracle`) or `PADDLE_PYTHON`. No example is kept here: each is
read from that installation and run there and here, in a process of its own. What both
print is compared, numbers but for rounding, but not numbers that are drawn at random.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import io
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
PADDLE = Path(os.environ.get("PADDLE_PYTHON", ROOT / ".cache/paddle/bin/python"))
MODULES = (
    "paddle",
    "paddle.Tensor",
    "paddle.nn",
    "paddle.nn.functional",
    "paddle.nn.initializer",
    "paddle.nn.utils",
    "paddle.static",
    "paddle.static.nn",
    "paddle.jit",
    "paddle.optimizer",
    "paddle.optimizer.lr",
    "paddle.io",
    "paddle.autograd",
    "paddle.linalg",
    "paddle.metric",
    "paddle.regularizer",
    "paddle.callbacks",
    "paddle.device",
    "paddle.utils",
    "paddle.utils.dlpack",
    "paddle.distribution",
    "paddle.vision",
    "paddle.vision.transforms",
    "paddle.vision.models",
    "paddle.vision.ops",
    "paddle.vision.datasets",
)
SECONDS = 30
OK = "ok"

REFUSALS = {
    "left out for a reason that is told": r"which paddle(?:\.\w+)* has: ",
    "a label that is no class is refused": r"labels must be >= 0 and < 5",
    "levels of detail": r"lod_level: sequences are padded here",
    "complex numbers": r"of complex(?:64|128); give|nothing can be computed with \S+j",
    "half precision": r"data type 'b?float16' not understood",
    "names that Paddle itself hides": r"has no attribute '(?:_helper|_is_pil_image)'",
    "layers compute in floats": r"a layer computes in floats",
    "a switch of names gives the generator": r"not enough values to unpack",
}
"""Why an example may be refused here, by the error that says so."""

PRINTS = {
    "messages of protocol buffers": r"(?:Program|Variable)\.to_string$",
    "a clone of many operators: their attributes": r"static\.Program\.clone$",
    "a program of two bytes": r"Program\.parse_from_string$",
    "a summary is a table": r"\.(?:summary|flops)$",
    "`data` is the array": r"\.Tensor\.data$",
    "a type is its name": r"\.Tensor\.type$",
    "recording is a switch of both modes": r"paddle\.is_grad_enabled$",
    "Paddle's own threads have a word to say": r"\.HSigmoidLoss$",
    "a handle tells whether it removed a hook": r"\.register_forward_\w+_hook$",
    "as many lines as random numbers have it": r"\.(?:ReduceOnPlateau|LBFGS)\b",
    "gradients of rows are dense": r"static\.Variable\.gradient$",
    "gradients of leaves want gradients": r"autograd\.PyLayer$",
    "nothing is printed but what was asked for": r"utils\.run_check$",
    "Paddle leaves half of the divergence out": r"\.Geometric\.kl_divergence$",
    "images are arrays": r"vision\.get_image_backend$",
}
"""Why an example that runs may print something else here, by its name."""

MACHINERY = re.compile(
    r"(?:, )?(?:op_device|op_role_var|with_quant_attr|multi_precision|lazy_mode|seed"
    r"|diag_(?:num|step|val)|force_cpu|place_type|str_value|use_global_beta_pow|dtype"
    r"|min_row_size_to_use_multithread|in_dtype|out_dtype) = (?:\[\]|[^,)\]}]*)"
    r"|\b[A-Z]\w*=\[\](?:, )?"
)
"""Attributes and empty slots of operators that only Paddle's own kernels read."""

RANDOM = re.compile(
    r"rand|seed|normal|uniform|bernoulli|[dD]ropout|shuffle|Linear|Conv|nn\.|LSTM|GRU|fc\("
    r"|poisson|multinomial|empty|rrelu|Embedding|create_parameter|gumbel"
)
NUMBER = re.compile(
    r"-?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+(?:e[+-]?\d+)?|\.\d+|\binf\b|\bnan\b)",
    re.IGNORECASE,
)


class Outcome(NamedTuple):
    """How a run ended ("ok", or the error) and what it printed."""

    status: str
    printed: str


def examples() -> dict[str, str]:
    """The examples in the docstrings of the Paddle that is installed, by name."""
    parser = doctest.DocTestParser()
    found: dict[str, str] = {}
    for name, value in documented():
        text = inspect.getdoc(value) if isinstance(value.__doc__, str) else None
        try:
            parts = parser.get_examples(text or "")
        except ValueError:
            continue
        source = "".join(part.source for part in parts)
        if source and source not in found.values():
            found[name] = source
    return found


def documented() -> Iterator[tuple[str, Any]]:
    """The public functions and classes, and the public methods of these."""
    for module in MODULES:
        parent, _, last = module.rpartition(".")
        room = getattr(importlib.import_module(parent), last) if parent else None
        room = importlib.import_module(module) if room is None else room
        public = [name for name in dir(room) if not name.startswith("_")]
        for name in getattr(room, "__all__", None) or public:
            value = getattr(room, name, None)
            if value is None or inspect.ismodule(value):
                continue
            yield f"{module}.{name}", value
            if inspect.isclass(value):
                for key, method in vars(value).items():
                    if callable(method) and not key.startswith("_"):
                        yield f"{module}.{name}.{key}", method


class Alias:
    """Finds our modules where `paddle` is imported."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Take charge of `paddle` and what is in it."""
        known = name.partition(".")[0] == "paddle"
        return ModuleSpec(name, self) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import ours."""
        module = importlib.import_module(f"teachgraph{spec.name[6:]}")
        vars(module).setdefault("__path__", [])  # Paddle's module may be a package
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


def run(source: str) -> Outcome:
    """Run an example like a session: what an expression gives is printed."""
    printed, status = io.StringIO(), OK
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        file = Path(folder) / "example.py"  # `to_static` reads a function's source
        file.write_text(source, "utf-8")
        try:
            with redirect_stdout(printed), redirect_stderr(io.StringIO()):
                for node in ast.parse(source).body:
                    if isinstance(node, ast.Expr):
                        code = compile(ast.Expression(node.value), str(file), "eval")
                        value = eval(code, names)  # noqa: S307
                        if value is not None and not sets_mode(node.value):
                            print(repr(value))
                    else:
                        code = compile(ast.Module([node], []), str(file), "exec")
                        exec(code, names)  # noqa: S102
        except BaseException as error:
            status = f"{type(error).__name__}: {' '.join(str(error).split())[:600]}"
        os.chdir("/")
    return Outcome(status, printed.getvalue()[:50_000])


def sets_mode(call: ast.expr) -> bool:
    """Tell whether it is `net.eval()` or `net.train()`, which return the layer here."""
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("eval", "train")
    )


def run_all(sources: Mapping[str, str]) -> dict[str, Outcome]:
    """Run each example in a process of its own."""
    found = {}
    for name, source in sources.items():
        read, write = os.pipe()
        if not (child := os.fork()):
            signal.alarm(SECONDS)
            os.write(write, json.dumps(run(source)).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            answer = pipe.read()
        os.waitpid(child, 0)
        found[name] = Outcome(*json.loads(answer)) if answer else Outcome("crash", "")
    return found


def same(source: str, theirs: str, ours: str) -> bool:
    """Tell whether two outputs agree: the words, and numbers but for rounding."""
    texts = [re.sub(r"<.* at 0x.*?>", "OBJECT", text) for text in (theirs, ours)]
    texts = [re.sub(r"(?:paddle|teachgraph)\.", "", text) for text in texts]
    texts = [re.sub(r", (?=\})", "", MACHINERY.sub("", text)) for text in texts]
    numbers = [list(map(float, NUMBER.findall(text))) for text in texts]
    words = [re.sub(r"\s+", "", NUMBER.sub("#", text)) for text in texts]
    if RANDOM.search(source):
        words = [re.sub(r"#[#,.\[\]]*", "#", text) for text in words]
        return words[0] == words[1]
    return words[0] == words[1] and all(map(close, *numbers))


def close(one: float, other: float) -> bool:
    """Tell whether two numbers are equal but for rounding."""
    return (
        one == other
        or str(one) == str(other)
        or math.isclose(one, other, rel_tol=2e-3, abs_tol=2e-4)
    )


def reason(name: str, status: str) -> str | None:
    """Why an example may end otherwise here."""
    table, text = (PRINTS, name) if status == OK else (REFUSALS, status)
    return next((why for why, like in table.items() if re.search(like, text)), None)


def asked(python: Path | str, *arguments: str, given: Any = None) -> Any:
    """What this module prints as JSON in another Python."""
    command = [str(python), "-m", "tests.oracle.examples", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"GLOG_minloglevel": "3"},
    )
    return json.loads(done.stdout.rpartition("\n\x00")[2])


def answer(value: Any) -> None:
    """Print JSON after whatever else was printed."""
    print(f"\n\x00{json.dumps(value)}")


def drawn(count: int, seed: int) -> dict[str, str]:
    """Draw so many examples of those that run on Paddle; a few more, as some do not."""
    every = asked(PADDLE, "--list")
    names = random.Random(seed).sample(sorted(every), min(count, len(every)))  # noqa: S311
    return {name: every[name] for name in names}


def verdicts(count: int, seed: int) -> dict[str, str]:
    """Tell of each example that runs on Paddle: "same", a reason, or the trouble."""
    sources = drawn(count * 5 // 4, seed)
    theirs = asked(PADDLE, "--run", given=sources)
    running = [name for name in sources if theirs[name][0] == OK][:count]
    ours = asked(
        sys.executable, "--run", "here", given={n: sources[n] for n in running}
    )
    found = {}
    for name in running:
        source, (status, printed) = sources[name], ours[name]
        if status == OK and same(source, theirs[name][1], printed):
            found[name] = "same"
        else:
            trouble = "prints something else" if status == OK else status
            found[name] = reason(name, status) or f"TROUBLE: {trouble}"
    return found


def commits() -> int:
    """The number of commits."""
    command = ["git", "rev-list", "--count", "HEAD"]
    return int(subprocess.check_output(command, cwd=ROOT, text=True))


def main(arguments: Sequence[str]) -> None:
    """List or run examples for another process; or draw, run and compare them."""
    if arguments[:1] == ["--list"]:
        return answer(examples())
    if arguments[:1] == ["--run"]:
        if arguments[1:] == ["here"]:
            sys.meta_path.insert(0, Alias())
        for module in ("", ".static", ".jit", ".io", ".optimizer", ".vision"):
            importlib.import_module(f"paddle{module}")  # before the processes part
        return answer(run_all(json.load(sys.stdin)))
    count, seed = map(int, [*arguments, *[100, commits()][len(arguments) :]])
    found = verdicts(count, seed)
    for name, verdict in found.items():
        if verdict != "same":
            print(f"{name}: {verdict[:200]}")
    good = sum("TROUBLE" not in verdict for verdict in found.values())
    print(f"{good} of {len(found)} as in Paddle, or otherwise for a listed reason")
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
