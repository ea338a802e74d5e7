"""One file from the web, whole and checked, or not at all.

Bytes go into `<name>.part`, which a later call resumes; only when its checksum is right
does it take the file's name. A process killed at any moment leaves no half file.
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

from teachgraph.core.errors import DataError
from teachgraph.io.files import flush_folder
from teachgraph.io.progress import progress

__all__ = ["data_home", "download"]

_CHUNK = 1 << 16
_BUSY = {408, 425, 429, 500, 502, 503, 504}


class _BrokenError(Exception):
    """An attempt failed. Is another worth while, and may it go on with the `.part`?"""

    def __init__(self, reason: object, retry: bool = True, keep: bool = True) -> None:
        super().__init__(reason)
        self.retry = retry
        self.keep = keep


def data_home() -> Path:
    """Where data sets are kept: `TEACHGRAPH_HOME`, by default `~/.cache/teachgraph`.

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
    """Make `path` the file at `url`, unless it already is.

    A broken transfer is resumed where it stopped (HTTP Range), also by a later process;
    a server that can't resume sends all anew. Whoever asks for a file while another
    process downloads into its folder waits. Progress goes to standard error.

    Args:
        url: An http or https address.
        path: The file to make; its folder is made as well.
        md5: The hexadecimal MD5 sum of the right content.
        attempts: How often to try before giving up.
        pause: Seconds before the second attempt, twice as long before each further one.
        timeout: Seconds of silence after which an attempt counts as broken.

    Returns:
        `path`, as a Path.

    Raises:
        DataError: The file could not be fetched, is not the right one, or can't be
            written; says how to go on without a network.

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
            with _alone(target.parent):
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
    """Complete the `.part` file, in as many attempts as are allowed."""
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
    """Append to `part` what it lacks of `url`."""
    have = part.stat().st_size if part.exists() else 0
    with _open(url, have, timeout) as response:
        start = _start(response, have)
        total = None if response.length is None else start + response.length
        with part.open("ab") as file, closing(progress(part.stem, start, total)) as bar:
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
    """Ask for `url` from byte `have` on."""
    headers = {"User-Agent": "teachgraph"}
    if have:
        headers["Range"] = f"bytes={have}-"
    request = Request(url, headers=headers)
    try:
        response: HTTPResponse = urlopen(request, timeout=timeout)
    except HTTPError as error:
        error.close()
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
    """The byte at which the answer starts: 0 from a server that doesn't resume."""
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
    found = _md5(part)
    if found != md5:
        raise _BrokenError(f"what arrived has MD5 {found}, not {md5}", keep=False)


def _md5(path: Path) -> str | None:
    if not path.exists():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, _new_md5).hexdigest()


def _new_md5() -> hashlib._Hash:
    return hashlib.md5(usedforsecurity=False)


def _publish(part: Path, target: Path) -> None:
    """Give the finished file its name, and have the disk remember it."""
    part.replace(target)
    flush_folder(target.parent)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process downloads into `folder`."""
    with (folder / ".lock").open("ab") as file:
        _lock(file, folder)
        yield


if sys.platform == "win32":

    def _lock(file: BinaryIO, folder: Path) -> None:
        """Do nothing: Windows lets nobody rename a file that another has open."""

else:
    import fcntl

    def _lock(file: BinaryIO, folder: Path) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write(f"waiting for another download into {folder}\n")
            sys.stderr.flush()
            fcntl.flock(file, fcntl.LOCK_EX)
