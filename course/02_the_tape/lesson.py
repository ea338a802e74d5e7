# %% [markdown]
# # The tape
#
# `loss.backward()` is one call. Here you write it yourself: `backward`, fifteen lines,
# on the framework's own nodes. You need the chain rule, and what lesson 01 said of an
# op: it has a rule that turns the gradient of its output into those of its inputs.
#
# ## Watch it happen

# %% [markdown] lang="zh"
# # 磁带
#
# `loss.backward()` 只是一次调用。这里由你亲手来写：`backward`，十五行，
# 直接作用在框架自己的节点上。你需要链式法则，以及第 01 课讲过的：每个算子
# 都有一条规则，把输出的梯度变成各个输入的梯度。
#
# ## 看它发生

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course.checks import checking, expect
from teachgraph.course.tape import free, is_leaf, pull, waits_for_all, watched
from teachgraph.course.wrong import wrong_answer

# %%
# %%trace
x = paddle.to_tensor(2.0, stop_gradient=False)
y = x * x
left = y * 3.0
right = y + 1.0
loss = left * right
loss.backward()

# %% [markdown]
# Each op left a node on the tape, at the left; `backward` went up on the right.
# - `y` is used twice, and both ways meet again in `loss`: a **diamond**. If `y` moves,
#   `loss` moves by way of `left` *and* by way of `right`, so the two gradients add up:
#   5 x 3 = 15 and 12 x 1 = 12 make 27. Where values fan out, gradients are **summed**.
# - `x` was made by no op. It is a **leaf**: a gradient's way ends there.
#
# A node knows three things: its op, its `edges` (for each input, where it came from:
# the node that made it, or the leaf itself; None for a constant) and what it `saved`.

# %% [markdown] lang="zh"
# 每个算子都在磁带上留下一个节点，画在左边；`backward` 在右边由下往上走。
# - `y` 被用了两次，两条路又在 `loss` 汇合：一个**菱形**。`y` 一变，`loss` 既
#   经由 `left` *又*经由 `right` 而变，所以两个梯度相加：5 x 3 = 15，
#   12 x 1 = 12，合为 27。值在哪里分叉，梯度就在哪里**求和**。
# - `x` 不是任何算子造出来的，它是**叶子**：梯度走到这里为止。
#
# 节点只知道三件事：它的算子；它的 `edges`（每个输入从哪里来：造出它的节点，
# 或者叶子本身；常数则为 None）；以及它 `saved` 了什么。


# %%
def diamond():
    """The leaf and the loss of the picture above: d loss / d x is 108."""
    x = paddle.to_tensor(2.0, stop_gradient=False)
    y = x * x
    return x, (y * 3.0) * (y + 1.0)


x, loss = diamond()
print(loss.node, "came from", loss.node.edges, "and saved", loss.node.saved)

# %% [markdown]
# ## Build it: who has to wait?
#
# The node of `y` must not run its rule on 15 alone. It waits until **every** gradient
# has come: that is why the order must be topological. So count first: walk from the
# loss along the edges, and say for each how many gradients will arrive there. Enter a
# node once only: ten diamonds in a row have 1,024 paths, but no more than 31 nodes.

# %% [markdown] lang="zh"
# ## 动手：谁必须等待？
#
# `y` 的节点不能只拿着 15 就运行规则。它要等到**所有**梯度都到齐：这就是为什么
# 必须按拓扑顺序。所以先数：从 loss 出发沿着边走，对每条边说出会有几个梯度到达。
# 每个节点只进入一次：十个菱形连成一串有 1024 条路径，却只有 31 个节点。


# %% task="arrivals"
### HINT Keep a stack of nodes to visit, at first `loss.edge`. Leaves have no edges.
### 提示 用一个栈保存待访问的节点，起初只有 `loss.edge`。叶子没有边。
### HINT Count every edge that is not None, but push it only when you first meet it.
### 提示 每条不是 None 的边都要计数，但节点只在第一次遇到时入栈。
def arrivals(loss):
    """For each edge that `loss` came from: how many gradients will arrive there."""
    ### BEGIN SOLUTION
    count, stack = {}, [loss.edge]
    while stack:
        for edge in stack.pop().edges:
            if edge is not None:
                count[edge] = count.get(edge, 0) + 1
                if count[edge] == 1:
                    stack.append(edge)
    return count
    ### END SOLUTION


# %% tags=["check"] task="arrivals"
with checking("arrivals"):
    x, loss = diamond()
    y = loss.node.edges[0].edges[0]
    long = loss
    for _ in range(9):
        long = (long * 0.5) + (long + 1.0)
    most = max(arrivals(long).values())
    expect(most <= 2, f"{most} at one node: its edges were counted once for every path")
    to_y, to_x = (arrivals(loss).get(edge, 0) for edge in (y, x))
    expect(to_y == 2, f"left and right both use y, so 2 arrive, not {to_y}")
    expect(to_x == 2, f"x * x uses x twice, so 2 arrive there, not {to_x}")

# %% [markdown]
# ## Build it: the reverse pass
#
# Three rules. A node runs when all its gradients have **arrived**. What arrives is
# **added**. When its rule has run, what it saved is **freed**: nobody needs it again.
#
# `pull(node, dout)` runs a node's rule and gives pairs `(edge, gradient)`, `free(node)`
# lets go of what it saved, and `is_leaf(edge)` says where to stop.

# %% [markdown] lang="zh"
# ## 动手：反向过程
#
# 三条规则。梯度全部**到齐**，节点才运行。到达的梯度要**相加**。规则运行之后，
# 它保存的东西就**释放**：再没有谁需要它了。
#
# `pull(node, dout)` 运行节点的规则，给出若干对 `(边, 梯度)`；`free(node)` 放开
# 它保存的东西；`is_leaf(edge)` 说明该在哪里停下。


# %% task="backward"
### HINT Keep `grads`, a dict by edge; at `loss.edge` it starts with ones.
### 提示 用字典 `grads` 按边保存梯度；起初 `loss.edge` 处是 1。
### HINT When a gradient arrives: add it, count down, and at 0 the edge is ready.
### 提示 每到一个梯度：加上它，计数减一；减到 0，这条边就绪。
def backward(loss):
    """The gradient of `loss` at each leaf it came from, as a dict {leaf: array}."""
    ### BEGIN SOLUTION
    waiting, leaves = arrivals(loss), {}
    grads, ready = {loss.edge: np.ones_like(loss.data)}, [loss.edge]
    while ready:
        edge = ready.pop()
        dout = grads.pop(edge)
        if is_leaf(edge):
            leaves[edge] = dout
            continue
        for source, dx in pull(edge, dout):
            grads[source] = grads[source] + dx if source in grads else dx
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
        free(edge)
    return leaves
    ### END SOLUTION


# %% tags=["check"] task="backward"
with checking("backward"):
    x, loss = diamond()
    with waits_for_all(loss) as nodes:
        found = backward(loss)
    expect(x in found, "x is a leaf: its gradient belongs in the dict you return")
    expect(
        found[x] == 108.0,
        f"d loss / d x is 108, not {found[x]}: what arrives along two ways is added, "
        "the second must not replace the first",
    )
    kept = [node for node in nodes if node.saved is not None]
    expect(not kept, f"{kept} still keep what they saved: free each once it ran")
    for _ in range(3000):
        x = x + 1.0
    expect(len(backward(x)) == 1, "a chain of 3,000 ops has one leaf")

# %% [markdown]
# ## Break it
#
# Three passes: yours, where a node turns dashed when it is freed; then two mistakes
# everyone makes once. One writes `=` where gradients meet, and a way of the diamond is
# lost. One runs a node as soon as *a* gradient arrives: step back to see which.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 三次反向：先是你的，节点被释放时会变成虚线；然后是人人都会犯一次的两个错误。
# 一个在梯度汇合处写了 `=`，菱形的一条路就丢了。另一个在*某一个*梯度到达时
# 就立刻运行节点：往回一步步看，是哪一个。

# %%
# %%trace
x, loss = diamond()
print("yours:", watched(backward, loss).get(x))

# %%
# %%trace
x, loss = diamond()
print("overwrites:", watched(wrong_answer("02", "overwrites").backward, loss)[x])

# %%
# %%trace
x, loss = diamond()
print("too early:", watched(wrong_answer("02", "too_early").backward, loss)[x])

# %% [markdown]
# ## When is memory freed?
#
# As each node has run, so a second pass finds nothing; `retain_graph=True` keeps it.
# `.grad` itself is added to, pass after pass, until `clear_grad()`: 108 + 108 = 216.

# %% [markdown] lang="zh"
# ## 内存何时释放？
#
# 每个节点一运行完就释放，所以第二遍什么也找不到；`retain_graph=True` 会留住它。
# `.grad` 本身则一遍遍累加，直到 `clear_grad()`：108 + 108 = 216。

# %%
x, loss = diamond()
loss.backward(retain_graph=True)
loss.backward()
print(x.grad.item())
try:
    loss.backward()
except RuntimeError as error:
    print(error)

# %% [markdown]
# ## In Paddle this is ...
#
# ... `egr::RunBackward`: `getInDegreeMap` is your `arrivals`, `GradTensorHolder` adds,
# and a leaf has a `GradNodeAccumulation`. Here it is `teachgraph/core/tape.py`, which
# takes the order from the nodes' age: an op is younger than what it uses.
#
# ## What next
#
# A gradient can be stopped, changed on its way, and differentiated again: lesson 03.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`egr::RunBackward`：`getInDegreeMap` 就是你的 `arrivals`，`GradTensorHolder`
# 负责相加，叶子有一个 `GradNodeAccumulation`。在这里是 `teachgraph/core/tape.py`，
# 它从节点的年龄得到顺序：算子总比它用到的东西年轻。
#
# ## 接下来
#
# 梯度可以被拦下、在途中被改变、再次求导：第 03 课。
