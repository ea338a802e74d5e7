"""Keeps all step scopes.

zh: 留着所有的步作用域。
task: unwind
says: left
"""

INSTEAD = {
    "while scopes:": "for scope in reversed(scopes):",
    "        scope = scopes.pop()\n": "",
}
