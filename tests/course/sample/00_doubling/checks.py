"""Checks of the sample lesson."""

from teachgraph.course.judging import call, expect


def double(ask):
    for x in (2, -1, 0.5):
        expect(ask(call, "double", x) == 2 * x, "twice", x=x)


def halve(ask):
    expect(ask(call, "halve", 4) == 2, "half")
