# %% [markdown]
# # Control flow
#
# A program is a list, and still it repeats itself: one operator holds a whole block and
# runs it again and again. At the end of this lesson your framework has such a loop, and
# gradients find their way back through it. A question worth asking: the block is
# written once, but each round has values of its own. Where does the way back find them?
#
# ## Watch it happen
#
# Step with `Shift` and an arrow through the last line. The rows of the block light up
# once a round. What a round computed stays in a dict of its own, its **step scope**;
# then `while_grad` takes one after the other up again.

# %% [markdown] lang="zh"
# # 控制流
#
# 程序是一个列表，却能反复执行：有一个算子装着整个块，并一遍遍运行它。学完这一课，你的框
# 架就有了这样的循环，梯度也能穿过它找到回来的路。有个问题值得一问：块只写下一次，每一轮
# 却有自己的值。返回时到哪里去找它们？
#
# ## 看它发生
#
# 用 `Shift` 加方向键走过最后一行。块中的各行每一轮亮起一次。一轮算出的东西留在它自己的
# 字典里，即它的**步作用域**；然后 `while_grad` 从后往前逐个取用它们。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside
from teachgraph.course.checks import attempt, begin
from teachgraph.course.wrong import wrong_answer

check = begin("08")
paddle.enable_static()

# %%
# %%trace --pace 0.3
main, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(main, startup):
    h = paddle.static.data("h", [1, 2])
    w = paddle.static.create_parameter([2, 2], "float32", name="w")
    i = paddle.zeros([1])
    body = lambda i, h: [i + 1, paddle.matmul(h, w)]
    i, y = paddle.static.nn.while_loop(lambda i, h: i < 4, body, [i, h])
    paddle.optimizer.SGD(learning_rate=0.1).minimize(paddle.mean(y))

exe = paddle.fluid.Executor()
exe.run(startup)
exe.run(main, feed={"h": np.ones((1, 2), "float32")}, fetch_list=[y])

# %% [markdown]
# `while_loop(condition, body, state)` takes the Variables that a round may change, the
# loop's *state*, and gives back the same number of them: their last values.
#
# ## Predict

# %% [markdown] lang="zh"
# `while_loop(condition, body, state)` 接收每一轮可能改变的 Variable，即循环的*状态*，
# 并返回同样数目的 Variable：它们最后的值。
#
# ## 预测


# %% task="step_scopes" tags=["quiz"]
### 说明 while_grad 开始时有几个步作用域。
def step_scopes():
    """The number of step scopes when while_grad begins."""
    ### BEGIN SOLUTION
    return 4
    ### END SOLUTION


# %% tags=["check"] task="step_scopes"
check(step_scopes)


# %% task="calls_of_body" tags=["quiz"]
### 说明 整个单元格里，Python 调用了 body 几次。
def calls_of_body():
    """The number of times that Python called body in the whole cell."""
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION


# %% tags=["check"] task="calls_of_body"
check(calls_of_body)

# %% [markdown]
# ## Build it: a loop without an end in sight
#
# Take a whole number `n`. While it is above 1: halve it if it is even, else take
# 3 n + 1. How many rounds that takes, nobody knows beforehand (for 27 it is 111), so
# no `for` of Python can write it down. Write it with `while_loop`. `n` is a Variable;
# `n // 2`, `n % 2 == 0` and so on append operators, and
# `paddle.where(condition, a, b)` chooses. A Variable that is not in the state has, in
# each round, its value from before the loop.

# %% [markdown] lang="zh"
# ## 动手：看不到头的循环
#
# 取一个整数 `n`。只要它大于 1：若是偶数就减半，否则变成 3 n + 1。要走多少轮，事先没有
# 人知道（27 要走 111 轮），所以用 Python 的 `for` 写不出来。用 `while_loop` 写出来。`n`
# 是 Variable；`n // 2`、`n % 2 == 0` 之类会追加算子，`paddle.where(condition, a, b)`
# 用来二选一。不在状态里的 Variable，在每一轮里都是循环之前的值。


# %% task="collatz" tags=["apart"]
### 说明 写下从 n 走到 1 的循环；返回轮数，一个 Variable。
def collatz(n):
    """Append the loop from n down to 1; return the number of rounds, a Variable."""
    ### BEGIN SOLUTION
    rounds = paddle.zeros([1], "int64")

    def above_one(n, rounds):
        return n > 1

    def step(n, rounds):
        return [paddle.where(n % 2 == 0, n // 2, 3 * n + 1), rounds + 1]

    return paddle.static.nn.while_loop(above_one, step, [n, rounds])[1]
    ### END SOLUTION


# %% tags=["check"] task="collatz"
check(collatz)

# %% [markdown]
# ## Build it: the rounds
#
# Now a loop for your framework. A `Block` is a Program of its own: `state` are the
# Variables with which a round begins; `results` hold their new values, with which the
# next round begins; `again` says if there is a next one. `h`, the first of the state,
# is what gradients go through; the others only count. The other Variables that a round
# reads are its `weights`.

# %% [markdown] lang="zh"
# ## 动手：一轮又一轮
#
# 现在给你的框架造一个循环。`Block` 是一个独立的 Program：`state` 是一轮开始时的各个
# Variable，`results` 是下一轮开始时的，`again` 表示还有没有下一轮。状态中的第一个
# `h` 是梯度经过的路；其余的只用来计数。一轮中还要读的其他 Variable 是 `weights`。

# %%
from teachgraph.course.mine import Executor, Op, Operator, Program, Variable
from teachgraph.course.mine import append_backward, interpret, matmul, smooth


# %% tags=["mine"]
### 说明 循环的一轮，只写下一次，以及穿过它返回的路。
### 说明 追加一个循环；返回其状态最后的值，都是 Variable。
less = Op("less", np.less, None)


class Block(Program):
    """A round of a loop, written once, and the way back through it."""

    def __init__(self, condition, body, state, weights):
        super().__init__("block")
        inner = []
        for x in (*state, *weights):
            stop = x.stop_gradient and x is not state[0]
            inner.append(Variable(self, x.name, x.shape, stop, persistable=not stop))
        self.state, self.weights = inner[: len(state)], inner[len(state) :]
        self.results = body(*inner)
        self.again = condition(*self.results)
        count = len(self.ops)
        append_backward(self.results[0])
        self.back = Program("way back")
        self.back.ops = self.ops[count + 1 :]  # the seed is the next round's gradient
        del self.ops[count:]


def while_loop(condition, body, state, weights, back=None):
    """Append a loop; return the last values of its state, all Variables."""
    main, block = state[0].program, Block(condition, body, state, weights)
    names = [x.name for x in (*block.state, *block.weights)]
    kept = []

    def kernel(go_on, *arrays, block):
        kept[:] = run_rounds(block, go_on, dict(zip(names, arrays)))
        if not kept:
            return arrays[: len(state)]
        return tuple(kept[-1][x.name] for x in block.results)

    def rule(dout, go_on, *arrays, block):
        dh, *sums = (back or unwind)(block, kept, dout)
        return (None, dh, *(None for _ in state[1:]), *sums)

    outs = []
    for x, inner in zip(state, block.state):
        outs.append(
            Variable(main, main.new_name("while"), x.shape, inner.stop_gradient)
        )
    inputs = [condition(*state), *state, *weights]
    main.insert(Operator(Op("while", kernel, rule), inputs, outs, {"block": block}))
    return outs


# %% [markdown]
# `values` is {name: array} for the state and the weights; leave the caller's dict as it
# is. As long as `go_on` holds, run the block on a copy of the values (with your
# `interpret`), keep the result as the round's step scope, and begin the next round with
# the new state.

# %% [markdown] lang="zh"
# `values` 是状态和权重的 {名字: 数组}。只要 `go_on` 成立，就在 `values` 的副本上（用你
# 的 `interpret`）运行块，把结果留作这一轮的步作用域，下一轮从新状态开始。调用者的字典
# 保持原样。


# %% task="run_rounds"
### 说明 只要 go_on 成立就运行块；返回每一轮的步作用域，第一轮的在前。
def run_rounds(block, go_on, values):
    """Run the block while go_on; the step scope of each round, the first one first."""
    ### BEGIN SOLUTION
    scopes = []
    while go_on:
        scope = interpret(block, dict(values))
        for x, result in zip(block.state, block.results):
            values = {**values, x.name: scope[result.name]}
        go_on = scope[block.again.name]
        scopes.append(scope)
    return scopes
    ### END SOLUTION


# %% tags=["check"] task="run_rounds"
check(run_rounds)

# %% [markdown]
# ## Build it: the way back
#
# `block.back` holds the operators that `append_backward` wrote for one round. It reads
# what the round computed, and the gradient of its result: if the result
# `block.results[0]` is called `tmp`, that is `tmp@GRAD`. It writes the gradient of `h`
# and that of each weight. So take the step scopes out of the list, the *last* one
# first: put `dh` into the scope, under the name of the result's gradient, and interpret
# `block.back` on it. The gradient of `h` that it wrote is `dh` for the round before. A
# weight is read in every round. Without any round, `dh` stays, and a weight's gradient
# is zeros of its shape.

# %% [markdown] lang="zh"
# ## 动手：往回走
#
# `block.back` 装着 `append_backward` 为一轮写下的算子。它读这一轮结果的梯度（结果若叫
# `h_new`，梯度就叫 `h_new@GRAD`），以及这一轮自己算出的东西；写出 `h` 的梯度和每个权重
# 的梯度。所以步作用域要从*最后*一个到第一个，依次从列表里取出：先把传到这里的梯度 `dh`
# 放进作用域，再在其上解释执行 `block.back`；它为 `h` 写出的，就是前一轮的 `dh`。权重则
# 每一轮都被读。一轮也没有时，`dh` 不变，权重的梯度是与它同形状的零。


# %% task="unwind"
### 说明 第一个 h 的梯度，然后是每个权重的：一个列表；scopes 最后是空的。
def unwind(block, scopes, dh):
    """The gradient of the first h, then of each weight: a list. Empties scopes."""
    ### BEGIN SOLUTION
    sums = [np.zeros(w.shape) for w in block.weights]
    while scopes:
        scope = scopes.pop()
        scope[f"{block.results[0].name}@GRAD"] = dh
        interpret(block.back, scope)
        dh = scope[f"{block.state[0].name}@GRAD"]
        for k, w in enumerate(block.weights):
            sums[k] += scope[f"{w.name}@GRAD"]
    return [dh, *sums]
    ### END SOLUTION


# %% tags=["check"] task="unwind"
check(unwind)

# %% [markdown]
# ## Build it: the same, written out
#
# If the number of rounds is known, Python's own `for` can write the block that often.

# %% [markdown] lang="zh"
# ## 动手：同样的事，逐轮写出
#
# 如果轮数已知，Python 自己的 `for` 就可以把块写那么多遍。


# %% task="unrolled"
### 说明 把 body(h, *weights) 写 rounds 遍，每次用上一次的结果；返回最后的 h。
def unrolled(body, h, weights, rounds):
    """Write body(h, *weights) so many times, each on the last; return the last h."""
    ### BEGIN SOLUTION
    for _ in range(rounds):
        h = body(h, *weights)
    return h
    ### END SOLUTION


# %% tags=["check"] task="unrolled"
check(unrolled)


# %%
def gradient(back=None, looped=True, rounds=10):
    main = Program()
    w = Variable(main, "w", [2, 2], stop_gradient=False, persistable=True)
    h, i = Variable(main, "h", [1, 2], is_data=True), Variable(main, "i", [])
    if looped:
        body = lambda h, i, w: [smooth(matmul(h, w)), i + 1.0]
        h = while_loop(lambda h, i: less(i, rounds), body, [h, i], [w], back)[0]
    else:
        h = unrolled(lambda h, w: smooth(matmul(h, w)), h, [w], rounds)
    dw = append_backward(h.sum())[w]
    feed = {"h": np.ones((1, 2)), "i": np.zeros(()), "w": np.eye(2) / 2}
    (value,) = Executor().run(main, feed, [dw])
    return f"{len(main.ops)} operators; gradient of w: {value.round(4).tolist()}"


print(attempt(gradient, otherwise=""))
print(attempt(gradient, None, False, otherwise=""))


# %% task="fifty" tags=["quiz"]
### 说明 逐轮写出时，10 轮有 44 个算子（含反向），11 轮有 48 个。50 轮有几个？
def fifty():
    """Unrolled, 10 rounds are 44 operators, way back included; 11 are 48. And 50?"""
    ### BEGIN SOLUTION
    return 204
    ### END SOLUTION


# %% tags=["check"] task="fifty"
check(fifty)

# %% [markdown]
# ## Break it
#
# Rounds unwound from the first to the last: each step scope gets a gradient that is not
# its own. No error is raised; the very first gradient that is computed is wrong.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 若按从第一轮到最后一轮的顺序回退，每个步作用域得到的都不是自己的梯度。不会报错，只是
# 最先算出的梯度就错了。


# %%
forwards = wrong_answer("08", "forwards", globals())
beside(gradient, lambda: gradient(forwards.unwind), names=("yours", "forwards"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.static.nn.while_loop`: `while` with its sub-block, its `STEP_SCOPES` and
# `while_grad`. TensorFlow 1 kept such values on stacks; in PyTorch a loop is Python's,
# so its tape is always unrolled. Here it is `teachgraph/control_flow/`.
#
# ## What next
#
# Step scopes hold every value of every round. Which of them does the way back need? In
# lesson 09 nobody writes `while_loop` any more: Python's own `while` becomes one.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`paddle.static.nn.while_loop`：`while` 带着它的子块、它的 `STEP_SCOPES`，还有
# `while_grad`。TensorFlow 1 把这样的值放在栈里；在 PyTorch 中循环就是 Python 的，所以
# 它的磁带总是逐轮展开的。在这里就是 `teachgraph/control_flow/`。
#
# ## 接下来
#
# 步作用域留着每一轮的每一个值。返回时用得着其中哪些？到第 09 课，就不必再写
# `while_loop`：Python 自己的 `while` 会变成它。
