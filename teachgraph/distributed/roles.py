"""Roles: the part that each process plays in a cluster.

`teachgraph launch` tells each process its own in environment variables, Paddle's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from teachgraph.core.threads import Guard, InForce
from teachgraph.distributed.errors import StartError

__all__ = ["Role", "current_role", "role_guard"]

TRAINER, SERVER = "TRAINER", "PSERVER"


@dataclass(frozen=True)
class Role:
    """The part that one process plays in a cluster.

    Attributes:
        kind: "TRAINER" or "PSERVER".
        index: Its number among those of its kind.
        trainers: The number of trainers.
        endpoints: The addresses of the servers.
    """

    kind: str = TRAINER
    index: int = 0
    trainers: int = 1
    endpoints: tuple[str, ...] = ()

    @property
    def is_server(self) -> bool:
        """True for a server."""
        return self.kind == SERVER

    @property
    def endpoint(self) -> str:
        """The address of a server."""
        return self.endpoints[self.index]

    def __str__(self) -> str:
        if self.is_server:
            return f"server {self.endpoint}"
        return f"trainer {self.index}"

    def environ(self) -> dict[str, str]:
        """The environment variables that say so."""
        variables = {
            "TRAINING_ROLE": self.kind,
            "PADDLE_TRAINERS_NUM": str(self.trainers),
            "PADDLE_PSERVERS_IP_PORT_LIST": ",".join(self.endpoints),
        }
        if self.is_server:
            return variables | {"PADDLE_CURRENT_ENDPOINT": self.endpoint}
        return variables | {"PADDLE_TRAINER_ID": str(self.index)}

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Role:
        """The role that environment variables tell.

        Raises:
            StartError: A number is out of range, or a server is none of the servers.

        >>> Role.of({"PADDLE_TRAINERS_NUM": "2", "PADDLE_TRAINER_ID": "1"})
        Role(kind='TRAINER', index=1, trainers=2, endpoints=())
        """
        kind = environ.get("TRAINING_ROLE", TRAINER)
        trainers = int(environ.get("PADDLE_TRAINERS_NUM", "1"))
        listed = environ.get("PADDLE_PSERVERS_IP_PORT_LIST", "")
        endpoints = tuple(end for end in listed.split(",") if end)
        if kind == SERVER:
            here = environ.get("PADDLE_CURRENT_ENDPOINT", "")
            if here not in endpoints:
                raise StartError(f"{here!r} is no server: there are {endpoints}")
            return cls(kind, endpoints.index(here), trainers, endpoints)
        index = int(environ.get("PADDLE_TRAINER_ID", "0"))
        if kind != TRAINER or not 0 <= index < trainers:
            raise StartError(f"{kind} {index} of {trainers} trainers is no role")
        return cls(kind, index, trainers, endpoints)


_in_force: InForce[Role | None] = InForce(None)


def current_role() -> Role:
    """The role of this process, or of this thread of `run_local`."""
    return _in_force.value or Role.of(os.environ)


def role_guard(role: Role) -> Guard[Role | None]:
    """Put a role in force, inside a `with` block."""
    return _in_force.holding(role)
