# %% [markdown]
# # Checkpoint: mine trains
#
# Ops, a tape, an optimizer: it is all there, and it is yours. At this checkpoint you
# join the parts, and your own framework learns two things: two spirals that no straight
# line can part, and handwritten digits. Which of your lines will it spend its time in?
#
# ## Watch it happen
#
# One step of a small network on *your* tape. Compare it with the first picture of
# lesson 02: what is new is `matmul`, your softplus, and an op for the loss. That makes
# probabilities of each row of scores by softmax, e^score over the sum of all e^score of
# the row, and takes the mean of -log p of the right labels (lesson 04).

# %% [markdown] lang="zh"
# # 检查点：我的框架会训练了
#
# 算子、磁带、优化器：都有了，而且都是你的。在这个检查点，你把各部分接起来，让你自己的
# 框架学会两件事：两条任何直线都分不开的螺线，以及手写数字。它的时间会花在
# 你的哪几行上？
#
# ## 看它发生
#
# 在*你的*磁带上，一个小网络走一步。与第 02 课的第一张图比一比：新的有 `matmul`、你的
# softplus，以及一个表示损失的算子。它用 softmax 把每行分数变成概率，即 e^分数 除以该行
# 所有 e^分数 的和，再对正确标签的 -log p 取平均（第 04 课）。

# %%
# %load_ext teachgraph
import numpy as np
from IPython.display import display

from teachgraph.course import tiny_digits, watched
from teachgraph.course.checks import attempt, begin
from teachgraph.course.spirals import boundary, spirals

check = begin("C1")

# %%
from teachgraph.course.mine import Op, Tensor, adam, backward, no_grad, smooth


# %% tags=["mine"]
### 说明 每行的 -log softmax 在标签处的值，取平均。
### 说明 分数的梯度：softmax 减去 1（在标签处），除以行数。
### 说明 各层最初的（权重，偏置），都是数组；sizes 是各层的大小。
### 说明 一层一层的 (w, b)，全是叶子；sizes 是各层的大小。
def cross_entropy_kernel(scores, labels):
    """The mean over rows of -log softmax at the label."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return -logs[np.arange(len(labels)), labels].mean()


def cross_entropy_rule(dout, scores, labels):
    """The gradient of the scores: softmax minus 1 at the label, over the rows."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    softmax = powers / powers.sum(axis=1, keepdims=True)
    softmax[np.arange(len(labels)), labels] -= 1.0
    return dout * softmax / len(labels), None


def matmul_rule(dout, x, w):
    return dout @ w.T, x.T @ dout


matmul = Op("matmul", np.matmul, matmul_rule)
cross_entropy = Op("cross_entropy", cross_entropy_kernel, cross_entropy_rule)


def new_weights(sizes, seed=0):
    """The first (weights, biases) of each layer, arrays, for layers of these sizes."""
    draw = np.random.default_rng(seed)
    for rows, columns in zip(sizes[:-1], sizes[1:]):
        weights = draw.normal(0.0, np.sqrt(2.0 / rows), (rows, columns))
        yield weights, np.zeros(columns)


def new_layers(sizes, seed=0):
    """A list of (w, b), all of them leaves, for layers of these sizes."""
    return [(Tensor(w, False), Tensor(b, False)) for w, b in new_weights(sizes, seed)]


# %%
# %%trace
(w, b), (v, c) = new_layers([2, 4, 2])
points, labels = spirals(3)
hidden = smooth(matmul(points, w) + b)
scores = matmul(hidden, v) + c
loss = cross_entropy(scores, labels)
gradients = watched(backward, loss)

# %% [markdown]
# ## Predict
#
# Layers of sizes 2, 32, 2: how many numbers are there to learn, weights and biases?
# And how many nodes does one forward pass with its loss leave on the tape?

# %% [markdown] lang="zh"
# ## 预测
#
# 大小为 2、32、2 的各层：要学的数（权重和偏置）一共有多少个？一次前向加上损失，
# 会在磁带上留下几个节点？


# %% task="numbers_to_learn" tags=["quiz"]
### 说明 大小为 2、32、2 的各层有多少个要学的数。
def numbers_to_learn():
    """The count of numbers that layers of sizes 2, 32, 2 learn."""
    ### BEGIN SOLUTION
    return 2 * 32 + 32 + 32 * 2 + 2
    ### END SOLUTION


# %% tags=["check"] task="numbers_to_learn"
check(numbers_to_learn)


# %% task="nodes_of_a_step" tags=["quiz"]
### 说明 两层网络的一次前向加上损失，会在磁带上留下几个节点。
def nodes_of_a_step():
    """The number of nodes that a forward pass of two layers and its loss leave."""
    ### BEGIN SOLUTION
    return 6
    ### END SOLUTION


# %% tags=["check"] task="nodes_of_a_step"
check(nodes_of_a_step)

# %% [markdown]
# ## Build it: forward
#
# A layer is `matmul(x, w) + b`: x has a row for each point, [n, inputs], w is
# [inputs, outputs] and b [outputs]. Between two layers stands your softplus, `smooth`;
# after the last one nothing, since the loss takes bare scores.

# %% [markdown] lang="zh"
# ## 动手：前向
#
# 一层就是 `matmul(x, w) + b`：x 每个点一行，形状 [n, 输入]，w 是 [输入, 输出]，b 是
# [输出]。两层之间是你的 softplus，即 `smooth`；最后一层之后什么也没有，因为损失要的是
# 原始分数。


# %% task="forward"
### 说明 各层 (w, b) 对 x 给出的分数，是一个 Tensor。
def forward(x, layers):
    """The scores that layers, a list of (w, b), give for x: a Tensor."""
    ### BEGIN SOLUTION
    for position, (w, b) in enumerate(layers):
        if position > 0:
            x = smooth(x)
        x = matmul(x, w) + b
    return x
    ### END SOLUTION


# %% tags=["check"] task="forward"
check(forward)

# %% [markdown]
# ## Build it: a step
#
# The five lines again, on your own parts: `forward`, `cross_entropy`, `backward`, and
# `adam` for each parameter. `state` is a dict, empty at first, in which you keep m and
# s of each parameter, both 0 before the first step; `t` counts the steps from 1. Assign
# the new weight to `p.data`.

# %% [markdown] lang="zh"
# ## 动手：一步
#
# 又是那五行，用你自己的零件：`forward`、`cross_entropy`、`backward`，以及对每个参数的
# `adam`。`state` 是一个字典，起初是空的，用来保存每个参数的 m 和 s，第一步之前两者都是
# 0；`t` 从 1 数起。把新的权重赋给 `p.data`。


# %% task="fit_step"
### 说明 用 Adam 走一步；返回损失的数值。
def fit_step(layers, x, labels, state, t, rate=0.02):
    """Take one step of Adam; return the loss, a number."""
    ### BEGIN SOLUTION
    loss = cross_entropy(forward(x, layers), labels)
    gradients = backward(loss)
    for p, g in gradients.items():
        m, s = state.get(p, (0.0, 0.0))
        p.data, m, s = adam(p.data, g, m, s, t, rate)
        state[p] = m, s
    return float(loss.data)
    ### END SOLUTION


# %% tags=["check"] task="fit_step"
check(fit_step)


# %% tags=["long"]
### 说明 训练后各层对测试数据认对的比例。
def train(layers, data, test, steps, size=64):
    """The share of the test data that the layers get right, once trained."""
    (x, labels), state = data, {}
    draw = np.random.default_rng(0)
    for t in range(1, steps + 1):
        rows = draw.integers(0, len(x), size)
        fit_step(layers, x[rows], labels[rows], state, t)
    with no_grad():
        scores = forward(test[0], layers).data
    return (scores.argmax(axis=1) == test[1]).mean()


def scores_of(points):
    return attempt(forward, points, layers, otherwise=Tensor(points)).data


layers, data = new_layers([2, 32, 2]), spirals()
for steps in (0, 100, 400):
    right = attempt(train, layers, data, data, steps, otherwise=0.0)
    display(boundary(scores_of, *data, title=f"{right:.0%} after {steps} steps more"))

# %% [markdown]
# And handwriting, 7 x 7 pixels small:

# %% [markdown] lang="zh"
# 再来认手写数字，小到 7 x 7 像素：

# %% tags=["long"]
train_set, test_set = tiny_digits.arrays()
right = attempt(train, new_layers([49, 32, 10]), train_set, test_set, 600, otherwise=0)
print(f"your framework reads {right:.0%} of new digits")

# %% [markdown]
# ## Break it
#
# Start all weights at zero, and train again. Every unit of the hidden layer gets the
# same gradient, so they stay the same unit, 32 times over: chance has to part them.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 让所有权重从零开始，再训练一次。隐藏层的每个单元都得到同样的梯度，所以它们始终是
# 同一个单元，重复了 32 次：要靠随机数把它们分开。

# %% tags=["long"]
layers = new_layers([2, 32, 2])
for weights_and_bias in layers:
    weights_and_bias[0].data = np.zeros(weights_and_bias[0].shape)
print(f"{attempt(train, layers, data, data, 300, otherwise=0.0):.0%} of the points")


# %% task="different_units" tags=["quiz"]
### 说明 从全零的权重开始训练之后，32 个隐藏单元中有几个互不相同。
def different_units():
    """The number of different ones among 32 hidden units, trained from zeros."""
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION


# %% tags=["check"] task="different_units"
check(different_units)

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.nn.Sequential`, `nn.CrossEntropyLoss` and `paddle.optimizer.Adam`; what
# you have written is what they do. Print your framework as one file, which runs on its
# own: `teachgraph course mine`.
#
# ## What next
#
# Give it three layers, or your own data. So far every op ran at once; from lesson 05 on
# you write down what is to run, before it runs.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`paddle.nn.Sequential`、`nn.CrossEntropyLoss` 和 `paddle.optimizer.Adam`；你写下的
# 就是它们所做的。把你的框架打印成一个能独立运行的文件：`teachgraph course mine`。
#
# ## 接下来
#
# 给它三层，或者你自己的数据。到目前为止，每个算子都是立即运行；从第 05 课起，你要在
# 运行之前先写下要运行什么。
