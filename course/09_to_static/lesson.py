# %% [markdown]
# # to_static
#
# Nobody wants to write `while_loop`. At the end of this lesson Python's own `if` and
# `while` become operators, because you rewrite the function that contains them: source
# is data, a tree that a program can read and change. A question worth asking: when
# Python runs `if n > 1:` on a Variable, what would it have to know?
#
# ## Watch it happen
#
# The function below is plain Python. `to_static` reads its source, writes another
# function, and runs that once: the rows appear line by line, a block for the loop and
# one for each branch. The tab `to_static` shows both sources.

# %% [markdown] lang="zh"
# # to_static
#
# 没有人想写 `while_loop`。学完这一课，Python 自己的 `if` 和 `while` 会变成算子，因为你
# 改写了包含它们的函数：源代码也是数据，是一棵程序能读也能改的树。有个问题值得一问：当
# Python 对一个 Variable 运行 `if n > 1:` 时，它得知道什么？
#
# ## 看它发生
#
# 下面的函数是普通的 Python。`to_static` 读它的源代码，写出另一个函数，并把它运行一次：
# 各行逐一出现，循环有一个块，每个分支各有一个块。标签页 `to_static` 里有两份源代码。

# %%
# %load_ext teachgraph
import ast

import teachgraph as paddle
from teachgraph.course import beside
from teachgraph.course.checks import attempt, begin
from teachgraph.course.converting import in_program, listed, to_static

check = begin("09")


# %%
# %%trace --pace 0.3
def collatz(n):
    rounds = n * 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        rounds = rounds + 1
    return rounds


counted = paddle.jit.to_static(collatz)
counted(paddle.to_tensor([3]))

# %%
print(counted.code)

# %% [markdown]
# Each branch and each body has become a function. It takes the names that it may change
# and gives them all back: the state of lesson 08.
#
# ## Predict
#
# The program of `counted` has a main block, and blocks inside it.

# %% [markdown] lang="zh"
# 每个分支、每个循环体都变成了函数。它接受自己可能改变的名字，再把它们全部交回：这就是
# 第 08 课的状态。
#
# ## 预测
#
# `counted` 的程序有一个主块，里面还有块。


# %% task="blocks" tags=["quiz"]
### 说明 这个程序一共有几个块，主块也算。
def blocks():
    """The number of blocks in this program, the main one included."""
    ### BEGIN SOLUTION
    return 4
    ### END SOLUTION


# %% tags=["check"] task="blocks"
check(blocks)


# %% task="written_out" tags=["quiz"]
### 说明 for k in range(3): x = x * x 会追加几个乘法算子？（3 是 Python 的整数。）
def written_out():
    """The number of products that `for k in range(3): x = x * x` appends."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="written_out"
check(written_out)

# %% [markdown]
# ## Build it: the names
#
# `ast.parse(source).body` is a list of statements, and `ast.walk(statement)` goes over
# all the parts of one. A name is an `ast.Name` with an `id`; where something is
# assigned to it, its `ctx` is an `ast.Store`. Which names do statements assign, also
# deep inside? Sorted, each once.

# %% [markdown] lang="zh"
# ## 动手：名字
#
# `ast.parse(source).body` 是语句的列表，`ast.walk(statement)` 遍历一个语句的所有部分。
# 名字是一个带有 `id` 的 `ast.Name`；给它赋值的地方，它的 `ctx` 是 `ast.Store`。这些语
# 句给哪些名字赋值，包括嵌在深处的？排好序，每个只列一次。


# %% task="assigned" tags=["apart"]
### 说明 语句赋值的名字，排好序，每个只列一次。
def assigned(statements):
    """The names that statements assign, sorted, each once."""
    ### BEGIN SOLUTION
    names = set()
    for statement in statements:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                names.add(part.id)
    return sorted(names)
    ### END SOLUTION


# %% tags=["check"] task="assigned"
check(assigned)

# %% [markdown]
# ## Build it: a condition
#
# `a and b` asks for the truth of `a`, which a Variable does not have yet. Write the
# source of `both(a, lambda: b)` instead: `both` calls its second argument only if it
# needs `b`, as Python does not compute `b` when `a` is false. An `ast.BoolOp` whose
# `op` is an `ast.And` has all its parts in `values`: `a and b and c` has three. `both`
# takes two, so nest it; a part may be an `and` itself. `ast.unparse(node)` is the
# source of any other node.

# %% [markdown] lang="zh"
# ## 动手：条件
#
# `a and b` 会问 `a` 的真假，而 Variable 此时还没有真假。改写成 `both(a, lambda: b)` 的
# 源代码：`both` 只在需要 `b` 时才调用第二个参数。`op` 为 `ast.And` 的 `ast.BoolOp`，各
# 部分都在 `values` 里：`a and b and c` 有三个。`both` 只收两个，所以要嵌套；每个部分本
# 身也可能是 `and`。其他任何节点的源代码是 `ast.unparse(node)`。


# %% task="condition_of" tags=["apart"]
### 说明 一个条件的源代码，其中 `a and b` 写成 both(a, lambda: b)。
def condition_of(test):
    """The source of a condition, with both(a, lambda: b) for `a and b`."""
    ### BEGIN SOLUTION
    if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)):
        return ast.unparse(test)
    source = condition_of(test.values[-1])
    for value in reversed(test.values[:-1]):
        source = f"both({condition_of(value)}, lambda: {source})"
    return source
    ### END SOLUTION


# %% tags=["check"] task="condition_of"
check(condition_of)

# %% [markdown]
# ## Build it: `if`
#
# `either(test, yes, no, state)` decides in Python if the test is a number, and appends
# an operator if it is a Variable. Write the source that calls it. The parts of `node`
# are `node.test`, `node.body` and `node.orelse`. For `if x > 0: y = x`, where `y` has a
# value before, the source is
#
# ```python
# def yes(y,):
#     y = x
#     return y,
# def no(y,):
#     pass
#     return y,
# y, = either(x > 0, yes, no, (y,))
# ```
#
# The state is every name that one branch or the other assigns. `listed(["y"])` is
# `"y,"`, `condition_of(node.test)` the source of the test, and `block(statements)` that
# of converted statements, indented; `pass` where there are none.

# %% [markdown] lang="zh"
# ## 动手：`if`
#
# `either(test, yes, no, state)`：条件是数时，它在 Python 里判断；是 Variable 时，它追加
# 一个算子。写出调用它的源代码。`node` 的各部分是 `node.test`、`node.body` 和
# `node.orelse`。对 `if x > 0: y = x`（`y` 此前已有值），源代码就是
#
# ```python
# def yes(y,):
#     y = x
#     return y,
# def no(y,):
#     pass
#     return y,
# y, = either(x > 0, yes, no, (y,))
# ```
#
# 状态是两个分支中任何一个赋值的所有名字。`listed(["y"])` 就是 `"y,"`，
# `condition_of(node.test)` 是条件的源代码，`block(statements)` 是转换并缩进后的语句，没
# 有语句时是 `pass`。


# %% task="convert_if" tags=["apart"]
### 说明 代替这个 if 的源代码：函数 yes 和 no，以及对 either 的调用。
def convert_if(node, block):
    """The source in the place of an `if`: functions yes and no, a call of either."""
    ### BEGIN SOLUTION
    state = listed(assigned([*node.body, *node.orelse]))
    return f"""
def yes({state}):
{block(node.body)}
    return {state}
def no({state}):
{block(node.orelse)}
    return {state}
{state} = either({condition_of(node.test)}, yes, no, ({state}))
"""
    ### END SOLUTION


# %% tags=["check"] task="convert_if"
check(convert_if)

# %% [markdown]
# ## Build it: `while`
#
# Likewise: two functions `condition` and `body`, both of which take the state, and a
# call of `repeated(condition, body, state)`. The state is what the body assigns.

# %% [markdown] lang="zh"
# ## 动手：`while`
#
# 同样如此：写出两个以状态为参数的函数 `condition` 和 `body`，再调用
# `repeated(condition, body, state)`。状态是循环体赋值的名字。


# %% task="convert_while" tags=["apart"]
### 说明 代替这个 while 的源代码：函数 condition 和 body，以及对 repeated 的调用。
def convert_while(node, block):
    """The source in the place of a `while`: condition, body, a call of repeated."""
    ### BEGIN SOLUTION
    state = listed(assigned(node.body))
    return f"""
def condition({state}):
    return {condition_of(node.test)}
def body({state}):
{block(node.body)}
    return {state}
{state} = repeated(condition, body, ({state}))
"""
    ### END SOLUTION


# %% tags=["check"] task="convert_while"
check(convert_while)


# %% [markdown]
# Now your rules make a program of `collatz`:

# %% [markdown] lang="zh"
# 现在你的规则把 `collatz` 变成程序：


# %%
def yours():
    function = to_static(collatz, convert_if, convert_while)
    print(function.source)
    return f"27: {function(27)} rounds, in a program {in_program(function, 27)}"


print(attempt(yours, otherwise=""))

# %% [markdown]
# A block can only be left at its end. Your converter refuses a statement that leaves it
# midway (`return`, `break`, `continue`), with its line; the framework's turns such
# statements into flags. Which line does yours refuse here?
#
# ```python
# def halvings(n):
#     k = n * 0
#     while n > 1:
#         k = k + 1
#         if k > 100:
#             return k
#         n = n // 2
#     return k
# ```

# %% [markdown] lang="zh"
# 一个块只能从末尾离开。中途离开块的语句（`return`、`break`、`continue`），你的转换器会
# 拒绝，并指出行号；框架的则把它们变成标志。这里，你的转换器会拒绝哪一行？
#
# ```python
# def halvings(n):
#     k = n * 0
#     while n > 1:
#         k = k + 1
#         if k > 100:
#             return k
#         n = n // 2
#     return k
# ```


# %% task="refused" tags=["quiz"]
### 说明 哪一行被拒绝？def 是第 1 行。
def refused():
    """The line that is refused; def is line 1."""
    ### BEGIN SOLUTION
    return 6
    ### END SOLUTION


# %% tags=["check"] task="refused"
check(refused)

# %% [markdown]
# ## Break it
#
# Some tools do not read the source: they run the function on one input and keep the
# operators that they saw. If they saw 3, they kept the odd branch alone, and then 4
# goes through it too.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 有些工具不读源代码：它们在一个输入上运行函数，留下见到的算子。如果见到的是 3，留下
# 的就只有奇数分支，于是输入 4 也走它。


# %%
def step(n):
    if n % 2 == 0:
        n = n // 2
    else:
        n = 3 * n + 1
    return n


def converted():
    print(in_program(to_static(step, convert_if, convert_while), 4))


def seen_with_3():
    print(in_program(lambda n: 3 * n + 1, 4))


beside(converted, seen_with_3, names=("converted", "seen with 3"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.jit.to_static`, which rewrites the source as you did; its `convert_ifelse`
# is our `either`. TensorFlow's AutoGraph does the same. `torch.jit.trace` keeps what it
# saw; `torch.compile` reads bytecode. Here it is `teachgraph/jit/`.
#
# ## What next
#
# A name that only one branch assigns has no value before: what could stand for it? And
# how would you convert `or`? In lesson 10 programs themselves are rewritten.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`paddle.jit.to_static`，它像你一样改写源代码；它的 `convert_ifelse` 就是我们的
# `either`。TensorFlow 的 AutoGraph 也这样做。`torch.jit.trace` 只保留它见到的算子；
# `torch.compile` 读的是字节码。在这里就是 `teachgraph/jit/`。
#
# ## 接下来
#
# 只在一个分支里赋值的名字，此前没有值：可以用什么来占位？`or` 又该怎么转换？在第 10
# 课，被改写的是程序本身。
