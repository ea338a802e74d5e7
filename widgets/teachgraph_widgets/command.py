"""`teachgraph trace script.py`: run a script and write its trace as one page."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teachgraph.core.errors import TeachgraphError
from teachgraph_widgets.page import write_page
from teachgraph_widgets.script import run_script
from teachgraph_widgets.summary import summary

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_arguments", "run"]


def add_arguments(subparsers: Subparsers) -> None:
    """Add `trace` to the command line that `subparsers` belongs to."""
    about = "Run a script and write a page that steps through what each line did."
    trace = subparsers.add_parser("trace", help=about, description=about)
    add_options(trace)
    trace.add_argument("script", type=Path, help="a Python file")
    trace.add_argument(
        "arguments",
        nargs=argparse.REMAINDER,
        help="what the script gets; behind -- also what looks like an option of ours",
    )
    trace.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that may stand before or behind the script's name."""
    flag: dict[str, Any] = {"action": "store_true", "default": argparse.SUPPRESS}
    value: dict[str, Any] = {"default": argparse.SUPPRESS}
    page = "the page (default: the script's name with .html, in this folder)"
    parser.add_argument("-o", "--output", type=Path, help=page, **value)
    parser.add_argument("--title", help="a heading (default: the file's name)", **value)
    parser.add_argument("--no-values", help="do not look at values: lighter", **flag)
    parser.add_argument("--text", help="print the trace as text too", **flag)


def split(args: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Split the options of the command from the script's arguments."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add_options(parser)
    arguments = list(args.arguments)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    ours, others = parser.parse_known_args(arguments[:end])
    return vars(args) | vars(ours), others + arguments[end + 1 :]


def run(args: argparse.Namespace) -> int:
    """Trace the script.

    Returns:
        0 after a run to the end, 1 if the script raised, its own code after `sys.exit`,
        2 if it could not be run or the page could not be written.
    """
    options, arguments = split(args)
    output = options.get("output") or Path(args.script.name).with_suffix(".html")
    title, values = options.get("title"), "no_values" not in options
    try:
        trace, error = run_script(args.script, arguments, title=title, values=values)
        write_page(trace.log, output)
    except (OSError, SyntaxError, TeachgraphError) as refused:
        say(f"teachgraph trace: {refused}")
        return 2
    if "text" in options:
        sys.stdout.write(summary(trace.log) + "\n")
    if error is not None and not isinstance(error, SystemExit):
        show(error, str(args.script))
    say(f"Wrote {output}")
    if isinstance(error, KeyboardInterrupt):
        raise error
    return exit_code(error)


def exit_code(error: BaseException | None) -> int:
    """Return the exit code that Python would give the script."""
    if isinstance(error, SystemExit):
        if isinstance(error.code, str):
            say(error.code)
        return error.code if isinstance(error.code, int) else int(bool(error.code))
    return int(error is not None)


def show(error: BaseException, script: str) -> None:
    """Print an error as Python would: with the frames from the script's first line."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != script:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames or error.__traceback__)


def say(words: str) -> None:
    """Write a line to stderr: stdout is the script's."""
    sys.stderr.write(words + "\n")
