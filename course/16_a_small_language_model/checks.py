"""Checks of lesson 16: each part by the formula, the model by what it learns."""

from __future__ import annotations

import numpy as np

from teachgraph.course import language
from teachgraph.course.judging import (
    array_of,
    call,
    close,
    expect,
    kind_of,
    needs,
    quiz,
    untouched,
)

CASES = 20
STEPS, BAR = 100, 11.4
"""Steps of training, after which counting letters in pairs, 11.95, is beaten."""


def run_take_rule(mine, dout, table, index):
    """The gradient of the table, and what stands for that of the index."""
    before = table.copy()
    with untouched(dout=dout, index=index):
        answer = mine.take_rule(dout, table, index)
    if answer is None:
        return None
    pair = type(answer) in (list, tuple) and len(answer) == 2
    expect(pair, "a_pair", got=kind_of(answer))
    return {"gradient": answer[0], "index": answer[1], "same": (before == table).all()}


def run_embed(mine, tokens, places, table, order, dout):
    """The rows, and the gradients of both tables for an upstream gradient."""
    leaves = [mine.Tensor(one, stop_gradient=False) for one in (table, order)]
    rows = mine.embed(tokens, places, *leaves)
    if rows is None:
        return None
    tensor = hasattr(rows, "node")
    expect(tensor, "a_tensor", got=kind_of(rows))
    return {"rows": rows.data, "gradients": pulled(mine, rows, dout, leaves)}


def pulled(mine, out, dout, leaves):
    """The gradients of those leaves that one arrives at."""
    gradients = mine.backward((out * dout).sum()) if out.node is not None else {}
    return [gradients[leaf] for leaf in leaves if leaf in gradients]


def run_may_look(mine, texts, places):
    """The mask."""
    return call(mine, "may_look", texts, places)


def run_attention(mine, q, k, v, mask, dout):
    """The mixed rows, the shares, and the gradients of q, k and v."""
    leaves = [mine.Tensor(one, stop_gradient=False) for one in (q, k, v)]
    with untouched(mask=mask):
        answer = mine.attention(*leaves, mask)
    if answer is None:
        return None
    pair = type(answer) in (list, tuple) and len(answer) == 2
    expect(pair, "a_pair", got=kind_of(answer))
    for one in answer:
        expect(hasattr(one, "node"), "a_tensor", got=kind_of(one))
    mixed, shares = answer
    seen = {"mixed": mixed.data, "shares": shares.data}
    expect(seen["shares"].shape == mask.shape, "shape", got=list(shares.shape))
    expect(seen["mixed"].shape == v.shape, "mixed_shape", got=list(mixed.shape))
    return {**seen, "gradients": pulled(mine, mixed, dout, leaves)}


def run_forward(mine, texts, seed):
    """The scores and the shares of a model that learnt nothing yet, and its weights."""
    of = language.corpus("en")
    arrays = language.first_weights(of, seed=seed)
    draw = np.random.default_rng(seed)
    arrays = {name: draw.normal(0.0, 0.4, a.shape) for name, a in arrays.items()}
    weights = {name: mine.Tensor(a, stop_gradient=False) for name, a in arrays.items()}
    looks = []

    def look(*inputs):
        looks.append(inputs[3])
        return mine.attention(*inputs)

    answer = mine.predict(of.pack(texts), weights, look)
    if answer is None:
        return None
    pair = type(answer) in (list, tuple) and len(answer) == 2
    expect(pair, "a_pair", got=kind_of(answer))
    scores, shares = answer
    expect(hasattr(scores, "node"), "a_tensor", got=kind_of(scores))
    expect(type(shares) is dict and set(shares) == {"A", "B"}, "shares")
    expect(all(type(one) is np.ndarray for one in shares.values()), "shares")
    expect(len(looks) == 2, "looks", got=len(looks))
    found = {"scores": scores.data, "shares": shares, "weights": arrays}
    gradients = mine.backward((scores * scores).sum()) if scores.node else {}
    slopes = {name: gradients[w] for name, w in weights.items() if w in gradients}
    return {**found, "gradients": slopes}


def run_training(mine, steps):
    """The perplexity, after training, of names that were held out."""
    of = language.corpus("en")
    model = language.train(of, mine.predict, mine.attention, steps)
    return of.perplexity(model)


def run_sample(mine, scores, temperature, count, seed):
    """Draw twice, the second time as the first; return the share of each token."""
    before = scores.copy()
    drawn = [drawn_by(mine, scores, temperature, count, seed) for _ in range(2)]
    expect((before == scores).all(), "changed")
    expect(drawn[0] == drawn[1], "other_chance")
    return np.bincount(drawn[0], minlength=len(scores)) / count


def drawn_by(mine, scores, temperature, count, seed):
    """Tokens, drawn one after the other."""
    draw, tokens = np.random.default_rng(seed), []
    for _ in range(count):
        token = mine.sample(scores, temperature, draw)
        expect(token is not None, "nothing")
        whole = isinstance(token, (int, np.integer)) and not isinstance(token, bool)
        expect(whole, "a_number", got=kind_of(token))
        expect(0 <= token < len(scores), "below", got=int(token), n=len(scores))
        tokens.append(int(token))
    return tokens


def shares_of(scores, mask):
    """Softmax over what the mask lets through, one row at a time."""
    shares = np.zeros(scores.shape)
    for row, allowed, out in zip(scores, mask, shares, strict=True):
        powers = np.exp(row[allowed] - row[allowed].max())
        out[allowed] = powers / powers.sum()
    return shares


def by_formula(q, k, v, mask):
    """Attention, by the formula."""
    shares = shares_of(q @ k.T / np.sqrt(q.shape[1]), mask)
    return shares @ v, shares


def mask_by_rows(texts, places):
    """The mask, pair by pair."""
    pairs = list(zip(texts, places, strict=True))
    rows = [[text == other and at <= place for other, at in pairs]
            for text, place in pairs]  # fmt: skip
    return np.array(rows)


def packed(draw):
    """The texts and places of some rows, one text after the other."""
    sizes = draw.integers(1, 5, draw.integers(1, 4))
    texts = np.repeat(draw.permutation(9)[: len(sizes)], sizes)
    return texts, np.concatenate([np.arange(size) for size in sizes])


def model_by_formula(batch, w):
    """The scores and shares of the model, by the formula."""
    x = w["tokens"][batch.tokens] + w["places"][batch.places]
    mask, shares, added = mask_by_rows(batch.texts, batch.places), {}, 0.0
    for head in "AB":
        q, k, v = (x @ w[one + head] for one in "qkv")
        mixed, shares[head] = by_formula(q, k, v, mask)
        added = added + mixed @ w["o" + head]
    x = x + added
    x = x + np.logaddexp(0.0, x @ w["wide"] + w["bias"]) @ w["narrow"]
    return x @ w["last"], shares


def slope_along(batch, weights, draw, far=1e-5):
    """A random direction, name by name, and the slope of the scores' squares in it."""
    steps = {name: draw.normal(size=array.shape) for name, array in weights.items()}
    ends = []
    for sign in (far, -far):
        moved = {name: array + sign * steps[name] for name, array in weights.items()}
        ends.append((model_by_formula(batch, moved)[0] ** 2).sum())
    return list(steps.items()), (ends[0] - ends[1]) / (2 * far)


def at_random(ask):
    """The mean loss is log 27."""
    quiz(ask, "at_random", 27.0, loss=round(float(np.log(27)), 2), one=1.0)


def pairs_of_six(ask):
    """1 + 2 + ... + 6."""
    quiz(ask, "pairs_of_six", 21, all=36, without_itself=15)


def spread_of_scores(ask):
    """The root of 64."""
    quiz(ask, "spread_of_scores", 8.0, variance=64.0, one=1.0)


def first_share(ask):
    """There is nothing else to look at."""
    quiz(ask, "first_share", 1.0, percent=100.0, none=0.0)


def take_rule(ask):
    """Compare with a product with rows of zeros and a one."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        rows, count = int(draw.integers(2, 6)), int(draw.integers(1, 8))
        table = draw.normal(size=(rows, 3))
        index = draw.integers(0, rows, count)
        if seed == 0:
            index = np.array([1, 0, 1])
        dout = draw.normal(size=(len(index), 3))
        seen = ask(run_take_rule, dout, table, index)
        expect(seen["index"] is None, "index")
        expect(seen["same"], "table")
        found, wanted = array_of(seen["gradient"]), np.eye(rows)[index].T @ dout
        facts = {"index": index.tolist()}
        shapes = {"got": [*found.shape], "wanted": [*wanted.shape]}
        expect(found.shape == wanted.shape, "shape", **shapes)
        last = np.zeros(wanted.shape)
        last[index] = dout
        twice = not close(last, wanted)
        expect(not (twice and close(found, last)), "once", **facts)
        expect(close(found, wanted), "wrong", **facts)


@needs(take_rule)
def embed(ask):
    """Compare rows and gradients."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        table, order = draw.normal(size=(5, 3)), draw.normal(size=(6, 3))
        _, places = packed(draw)
        tokens = draw.integers(0, 5, len(places))
        dout = draw.normal(size=(len(tokens), 3))
        seen = ask(run_embed, tokens, places, table, order, dout)
        rows = seen["rows"]
        expect(not close(rows, table[tokens]), "no_places")
        counted = table[tokens] + order[np.arange(len(tokens)) % 6]
        wanted = table[tokens] + order[places]
        right = close(rows, wanted)
        expect(right or not close(rows, counted), "counted")
        expect(right, "wrong", tokens=tokens.tolist(), places=places.tolist())
        expect(len(seen["gradients"]) == 2, "no_way")
        slopes = [np.eye(5)[tokens].T @ dout, np.eye(6)[places].T @ dout]
        pairs = zip(seen["gradients"], slopes, strict=True)
        expect(all(close(*pair) for pair in pairs), "gradients")


def may_look(ask):
    """Compare pair by pair."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        texts, places = packed(draw)
        if seed == 0:
            texts, places = np.array([3, 3, 3]), np.arange(3)
        if seed > 10:
            mixed = draw.permutation(len(texts))
            texts, places = texts[mixed], places[mixed]
        found, wanted = ask(run_may_look, texts, places), mask_by_rows(texts, places)
        facts = {"texts": texts.tolist(), "places": places.tolist()}
        expect(type(found) is np.ndarray, "an_array", got=kind_of(found))
        shape = list(found.shape)
        expect(found.shape == wanted.shape, "shape", got=shape, rows=len(texts))
        expect(found.dtype == bool, "bools", got=str(found.dtype))
        expect(found.diagonal().all(), "itself", **facts)
        same = texts[:, None] == texts
        expect(not (found & ~same).any(), "others", **facts)
        expect(not (found & (places[:, None] < places)).any(), "future", **facts)
        expect(close(found, wanted), "wrong", **facts)


def attention(ask):
    """Compare with the formula; change what comes later; measure the gradients."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        texts, places = packed(draw)
        if seed < 4:
            texts, places = np.zeros(4, "int64"), np.arange(4)
        count, width = len(texts), seed % 3 + 1
        size = int(draw.integers(2, 6)) if seed else count - 1  # q and k want a turn
        q, k = 2.0 * draw.normal(size=(2, count, size))
        v, dout = draw.normal(size=(2, count, width))
        mask = mask_by_rows(texts, places)
        seen = ask(run_attention, q, k, v, mask, dout)
        later = count - 1
        if count > 1:
            other_k, other_v = k.copy(), v.copy()
            other_k[later], other_v[later] = 5.0, -7.0
            after = ask(run_attention, q, other_k, other_v, mask, dout)
            allowed = ~mask[:, later]
            kept = close(seen["mixed"][allowed], after["mixed"][allowed])
            sums = seen["shares"].sum(axis=1)
            masked_late = close(seen["shares"], shares_of_all(q, k) * mask)
            expect(kept or not masked_late, "after", sum=f"{sums[0]:.2f}")
            expect(kept, "future")
        mixed, shares = by_formula(q, k, v, mask)
        alike = close(seen["shares"], shares)
        for sentence, factor in (("no_scale", size**0.5), ("not_root", size**-0.5)):
            bad = shares_of(factor * (q @ k.T) / np.sqrt(size), mask)
            expect(alike or not close(seen["shares"], bad), sentence, columns=size)
        turned = shares_of(k @ q.T / np.sqrt(size), mask)
        expect(alike or not close(seen["shares"], turned), "turned")
        expect(alike, "shares")
        expect(close(seen["mixed"], mixed), "mixed")
        expect(len(seen["gradients"]) == 3, "no_way")
        slopes = by_difference(q, k, v, mask, dout)
        expect(close(seen["gradients"], slopes, atol=1e-5), "gradients")


def shares_of_all(q, k):
    """The shares without a mask."""
    return shares_of(q @ k.T / np.sqrt(q.shape[1]), np.ones((len(q), len(k)), bool))


def by_difference(q, k, v, mask, dout, step=1e-6):
    """The gradients of q, k and v, each along all of its numbers."""
    arrays, slopes = [q, k, v], []
    for array in arrays:
        slope = np.zeros(array.shape)
        for at in np.ndindex(*array.shape):
            kept = array[at]
            ends = []
            for sign in (1, -1):
                array[at] = kept + sign * step
                ends.append((by_formula(*arrays, mask)[0] * dout).sum())
            array[at] = kept
            slope[at] = (ends[0] - ends[1]) / (2 * step)
        slopes.append(slope)
    return slopes


@needs(embed, may_look, attention)
def predict(ask):
    """Compare with the formula, and let it learn names."""
    of = language.corpus("en")
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        texts = [of.train[one] for one in draw.integers(0, 999, draw.integers(1, 3))]
        seen = ask(run_forward, texts, seed)
        batch = of.pack(texts)
        scores, shares = model_by_formula(batch, seen["weights"])
        found = seen["scores"]
        shapes = {"got": [*found.shape], "wanted": [*scores.shape]}
        expect(found.shape == scores.shape, "shape", **shapes)
        expect(close(seen["shares"]["A"], shares["A"]), "shares_a")
        one_by_one = not close(seen["shares"]["B"], shares["B"])
        expect(not one_by_one, "shares_b")
        expect(close(found, scores), "wrong")
        lost = [name for name in seen["weights"] if name not in seen["gradients"]]
        expect(not lost, "no_way", names=", ".join(lost))
        along = slope_along(batch, seen["weights"], draw)
        slope = sum((seen["gradients"][name] * step).sum() for name, step in along[0])
        expect(np.isclose(slope, along[1], rtol=1e-4, atol=1e-4), "gradients")
    perplexity = ask(run_training, STEPS)
    expect(perplexity < BAR, "learns", got=perplexity, bar=BAR, steps=STEPS)


def sample(ask):
    """Count what is drawn."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        scores = 1.5 * draw.normal(size=int(draw.integers(2, 6)))
        temperature = [0.5, 2.0, 0.25, 4.0][seed % 4]
        if seed > 12:
            scores = scores + [800.0, -800.0][seed % 2]
        shares = ask(run_sample, scores, temperature, 400, seed)
        wanted, plain, times = (
            shares_of(row[None, :], np.ones((1, len(row)), bool))[0]
            for row in (scores / temperature, scores, scores * temperature)
        )
        even = np.full(len(scores), 1 / len(scores))
        off = [abs(shares - one).max() for one in (wanted, plain, times, even)]
        facts = {"temperature": temperature}
        right = off[0] < 0.12
        nearest = off.index(min(off)) if min(off) < 0.12 else None
        expect(right or shares.max() < 1.0, "always", **facts)
        expect(right or nearest != 3, "even", **facts)
        expect(right or nearest != 1, "no_temperature", **facts)
        expect(right or nearest != 2, "times", **facts)
        got = f"{shares[wanted.argmax()]:.0%}"
        expect(right, "wrong", got=got, wanted=f"{wanted.max():.0%}", **facts)
