"""`teachgraph launch`: a script as trainers and servers, each a process, on Ray."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from teachgraph.core.errors import TeachgraphError

if TYPE_CHECKING:
    from teachgraph.distributed.ray_job import Cluster

__all__ = ["add_arguments"]

FIRST_PORT = 6174
"""Paddle's port of a server: here part of a name, nothing listens there."""


def add_arguments(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
) -> None:
    """Add the command and its arguments."""
    launch = commands.add_parser(
        "launch",
        help="run a script as trainers and servers, on one machine or many",
        parents=[options()],
    )
    launch.add_argument("script", type=Path, help="a Python script")
    launch.add_argument(
        "arguments",
        nargs=argparse.REMAINDER,
        help="its arguments; after -- also those that are options of this command",
    )
    launch.set_defaults(run=run)


def options() -> argparse.ArgumentParser:
    """Build the parser of the options, which may stand before or after the script."""
    launch = argparse.ArgumentParser(
        "teachgraph launch", add_help=False, allow_abbrev=False
    )
    launch.add_argument("--trainers", type=int, default=2, help="their number (2)")
    launch.add_argument("--servers", type=int, default=0, help="their number (0)")
    launch.add_argument(
        "--address",
        help="a Ray to join: auto, or ray://host:10001; by default a new one",
    )
    launch.add_argument(
        "--checkpoints", default="", help="folder of the servers' checkpoints, shared"
    )
    launch.add_argument(
        "--every", type=int, default=1, help="save them after so many steps (1)"
    )
    launch.add_argument(
        "--limit", type=float, default=60.0, help="seconds that anybody waits (60)"
    )
    launch.add_argument(
        "--restarts", type=int, default=3, help="of one process, at most (3)"
    )
    launch.add_argument(
        "--log", type=Path, help="who waits for whom: a page (.html), or a log"
    )
    return launch


def take_later_options(args: argparse.Namespace) -> None:
    """Take the options that stand after the script; the rest is the script's own."""
    words = [*args.arguments, "--"]
    end = words.index("--")
    _, own = options().parse_known_args(words[:end], namespace=args)
    args.arguments = own + args.arguments[end + 1 :]


def run(args: argparse.Namespace) -> int:
    """Run a script on a cluster, and print what its processes print."""
    from teachgraph.distributed.ray_job import Cluster, new_name, run_on_ray
    from teachgraph.distributed.ray_process import Job

    take_later_options(args)
    if problem := refused(args):
        print(f"teachgraph launch: {problem}", file=sys.stderr)
        return 2
    ports = range(FIRST_PORT, FIRST_PORT + args.servers)
    script = str(args.script.resolve())
    record: Any = None
    if args.log is not None:
        processes: Any = import_module("teachgraph_widgets.processes")
        record = partial(processes.RayProcess, script)
    job = Job(
        name=new_name(),
        target=script,
        trainers=args.trainers,
        endpoints=tuple(f"127.0.0.1:{port}" for port in ports),
        arguments=args.arguments,
        folder=args.checkpoints,
        every=args.every,
        limit=args.limit,
        restarts=args.restarts,
        record=record,
    )
    screen, clusters = Screen(sys.stdout, sys.stderr), list[Cluster]()

    def watch(cluster: Cluster) -> None:
        clusters[:] = [cluster]
        screen.show(cluster)

    many = counted(args.trainers, "trainer"), counted(args.servers, "server")
    starts = "starts" if args.address is None else f"at {args.address} is joined"
    screen.line("launch", f"{', '.join(many)}; Ray {starts}")
    try:
        run_on_ray(job, address=args.address, watch=watch)
    except TeachgraphError as error:
        screen.clear()
        print(f"teachgraph launch: {error}", file=sys.stderr)
        return 1
    finally:
        screen.clear()
        for cluster in clusters if record else ():
            processes.write(args.log, args.script, cluster.recordings())
            screen.line("launch", f"wrote {args.log}")
    screen.line("launch", f"finished after {screen.seconds():.1f} s")
    return 0


def refused(args: argparse.Namespace) -> str:
    """Why these arguments make no sense; nothing if they do."""
    if not args.script.is_file():
        return f"there is no script {args.script}"
    if args.trainers < 1 or args.servers < 0 or args.every < 1 or args.limit <= 0:
        return "trainers, --every and --limit are at least 1, --servers at least 0"
    if args.restarts < 0:
        return "--restarts is at least 0"
    return ""


def counted(count: int, what: str) -> str:
    """A number of things, in words.

    >>> counted(2, "trainer")
    '2 trainers'
    """
    return f"{count} {what}{'' if count == 1 else 's'}"


class Screen:
    """Prints the lines of all processes, each after who printed it.

    Args:
        out: Where lines go.
        status: Where the one line of progress goes, if that is a terminal.
    """

    def __init__(self, out: TextIO, status: TextIO) -> None:
        self.out, self.status = out, status
        self.began, self.width = time.monotonic(), 0
        self.known: set[object] = set()

    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began

    def line(self, who: object, text: str) -> None:
        """Print one line."""
        self.clear()
        print(f"[{who}] {text}", file=self.out, flush=True)

    def clear(self) -> None:
        """Clear the line of progress."""
        if self.width:
            self.status.write("\r" + " " * self.width + "\r")
            self.width = 0

    def show(self, cluster: object) -> None:
        """Print what is new, and the progress."""
        statuses = getattr(cluster, "statuses", {})
        for role, status in statuses.items():
            if role not in self.known:
                self.known.add(role)
                self.line(role, f"runs in process {status.pid} on {status.host}")
            for text in status.lines:
                self.line(role, text)
            status.lines.clear()
        self.progress(statuses)

    def progress(self, statuses: Mapping[object, object]) -> None:
        """Show the step of each process on one line."""
        if not self.status.isatty():
            return
        steps = (f"{r} {getattr(s, 'step', 0)}" for r, s in statuses.items())
        text = f"{self.seconds():6.1f} s  " + "  ".join(steps)
        self.clear()
        self.status.write(text[:120])
        self.status.flush()
        self.width = len(text[:120])
