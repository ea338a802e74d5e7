"""A download ends in the right file or in none, whatever happens on the way."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from teachgraph.core.errors import TeachgraphError
from teachgraph.errors import DataError
from teachgraph.io import data_home
from teachgraph.io.download import download

ALONE = """
import sys
sys.modules["tqdm"] = None
from teachgraph.io.download import download
download(*sys.argv[1:])
"""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "data.bin"


def part_of(target: Path) -> Path:
    return target.with_name("data.bin.part")


def fetch(server: Any, target: Path, **options: Any) -> Path:
    return download(server.url, target, server.md5, pause=0, **options)


def in_another_process(server: Any, target: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ALONE, server.url, str(target), server.md5]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def wait_for_line(process: subprocess.Popen[str], text: str) -> None:
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if text in line:
            return
    pytest.fail(f"{text!r} never came, only {lines}")


def test_an_honest_server_gives_the_file_and_nothing_beside_it(
    server: Any, target: Path
) -> None:
    assert fetch(server, target) == target
    assert target.read_bytes() == server.body
    assert [path.name for path in target.parent.iterdir() if path.name != ".lock"] == [
        "data.bin"
    ]


def test_a_file_that_is_already_right_costs_no_request(
    server: Any, target: Path
) -> None:
    fetch(server, target)
    fetch(server, target)
    assert server.ranges == [None]


@pytest.mark.parametrize("cut", [0, 1, 50_000, 99_999])
def test_a_cut_transfer_goes_on_where_it_stopped(
    server: Any, target: Path, cut: int
) -> None:
    server.answers = [server.cut_after(cut)]
    assert fetch(server, target).read_bytes() == server.body
    assert server.ranges == [None, f"bytes={cut}-" if cut else None]


def test_it_may_be_cut_again_and_again(server: Any, target: Path) -> None:
    server.answers = [server.cut_after(30_000)] * 3
    assert fetch(server, target).read_bytes() == server.body
    assert server.ranges == [None, "bytes=30000-", "bytes=60000-", "bytes=90000-"]


def test_too_many_cuts_are_an_error_and_the_next_call_goes_on(
    server: Any, target: Path
) -> None:
    server.answers = [server.cut_after(10_000)] * 2
    with pytest.raises(DataError, match="cut off after 20000 of 100000 bytes"):
        fetch(server, target, attempts=2)
    assert not target.exists()
    assert fetch(server, target).read_bytes() == server.body
    assert server.ranges[-1] == "bytes=20000-"


def test_a_server_that_cannot_resume_sends_all_anew(server: Any, target: Path) -> None:
    server.answers = [server.cut_after(40_000), server.whole_file]
    assert fetch(server, target).read_bytes() == server.body
    assert server.ranges == [None, "bytes=40000-"]


@pytest.mark.parametrize("answer", ["other_range", "wrong_bytes", "hang_up"])
def test_nonsense_after_a_cut_does_not_spoil_the_file(
    server: Any, target: Path, answer: str
) -> None:
    server.answers = [server.cut_after(40_000), getattr(server, answer)]
    assert fetch(server, target).read_bytes() == server.body


def test_bytes_nobody_asked_for_are_not_kept(server: Any, target: Path) -> None:
    server.answers = [server.cut_after(40_000), server.other_range]
    with pytest.raises(
        DataError, match="asked for bytes from 40000 on, the server sent"
    ):
        fetch(server, target, attempts=2)
    assert not part_of(target).exists()


def test_a_server_that_does_not_tell_the_length_will_do(
    server: Any, target: Path
) -> None:
    server.answers = [server.without_length]
    assert fetch(server, target).read_bytes() == server.body


def test_wrong_bytes_never_become_the_file(server: Any, target: Path) -> None:
    server.answers = [server.wrong_bytes] * 2
    with pytest.raises(DataError, match=f"has MD5 [0-9a-f]{{32}}, not {server.md5}"):
        fetch(server, target, attempts=2)
    assert not target.exists()
    assert not part_of(target).exists()
    assert server.ranges == [None, None]


@pytest.mark.parametrize("junk", [b"x" * 10, b"x" * 100_000, b"x" * 200_000])
def test_a_part_file_of_something_else_is_thrown_away(
    server: Any, target: Path, junk: bytes
) -> None:
    target.parent.mkdir()
    part_of(target).write_bytes(junk)
    assert fetch(server, target).read_bytes() == server.body


def test_a_finished_part_file_only_needs_its_name(server: Any, target: Path) -> None:
    target.parent.mkdir()
    part_of(target).write_bytes(server.body)
    assert fetch(server, target).read_bytes() == server.body
    assert server.ranges == []


def test_a_wrong_file_stays_until_the_right_one_is_whole(
    server: Any, target: Path
) -> None:
    target.parent.mkdir()
    target.write_bytes(b"an older version")
    server.answers = [server.status(404)]
    with pytest.raises(DataError):
        fetch(server, target)
    assert target.read_bytes() == b"an older version"
    assert fetch(server, target).read_bytes() == server.body


def test_not_found_is_said_at_once_with_what_to_do(server: Any, target: Path) -> None:
    server.answers = [server.status(404)] * 4
    with pytest.raises(TeachgraphError) as caught:
        fetch(server, target)
    assert len(server.ranges) == 1
    for fact in (server.url, "404", "data.bin", server.md5, str(target.parent)):
        assert fact in str(caught.value)


@pytest.mark.parametrize("code", [429, 503])
def test_a_busy_server_is_asked_again(server: Any, target: Path, code: int) -> None:
    server.answers = [server.status(code)]
    assert fetch(server, target).read_bytes() == server.body
    assert len(server.ranges) == 2


def test_without_a_network_the_error_says_where_to_put_the_file(target: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/data.bin"
        with pytest.raises(DataError) as caught:
            download(url, target, "0" * 32, attempts=2, pause=0)
    message = str(caught.value)
    assert "Connection refused (attempt 2)" in message
    assert f"get data.bin (MD5 {'0' * 32}) some other way and put it into" in message
    assert str(target.parent) in message


def test_a_silent_server_is_given_up(server: Any, target: Path) -> None:
    server.answers = [server.pause_after(10)]
    with pytest.raises(DataError, match="the connection broke: TimeoutError"):
        fetch(server, target, attempts=1, timeout=0.1)
    assert part_of(target).read_bytes() == server.body[:10]


@pytest.mark.parametrize(
    "url", ["file:///etc/hostname", "ftp://localhost/x", "data.bin"]
)
def test_only_the_web_is_read(target: Path, url: str) -> None:
    with pytest.raises(DataError, match="not an http or https address"):
        download(url, target, "0" * 32)


def test_a_folder_that_cannot_be_made_is_a_typed_error(
    server: Any, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(DataError, match="cannot be written"):
        fetch(server, tmp_path / "taken" / "data.bin")


@pytest.mark.parametrize("half", [500, 50_000])
def test_a_killed_process_leaves_no_file_and_the_next_one_goes_on(
    server: Any, target: Path, half: int
) -> None:
    server.serve(server.body[: 2 * half])
    server.answers = [server.pause_after(half)]
    with in_another_process(server, target) as process:
        wait_for_line(process, "data.bin: 50 %")
        process.kill()
    assert not target.exists()
    assert part_of(target).read_bytes() == server.body[:half]
    assert fetch(server, target).read_bytes() == server.body
    assert server.ranges == [None, f"bytes={half}-"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no flock")
def test_two_processes_fetch_it_once(server: Any, target: Path) -> None:
    server.answers = [server.pause_after(50_000)]
    with in_another_process(server, target) as first:
        wait_for_line(first, "data.bin: 50 %")
        with in_another_process(server, target) as second:
            wait_for_line(second, f"waiting for another download into {target.parent}")
            server.may_go_on.set()
    assert (first.returncode, second.returncode) == (0, 0)
    assert server.ranges == [None]
    assert target.read_bytes() == server.body


def test_progress_is_a_bar_with_tqdm_and_lines_without(
    server: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetch(server, tmp_path / "bar.bin")
    assert "bar.bin: 100%|" in capsys.readouterr().err
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    server.answers = [server.cut_after(30_000)]
    fetch(server, tmp_path / "lines.bin")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "lines.bin: 0 % of 0.1 MB"
    assert lines[-1] == "lines.bin: 100 % of 0.1 MB"
    assert lines.count("lines.bin: 30 % of 0.1 MB") == 2


def test_the_cache_moves_with_teachgraph_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEACHGRAPH_HOME", str(tmp_path))
    assert data_home() == tmp_path
    monkeypatch.delenv("TEACHGRAPH_HOME")
    assert data_home() == Path.home() / ".cache" / "teachgraph"
