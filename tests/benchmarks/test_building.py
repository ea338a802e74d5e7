"""Building a large program and compiling it, and how the time grows with its size.

On a busy machine, `--benchmark-timer=time.process_time` counts CPU time.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.programs import KINDS, built, compiled

SIZES = 1_000, 3_000, 10_000


@pytest.mark.parametrize("operators", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_building(benchmark: Any, kind: str, operators: int) -> None:
    benchmark.group = f"building, {kind}"
    main, _ = benchmark.pedantic(built, (kind, operators), rounds=3)
    benchmark.extra_info["operators"] = len(main.global_block().ops)
    benchmark.extra_info["bar"] = 2.0


@pytest.mark.parametrize("operators", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_compiling(benchmark: Any, kind: str, operators: int) -> None:
    benchmark.group = f"compiling, {kind}"
    main, loss = built(kind, operators)
    benchmark.pedantic(compiled, (main, loss), rounds=3)
    benchmark.extra_info["operators"] = len(main.global_block().ops)
    benchmark.extra_info["bar"] = 3.0
