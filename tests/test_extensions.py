"""The table of extensions is true, and complete."""

from importlib import import_module
from operator import attrgetter

import pytest

from teachgraph.extensions import EXTENSIONS, Extension
from tests.hook_uses import mentions, uses


def module_of(extension: Extension) -> str:
    """The module an extension stands in, without the package's name."""
    return extension.where.partition(":")[0].partition(".")[2]


def test_every_use_of_a_hook_of_the_core_stands_in_the_table() -> None:
    listed = {(module_of(extension), extension.hook) for extension in EXTENSIONS}
    assert sorted(uses() - listed) == []


@pytest.mark.parametrize(
    "extension", EXTENSIONS, ids=lambda extension: f"{extension.hook} {extension.where}"
)
def test_a_row_names_a_hook_and_what_stands_on_it(extension: Extension) -> None:
    module, _, name = extension.where.partition(":")
    attrgetter(name)(import_module(module))
    attrgetter(extension.hook)(import_module("teachgraph"))
    assert mentions(module_of(extension), extension.hook)


def test_no_row_stands_there_twice() -> None:
    assert len(set(EXTENSIONS)) == len(EXTENSIONS)
