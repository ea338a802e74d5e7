# %% [markdown]
# # A Transformer translates numbers
#
# *Seven thousand three hundred forty two* is *siebentausenddreihundertzweiundvierzig*
# in German: the two comes before the forty. A small Transformer reads a thousand such
# pairs, learns in seconds where each word comes from, and translates numbers that it
# has never seen. Then its attention is drawn, and the two and the forty are seen to
# cross.
#
# You need to know what a training step is, and have heard of attention. The words are
# those of Paddle 2.

# %%
# %load_ext teachgraph
import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import matplotlib.pyplot as plt
import numpy as np

import teachgraph as paddle
from teachgraph import models

# %% [markdown]
# ## The two languages
#
# English counts *forty two*, German *zweiundvierzig*. German writes a number as one
# word; here it is cut into its parts, which are put together at the end. And *one* is
# *ein* before another part, but *eins* at the end.

# %%
counting = """
one two three four five six seven eight nine ten
eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety
ein zwei drei vier fünf sechs sieben acht neun zehn
elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn
zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig
"""
words = counting.split()
english_small, english_tens = words[:19], words[19:27]
german_small, german_tens = words[27:46], words[46:]


def large(number, small, thousand, hundred):
    parts = []
    for size, name in ((1000, thousand), (100, hundred)):
        if number >= size:
            parts += [small[number // size - 1], name]
            number %= size
    return parts, number


def english(number):
    parts, rest = large(number, english_small, "thousand", "hundred")
    if rest >= 20:
        parts.append(english_tens[rest // 10 - 2])
        rest %= 10
    return parts + ([english_small[rest - 1]] if rest else [])


def german(number):
    parts, rest = large(number, german_small, "tausend", "hundert")
    if rest < 20:
        small = ["eins"] if rest == 1 else german_small[rest - 1 : rest]
        return parts + small
    if rest % 10:
        parts += [german_small[rest % 10 - 1], "und"]
    return [*parts, german_tens[rest // 10 - 2]]


for number in (7342, 2001, 16, 9020):
    print(f"{number}  {' '.join(english(number)):38}  {' '.join(german(number))}")

# %% [markdown]
# ## Words as numbers
#
# A network reads numbers, one for each word of a vocabulary. Three have a part of their
# own: the start of every translation, its end, and what fills a row up. A thousand of
# the numbers from 1 to 9999 are for learning, another thousand for the test.

# %%
START, END, PAD = range(3)
marks = ["[start]", "[end]", "[pad]"]
source_words = [*marks, *english_small, *english_tens, "hundred", "thousand"]
target_words = [*marks, *german_small, *german_tens]
target_words += ["eins", "und", "hundert", "tausend"]


def packed(texts, vocabulary, length):
    index = {word: i for i, word in enumerate(vocabulary)}
    rows = np.full([len(texts), length], PAD)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = [index[word] for word in text]
    return rows


def pairs(numbers):
    source = packed([english(n) for n in numbers], source_words, 6)
    target = packed([[*german(n), "[end]"] for n in numbers], target_words, 8)
    return source, target


rng = np.random.default_rng(0)
shuffled = 1 + rng.permutation(9999)
train, test = shuffled[:1000], shuffled[1000:2000]
source, target = pairs(train)
print(len(source_words), "English words,", len(target_words), "German parts")
print("in both:", len(set(train) & set(test)), "numbers")

# %% [markdown]
# ## The network
#
# The encoder reads the English words, all at once. The decoder writes one German part
# after another, and looks at two things each time: at what it has written so far, and
# at the words of the source. One layer of each, with four heads.

# %%
paddle.seed(0)
net = models.TransformerModel(
    src_vocab_size=len(source_words),
    trg_vocab_size=len(target_words),
    max_length=9,
    num_encoder_layers=1,
    num_decoder_layers=1,
    n_head=4,
    d_model=32,
    d_inner_hid=64,
    dropout=0.0,
    bos_id=START,
    eos_id=END,
    pad_id=PAD,
)
print(f"{sum(p.size for p in net.parameters()):,} parameters")


# %% [markdown]
# In training the decoder need not wait for itself: it is given the right translation,
# one place to the right, and is asked at each place for the part that follows. What
# comes later is hidden from it.


# %%
def loss_of(source, target):
    start = np.full([len(target), 1], START)
    before = np.hstack([start, target[:, :-1]])
    logits = net(paddle.to_tensor(source), paddle.to_tensor(before))
    return models.smoothed_loss(logits, paddle.to_tensor(target), PAD)


# %% [markdown]
# One step, drawn. It begins with what is hidden: a mask for the padding, and the
# positions of the words. Encoder and decoder are boxes; `+` opens one, down to the
# attention of its heads. The wide edge from the decoder back to the encoder is the only
# way on which the source gets into the translation, and the only one on which the
# encoder gets a gradient.

# %%
# %%trace --title "One step of translating"
loss = loss_of(source[:8], target[:8])
loss.backward()
net.clear_gradients()

# %% [markdown]
# ## Training
#
# Adam, with the rate of the paper: it rises, then falls as one over the root of the
# steps. After every hundred steps the network translates the thousand numbers of the
# test on its own, part by part; right is what is right to the last part.


# %%
def translations(numbers):
    said = net.translate(paddle.to_tensor(pairs(numbers)[0]), max_length=8)
    texts = ([target_words[part] for part in row if part != END] for row in said)
    return ["".join(text) for text in texts]


def accuracy(numbers):
    said = translations(numbers)
    right = [text == "".join(german(n)) for text, n in zip(said, numbers, strict=True)]
    return np.mean(right)


optimizer, rate = models.noam_adam(net, warmup_steps=100)
losses = []
for step in range(1, 401):
    batch = rng.integers(0, len(train), 64)
    loss = loss_of(source[batch], target[batch])
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    rate.step()
    losses.append(loss.item())
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.2f}, accuracy {accuracy(test):.1%}")

# %%
figure, axis = plt.subplots(figsize=(8, 2.5))
axis.plot(losses, linewidth=1)
axis.set_xlabel("step")
axis.set_ylabel("loss")
figure.tight_layout()

# %% [markdown]
# The loss does not go to zero, for its labels are smoothed: a tenth of the weight is
# spread over all words, so that no logit has to grow without end. What it still gets
# wrong, if anything, are short numbers: of those below a hundred it has seen only a
# few.

# %%
share = accuracy(test)
said = dict(zip(test.tolist(), translations(test), strict=True))
wrong = [number for number, text in said.items() if text != "".join(german(number))]
for number in test[:4].tolist():
    print(f"{' '.join(english(number))}\n    {said[number]}")
seen = np.sum(train < 100)
print(f"{len(wrong)} of {len(test)} wrong; {seen} of {len(train)} learnt are below 100")
for number in wrong[:4]:
    print(f"{number}: {said[number]}, and not {''.join(german(number))}")
assert share > 0.97

# %% [markdown]
# ## What it looks at
#
# The decoder's second attention asks, for each part that it is about to write, which
# words of the source matter. A hook hands its shares to us as they pass. Each row of a
# picture belongs to a German part, each column to an English word, and the shares of a
# row add up to one.

# %%
cross = net.transformer.decoder.layers[0].cross_attn
passed = []


def keep(layer, inputs, outputs):
    result, shares = outputs
    passed.append(shares.numpy())
    return result


def attention(number):
    cross.need_weights = True
    hook = cross.register_forward_post_hook(keep)
    with paddle.no_grad():
        loss_of(*pairs([number]))
    hook.remove()
    cross.need_weights = False
    return passed.pop()[0, :, : len(german(number)), : len(english(number))]


number = 7342
heads = attention(number)
figure, axes = plt.subplots(1, 5, figsize=(12, 3.4), sharey=True)
pictures = [*heads, heads.mean(axis=0)]
titles = [*(f"head {name}" for name in "ABCD"), "mean of the heads"]
for axis, shares, title in zip(axes, pictures, titles, strict=True):
    axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axis.set_title(title, fontsize=10)
    axis.set_xticks(range(shares.shape[1]), english(number), rotation=60, ha="right")
    axis.set_yticks(range(len(shares)), german(number))
figure.tight_layout()

# %% [markdown]
# Down the diagonal as long as both languages say the same in the same order, and at the
# end the crossing: for *zwei* it looks at the last word, for *vierzig* at the one
# before. *Und* has no word of its own in English, and each head looks elsewhere. Nobody
# has told it so. In numbers, the mean over 200 of the test that end in tens and ones:


# %%
def looked(number):
    shares = attention(number).mean(axis=0)
    ones, tens = shares[-3, -2:], shares[-1, -2:]
    return ones[1], ones[0], tens[0], tens[1]


crossing = [n for n in test.tolist() if n % 100 > 20 and n % 10][:200]
shares = np.mean([looked(number) for number in crossing], axis=0)
print(f"writing the ones: {shares[0]:.0%} at the ones, {shares[1]:.0%} at the tens")
print(f"writing the tens: {shares[2]:.0%} at the tens, {shares[3]:.0%} at the ones")

# %% [markdown]
# ## Over to you
#
# - Learn from a hundred numbers instead of a thousand. Which ones go wrong?
# - Let `german` write the tens first, as English does. Does it learn sooner?
# - `net.translate(..., beam_size=4)` follows four translations at a time. When does
#   that help, and why not here?
