"""Never uses a gap.

zh: 从不用空隙。
task: first_fit
says: ratio
"""

INSTEAD = {"one.offset + one.size <= other.offset": "other is None"}
