"""The guide's snippets do what they say, and it knows the options there are."""

import doctest
import re
from pathlib import Path

from teachgraph import distributed
from teachgraph.cli import parser

GUIDE = Path(distributed.__file__).with_name("README.md")


def test_its_snippets_run() -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    found = doctest.testfile(str(GUIDE), module_relative=False, optionflags=flags)
    assert found.attempted > 15
    assert not found.failed


def test_its_options_are_those_of_the_command() -> None:
    told = re.findall(r"^\| `(--[a-z]+)", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert {*told} == {"--address", "--checkpoints", "--limit", "--log", "--restarts"}
    every = (f"{option}=1" for option in told)
    arguments = parser().parse_args(["launch", *every, "--every=2", "script.py", "60"])
    assert (arguments.limit, arguments.every, arguments.arguments) == (1.0, 2, ["60"])
