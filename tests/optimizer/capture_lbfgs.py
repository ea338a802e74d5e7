"""Ask PyTorch where its L-BFGS goes.

    python -m tests.optimizer.capture_lbfgs

Run it at the root of the repository, in an environment that has `torch`. It writes
`lbfgs.json` beside it: the first loss of each call, and the parameters after it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.optimizer.lbfgs_cases import CASES, Case
from tests.oracle.steady import before, steady

FILE = Path(__file__).with_name("lbfgs.json")


def path(case: Case) -> list[Any]:
    """The loss before and the parameters after each call."""
    import torch

    tensors = [
        torch.tensor(part, dtype=torch.float64, requires_grad=True)
        for part in case.start
    ]
    optimizer = torch.optim.LBFGS(tensors, **case.settings)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = case.loss(*tensors)
        loss.backward()
        return loss

    found = []
    for _ in range(case.calls):
        loss = optimizer.step(closure).item()
        found.append([loss, [t.tolist() for t in tensors]])
    return found


if __name__ == "__main__":
    paths = {name: path(case) for name, case in CASES.items()}
    paths = steady(paths, before(FILE), rtol=1e-12)
    lines = [f"{json.dumps(name)}: {json.dumps(p)}" for name, p in paths.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
