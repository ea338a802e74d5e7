"""Notebooks of the sample lesson that do what no notebook should."""

from __future__ import annotations

DOUBLE = "def double(x):\n    return 2 * x\n"

HOSTILE = {
    "endless": "def double(x):\n    while True:\n        pass",
    "deaf": "import signal\ndef double(x):\n"
    "    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU):\n"
    "        signal.signal(one, signal.SIG_IGN)\n"
    "    while True:\n        try:\n            while True:\n                pass\n"
    "        except BaseException:\n            pass",
    "printing": "def double(x):\n    while True:\n        print('x' * 1000)",
    "memory": "import numpy as np\ndef double(x):\n"
    "    np.ones((50, 1024, 1024, 128))\n    return 2 * x",
    "piling up": "def double(x):\n    kept = []\n    while True:\n"
    "        kept.append(bytearray(1 << 24))",
    "exit": "import os\ndef double(x):\n    os._exit(0)",
    "leaving": "def double(x):\n    raise SystemExit",
    "fork": "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
    "    if os.fork() == 0:\n        time.sleep(10_000)\n    os._exit(0)\n" + DOUBLE,
    "both go on": "import os\nos.fork()\n" + DOUBLE,
    "many": "import os, time\ndef double(x):\n    for _ in range(40):\n"
    "        if os.fork() == 0:\n            time.sleep(10_000)\n"
    "    time.sleep(10_000)",
    "sleeping": "import time\ndef double(x):\n    time.sleep(10_000)",
    "deleting": "import glob, os\nfor name in glob.glob('*.ipynb'):\n"
    "    os.remove(name)\n" + DOUBLE,
    "home": "from pathlib import Path\nPath.home().joinpath('mine.txt').write_text('x')"
    "\n" + DOUBLE,
    "real home": "open(HOME + '/mine.txt', 'w').close()\n" + DOUBLE,
    "swallowed": "try:\n    open(HOME + '/mine.txt', 'w').close()\n"
    "except Exception:\n    pass\n" + DOUBLE,
    "copying": "open(CLASS + '/solved/00_doubling.ipynb').read()\n" + DOUBLE,
    "program": "import os\nos.system('touch ' + HOME + '/mine.txt')\n" + DOUBLE,
    "below Python": "import ctypes\nctypes.CDLL(None).kill(-1, 9)\n" + DOUBLE,
    "killing": "import os, signal\ndef double(x):\n    os.kill(os.getppid(), 9)",
    "network": "import socket\nsocket.create_connection(('127.0.0.1', 9))\n" + DOUBLE,
}


def forking(children: int, megabytes: int) -> str:
    """Lines that fork children, each of which holds so much memory and sleeps."""
    return (
        "import os, time\n"
        f"for _ in range({children}):\n"
        "    if os.fork() == 0:\n"
        f"        held = bytearray({megabytes} << 20)\n"
        "        held[::4096] = b'x' * (len(held) // 4096)  # a byte a page is enough\n"
        "        time.sleep(10_000)\n"
    )
