"""Checks of the sample lesson."""

from teachgraph.course.judging import expect


def run(mine, name, x):
    return getattr(mine, name)(x)


def double(ask):
    for x in (2, -1, 0.5):
        expect(ask(run, "double", x) == 2 * x, "twice", x=x)


def halve(ask):
    expect(ask(run, "halve", 4) == 2, "half")
