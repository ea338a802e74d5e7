"""Adds a word to the name, which is taken the second time.

zh: 在名字后面加个词，第二次就已被占用。
task: again
says: names
"""

INSTEAD = {"x.program.new_name(x.name)": 'f"{x.name}_again"'}
