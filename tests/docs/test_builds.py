"""Pages that a build of the site keeps of the last one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from docs.__main__ import code_pages


@pytest.mark.parametrize(
    ("described", "fails", "kept"),
    [("Reference", False, True), ("Reference", True, False), ("More", False, False)],
)
def test_pages_of_code_stay_if_a_whole_build_described_the_same(
    described: str, fails: bool, kept: bool, tmp_path: Path
) -> None:
    pages, note = tmp_path / "_modules", tmp_path / "note"
    reference = tmp_path / "index.rst"
    reference.write_text("Reference")
    for failing in (False, fails):
        with suppress(SystemExit), code_pages(pages, tmp_path, note):
            pages.mkdir(exist_ok=True)
            (pages / "nn.html").touch()
            if failing:
                raise SystemExit("a link leads nowhere")
    reference.write_text(described)
    with code_pages(pages, tmp_path, note):
        assert (pages / "nn.html").exists() == kept
