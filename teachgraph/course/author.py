"""Tools for writers: begin a lesson, look at it on each save, accept its names.

teachgraph course author new 08
teachgraph course author watch 08
teachgraph course author accept 08
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill

from teachgraph.course.budgets import budgets
from teachgraph.course.introduced import introduced
from teachgraph.course.judging import ask_here, judge
from teachgraph.course.messages import hints
from teachgraph.course.mutants import LEAST, score
from teachgraph.course.progress import HOME
from teachgraph.course.rehearse import rehearse, solved
from teachgraph.course.source import Source, read
from teachgraph.course.table import (
    LANGUAGES,
    CourseError,
    Lesson,
    find,
    lessons,
    root,
    rows_of,
)
from teachgraph.course.wrong import wrong_answers
from teachgraph.io.files import written_whole

__all__ = ["Findings", "accept", "begin", "inspect", "watch"]

TEMPLATE = Path(__file__).parent / "new_lesson"
QUIET = {"quiz", "choice"}
"""Tags of exercises whose solutions are not mutated."""


@dataclass
class Findings:
    """The result of a look at a lesson.

    Attributes:
        problems: What has to be mended.
        figures: What was counted.
        introduces: The names that it introduces, if the table says otherwise.
    """

    problems: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    introduces: list[str] | None = None

    def lines(self) -> list[str]:
        """The findings as lines, problems last."""
        rows = [*self.figures]
        if self.introduces is not None:
            rows.append(f"introduces: {', '.join(self.introduces) or 'nothing'}")
            rows.append("the table says otherwise: teachgraph course author accept")
        count = len(self.problems)
        rows += [f"! {problem}" for problem in self.problems]
        rows.append(f"{count} to mend" if count else "nothing to mend")
        return rows


def inspect(lesson: Lesson) -> Findings:
    """Build a lesson, rehearse it, and try its checks.

    The solution must pass, each wrong answer get its sentence, nine of ten mutants be
    noticed, and each exercise have three hints.
    """
    findings = Findings()
    with no_learner():
        try:
            source = read(lesson)
            for budget in budgets(source):
                findings.figures.append(str(budget))
                if not budget.kept:
                    findings.problems.append(str(budget))
            findings.problems += errors_of(source)
            findings.problems += wrong_sentences(source)
            try_checks(source, findings)
            names = introduced(lesson)
        except (CourseError, SyntaxError) as error:
            findings.problems.append(str(error))
            return findings
    findings.introduces = None if names == list(lesson.introduces) else names
    return findings


def errors_of(source: Source) -> Iterator[str]:
    """The cells of the solved notebook that raise, and the checks that fail."""
    for cell in rehearse(source, long=False):
        if cell.error is not None:
            what = f"{cell.role} {cell.task}".strip()
            yield f"{what}: {type(cell.error).__name__}: {cell.error}"


def wrong_sentences(source: Source) -> Iterator[str]:
    """Sentences and hints that are missing in a language, or too few."""
    tasks = [cell.task for cell in source.exercises]
    if tasks != source.lesson.tasks:
        yield f"messages.toml has {source.lesson.tasks}, the lesson {tasks}"
        return
    for task in tasks:
        for language in LANGUAGES:
            try:
                count = len(hints(source.lesson, task, language))
            except KeyError:
                count = 0
            if count != 3:
                yield f"{task}: {count} hints in {language}, not 3"


def try_checks(source: Source, found: Findings) -> None:
    """Try the wrong answers, and the mutants of the solutions."""
    lesson = source.lesson
    with solved(source) as names:
        for answer in wrong_answers(lesson):
            ask = ask_here(answer.names(names), lesson, answer.task)
            says = judge(lesson, answer.task, ask).sentence
            if says != answer.says:
                said = f"wrong/{answer.name}: says {says!r}, not {answer.says!r}"
                found.problems.append(said)
        for cell in source.exercises:
            if QUIET & {*cell.tags}:
                continue
            one = score(source, cell.task, names)
            figure = f"{cell.task}: {one.share:.0%} of {one.count} mutants noticed"
            found.figures.append(figure)
            if one.share < LEAST:
                found.problems += [figure, *one.survivors]


@contextmanager
def no_learner() -> Iterator[None]:
    """No learner's answers count inside the block."""
    before = os.environ.get(HOME)
    with TemporaryDirectory() as folder:
        os.environ[HOME] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[HOME]
            else:
                os.environ[HOME] = before


def watch(name: str, tell: Callable[[list[str]], None], *, once: bool = False) -> bool:
    """Inspect a lesson now, and whenever one of its files is saved, until Ctrl-C.

    Each look is a child of this process, so it sees the files as they are now and
    imports nothing anew.

    Returns:
        True if the last look found nothing to mend.
    """
    lesson, good = find(name), True
    seen: Mapping[str, int] = {}
    try:
        while True:
            now = saved(lesson)
            if now != seen:
                seen, good = now, look(name, tell)
                if once:
                    return good
            time.sleep(0.2)
    except KeyboardInterrupt:
        return good


def saved(lesson: Lesson) -> Mapping[str, int]:
    """When each file of a lesson was saved."""
    files = [*lesson.folder.glob("*.*"), *lesson.folder.glob("wrong/*.py")]
    return {str(path): path.stat().st_mtime_ns for path in files if path.is_file()}


def look(name: str, tell: Callable[[list[str]], None]) -> bool:
    """Inspect in a child process; tell its lines, return whether all was well."""
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        rows_of.cache_clear()
        started = time.perf_counter()
        findings = inspect(find(name))
        seconds = f"{time.perf_counter() - started:.1f} s"
        sender.send(([*findings.lines(), seconds], not findings.problems))

    process = context.Process(target=child)
    process.start()
    sender.close()
    try:
        lines, good = receiver.recv()
    except EOFError:
        lines, good = ["the look at it did not end well: see above"], False
    process.join()
    tell(lines)
    return bool(good)


def begin(name: str) -> Path:
    """Begin a lesson of the table: write its folder from the template.

    Raises:
        CourseError: The table has no such lesson, or it is begun already.
    """
    for lesson in lessons():
        if name.upper().zfill(2) == lesson.number or name == lesson.name:
            break
    else:
        raise CourseError(
            f"{root() / 'lessons.toml'} has no row for a lesson {name!r}."
        )
    if lesson.folder.exists():
        raise CourseError(f"{lesson.folder} is there already.")
    facts = {"NUMBER": lesson.number}
    facts |= {f"TITLE_{key.upper()}": title for key, title in lesson.title.items()}
    for path in sorted(TEMPLATE.rglob("*.txt")):
        text = path.read_text("utf-8")
        for fact, value in facts.items():
            text = text.replace(f"<{fact}>", value)
        file = lesson.folder / path.relative_to(TEMPLATE).with_suffix("")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return lesson.folder


def accept(name: str) -> list[str]:
    """Write into the table what a lesson introduces; return the names."""
    lesson, table = find(name), root() / "lessons.toml"
    names = introduced(lesson)
    rows = fill(
        ", ".join(f'"{one}"' for one in names),
        width=88,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    before, row, after = parted(table.read_text("utf-8"), lesson.name)
    kept = row.split("introduces = [")[0].rstrip("\n")
    text = f"{before}{kept}\nintroduces = [\n{rows},\n]\n{after}"
    with written_whole(table) as file:
        file.write(text.encode("utf-8"))
    return names


def parted(table: str, folder: str) -> tuple[str, str, str]:
    """The table's text before the row of a folder, that row, and what comes after."""
    start = table.index(f'folder = "{folder}"')
    end = table.find("\n[[lesson]]", start)
    end = len(table) if end < 0 else end
    return table[:start], table[start:end], table[end:]
