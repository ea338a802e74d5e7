"""Training without servers, in threads, equals training in one process."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import distributed as dist
from teachgraph import fluid
from teachgraph.distributed import Role, run_local
from teachgraph.distributed.buckets import grouped
from teachgraph.distributed.errors import DeadlockError, PeerError
from tests.distributed.training import (
    CASES,
    LENET,
    OPTIMIZERS,
    Case,
    built,
    farthest,
    in_one_process,
    parameters,
    share,
)

TOLERANCE = 1e-6
TRAINERS = ["trainer:0", "trainer:1"]


def collective(kind: Any, case: Case, optimizer: Callable[[], Any]) -> list[Any]:
    """The parameters of each trainer."""

    def work(role: Role) -> Any:
        main, startup, _ = built(case, optimizer)
        place = role.index, TRAINERS, TRAINERS[role.index]
        kind().transpile(startup, main, *place)
        executor = fluid.Executor()
        executor.run(startup)
        for batch in case.batches:
            executor.run(main, share(batch, role))
        return parameters(main)

    return run_local(work, trainers=2)


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
@pytest.mark.parametrize("network", CASES)
def test_all_reduce_equals_one_process(network: str, optimizer: str) -> None:
    case, minimize = CASES[network], OPTIMIZERS[optimizer]
    kind = fluid.transpiler.collective.GradAllReduce
    first, second = collective(kind, case, minimize)
    assert farthest(first, second) == 0
    assert farthest(first, in_one_process(case, minimize)) < TOLERANCE


@pytest.mark.full
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
def test_all_reduce_equals_one_process_on_lenet(optimizer: str) -> None:
    kind = fluid.transpiler.collective.GradAllReduce
    first, second = collective(kind, LENET, OPTIMIZERS[optimizer])
    assert farthest(first, second) == 0
    assert farthest(first, in_one_process(LENET, OPTIMIZERS[optimizer])) < TOLERANCE


def test_local_sgd_with_plain_steps_equals_one_process() -> None:
    case, minimize = CASES["mlp"], OPTIMIZERS["sgd"]
    kind = fluid.transpiler.collective.LocalSGD
    first, second = collective(kind, case, minimize)
    assert farthest(first, second) == 0
    assert farthest(first, in_one_process(case, minimize)) < TOLERANCE


def net() -> Any:
    tg.seed(3)
    layers = [tg.nn.Linear(6, 5), tg.nn.Tanh(), tg.nn.Linear(5, 1)]
    return tg.nn.Sequential(*layers)


def squared(model: Any, batch: dict[str, Any]) -> Any:
    x, y = (tg.to_tensor(batch[name]) for name in "xy")
    return ((model(x) - y) ** 2).mean()


def steps(
    model: Any,
    optimizer: Any,
    batches: Any,
    loss_of: Callable[[Any, Any], Any] = squared,
) -> Any:
    for batch in batches:
        loss_of(model, batch).backward()
        optimizer.step()
        optimizer.clear_grad()
    return {name: value.numpy() for name, value in model.state_dict().items()}


EAGER = {
    "sgd": lambda p: tg.optimizer.SGD(0.1, parameters=p),
    "momentum": lambda p: tg.optimizer.Momentum(0.1, 0.9, parameters=p),
    "adam": lambda p: tg.optimizer.Adam(0.01, parameters=p),
}


@pytest.mark.parametrize(
    ("shapes", "sizes"),
    [
        ([(512, 512), (512,)], [[512, 512 * 512]]),
        ([(8,), (8,), (512, 512), (512,)], [[512, 512 * 512], [8, 8]]),
    ],
    ids=["a bias with its weight", "a small last one"],
)
def test_what_is_small_joins_its_neighbour(
    shapes: list[Any], sizes: list[list[int]]
) -> None:
    found = grouped([tg.zeros(shape) for shape in shapes], 25 * 2**20, 2**20)
    assert [[parameter.size for parameter in group] for group in found] == sizes


@pytest.mark.parametrize("megabytes", [25, 1e-5], ids=["one bucket", "one for each"])
@pytest.mark.parametrize("optimizer", EAGER)
def test_data_parallel_equals_one_process(optimizer: str, megabytes: float) -> None:
    batches = CASES["mlp"].batches
    starts = [net() for _ in range(3)]

    def work(role: Role) -> Any:
        model = tg.DataParallel(starts[role.index], None, megabytes, megabytes)
        mine = [share(batch, role) for batch in batches]
        return steps(model, EAGER[optimizer](model.parameters()), mine)

    first, second = run_local(work, trainers=2)
    alone = steps(starts[2], EAGER[optimizer](starts[2].parameters()), batches)
    assert farthest(first, second) == 0
    assert farthest(first, alone) < TOLERANCE


def words() -> Any:
    tg.seed(3)
    table = tg.nn.Embedding(30, 4, sparse=True)
    return tg.nn.Sequential(table, tg.nn.Flatten(), tg.nn.Linear(4, 1))


def of_words(model: Any, batch: dict[str, Any]) -> Any:
    return ((model(tg.to_tensor(batch["ids"])) - tg.to_tensor(batch["y"])) ** 2).mean()


def lenet() -> Any:
    """In double precision, as the program."""
    tg.seed(3)
    return tg.vision.models.LeNet().to(dtype="float64")


def of_digits(model: Any, batch: dict[str, Any]) -> Any:
    images, classes = (tg.to_tensor(batch[name]) for name in "xy")
    return tg.nn.functional.cross_entropy(model(images), classes) * 0.1


@pytest.mark.parametrize("optimizer", EAGER)
@pytest.mark.parametrize(
    ("net_of", "loss_of", "case"),
    [
        pytest.param(words, of_words, CASES["words"], id="words"),
        pytest.param(lenet, of_digits, LENET, id="lenet", marks=pytest.mark.full),
    ],
)
def test_data_parallel_of_other_networks_equals_one_process(
    net_of: Callable[[], Any], loss_of: Any, case: Case, optimizer: str
) -> None:
    starts, make = [net_of() for _ in range(3)], EAGER[optimizer]

    def work(role: Role) -> Any:
        model = tg.DataParallel(starts[role.index])
        mine = [share(batch, role) for batch in case.batches]
        return steps(model, make(model.parameters()), mine, loss_of)

    first, second = run_local(work, trainers=2)
    alone = steps(starts[2], make(starts[2].parameters()), case.batches, loss_of)
    assert farthest(first, second) == 0
    assert farthest(first, alone) < TOLERANCE
    assert all(np.isfinite(value).all() for value in alone.values())


def test_a_parameter_that_one_trainer_does_not_use_counts_as_zero() -> None:
    def work(role: Role) -> Any:
        first, second = tg.nn.Linear(2, 1), tg.nn.Linear(2, 1)
        both = tg.DataParallel(tg.nn.LayerList([first, second]))
        used = [first, second][role.index]
        (used(tg.ones([1, 2])) * 4.0).sum().backward()
        return [p.grad.tolist() for p in both.parameters()]

    one, other = run_local(work, trainers=2)
    assert one == other == [[[2.0], [2.0]], [2.0]] * 2


def test_without_sync_gradients_stay_here() -> None:
    def work(role: Role) -> Any:
        model = tg.DataParallel(tg.nn.Linear(1, 1))
        with model.no_sync():
            (model(tg.ones([1, 1])) * (role.index + 1.0)).sum().backward()
        return model.parameters()[0].grad.item()

    assert run_local(work, trainers=2) == [1.0, 2.0]


def tensor(role: Role) -> Any:
    return tg.to_tensor([role.index + 1.0, 10.0])


def test_functions_between_trainers() -> None:
    def work(role: Role) -> Any:
        found, x = {}, tensor(role)
        for name in ("SUM", "MAX", "MIN", "PROD", "AVG"):
            x = tensor(role)
            dist.all_reduce(x, getattr(dist.ReduceOp, name))
            found[name] = x[0].item()
        dist.broadcast(x := tensor(role), src=2)
        found["broadcast"] = x[0].item()
        dist.reduce(x := tensor(role), dst=1)
        found["reduce"] = x[0].item()
        dist.all_gather(parts := [], tensor(role))
        found["gather"] = [part[0].item() for part in parts]
        sent = [tg.to_tensor([10.0 * role.index + i]) for i in range(3)]
        dist.alltoall(sent, got := [])
        found["alltoall"] = [part.item() for part in got]
        dist.scatter(x := tg.zeros([1]), sent if role.index == 0 else None, src=0)
        found["scatter"] = x.item()
        dist.reduce_scatter(x := tg.zeros([1]), sent)
        found["reduce_scatter"] = x.item()
        dist.barrier()
        return found

    results = run_local(work, trainers=3)
    for rank, found in enumerate(results):
        assert found == {
            "SUM": 6,
            "MAX": 3,
            "MIN": 1,
            "PROD": 6,
            "AVG": 2,
            "broadcast": 3,
            "reduce": 6 if rank == 1 else rank + 1,
            "gather": [1, 2, 3],
            "alltoall": [rank, 10 + rank, 20 + rank],
            "scatter": rank,
            "reduce_scatter": 30 + 3 * rank,
        }


def test_a_tensor_is_sent_from_one_to_another() -> None:
    def work(role: Role) -> Any:
        if role.index == 0:
            dist.send(tg.to_tensor([1.0]), dst=1)
            dist.send(tg.to_tensor([2.0]), dst=1)
            return None
        x, y = tg.zeros([1]), tg.zeros([1])
        dist.recv(x, src=0)
        dist.recv(y, src=0)
        return x.item(), y.item()

    assert run_local(work, trainers=2)[1] == (1.0, 2.0)


def test_in_one_process_they_change_nothing() -> None:
    x = tg.to_tensor([2.0])
    dist.all_reduce(x)
    dist.broadcast(x)
    dist.all_gather(parts := [], x)
    dist.barrier()
    assert (x.item(), parts[0].item()) == (2.0, 2.0)
    assert (dist.get_rank(), dist.get_world_size()) == (0, 1)


def test_who_waits_in_vain_is_told_of_at_once() -> None:
    def work(role: Role) -> None:
        if role.index == 0:
            dist.barrier()
        else:
            dist.recv(tg.zeros([1]), src=0)

    waiting = r"trainer 0 waits for barrier 1 of all 2[\s\S]*trainer 1 waits for 'tr"
    with pytest.raises(DeadlockError, match=waiting):
        run_local(work, trainers=2)


def test_the_death_of_one_ends_all() -> None:
    def work(role: Role) -> None:
        if role.index == 1:
            raise ZeroDivisionError("in step 3")
        dist.barrier()

    told = "trainer 1 died: ZeroDivisionError: in step 3"
    with pytest.raises(PeerError, match=told) as caught:
        run_local(work, trainers=2)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_fleet_trains_as_one_process_does() -> None:
    case = CASES["mlp"]

    def work(role: Role) -> Any:
        fleet = dist.fleet
        fleet.init()
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup), fluid.unique_name.guard():
            optimizer = fleet.distributed_optimizer(fluid.optimizer.SGD(0.1))
            optimizer.minimize(case.network())
            if fleet.is_server():
                fleet.init_server()
                fleet.run_server()
                return None
            executor = fluid.Executor()
            executor.run(startup)
            for batch in case.batches:
                executor.run(main, share(batch, role))
            return parameters(main)

    alone = in_one_process(case, OPTIMIZERS["sgd"])
    for servers in ("", "a:1,b:1"):
        tg.enable_static()
        try:
            trained = run_local(work, 2, servers)[0]
        finally:
            tg.disable_static()
        assert farthest(trained, alone) < TOLERANCE
    assert np.isfinite(alone["fc_0.w_0"]).all()
