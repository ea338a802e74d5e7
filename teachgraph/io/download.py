"""Downloads that are atomic, resumable and verified by checksum.

Bytes go into `<name>.part`, which a later call resumes; once its checksum is right it
is renamed to the file. A process killed at any moment leaves no partial file.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from teachgraph.errors import DataError
from teachgraph.io.files import flush_folder
from teachgraph.io.progress import progress

__all__ = ["data_home", "download"]

_CHUNK = 1 << 16
_BUSY = {408, 425, 429, 500, 502, 503, 504}


class _BrokenError(Exception):
    """A failed attempt: whether to `retry`, and whether to `keep` the `.part`."""

    def __init__(self, reason: object, retry: bool = True, keep: bool = True) -> None:
        super().__init__(reason)
        self.retry = retry
        self.keep = keep


def data_home() -> Path:
    """Return the data folder: `TEACHGRAPH_HOME`, by default `~/.cache/teachgraph`.

    >>> "~" in str(data_home())
    False
    """
    return Path(os.environ.get("TEACHGRAPH_HOME") or "~/.cache/teachgraph").expanduser()


def download(
    url: str,
    path: str | os.PathLike[str],
    md5: str,
    *,
    attempts: int = 4,
    pause: float = 0.5,
    timeout: float = 30.0,
) -> Path:
    """Download `url` to `path`, unless the file there already has the checksum.

    A broken transfer is resumed where it stopped (HTTP Range), also by a later process;
    a server without ranges sends the whole file again. A folder lock makes concurrent
    downloads wait for each other. Progress goes to standard error.

    Args:
        url: An http or https address.
        path: The file to write; its folder is created as well.
        md5: The hexadecimal MD5 sum of the content.
        attempts: The number of attempts.
        pause: Seconds before the second attempt, twice as long before each further one.
        timeout: Seconds of silence after which an attempt counts as broken.

    Returns:
        `path`, as a Path.

    Raises:
        DataError: The file could not be fetched, has another checksum, or can't be
            written; the message says how to go on without a network.

    A file that is already right costs no request:

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "hello.txt")
    ...     _ = file.write_text("hello")
    ...     md5 = "5d41402abc4b2a76b9719d911017c592"
    ...     download("https://example.org/hello.txt", file, md5) == file
    True
    """
    target = Path(path)
    if urlsplit(url).scheme not in {"http", "https"}:
        raise DataError(f"{url} is not an http or https address")
    try:
        if _md5(target) != md5:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _locked(target.parent):
                # Another process may have finished it while we waited for the lock.
                if _md5(target) != md5:
                    part = _fetch(
                        url,
                        target,
                        md5,
                        attempts=attempts,
                        pause=pause,
                        timeout=timeout,
                    )
                    _publish(part, target)
    except OSError as error:
        raise DataError(f"{target} cannot be written: {error}") from error
    return target


def _fetch(
    url: str, target: Path, md5: str, *, attempts: int, pause: float, timeout: float
) -> Path:
    """Complete the `.part` file within the allowed attempts."""
    part = target.with_name(target.name + ".part")
    reason = "no attempt was allowed"
    for attempt in range(attempts):
        if attempt:
            time.sleep(pause * 2 ** (attempt - 1))
        try:
            if _md5(part) != md5:
                _transfer(url, part, timeout)
                _verify(part, md5)
        except _BrokenError as error:
            reason = f"{error} (attempt {attempt + 1})"
            if not error.keep:
                part.unlink(missing_ok=True)
            if not error.retry:
                break
        else:
            return part
    raise DataError(
        f"could not download {url}: {reason}. To go on without the network, get "
        f"{target.name} (MD5 {md5}) some other way and put it into {target.parent}"
    )


def _transfer(url: str, part: Path, timeout: float) -> None:
    """Append the missing bytes of `url` to `part`."""
    have = part.stat().st_size if part.exists() else 0
    with _open(url, have, timeout) as response:
        start = _start(response, have)
        total = None if response.length is None else start + response.length
        with part.open("ab") as file, closing(progress(part.stem, start, total)) as bar:
            # A server without ranges starts again at 0: drop what is there already.
            file.truncate(start)
            for chunk in _chunks(response):
                file.write(chunk)
                file.flush()
                bar.update(len(chunk))
            os.fsync(file.fileno())
    arrived = part.stat().st_size
    if total is not None and arrived < total:
        raise _BrokenError(f"cut off after {arrived} of {total} bytes")


def _open(url: str, have: int, timeout: float) -> HTTPResponse:
    """Request `url` from byte `have` on."""
    headers = {"User-Agent": "teachgraph"}
    if have:
        headers["Range"] = f"bytes={have}-"
    request = Request(url, headers=headers)
    try:
        response: HTTPResponse = urlopen(request, timeout=timeout)
    except HTTPError as error:
        error.close()
        # 416: the `.part` is longer than the file at `url`. Only a fresh start helps.
        unsatisfiable = error.code == 416
        raise _BrokenError(
            f"the server answered {error.code} {error.reason}",
            retry=unsatisfiable or error.code in _BUSY,
            keep=not unsatisfiable,
        ) from error
    except URLError as error:
        raise _BrokenError(error.reason) from error
    except (OSError, HTTPException) as error:
        raise _BrokenError(repr(error)) from error
    return response


def _start(response: HTTPResponse, have: int) -> int:
    """Offset of the response's first byte: 0 from a server without ranges."""
    if response.status != 206:
        return 0
    content_range = response.headers.get("Content-Range", "")
    match = re.match(r"bytes (\d+)-", content_range)
    if match is None or int(match[1]) > have:
        raise _BrokenError(
            f"asked for bytes from {have} on, the server sent {content_range!r}",
            keep=False,
        )
    return int(match[1])


def _chunks(response: HTTPResponse) -> Iterator[bytes]:
    try:
        while chunk := response.read1(_CHUNK):
            yield chunk
    except (OSError, HTTPException) as error:
        raise _BrokenError(f"the connection broke: {error!r}") from error


def _verify(part: Path, md5: str) -> None:
    actual = _md5(part)
    if actual != md5:
        raise _BrokenError(f"what arrived has MD5 {actual}, not {md5}", keep=False)


def _md5(path: Path) -> str | None:
    if not path.exists():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, _new_md5).hexdigest()


def _new_md5() -> hashlib._Hash:
    return hashlib.md5(usedforsecurity=False)


def _publish(part: Path, target: Path) -> None:
    """Rename the finished file, and flush the folder to disk."""
    part.replace(target)
    flush_folder(target.parent)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; wait while another process downloads into it."""
    with (folder / ".lock").open("ab") as file:
        _lock(file, folder)
        yield


if sys.platform == "win32":

    def _lock(file: BinaryIO, folder: Path) -> None:
        """Do nothing: Windows refuses to rename a file that is open elsewhere."""

else:
    import fcntl

    def _lock(file: BinaryIO, folder: Path) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write(f"waiting for another download into {folder}\n")
            sys.stderr.flush()
            fcntl.flock(file, fcntl.LOCK_EX)
