"""The simulated schedules take the time that their formulas say."""

import pytest

from teachgraph.distributed.simulation import Network, fitted, ring_step, server_step

NETWORK = Network(bandwidth=1e9, latency=1e-4)
MODEL = 40e6


@pytest.mark.parametrize("servers", [1, 4])
@pytest.mark.parametrize("trainers", [4, 16, 64])
def test_servers_are_busy_for_all_trainers(trainers: int, servers: int) -> None:
    busy = 2 * trainers * MODEL / servers / NETWORK.bandwidth
    taken = server_step(trainers, MODEL, 0.5, servers, NETWORK)
    assert taken == pytest.approx(0.5 + busy + 2 * NETWORK.latency, rel=0.05)


@pytest.mark.parametrize("trainers", [1, 2, 10, 100])
def test_a_ring_is_busy_for_two_models_and_its_latencies(trainers: int) -> None:
    rounds = 2 * (trainers - 1)
    busy = rounds * (MODEL / trainers / NETWORK.bandwidth + NETWORK.latency)
    taken = ring_step(trainers, MODEL, 0.5, NETWORK)
    assert taken == pytest.approx(0.5 + busy, rel=1e-6)


def test_an_update_takes_its_time() -> None:
    slow = Network(1e9, 0.0, update=1e-9)
    assert server_step(1, MODEL, network=slow) == pytest.approx(3 * MODEL / 1e9)


def test_a_network_is_found_from_its_steps() -> None:
    truth = Network(2e9, 1e-3, overhead=2e-3)
    steps = [(n, m) for n in (1, 2, 3) for m in (1e6, 4e6)]
    found = fitted({(n, m): server_step(n, m, network=truth) for n, m in steps})
    for point in [(2, 2e6), (5, 4e6)]:
        told = server_step(*point, network=found)
        assert told == pytest.approx(server_step(*point, network=truth), rel=1e-3)
