"""Gives each call the same name.

zh: 每次调用都用同一个名字。
task: py_func
says: name
"""

INSTEAD = {'program.new_name("py_func")': '"py_func_1"'}
