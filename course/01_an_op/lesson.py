# %% [markdown]
# # An op
#
# At the end of this lesson you have written the gradients of four functions, and with
# them the first lines of your own framework. Every framework, however large, is a heap
# of ops with gradients and a way to walk through them. So here is the question: what
# must an op *know*, so that a network made of a thousand of them can learn?
#
# ## Watch it happen
#
# Run the next cell and look at the picture. Click an op, or press Enter on it, to see
# what it computed and what it **saved**.

# %% [markdown] lang="zh"
# # 算子
#
# 学完这一课，你会亲手写出四个函数的梯度，它们就是你自己的框架的头几行。
# 任何框架，无论多大，都是一堆带梯度的算子，加上一种走遍它们的办法。
# 那么问题来了：一个算子必须*知道*什么，才能让由上千个算子组成的网络学会东西？
#
# ## 看它发生
#
# 运行下一个单元格，看图。点击一个算子，或在它上面按 Enter，就能看到它算出了什么，
# 又**保存**了什么。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course.checks import begin

check = begin("01")

# %%
# %%trace --pace 0.5
x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
y = paddle.to_tensor([4.0, 5.0, 6.0], stop_gradient=False)
product = x * y
loss = (product + x).sum()
loss.backward()
print("gradient of x:", x.grad.numpy(), "of y:", y.grad.numpy())

# %% [markdown]
# An op is two functions. The **kernel** computes: numbers in, numbers out. The **rule**
# goes the other way: handed `dout`, how fast the loss changes with the op's *output*,
# it returns how fast it changes with each *input*. For `out = x * y` the slope with
# respect to `x` is `y`, so the rule returns `dout * y` and `dout * x`: it needs both
# inputs again, and that is why the op saved them.
#
# ## Predict
#
# Count in the picture: how many arrays did each of the three ops save for its rule?

# %% [markdown] lang="zh"
# 一个算子是两个函数。**核函数**负责计算：数进，数出。**规则**朝反方向走：拿到
# `dout`，即损失随算子的*输出*变化得多快，它返回损失随每个*输入*变化得多快。
# 对 `out = x * y` 来说，关于 `x` 的斜率是 `y`，所以规则返回 `dout * y` 和
# `dout * x`：它还要再用到两个输入，算子正是为此才保存了它们。
#
# ## 预测
#
# 在图里数一数：三个算子各为自己的规则保存了几个数组？


# %% task="saved_arrays" tags=["quiz"]
### 说明 乘、加、求和各保存几个数组（只记形状的不算）。
def saved_arrays():
    """The numbers of arrays that multiply, add and sum save; shapes do not count."""
    ### BEGIN SOLUTION
    return [2, 0, 0]
    ### END SOLUTION


# %% tags=["check"] task="saved_arrays"
check(saved_arrays)

# %% [markdown]
# ## From paper to code
#
# The rule for `x sin x`: take the derivative on paper, with the product rule, and write
# it down. `x` is a whole array; a formula in NumPy treats all elements at once.

# %% [markdown] lang="zh"
# ## 从纸上到代码
#
# `x sin x` 的规则：先在纸上用乘积法则求导，再写下来。`x` 是一整个数组；
# NumPy 里的一个式子同时作用于所有元素。


# %% task="slope" tags=["apart"]
### 说明 x sin x 在每个 x 处的导数。
def slope(x):
    """The derivative of x sin x at each x."""
    ### BEGIN SOLUTION
    first = np.sin(x)
    second = x * np.cos(x)
    return first + second
    ### END SOLUTION


# %% tags=["check"] task="slope"
check(slope)

# %% [markdown]
# ## Build it: multiply
#
# NumPy **broadcasts**: a column `[3, 1]` times a row `[4]` gives `[3, 4]`, because each
# element of the row is used three times. What is used three times gets three gradients,
# and they add up. So the rule has to sum over the copies, until the gradient of each
# input has that input's own shape. Write `dout.sum(...)` rather than `np.sum(dout)`:
# from lesson 02 on `dout` may be a Tensor of yours, which has `shape` and `ndim`, `+`,
# `-`, `*`, `sum` and `reshape`, and nothing else.

# %% [markdown] lang="zh"
# ## 动手：乘法
#
# NumPy 会**广播**：一列 `[3, 1]` 乘一行 `[4]` 得到 `[3, 4]`，因为行里的每个元素都
# 用了三次。用了三次的，就收到三份梯度，它们要相加。所以规则必须对这些副本求和，
# 直到每个输入的梯度都和那个输入形状相同。请写 `dout.sum(...)` 而不是 `np.sum(dout)`：
# 从第 02 课起，`dout` 可能是你的 Tensor，它只有 `shape`、`ndim`、`+`、`-`、`*`、
# `sum` 和 `reshape`。


# %% task="shapes_back" tags=["quiz"]
### 说明 x [3, 1] 乘 y [4]：两个梯度的形状。
def shapes_back():
    """For x [3, 1] times y [4]: the shapes of the two gradients, as a list of two."""
    ### BEGIN SOLUTION
    return [[3, 1], [4]]
    ### END SOLUTION


# %% tags=["check"] task="shapes_back"
check(shapes_back)


# %% task="unbroadcast"
### 说明 对 dout 中由广播产生的副本求和，直到它的形状是 shape。
def unbroadcast(dout, shape):
    """Sum dout over the copies that broadcasting made, until it has this shape."""
    ### BEGIN SOLUTION
    added = tuple(range(dout.ndim - len(shape)))
    dout = dout.sum(axis=added)
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1)
    return dout.sum(axis=stretched, keepdims=True)
    ### END SOLUTION


# %% tags=["check"] task="unbroadcast"
check(unbroadcast)


# %% task="mul_rule"
### 说明 乘法的规则：x 的梯度和 y 的梯度。
def mul_rule(dout, x, y):
    """The rule of x * y: the gradient of x, and that of y."""
    ### BEGIN SOLUTION
    dx = unbroadcast(dout * y, x.shape)
    dy = unbroadcast(dout * x, y.shape)
    return dx, dy
    ### END SOLUTION


# %% tags=["check"] task="mul_rule"
check(mul_rule)

# %% [markdown]
# ## Build it: sum
#
# Summing is broadcasting, backwards. If one element grows by a little, the sum grows by
# just as much, so each element gets the whole `dout`. First give `dout` back the axes
# that were summed away, of size 1 (with keepdims they are still there), then stretch it
# to the shape of `x`. As in NumPy, `axis` is None for all axes, a number, or a tuple.

# %% [markdown] lang="zh"
# ## 动手：求和
#
# 求和就是反过来的广播。进入和的每个元素动多少，和就动多少，所以每个元素都得到完整的
# `dout`。先把被求和消去的轴还给 `dout`（大小为 1；若有 keepdims，它们还在），再把它
# 拉伸成 `x` 的形状。与 NumPy 一样，`axis` 是 None（所有的轴）、一个数或一个元组。


# %% task="sum_rule"
### 说明 np.sum(x, axis, keepdims) 的规则，即只含一个梯度的元组；axis 与那里一样。
def sum_rule(dout, x, axis=None, keepdims=False):
    """The rule of np.sum(x, axis, keepdims), a tuple of one gradient; axis as there."""
    ### BEGIN SOLUTION
    shape = list(x.shape)
    summed = range(x.ndim) if axis is None else np.atleast_1d(axis)
    for one in summed:
        shape[one] = 1
    return (dout.reshape(shape) * np.ones(x.shape),)
    ### END SOLUTION


# %% tags=["check"] task="sum_rule"
check(sum_rule)

# %% [markdown]
# ## Build it: softplus
#
# Softplus, log(1 + eˣ), is a ReLU without the corner. Written as it stands it fails at
# x = 800, where eˣ is infinite. Use log(1 + eˣ) = max(x, 0) + log(1 + e⁻|x|), in which
# nothing overflows. Its slope is the **sigmoid**, 1 / (1 + e⁻ˣ), which is given as
# `sigmoid` below, an op like any other. Here are also `Op` itself and the ops that your
# rules make; these lines are the beginning of your framework.

# %% [markdown] lang="zh"
# ## 动手：softplus
#
# softplus，即 log(1 + eˣ)，是没有拐角的 ReLU。照原样写下来，在 x = 800 处就会失败，
# 因为那里 eˣ 是无穷大。请用 log(1 + eˣ) = max(x, 0) + log(1 + e⁻|x|)，其中什么也
# 不会溢出。它的斜率是 **sigmoid**，1 / (1 + e⁻ˣ)，下面作为 `sigmoid` 给出，它和别的
# 算子没有两样。这里还有 `Op` 本身，以及用你的规则造出的算子；这些行就是你的框架的
# 开头。


# %% tags=["mine"]
### 说明 核函数负责计算；规则知道每个输入的梯度。
class Op:
    """A kernel, which computes, and a rule, which knows the gradient of each input."""

    def __init__(self, name, kernel, rule):
        self.name, self.kernel, self.rule = name, kernel, rule

    def __call__(self, *inputs, **attrs):
        return self.kernel(*inputs, **attrs)


def add_rule(dout, x, y):
    return unbroadcast(dout, x.shape), unbroadcast(dout, y.shape)


def sigmoid_rule(dout, x):
    return (dout * sigmoid(x) * (1.0 - sigmoid(x)),)


add = Op("add", np.add, add_rule)
mul = Op("mul", np.multiply, mul_rule)
total = Op("sum", np.sum, sum_rule)
sigmoid = Op("sigmoid", lambda x: 1.0 / (1.0 + np.exp(-x)), sigmoid_rule)


# %% task="softplus"
### 说明 log(1 + e^x)，对任何 x 都不溢出。
def softplus(x):
    """log(1 + e^x), which overflows for no x."""
    ### BEGIN SOLUTION
    ramp = np.maximum(x, 0.0)
    return ramp + np.log1p(np.exp(-np.abs(x)))
    ### END SOLUTION


# %% tags=["check"] task="softplus"
check(softplus)


# %% task="softplus_rule"
### 说明 softplus 的规则：只含一个梯度的元组，用 sigmoid 写成。
def softplus_rule(dout, x):
    """The rule of softplus, written with `sigmoid`: a tuple of one gradient."""
    ### BEGIN SOLUTION
    return (dout * sigmoid(x),)
    ### END SOLUTION


# %% tags=["check"] task="softplus_rule"
check(softplus_rule)


# %% task="curve_at_zero" tags=["quiz"]
### 说明 softplus 的斜率的斜率在 x = 0 处是多少。
def curve_at_zero():
    """The slope of the slope of softplus at x = 0."""
    ### BEGIN SOLUTION
    return 0.25
    ### END SOLUTION


# %% tags=["check"] task="curve_at_zero"
check(curve_at_zero)

# %% [markdown]
# ## Break it
#
# What if a rule forgets to sum over the copies? Nothing happens at first: no error, and
# the numbers look like numbers. Watch the bias `b` while it takes two steps:

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 一条忘了对副本求和的规则会怎样？起初什么事也没有：不报错，数也像是数。
# 看着偏置 `b` 走两步：

# %%
x, b = np.ones((3, 1)), np.array([1.0, 2.0, 3.0, 4.0])
for step in range(2):
    dout = np.ones(np.shape(x * b))
    db = dout * x
    b = b - 0.1 * db
    print("step", step, "b has shape", b.shape)

# %% [markdown]
# A vector of 4 has become a matrix of 12, without a word. Put your own rule in the
# place of `dout * x`, and it stays what it is.
#
# ## In Paddle this is ...
#
# ... `multiply` with its kernel `MultiplyKernel` and its rule `MultiplyGradKernel`,
# which end in the same sum over the copies. In PyTorch an op and its rule stand in
# `derivatives.yaml`, one line each. Here they are `teachgraph/core/ops.py`.
#
# ## What next
#
# Whose slope can you take now? Try `tanh`, whose rule is shortest when it uses the
# *output*. In lesson 02 the ops leave a trail, and your own `backward` walks it.

# %% [markdown] lang="zh"
# 一个长 4 的向量变成了 12 个数的矩阵，却一声不响。把 `dout * x` 换成你自己的规则，
# 它就保持原样。
#
# ## 在 Paddle 中，这就是……
#
# ……`multiply`，它的核函数是 `MultiplyKernel`，规则是 `MultiplyGradKernel`，末尾同样
# 对副本求和。在 PyTorch 中，算子和它的规则写在 `derivatives.yaml` 里，各占一行。
# 在这里是 `teachgraph/core/ops.py`。
#
# ## 接下来
#
# 现在你能求谁的斜率了？试试 `tanh`，它的规则用*输出*来写最短。在第 02 课，算子会
# 留下足迹，由你自己的 `backward` 去走。
