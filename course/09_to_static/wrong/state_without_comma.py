"""Writes a state of one name without its comma.

zh: 只有一个名字的状态没有写逗号。
task: convert_if
says: no_tuple
"""

INSTEAD = {
    "state = listed(assigned([*node.body, *node.orelse]))": (
        'state = ", ".join(assigned([*node.body, *node.orelse]))'
    ),
}
