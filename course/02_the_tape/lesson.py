# %% [markdown]
# # The tape
#
# `loss.backward()` is one call. At the end of this lesson you have written it, for any
# graph, on your own ops, in some fifteen lines. One question to ask on the way: a value
# is used twice, so two gradients arrive at the op that made it. In which order, then,
# may the ops run?
#
# ## Watch it happen
#
# While the next cell runs, look at the picture; afterwards step through it with the
# arrow keys. `Shift` and an arrow step one event: one gradient that arrives.

# %% [markdown] lang="zh"
# # 磁带
#
# `loss.backward()` 只是一次调用。学完这一课，它就是你写的了：用你自己的算子，
# 十几行，对任何图都行。一路上有个问题值得一问：一个值被用了两次，就有两份梯度
# 到达造出它的算子。那么，算子该按什么顺序运行？
#
# ## 看它发生
#
# 下一个单元格运行时，请看图；之后用方向键一步步走。按住 `Shift` 再按方向键，
# 一次走一个事件：一份梯度的到达。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside, watched
from teachgraph.course.checks import begin
from teachgraph.course.wrong import wrong_answer

check = begin("02")

# %%
# %%trace --pace 0.5
x = paddle.to_tensor(2.0, stop_gradient=False)
y = x * x
left = y * 3.0
right = y + 1.0
loss = left * right
loss.backward()

# %% [markdown]
# Each op left a **node** on the tape, on the left; `backward` went up on the right.
# - `y` is used twice, and both ways meet again in `loss`: a **diamond**. If `y` moves,
#   `loss` moves by way of `left` *and* by way of `right`, so the two gradients add up:
#   5 x 3 = 15 and 12 x 1 = 12 make 27. Where values fan out, gradients are *summed*.
# - `x` was made by no op. It is a **leaf**: a gradient's way ends there.
#
# ## Your own tape
#
# Here are your ops of lesson 01, and with them a `Tensor` and a `Node`. A node knows
# three things: its op, what it `saved` for the rule, and its `edges`: for each input,
# where it came from (the node that made it, or the leaf itself; None for a constant).

# %% [markdown] lang="zh"
# 每个算子都在磁带上留下一个**节点**，画在左边；`backward` 在右边由下往上走。
# - `y` 被用了两次，两条路又在 `loss` 汇合：一个**菱形**。`y` 一变，`loss` 既
#   经由 `left` *又*经由 `right` 而变，所以两个梯度相加：5 x 3 = 15，
#   12 x 1 = 12，合为 27。值在哪里分叉，梯度就在哪里*求和*。
# - `x` 不是任何算子造出来的，它是**叶子**：梯度走到这里为止。
#
# ## 你自己的磁带
#
# 这里是你在第 01 课写的算子，还有一个 `Tensor` 和一个 `Node`。节点只知道三件事：
# 它的算子；它为规则 `saved`（保存）了什么；以及它的 `edges`（边）：每个输入从哪里来
# （造出它的节点，或者叶子本身；常数则为 None）。

# %%
from teachgraph.course.mine import Op, add, announce, mul, total


# %% tags=["mine"]
### 说明 一个数组，以及造出它的节点；叶子没有节点。
### 说明 运行过的一个算子：保存的输入，以及每个输入从哪里来。
### 说明 运行一个算子；若有输入需要梯度，就留下一个节点。
### 说明 把 dout 交给节点的规则：给出若干对（边，梯度）。
class Tensor:
    """An array, and the node that made it; a leaf has none."""

    def __init__(self, data, stop_gradient=True, node=None):
        self.data = np.asarray(data, "float64")
        self.stop_gradient, self.node, self.grad = stop_gradient, node, None
        announce("tensor_created", self)

    shape = property(lambda self: self.data.shape)
    ndim = property(lambda self: self.data.ndim)
    __add__ = __radd__ = lambda self, other: add(self, other)
    __mul__ = __rmul__ = lambda self, other: mul(self, other)
    __array_ufunc__ = None

    def sum(self, axis=None, keepdims=False):
        return total(self, axis=axis, keepdims=keepdims)


class Node:
    """One op that ran: the inputs it saved, and where each of them came from."""

    def __init__(self, op, inputs, attrs):
        self.op, self.saved, self.attrs = op, inputs, attrs
        self.edges = [origin(x) for x in inputs]

    def read(self):
        return values(self.saved)

    def free(self):
        self.saved = None
        announce("node_freed", self)


def origin(x):
    return None if getattr(x, "stop_gradient", True) else x.node or x


def values(inputs):
    assert inputs is not None, "this node was freed, and is asked to run again"
    return [x.data if isinstance(x, Tensor) else np.asarray(x) for x in inputs]


def record(op, *inputs, **attrs):
    """Run an op; leave a node if an input wants a gradient."""
    if not any(isinstance(x, Tensor) for x in inputs):
        return op.kernel(*inputs, **attrs)
    wanted = any(origin(x) is not None for x in inputs)
    node = Node(op, inputs, attrs) if wanted else None
    return Tensor(op.kernel(*values(inputs), **attrs), not wanted, node)


def pull(node, dout):
    """Hand dout to the node's rule: pairs (edge, gradient)."""
    announce("grad_ready", node, dout)
    gradients = node.op.rule(dout, *node.read(), **node.attrs)
    pairs = []
    for index, (edge, dx) in enumerate(zip(node.edges, gradients)):
        if edge is None:
            continue
        announce("grad_flows", node, index, edge, dx)
        pairs.append((edge, dx))
    return pairs


Op.__call__ = record


# %%
def diamond():
    x = Tensor(2.0, stop_gradient=False)
    y = x * x
    return x, (y * 3.0) * (y + 1.0)


x, loss = diamond()
print(loss.node.op.name, "came from", [edge.op.name for edge in loss.node.edges])

# %% [markdown]
# ## Predict
#
# Two ops use `y`, so two ways lead from the loss to it. Ten such diamonds in a row have
# 1,024 ways. How often must a rule run, so that the gradient of `x` is right?

# %% [markdown] lang="zh"
# ## 预测
#
# 有两个算子用了 `y`，所以从损失到它有两条路。十个这样的菱形连成一串，就有 1024 条路。
# 要让 `x` 的梯度正确，一条规则必须运行几次？


# %% task="runs_of_a_rule" tags=["quiz"]
### 说明 每个节点的规则运行几次。
def runs_of_a_rule():
    """The number of runs of each node's rule."""
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION


# %% tags=["check"] task="runs_of_a_rule"
check(runs_of_a_rule)

# %% [markdown]
# ## Build it: who has to wait?
#
# If the node of `y` ran its rule on 15 at once, it would have to run again on 12, and
# so would all the nodes below it. So it waits until *every* gradient has come. For
# that, count first: walk from the loss along the edges, and count for each node and
# leaf you meet how many edges lead to it. Enter a node once only; a constant (None)
# does not count.

# %% [markdown] lang="zh"
# ## 动手：谁必须等待？
#
# 如果 `y` 的节点拿着 15 就立刻运行规则，等 12 来了就得再运行一次，它下面的所有节点也
# 一样。所以它要等到*所有*梯度都到齐。为此先数：从 loss 出发沿着边走，统计通向每个节点
# 和叶子的边各有几条。每个节点只进入一次；常数（None）不算。


# %% task="arrivals"
### 说明 统计将要到达的梯度：字典 {节点或叶子: 个数}。
def arrivals(loss):
    """Count the gradients that will arrive: a dict {node or leaf: number}."""
    ### BEGIN SOLUTION
    count, stack = {}, [loss.node]
    while stack:
        for edge in stack.pop().edges:
            if edge is not None:
                count[edge] = count.get(edge, 0) + 1
                if count[edge] == 1 and isinstance(edge, Node):
                    stack.append(edge)
    return count
    ### END SOLUTION


# %% tags=["check"] task="arrivals"
check(arrivals)


# %% task="arrive_at_x" tags=["quiz"]
### 说明 在 (x * x) * x 中，有几个梯度到达 x。
def arrive_at_x():
    """The number of gradients that arrive at x in (x * x) * x."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="arrive_at_x"
check(arrive_at_x)

# %% [markdown]
# ## Build it: the reverse pass
#
# Three rules. A node runs when all its gradients have *arrived*. What arrives is
# *added*. When its rule has run, what it saved is *freed* (`node.free()`):
# nobody needs it again, unless the caller said `retain_graph`.
#
# `pull(node, dout)` runs a node's rule and gives pairs `(edge, gradient)`.

# %% [markdown] lang="zh"
# ## 动手：反向传播
#
# 三条规则。梯度全部*到齐*，节点才运行。到达的梯度要*相加*。规则运行之后，
# 它保存的东西就被*释放*（`node.free()`）：再没有谁需要它了，除非调用者传入了
# `retain_graph`。
#
# `pull(node, dout)` 运行节点的规则，给出若干对 `(边, 梯度)`。


# %% task="backward"
### 说明 loss 对它所来自的每个叶子的梯度，即字典 {叶子: 数组}。
def backward(loss, retain_graph=False):
    """The gradient of `loss` at each leaf it came from, as a dict {leaf: array}."""
    ### BEGIN SOLUTION
    waiting, leaves = arrivals(loss), {}
    grads, ready = {loss.node: np.ones_like(loss.data)}, [loss.node]
    while ready:
        edge = ready.pop()
        dout = grads.pop(edge)
        if isinstance(edge, Tensor):
            leaves[edge] = dout
            continue
        for source, dx in pull(edge, dout):
            grads[source] = grads[source] + dx if source in grads else dx
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
        if not retain_graph:
            edge.free()
    return leaves
    ### END SOLUTION


# %% tags=["check"] task="backward"
check(backward)

# %% [markdown]
# ## Build it: where gradients pile up
#
# A framework does not return gradients, it puts them into `.grad`, and *adds* to what
# is there: so a batch too large for memory can be done in parts, and two losses can
# share a parameter. It is also why training clears them at each step.

# %% [markdown] lang="zh"
# ## 动手：梯度在哪里累加
#
# 框架不返回梯度，而是放进 `.grad`，并且*加*到已有的上面：这样，放不进内存的大批次
# 可以分几份来做，两个损失也可以共用一个参数。这也是训练时每一步都要清零的原因。


# %% task="accumulate"
### 说明 把 loss 对每个叶子的梯度加到它的 grad 上；新叶子的 grad 是 None。
def accumulate(loss, retain_graph=False):
    """Add d loss / d leaf to the `grad` of each leaf; a new leaf's is None."""
    ### BEGIN SOLUTION
    for leaf, dx in backward(loss, retain_graph).items():
        leaf.grad = dx if leaf.grad is None else leaf.grad + dx
    ### END SOLUTION


# %% tags=["check"] task="accumulate"
check(accumulate)

# %% [markdown]
# ## Break it
#
# Two mistakes everyone makes once. One writes `=` where gradients meet, and a way of
# the diamond is lost. One runs a node as soon as *a* gradient arrives: its sum is
# right, but count how often `mul` runs, and it can free nothing. Here is each beside
# yours, under one slider: the first event in which they differ is marked. Step through
# both to it (`Shift` and an arrow).

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 人人都会犯一次的两个错误。一个在梯度汇合处写了 `=`，菱形的一条路就丢了。另一个在
# *某一个*梯度到达时就立刻运行节点：和是对的，但数一数 `mul` 运行了几次，而且它什么也
# 不能释放。这里把每一个都放在你的版本旁边，共用一个滑块：第一个不同的事件会标出来。
# 一步步走到那里（`Shift` 加方向键）。


# %%
def yours():
    x, loss = diamond()
    gradients = watched(backward, loss)


def overwrites():
    x, loss = diamond()
    gradients = watched(wrong_answer("02", "overwrites", globals()).backward, loss)


def too_early():
    x, loss = diamond()
    gradients = watched(wrong_answer("02", "too_early", globals()).backward, loss)


beside(yours, overwrites, names=("yours", "overwrites"))

# %%
beside(yours, too_early, names=("yours", "too early"))

# %% [markdown]
# ## When is memory freed?
#
# As each node has run: so a second pass finds nothing, unless the first one kept it.

# %% [markdown] lang="zh"
# ## 内存何时释放？
#
# 每个节点一运行完就释放：所以第二遍什么也找不到，除非第一遍留住了它。


# %% task="after_two_passes" tags=["quiz"]
### 说明 在菱形上走两遍之后 x.grad 的值，第一遍带 retain_graph。
def after_two_passes():
    """The value of x.grad after two passes over the diamond, the first retained."""
    ### BEGIN SOLUTION
    return 216.0
    ### END SOLUTION


# %% tags=["check"] task="after_two_passes"
check(after_two_passes)

# %% [markdown]
# ## In Paddle this is ...
#
# ... `egr::RunBackward`: `getInDegreeMap` is your `arrivals`, `GradTensorHolder` adds,
# and a leaf has a `GradNodeAccumulation`. In PyTorch `Engine::compute_dependencies`
# counts and `AccumulateGrad` adds. Here it is the core's `teachgraph/core/tape.py`,
# which takes the order from the nodes' age: an op is younger than what it uses.
#
# ## What next
#
# Make a chain of 10,000 additions and call your `backward`: a loop does not mind, a
# recursion would. In lesson 03 a gradient is stopped, changed on its way, and
# differentiated again.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`egr::RunBackward`：`getInDegreeMap` 就是你的 `arrivals`，`GradTensorHolder`
# 负责相加，叶子有一个 `GradNodeAccumulation`。在 PyTorch 中是
# `Engine::compute_dependencies` 和 `AccumulateGrad`。在这里是核心的
# `teachgraph/core/tape.py`，它从节点的年龄得到顺序：算子总比它用到的东西年轻。
#
# ## 接下来
#
# 做一条由 10000 次加法组成的链，再调用你的 `backward`：循环无所谓，递归可受不了。
# 在第 03 课，梯度会被拦下、在途中被改变、再次求导。
