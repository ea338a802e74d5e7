"""Takes the first two parts only.

zh: 只取前两部分。
task: condition_of
says: another
"""

INSTEAD = {"values[-1]": "values[1]", "values[:-1]": "values[:1]"}
