# %% [markdown]
# # When it goes wrong
#
# Most networks that do not learn raise no error. At the end of this lesson you look
# before you guess: you have healed three sick networks, and written a watcher that
# names the op where the numbers stopped being numbers. A question worth asking: which
# of a network's thousand numbers would you look at first?
#
# ## Watch it happen
#
# One step of a network that stays at its first guess. Press `Unfold`, since its layers
# are folded into one box, and follow the right side upwards: an edge is as wide as the
# norm of the gradient on it.

# %% [markdown] lang="zh"
# # 出了问题时
#
# 学不会东西的网络，大多不会报错。学完这一课，你会先看再猜：治好三个生病的网络，还写出
# 一个看守，它能说出数从哪个算子起不再是数。有个问题值得一问：网络有成千上万个数，你会
# 先看哪些？
#
# ## 看它发生
#
# 这是一个停留在最初猜测上的网络走的一步。它的各层折叠成了一个方框：按 `Unfold` 展开，
# 再沿着右侧往上看：边有多宽，它上面梯度的范数就有多大。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside
from teachgraph.course.checks import attempt, begin
from teachgraph.course.digits import batches, train_digits
from teachgraph.course.sick import SICK, patient, recovered
from teachgraph.utils.observe import Observer, watch

check = begin("12")
images, labels = next(batches(train_digits))

# %%
# %%trace --pace 0.2
shy = patient("shy")
loss = shy.loss(images, labels)
loss.backward()

# %% [markdown]
# ## Predict
#
# A rule multiplies what comes back by a slope. The slope of a sigmoid is at most 0.25
# (lesson 01), and a gradient on its way to the first layer passes four of them.

# %% [markdown] lang="zh"
# ## 预测
#
# 规则把传回来的乘以斜率。sigmoid 的斜率至多 0.25（第 01 课），而梯度到第一层要穿过四
# 个。


# %% task="what_passes" tags=["quiz"]
### 说明 四个 sigmoid 至多让梯度的多大一部分通过。
def what_passes():
    """The largest share of a gradient that four sigmoids let through."""
    ### BEGIN SOLUTION
    return 0.25**4
    ### END SOLUTION


# %% tags=["check"] task="what_passes"
check(what_passes)

# %% [markdown]
# ## Three patients
#
# Each has one or two bad choices. "shy" is the one above. "stiff" has weights that
# begin at zero. "loud" gets pixels from 0 to 255, and a cross-entropy as books write
# it: the logarithm of exp(scores) over its sum.

# %% [markdown] lang="zh"
# ## 三个病人
#
# 每个都有一两个坏选择。“shy” 就是上面那个。“stiff” 的权重从零开始。“loud” 的像素从 0 到
# 255，交叉熵照书上的样子写：exp(分数) 除以它们的和，再取对数。

# %%
for name, choices in SICK.items():
    one = patient(name)
    found = [one.step(images, labels) for _ in range(3)]
    print(name, choices, "losses:", np.round(found, 3))

# %% [markdown]
# All three read one digit in ten: they guess. Look at the gradients of "stiff":

# %% [markdown] lang="zh"
# 三个都是十个数字认对一个：它们在猜。看看 “stiff” 的梯度：

# %%
stiff = patient("stiff")
stiff.loss(images, labels).backward()
for layer in stiff.net[::2]:
    norms = [paddle.norm(p.grad).item() for p in (layer.weight, layer.bias)]
    print("weight, bias:", np.round(norms, 3))


# %% task="weights_that_move" tags=["quiz"]
### 说明 第一步之后，stiff 的五个权重矩阵中有几个变了。
def weights_that_move():
    """Number of the five weight matrices of "stiff" that change in its first step."""
    ### BEGIN SOLUTION
    return 0
    ### END SOLUTION


# %% tags=["check"] task="weights_that_move"
check(weights_that_move)

# %% [markdown]
# ## Build it: the first weights
#
# A layer multiplies x [n, rows] by its weights [rows, columns]. A number that comes out
# is a sum of as many products as there are inputs (`rows`), and a ReLU drops half of
# them. Draw weights from a normal distribution around 0
# (`draw.normal(0.0, spread, shape)`) so that after ten such layers the numbers are
# about as large as before. The **spread**, or standard deviation, is the root of the
# variance; around 0 the variance is the mean square. The variance of a sum is the sum
# of the variances; that of one product is spread * spread times the mean square of what
# comes in, and a ReLU halves the mean square.

# %% [markdown] lang="zh"
# ## 动手：最初的权重
#
# 一层把 x [n, rows] 乘以它的权重 [rows, columns]。输出的一个数，是若干个乘积的和，有多
# 少个输入（`rows`）就有多少个，而 ReLU 会丢掉一半。从 0 附近的正态分布抽取权重
# （`draw.normal(0.0, spread, shape)`），使得经过十个这样的层之后，数的大小和原来差不
# 多。**散布**（spread），即标准差，是方差的平方根；在 0 附近，方差就是均方。和的方差等
# 于方差的和；一个乘积的方差是 spread * spread 乘以输入的均方，而 ReLU 把均方减半。


# %% task="first_weights" tags=["apart"]
### 说明 一个数组 [rows, columns]，让 ReLU 层前后的数差不多大。
def first_weights(rows, columns, draw):
    """An array [rows, columns] with which a ReLU layer keeps the size of numbers."""
    ### BEGIN SOLUTION
    variance = 2.0 / rows
    spread = np.sqrt(variance)
    return draw.normal(0.0, spread, (rows, columns))
    ### END SOLUTION


# %% tags=["check"] task="first_weights"
check(first_weights)

# %% [markdown]
# ## Build it: a watcher
#
# An observer is told of every op: its name, inputs and outputs, all Tensors. Yours
# looks for the *first cause*: an op that makes something which is not finite (infinite,
# or NaN, "not a number", as 0/0 gives) although all of its inputs were.
# `np.isfinite(x.numpy())` says it number by number. Such an op's name goes to the end
# of the list `found`, once a call, however many of its outputs are bad.

# %% [markdown] lang="zh"
# ## 动手：看守
#
# 观察者会得知每个算子：它的名字、输入和输出，都是 Tensor。你的看守要找的是
# *最初的原因*：输入全都有限，却造出了不有限的东西（无穷大，或 NaN，即“不是数”，例如
# 0/0 的结果）的算子。
# `np.isfinite(x.numpy())` 逐个数地回答。把这样的算子的名字加到列表 `found` 的末尾，每次
# 调用只加一次，不管有几个输出是坏的。


# %% task="note" tags=["apart"]
### 说明 如果 op 用有限的数造出了不有限的数，就把它加到 found。
def note(found, op, inputs, outputs):
    """Append op to found if it makes numbers that are not finite, of finite ones."""

    ### BEGIN SOLUTION
    def finite(tensors):
        return all(np.isfinite(x.numpy()).all() for x in tensors)

    if finite(inputs) and not finite(outputs):
        found.append(op)
    ### END SOLUTION


# %% tags=["check"] task="note"
check(note)


# %%
class Watcher(Observer):
    def op_end(self, op, inputs, outputs, attrs, node):
        attempt(note, found, op, inputs, outputs, otherwise=None)


found = []
with watch(Watcher()):
    patient("loud").loss(images, labels)
print("first causes:", found)


# %% task="too_large" tags=["quiz"]
### 说明 最小的整数 x，使 float32 的 exp(x) 是无穷大（最大的 float32 约 3.4e38）。
def too_large():
    """The smallest whole x whose exp is infinite in float32, which ends at 3.4e38."""
    ### BEGIN SOLUTION
    return 89
    ### END SOLUTION


# %% tags=["check"] task="too_large"
check(too_large)

# %% [markdown]
# ## Heal them
#
# Give each at most two other choices. There are: `activation` ("sigmoid", "tanh",
# "relu"), `weights` ("zeros", "small", "he": what you have just written), `pixels` (the
# largest: 1 or 255), `loss` ("by the book", "nan is 0", "cross_entropy") and `rate` (it
# is 0.03). Each trains for eight epochs, and should read 90 % of new digits.

# %% [markdown] lang="zh"
# ## 治好它们
#
# 给每个病人至多换两个选择。可选的有：`activation`（"sigmoid"、"tanh"、"relu"），
# `weights`（"zeros"、"small"、"he"：就是你刚写的），`pixels`（最大值：1 或 255），
# `loss`（"by the book"、"nan is 0"、"cross_entropy"），以及 `rate`（现在是 0.03）。
# 每个训练八轮，应认得 90 % 的新数字。


# %% task="cures" tags=["apart", "choice"]
### 说明 每个病人要改变的选择：{"shy": {选择: 值}, "stiff": ..., "loud": ...}。
def cures():
    """The choices to change: {"shy": {choice: value}, "stiff": ..., "loud": ...}."""
    ### BEGIN SOLUTION
    shy = {"activation": "relu", "weights": "he"}
    stiff = {"weights": "he"}
    loud = {"pixels": 1}
    return {"shy": shy, "stiff": stiff, "loud": loud}
    ### END SOLUTION


# %% tags=["check"] task="cures"
check(cures)

# %% [markdown]
# ## Break it
#
# Somebody did not look, and put 0 in the place of every NaN. The training of "loud"
# runs without a complaint. Then a step of "shy" beside one that is healed.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 有人没有看，就用 0 代替了每个 NaN。“loud” 的训练一声不响地跑完了。然后是 “shy” 的一
# 步，旁边是治好后的一步。

# %%
hidden = recovered("loud", {"loss": "nan is 0"})
print(f"loss {hidden.step(images, labels)}, it reads {hidden.accuracy():.0%}")


# %%
def sick():
    patient("shy").loss(images, labels).backward()


def healed():
    patient("shy", attempt(cures, otherwise=SICK)["shy"]).loss(
        images, labels
    ).backward()


beside(sick, healed, names=("sick", "healed"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... `FLAGS_check_nan_inf`, which stops at the first such op, and `KaimingNormal` for
# your weights. In PyTorch there are `torch.autograd.set_detect_anomaly` and
# `kaiming_normal_`. Here `%%trace` marks such an op with a red cross, and
# `teachgraph.explain(loss)` prints the way to a number.
#
# ## What next
#
# Let "shy" keep its sigmoids: which spread of the weights would it need? In lesson 13 a
# healthy network leaves the notebook.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`FLAGS_check_nan_inf`，它在第一个这样的算子处停下；你的权重就是 `KaimingNormal`。在
# PyTorch 中有 `torch.autograd.set_detect_anomaly` 和 `kaiming_normal_`。在这里，
# `%%trace` 给这样的算子画上红叉，`teachgraph.explain(loss)` 打印出一个数的由来。
#
# ## 接下来
#
# 让 “shy” 保留它的 sigmoid：权重需要多大的散布？在第 13 课，一个健康的网络要离开笔记
# 本。
