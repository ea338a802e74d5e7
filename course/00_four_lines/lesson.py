# %% [markdown]
# # Four lines
#
# Four lines make a network ready to train. At the end of this lesson you can say what
# each of them *did*, and a network of yours reads handwritten digits. You need Python
# and a little NumPy. A question to keep in mind: when the four lines have run, has
# anything been computed?
#
# ## Watch it happen
#
# Run the cells from top to bottom (Shift+Enter), and look at the picture while the
# second one runs. Then click into it and walk through it with the arrow keys: each tick
# is a line.

# %% [markdown] lang="zh"
# # 四行代码
#
# 四行代码就能让一个网络准备好训练。学完这一课，你能说出每一行究竟*做了什么*，
# 还会有一个你自己的网络认得手写数字。你只需要会 Python 和一点 NumPy。
# 带着这个问题往下看：四行运行完之后，有什么东西被计算出来了吗？
#
# ## 看它发生
#
# 从上到下逐个运行单元格（Shift+Enter），运行第二个代码单元格时请看图。
# 然后点一下图，用方向键走一遍：每一格刻度就是一行。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph.fluid as fluid
from teachgraph.course.checks import attempt, begin
from teachgraph.course.digits import train

check = begin("00")

# %% tags=["quiet"]
# %%trace --pace 0.5
X = fluid.data(name="X", shape=[None, 1], dtype="float32")
hidden = fluid.layers.fc(input=X, size=10)
loss = fluid.layers.mean(hidden)
fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)

# %% [markdown]
# Nothing has been computed yet. Each line *wrote* into one or two programs, and
# every row above carries the colour of the line that wrote it:
#
# | line | into `startup`, run once | into `main`, run at each step |
# |---|---|---|
# | `data` | | the variable `X`, to be fed; `-1`: any number of rows |
# | `fc` | two ops that fill the weight and the bias | `mul`, `elementwise_add` |
# | `mean` | | `reduce_mean` |
# | `minimize` | one op, the learning rate | four ops that go back, two that update |
#
# Here are the same two programs as text:

# %% [markdown] lang="zh"
# 到现在什么也没有计算。每一行只是向一个或两个程序里*写入*内容，
# 上图中每一项的颜色就是写下它的那一行的颜色：
#
# | 行 | 写入 `startup`，只运行一次 | 写入 `main`，每一步都运行 |
# |---|---|---|
# | `data` | | 变量 `X`，等待喂入；`-1` 表示行数不限 |
# | `fc` | 两个算子，填充权重和偏置 | `mul`、`elementwise_add` |
# | `mean` | | `reduce_mean` |
# | `minimize` | 一个算子，填充学习率 | 四个算子返回，两个更新 |
#
# 下面是同样两个程序的文本：

# %%
print(fluid.default_startup_program())
print(fluid.default_main_program())

# %% [markdown]
# An op is printed as `{outputs} = type(inputs, attributes)`. Weight and bias are
# **parameters**, values that training changes, to make one number small, the **loss**.
# For that each needs its **gradient**: how fast the loss changes with it. A step goes
# against it, by learning rate x gradient.
#
# The last line of the four wrote the most: a `fill_constant` that makes the gradient of
# the loss itself, 1.0; then for each op of the way there its `_grad` op, last one
# first; then an `sgd`, which takes the step, for each parameter. The gradient of
# `fc_0.w_0` is a variable too: `fc_0.w_0@GRAD`.

# %% [markdown] lang="zh"
# 一个算子印成 `{输出} = 类型(输入, 属性)`。权重和偏置是**参数**，即训练会改变的值；
# 训练要让一个数变小，那就是**损失**。为此，每个参数都需要自己的**梯度**：
# 损失随它变化得多快。走一步，就是逆着梯度走 学习率 x 梯度。
#
# 四行中的最后一行写得最多：
# 先是一个 `fill_constant`，造出损失自身的梯度 1.0；然后，去程的每个算子
# 都有一个对应的 `_grad` 算子，最后的排在最前；最后每个参数各有一个走一步的 `sgd`。
# `fc_0.w_0` 的梯度也是一个变量：`fc_0.w_0@GRAD`。

# %% [markdown]
# ## Predict
#
# Count in the picture. Then replace the line that raises an error by `return` and your
# number.

# %% [markdown] lang="zh"
# ## 预测
#
# 先在图里数一数，再把抛出错误的那一行换成 `return` 加上你的数。


# %% task="ops_in_startup" tags=["quiz"]
### 说明 四行代码向 startup 写入了几个算子。
def ops_in_startup():
    """The number of ops that the four lines wrote into startup."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="ops_in_startup"
check(ops_in_startup)


# %% task="whose_row" tags=["quiz"]
### 说明 变量 fc_0.w_0@GRAD 是第几行写下的：1 到 4。
def whose_row():
    """Which of the four lines wrote the variable fc_0.w_0@GRAD: 1 to 4."""
    ### BEGIN SOLUTION
    return 4
    ### END SOLUTION


# %% tags=["check"] task="whose_row"
check(whose_row)

# %% [markdown]
# ## Run it
#
# `startup` gives the parameters their first values. `main` then takes a step each time.

# %% [markdown] lang="zh"
# ## 运行
#
# `startup` 给参数赋初值。之后 `main` 每运行一次就走一步。

# %%
# %%trace
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
batch = np.linspace(0, 2, 8, dtype="float32").reshape(8, 1)
losses = []
for _ in range(5):
    losses += exe.run(feed={"X": batch}, fetch_list=[loss])
print("loss:", [round(value.item(), 4) for value in losses])


# %% task="ops_after_five_runs" tags=["quiz"]
### 说明 运行五次之后，main 里有几个算子。
def ops_after_five_runs():
    """The number of ops of main after five runs."""
    ### BEGIN SOLUTION
    return 9
    ### END SOLUTION


# %% tags=["check"] task="ops_after_five_runs"
check(ops_after_five_runs)

# %% [markdown]
# The loss falls by 0.0020 at every step, and that is no accident: it is linear in the
# parameters, so a step takes off learning rate x |gradient|² = 0.01 x 0.2. It would
# fall for ever. A loss worth training on has a *minimum*, where the prediction is
# right: the mean of the squared difference, say. `+ - *` work on these as on arrays.

# %% [markdown] lang="zh"
# 损失每一步都下降 0.0020，这并非偶然：损失对参数是线性的，
# 所以一步恰好减去 学习率 x |梯度|² = 0.01 x 0.2。它会一直降下去。
# 值得训练的损失有一个*最小值*，在预测正确的地方：比如差的平方的平均。
# 对它们可以像对数组一样用 `+ - *`。


# %% task="squared_error" tags=["apart"]
### 说明 (prediction - target) 的平方的平均，是 main 的一行。
def squared_error(prediction, target):
    """The mean of (prediction - target) squared, a row of main."""
    ### BEGIN SOLUTION
    difference = prediction - target
    squares = difference * difference
    return fluid.layers.mean(squares)
    ### END SOLUTION


# %% tags=["check"] task="squared_error"
check(squared_error)

# %% [markdown]
# ## Build it: what does minimize add?
#
# The network of the four lines with one more layer: `data`, `fc`, `fc`, `mean`. Which
# ops will `minimize` add to `main`, in order? Write down their types before you look.

# %% [markdown] lang="zh"
# ## 动手：minimize 添加了什么？
#
# 四行代码的网络再加一层：`data`、`fc`、`fc`、`mean`。`minimize` 会按什么
# 顺序向 `main` 添加哪些算子？先写下它们的类型，再去看。


# %% task="added_by_minimize" tags=["apart"]
### 说明 minimize 添加的算子的类型，即字符串的列表。
def added_by_minimize():
    """The types of the ops that `minimize` adds, as a list of strings."""
    ### BEGIN SOLUTION
    seed = ["fill_constant", "reduce_mean_grad"]
    one_layer = ["elementwise_add_grad", "mul_grad"]
    return seed + one_layer + one_layer + ["sgd"] * 4
    ### END SOLUTION


# %% tags=["check"] task="added_by_minimize"
check(added_by_minimize)

# %% [markdown]
# ## Build it: a network that reads digits
#
# 1,437 handwritten digits, 28 x 28 pixels each, are on your machine. Two layers are
# enough: 32 units with `act="relu"`, which puts 0 for what is negative, then 10 scores,
# one for each digit. `fluid.layers.softmax_with_cross_entropy(scores, label)` is small
# where the right digit's score is far above the others; its mean is the loss.

# %% [markdown] lang="zh"
# ## 动手：认得数字的网络
#
# 你的机器上有 1437 个手写数字，每个 28 x 28 像素。两层就够了：32 个单元，
# `act="relu"`，它把负数换成 0；然后是 10 个分数，每个数字一个。
# `fluid.layers.softmax_with_cross_entropy(scores, label)` 在正确数字的分数远高于
# 其他分数时很小；它的平均就是损失。


# %% task="digits_network" tags=["apart"]
### 说明 给出（分数 [N, 10]，损失）：两层，32 个单元和 10 个单元。
def digits_network(image, label):
    """(scores [N, 10], loss): two layers, of 32 units and of 10."""
    ### BEGIN SOLUTION
    hidden = fluid.layers.fc(input=image, size=32, act="relu")
    scores = fluid.layers.fc(input=hidden, size=10)
    costs = fluid.layers.softmax_with_cross_entropy(scores, label)
    return scores, fluid.layers.mean(costs)
    ### END SOLUTION


# %% tags=["check"] task="digits_network"
check(digits_network)


# %% tags=["long"]
print(f"reads {attempt(train, digits_network, otherwise=0.0):.0%} of new digits")

# %% [markdown]
# ## Break it
#
# Leave `startup` out, and `main` has nothing to multiply with. An error here names the
# op, its inputs and the line *you* wrote:

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 不运行 `startup`，`main` 就没有东西可乘。这里的错误会指出算子、
# 它的输入，以及*你*写下的那一行：

# %%
with fluid.scope_guard(fluid.Scope()):
    try:
        exe.run(feed={"X": batch}, fetch_list=[loss])
    except RuntimeError as error:
        print(error)

# %% [markdown]
# ## In Paddle this is ...
#
# ... the same, line for line. `fluid` is the 1.x name; in 2.x the words are
# `paddle.static.data`, `paddle.static.nn.fc`, `paddle.mean` and
# `paddle.optimizer.SGD`. Write `import teachgraph as paddle`, and they work here too:

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……一模一样的四行。`fluid` 是 1.x 的名字；在 2.x 中写作
# `paddle.static.data`、`paddle.static.nn.fc`、`paddle.mean` 和
# `paddle.optimizer.SGD`。写上 `import teachgraph as paddle`，在这里也能用：

# %%
import teachgraph as paddle

paddle.enable_static()
main = paddle.static.Program()
with paddle.static.program_guard(main, paddle.static.Program()):
    X = paddle.static.data(name="X", shape=[None, 1], dtype="float32")
    hidden = paddle.static.nn.fc(X, size=10)
    loss = paddle.mean(hidden)
    paddle.optimizer.SGD(learning_rate=0.01).minimize(loss)
print([op.type for op in main.global_block().ops])

# %% [markdown]
# ## What next
#
# You have seen what a framework writes down between your line and the result. What is
# *in* an op, and how does it know its own gradient? That is lesson 01. The code that
# did it is the core, the folder `teachgraph/core`: 3,500 lines with their
# explanations, and its README leads through them in eight stops.

# %% [markdown] lang="zh"
# ## 接下来
#
# 你已经看到，从你写下一行到得出结果，框架在中间记下了什么。
# 算子*里面*有什么？它怎么知道自己的梯度？那是第 01 课。
# 做这些事的代码就是核心，即文件夹 `teachgraph/core`：
# 连同说明共三千五百行，其中的 README 分八站带你走完。
