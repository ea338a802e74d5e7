# %% [markdown]
# # append_backward
#
# Your tape of lesson 02 ran each rule at once. A program has nothing to run yet: its
# backward must be *written*, as more operators. At the end of this lesson your own
# `append_backward` writes them, operator for operator as the framework does. A question
# on the way: two gradients arrive at one variable, but each name holds one value. So
# what are they called?
#
# ## Watch it happen
#
# Step through the last line with `Shift` and an arrow: the program grows by its mirror
# image. Nothing is computed.

# %% [markdown] lang="zh"
# # append_backward
#
# 第 02 课的磁带会立刻运行每条规则。而程序还没有什么可运行的：它的反向必须*写下来*，
# 成为更多的算子。学完这一课，你自己的 `append_backward` 会写出它们，与框架写的逐个
# 相同。一路上有个问题：两份梯度到达同一个变量，而一个名字只装得下一个值。那它们叫什么？
#
# ## 看它发生
#
# 用 `Shift` 加方向键走过最后一行：程序长出了自己的镜像。什么也没有计算。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside, watch
from teachgraph.course.checks import begin
from teachgraph.course.wrong import wrong_answer

check = begin("06")


# %%
def diamond():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        w = paddle.static.create_parameter([2], "float32", name="w")
        y = w * w
        loss = paddle.mean(y * 3.0 + y)
        paddle.static.append_backward(loss)


watch(diamond)

# %% [markdown]
# A gradient operator has a **twin**: `reduce_mean_grad` the `reduce_mean` it belongs
# to. It reads the gradient of what its twin wrote and writes those of what its twin
# read. The gradient of `w` is called `w@GRAD`.
#
# ## Predict
#
# `w` is read twice by `w * w`, and `y` by two operators. So each gets its gradient in
# two *parts*. How many `sum` operators are there in the picture, and what is the
# second part for `w` called? (The long names in the rows are Paddle's spelling.)

# %% [markdown] lang="zh"
# 梯度算子都有一个**孪生**：`reduce_mean_grad` 的孪生是它所属的 `reduce_mean`。它读孪生
# 所写变量的梯度，写孪生所读变量的梯度。`w` 的梯度叫 `w@GRAD`。
#
# ## 预测
#
# `w` 被 `w * w` 读了两次，`y` 被两个算子读。所以它们的梯度各分两*份*到来。图中有几个
# `sum` 算子？`w` 的第二份叫什么名字？（各行里的长名字是 Paddle 的写法。）


# %% task="sums" tags=["quiz"]
### 说明 菱形的反向里有几个 sum 算子。
def sums():
    """The number of sum operators in the backward of the diamond."""
    ### BEGIN SOLUTION
    return 2
    ### END SOLUTION


# %% tags=["check"] task="sums"
check(sums)


# %% task="second_part" tags=["quiz"]
### 说明 w 的梯度的第二份叫什么。
def second_part():
    """The name of the second part of the gradient of w."""
    ### BEGIN SOLUTION
    return "w@GRAD@RENAME@block0@1"
    ### END SOLUTION


# %% tags=["check"] task="second_part"
check(second_part)

# %% [markdown]
# ## Build it: which operators?
#
# Here is what your framework needs besides. `wants(x)` says if `x` is a Variable that
# wants a gradient; the label and the data do not.

# %% [markdown] lang="zh"
# ## 动手：哪些算子？
#
# 这里是你的框架另外需要的东西。`wants(x)` 说 `x` 是不是一个要梯度的 Variable；标签和
# 数据不要。

# %%
from teachgraph.course.mine import Op, Operator, Program, Variable, cross_entropy
from teachgraph.course.mine import forward, new_weights, parameter


# %% tags=["mine"]
### 说明 x 是不是一个要梯度的 Variable。
### 说明 追加一个返回路上的算子，它写 out；返回 out。
### 说明 loss 的梯度，从 1 开始。
### 说明 追加一个算子的规则，作为新算子的核函数，由它写出各份梯度。
### 说明 一层一层的 (w, b)，是 main 的参数；sizes 是各层的大小。
from collections import Counter


def wants(x):
    """True if x is a Variable that wants a gradient."""
    return isinstance(x, Variable) and not x.stop_gradient


def append_back(op, inputs, out):
    """Append an operator of the way back that writes out; return out."""
    out.program.insert(Operator(op, inputs, [out], role="backward"))
    return out


add_up = Op("add_n", lambda *parts: sum(parts), None)
ones = Op("ones", np.ones_like, None)


def append_seed(loss):
    """The gradient of the loss, with which the pass begins: ones."""
    seed = Variable(loss.program, f"{loss.name}@GRAD", loss.shape)
    return append_back(ones, [loss], seed)


def append_grad(operator, dout, parts):
    """Append the rule of an operator, as the kernel of a new one that writes parts."""
    op, inputs = operator.op, [dout, *operator.inputs]
    grad = Op(f"{op.name}_grad", op.rule, None)
    back = Operator(grad, inputs, parts, operator.attrs, "backward", operator)
    operator.program.insert(back)


def new_parameters(main, startup, sizes):
    """A list of (w, b), parameters of main, for layers of these sizes."""
    layers = []
    for number, (weights, biases) in enumerate(new_weights(sizes)):
        w = parameter(main, startup, f"w_{number}", weights)
        b = parameter(main, startup, f"b_{number}", biases)
        layers.append((w, b))
    return layers


# %% [markdown]
# The pass leads over the operators whose output wants a gradient *and* is needed for
# the loss. Walk through `loss.program.ops` from the last to the first: if the output of
# one is needed, so are its inputs. Each operator has one output, `operator.outputs[0]`.

# %% [markdown] lang="zh"
# 这一遍要经过的，是输出要梯度*并且*为损失所需的那些算子。从后往前走过
# `loss.program.ops`：如果一个算子的输出被需要，它的输入也就被需要。每个算子有一个
# 输出，即 `operator.outputs[0]`。


# %% task="path_to"
### 说明 梯度要经过的算子，最后的在前。
def path_to(loss):
    """The operators that the gradient of loss goes through, the last one first."""
    ### BEGIN SOLUTION
    needed, path = {loss}, []
    for operator in reversed(loss.program.ops):
        out = operator.outputs[0]
        if out in needed and wants(out):
            path.append(operator)
            needed.update(x for x in operator.inputs if wants(x))
    return path
    ### END SOLUTION


# %% tags=["check"] task="path_to"
check(path_to)

# %% [markdown]
# ## Build it: names for the parts
#
# A part is a new Variable of the same shape, added to the list `parts`. If only one is
# `expected`, it is the whole gradient: `x@GRAD`. Else it is
# `x@GRAD@RENAME@block0@0`, then `...@1`, and so on.

# %% [markdown] lang="zh"
# ## 动手：给每一份取名
#
# 一份梯度就是一个同样形状的新 Variable，加到列表 `parts` 里。如果只预计一份
# （`expected`），它就是整个梯度：`x@GRAD`。否则就是 `x@GRAD@RENAME@block0@0`，
# 然后是 `...@1`，依此类推。


# %% task="new_part"
### 说明 x 的梯度的一份新 Variable，加到 parts 里；一共预计 expected 份。
def new_part(x, parts, expected):
    """A new Variable for a part of x's gradient, added to parts."""
    ### BEGIN SOLUTION
    name = f"{x.name}@GRAD"
    if expected > 1:
        name += f"@RENAME@block0@{len(parts)}"
    parts.append(Variable(x.program, name, x.shape))
    return parts[-1]
    ### END SOLUTION


# %% tags=["check"] task="new_part"
check(new_part)

# %% [markdown]
# When all parts have come, `joined` makes them one. A single part is whole already; of
# several it appends the `add_up` operator (with `append_back`), which writes `x@GRAD`.
# (Its type is `add_n`; Paddle's is `sum`.)

# %% [markdown] lang="zh"
# 各份到齐之后，`joined` 把它们合成一个。只有一份时，它本身就是整个；有几份时，就（用
# `append_back`）追加 `add_up` 算子，由它写出 `x@GRAD`。（它的类型是 `add_n`，Paddle 的
# 是 `sum`。）


# %% task="joined"
### 说明 x 的整个梯度，由它的各份得出。
def joined(x, parts):
    """The whole gradient of x, a Variable, from its parts."""
    ### BEGIN SOLUTION
    if len(parts) == 1:
        return parts[0]
    whole = Variable(x.program, f"{x.name}@GRAD", x.shape)
    return append_back(add_up, parts, whole)
    ### END SOLUTION


# %% tags=["check"] task="joined"
check(joined)

# %% [markdown]
# ## Build it: the pass
#
# It is your `backward` of lesson 02 again, writing instead of running:
#
# - count first how many parts each Variable on the path is going to get: one for each
#   time it is read (`Counter`);
# - `append_seed(loss)` writes the only part of the loss's gradient;
# - then for each operator of `path_to(loss)`: join the parts of its output, make a new
#   part for each input that wants one (None for the others), and `append_grad`.
#
# At the end join the parts of each parameter (`persistable`), in the order of counting.

# %% [markdown] lang="zh"
# ## 动手：这一遍
#
# 这又是第 02 课的 `backward`，只是写下而不运行：
#
# - 先数路径上的每个 Variable 会得到几份：每被读一次就有一份（`Counter`）；
# - `append_seed(loss)` 写出损失的梯度，它只有这一份；
# - 然后对 `path_to(loss)` 的每个算子：合并其输出的各份，为每个要梯度的输入造一份新的
#   （其余为 None），再 `append_grad`。
#
# 最后按计数的顺序，合并每个参数（`persistable`）的各份。


# %% task="append_backward"
### 说明 追加 loss 的反向；返回字典 {参数: 它的梯度}，都是 Variable。
def append_backward(loss):
    """Append the way back from loss; return {parameter: gradient}, all Variables."""
    ### BEGIN SOLUTION
    path = path_to(loss)
    expected = Counter(x for one in path for x in one.inputs if wants(x))
    parts = {x: [] for x in expected}
    parts[loss] = [append_seed(loss)]
    for operator in path:
        out = operator.outputs[0]
        dout = joined(out, parts[out])
        grads = [
            new_part(x, parts[x], expected[x]) if wants(x) else None
            for x in operator.inputs
        ]
        append_grad(operator, dout, grads)
    return {x: joined(x, parts[x]) for x in expected if x.persistable}
    ### END SOLUTION


# %% tags=["check"] task="append_backward"
check(append_backward)


# %%
def network():
    main, startup = Program(), Program("startup")
    layers = new_parameters(main, startup, [2, 32, 2])
    x = Variable(main, "x", [-1, 2], is_data=True)
    labels = Variable(main, "labels", [-1], is_data=True)
    loss = cross_entropy(forward(x, layers), labels)
    gradients = append_backward(loss)


watch(network)


# %% task="operators_added" tags=["quiz"]
### 说明 append_backward 为这个网络写了几个算子。
def operators_added():
    """The number of operators that append_backward wrote for this network."""
    ### BEGIN SOLUTION
    return 7
    ### END SOLUTION


# %% tags=["check"] task="operators_added"
check(operators_added)

# %% [markdown]
# ## Break it
#
# Without `joined`, `w` gets its last part for a gradient, half of it. Such a program
# would run, and train, only worse. A row is missing:

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 没有 `joined`，`w` 得到的梯度就只是最后一份，即一半。这样的程序照样能运行、能训练，
# 只是更差。少了一行：


# %%
def square():
    main, startup = Program(), Program("startup")
    w = parameter(main, startup, "w", np.ones(2))
    return (w * w).sum()


def yours():
    gradients = append_backward(square())


def no_sum():
    gradients = wrong_answer("06", "no_sum", globals()).append_backward(square())


beside(yours, no_sum, names=("yours", "no sum"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.static.append_backward`: `_find_op_path_` is your `path_to`, and
# `_addup_repetitive_outputs_` gives the parts their names and adds them up. TensorFlow
# 1 had `tf.gradients`, with `AddN` for the sum. PyTorch writes such a graph in
# `torch.compile` (AOTAutograd). Here it is `teachgraph/core/backward.py`.
#
# ## What next
#
# Write the gradient of a gradient: call `append_backward` on something made of
# gradients. Which rules would need rules of their own? In lesson 07 you run it all.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`paddle.static.append_backward`：`_find_op_path_` 就是你的 `path_to`，
# `_addup_repetitive_outputs_` 给各份取名并相加。TensorFlow 1 有 `tf.gradients`，用
# `AddN` 求和。PyTorch 在 `torch.compile`（AOTAutograd）里写下这样的图。在这里就是
# `teachgraph/core/backward.py`。
#
# ## 接下来
#
# 写出梯度的梯度：对由梯度组成的东西调用 `append_backward`。哪些规则自己也需要规则？
# 在第 07 课，你来运行这一切。
