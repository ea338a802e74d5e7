"""Gives the clone's operators no attribute but `is_test`.

zh: 副本里的算子只有 `is_test` 一个属性。
task: clone_for_test
says: attrs
"""

INSTEAD = {
    "attrs = dict(one.attrs)": "attrs = {k: v for k, v in one.attrs.items()"
    ' if k == "is_test"}'
}
