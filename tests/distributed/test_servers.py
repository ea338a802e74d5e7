"""Training with parameter servers, in threads, equals training in one process."""

import pytest

from teachgraph.distributed import HashName
from tests.distributed.training import (
    CASES,
    LENET,
    OPTIMIZERS,
    farthest,
    in_one_process,
    with_servers,
)

TOLERANCE = 1e-6


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize("network", CASES)
def test_sync_servers_equal_one_process(network: str, optimizer: str) -> None:
    case, minimize = CASES[network], OPTIMIZERS[optimizer]
    alone = in_one_process(case, minimize)
    assert farthest(with_servers(case, minimize), alone) < TOLERANCE


@pytest.mark.full
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
def test_sync_servers_equal_one_process_on_lenet(optimizer: str) -> None:
    alone = in_one_process(LENET, OPTIMIZERS[optimizer])
    assert farthest(with_servers(LENET, OPTIMIZERS[optimizer]), alone) < TOLERANCE


@pytest.mark.parametrize("optimizer", ["decayed", "scheduled", "stairs"])
def test_decay_and_schedules_live_on_the_servers(optimizer: str) -> None:
    case, minimize = CASES["mlp"], OPTIMIZERS[optimizer]
    alone = in_one_process(case, minimize)
    assert farthest(with_servers(case, minimize, trainers=3), alone) < TOLERANCE


@pytest.mark.parametrize(
    "settings",
    [{"slice_var_up": False}, {"split_method": HashName}, {"min_block_size": 1}],
)
def test_it_does_not_matter_which_server_keeps_what(
    settings: dict[str, object],
) -> None:
    case, minimize = CASES["mlp"], OPTIMIZERS["momentum"]
    alone = in_one_process(case, minimize)
    assert farthest(with_servers(case, minimize, **settings), alone) < TOLERANCE


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_async_with_one_trainer_equals_sync(optimizer: str) -> None:
    case, minimize = CASES["mlp"], OPTIMIZERS[optimizer]
    sync = with_servers(case, minimize, trainers=1)
    assert farthest(with_servers(case, minimize, trainers=1, sync=False), sync) == 0


@pytest.mark.parametrize(
    "settings", [{}, {"runtime_split_send_recv": True, "half_async": True}]
)
def test_async_is_the_same_every_time(settings: dict[str, bool]) -> None:
    case, minimize = CASES["words"], OPTIMIZERS["momentum"]
    runs = [with_servers(case, minimize, sync=False, **settings) for _ in range(2)]
    assert farthest(*runs) == 0
    assert farthest(runs[0], in_one_process(case, minimize)) > TOLERANCE
