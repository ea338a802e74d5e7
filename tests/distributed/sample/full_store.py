"""Two trainers send more than a small object store holds, with no room on the disk."""

import numpy as np

import teachgraph as tg
from teachgraph import distributed as dist
from teachgraph.distributed.errors import DistributedError
from teachgraph.distributed.ray_job import new_name, ray_started, run_on_ray
from teachgraph.distributed.ray_process import Job

NO_ROOM = {
    "automatic_object_spilling_enabled": False,
    "local_fs_capacity_threshold": 0.001,
}


def send_much() -> None:
    """Send arrays of 24 MB each that nobody takes."""
    for _ in range(8):
        dist.send(tg.to_tensor(np.ones(6_000_000, "float32")), dst=1 - dist.get_rank())


if __name__ == "__main__":
    with ray_started(object_store_memory=80 * 2**20, _system_config=NO_ROOM):
        try:
            run_on_ray(Job(new_name(), (send_much, ()), trainers=2, limit=60))
        except DistributedError as error:
            print(type(error).__name__, error)
