"""Takes the velocity for the step, without the rate.

zh: 把速度当作一步，没有乘学习率。
task: momentum
says: wrong
"""

INSTEAD = {"w - rate * v": "w - v"}
