# %% [markdown]
# # The executor
#
# A program is a list, and a framework is a `for` loop over it. At the end of this
# lesson your own executor trains your own network on handwriting, tests it without
# changing it, and calls Python from the middle of a program. A question worth asking:
# what must be forgotten when a run is over, and what must not?
#
# ## Watch it happen
#
# Step with `Shift` and an arrow through the last line: operators light up one after the
# other, and each variable holds a value. `w` changes its value at the end.

# %% [markdown] lang="zh"
# # 执行器
#
# 程序是一个列表，框架就是遍历它的一个 `for` 循环。学完这一课，你自己的执行器会用手写
# 数字训练你自己的网络，测试时不改动它，还会在程序中间调用 Python。有个问题值得一问：
# 一次运行结束时，什么必须忘掉，什么不能忘？
#
# ## 看它发生
#
# 用 `Shift` 加方向键走过最后一行：算子一个接一个亮起，每个变量都装上了值。最后 `w`
# 换了值。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside, tiny_digits
from teachgraph.course.checks import attempt, begin
from teachgraph.course.wrong import wrong_answer

check = begin("07")

# %%
# %%trace --pace 0.5
main, startup = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(main, startup):
    x = paddle.static.data("x", [-1, 2])
    w = paddle.static.create_parameter([2, 1], "float32", name="w")
    loss = paddle.mean(paddle.matmul(x, w))
    paddle.optimizer.SGD(learning_rate=0.1).minimize(loss)

exe = paddle.fluid.Executor()
exe.run(startup)
exe.run(main, feed={"x": np.ones((4, 2), "float32")}, fetch_list=[loss])

# %% [markdown]
# For a second run the framework writes the loop down as Python. Compare it with the
# rows above: one line for each operator, and a `del` when nobody needs a value any
# more.

# %% [markdown] lang="zh"
# 为了第二次运行，框架会把循环写成 Python。与上面的各行对照：每个算子一行，没有人再需要
# 的值则用 `del` 删掉。

# %%
print(exe.compiled(main, [loss]).source)

# %% [markdown]
# ## Predict
#
# The **scope** is a dict of values by name that outlives a run. Which names does it
# hold after these runs? Those that are `persistable`: what the next run goes on with.

# %% [markdown] lang="zh"
# ## 预测
#
# **scope**（作用域）是一个从名字到值的字典，运行结束后它还在。这些运行之后里面有哪些
# 名字？是那些 `persistable`（持久）的：下一次运行要接着用的。


# %% task="in_the_scope" tags=["quiz"]
### 说明 这些运行之后，scope 里有下列哪些：x、w、w@GRAD、learning_rate_0。写成列表。
def in_the_scope():
    """Which of x, w, w@GRAD, learning_rate_0 the scope holds afterwards: a list."""
    ### BEGIN SOLUTION
    return ["w", "learning_rate_0"]
    ### END SOLUTION


# %% tags=["check"] task="in_the_scope"
check(in_the_scope)

# %% [markdown]
# ## Build it: the loop
#
# `memory` is a dict {name: array}. For each operator of a program: look up what it
# reads, *compute*, and put what it writes under its name; return `memory` at the end.
# An input that is no Variable is a number: take it as an array, `np.asarray(x)`. An
# output may be None: nobody wants it. `compute(operator, arrays)` gives a tuple, one
# array for each output.

# %% [markdown] lang="zh"
# ## 动手：循环
#
# `memory` 是字典 {名字: 数组}。对程序的每个算子：查出它要读的，*计算*，再把它写出的
# 放到各自的名字下；最后返回 `memory`。不是 Variable 的输入是一个数：把它当作数组，即
# `np.asarray(x)`。输出可能是 None：没有人要它。`compute(operator, arrays)` 给出一个
# 元组，每个输出一个数组。

# %%
from teachgraph.course.mine import Op, Operator, Program, Variable, announce, forward
from teachgraph.course.mine import append_backward, cross_entropy, new_parameters


# %% tags=["mine"]
### 说明 一个算子由这些数组写出的东西：一个元组，每个输出一个数组。
### 说明 保留的 x 处是 1 / (1 - rate)，丢弃处是 0；测试时是 1。
### 说明 追加反向，以及为每个参数追加写出它的一个 sgd。
### 说明 检查点的网络，写成训练它的程序：(main, startup, scores)。
### 说明 运行程序；比一次运行活得更久的，留在 scope 里。
def compute(operator, arrays):
    """Compute an operator on arrays: a tuple, one array for each output."""
    results = operator.op.kernel(*arrays, **operator.attrs)
    results = results if isinstance(results, tuple) else (results,)
    named = {x.name: y for x, y in zip(operator.outputs, results) if x is not None}
    announce("run_op", operator, named)
    return results


def kept(x, rate, is_test):
    """1 / (1 - rate) where x is kept, 0 where it is dropped; 1 in a test."""
    draw = np.random.default_rng(x.size)  # a toy: the rule has to find the same ones
    return 1.0 if is_test else (draw.random(x.shape) >= rate) / (1.0 - rate)


def drop(x, rate, is_test):
    return x * kept(x, rate, is_test)


def dropout_rule(dout, x, rate, is_test):
    return (dout * kept(x, rate, is_test),)


dropout = Op("dropout", drop, dropout_rule)
sgd = Op("sgd", lambda p, g, rate: p - rate * g, None)


def minimize(loss, rate):
    """Append the way back and, for each parameter, an sgd that writes it."""
    for p, g in append_backward(loss).items():
        update = Operator(sgd, [p, g], [p], {"rate": rate}, "optimize")
        loss.program.insert(update)


def classifier(sizes):
    """The checkpoint's network as programs that train it: (main, startup, scores)."""
    main, startup = Program(), Program("startup")
    x = Variable(main, "x", [-1, sizes[0]], is_data=True)
    labels = Variable(main, "labels", [-1], is_data=True)
    layers = new_parameters(main, startup, sizes)
    scores = forward(dropout(x, rate=0.1, is_test=False), layers)
    minimize(cross_entropy(scores, labels), rate=0.5)
    return main, startup, scores


class Executor:
    """Runs programs; what outlives a run stays in its scope."""

    def __init__(self, way=None):
        self.scope, self.way = {}, way or run_once

    def run(self, program, feed=None, fetch=()):
        announce("run_begin", program, feed or {})
        try:
            return self.way(program, feed or {}, fetch, self.scope)
        finally:
            announce("run_end", program)


# %% task="interpret"
### 说明 按顺序运行每个算子；memory，即 {名字: 数组}，装满它们写出的值，并被返回。
def interpret(program, memory):
    """Run all operators in order; fill memory, {name: array}, and return it."""
    ### BEGIN SOLUTION
    for operator in program.ops:
        arrays = [
            memory[x.name] if isinstance(x, Variable) else np.asarray(x)
            for x in operator.inputs
        ]
        for x, result in zip(operator.outputs, compute(operator, arrays)):
            if x is not None:
                memory[x.name] = result
    return memory
    ### END SOLUTION


# %% tags=["check"] task="interpret"
check(interpret)

# %% [markdown]
# ## Build it: a run
#
# A run starts with what the scope holds and what is fed (if both have a name, the fed
# value counts), gives back what is fetched (a list, one array for each Variable), and
# keeps in the scope the persistable variables that operators *wrote*. What was fed, and
# what was computed on the way, is forgotten. If an operator raises, the scope stays as
# it was.

# %% [markdown] lang="zh"
# ## 动手：一次运行
#
# 一次运行从 scope 里的和喂进来的（feed）开始（名字相同时，以喂进来的为准），交回要取的
# （fetch，一个列表，每个 Variable 一个数组），并把算子*写出*的持久变量留在 scope 里。
# 喂进来的和途中算出的，都忘掉。如果某个算子出错，scope 要保持原样。


# %% task="run_once"
### 说明 用 feed 运行程序；返回 fetch 的值，并把持久的留在 scope 里。
def run_once(program, feed, fetch, scope):
    """Run a program on feed; return the values of fetch, keep in scope what lasts."""
    ### BEGIN SOLUTION
    memory = interpret(program, {**scope, **feed})
    for operator in program.ops:
        for x in operator.outputs:
            if x is not None and x.persistable:
                scope[x.name] = memory[x.name]
    return [memory[x.name] for x in fetch]
    ### END SOLUTION


# %% tags=["check"] task="run_once"
check(run_once)

# %% [markdown]
# ## Build it: a program for testing
#
# To test on the training program would train on the test data. And some operators do
# something else in a test: `dropout`, in `classifier` above, puts 0 for a tenth of its
# numbers while it trains, so that no unit relies on another one, and for none in a
# test. A clone for testing is a new Program with the very same Variables and, of the
# operators, only those whose `role` is "forward". Each is a new Operator; if it has an
# attribute `is_test`, that is True there, and stays False in the program that trains.

# %% [markdown] lang="zh"
# ## 动手：测试用的程序
#
# 在训练程序上测试，就等于用测试数据训练。而且有的算子在测试时另有做法：上面
# `classifier` 里的 `dropout`，训练时把十分之一的数换成 0，免得单元互相依赖，
# 测试时则一个也不换。测试用的克隆是一个新的 Program，变量相同，
# 算子只留 `role` 为 "forward" 的。每个都是新的 Operator；如果它有属性 `is_test`，在
# 克隆里就是 True，而在你用来训练的程序里仍是 False。


# %% task="clone_for_test"
### 说明 只有前向的一个副本，处于测试模式。
def clone_for_test(program):
    """A copy with the forward operators only, in test mode."""
    ### BEGIN SOLUTION
    test = Program("test")
    test.variables = dict(program.variables)
    for one in program.ops:
        if one.role == "forward":
            attrs = dict(one.attrs)
            if "is_test" in attrs:
                attrs["is_test"] = True
            test.insert(Operator(one.op, one.inputs, one.outputs, attrs))
    return test
    ### END SOLUTION


# %% tags=["check"] task="clone_for_test"
check(clone_for_test)


# %% task="operators_in_test" tags=["quiz"]
### 说明 克隆的 classifier 程序里有几个算子。
def operators_in_test():
    """The number of operators in the clone of a classifier's program."""
    ### BEGIN SOLUTION
    return 7
    ### END SOLUTION


# %% tags=["check"] task="operators_in_test"
check(operators_in_test)

# %% [markdown]
# Now your framework reads digits, from rows to a trained network:

# %% [markdown] lang="zh"
# 现在你的框架从一行行记录到训练好的网络，认得数字了：


# %% tags=["long"]
def trained(steps):
    (main, startup, scores), exe = classifier([49, 32, 10]), Executor()
    exe.run(startup)
    for feed in tiny_digits.batches(steps):
        exe.run(main, feed)
    test = clone_for_test(main)
    right = tiny_digits.accuracy(lambda feed: exe.run(test, feed, [scores])[0])
    cost = tiny_digits.cost(lambda: exe.run(main, feed), feed)
    return f"it reads {right:.0%} of new digits, a step takes {cost:.1f} of our time"


print(attempt(trained, 400, otherwise=""))

# %% [markdown]
# ## Build it: Python in a program
#
# `py_func` is an operator that calls a Python function. It must not be called while you
# write the program: so its shape is not tried but *told*. Append it by hand, as
# `append` does in lesson 05, with an Op called `py_func`; its rule gives a tuple of one
# gradient, `backward(dout, x)`.

# %% [markdown] lang="zh"
# ## 动手：程序里的 Python
#
# `py_func` 是一个调用 Python 函数的算子。写程序时不可以调用它：所以它的形状不是试出来
# 的，而是*说出来*的。像第 05 课的 `append` 那样亲手追加它，用一个叫 `py_func` 的 Op；
# 它的规则给出只含一个梯度的元组，即 `backward(dout, x)`。


# %% task="py_func"
### 说明 追加对 function(x) 的一次调用，它给出 shape；反向时调用 backward(dout, x)。
def py_func(function, x, shape, backward):
    """Append a call function(x) that gives this shape; backward(dout, x) on the way."""

    ### BEGIN SOLUTION
    def rule(dout, x):
        return (backward(dout, x),)

    program = x.program
    name = program.new_name("py_func")
    out = Variable(program, name, shape, x.stop_gradient)
    program.insert(Operator(Op("py_func", function, rule), [x], [out]))
    return out
    ### END SOLUTION


# %% tags=["check"] task="py_func"
check(py_func)

# %% [markdown]
# ## Break it
#
# An executor that works in the scope itself forgets nothing. The second run here feeds
# nothing: yours refuses, the other one quietly takes the old `x`.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 直接在 scope 里工作的执行器什么也不忘。这里的第二次运行什么也没喂：你的会拒绝，另一个
# 却悄悄拿旧的 `x` 来用。


# %%
def forgotten_feed(way):
    program, exe = Program(), Executor(way)
    y = Variable(program, "x", [2], is_data=True) * 2.0
    exe.run(program, {"x": np.ones(2)}, [y])
    exe.run(program, {}, [y])


def yours():
    forgotten_feed(run_once)


def keeps_everything():
    forgotten_feed(wrong_answer("07", "keeps_everything", globals()).run_once)


beside(yours, keeps_everything, names=("yours", "keeps everything"))


# %% task="updates" tags=["quiz"]
### 说明 训练三步，再运行同一个程序（没有克隆）评估两次：w 被更新了几次。
def updates():
    """The number of updates of w: 3 steps, 2 evaluations with the same program."""
    ### BEGIN SOLUTION
    return 5
    ### END SOLUTION


# %% tags=["check"] task="updates"
check(updates)

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.static.Executor`, `global_scope()`, `Program.clone(for_test=True)` and
# `static.py_func`; the loop is C++, in its plainest form `NaiveExecutor::Run`, which
# inference uses. In PyTorch `torch.fx.Interpreter` is such a loop. Here it is
# `teachgraph/core/executor.py`.
#
# ## What next
#
# Where does the time of your step go? Try it with a hidden layer of 320. In lesson 08
# an operator holds a whole block, and runs it again and again.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`paddle.static.Executor`、`global_scope()`、`Program.clone(for_test=True)` 和
# `static.py_func`；那个循环是 C++ 写的，最朴素的是推理用的 `NaiveExecutor::Run`。
# 在 PyTorch 中，`torch.fx.Interpreter` 就是这样一个循环。在这里就是
# `teachgraph/core/executor.py`。
#
# ## 接下来
#
# 你的一步，时间花在哪里？试试 320 个单元的隐藏层。在第 08 课，一个算子里装着整个块，
# 并一遍遍运行它。
