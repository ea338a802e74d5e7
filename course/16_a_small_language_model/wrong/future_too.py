"""Lets each token look at the later ones.

zh: 让每个词元也看后面的。
task: may_look
says: future
"""

INSTEAD = {"places[:, None] >= places": "places[:, None] <= places"}
