# %% [markdown]
# # Doubling

# %% [markdown] lang="zh"
# # 加倍

# %%
from teachgraph.course.checks import begin

check = begin("00")

# %% [markdown]
# Write it.

# %% [markdown] lang="zh"
# 请写出来。


# %% task="double"
### 说明 x 的两倍。
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    twice = x + x
    return twice
    ### END SOLUTION


# %% tags=["check"] task="double"
check(double)


# %% task="halve"
def halve(x):
    ### BEGIN SOLUTION
    return x / 2
    ### END SOLUTION


# %% tags=["check"] task="halve"
check(halve)
