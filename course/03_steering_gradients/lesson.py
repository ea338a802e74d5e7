# %% [markdown]
# # Steering gradients
#
# At the end of this lesson you can stop a gradient, change it on its way, and take the
# gradient *of* a gradient, on your own tape. All three are in daily use: evaluation
# without a tape, clipping, gradient penalties. A question to keep in mind: if the
# backward pass is made of ops too, who records those?
#
# ## Watch it happen
#
# Step to the two lines with `grad`: the first leaves a tape of its own, and the second
# walks over that.

# %% [markdown] lang="zh"
# # 控制梯度
#
# 学完这一课，你能在自己的磁带上拦住梯度、在途中改变它、还能求梯度*的*梯度。
# 这三样天天有人用：不带磁带的评估、裁剪、梯度惩罚。带着这个问题往下看：
# 既然反向传播也由算子组成，那么谁来记录它们？
#
# ## 看它发生
#
# 走到带 `grad` 的两行：第一个留下了它自己的一条磁带，第二个就在那上面走。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside, watched
from teachgraph.course.checks import begin
from teachgraph.course.wrong import wrong_answer

check = begin("03")

# %%
# %%trace --pace 0.5
x = paddle.to_tensor(3.0, stop_gradient=False)
y = x * x * x
(slope,) = paddle.grad(y, x, create_graph=True)
(bend,) = paddle.grad(slope, x)
print("slope", slope.item())

# %% [markdown]
# ## Predict
#
# `y` is x³ and `x` is 3. What is `bend`, the slope of the slope? Work it out on paper
# before you look: it stands at the end of the second way back.

# %% [markdown] lang="zh"
# ## 预测
#
# `y` 是 x³，`x` 是 3。斜率的斜率 `bend` 是多少？先在纸上算，再看图：它在第二次返回的
# 尽头。


# %% task="bend_of_cube" tags=["quiz"]
### 说明 x³ 在 x = 3 处的二阶导数。
def bend_of_cube():
    """The second derivative of x³ at x = 3."""
    ### BEGIN SOLUTION
    return 18.0
    ### END SOLUTION


# %% tags=["check"] task="bend_of_cube"
check(bend_of_cube)

# %% [markdown]
# ## Build it: no_grad
#
# Your tape of lesson 02 gets a switch, `recording.on`, that every op asks. `no_grad`
# turns it off for a `with` block. Afterwards it is as it was *before*: also when the
# block raises, and when one `no_grad` stands inside another.

# %% [markdown] lang="zh"
# ## 动手：no_grad
#
# 第 02 课的磁带有了一个开关 `recording.on`，每个算子都会看它。`no_grad` 在一个 `with`
# 块内把它关掉。之后它要恢复*原样*：块里引发错误时如此，一个 `no_grad` 套着另一个时
# 也如此。

# %%
from teachgraph.course.mine import Node, Op, Tensor, backward, record
from teachgraph.course.mine import softplus, softplus_rule, values


# %% tags=["mine"]
### 说明 运行一个算子；只有开关开着时才留下节点。
### 说明 规则读的东西；要求二阶导数时，它们仍是 Tensor。
### 说明 d loss / d leaf；若 create_graph，它自己也能被求导。
from contextlib import contextmanager


class Recording:
    on, twice = True, False


recording = Recording()
record_always = record


def record_if_on(op, *inputs, **attrs):
    """Run an op; leave a node only if the switch is on."""
    if recording.on:
        return record_always(op, *inputs, **attrs)
    with_tensors = any(isinstance(x, Tensor) for x in inputs)
    out = op.kernel(*values(inputs), **attrs)
    return Tensor(out) if with_tensors else out


def read(node):
    """The inputs of a rule; Tensors still, if the slope is to have a slope itself."""
    if not recording.twice:
        return values(node.saved)
    return [x if isinstance(x, Tensor) else np.asarray(x) for x in node.saved]


def grad(loss, leaf, create_graph=False):
    """d loss / d leaf; with create_graph it can be differentiated in its turn."""
    recording.twice = create_graph
    try:
        return backward(loss, retain_graph=create_graph)[leaf]
    finally:
        recording.twice = False


def reshape_rule(dout, x, shape):
    return (dout.reshape(x.shape),)


reshape = Op("reshape", lambda x, shape: x.reshape(shape), reshape_rule)
Tensor.reshape = lambda self, shape: reshape(self, shape=tuple(shape))
Tensor.__sub__ = lambda self, other: self + (-1.0 * other)
Tensor.__rsub__ = lambda self, other: -1.0 * self + other
smooth = Op("softplus", softplus, softplus_rule)
Node.read, Op.__call__ = read, record_if_on


# %% task="no_grad"
### 说明 在 with 块内，算子不留下节点；之后恢复原样。
@contextmanager
def no_grad():
    """Inside, ops leave no nodes; afterwards it is as it was before."""
    ### BEGIN SOLUTION
    before = recording.on
    recording.on = False
    try:
        yield
    finally:
        recording.on = before
    ### END SOLUTION


# %% tags=["check"] task="no_grad"
check(no_grad)


# %% task="nodes_left" tags=["quiz"]
### 说明 with no_grad(): y = x * x；之后 z = y * x：磁带上有几个节点。
def nodes_left():
    """Nodes on the tape after `with no_grad(): y = x * x` and then `z = y * x`."""
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION


# %% tags=["check"] task="nodes_left"
check(nodes_left)

# %% [markdown]
# ## Build it: detach
#
# `no_grad` stops all gradients of a block, `detach` those of one value: the same
# numbers, and no way back.

# %% [markdown] lang="zh"
# ## 动手：detach
#
# `no_grad` 拦下一个块里的所有梯度，`detach` 只拦一个值的：数相同，却没有回去的路。


# %% task="detach"
### 说明 与 x 相同的数，没有通向 x 的边。
def detach(x):
    """The numbers of x, without an edge to it."""
    ### BEGIN SOLUTION
    return Tensor(x.data)
    ### END SOLUTION


# %% tags=["check"] task="detach"
check(detach)

# %% [markdown]
# ## Build it: a hook
#
# A hook changes a gradient on its way. It needs no new machinery: it is an *op* that
# does nothing forward, and whose rule is the change. Since it stands where the value
# is read from, it sees the whole gradient, after the sum.

# %% [markdown] lang="zh"
# ## 动手：钩子
#
# 钩子在途中改变梯度。它不需要任何新机制：它就是一个*算子*，前向什么也不做，
# 而它的规则就是那个改变。因为它站在值被读取的地方，所以看到的是求和之后的整个梯度。


# %% task="hook"
### 说明 x 本身；返回的路上，它的梯度 g 变成 change(g)。
def hook(x, change):
    """x itself; on the way back its gradient g becomes change(g)."""

    ### BEGIN SOLUTION
    def rule(dout, value):
        return (change(dout),)

    same = Op("hook", lambda value: value, rule)
    return same(x)
    ### END SOLUTION


# %% tags=["check"] task="hook"
check(hook)

# %% [markdown]
# The commonest change is **clipping**: a gradient whose norm, the root of the sum of
# its squares, is more than `most` is scaled down to it. Its direction stays.

# %% [markdown] lang="zh"
# 最常见的改变是**裁剪**：梯度的范数（平方和的根）若大于 `most`，就缩小到 `most`。
# 它的方向不变。


# %% task="clip"
### 说明 一个函数：把梯度 g 缩小到范数不超过 most。
def clip(most):
    """A function that scales a gradient g so that its norm is at most `most`."""

    ### BEGIN SOLUTION
    def change(g):
        norm = np.sqrt(np.sum(g * g))
        return g * min(1.0, most / norm) if norm > 0 else g

    return change
    ### END SOLUTION


# %% tags=["check"] task="clip"
check(clip)

# %% [markdown]
# ## Build it: a gradient penalty
#
# To keep a function smooth, training may punish steep slopes: the loss gets the sum of
# the squares of d score / dx. That penalty is to be minimised too, so *it* must have a
# gradient: `grad(..., create_graph=True)` lets your own rules record themselves.

# %% [markdown] lang="zh"
# ## 动手：梯度惩罚
#
# 为了让函数平滑，训练时可以惩罚陡坡：损失里加上 d score / dx 的平方和。这个惩罚也要
# 被最小化，所以*它*必须有梯度：`grad(..., create_graph=True)` 让你自己的规则把自己
# 记录下来。


# %% task="gradient_penalty"
### 说明 d score(x).sum() / dx 的平方和，是一个可以求导的 Tensor；x 是数组。
def gradient_penalty(score, x):
    """The sum of squares of d score(x).sum() / dx, a Tensor; x is an array."""
    ### BEGIN SOLUTION
    leaf = Tensor(x, stop_gradient=False)
    total_score = score(leaf).sum()
    dx = grad(total_score, leaf, create_graph=True)
    return (dx * dx).sum()
    ### END SOLUTION


# %% tags=["check"] task="gradient_penalty"
check(gradient_penalty)

# %% [markdown]
# ## Break it
#
# A `detach` that keeps the edge looks right: the numbers are the same. Beside yours,
# its gradient goes where it should not.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 一个保留了边的 `detach` 看上去没错：数都一样。放在你的旁边，就看到它的梯度走到了
# 不该去的地方。


# %%
def yours():
    x = Tensor(3.0, stop_gradient=False)
    cut = detach(x * x)
    loss = x * cut
    gradients = watched(backward, loss)


def keeps_the_edge():
    x = Tensor(3.0, stop_gradient=False)
    cut = wrong_answer("03", "keeps_the_edge", globals()).detach(x * x)
    loss = x * cut
    gradients = watched(backward, loss)


beside(yours, keeps_the_edge, names=("yours", "keeps the edge"))


# %% task="slope_past_a_cut" tags=["quiz"]
### 说明 loss = x * detach(x * x)，x = 3：你的磁带给出的 d loss / dx。
def slope_past_a_cut():
    """The d loss / dx of your tape for loss = x * detach(x * x), x = 3."""
    ### BEGIN SOLUTION
    return 9.0
    ### END SOLUTION


# %% tags=["check"] task="slope_past_a_cut"
check(slope_past_a_cut)

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.no_grad`, `x.detach()`, `x.register_hook(f)` and
# `paddle.grad(..., create_graph=True)`; in PyTorch they have the same names, under
# `torch` and `torch.autograd`. Here each hangs on the core, in `teachgraph/autograd/`.
#
# ## What next
#
# Try three times in a row: the slope of the slope of the slope of x⁴. In lesson 04 the
# gradients are put to use.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`paddle.no_grad`、`x.detach()`、`x.register_hook(f)` 和
# `paddle.grad(..., create_graph=True)`；在 PyTorch 中名字相同，在 `torch` 和
# `torch.autograd` 之下。在这里，它们各自挂在核心上，位于 `teachgraph/autograd/`。
#
# ## 接下来
#
# 试着连做三次：x⁴ 的斜率的斜率的斜率。在第 04 课，梯度要派上用场了。
