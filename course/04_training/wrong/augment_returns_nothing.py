"""Shifts the images and returns nothing.

zh: 移动了图像，却什么也没有返回。
task: recipe
says: no_batch
"""

INSTEAD = {"return moved.reshape(images.shape)": "moved = moved.reshape(images.shape)"}
