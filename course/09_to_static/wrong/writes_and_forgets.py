"""Writes the source and does not return it.

zh: 写出了源代码，却没有返回。
task: convert_while
says: nothing
"""

INSTEAD = {
    'return f"""': 'text = f"""',
}
