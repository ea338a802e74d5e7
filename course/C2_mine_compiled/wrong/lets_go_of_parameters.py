"""Lets go of parameters, too, after their last reader.

zh: 参数在最后一次被读之后也被放开了。
task: body_lines
says: lasting
"""


def body_lines(ops, fetch, names):
    lines, lives = [], lifetimes(ops, fetch)
    for number, one in enumerate(ops):
        lines.append(call_line(number, one, names))
        later = {x for other in ops[number + 1 :] for x in other.inputs}
        done = {x for x, (_, end) in lives.items() if end == number}
        done |= {x for x in one.inputs if isinstance(x, Variable) and x not in later}
        if gone := sorted(names[x] for x in done if x not in fetch):
            lines.append(f"del {', '.join(gone)}")
    return lines
