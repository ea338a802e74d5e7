# %% [markdown]
# # Four lines
#
# Four lines make a network ready to train. What did they *do*?
#
# You need Python and a little NumPy. Run the cells from top to bottom
# (Shift+Enter), and look at the picture while the second one runs.
#
# ## Watch it happen

# %% [markdown] lang="zh"
# # 四行代码
#
# 四行代码就能让一个网络准备好训练。它们究竟*做了什么*？
#
# 你只需要会 Python 和一点 NumPy。从上到下逐个运行单元格
# （Shift+Enter），运行第二个代码单元格时请看图。
#
# ## 看它发生

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph.fluid as fluid
from teachgraph.course.checks import checking, expect

# %% tags=["quiet"]
# %%trace
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
# | `data` | | the variable `X`, to be fed; `-1` rows: as many as come |
# | `fc` | two ops that fill the weight and the bias | `mul`, `elementwise_add` |
# | `mean` | | `reduce_mean` |
# | `minimize` | one op that fills the learning rate | six ops: the way back |
#
# Step through it with the arrow keys. Then read the same two programs as text:

# %% [markdown] lang="zh"
# 到现在什么也没有计算。每一行只是向一个或两个程序里*写入*内容，
# 上图中每一项的颜色就是写下它的那一行的颜色：
#
# | 行 | 写入 `startup`，只运行一次 | 写入 `main`，每一步都运行 |
# |---|---|---|
# | `data` | | 变量 `X`，等待喂入；`-1` 表示行数不限 |
# | `fc` | 两个算子，填充权重和偏置 | `mul`、`elementwise_add` |
# | `mean` | | `reduce_mean` |
# | `minimize` | 一个算子，填充学习率 | 六个算子：返回的路 |
#
# 用方向键一步步走一遍。然后以文本形式读这两个程序：

# %%
print(fluid.default_startup_program())
print(fluid.default_main_program())

# %% [markdown]
# An op reads `{outputs} = type(inputs, attributes)`. The last line of the four wrote
# the most: a `fill_constant` that makes the gradient of the loss itself, 1.0; then for
# each op of the way there its `_grad` op, last one first; then an `sgd` for each
# parameter. The gradient of `fc_0.w_0` is a variable too: `fc_0.w_0@GRAD`.
#
# ## Run it
#
# `startup` gives the parameters their first values. `main` then takes a step each time.

# %% [markdown] lang="zh"
# 一个算子读作 `{输出} = 类型(输入, 属性)`。四行中的最后一行写得最多：
# 先是一个 `fill_constant`，造出损失自身的梯度 1.0；然后，去程的每个算子
# 都有一个对应的 `_grad` 算子，最后的排在最前；最后每个参数各有一个 `sgd`。
# `fc_0.w_0` 的梯度也是一个变量：`fc_0.w_0@GRAD`。
#
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

# %% [markdown]
# The loss falls by 0.0020 at every step, and that is no accident: it is linear in the
# parameters, so a step takes off learning rate x |gradient|² = 0.01 x 0.2. (It would
# fall for ever; a loss worth training on comes in lesson 07.)
#
# ## Your turn: predict
#
# The same network with one more layer: `data`, `fc`, `fc`, `mean`. Which ops will
# `minimize` add to `main`, in order? Write down their types before you look.

# %% [markdown] lang="zh"
# 损失每一步都下降 0.0020，这并非偶然：损失对参数是线性的，
# 所以一步恰好减去 学习率 x |梯度|² = 0.01 x 0.2。
# （它会一直降下去；值得训练的损失要到第 07 课。）
#
# ## 轮到你：预测
#
# 同一个网络再加一层：`data`、`fc`、`fc`、`mean`。`minimize` 会按什么
# 顺序向 `main` 添加哪些算子？先写下它们的类型，再去看。


# %% task="added_by_minimize"
### HINT Two layers, so the part that goes back through a layer comes twice.
### 提示 有两层，所以穿过一层的返回部分要出现两次。
### HINT Each layer has a weight and a bias, and each of them is updated.
### 提示 每一层有一个权重和一个偏置，每一个都要更新。
def added_by_minimize():
    """The types of the ops that `minimize` adds, as a list of strings."""
    ### BEGIN SOLUTION
    seed = ["fill_constant", "reduce_mean_grad"]
    one_layer = ["elementwise_add_grad", "mul_grad"]
    return seed + one_layer + one_layer + ["sgd"] * 4
    ### END SOLUTION


# %% tags=["check"] task="added_by_minimize"
with checking("added_by_minimize"):
    program = fluid.Program()
    with fluid.program_guard(program, fluid.Program()):
        layer = fluid.data(name="X", shape=[None, 1], dtype="float32")
        for size in (10, 1):
            layer = fluid.layers.fc(input=layer, size=size)
        cost = fluid.layers.mean(layer)
        there = len(program.global_block().ops)
        fluid.optimizer.SGD(learning_rate=0.01).minimize(cost)
    truth = [op.type for op in program.global_block().ops[there:]]
    yours = list(added_by_minimize())
    expect(
        yours[:1] == ["fill_constant"],
        "the way back starts at the loss: which op makes its gradient, the first 1.0?",
    )
    expect(
        [kind for kind in yours if kind != "sgd"] == truth[: -truth.count("sgd")],
        "the way back runs from the loss to X: the op that ran last comes first, "
        "and every op of both layers has its turn",
    )
    expect(
        yours.count("sgd") == truth.count("sgd"),
        "every parameter has an `sgd` of its own: how many have two layers?",
    )
    expect(yours == truth, "the parameters are updated when the way back is done")

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
# did it is the core, the folder `teachgraph/core`: five thousand lines with their
# explanations, and its README leads through them in eight stops.

# %% [markdown] lang="zh"
# ## 接下来
#
# 你已经看到，从你写下一行到得出结果，框架在中间记下了什么。
# 算子*里面*有什么？它怎么知道自己的梯度？那是第 01 课。
# 做这些事的代码就是核心，即文件夹 `teachgraph/core`：
# 连同说明共五千行，其中的 README 分八站带你走完。
