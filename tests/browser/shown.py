"""One of each thing that `tg.show` draws: as a notebook's cells, and as logs."""

from __future__ import annotations

import ast
import linecache
import os
from pathlib import Path
from typing import Any

from teachgraph_widgets.events import Log

from teachgraph import static
from teachgraph.core import unique_name

SET_UP = """\
import numpy as np
import teachgraph as tg
tg.seed(0)
net = tg.nn.Sequential(tg.nn.Linear(2, 3), tg.nn.Linear(3, 1))
given = tg.to_tensor(np.ones((4, 2), "float32"))
"""
PROGRAM = """\
main, startup = tg.static.Program(), tg.static.Program()
with tg.static.program_guard(main, startup):
    x = tg.static.data("x", [None, 2])
    loss = tg.tanh(tg.static.nn.fc(x, 3) * 1.0).mean()
"""
CELLS = {
    "program": f"""{PROGRAM}    tg.optimizer.SGD(0.1).minimize(loss)
tg.show(main)""",
    "layer": "tg.show(net)",
    "tensor": """\
total = (net(given) ** 2.0).mean()
total.backward(retain_graph=True)
tg.show(total)""",
    "function": """\
@tg.jit.to_static
def cut(x):
    if x.mean() > 0:
        return x * 2.0
    return -x
cut(given)
tg.show(cut)""",
    "report": f"""{PROGRAM}passes = tg.passes.DEFAULT
tg.show(tg.passes.apply_pass(main, passes, fetches=[loss]).report)""",
    "plan": f"""{PROGRAM}feed = {{"x": np.ones((4, 2), "float32")}}
tg.show(tg.static.Executor().memory_plan(main, feed, [loss]))""",
    "model": f"""{PROGRAM}executor = tg.static.Executor()
executor.run(startup)
tg.static.save_inference_model("saved", [x], [loss], executor, program=main)
tg.show("saved")""",
    "profile": """\
with tg.profiler.Profiler() as profile:
    net(given).sum().backward()
tg.show(profile)""",
    "monitor": """\
sgd = tg.optimizer.SGD(0.05, net.parameters())
watched = tg.monitor([given] * 8, model=net, optimizer=sgd, every=3600)
for batch in watched:
    error = (net(batch) ** 2.0).mean()
    error.backward()
    sgd.step()
    sgd.clear_grad()
tg.show(watched)""",
    "log": """import json
from pathlib import Path
with tg.record("Saved", show=False) as trace:
    net(given).sum().backward()
Path("log.json").write_text(json.dumps(trace.log))
tg.show("log.json")""",
    "nothing": """with tg.record("Nothing", show=False) as nothing:
    pass
tg.show(nothing)""",
}


def logs(folder: Path) -> dict[str, Log]:
    """The log of each thing, made in this process; files are written to `folder`."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with (
            static.program_guard(static.Program(), static.Program()),
            unique_name.guard(),
        ):
            return {kind: log_of(cell) for kind, cell in CELLS.items()}
    finally:
        os.chdir(before)


def log_of(cell: str) -> Log:
    """What the picture at the end of a cell is drawn from."""
    names: dict[str, Any] = {}
    source = SET_UP + cell
    linecache.cache["<shown>"] = len(source), None, source.splitlines(True), "<shown>"
    body = ast.parse(source)
    last = body.body.pop()
    assert isinstance(last, ast.Expr)
    code = compile(ast.fix_missing_locations(body), "<shown>", "exec")
    exec(code, names)  # noqa: S102  our own
    shown = eval(ast.unparse(last), names)  # noqa: S307  our own
    log: Log = shown.log
    return log
