"""The course: lessons in one source each, built, handed out and graded.

`table` knows the lessons, `source` reads one, `notebook` builds its notebooks,
`checks` is what a lesson's check cells import, `grade` runs a learner's own file,
`progress` remembers, and `command` is `teachgraph course`. Jupyter's libraries are
imported where they are used, so listing the lessons needs none of them.
"""

from __future__ import annotations

from teachgraph.course.checks import CheckFailed, checking, expect
from teachgraph.course.table import CourseError, Lesson, lessons

__all__ = ["CheckFailed", "CourseError", "Lesson", "checking", "expect", "lessons"]
