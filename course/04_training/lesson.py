# %% [markdown]
# # Training
#
# Five lines train every network there is, and each of them can be wrong. At the end of
# this lesson you have written momentum and Adam, the five lines in their order, and a
# recipe that reads 97 of 100 digits it has never seen. A question worth asking: Adam's
# first step has the same length whether the gradient is 100 or 0.01. Why?
#
# ## Watch it happen
#
# The panel draws the loss and the norm of each layer's gradient, through one epoch: all
# 1,437 digits, once. Compare the layers: a norm far below the others would say that
# this layer hardly learns.

# %% [markdown] lang="zh"
# # 训练
#
# 五行代码就能训练任何网络，而每一行都可能出错。学完这一课，你会写出动量和 Adam、
# 顺序正确的五行，以及一份配方，认得 100 个从未见过的数字中的 97 个。有个问题值得一问：
# 无论梯度是 100 还是 0.01，Adam 的第一步都一样长。为什么？
#
# ## 看它发生
#
# 面板画出一轮（把 1437 个数字看过一遍）之中的损失和每层梯度的范数。比较各层：
# 哪一层的范数远小于其他层，它就几乎学不到东西。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course.checks import begin
from teachgraph.course.digits import accuracy, batches, train_digits, train_epoch

check = begin("04")


# %% tags=["long"]
def network():
    layers = [paddle.nn.Linear(784, 64), paddle.nn.ReLU(), paddle.nn.Linear(64, 10)]
    return paddle.nn.Sequential(*layers)


net = network()
sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=net.parameters())
train_epoch(net, sgd)
print(f"one epoch of SGD reads {accuracy(net):.0%}")

# %% [markdown]
# ## Predict
#
# Leave out `clear_grad`. In the third step, of how many batches is `.grad` the sum?

# %% [markdown] lang="zh"
# ## 预测
#
# 去掉 `clear_grad`。到第三步时，`.grad` 是几个批次的和？


# %% task="batches_in_grad" tags=["quiz"]
### 说明 没有 clear_grad 时，第三步的 .grad 是几个批次之和。
def batches_in_grad():
    """Of how many batches .grad is the sum in step 3, without clear_grad."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="batches_in_grad"
check(batches_in_grad)

# %% [markdown]
# ## Build it: momentum
#
# SGD forgets each gradient at once, and zigzags across a narrow valley. Momentum keeps
# a **velocity**: v = mu v + g, and the weight goes along it: w = w - rate v. What
# points the same way each time adds up; what alternates cancels.

# %% [markdown] lang="zh"
# ## 动手：动量
#
# SGD 转眼就忘掉每个梯度，在狭窄的山谷里来回折返。动量保存一个**速度**：
# v = mu v + g，权重沿着它走：w = w - rate v。每次同方向的会累积，来回交替的会抵消。


# %% task="momentum"
### 说明 动量法的一步：给出（新的 w，新的 v）。
def momentum(w, g, v, rate, mu=0.9):
    """One step of momentum: (the new w, the new v)."""
    ### BEGIN SOLUTION
    v = mu * v + g
    w = w - rate * v
    return w, v
    ### END SOLUTION


# %% tags=["check"] task="momentum"
check(momentum)

# %% [markdown]
# ## Build it: Adam
#
# Adam keeps two running means: m of the gradient, with beta1, and s of its square, with
# beta2: m = beta1 m + (1 - beta1) g. Both start at 0, so at first they are too small;
# for step t = 1, 2, ... m̂ is m / (1 - beta1ᵗ), and ŝ is s / (1 - beta2ᵗ). This is the
# **bias correction**. Then w = w - rate m̂ / (√ŝ + eps): a step of about `rate`, however
# large g is. What is kept are m and s, not m̂ and ŝ.

# %% [markdown] lang="zh"
# ## 动手：Adam
#
# Adam 保存两个滑动平均：梯度的 m，用 beta1；梯度平方的 s，用 beta2：
# m = beta1 m + (1 - beta1) g。两者都从 0 开始，所以起初偏小；在第 t = 1, 2, ... 步，
# m̂ 是 m / (1 - beta1ᵗ)，ŝ 是 s / (1 - beta2ᵗ)：这就是**偏差修正**。然后
# w = w - rate m̂ / (√ŝ + eps)：不管梯度多大，步长大约都是 `rate`。留下的是 m 和 s，
# 不是 m̂ 和 ŝ。


# %% task="adam"
### 说明 Adam 的第 t 步：给出新的（w，m，s）。
def adam(w, g, m, s, t, rate, beta1=0.9, beta2=0.999, eps=1e-8):
    """Step t of Adam: the new (w, m, s)."""
    ### BEGIN SOLUTION
    m = beta1 * m + (1 - beta1) * g
    s = beta2 * s + (1 - beta2) * g * g
    m_whole = m / (1 - beta1**t)
    s_whole = s / (1 - beta2**t)
    step = rate * m_whole / (np.sqrt(s_whole) + eps)
    return w - step, m, s
    ### END SOLUTION


# %% tags=["check"] task="adam"
check(adam)


# %% task="first_step" tags=["quiz"]
### 说明 rate = 0.001、g = 100 时，Adam 第一步走多远（保留三位小数）。
def first_step():
    """The length of Adam's first step, rate 0.001, g = 100; to three decimals."""
    ### BEGIN SOLUTION
    return 0.001
    ### END SOLUTION


# %% tags=["check"] task="first_step"
check(first_step)

# %% [markdown]
# ## Build it: the five lines
#
# Forward, loss, backward, step, clear: the methods are `loss.backward()`,
# `optimizer.step()` and `optimizer.clear_grad()`. `loss_of(scores, labels)` gives the
# loss, for example the cross-entropy: the mean of -log p, where p is the probability
# that the scores give to the right label. `images` and `labels` are Tensors. Return the
# loss as a number, `loss.item()`.

# %% [markdown] lang="zh"
# ## 动手：那五行
#
# 前向、损失、反向、走一步、清零：方法是 `loss.backward()`、`optimizer.step()` 和
# `optimizer.clear_grad()`。`loss_of(scores, labels)` 给出损失，例如交叉熵：-log p 的平
# 均，其中 p 是分数给正确标签的概率。`images` 和 `labels` 是 Tensor。返回损失的数值，
# `loss.item()`。


# %% task="train_step" tags=["apart"]
### 说明 训练一步；返回损失的数值。
def train_step(net, loss_of, optimizer, images, labels):
    """Take one training step; return the loss, a number."""
    ### BEGIN SOLUTION
    scores = net(images)
    loss = loss_of(scores, labels)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    return loss.item()
    ### END SOLUTION


# %% tags=["check"] task="train_step"
check(train_step)


# %% task="loss_of_a_guess" tags=["quiz"]
### 说明 对十个数字各给概率 1/10 的网络，损失是多少（保留一位小数）。
def loss_of_a_guess():
    """The loss of a network that gives each of ten digits 1/10; to one decimal."""
    ### BEGIN SOLUTION
    return 2.3
    ### END SOLUTION


# %% tags=["check"] task="loss_of_a_guess"
check(loss_of_a_guess)

# %% [markdown]
# ## Build it: a recipe
#
# Now choose: a network, an optimizer, how many epochs (at most 12), and what to do with
# a batch before it is learnt from: `augment(images)` may shift them by a pixel, say,
# with `np.roll` on `images.reshape(-1, 28, 28)`; return them in the shape they had. The
# check trains with your `train_step` and reads 360 digits you have not seen: 97 %.

# %% [markdown] lang="zh"
# ## 动手：一份配方
#
# 现在由你选择：一个网络、一个优化器、训练几轮（最多 12 轮），以及学习之前对一个批次
# 做什么：比如 `augment(images)` 可以用 `np.roll` 把 `images.reshape(-1, 28, 28)` 平移
# 一个像素；返回时保持原来的形状。检查会用那五行来训练，然后去认 360 个你没见过的
# 数字：要求 97 %。


# %% task="recipe" tags=["apart", "choice"]
### 说明 （网络，优化器，augment，轮数）。
def recipe():
    """(network, optimizer, augment, epochs)."""
    ### BEGIN SOLUTION
    net = paddle.nn.Sequential(
        paddle.nn.Linear(784, 128), paddle.nn.ReLU(), paddle.nn.Linear(128, 10)
    )
    optimizer = paddle.optimizer.Adam(0.002, parameters=net.parameters())
    draw = np.random.default_rng(0)

    def augment(images):
        step = draw.integers(-1, 2, 2)
        moved = np.roll(images.reshape(-1, 28, 28), step, axis=(1, 2))
        return moved.reshape(images.shape)

    return net, optimizer, augment, 12
    ### END SOLUTION


# %% tags=["check"] task="recipe"
check(recipe)

# %% [markdown]
# ## Break it
#
# The same epoch three times, every fifth loss: in the right order, with `step` before
# `backward`, and without `clear_grad`. Which one learns most evenly, and why?

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 同样的一轮做三次，每隔五步看一次损失：顺序正确；`step` 放在 `backward` 前面；去掉
# `clear_grad`。哪一个学得最平稳，为什么？


# %% tags=["long"]
def losses(order):
    paddle.seed(7)
    net = network()
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    found = []
    for images, labels in batches(train_digits):
        scores = net(paddle.to_tensor(images))
        loss = paddle.nn.functional.cross_entropy(scores, paddle.to_tensor(labels))
        for call in order:
            call(loss, sgd)
        found.append(round(loss.item(), 2))
    return found[::5]


back, step, clear = (
    lambda loss, sgd: loss.backward(),
    lambda loss, sgd: sgd.step(),
    lambda loss, sgd: sgd.clear_grad(),
)
print("right order: ", losses([back, step, clear]))
print("step is first:", losses([step, clear, back]))
print("never cleared:", losses([back, step]))

# %% [markdown]
# ## In Paddle this is ...
#
# ... these same five lines; the formulas are the ops `momentum` and `adam`, each with
# its kernel in C++. In PyTorch `zero_grad` is called first instead of last, which comes
# to the same. Here both modes share one set of formulas: `teachgraph/ops/optimize.py`.
#
# ## What next
#
# What does Adam do if you forget the bias correction? Draw w over the first 20 steps.
# At the checkpoint C1 your own tape trains a network.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……一模一样的五行；公式是算子 `momentum` 和 `adam`，各有一个 C++ 核函数。在 PyTorch 中
# `zero_grad` 放在最前而不是最后，结果相同。在这里两种模式共用一套公式：
# `teachgraph/ops/optimize.py`。
#
# ## 接下来
#
# 如果忘了偏差修正，Adam 会怎样？画出前 20 步的 w。到检查点 C1，你自己的磁带
# 要来训练网络。
