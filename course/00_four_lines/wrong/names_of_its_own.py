"""Calls the ops otherwise.

zh: 给算子取了别的名字。
task: added_by_minimize
says: strangers
"""

INSTEAD = {'"reduce_mean_grad"': '"mean_grad"'}
