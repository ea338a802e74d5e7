"""Gives every field kind 2.

zh: 所有字段都用种类 2。
task: field
says: kind
"""

INSTEAD = {"whole(number * 8) +": "whole(number * 8 + 2) +"}
