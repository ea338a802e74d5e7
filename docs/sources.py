"""Write what Sphinx reads: pages, lessons with outputs, gallery and reference."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from docs import reference
from docs.figures import figure_table
from docs.notebooks import (
    ROOT,
    Job,
    case_job,
    execute,
    lesson_jobs,
    lesson_page,
    write,
)
from teachgraph.course.gallery import Case, cases
from teachgraph.course.notebook import Notebook
from teachgraph.course.table import LANGUAGES, Language, Lesson, lessons

__all__ = ["Selection", "write_sources"]

PAGES = Path(__file__).parent / "pages"
MANUALS = {
    "guide/visualiser": "widgets/README.md",
    "guide/hosts": "widgets/HOSTS.md",
    "guide/core": "teachgraph/core/README.md",
    "guide/many_machines": "teachgraph/distributed/README.md",
    "guide/kubernetes": "teachgraph/distributed/KUBERNETES.md",
    "course/glossary": "course/glossary.md",
    "guide/changes": "CHANGELOG.md",
}
"""Pages that are documents of the repository, which are in English."""

LINK = re.compile(r"\[([^\]]+)\]\((?!\w+://|#)([^)\s]+)\)")

ENTRIES: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?m)^\[(?P<title>.+)\]\(/gallery/(?P<name>\w+)\)$"),
    "zh": re.compile(r'(?m)^<a .*/(?P<name>\w+)\.html">(?P<title>.+)（英文）</a>$'),
}
"""The line of a case in the gallery's page."""

ABSOLUTE = re.compile(r"\[([^\]]+)\]\((/[^)\s]+)\)")


@dataclass(frozen=True)
class Selection:
    """The notebooks of a site: all of them, or a few for a quick look.

    Attributes:
        lessons: Their numbers, or None for all that exist.
        cases: The names of files in the gallery, or None for all.
        reference: The modules whose names are described, or None for all.
    """

    lessons: frozenset[str] | None = None
    cases: frozenset[str] | None = None
    reference: frozenset[str] | None = None

    def of_lessons(self) -> list[Lesson]:
        """The lessons that exist, as far as they are asked for."""
        wanted = self.lessons
        return [
            one
            for one in lessons()
            if one.built and (wanted is None or one.number in wanted)
        ]

    def of_cases(self) -> list[Case]:
        """The cases of the gallery, as far as they are asked for."""
        wanted = self.cases
        return [one for one in cases() if wanted is None or one.source.stem in wanted]


def write_sources(
    selection: Selection, folder: Path, cache: Path, tell: Callable[[str], None]
) -> dict[Language, Path]:
    """Write the sources of both languages, and return their folders.

    Args:
        selection: The notebooks.
        folder: For the sources; what is unchanged there keeps its time.
        cache: For executed notebooks.
        tell: Called with each line of progress.
    """
    solved = {
        (lesson.number, language): job
        for lesson in selection.of_lessons()
        for language, job in lesson_jobs(lesson)
    }
    gallery = [case_job(case) for case in selection.of_cases()]
    execute([*solved.values(), *gallery], cache, os.cpu_count() or 1, tell)

    texts: dict[str, str] = {}
    for lesson in selection.of_lessons():
        for language in LANGUAGES:
            done = outputs(solved[lesson.number, language], cache)
            page = lesson_page(lesson, language, done)
            first = page["cells"][0]
            title, _, text = first["source"].partition("\n")
            note = about_lesson(lesson, language)
            first["source"] = f"{title}\n\n{note}\n{text}"
            texts[f"{language}/course/{lesson.name}.ipynb"] = json.dumps(page)
    for language in LANGUAGES:
        texts |= own_pages(language)
        texts[f"{language}/course/index.md"] += course_index(selection, language)
    add_gallery(texts, selection.of_cases(), cache)
    texts |= {f"en/{page}.md": manual(source) for page, source in MANUALS.items()}
    tell("reference")
    reference_pages = reference.pages(selection.reference)
    texts |= {
        f"en/reference/{page}.rst": text for page, text in reference_pages.items()
    }
    texts |= {
        name: within(text, name.partition("/")[0], texts)
        for name, text in texts.items()
        if name.endswith(".md")
    }
    lay_out(texts, folder)
    return {language: folder / language for language in LANGUAGES}


def add_gallery(texts: dict[str, str], shown: list[Case], cache: Path) -> None:
    """Add the notebooks of the gallery, and to its two pages what leads to them."""
    runs = {case.source.stem: outputs(case_job(case), cache) for case in shown}
    for name, notebook in runs.items():
        texts[f"en/gallery/{name}.ipynb"] = json.dumps(notebook)
    texts["en/gallery/index.md"] += gallery_index(shown)
    for language in LANGUAGES:
        index = f"{language}/gallery/index.md"
        entries = ENTRIES[language].finditer(texts[index])
        titles = {entry["name"]: entry["title"] for entry in entries}
        texts[index] += figure_table(runs, titles, language)
    texts["en/gallery/index.md"] += toctree([*runs])


def lay_out(texts: Mapping[str, str], folder: Path) -> None:
    """Write the files, and remove those of pages that are no more."""
    for name, text in texts.items():
        write(folder / name, text)
    for file in folder.rglob("*.*"):
        if file.is_file() and str(file.relative_to(folder)) not in texts:
            file.unlink()


def within(text: str, language: str, texts: Mapping[str, str]) -> str:
    """Keep the links between pages whose target is in the site; others become words."""

    def kept(match: re.Match[str]) -> str:
        page = f"{language}{match[2].partition('#')[0]}"
        exists = any(f"{page}{kind}" in texts for kind in (".md", ".ipynb", ".rst"))
        return match[0] if exists else match[1]

    return ABSOLUTE.sub(kept, text)


def outputs(job: Job, cache: Path) -> Notebook:
    """The notebook of a job as it was executed."""
    notebook: Notebook = json.loads(job.cached(cache).read_text("utf-8"))
    return notebook


def about_lesson(lesson: Lesson, language: Language) -> str:
    """Instructions for taking a lesson, which stand on its page."""
    text = (PAGES / language / "lesson.txt").read_text("utf-8")
    return text.format(number=lesson.number)


def own_pages(language: Language) -> dict[str, str]:
    """The pages that are written for the site, by their place."""
    folder = PAGES / language
    return {
        f"{language}/{file.relative_to(folder)}": file.read_text("utf-8")
        for file in folder.rglob("*.md")
    }


def course_index(selection: Selection, language: Language) -> str:
    """The page that leads to the lessons: a row for each."""
    rows, entries = [], []
    shown = {lesson.number for lesson in selection.of_lessons()}
    for lesson in lessons():
        title = lesson.title[language]
        if lesson.number in shown:
            title = f"[{title}]({lesson.name})"
            entries.append(f"{lesson.number} {lesson.title[language]} <{lesson.name}>")
        rows.append(f"| {lesson.number} | {title} | {lesson.writes[language]} |")
    if language == "en":
        entries.append("glossary")
    table = "\n".join(["| | | |", "|---|---|---|", *rows])
    return f"\n{table}\n{toctree(entries)}"


def gallery_index(shown: list[Case]) -> str:
    """The entries that lead to the gallery: what each case says of itself."""
    rows = []
    for case in shown:
        text = case.notebook()["cells"][0]["source"].partition("\n\n")[2]
        first = text.partition("\n\n")[0].replace("\n", " ")
        rows.append(f"[{case.title}](/gallery/{case.source.stem})\n: {first}\n")
    return "\n".join(["", *rows, ""])


def toctree(entries: list[str]) -> str:
    """The pages below a page, which the side bar shows."""
    return "\n".join(["", "```{toctree}", ":hidden:", "", *entries, "```", ""])


def manual(source: str) -> str:
    """A document of the repository, its links leading to pages or being words."""
    place = Path(source).parent
    targets = {path: page for page, path in MANUALS.items()} | {
        f"notebooks/{case.source.name}": f"gallery/{case.source.stem}"
        for case in cases()
    }

    def linked(match: re.Match[str]) -> str:
        path = os.path.normpath(place / match[2])
        page = targets.get(path)
        return f"[{match[1]}](/{page})" if page else match[1]

    return LINK.sub(linked, (ROOT / source).read_text("utf-8"))
