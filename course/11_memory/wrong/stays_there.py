"""Looks at the same gap for ever.

zh: 一直看着同一个空隙。
task: first_fit
says: endless
"""

INSTEAD = {
    "if one.offset + one.size <= other.offset:": (
        "while one.offset + one.size > other.offset:\n                pass\n"
        "            else:"
    ),
}
