"""`import teachgraph` imports little; every name is known, and imported when used."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import teachgraph as tg
from teachgraph.core import dtypes
from teachgraph.core.op import _registry
from teachgraph.ops import functions

MODULES_AT_START = 8
PICTURES = {
    *("check_nan_inf", "explain", "figure", "monitor"),
    *("plot", "profiler", "record", "show"),
}
SOURCE = Path(tg.__file__)
DOCUMENT = Path(__file__).parent / "static" / "documents" / "version_1.json"


def fresh(script: str, *arguments: str) -> Any:
    """Run a script in a new Python; the value of the JSON that it prints."""
    command = [sys.executable, "-c", f"import json, sys\n{script}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def test_the_import_alone_loads_a_handful_of_modules() -> None:
    loaded = fresh(
        "import teachgraph\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('teachgraph')]))"
    )
    assert len(loaded) <= MODULES_AT_START
    assert {name.split(".")[1] for name in loaded if "." in name} == {"core"}


def test_eager_tensors_do_without_programs_and_layers() -> None:
    rooms, gradient = fresh(
        "import teachgraph as tg\n"
        "x = tg.to_tensor([1.0, 2.0], stop_gradient=False)\n"
        "tg.sum(x * x).backward()\n"
        "names = [m.split('.') for m in sys.modules if m.startswith('teachgraph.')]\n"
        "rooms = sorted({room for _, room, *_ in names})\n"
        "print(json.dumps([rooms, x.grad.tolist()]))"
    )
    assert rooms == ["autograd", "core", "errors", "ops"]
    assert gradient == [2.0, 4.0]


def test_dir_lists_all_names_at_once_and_they_can_all_be_had() -> None:
    at_first, later = fresh(
        "import teachgraph as tg\n"
        "at_first = dir(tg)\n"
        "for name in at_first:\n"
        "    getattr(tg, name)\n"
        "print(json.dumps([at_first, dir(tg)]))"
    )
    assert at_first == later
    assert set(tg.__all__) < set(at_first)
    rooms = {"fluid", "models", "passes", "planning", "static", "vision"}
    others = {"add_", "where_", "bool", "dtype", "__version__"}
    assert {*PICTURES, *rooms, *others} < set(at_first)


def test_names_are_those_that_type_checkers_read() -> None:
    """What is imported under TYPE_CHECKING is what is found when it runs."""
    (block,) = (
        node
        for node in ast.parse(SOURCE.read_text("utf-8")).body
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    )
    read = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            read[alias.name] = f"{node.module}.{alias.name}"
    assert read.pop("*") == "teachgraph.ops.functions.*"
    at_once = {"callsite", "modes"}
    listed = {name for name in dir(tg) if not name.startswith("_")} - PICTURES
    assert {*read, *at_once, *functions.__all__} == {
        name for name in listed if not name.endswith("_") and name != "bool"
    }
    for name, home in read.items():
        module, _, last = home.rpartition(".")
        value = getattr(tg, name)
        assert value is (sys.modules.get(home) or getattr(import_module(module), last))


def test_a_star_import_binds_what_all_lists() -> None:
    bound, listed, of_python = fresh(
        "names = {}\n"
        "exec('from teachgraph import *', names)\n"
        "import teachgraph\n"
        "same = [names[n] is getattr(teachgraph, n) for n in teachgraph.__all__]\n"
        "assert all(same)\n"
        "bound = sorted(set(names) - {'__builtins__'})\n"
        "print(json.dumps([bound, teachgraph.__all__, 'bool' in names]))"
    )
    assert bound == listed == tg.__all__
    assert not of_python


def test_a_function_is_the_one_of_its_module() -> None:
    for name in functions.__all__:
        assert getattr(tg, name) is vars(tg)[name] is getattr(functions, name)


def test_paddles_names_for_types() -> None:
    assert tg.bool is dtypes.bool
    assert isinstance(tg.float32, tg.dtype)


def test_functions_in_place_are_the_methods() -> None:
    value = fresh(
        "from teachgraph import add_, to_tensor\n"
        "x = to_tensor([1.0, 2.0])\n"
        "print(json.dumps([add_(x, 1.0) is x, x.tolist()]))"
    )
    assert value == [True, [2.0, 3.0]]
    assert tg.tanh_ is tg.Tensor.tanh_


@pytest.mark.parametrize("name", ["nonesuch", "_nonesuch", "nonesuch_", "__wrapped__"])
def test_names_that_are_not_there(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(tg, name)


def test_looking_for_a_private_name_imports_nothing() -> None:
    """Notebooks look for `_repr_html_` and others at whatever they show."""
    assert fresh(
        "import teachgraph\n"
        "before = len(sys.modules)\n"
        "had = hasattr(teachgraph, '_repr_html_')\n"
        "print(json.dumps([had, len(sys.modules) - before]))"
    ) == [False, 0]


@pytest.mark.parametrize(
    "statement",
    [
        "import teachgraph.nn.functional as F; F.relu",
        "import teachgraph.fluid as fluid; fluid.layers.fc",
        "from teachgraph.static import Executor, Program",
        "from teachgraph import nn, optimizer; nn.Linear, optimizer.SGD",
        "from teachgraph.vision.models import LeNet",
        "import teachgraph as tg; tg.vision.models.LeNet",
        "import teachgraph as tg; tg.inference.Config",
        "import teachgraph as tg; tg.planning, tg.control_flow, tg.deploy, tg.cli",
    ],
)
def test_ways_in(statement: str) -> None:
    assert fresh(f"{statement}\nprint(json.dumps('teachgraph' in sys.modules))")


def test_static_mode_may_be_the_first_thing_asked_for() -> None:
    kinds = fresh(
        "import teachgraph.core.modes as modes\n"
        "modes.enable_static()\n"
        "from teachgraph.ops.functions import zeros\n"
        "made = zeros([2])\n"
        "modes.disable_static()\n"
        "values = zeros([2])\n"
        "print(json.dumps([type(made).__name__, type(values).__name__]))"
    )
    assert kinds == ["Variable", "Tensor"]


def test_a_program_is_read_by_a_process_that_has_imported_nothing_else() -> None:
    script = (
        "from pathlib import Path\n"
        "from teachgraph.static import Program\n"
        "text = Path(sys.argv[1]).read_bytes()\n"
        "program = Program.parse_from_string(text)\n"
        "print(json.dumps([op.type for op in program.global_block().ops]))"
    )
    program = tg.static.Program.parse_from_string(DOCUMENT.read_bytes())
    types = [op.type for op in program.global_block().ops]
    assert fresh(script, str(DOCUMENT)) == types != []


def test_every_op_is_found_by_its_type() -> None:
    """An op of a loop, of `to_static` and of ONNX, before anybody imported them."""
    for name in ("onnx", "jit", "static"):
        assert isinstance(getattr(tg, name), ModuleType)
    own = {
        type: op.kernel.__module__
        for type, op in _registry.items()
        if op.kernel.__module__.startswith("teachgraph.")
    }
    first = {home.split(".")[1]: type for type, home in sorted(own.items())}
    assert {"ops", "control_flow", "jit", "deploy"} <= set(first)
    for type in first.values():
        script = (
            "import teachgraph\nfrom teachgraph.core.op import find\n"
            f"print(json.dumps(find({type!r}).type))"
        )
        assert fresh(script) == type


def test_an_unknown_op_is_refused() -> None:
    assert fresh(
        "import teachgraph.core.errors as errors\n"
        "from teachgraph.core.op import find\n"
        "try:\n"
        "    find('nonesuch')\n"
        "except errors.UnknownOpError as error:\n"
        "    print(json.dumps(str(error)))"
    ).startswith('Operator "nonesuch" has not been registered.')
