"""Build the site: `python -m docs`, which `make site` calls."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from docs.notebooks import ROOT
from docs.sources import Selection, write_sources

__all__ = ["build", "code_pages"]

HERE = Path(__file__).parent
CACHE = ROOT / ".cache" / "site"
OF_SPHINX = {"genindex", "py-modindex", "search"}
START = time.monotonic()


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m docs", description=__doc__)
    parser.add_argument("--lessons", help="a few: 00,02")
    parser.add_argument("--cases", help="a few of the gallery: digits_py_func")
    parser.add_argument("--modules", help="a few of the reference: nn,metric")
    options = parser.parse_args(arguments)
    selection = Selection(
        few(options.lessons), few(options.cases), few(options.modules)
    )
    folder = build(selection, CACHE)
    tell(f"open {folder / 'index.html'}")
    return 0


def few(names: str | None) -> frozenset[str] | None:
    """The names of a list, or None for all."""
    return None if names is None else frozenset(filter(None, names.split(",")))


def tell(line: str) -> None:
    """Print a line of progress, with the seconds so far."""
    print(f"{time.monotonic() - START:6.0f} s  {line}", flush=True)


def build(selection: Selection, cache: Path) -> Path:
    """Build the site in both languages into `cache/html`, and return that folder.

    Raises:
        SystemExit: Sphinx warned of something.
    """
    sources = write_sources(selection, cache / "source", cache / "notebooks", tell)
    html = cache / "html"
    for language, source in sources.items():
        tell(f"pages: {language}")
        other = next(sources[other] for other in sources if other != language)
        command = [
            *(sys.executable, "-m", "sphinx", "--quiet", "--jobs=auto"),
            *("--fail-on-warning", "-c", HERE, "-d", cache / "doctrees" / language),
            *("-D", f"docs_other={','.join(sorted(pages(other)))}"),
            *(source, html / language),
        ]
        own = {"DOCS_LANGUAGE": language, "PYTHONPATH": str(ROOT)}
        words = [str(word) for word in command]
        note = cache / "doctrees" / f"{language}_reference.rst"
        with code_pages(html / language / "_modules", source / "reference", note):
            done = subprocess.run(words, env=os.environ | own, check=False)
            if done.returncode:
                raise SystemExit(f"The pages in {language!r} are not right: see above.")
        drop_old(html / language, pages(source) | OF_SPHINX)
    shutil.copy2(HERE / "pages" / "index.html", html / "index.html")
    return html


@contextmanager
def code_pages(pages: Path, reference: Path, note: Path) -> Iterator[None]:
    """Remove pages of code unless the last build ended and had the same reference.

    Sphinx keeps those that are newer than their module. They lack the links of what the
    reference describes only now. `note` keeps the text of the reference.
    """
    described = "".join(file.read_text() for file in sorted(reference.glob("*.rst")))
    if not note.exists() or note.read_text() != described:
        shutil.rmtree(pages, ignore_errors=True)
    note.unlink(missing_ok=True)
    yield
    note.write_text(described)


def drop_old(html: Path, wanted: set[str]) -> None:
    """Remove pages whose source is no more: Sphinx leaves them."""
    for file in html.rglob("*.html"):
        page = file.relative_to(html).with_suffix("")
        if page.parts[0] not in {"_modules", "_static"} and str(page) not in wanted:
            file.unlink()


def pages(folder: Path) -> set[str]:
    """The names of the pages in a folder of sources."""
    return {str(f.relative_to(folder).with_suffix("")) for f in folder.rglob("*.*")}


if __name__ == "__main__":
    raise SystemExit(main())
