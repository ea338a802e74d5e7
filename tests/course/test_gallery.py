"""The gallery's notebooks, as they are handed out."""

from __future__ import annotations

from teachgraph.course.gallery import cases


def test_a_quiet_cell_shows_no_value() -> None:
    four_lines = next(case for case in cases() if case.file == "four_lines.ipynb")
    sources = [cell["source"] for cell in four_lines.notebook()["cells"]]
    (traced,) = [text for text in sources if "The four lines" in text]
    assert traced.endswith("minimize(loss);")
