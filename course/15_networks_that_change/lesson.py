# %% [markdown]
# # Networks that change
#
# An eager framework writes a new graph at every step, so no two have to be alike. At
# the end of this lesson you train a network that loses layers at random, let it stop
# thinking as soon as it is sure, and teach a policy to balance a pole, in games of any
# length. A question worth asking: where does a gradient come from, if nobody knows the
# right answer?
#
# ## Watch it happen
#
# A pole stands on a cart. A **policy**, here one layer, sees four numbers (place,
# speed, angle, turning) and gives scores for two actions: push left, push right. The
# game draws one by its probability, again and again, until the pole falls. Here are six
# games: each thumbnail is the graph of the sum of log p over all its actions. A dot is
# an op, which lies below all that it reads; each push has a column of its own.

# %% [markdown] lang="zh"
# # 会变的网络
#
# 动态框架每一步都写下一张新的图，所以没有哪两张非得一样。学完这一课，你会训练一个随机丢
# 掉一些层的网络，让它一有把握就不再往下想，还会教一个策略让杆子立住，游戏多长都行。有个
# 问题值得一问：如果没有人知道正确答案，梯度从哪里来？
#
# ## 看它发生
#
# 一辆小车上立着一根杆子。**策略**（这里只有一层）看到四个数（位置、速度、角度、转速），
# 给出两个动作的分数：向左推，向右推。游戏按概率抽取一个动作，直到杆子倒下。下面是六局游
# 戏：每个缩略图是一局里所有动作的 log p 之和的图。一个点是一个算子，位于它所读的一切下
# 面；每推一次，就多一列。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside, strip
from teachgraph.course.cartpole import curve, game, learn
from teachgraph.course.checks import attempt, begin
from teachgraph.course.deep import Deep, shares, trained, with_exits
from teachgraph.course.digits import batches, test_digits, train_digits
from teachgraph.course.wrong import wrong_answer

check = begin("15")
paddle.seed(0)
policy = paddle.nn.Linear(4, 2)
totals, names = zip(*(game(policy, number) for number in range(6)))
strip(*totals, names=names)

# %% [markdown]
# ## Predict
#
# By how many ops does a graph grow with each push? And of a network whose six layers
# are each left out or not, how many different graphs are there?

# %% [markdown] lang="zh"
# ## 预测
#
# 每推一次，图会增加几个算子？一个网络有六层，每一层都可以丢掉或者留下，会有多少种不同的
# 图？


# %% task="ops_a_push" tags=["quiz"]
### 说明 每推一次，图增加几个算子。
def ops_a_push():
    """The number of ops that a push adds to the graph."""
    ### BEGIN SOLUTION
    return 5
    ### END SOLUTION


# %% tags=["check"] task="ops_a_push"
check(ops_a_push)


# %% task="graphs" tags=["quiz"]
### 说明 六层各丢或留，共有几种图。
def graphs():
    """The number of graphs of six layers, each of which is there or not."""
    ### BEGIN SOLUTION
    return 64
    ### END SOLUTION


# %% tags=["check"] task="graphs"
check(graphs)

# %% [markdown]
# ## Build it: layer drop
#
# The layers of the network `Deep` add to a state: x becomes x + layer(x). So one of
# them can be missing, and x passes unchanged. **Layer drop** draws once for each layer
# in training, and leaves it out if `draw.random()` is below `rate`. What the others
# compute is divided by 1 - rate, so that the mean of what is added stays, as in
# `dropout`. In a test all layers are there, undivided, and nothing is drawn.

# %% [markdown] lang="zh"
# ## 动手：随机丢层
#
# 网络 `Deep` 的各层都往一个状态上加：x 变成 x + layer(x)。所以缺一层也行，x 原样通过。
# **随机丢层**在训练时为每一层抽一次，如果 `draw.random()` 小于 `rate`，就丢掉这一层。其
# 余各层算出的要除以 1 - rate，使加上的东西平均不变，和 `dropout` 一样。测试时所有的层都
# 在，不除，也不抽。


# %% task="layer_drop" tags=["apart"]
### 说明 x 经过各层之后；训练时每层以概率 rate 丢掉。
def layer_drop(layers, x, rate, draw, training):
    """x after the layers, each of which is left out at a rate in training."""
    ### BEGIN SOLUTION
    for layer in layers:
        if not training:
            x = x + layer(x)
        elif draw.random() >= rate:
            x = x + layer(x) / (1.0 - rate)
    return x
    ### END SOLUTION


# %% tags=["check"] task="layer_drop"
check(layer_drop)

# %% [markdown]
# Six steps of training, six graphs: each bow is x on its way past a layer. Then two
# networks are trained, without and with layer drop, and read new digits by their first
# layer only, by the first two, and so on. Which of them would you rather cut?

# %% [markdown] lang="zh"
# 训练六步，六张图：每一道弧线是 x 绕过一层的路。然后训练两个网络，一个不丢层，一个丢
# 层，再让它们只用第一层去认新的数字，只用前两层，依此类推。如果要截短，你愿意截哪一个？


# %%
def six_steps():
    net, draw, batch = Deep(), np.random.default_rng(3), next(batches(train_digits))
    return strip(*[net.loss(layer_drop, 0.5, draw, batch) for _ in range(6)])


attempt(six_steps, otherwise="")


# %% tags=["long"]
def two_networks():
    for rate in (0.0, 0.25):
        net = trained(layer_drop, rate)
        print(f"rate {rate}, layers and digits read:", shares(net, layer_drop))
    return net


net = attempt(two_networks, otherwise=Deep())

# %% [markdown]
# ## Build it: early exit
#
# Easy digits need few layers. **Early exit**: after each layer let `exit(x)` give the
# scores, and stop at the first layer after which the largest probability
# (`paddle.nn.functional.softmax`) is at least `enough`; if none is, after the last.
# Return those scores, and how many layers ran. A layer that is not needed must not run.

# %% [markdown] lang="zh"
# ## 动手：提前退出
#
# 容易的数字用不着几层。**提前退出**：每过一层，用 `exit(x)` 得出分数；最大的概率
# （`paddle.nn.functional.softmax`）第一次达到 `enough` 时就停下；如果一直达不到，就在最
# 后一层之后停下。返回这时的分数，以及运行了几层。不需要的层不可以运行。


# %% task="early_exit" tags=["apart"]
### 说明 （分数，运行了几层）：在第一个有把握的层之后停下；x 是 [1, n]。
def early_exit(layers, exit, x, enough):
    """(scores, layers run), where the answer is sure enough; x is [1, n]."""
    ### BEGIN SOLUTION
    for ran, layer in enumerate(layers, start=1):
        x = x + layer(x)
        scores = exit(x)
        sure = paddle.nn.functional.softmax(scores).max().item()
        if sure >= enough:
            return scores, ran
    return scores, ran
    ### END SOLUTION


# %% tags=["check"] task="early_exit"
check(early_exit)


# %% tags=["long"]
def exits():
    for enough in (0.5, 0.7, 0.9, 1.1):
        print(f"enough {enough}: {with_exits(net, early_exit, enough)}")
    states = [net.start(image[None]) for image in test_digits()[0][:6]]
    found, ran = zip(*(early_exit(net.layers, net.exit, x, 0.8) for x in states))
    return strip(*found, names=[f"{n} of 6" for n in ran])


attempt(exits, otherwise="")

# %% [markdown]
# ## Build it: rewards to go
#
# Each step of the game earns 1, a reward. A push can only be praised for what is earned
# from then on: in step t the *reward to go* is r_t + gamma r_(t+1) + gamma² r_(t+2),
# and so on. The discount `gamma` lets later rewards count less, since they hang less on
# this push. Walk backwards: each is r_t plus gamma times the one after.

# %% [markdown] lang="zh"
# ## 动手：此后的奖励
#
# 游戏每走一步得 1，这是奖励。推这一下，功劳只在此后得到的：第 t 步*此后的奖励*是 r_t +
# gamma r_(t+1) + gamma² r_(t+2)，依此类推。折扣 `gamma` 让越晚的奖励算得越少，因为它们
# 与这一推的关系越小。从后往前走：每一个都是 r_t 加上 gamma 乘以后一个。


# %% task="to_go" tags=["apart"]
### 说明 每一步此后的奖励，是一个列表。
def to_go(rewards, gamma):
    """The reward to go of each step, a list."""
    ### BEGIN SOLUTION
    after, found = 0.0, []
    for reward in reversed(rewards):
        after = reward + gamma * after
        found.append(after)
    return found[::-1]
    ### END SOLUTION


# %% tags=["check"] task="to_go"
check(to_go)


# %% task="first_of_three" tags=["quiz"]
### 说明 奖励是 1、1、1，gamma 是 0.5：第一步此后的奖励。
def first_of_three():
    """The reward to go of the first of three steps that earn 1 each; gamma is 0.5."""
    ### BEGIN SOLUTION
    return 1.75
    ### END SOLUTION


# %% tags=["check"] task="first_of_three"
check(first_of_three)

# %% [markdown]
# ## Build it: the policy's loss
#
# Nobody knows the right push. But a second network, the **baseline**, guesses the
# reward to go of each state. A push that brought more than the guess should become
# likelier, one that brought less rarer. So the loss is the mean of
# -(earned - guess) log p(action). In it the guess is only a number: no gradient goes
# into it (lesson 03); the baseline learns by a loss of its own. Of scores and actions,
# `cross_entropy(..., reduction="none")` gives -log p for each row.

# %% [markdown] lang="zh"
# ## 动手：策略的损失
#
# 没有人知道该怎么推。但是另一个网络，即**基线**，会猜每个状态此后的奖励。得到的比猜的
# 多，这一推就该更可能；得到的少，就该更少见。所以损失是 -(earned - guess) log p(action)
# 的平均。这里的猜测只是一个数：没有梯度进去（第 03 课）；基线靠它自己的损失来学。由分数
# 和动作，`cross_entropy(..., reduction="none")` 给出每一行的 -log p。


# %% task="policy_loss" tags=["apart"]
### 说明 策略的损失；scores [n, 2]，actions、earned 和 guesses [n]，都是 Tensor。
def policy_loss(scores, actions, earned, guesses):
    """The loss of a policy: scores [n, 2], actions, earned and guesses [n], Tensors."""
    ### BEGIN SOLUTION
    better = earned - guesses.detach()
    functional = paddle.nn.functional
    rarity = functional.cross_entropy(scores, actions, reduction="none")
    return (rarity * better).mean()
    ### END SOLUTION


# %% tags=["check"] task="policy_loss"
check(policy_loss)

# %% [markdown]
# Now play: two games, a step of Adam, two games, ... The pole counts as balanced when
# the mean of the last hundred games is 195 steps. You have 300 games.

# %% [markdown] lang="zh"
# 现在来玩：两局游戏，Adam 走一步，再两局……最近一百局平均达到 195 步，就算立住了。你有
# 300 局。

# %% tags=["long"]
lengths = attempt(learn, to_go, policy_loss, otherwise=[0])
curve(lengths)

# %% [markdown]
# ## Break it
#
# Without `detach`, the policy's loss trains the baseline as well: it learns to guess
# ever higher, because that makes the loss smaller. Two pushes, with your loss and with
# that one. The first difference is the copy that `detach` makes; now find, on the
# right, the gradient that should not be there:

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 没有 `detach`，策略的损失就会连基线一起训练：它会学着越猜越高，因为这样损失就变小。推
# 两下，用你的损失，再用那一个。第一处差异是 `detach` 造的副本；再在右边找出不该有的那个
# 梯度：


# %%
def pushes(loss_of=policy_loss):
    scores = paddle.to_tensor([[0.5, -0.5], [1.0, 0.0]], stop_gradient=False)
    guesses = paddle.to_tensor([2.0, 2.0], stop_gradient=False)
    earned, actions = paddle.to_tensor([3.0, 1.0]), paddle.to_tensor([1, 0])
    loss_of(scores, actions, earned, guesses).backward()


wrong = wrong_answer("15", "baseline_with_gradient", globals()).policy_loss
beside(pushes, lambda: pushes(wrong), names=("yours", "without detach"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... plain Python in dynamic mode; `to_static` turns such an `if` into an op
# (lesson 09). In PyTorch there are `torchvision.ops.stochastic_depth`, which is your
# `layer_drop`, and `torch.distributions` for log p. Here the whole training is
# `teachgraph/models/policy_gradient.py`; `notebooks/cartpole_policy.py` shows what a
# policy has learnt.
#
# ## What next
#
# Turn the sign of the loss around and let it learn: what has it learnt? In lesson 16 a
# network writes words.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……动态模式下的普通 Python；`to_static` 会把这样的 `if` 变成算子（第 09 课）。在
# PyTorch 中有 `torchvision.ops.stochastic_depth`，它就是你的 `layer_drop`；log p 则有
# `torch.distributions`。在这里，整个训练在 `teachgraph/models/policy_gradient.py`；
# `notebooks/cartpole_policy.py` 展示策略学到了什么。
#
# ## 接下来
#
# 把损失的符号反过来，再让它学：它学会了什么？在第 16 课，一个网络会写出词句。
