"""Calls every gradient x@GRAD.

zh: 把每个梯度都叫作 x@GRAD。
task: joined
says: name
"""

INSTEAD = {'f"{x.name}@GRAD"': '"x@GRAD"'}
