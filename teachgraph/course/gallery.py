"""The gallery: complete cases, from handwriting to a parameter server, as notebooks.

As in lessons, a cell tagged `quiet` does not show the value of its last line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teachgraph.course.notebook import KERNEL

__all__ = ["Case", "cases"]

HEADING = "# # "


@dataclass(frozen=True)
class Case:
    """A notebook of the gallery.

    Attributes:
        source: Its text, in jupytext's percent format.
        title: Its heading.
    """

    source: Path
    title: str

    @property
    def file(self) -> str:
        """The name of its notebook."""
        return f"{self.source.stem}.ipynb"

    def notebook(self) -> dict[str, Any]:
        """Return it as nbformat stores it: the same bytes at every call."""
        import jupytext
        import nbformat

        notebook = jupytext.read(self.source)
        for position, cell in enumerate(notebook.cells):
            cell["id"] = f"cell-{position}"
            if "quiet" in cell.metadata.get("tags", ()):
                cell["source"] += ";"
        notebook["metadata"] = KERNEL
        plain: dict[str, Any] = nbformat.from_dict(notebook)
        return plain


def cases() -> list[Case]:
    """Return the cases of the gallery, by the names of their files.

    >>> [case.title for case in cases() if case.file == "digits_lenet.ipynb"]
    ['LeNet reads digits']
    """
    packaged = Path(__file__).parent / "gallery_cases"
    folder = packaged if packaged.is_dir() else Path(__file__).parents[2] / "notebooks"
    return [Case(path, heading(path)) for path in sorted(folder.glob("*.py"))]


def heading(source: Path) -> str:
    """The first heading of a notebook."""
    lines = source.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(HEADING))[len(HEADING) :]
