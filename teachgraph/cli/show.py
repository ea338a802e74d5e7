"""`teachgraph show model`: print a saved model, or write it as an HTML page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from teachgraph.cli.short_errors import short_errors
from teachgraph.deploy.inference import Config, Predictor
from teachgraph.static.program import Program
from teachgraph.static.state import persistables
from teachgraph.static.variable import Variable

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_arguments", "run"]

ABOUT = """\
Show what a saved model takes, what it gives, and its program.

  teachgraph show runs/lenet                  as text
  teachgraph show runs/lenet --optimised      as it runs, after the passes
  teachgraph show runs/lenet --html net.html  as a page
"""


def add_arguments(subparsers: Subparsers) -> None:
    """Add `show` to the command line that `subparsers` belongs to."""
    about = "Show a saved model, as text or as a page."
    parser = subparsers.add_parser(
        "show",
        help=about,
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="what its files begin with, or its folder")
    parser.add_argument(
        "--optimised", action="store_true", help="as it runs, after the passes"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="write a page instead"
    )
    parser.set_defaults(run=run)


@short_errors("show")
def run(args: argparse.Namespace) -> int:
    """Show the model.

    Returns:
        0, or 2 if it cannot be done.
    """
    config = Config(args.model)
    config.switch_ir_optim(args.optimised)
    predictor = Predictor(config)
    if args.html is None:
        print("\n".join(facts(predictor)))
        print(predictor.program)
    else:
        write_page(predictor.program, args.html)
        print(f"Wrote {args.html}")
    return 0


def facts(predictor: Predictor) -> list[str]:
    """List the inputs, the outputs, and the numbers of parameters and operators."""
    held = persistables(predictor.program)
    count = sum(prod(variable.shape) for variable in held)
    total = sum(variable.spec.nbytes() for variable in held)
    return [
        *described("input", predictor.ready.inputs),
        *described("output", predictor.ready.outputs),
        f"parameters: {len(held)}, {count:,} numbers, {total / 1e6:.1f} MB",
        f"operators: {len(predictor.program.global_block().ops)}",
    ]


def described(what: str, variables: Sequence[Variable]) -> list[str]:
    """Write a line for each input or output."""
    return [f"{what}: {v.name} {v.dtype} {list(v.shape)}" for v in variables]


def write_page(program: Program, path: Path) -> None:
    """Write a page with the program.

    Raises:
        ImportError: The widgets are not installed.
    """
    try:
        widgets = import_module("teachgraph_widgets")
    except ImportError as error:
        raise ImportError(
            f"a page needs {error.name}, which is not installed: "
            'pip install "teachgraph[lab]"'
        ) from None
    widgets.write_page(widgets.show(program).log, path)
