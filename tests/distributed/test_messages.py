"""Messages that a trainer must not send end the cluster, with who and why."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from teachgraph import distributed as dist
from teachgraph import fluid
from teachgraph.distributed import ray_job, ray_process
from teachgraph.distributed.errors import (
    DistributedError,
    MissingRayError,
    PeerError,
    StartError,
    VersionMismatchError,
)
from teachgraph.distributed.ray_calls import Calls
from teachgraph.distributed.ray_process import Job
from teachgraph.distributed.ray_transport import RayTransport
from teachgraph.distributed.roles import Role
from teachgraph.distributed.transport import transport
from tests.distributed.training import Case, train

END = "a:1"


def constant() -> Any:
    """A loss whose gradient is the mean of x: no parameter changes it."""
    x = fluid.layers.data("x", [3])
    zeros = fluid.ParamAttr("w", initializer=fluid.initializer.Constant(0.0))
    w = fluid.layers.create_parameter([3], "float32", attr=zeros)
    return fluid.layers.reduce_sum(
        fluid.layers.elementwise_mul(fluid.layers.reduce_mean(x, 0), w)
    )


def sgd() -> Any:
    return fluid.optimizer.SGD(1.0)


def case_of(steps: int) -> Case:
    draws = np.random.default_rng(3)
    batches = [draws.normal(size=(12, 3)).astype("float32") for _ in range(steps)]
    return Case(constant, [{"x": batch} for batch in batches])


WRONG: dict[str, tuple[str, Any, str]] = {
    "shape": (
        "w@GRAD",
        np.zeros(4, "float32"),
        r"as float32 \[3\].*sent float32 \[4\]",
    ),
    "dtype": ("w@GRAD", np.zeros(3), r"as float32 \[3\].*sent float64 \[3\]"),
    "sender": ("w@GRAD.trainer_0", np.zeros(3, "float32"), "another trainer_id"),
    "name": ("v@GRAD", np.zeros(3, "float32"), "has no 'v@GRAD' of trainer 1"),
}


def sending(wrong: str) -> None:
    """Train, but for trainer 1, whose first message is wrong."""
    role = dist.current_role()
    if role.is_server or role.index == 0:
        train(case_of(3), sgd)
        return
    name, value, _ = WRONG[wrong]
    transport().send(role.endpoints[0], name, value)
    transport().barrier("send", role.endpoints)
    transport().recv(role.endpoints[0], "w")


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_message_is_told_of_by_name(wrong: str) -> None:
    with pytest.raises(PeerError, match=rf"trainer 1 died: .*{WRONG[wrong][2]}"):
        dist.run_local(lambda role: sending(wrong), 2, END)


def test_a_step_from_the_future_is_refused() -> None:
    def work(role: Role) -> None:
        if role.is_server or role.index == 0:
            train(case_of(3), sgd)
        else:
            transport().step = 5
            sending("dtype")

    with pytest.raises(PeerError, match="is at step 0, and trainer 1 sent step 6"):
        dist.run_local(work, 2, END)


def applied(steps: int, trainers: int = 2) -> Any:
    """The parameter after each gradient of each trainer is applied once."""
    rows = 12 // trainers
    parts = [
        batch["x"][t * rows : (t + 1) * rows].mean(0)
        for batch in case_of(steps).batches
        for t in range(trainers)
    ]
    return -np.sum(parts, 0)


def test_in_async_a_slow_trainer_holds_up_nobody() -> None:
    """Trainer 1 comes to its steps only when trainer 0 has made all of its own."""
    steps, found = 6, list[Any]()

    def work(role: Role) -> Any:
        if not role.is_server and role.index == 1:
            transport().recv("trainer:0", "done")
        train(case_of(steps), sgd, False)
        if role.is_server:
            found.append(np.array(fluid.global_scope().values["w"]))
        elif role.index == 0:
            transport().send("trainer:1", "trainer:0/done", np.zeros(1))
        return None

    dist.run_local(work, 2, END)
    assert found[0] == pytest.approx(applied(steps), abs=1e-5)


def test_other_versions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    process: Any = SimpleNamespace(role=Role(), job=Job("job", "x.py", 1))
    ray_process.Process.check_versions(process)
    monkeypatch.setattr(ray_process, "versions", lambda: "Python 3.9, ray 2.0")
    told = r"trainer 0 has Python 3.9, ray 2.0; who started the job has Python 3\.1"
    with pytest.raises(VersionMismatchError, match=told):
        ray_process.Process.check_versions(process)


MISMATCH = """Version mismatch: The cluster was started with:
    Ray: 2.59.0
    Python: 3.11.7
This process on node 192.0.2.2 was started with:
    Ray: 2.60.0
    Python: 3.11.7
"""
"""Text of a real Ray 2.60.0 that is to join a cluster of 2.59.0."""


def ray_that_fails(error: Exception) -> Any:
    def init(**_: Any) -> None:
        calls.append(1)
        raise error

    calls: list[int] = []
    return SimpleNamespace(init=init, shutdown=lambda: None, calls=calls)


def test_a_cluster_of_another_ray_is_refused_at_once() -> None:
    ray = ray_that_fails(RuntimeError(MISMATCH))
    told = r"(?s)with:\n    Ray: 2\.59\.0.*the same versions"
    with pytest.raises(VersionMismatchError, match=told):
        ray_job.start(ray, 3)
    assert len(ray.calls) == 1


def test_without_rays_client_the_extra_is_named_at_once() -> None:
    ray = ray_that_fails(ValueError("Ray Client requires pip package `ray[client]`."))
    with pytest.raises(MissingRayError, match=r"ray://.*teachgraph\[distributed\]"):
        ray_job.start(ray, 3)
    assert len(ray.calls) == 1


def test_a_ray_that_does_not_start_is_tried_again_and_its_log_named() -> None:
    ray = ray_that_fails(RuntimeError("no agent"))
    with pytest.raises(StartError, match=r"3 times: .*no agent.*session_latest"):
        ray_job.start(ray, 3)
    assert len(ray.calls) == 3


class FullError(Exception):
    """Stands in for Ray's error."""


def test_a_full_object_store_is_told_of_with_the_step() -> None:
    def put(value: Any) -> None:
        raise FullError("12 MB left")

    one: Any = RayTransport.__new__(RayTransport)
    exceptions = SimpleNamespace(ObjectStoreFullError=FullError, OutOfDiskError=OSError)
    one.ray = SimpleNamespace(put=put, exceptions=exceptions)
    one.calls = Calls(Job("job", "script.py", 2), Role(index=1, trainers=2), lambda: 7)
    one.bytes_sent = 0
    told = "trainer 1, step 7: Ray's object store is full.*object_store_memory.*12 MB"
    with pytest.raises(DistributedError, match=told):
        one.packed(np.zeros(10**6))
