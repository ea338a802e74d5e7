# %% [markdown]
# # Doubling

# %% [markdown] lang="zh"
# # 加倍

# %%
from teachgraph.course.checks import checking, expect

# %% [markdown]
# Write it.

# %% [markdown] lang="zh"
# 请写出来。


# %% task="double"
### HINT What is x plus x?
### 提示 x 加 x 是多少？
### HINT `x + x`
### 提示 `x + x`
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    twice = x + x
    return twice
    ### END SOLUTION


# %% tags=["check"] task="double"
with checking("double"):
    expect(double(2) == 4, "2 doubled is 4")
    expect(double(-1) == -2, "negative numbers double too")


# %% task="halve"
### HINT Divide.
### 提示 除法。
def halve(x):
    ### BEGIN SOLUTION
    return x / 2
    ### END SOLUTION


# %% tags=["check"] task="halve"
with checking("halve"):
    expect(halve(4) == 2, "half of 4 is 2")
