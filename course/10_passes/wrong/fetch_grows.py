"""Collects what is needed in the list of what is fetched.

zh: 把被需要的收集进了要取的列表里。
task: dead_code
says: changed_input
"""


def dead_code(ops, fetch):
    kept = []
    for one in reversed(ops):
        if writes(one, fetch) or not pure(one):
            kept.append(one)
            fetch.extend(x for x in one.inputs if isinstance(x, Variable))
    return kept[::-1]
