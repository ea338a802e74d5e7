"""Puts 0 in the place of NaN.

zh: 用 0 代替 NaN。
task: cures
says: hidden
"""

INSTEAD = {'{"pixels": 1}': '{"loss": "nan is 0"}'}
