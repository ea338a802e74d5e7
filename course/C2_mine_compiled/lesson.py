# %% [markdown]
# # Checkpoint: mine, compiled
#
# Program, passes, lifetimes: it is all there, and it is yours. At this checkpoint you
# join the parts: your framework writes each program down as Python, once, and runs
# that. Which is faster for a step of training, your tape, your interpreter, or the
# source that your framework wrote itself?
#
# ## Watch it happen
#
# Your training program, and your plan for its memory. Point at a buffer: it says which
# operators it lives between.

# %% [markdown] lang="zh"
# # 检查点：编译我的框架
#
# Program、pass、生存期：都有了，而且都是你的。在这个检查点，你把各部分接起来：你的框架
# 把每个程序写成 Python，只写一次，然后运行它。训练一步，哪个更快：你的磁带、你的解释
# 器，还是你的框架自己写出的源码？
#
# ## 看它发生
#
# 你的训练程序，以及你为它的内存做的规划。指着一块缓冲区：它会说自己存活在哪些算子之间。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside, tiny_digits
from teachgraph.course.checks import attempt, begin
from teachgraph.course.wrong import wrong_answer

check = begin("C2")

# %%
from teachgraph.course.mine import Executor, Plan, Program, Variable, classifier
from teachgraph.course.mine import clone_for_test, common_subexpressions, dead_code
from teachgraph.course.mine import first_fit, fit_step, fuse_linear, lifetimes
from teachgraph.course.mine import new_layers, optimized

main, startup, scores = classifier([49, 32, 10])
test = clone_for_test(main)
paddle.show(Plan(main, [], first_fit, lifetimes, batch=64))

# %% [markdown]
# ## Predict
#
# For reading digits, only `scores` is fetched from the program `test`, after your three
# passes of lesson 10. How many kernels does a run call? And how many of the values that
# it computes are there at most at one moment, if each goes as soon as it may?

# %% [markdown] lang="zh"
# ## 预测
#
# 认数字时，只从程序 `test` 里取 `scores`，而且先经过第 10 课你的三个 pass。一次运行调用
# 几个核函数？如果每个算出的值一能放手就放手，任何时刻最多同时有几个？


# %% task="kernels_called" tags=["quiz"]
### 说明 一次认数字的运行调用几个核函数。
def kernels_called():
    """The number of kernels that a run calls to read digits."""
    ### BEGIN SOLUTION
    return 4
    ### END SOLUTION


# %% tags=["check"] task="kernels_called"
check(kernels_called)


# %% task="values_at_once" tags=["quiz"]
### 说明 其中算出的值，最多同时有几个。
def values_at_once():
    """The number of computed values that are there at most at one moment."""
    ### BEGIN SOLUTION
    return 2
    ### END SOLUTION


# %% tags=["check"] task="values_at_once"
check(values_at_once)

# %% [markdown]
# ## Build it: a line of Python
#
# In the source each Variable has a short name, `names[x]`, such as `v3`, and operator
# number 5 is called `f5`. A line calls it with its Variables, in their order; numbers
# are bound to `f5` already. It assigns all outputs, `_` for one that nobody wants:
# `v7, _ = f5(v3, v1)`.

# %% [markdown] lang="zh"
# ## 动手：一行 Python
#
# 在源码里，每个 Variable 有一个短名字 `names[x]`，例如 `v3`，而第 5 号算子叫 `f5`。一行
# 代码按顺序用它的各个 Variable 来调用它；数已经绑定在 `f5` 里。这一行给所有输出赋值，没
# 有人要的写作 `_`：`v7, _ = f5(v3, v1)`。


# %% task="call_line"
### 说明 调用第 number 号算子的一行 Python，例如 "v7, _ = f5(v3, v1)"。
def call_line(number, operator, names):
    """The line of Python that calls an operator, such as "v7, _ = f5(v3, v1)"."""
    ### BEGIN SOLUTION
    reads = [names[x] for x in operator.inputs if isinstance(x, Variable)]
    writes = ["_" if x is None else names[x] for x in operator.outputs]
    return f"{', '.join(writes)} = f{number}({', '.join(reads)})"
    ### END SOLUTION


# %% tags=["check"] task="call_line"
check(call_line)

# %% [markdown]
# ## Build it: all lines
#
# One line calls each operator, in order. After it, a line such as `del v3, v4` lets go
# of all whose lifetime ends with this step: a value has its memory only as long as a
# name leads to it. What is fetched has to be there at the end.

# %% [markdown] lang="zh"
# ## 动手：所有各行
#
# 每个算子依次有一行调用。之后用 `del v3, v4` 这样的一行，放开生存期在这一步结束的所有
# 值：只有还有名字指着它，一个值才占着内存。要取的值，到最后必须还在。


# %% task="body_lines"
### 说明 调用各个算子的各行，以及用 del 放手的各行。
def body_lines(ops, fetch, names):
    """The lines that call the operators, and those that let go of values."""
    ### BEGIN SOLUTION
    lines, lives = [], lifetimes(ops, fetch)
    for number, one in enumerate(ops):
        lines.append(call_line(number, one, names))
        done = [
            names[x]
            for x, (_, end) in lives.items()
            if end == number and x not in fetch
        ]
        if done:
            lines.append(f"del {', '.join(done)}")
    return lines
    ### END SOLUTION


# %% tags=["check"] task="body_lines"
check(body_lines)

# %% [markdown]
# The rest is given: `written` adds the first and the last line, and `compiled` is a
# way for your Executor that writes each program down only once.

# %% [markdown] lang="zh"
# 其余的给你：`written` 加上第一行和最后一行；`compiled` 是你的 Executor 的一种运行方
# 式，每个程序只写一次。


# %% tags=["mine"]
### 说明 算子的核函数，只以它的各个 Variable 为参数。
### 说明 在还没有算子写它时就被读的各个 Variable。
### 说明 一个程序写成 Python：step(memory) 给出要取的值，以及持久的值。
### 说明 Executor 的一种运行方式：每个程序只改写一次，只写成 Python 一次。
def bound(operator):
    """The kernel of an operator, as a function of its Variables only."""
    pairs, single = enumerate(operator.inputs), len(operator.outputs) == 1
    numbers = [(k, np.asarray(x)) for k, x in pairs if not isinstance(x, Variable)]

    def call(*arrays):
        inputs = list(arrays)
        for place, number in numbers:
            inputs.insert(place, number)
        out = operator.op.kernel(*inputs, **operator.attrs)
        return out[0] if single and isinstance(out, tuple) else out

    return call


def from_before(ops, fetch):
    """The Variables that are read when no operator has written them yet."""
    known, before = set(), []
    for reads, writes in [(one.inputs, one.outputs) for one in ops] + [(fetch, [])]:
        for x in reads:
            if isinstance(x, Variable) and x not in known:
                before.append(x)
                known.add(x)
        known.update(writes)
    return before


def written(program, fetch, body):
    """A program as Python: step(memory) gives the fetched values, and what lasts."""
    before, ops = from_before(program.ops, fetch), program.ops
    outs = [x for one in ops for x in one.outputs if x is not None]
    names = {x: f"v{k}" for k, x in enumerate(dict.fromkeys([*before, *outs]))}
    lines = [f"{names[x]} = memory[{x.name!r}]" for x in before]
    lines += body(ops, fetch, names)
    lasting = ", ".join(f"{x.name!r}: {names[x]}" for x in outs if x.persistable)
    lines.append(f"return [{', '.join(names[x] for x in fetch)}], {{{lasting}}}")
    return "\n    ".join(["def step(memory):", *lines])


def compiled(passes, body):
    """A way for an Executor: it rewrites and writes down each program only once."""
    ready = {}

    def way(program, feed, fetch, scope):
        key = program, *fetch
        if key not in ready:
            fast = optimized(program, fetch, passes)
            ready[key] = {f"f{k}": bound(one) for k, one in enumerate(fast.ops)}
            exec(written(fast, fetch, body), ready[key])
        values, lasting = ready[key]["step"]({**scope, **feed})
        scope.update(lasting)
        return values

    return way


# %% [markdown]
# Here is the source for reading digits. Then the same step of training, on your tape,
# by your interpreter and compiled; each time is divided by that of our framework.

# %% [markdown] lang="zh"
# 下面是认数字的源码。然后是同样的训练一步：在你的磁带上，用你的解释器，以及编译之后；每
# 个时间都除以我们的框架所用的时间。

# %% tags=["long"]
passes = [dead_code, common_subexpressions, fuse_linear]


def source(body):
    return written(optimized(test, [scores], passes), [scores], body)


def trained(way):
    exe = Executor(way)
    exe.run(startup)
    for feed in tiny_digits.batches(400):
        exe.run(main, feed)
    right = tiny_digits.accuracy(lambda feed: exe.run(test, feed, [scores])[0])
    return (
        f"{tiny_digits.cost(lambda: exe.run(main, feed), feed):.1f}, {right:.0%} right"
    )


def on_the_tape(feed):
    layers = new_layers([49, 32, 10])
    step = lambda: fit_step(layers, feed["x"], feed["labels"], {}, 1)
    return f"{tiny_digits.cost(step, feed):.1f} (with Adam)"


print(attempt(source, body_lines, otherwise=""))
print("tape:", attempt(on_the_tape, next(iter(tiny_digits.batches(1))), otherwise=""))
print("interpreted:", attempt(trained, None, otherwise=""))
print("compiled:", attempt(trained, compiled(passes, body_lines), otherwise=""))


# %% task="times_written" tags=["quiz"]
### 说明 编译训练时（一次 startup、400 步、多次测试），源码一共写了几次。
def times_written():
    """Times that source is written: one startup, 400 steps, then many tests."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="times_written"
check(times_written)

# %% [markdown]
# ## Break it
#
# Lines that let go of all whose lifetime ends, without a thought for what is fetched.
# The source ends by returning a name that is no longer there:

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 这里的各行放开生存期结束的所有值，却没想到有的值还要取。源码最后要返回的名字，已经
# 不在了：


# %%
def doubled(body=body_lines):
    program = Program()
    y = Variable(program, "x", [2], is_data=True) * 2.0
    Executor(compiled([], body)).run(program, {"x": np.ones(2)}, [y])


forgetful = wrong_answer("C2", "lets_go_of_all", globals()).body_lines
beside(doubled, lambda: doubled(forgetful), names=("yours", "lets go of all"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... `CompiledProgram`, and CINN, which generates the kernels as well. In PyTorch
# `torch.compile` writes Python, too: run it with `TORCH_LOGS=output_code`. Here it is
# `teachgraph/planning/written.py`: print `exe.compiled(main, [loss]).source` beside
# yours. Print your framework as one file: `teachgraph course mine`.
#
# ## What next
#
# Where does the time of the compiled step go now? Try a hidden layer of 320 again. From
# lesson 12 on you look after networks that are ill.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`CompiledProgram`，以及连核函数也一起生成的 CINN。在 PyTorch 中，`torch.compile`写的
# 也是 Python：用 `TORCH_LOGS=output_code` 运行就能看到。在这里就是
# `teachgraph/planning/written.py`：把 `exe.compiled(main, [loss]).source` 打印在你的旁
# 边。把你的框架打印成一个文件：`teachgraph course mine`。
#
# ## 接下来
#
# 现在编译后的一步，时间花在哪里？再试试 320 个单元的隐藏层。从第 12 课起，你要照看生病
# 的网络。
