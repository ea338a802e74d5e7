"""Lets the second layer take the image, so that the first does nothing.

zh: 第二层接的是图像，第一层就白做了。
task: digits_network
says: units
"""

INSTEAD = {"input=hidden": "input=image"}
