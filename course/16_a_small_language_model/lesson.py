# %% [markdown]
# # A small language model
#
# A language model does one thing: it reads the beginning of a text and says how likely
# each next letter is. At the end of this lesson yours, on your own tape, writes names
# that nobody bears, and you see where it looks before each letter. A question worth
# asking: how can it learn from every letter of a name at once, without seeing the
# letter that it is to guess?
#
# ## Watch it happen
#
# Here are three rows of numbers. Each row asks all three, itself included. For an
# answer two rows are multiplied number by number and summed: the more they point the
# same way, and the longer they are, the larger it is. Softmax (C1) turns the answers to
# one row into shares, which sum to 1, and what comes out is a mix of the rows by these
# shares. That is **attention**.

# %% [markdown] lang="zh"
# # 小语言模型
#
# 语言模型只做一件事：读一段文字的开头，说出接下来每个字出现的可能性有多大。学完这一课，
# 你的模型会在你自己的磁带上写出没有人写过的诗，你还能看到它写每个字之前在看哪里。
# 有个问题值得一问：它怎样才能同时从一首诗的每个字学习，却又看不到要猜的那个字？
#
# ## 看它发生
#
# 这里有三行数。每一行都去问所有的行，也问自己：两行对应相乘再相加，方向越一致、越长，得
# 数越大。softmax（C1）把一行得到的回答变成份额，份额的和是 1；再按份额把各行混合起来，
# 就是结果。这就是**注意力**。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside, language
from teachgraph.course.attention_picture import AttentionPicture
from teachgraph.course.checks import attempt, begin
from teachgraph.course.wrong import wrong_answer

check = begin("16")
corpus = language.corpus(check.language)

# %%
# %%trace --pace 0.3
rows = paddle.to_tensor([[2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
answers = paddle.matmul(rows, rows, transpose_y=True)
shares = paddle.nn.functional.softmax(answers)
mixed = paddle.matmul(shares, rows)

# %% [markdown]
# ## Predict
#
# Names are cut into **tokens**, here letters, and numbered; "." begins and ends each
# name. One name in ten is kept back: on those a model is measured, by its
# **perplexity**, e to the power of its mean loss per token. (The loss is -log of the
# probability that it gave to the token that came.)

# %% [markdown] lang="zh"
# ## 预测
#
# 诗切成**词元**，这里就是一个个字，并编上号；“.” 是每首诗的开头和结尾，少见的字都写成
# “□”。十首里留出一首不学，用来衡量模型：看它的**困惑度**，即 e 的（每个词元的平均损失）
# 次方。（损失是 -log 它给真正出现的那个词元的概率。）

# %%
print(corpus.train[:2], len(corpus.train), "texts,", len(corpus.alphabet), "tokens")
print("perplexity of counting how frequent each token is:", corpus.counting())


# %% task="at_random" tags=["quiz"]
### 说明 模型认为 27 个词元可能性都相同，它的困惑度是多少。
def at_random():
    """The perplexity of a model that finds each of 27 tokens equally likely."""
    ### BEGIN SOLUTION
    return 27.0
    ### END SOLUTION


# %% tags=["check"] task="at_random"
check(at_random)

# %% [markdown]
# ## Build it: embedding
#
# For each token the model learns a row of numbers, its **embedding**: token 5 is row 5
# of a table. The op `take` takes rows out of a table. Its rule brings their gradients
# back to the table; a token that came twice gets the sum, as at every fan-out. (NumPy
# has `np.add.at` for that.) Attention mixes rows and does not know their order, so the
# row of a token's *place* is added, out of a second table.

# %% [markdown] lang="zh"
# ## 动手：嵌入
#
# 模型为每个词元学一行数，这就是它的**嵌入**：5 号词元就是表的第 5 行。算子 `take` 从表
# 中取出若干行。它的规则把这些行的梯度送回表中；出现两次的词元得到两者之和，和每个扇出处
# 一样。（NumPy 有 `np.add.at` 可用。）注意力把各行混合，不知道它们的先后，所以要加上
# 词元*位置*的那一行，它来自第二张表。

# %%
from teachgraph.course.mine import Op, Tensor, matmul, smooth


# %% task="take_rule" tags=["apart"]
### 说明 table[index] 的规则：table 的梯度，以及 None（index 没有梯度）。
def take_rule(dout, table, index):
    """The rule of table[index]: the gradient of table, and None for index."""
    ### BEGIN SOLUTION
    gradient = np.zeros(table.shape)
    np.add.at(gradient, index, dout)
    return gradient, None
    ### END SOLUTION


# %% tags=["check"] task="take_rule"
check(take_rule)

# %%
take = Op("take", lambda table, index: table[index], take_rule)


# %% task="embed" tags=["apart"]
### 说明 每个词元的行加上它位置的行；table 和 order 是两张表，都是 Tensor。
def embed(tokens, places, table, order):
    """The row of each token plus that of its place; two tables, both Tensors."""
    ### BEGIN SOLUTION
    rows = take(table, tokens)
    return rows + take(order, places)
    ### END SOLUTION


# %% tags=["check"] task="embed"
check(embed)

# %% [markdown]
# ## Build it: the mask
#
# The rows of all texts of a batch stand one below the other. `texts[i]` says which text
# row i is of, `places[i]` its place there. Row i may look at row j if both are of one
# text and j is not later: this table of True and False is the **mask**.

# %% [markdown] lang="zh"
# ## 动手：掩码
#
# 一批中所有诗的行上下排在一起。`texts[i]` 说第 i 行属于哪一首，`places[i]` 是它在其中的
# 位置。如果第 i 行和第 j 行属于同一首，而且 j 不在后面，第 i 行就可以看第 j 行：这张由
# True 和 False 组成的表就是**掩码**。


# %% task="may_look" tags=["apart"]
### 说明 数组 [行, 行]：第 i 行可以看第 j 行的地方是 True。
def may_look(texts, places):
    """An array [rows, rows]: True where row i may look at row j."""
    ### BEGIN SOLUTION
    same = texts[:, None] == texts
    not_later = places[:, None] >= places
    return same & not_later
    ### END SOLUTION


# %% tags=["check"] task="may_look"
check(may_look)


# %% task="pairs_of_six" tags=["quiz"]
### 说明 一段有六个词元的文字，掩码中有几个 True。
def pairs_of_six():
    """The number of True in the mask of one text of six tokens."""
    ### BEGIN SOLUTION
    return 21
    ### END SOLUTION


# %% tags=["check"] task="pairs_of_six"
check(pairs_of_six)

# %% [markdown]
# ## Build it: attention
#
# Asking, answering and giving are learnt apart: `matmul` makes three rows, q, k and v,
# of each row. The score of row j for row i is q of i times k of j, number by number,
# summed. A sum of many products has a large spread (lesson 12), and softmax would
# choose one row and forget the others; so scores are divided by the root of the number
# of columns of q. (Your Tensor has no `/`: multiply by one over the root.) Where the
# mask is False, -1e9 is added, and softmax makes 0 of it. The shares then mix v:
# softmax(q kᵀ / √d) v, where q, k and v are [rows, d] and the shares [rows, rows].
# (`turn` swaps rows and columns.)

# %% [markdown] lang="zh"
# ## 动手：注意力
#
# 怎么问、怎么答、给什么，是分开学的：`matmul` 由每一行得出三行，q、k 和 v。第 j 行对
# 第 i 行的分数，是 i 的 q 与 j 的 k 对应相乘再相加。许多乘积之和散布很大（第 12 课），
# softmax 就会只选一行而忘掉其他行；所以分数要除以 q 的列数的平方根。（你的 Tensor 没有
# `/`：乘以平方根的倒数。）掩码为 False 的地方加上 -1e9，softmax 就把它变成 0。最后按
# 份额混合 v：softmax(q kᵀ / √d) v，其中 q、k 和 v 是 [行, d]，份额是 [行, 行]。（`turn`
# 交换行和列。）


# %% tags=["mine"]
### 说明 每行的份额：正数，和为 1。
def softmax_kernel(x):
    """Shares for each row: positive, and their sum is 1."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def softmax_rule(dout, x):
    shares = softmax_kernel(x)
    return (shares * (dout - (dout * shares).sum(axis=-1, keepdims=True)),)


softmax = Op("softmax", softmax_kernel, softmax_rule)
turn = Op("transpose", np.transpose, lambda dout, x: (dout.T,))


# %% task="spread_of_scores" tags=["quiz"]
### 说明 q 和 k 各有 64 个数，方差都是 1：它们的分数，散布是多少。
def spread_of_scores():
    """The spread of the score of q and k: 64 numbers each, all of variance 1."""
    ### BEGIN SOLUTION
    return 8.0
    ### END SOLUTION


# %% tags=["check"] task="spread_of_scores"
check(spread_of_scores)


# %% task="attention" tags=["apart"]
### 说明 按份额混合的 v，以及份额 [行, 行]：两个 Tensor。mask 为 False 处的份额是 0。
def attention(q, k, v, mask):
    """The mixed rows of v, and the shares [rows, rows], 0 where mask is False."""
    ### BEGIN SOLUTION
    scale = 1.0 / np.sqrt(q.shape[1])
    scores = matmul(q, turn(k)) * scale
    hidden = np.where(mask, 0.0, -1e9)
    shares = softmax(scores + hidden)
    return matmul(shares, v), shares
    ### END SOLUTION


# %% tags=["check"] task="attention"
check(attention)

# %% [markdown]
# ## Build it: the model
#
# `batch.tokens`, `batch.places` and `batch.texts` are arrays, a number for each row;
# `w` holds the weights by name. Embed the tokens with the tables `w["tokens"]` and
# `w["places"]`: that is x. There are two **attention heads**, "A" and "B": each makes
# its q, k and v of the same x with `w["qA"]` and so on; `look(q, k, v, mask)` is your
# attention, with the mask of `may_look`. Then add to x the rows of each head times
# `w["oA"]` or `w["oB"]`. Then add to x a layer with softplus: x times "wide" plus
# "bias", then `smooth`, then times "narrow". The scores are x times `w["last"]`. Of the
# shares only the array, `data`, is returned.

# %% [markdown] lang="zh"
# ## 动手：模型
#
# `batch.tokens`、`batch.places` 和 `batch.texts` 是数组，每行一个数；`w` 按名字存放权
# 重。用 `w["tokens"]` 和 `w["places"]` 两张表嵌入词元，得到 x。有两个**注意力头**，“A”
# 和 “B”：每个都由同一个 x，用 `w["qA"]` 等得出自己的 q、k 和 v，再调用
# `look(q, k, v, mask)`，也就是你的注意力，掩码由 `may_look` 给出。然后把每个头混合出的
# 行乘以 `w["oA"]` 或 `w["oB"]`，加到 x 上。再给 x 加上一层：x 乘以 “wide”，加 “bias”，
# 经过 `smooth`，再乘以 “narrow”。分数是 x 乘以 `w["last"]`。份额只返回其中的数组
# `data`。


# %% task="predict" tags=["apart"]
### 说明 下一个词元的分数，以及份额 {"A": 数组, "B": 数组}。
def predict(batch, w, look):
    """The scores of the token that follows, and the shares {"A": array, "B": ...}."""
    ### BEGIN SOLUTION
    x = embed(batch.tokens, batch.places, w["tokens"], w["places"])
    mask, found = may_look(batch.texts, batch.places), {}
    for head in "AB":
        q, k, v = (matmul(x, w[one + head]) for one in "qkv")
        found[head] = look(q, k, v, mask)
    for head, (mixed, _) in found.items():
        x = x + matmul(mixed, w["o" + head])
    x = x + matmul(smooth(matmul(x, w["wide"]) + w["bias"]), w["narrow"])
    return matmul(x, w["last"]), {head: s.data for head, (_, s) in found.items()}
    ### END SOLUTION


# %% tags=["check"] task="predict"
check(predict)

# %% [markdown]
# Now it trains, on your tape and with your Adam, some seconds long.

# %% [markdown] lang="zh"
# 现在开始训练，用你的磁带和你的 Adam，只要几秒。

# %% tags=["long"]
train, guess = language.train, corpus.guess
model = attempt(train, corpus, predict, attention, 200, otherwise=guess)
print("perplexity:", corpus.perplexity(model), "of texts it never saw")
print("perplexity:", corpus.perplexity(model, corpus.train[:50]), "of texts it saw")

# %% [markdown]
# ## Build it: sampling
#
# To write, draw the next token by its probability, append it, and ask again. Scores are
# divided by a **temperature** first: below 1 the likely gets likelier, above 1 all
# come closer. Scores may be large: subtract the largest before `np.exp`.
# `draw.choice(n, p=shares)` draws a number below n.

# %% [markdown] lang="zh"
# ## 动手：采样
#
# 要写诗，就按概率抽取下一个词元，接在后面，再问一次。分数先除以**温度**：温度低于 1，
# 可能的更可能；高于 1，各个词元更接近。分数可能很大：在 `np.exp` 之前减去最大的那个。
# `draw.choice(n, p=shares)` 抽出一个小于 n 的数。


# %% task="sample" tags=["apart"]
### 说明 按 scores / temperature 的 softmax 抽出的一个词元的编号。
def sample(scores, temperature, draw):
    """The number of a token, drawn by the softmax of scores / temperature."""
    ### BEGIN SOLUTION
    warm = scores / temperature
    powers = np.exp(warm - warm.max())
    shares = powers / powers.sum()
    return int(draw.choice(len(shares), p=shares))
    ### END SOLUTION


# %% tags=["check"] task="sample"
check(sample)

# %% tags=["long"]
draw = np.random.default_rng(0)


def written(model, heat):
    choose = lambda scores: sample(scores, heat, draw)
    return attempt(corpus.write, model, choose, 3, otherwise=[])


for heat in (0.3, 0.8, 3.0):
    print(heat, written(model, heat))

# %% [markdown]
# What does it look at? Point at a token, or reach it with the Tab key. What do A and B
# look for?

# %% [markdown] lang="zh"
# 它在看什么？指向一个词元，或用 Tab 键移到它上面。A 和 B 各在找什么？

# %% tags=["long"]
text = corpus.train[0][:11]
AttentionPicture([".", *text], model(corpus.pack([text]))[1])


# %% task="first_share" tags=["quiz"]
### 说明 在图中，第一个词元给它自己的份额。
def first_share():
    """The share that the first token of the picture gives to itself."""
    ### BEGIN SOLUTION
    return 1.0
    ### END SOLUTION


# %% tags=["check"] task="first_share"
check(first_share)

# %% [markdown]
# ## Break it
#
# Let each token look at the later ones as well. The perplexity is a triumph. Then let
# this model write: there are no later ones yet, and it learnt to copy, not to guess.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 让每个词元也能看后面的。困惑度好得惊人。再让这个模型写诗：写的时候还没有后面的字，而它
# 学会的是抄，不是猜。

# %% tags=["long"]
peek = lambda q, k, v, mask: attention(q, k, v, mask | mask.T)
cheat = attempt(train, corpus, predict, peek, 100, otherwise=guess)
print("perplexity:", corpus.perplexity(cheat), written(cheat, 0.8))

# %% [markdown]
# A mask put on after softmax hides the later rows, but softmax has counted them in its
# sum. Yours adds before softmax; that is where the two first differ:

# %% [markdown] lang="zh"
# 掩码若放在 softmax 之后，虽然也遮住了后面的行，但 softmax 求和时已经把它们算了进去。
# 你的写法在 softmax 之前就加上；两者正是从这里开始不同：

# %%
q, mask = Tensor(rows.numpy(), stop_gradient=False), np.tri(3, dtype=bool)
late = wrong_answer("16", "mask_after", globals()).attention


def yours():
    mixed, shares = attempt(attention, q, q, q, mask, otherwise=(q, q))


def masked_late():
    mixed, shares = late(q, q, q, mask)


beside(yours, masked_late, names=("yours", "mask after softmax"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.nn.functional.scaled_dot_product_attention`, `nn.Embedding` and
# `nn.TransformerDecoderLayer`. In PyTorch the names are the same. The large models that
# people talk to are this model: more heads, some hundred layers, and the texts of the
# world.
#
# ## What next
#
# Train for 2000 steps and compare both perplexities: which of them still falls? Sample
# again. It is your framework, from `mul_rule` to this line; `teachgraph course mine`
# prints it. What will you let it learn next?

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`paddle.nn.functional.scaled_dot_product_attention`、`nn.Embedding` 和
# `nn.TransformerDecoderLayer`。PyTorch 中名字相同。人们与之对话的大模型就是这个模型，
# 只是头更多，层数上百，读的是全世界的文字。
#
# ## 接下来
#
# 训练 2000 步，比较两个困惑度：哪一个还在下降？再采样看看，它是在作诗，还是在背诗？这是
# 你的框架，从 `mul_rule` 一直到这一行；`teachgraph course mine` 把它打印出来。接下来，
# 你想让它学什么？
