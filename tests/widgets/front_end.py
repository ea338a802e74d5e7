"""A front end without a screen: it speaks Jupyter's own protocol to a real kernel."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

SECONDS = 60
VIEW = "application/vnd.jupyter.widget-view+json"


@dataclass
class Cell:
    """What a cell has sent so far.

    Attributes:
        request: The number of the request to run it.
        outputs: Its outputs: (kind, content).
        views: The models of the views that it shows.
        pieces: The messages with events, in order.
        sizes: How large each of them was.
        state: What the views' models were set to, newest last.
    """

    request: str
    outputs: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    views: list[str] = field(default_factory=list)
    pieces: list[dict[str, Any]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    ended: bool = False

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The outputs of a kind."""
        return [content for name, content in self.outputs if name == kind]

    @property
    def error(self) -> str:
        """The traceback that was shown, without colours."""
        import re

        (error,) = self.of("error")
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error["traceback"]))

    @property
    def printed(self) -> str:
        """What was written to both streams."""
        return "".join(content["text"] for content in self.of("stream"))

    @property
    def result(self) -> str:
        """The value of the last expression, as text."""
        (result,) = self.of("execute_result")
        text: str = result["data"]["text/plain"]
        return text

    @property
    def snapshot(self) -> Any:
        """The whole log, as it was left."""
        return json.loads(gzip.decompress(self.state["snapshot"]))

    def known(self) -> dict[int, Any]:
        """Every event that has come, by its number."""
        pieces = [
            *self.pieces,
            *([self.state["head"]] if self.state.get("head") else []),
        ]
        return {e["seq"]: e for piece in pieces for e in piece["events"]}


class FrontEnd:
    """Runs cells, and reads what views are sent."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager, self.client = manager, client

    def start(self, code: str, *, stdin: bool = False) -> Cell:
        """Start a cell; with `stdin`, one that may ask."""
        return Cell(self.client.execute(code, allow_stdin=stdin))

    def start_in_window(self, code: str, cell: str) -> Cell:
        """Start a cell as JupyterLab does: it says which."""
        content = {"code": code, "allow_stdin": False, "store_history": True}
        data = {"cellId": cell}
        message = self.client.session.msg("execute_request", content, metadata=data)
        self.client.shell_channel.send(message)
        return Cell(message["header"]["msg_id"])

    def run(self, code: str, cell: str = "") -> Cell:
        """Run a cell to its end; in a window, if it has a name there."""
        started = self.start_in_window(code, cell) if cell else self.start(code)
        return self.finish(started)

    def finish(self, cell: Cell) -> Cell:
        """Read to a cell's end."""
        while not cell.ended:
            self.read(cell)
        return cell

    def read(self, cell: Cell) -> None:
        """Take in one message."""
        message = self.client.get_iopub_msg(timeout=SECONDS)
        content = message["content"]
        kind = message["msg_type"]
        if message["parent_header"].get("msg_id") != cell.request:
            return
        if kind == "status":
            cell.ended = content["execution_state"] == "idle"
        elif kind in ("comm_open", "comm_msg"):
            self.take(cell, message)
        else:
            cell.outputs.append((kind, content))
            if VIEW in content.get("data", {}):
                cell.views.append(content["data"][VIEW]["model_id"])

    def take(self, cell: Cell, message: Any) -> None:
        """Take in what a model is told."""
        data = message["content"]["data"]
        if data.get("method") == "custom" and data["content"].get("type") == "step":
            cell.asked.append(data["content"])
        elif data.get("method") == "custom":
            cell.pieces.append(data["content"])
            cell.sizes.append(len(json.dumps(data)))
        if data.get("method") == "custom":
            return
        state = dict(data.get("state", {}))
        paths = data.get("buffer_paths", [])
        for (name,), buffer in zip(paths, message["buffers"], strict=True):
            state[name] = bytes(buffer)
        if "front_end" in state or cell.views:
            cell.state |= state

    def read_until(self, cell: Cell, wanted: Any) -> None:
        """Read until `wanted` is true of the cell."""
        while not wanted(cell):
            assert not cell.ended, "the cell ended before that"
            self.read(cell)

    def prompt(self) -> str:
        """What the cell asks."""
        message = self.client.get_stdin_msg(timeout=SECONDS)
        words: str = message["content"]["prompt"]
        return words

    def subshell(self) -> str:
        """A shell of its own beside the main one, as JupyterLab makes for widgets."""
        message = self.client.session.msg("create_subshell_request")
        self.client.control_channel.send(message)
        while True:
            reply = self.client.get_control_msg(timeout=SECONDS)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                found: str = reply["content"]["subshell_id"]
                return found

    def press(self, view: str, content: Any, subshell: str) -> None:
        """Send a view's kernel side a message while the kernel is busy."""
        data = {"method": "custom", "content": content}
        message = self.client.session.msg("comm_msg", {"comm_id": view, "data": data})
        message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)

    def tell(self, view: str, content: Any) -> Cell:
        """Send a view's kernel side a message; what it answered."""
        data = {"method": "custom", "content": content}
        message = self.client.session.msg("comm_msg", {"comm_id": view, "data": data})
        self.client.shell_channel.send(message)
        answer = Cell(message["header"]["msg_id"])
        while not answer.ended:
            self.read(answer)
        return answer


@contextmanager
def kernel(folder: Path, **variables: str) -> Iterator[FrontEnd]:
    """A kernel that runs in `folder`, with variables of the environment besides."""
    environment = os.environ | {"IPYTHONDIR": str(folder / ".ipython")} | variables
    manager, client = start_new_kernel(
        kernel_name="python3", cwd=str(folder), env=environment, startup_timeout=SECONDS
    )
    try:
        yield FrontEnd(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
