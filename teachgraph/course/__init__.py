"""The course: lessons in one source each, built as notebooks and graded.

`table` lists the lessons, `source` parses one, `notebook` builds its notebooks,
`checks` is imported by a lesson's check cells, `grade` runs a learner's notebook,
`progress` stores the results, and `command` is `teachgraph course`. Jupyter's libraries
are imported where they are used, so listing the lessons needs none of them.
"""

from __future__ import annotations

from teachgraph.course.beside import beside, strip, watch, watched
from teachgraph.course.checks import CheckFailed, begin
from teachgraph.course.table import CourseError, Lesson, lessons

__all__ = [
    "CheckFailed",
    "CourseError",
    "Lesson",
    "begin",
    "beside",
    "lessons",
    "strip",
    "watch",
    "watched",
]
