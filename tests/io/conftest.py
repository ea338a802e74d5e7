"""A file server on this machine that can misbehave in every way a real one does."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

Answer = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self) -> None:
        self.server.ranges.append(self.headers["Range"])
        answers = self.server.answers
        (answers.pop(0) if answers else honest)(self)

    def wanted_start(self) -> int:
        wanted = self.headers["Range"]
        return int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0

    def promise(self, start: int, status: int | None = None) -> None:
        """Send the head of an answer with the body from byte `start` on."""
        size = len(self.server.body)
        self.send_response(status or (206 if start else 200))
        self.send_header("Content-Length", str(size - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


class FileServer(ThreadingHTTPServer):
    """Serves `body`; the n-th request gets the n-th answer, later ones honesty."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.serve(np.random.default_rng(0).bytes(100_000))
        self.url = f"http://127.0.0.1:{self.server_port}/data.bin"
        self.answers: list[Answer] = []
        self.ranges: list[str | None] = []
        self.may_go_on = threading.Event()

    def serve(self, body: bytes) -> None:
        self.body = body
        self.md5 = hashlib.md5(body, usedforsecurity=False).hexdigest()

    def cut_after(self, count: int) -> Answer:
        def answer(request: Request) -> None:
            start = request.wanted_start()
            request.promise(start)
            request.wfile.write(self.body[start : start + count])

        return answer

    def pause_after(self, count: int) -> Answer:
        def answer(request: Request) -> None:
            request.promise(0)
            request.wfile.write(self.body[:count])
            request.wfile.flush()
            assert self.may_go_on.wait(60)
            request.wfile.write(self.body[count:])

        return answer

    def whole_file(self, request: Request) -> None:
        """Answer as a server does that knows nothing of ranges."""
        request.promise(0)
        request.wfile.write(self.body)

    def without_length(self, request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        request.wfile.write(self.body)

    def wrong_bytes(self, request: Request) -> None:
        request.promise(request.wanted_start())
        request.wfile.write(bytes(len(self.body) - request.wanted_start()))

    def other_range(self, request: Request) -> None:
        request.promise(len(self.body) - 10, status=206)
        request.wfile.write(self.body[-10:])

    def hang_up(self, request: Request) -> None:
        request.close_connection = True

    def status(self, code: int) -> Answer:
        return lambda request: request.send_error(code)


def honest(request: Request) -> None:
    start = request.wanted_start()
    if start >= len(request.server.body):
        request.send_error(416)
    else:
        request.promise(start)
        request.wfile.write(request.server.body[start:])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with FileServer() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.may_go_on.set()
        running.shutdown()
        thread.join()
