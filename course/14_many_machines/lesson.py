# %% [markdown]
# # Many machines
#
# Where one machine is too slow, several take a part of each batch. At the end of this
# lesson you have cut a program in two: one part computes gradients on many machines,
# the other keeps the parameters on one, and two machines learn what one alone would
# have learnt. A question worth asking: who has to wait for whom?
#
# ## Watch it happen
#
# Two **trainers** and a **server** make one step. The tab *Cluster* shows the program
# of each. Both trainers send the gradients of their halves of the batch. The server,
# where `sgd` lives now, waits for both, takes the mean, moves the parameters and sends
# them back. Each arc is a message.

# %% [markdown] lang="zh"
# # 多机训练
#
# 一台机器太慢，就让几台各取一批数据的一部分。学完这一课，你会把一个程序切成两半：一半在
# 许多台机器上计算梯度，另一半在一台机器上保管参数；两台一起学到的，正是一台独自会学到
# 的。有个问题值得一问：谁要等谁？
#
# ## 看它发生
#
# 两个**训练端**和一个**服务端**走一步。*Cluster* 一页画出各自的程序。两个训练端
# 各自送出自己那一半数据的梯度。服务端（`sgd` 现在住在那里）等两边都到齐，取平均，移动
# 参数，再送回去。每条弧线就是一条消息。

# %%
# %load_ext teachgraph
import numpy as np

from teachgraph.course import beside, machines
from teachgraph.course.checks import attempt, begin
from teachgraph.course.wrong import wrong_answer

check = begin("14")

# %%
# %%trace --height 640 --title "Two trainers and a server"
learnt = machines.together(steps=1)

# %% [markdown]
# ## Predict
#
# The network has two layers, so four parameters: two weights and two biases. Each
# trainer sends a gradient for each, and gets each parameter back.

# %% [markdown] lang="zh"
# ## 预测
#
# 这个网络有两层，所以有四个参数：两个权重，两个偏置。每个训练端为每个参数送出一个梯度，
# 再收回每个参数。


# %% task="messages_of_a_step" tags=["quiz"]
### 说明 两个训练端的一步中，带着数组的消息有几条。
def messages_of_a_step():
    """The number of messages with an array in one step of both trainers."""
    ### BEGIN SOLUTION
    return 16
    ### END SOLUTION


# %% tags=["check"] task="messages_of_a_step"
check(messages_of_a_step)

# %% [markdown]
# ## Build it: a trainer
#
# Rewrite the operators of one machine into those of a trainer: a list of what it does,
# in order. Operators stay as they are, but for `sgd`, which has moved to the server.
# Between and behind them stand messages:
#
# - `("send", gradient)`, right behind the operator that writes it: from there on it may
#   travel while the others still run (ours leave together, when all are computed);
# - `("send_barrier",)`: all is sent. A **barrier** is where one waits for all: the
#   server now waits for the other trainers, and steps;
# - `("recv", parameter)` for each parameter; `("fetch_barrier",)`: all is here.
#
# Names are texts: `op.inputs["Grad"][0]` and `op.inputs["Param"][0]` of an `sgd`;
# `op.output_arg_names` is the list of what an operator writes.

# %% [markdown] lang="zh"
# ## 动手：训练端
#
# 把一台机器的算子改写成训练端的：一个列表，依次是它要做的事。算子保持原样，只有 `sgd`
# 除外，它搬到了服务端。算子之间和之后是消息：
#
# - `("send", 梯度)`，紧跟在写出它的算子后面：从那时起它就可以上路，哪怕别的算子还在运行
#   （我们的等全部算出后一起送出）；
# - `("send_barrier",)`：都送出了。**屏障**就是等所有人到齐的地方：服务端这时等其余的
#   训练端，然后走一步；
# - 对每个参数一条 `("recv", 参数)`；`("fetch_barrier",)`：都收到了。
#
# 名字都是文字：`sgd` 的 `op.inputs["Grad"][0]` 和 `op.inputs["Param"][0]`；算子
# 写出的名字是列表 `op.output_arg_names`。


# %% task="for_a_trainer" tags=["apart"]
### 说明 训练端的算子和消息，依次排列；ops 是一台机器的算子。
def for_a_trainer(ops):
    """The operators and messages of a trainer, in order; ops are those of one."""
    ### BEGIN SOLUTION
    updates = [op for op in ops if op.type == "sgd"]
    gradients = {op.inputs["Grad"][0] for op in updates}
    rows = []
    for op in ops:
        if op not in updates:
            rows.append(op)
            written = op.output_arg_names
            rows += [("send", name) for name in written if name in gradients]
    received = [("recv", op.inputs["Param"][0]) for op in updates]
    return [*rows, ("send_barrier",), *received, ("fetch_barrier",)]
    ### END SOLUTION


# %% tags=["check"] task="for_a_trainer"
check(for_a_trainer)


# %%
### 说明 20 步之后，与一台机器学到的参数的最大差距。
def difference(rewrite):
    """The largest distance, after 20 steps, from a parameter of one machine."""
    one, (two, _) = machines.alone(20), machines.together(20, rewrite)
    return f"{max(abs(one[name] - two[name]).max() for name in one):.1e}"


print("two trainers against one:", attempt(difference, for_a_trainer, otherwise="?"))

# %% [markdown]
# ## Build it: the mean
#
# The server's mean is right because both halves are of one size. Often they are not:
# the last part of a batch is short. Each trainer's gradient is the mean over its own
# rows. Say that the slope is 2.0 on three rows, and 10.0 on one:

# %% [markdown] lang="zh"
# ## 动手：平均
#
# 服务端的平均之所以对，是因为两半一样大。常常并非如此：一批数据的最后一份较短。每个
# 训练端的梯度是它自己那些行的平均。假设三行上的斜率是 2.0，一行上的是 10.0：


# %% task="slope_of_all" tags=["quiz"]
### 说明 三行的平均斜率是 2.0，一行的是 10.0；这四行的平均斜率。
def slope_of_all():
    """The mean slope of four rows: 2.0 on three of them, 10.0 on the other."""
    ### BEGIN SOLUTION
    return 4.0
    ### END SOLUTION


# %% tags=["check"] task="slope_of_all"
check(slope_of_all)


# %% task="average" tags=["apart"]
### 说明 整批数据的梯度；gradients[i] 是训练端 i 的 rows[i] 行上的平均梯度。
def average(gradients, rows):
    """The gradient of the whole batch; gradients[i] is the mean over rows[i] rows."""
    ### BEGIN SOLUTION
    whole = np.zeros(gradients[0].shape)
    for gradient, count in zip(gradients, rows):
        whole += gradient * (count / sum(rows))
    return whole
    ### END SOLUTION


# %% tags=["check"] task="average"
check(average)

# %% [markdown]
# ## Build it: shards
#
# Every gradient and every parameter of every trainer goes through the server's line. A
# model has 100 MB, ten trainers learn:

# %% [markdown] lang="zh"
# ## 动手：分片
#
# 每个训练端的每个梯度、每个参数都要经过服务端的线路。一个 100 MB 的模型，十个训练端在
# 学：


# %% task="through_the_line" tags=["quiz"]
### 说明 每一步有多少 MB 经过服务端的线路。
def through_the_line():
    """The MB that pass the server's line in one step."""
    ### BEGIN SOLUTION
    return 2000
    ### END SOLUTION


# %% tags=["check"] task="through_the_line"
check(through_the_line)

# %% [markdown]
# So several servers share the parameters: each keeps a **shard**. The step is over when
# the fullest server is done, so bytes count, not parameters. A good rule: take the
# largest parameter first, and give each to the server that has the fewest bytes so far.

# %% [markdown] lang="zh"
# 所以让几个服务端分担参数：每个保管一个**分片**。最满的服务端做完，这一步才算完，所以要
# 数字节，而不是数参数。一个好规则：从最大的参数开始，每个都交给目前字节最少的服务端。


# %% task="shard" tags=["apart"]
### 说明 每个参数的服务端，字典 {名字: 从 0 起的编号}；sizes 是 {名字: 字节数}。
def shard(sizes, servers):
    """The server of each parameter, {name: number from 0}; sizes are {name: bytes}."""
    ### BEGIN SOLUTION
    homes, loads = {}, [0] * servers
    for name in sorted(sizes, key=sizes.get, reverse=True):
        homes[name] = loads.index(min(loads))
        loads[homes[name]] += sizes[name]
    return homes
    ### END SOLUTION


# %% tags=["check"] task="shard"
check(shard)

# %%
sizes = {"first": 400, "b0": 1, "w1": 160, "b1": 1, "w2": 160, "last": 90}
in_turn = {name: number % 2 for number, name in enumerate(sizes)}
for homes in (in_turn, attempt(shard, sizes, 2, otherwise={})):
    print([sum(sizes[name] for name in homes if homes[name] == k) for k in (0, 1)])

# %% [markdown]
# ## Break it
#
# Somebody receives before the barrier: then the server has not stepped yet. No error,
# no waiting, and each gradient is computed with parameters that are one step old.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 有人在屏障之前就接收：那时服务端还没有走这一步。没有报错，也不用等，可是每个梯度都是
# 用旧了一步的参数算出来的。

# %%
early = wrong_answer("14", "recv_too_early", globals()).for_a_trainer
print("received too early:", difference(early))
program = machines.trainer_program
yours = attempt(program, for_a_trainer, otherwise=machines.network()[0])
beside(yours, program(early), names=("yours", "too early"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... `fluid.DistributeTranspiler`: `get_trainer_program` is your list, and
# `get_pserver_programs` the other half. In PyTorch, `DistributedDataParallel` has no
# server: the trainers pass sums on in a ring. Here `paddle.distributed.spawn` runs the
# same programs on real machines, with Ray.
#
# ## What next
#
# Without barriers the server steps with each gradient as it comes: nobody waits, and
# nobody knows how old a parameter is. Does it still learn? The gallery's notebook
# `parameter_server` tries it with real processes, and a thousand simulated ones.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`fluid.DistributeTranspiler`：`get_trainer_program` 就是你的列表，另一半是
# `get_pserver_programs`。PyTorch 的 `DistributedDataParallel` 没有服务端：训练端围成一
# 圈，把和传下去。在这里，`paddle.distributed.spawn` 用 Ray 在真正的机器上运行同样的程
# 序。
#
# ## 接下来
#
# 没有屏障，服务端就收到一个梯度走一步：谁也不等，谁也不知道参数有多旧。它还学得会吗？
# 案例集中的笔记本 `parameter_server` 用真正的进程来试，还模拟了一千个。
