"""Grading a class: hand out notebooks, collect them, mark them, report.

`release` writes what a class is given, `collect` brings back what it hands in, and
`grading` marks it: the fork server `server` imports once and forks a judge a notebook,
each judge (`marking`) forks the learner's process (`kernel`, `learner`) behind `walls`.
`report` writes the marks as tables.
"""
