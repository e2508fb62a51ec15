"""Run a Python command, and end every process that it leaves behind.

`python -m tools.supervise -m pytest ...` runs `python -m pytest ...` and exits with its exit code.
An interrupted test run kills its workers before their fixtures have stopped the servers that they
started. On Linux such orphans become children of this process (PR_SET_CHILD_SUBREAPER), which ends
them: SIGTERM first, since a rehearsal then removes its machines, and SIGKILL after a grace period.
Elsewhere the command runs without this.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

_PR_SET_CHILD_SUBREAPER = 36
GRACE_SECONDS = 40.0


def main(arguments: Sequence[str], grace_seconds: float = GRACE_SECONDS) -> int:
    """Run Python with these arguments; return its exit code, or 128 + the signal's number."""
    adopts = sys.platform == "linux" and _adopt_orphans()
    # Ctrl-C reaches the command too. A handler, because an ignored signal stays so in children.
    signal.signal(signal.SIGINT, _ignore)
    process = subprocess.Popen([sys.executable, *arguments])

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        process.send_signal(signal.SIGINT)

    signal.signal(signal.SIGTERM, interrupt)
    code = process.wait()
    if adopts:
        _end_orphans(grace_seconds)
    return code if code >= 0 else 128 - code


def _ignore(number: int, frame: FrameType | None) -> None:
    del number, frame


def _adopt_orphans() -> bool:
    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def _end_orphans(grace_seconds: float) -> None:
    """End all children. Those of an ended child become children of this process in turn."""
    asked: set[int] = set()
    ends = time.monotonic() + grace_seconds
    while children := _children():
        for child in children - asked:
            print(f"ending {_command(child)} ({child}), which was left behind", file=sys.stderr)
            _signal(child, signal.SIGTERM)
        asked |= children
        if time.monotonic() > ends:
            for child in children:
                _signal(child, signal.SIGKILL)
        time.sleep(0.05)


def _children() -> set[int]:
    """The children that have not ended; ended ones are reaped."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return {int(word) for word in found.split()}


def _command(process: int) -> str:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "a process"
    return b" ".join(words[:6]).decode(errors="replace").strip() or "a process"


def _signal(process: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
