"""Landlock: Linux's own walls around a process, which need no rights to put up.

From then on the process, and all that it starts, reads and writes below the folders
that it was given only, runs no program, reaches no network and signals nobody outside.
Kernels know more of these walls the newer they are; those that this one does not know
are left out, and where it knows none the audit hook of `walls` is what there is.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["enclose", "version"]

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, the same on every processor."""

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
MAKE_DEVICES = 1 << 6 | 1 << 11
TRUNCATE, IOCTL = 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL
"""The rights that a file can have; the others are a folder's."""

FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""From which version on the kernel knows so many rights to files."""
NETWORK = 0b11
SIGNALS_AND_SOCKETS = 0b11

NO_NEW_PRIVILEGES = 38


class Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`: which kinds of access are handled at all."""

    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class Beneath(ctypes.Structure):
    """`struct landlock_path_beneath_attr`: rights to all below a folder."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """The version of Landlock in this kernel, 0 if it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(CREATE_RULESET, None, 0, 1))


def enclose(read: Iterable[Path], write: Iterable[Path]) -> bool:
    """Shut this process in, for good; return False where the kernel cannot.

    Args:
        read: Folders and files that it may read.
        write: Folders and files that it may read and write.
    """
    known = version()
    if not known:
        return False
    every = (1 << max(n for v, n in FILE_RIGHTS.items() if v <= known)) - 1
    handled = Ruleset(
        every, NETWORK if known >= 4 else 0, SIGNALS_AND_SOCKETS if known >= 6 else 0
    )
    rules = _call(CREATE_RULESET, ctypes.byref(handled), ctypes.sizeof(handled), 0)
    if rules < 0:
        return False
    reading = READ_FILE | READ_DIR
    for path in read:
        _allow(rules, path, reading)
    for path in write:
        _allow(rules, path, every & ~(EXECUTE | MAKE_DEVICES))
    _libc().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    done = _call(RESTRICT_SELF, rules, 0)
    os.close(rules)
    return done == 0


def _allow(rules: int, path: Path, rights: int) -> None:
    """Give rights to a folder, or those that a file can have; nothing if it is not."""
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not path.is_dir():
        rights &= OF_FILES
    rule = Beneath(rights, folder)
    _call(ADD_RULE, rules, 1, ctypes.byref(rule), 0)
    os.close(folder)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    """Call the kernel; a negative result is an error's number."""
    numbers = (ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)
    result = int(_libc().syscall(ctypes.c_long(number), *numbers))
    return result if result >= 0 else -(ctypes.get_errno() or errno.EINVAL)
