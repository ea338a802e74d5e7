"""Has nothing for the last step.

zh: 最后一步什么也没有。
task: to_go
says: a_number
"""

INSTEAD = {"return found[::-1]": "return [*found[:0:-1], None]"}
