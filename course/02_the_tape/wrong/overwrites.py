"""Writes = where gradients meet, so that one way of a diamond is lost.

zh: 在梯度汇合处写了 =，菱形的一条路就丢了。
task: backward
says: diamond
"""

INSTEAD = {
    " grads[source] + dx if source in grads else dx": " dx",
}
