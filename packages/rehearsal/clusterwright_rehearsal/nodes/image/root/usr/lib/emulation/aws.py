#!/usr/bin/python3 -SI
"""The AWS CLI in a process that has imported it already: aws_server.py, which runs the real one.

The start of the AWS CLI is a third of all processor time of a rehearsal. This program passes its
arguments, environment, folder and open files to the server, and ends as the call ends; a call
whose client is killed is killed. Without a server, and where the server's process would differ
from an ordinary one, it executes `/usr/bin/aws.real`.
"""

from __future__ import annotations

import _socket
import fcntl
import marshal
import os
import sys

SOCKET = "/run/emulation/aws.socket"
REAL = "/usr/bin/aws.real"
_KNOWN = (b"PYTHONPATH", b"PYTHONDONTWRITEBYTECODE", b"PYTHONUNBUFFERED")
"""Variables for Python that the server follows; others act when an interpreter starts."""
_MOST_FILES = 200
"""Linux passes at most 253 in one message (SCM_MAX_FD)."""


def main(argv: list[str]) -> int:
    try:
        ended = _served(argv)
    except KeyboardInterrupt:
        return 130  # that of the AWS CLI
    if ended is None:
        os.execv(REAL, argv)
    if ended < 0:
        _die(-ended)
    return ended


def _served(argv: list[str]) -> int | None:
    """The exit code, or a signal as a negative number; None unless the server runs the call."""
    files = _inherited_files()
    other = [name for name in os.environb if name.startswith(b"PYTHON") and name not in _KNOWN]
    if other or len(files) > _MOST_FILES:
        return None
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        mask = os.umask(0o077)
        os.umask(mask)
        body = marshal.dumps((argv[1:], dict(os.environb), os.getcwd(), mask, files))
        connection.connect(SOCKET)
        rights = b"".join(number.to_bytes(4, sys.byteorder) for number in files)
        size = len(body).to_bytes(4, "big")
        connection.sendmsg([size], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        connection.sendall(body)
        if connection.recv(1) != b"s":
            connection.close()
            return None
    except OSError:
        connection.close()
        return None
    answer = b""
    while len(answer) < 4:
        part = connection.recv(4 - len(answer))
        if not part:
            sys.stderr.write("aws: the emulated node's server of the AWS CLI has ended\n")
            return 255
        answer += part
    return int.from_bytes(answer, "big", signed=True)


def _inherited_files() -> list[int]:
    """The numbers of the open files that a program executed by this one would have."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if not fcntl.fcntl(int(name), fcntl.F_GETFD) & fcntl.FD_CLOEXEC:
                found.append(int(name))
        except OSError:  # that of the listing itself
            continue
    return sorted(found)


def _die(number: int) -> None:
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


sys.exit(main(sys.argv))
