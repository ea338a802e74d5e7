# %% [markdown]
# # Passes
#
# A program is a list of operators, so a function can rewrite that list before it runs.
# Such a function is an **optimization pass**: the new list is shorter, and computes the
# same. At the end of this lesson you have three of them, and 50 random programs on
# which to prove it. A question worth asking: if nobody reads what an operator writes,
# may it always go?
#
# ## Watch it happen
#
# Three of the framework's passes, one after the other: move the slider from pass to
# pass. Each row names what changed, and the line of yours that wrote it.

# %% [markdown] lang="zh"
# # Pass
#
# 程序是一个由算子组成的列表：所以在运行之前，可以由另一个函数来改写这个列表。这样的函数
# 就是一个**优化 pass**：新列表更短，算出的结果却相同。学完这一课，你会有三个这样的
# pass，并在 50 个随机程序上证明它们。有个问题值得一问：一个算子写出的东西若没有人读，它
# 就总可以去掉吗？
#
# ## 看它发生
#
# 框架的三个 pass，一个接一个：移动滑块，从一个 pass 到下一个。每一行都说出改了什么，
# 以及那是你的哪一行代码写的。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside
from teachgraph.course.checks import attempt, begin
from teachgraph.course.wrong import wrong_answer

check = begin("10")

# %%
main = paddle.static.Program()
with paddle.static.program_guard(main):
    x = paddle.static.data("x", [-1, 2])
    w = paddle.static.create_parameter([2, 2], "float32", name="w")
    h = paddle.tanh(paddle.matmul(x, w) * 1.0)
    g = paddle.tanh(paddle.matmul(x, w))
    unused = h * 3.0
    y = h + g

names = ["dead_code", "identities", "common_subexpressions"]
paddle.show(paddle.passes.apply_pass(main, names, fetches=[y]).report)

# %% [markdown]
# `dead_code` removes what nobody needs, `identities` what changes nothing, and
# `common_subexpressions` computes once what was computed twice.
#
# ## Predict
#
# How many operators are left of the seven? And if `x` goes through `dropout` twice,
# `a = dropout(x)` and `b = dropout(x)`, how many operators does `y = a + b` need?

# %% [markdown] lang="zh"
# `dead_code`（死代码）去掉没有人需要的，`identities` 去掉什么也不改变的，
# `common_subexpressions`（公共子表达式）把算了两次的只算一次。
#
# ## 预测
#
# 七个算子还剩几个？如果 `x` 两次经过 `dropout`，即 `a = dropout(x)` 和
# `b = dropout(x)`，那么 `y = a + b` 需要几个算子？


# %% task="operators_left" tags=["quiz"]
### 说明 三个 pass 之后还剩几个算子。
def operators_left():
    """The number of operators that are left after the three passes."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="operators_left"
check(operators_left)


# %% task="two_dropouts" tags=["quiz"]
### 说明 y = dropout(x) + dropout(x) 需要几个算子。
def two_dropouts():
    """The number of operators that y = dropout(x) + dropout(x) needs."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="two_dropouts"
check(two_dropouts)

# %% [markdown]
# ## Build it: dead code
#
# A pass of yours takes a list of operators and the Variables that will be fetched, and
# returns a *new* list: the program you wrote stays as it is. Some helpers:
#
# - an operator is **pure** if it computes the same from the same inputs, and does
#   nothing else. A `dropout` draws random numbers, a `py_func` may print: they are not;
# - `writes(operator, variables)` says if it writes one of these, or a persistable
#   Variable;
# - `reading(operator, same)` is a copy that reads `same[x]` in the place of `x`;
# - `signature(operator)` is equal for operators with the same kernel, the same inputs
#   and the same attributes.

# %% [markdown] lang="zh"
# ## 动手：死代码
#
# 你的 pass 接受算子的列表和将要取（fetch）的 Variable，返回一个*新*列表：你写的程序保持
# 原样。有几个帮手：
#
# - 一个算子如果由同样的输入总算出同样的东西，此外什么也不做，它就是**纯**的
#   （`pure`）。`dropout` 抽随机数，`py_func` 可能打印：它们不是；
# - `writes(operator, variables)` 说它是否写出其中之一，或者写出一个持久的 Variable；
# - `reading(operator, same)` 是换了输入的副本：`x` 的位置上是 `same[x]`；
# - 两个算子的核函数、输入和属性都相同时，`signature(operator)` 就相等。

# %%
from teachgraph.course.mine import Executor, Op, Operator, Program, Variable, add
from teachgraph.course.mine import classifier, clone_for_test, matmul, mul, smooth


# %% tags=["mine"]
### 说明 由同样的输入总算出同样的东西，此外什么也不做，就是 True。
### 说明 它写出其中之一，或者写出一个持久的 Variable，就是 True。
### 说明 一个副本，用 same[x] 代替它的输入 x。
### 说明 核函数、输入和属性都相同的算子，得到相等的文字。
### 说明 程序的一个副本，由各个 pass 依次改写。
### 说明 一个随机程序，读 x 和 w，形状都是 [2, 2]；以及要取它的什么。
### 说明 对一个随机程序：算出的相同就是 1；之前和之后的算子个数。
linear = Op("linear", lambda x, w, b: np.matmul(x, w) + b, None)


def pure(operator):
    """True if it computes the same from the same inputs, and does nothing else."""
    return not operator.op.name.startswith(("dropout", "py_func", "while"))


def writes(operator, variables):
    """True if it writes one of these, or a persistable Variable."""
    outs = [x for x in operator.outputs if x is not None]
    return any(x in variables or x.persistable for x in outs)


def reading(one, same):
    """A copy of an operator that reads same[x] in the place of its input x."""
    inputs = [same.get(x, x) if isinstance(x, Variable) else x for x in one.inputs]
    return Operator(one.op, inputs, one.outputs, one.attrs, one.role, one.twin)


def signature(one):
    """A text, equal for operators of the same kernel, inputs and attributes."""
    inputs = [
        id(x) if isinstance(x, Variable) else np.asarray(x).tolist() for x in one.inputs
    ]
    unwanted = [x is None for x in one.outputs]
    return repr((id(one.op.kernel), inputs, one.attrs, unwanted))


def optimized(program, fetch, passes):
    """A copy of a program, rewritten by one pass after the other."""
    ops = list(program.ops)
    for rewrite in passes:
        ops = rewrite(ops, fetch)
    new = Program(program.title)
    for it in ops:
        used = [x for x in (*it.inputs, *it.outputs) if isinstance(x, Variable)]
        new.variables.update((x.name, x) for x in used)
        new.insert(reading(it, {}))
    return new


def random_program(seed):
    """A program of x and w, [2, 2] each, and what to fetch of it."""
    draw, main = np.random.default_rng(seed), Program()
    found = [Variable(main, name, [2, 2], is_data=True) for name in "xw"]
    for op in draw.choice([add, mul, matmul, smooth], 25):
        first, second = draw.integers(len(found), size=2)
        inputs = [found[draw.choice([first, -1])], found[second]]
        found.append(op(*inputs[: 1 if op is smooth else 2]))
    return main, found[-2:]


def compared(seed, passes):
    """For a random program: 1 if it computes the same; operators before and after."""
    main, fetch = random_program(seed)
    fast, feed = optimized(main, fetch, passes), {"x": np.eye(2), "w": np.eye(2)}
    old, new = (Executor().run(one, feed, fetch) for one in (main, fast))
    fused = [one.op for one in fast.ops].count(linear)
    return int(np.array_equal(old, new)), len(main.ops), len(fast.ops), fused


# %% [markdown]
# Walk from the last operator to the first, as in `path_to`. What is fetched is needed.
# An operator stays if it writes something needed or persistable; then its inputs are
# needed, too. One that is not pure stays as well, and needs its inputs: without it, the
# next `dropout` would draw other numbers.

# %% [markdown] lang="zh"
# 像 `path_to` 那样，从最后一个算子走到第一个。要取的就是被需要的。写出被需要的或持久的
# Variable 的算子留下，于是它的输入也被需要。不纯的算子也留下：没有它，下一个 `dropout`
# 抽到的数就不同了。


# %% task="dead_code"
### 说明 取 fetch 时用得着的、写持久变量的、以及不纯的算子，顺序不变。
def dead_code(ops, fetch):
    """The operators that fetch needs, that write persistables, or are not pure."""
    ### BEGIN SOLUTION
    needed, kept = set(fetch), []
    for one in reversed(ops):
        if writes(one, needed) or not pure(one):
            kept.append(one)
            needed.update(x for x in one.inputs if isinstance(x, Variable))
    return kept[::-1]
    ### END SOLUTION


# %% tags=["check"] task="dead_code"
check(dead_code)

# %% [markdown]
# ## Build it: common subexpressions
#
# Walk from the first to the last. Let each operator read the *first* of equal results
# (`reading`). If an earlier one has its signature, it may go, and from now on its
# outputs are the `same` as that one's. Three kinds must stay: the one that is not
# pure, the one that writes what is fetched, and the one that writes a persistable
# Variable: it changes a value in place, so an equal signature after it no longer means
# an equal result, and all that was `seen` is to be forgotten.

# %% [markdown] lang="zh"
# ## 动手：公共子表达式
#
# 从第一个走到最后一个。让每个算子都去读相等结果中的*第一个*（`reading`）。如果前面
# 已有签名相同的算子，当前这个就可以去掉，从此它的输出就等同于（`same`）那一个的输出。有
# 三种必须留下：不纯的，写出要取的东西的，以及写出持久变量的：它就地改变一个值，在它之
# 后，签名相同不再意味着结果相同，所以要忘掉之前见过的一切（`seen`）。


# %% task="common_subexpressions"
### 说明 去掉重复计算之后的算子，顺序不变。
def common_subexpressions(ops, fetch):
    """The operators, without those that compute again what is there already."""
    ### BEGIN SOLUTION
    seen, same, kept = {}, {}, []
    for one in ops:
        new = reading(one, same)
        key = signature(new)
        if key in seen and pure(new) and not writes(new, fetch):
            same.update(zip(new.outputs, seen[key].outputs))
        else:
            kept.append(new)
            seen[key] = new
        if writes(new, []):
            seen.clear()
    return kept
    ### END SOLUTION


# %% tags=["check"] task="common_subexpressions"
check(common_subexpressions)

# %% [markdown]
# ## Build it: a fusion
#
# A **fusion** makes one operator of two: one kernel is called instead of two, and no
# Variable stands between them. Where a `matmul` is followed at once by an `add` whose
# first input is the product, write one `linear` of x, w and b instead. The product has
# no name any more: so nobody else may read it, and it is not fetched.

# %% [markdown] lang="zh"
# ## 动手：一次融合
#
# **融合**把两个算子变成一个：只调用一个核函数，中间不再有 Variable。如果 `matmul` 后面
# 紧跟着 `add`，而 `add` 的第一个输入就是那个乘积，就写一个以 x、w、b 为输入的 `linear`
# 来代替。乘积从此没有名字了：所以不能有别人读它，也不能要取它。


# %% task="fuse_linear"
### 说明 matmul 和紧跟的 add 变成一个 linear，只要没有别人需要乘积。
def fuse_linear(ops, fetch):
    """The operators, with `linear` for a matmul and the add that follows it."""
    ### BEGIN SOLUTION
    readers = [x for one in ops for x in one.inputs if isinstance(x, Variable)]
    fused = []
    for one in ops:
        last = fused[-1] if fused else one
        product = last.outputs[0]
        pattern = last.op is matmul and one.op is add and one.inputs[0] is product
        if pattern and readers.count(product) == 1 and not writes(last, fetch):
            inputs = [*last.inputs, one.inputs[1]]
            fused[-1] = Operator(linear, inputs, one.outputs, role=one.role)
        else:
            fused.append(one)
    return fused
    ### END SOLUTION


# %% tags=["check"] task="fuse_linear"
check(fuse_linear)

# %% [markdown]
# Here they are at work on 50 random programs, and on your network in test mode:

# %% [markdown] lang="zh"
# 它们就这样改写 50 个随机程序，以及测试模式下你的网络：


# %%
passes = [dead_code, common_subexpressions, fuse_linear]


def proof(count):
    rows = [compared(seed, passes) for seed in range(count)]
    same, before, after, fused = np.sum(rows, axis=0)
    return f"{same} of {count} compute the same; {before} -> {after} ops, {fused} fused"


print(attempt(proof, 50, otherwise=""))
main, startup, scores = classifier([49, 32, 10])
test = clone_for_test(main)
before = lambda: optimized(test, [scores], [])
after = lambda: optimized(test, [scores], passes)
beside(before, after, names=("before", "after"))


# %% task="fused_in_training" tags=["quiz"]
### 说明 若用这三个 pass 改写训练程序 main，会有几个 linear？
def fused_in_training():
    """The number of `linear` operators if `main`, which trains, is rewritten."""
    ### BEGIN SOLUTION
    return 0
    ### END SOLUTION


# %% tags=["check"] task="fused_in_training"
check(fused_in_training)

# %% [markdown]
# ## Break it
#
# A fusion that does not ask who else reads the product. Here a second operator does:

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 一个不问还有谁读乘积的融合。这里就有第二个算子在读：


# %%
def two_readers(fuse=fuse_linear):
    main = Program()
    x, w = (Variable(main, name, [2, 2], is_data=True) for name in "xw")
    product = matmul(x, w)
    fetch = [product + 1.0, product * 2.0]
    fast = optimized(main, fetch, [fuse])
    Executor().run(fast, {"x": np.eye(2), "w": np.eye(2)}, fetch)


wrong = wrong_answer("10", "second_reader", globals())
careless = lambda: two_readers(wrong.fuse_linear)
beside(two_readers, careless, names=("yours", "careless"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... a `Pass` on the `Graph`: `fc_fuse_pass` is your `fuse_linear`, and
# `apply_build_strategy` chooses passes. In PyTorch `torch.compile` rewrites an
# `fx.Graph`; there `addmm` is the fused operator. Here it is `teachgraph/passes/`:
# `common_subexpressions.py` has your loop.
#
# ## What next
#
# `x * 1.0` and `x + 0.0` change nothing: write a pass that removes them. Is that true
# of -0.0? In lesson 11 the list stays as it is, and values share memory.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……作用在 `Graph` 上的 `Pass`：`fc_fuse_pass` 就是你的 `fuse_linear`，
# `apply_build_strategy` 选择用哪些 pass。在 PyTorch 中，`torch.compile` 改写
# `fx.Graph`；那里融合后的算子是 `addmm`。在这里就是 `teachgraph/passes/`：
# `common_subexpressions.py` 里就有你的循环。
#
# ## 接下来
#
# `x * 1.0` 和 `x + 0.0` 什么也不改变：写一个去掉它们的 pass。对 -0.0 也是这样吗？在第
# 11 课，列表保持不变，值则共用内存。
