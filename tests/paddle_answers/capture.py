"""Ask the real Paddle 2.6.2 what the lines and stories of `cases` come to.

    python -m tests.paddle_answers.capture            all topics
    python -m tests.paddle_answers.capture integers   these

Run it at the root of the repository, in an environment where `paddle` is installed and
`teachgraph` need not be. Each topic is a file of answers beside this one.
"""

from __future__ import annotations

import json
import os
import sys
from multiprocessing import get_context
from pathlib import Path

from tests.oracle.steady import before, steady
from tests.paddle_answers.ask import answers
from tests.paddle_answers.cases import TOPICS
from tests.paddle_answers.differences import UNOWNED, UNSTABLE

HERE = Path(__file__).parent
VERSION = "2.6.2"


def captured(name: str) -> str:
    """The answers on a topic, a case a line."""
    import paddle

    found = {
        case: dict.fromkeys(answer, UNOWNED) if case in UNSTABLE else answer
        for case, answer in answers(paddle, *TOPICS[name])
    }
    told = steady(found, before(HERE / f"{name}.json"))
    lines = [f"{json.dumps(case)}: {json.dumps(told[case])}" for case in found]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Write the answers on each topic."""
    os.environ["GLOG_minloglevel"] = "2"  # noqa: SIM112  glog's own spelling
    import paddle

    if paddle.__version__ != VERSION:
        sys.exit(f"the answers are those of Paddle {VERSION}, not {paddle.__version__}")
    wanted = sys.argv[1:] or list(TOPICS)
    with get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        texts = pool.map(captured, wanted, chunksize=1)
        pool.close()
        pool.join()
    for path in HERE.glob("*.json"):
        if path.stem not in TOPICS:
            path.unlink()
    for name, text in zip(wanted, texts, strict=True):
        (HERE / f"{name}.json").write_text(text, "utf-8")
    print(f"answers of Paddle {VERSION} on {', '.join(wanted)}")


if __name__ == "__main__":
    main()
