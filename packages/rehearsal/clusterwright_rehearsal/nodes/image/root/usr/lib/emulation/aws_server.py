#!/usr/bin/python3 -I
"""Runs calls of the AWS CLI in processes that have imported it already; aws.py is its client.

Each call is a fork of this process that takes over what belongs to its client: the arguments, the
environment, the folder, the open files, the umask, the limits, the control group and the
namespaces. A call with other credentials than this process, in another root directory or among
other processes is refused, and the client then starts the AWS CLI as usual. systemd starts this
program with the first connection to its socket, and again with the next one after it was idle.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import marshal
import os
import resource
import runpy
import select
import signal
import socket
import struct
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any, NoReturn

REAL = "/usr/bin/aws.real"

_LISTENING = 3
"""The first file that systemd passes (sd_listen_fds(3))."""
_RECEIVE_S = 5.0
"""How long a call waits for what its client sends."""
_IDLE_S = 120.0
_JOINED = ("mnt", "net", "uts", "ipc", "cgroup")
_EQUAL = ("pid", "user", "time")
"""Namespaces that a running process cannot join, or that change who it is."""
_CREDENTIALS = ("Uid", "Gid", "NoNewPrivs", "Seccomp")
_CAPABILITIES = ("CapPrm", "CapEff", "CapBnd", "CapAmb")
"""Not CapInh, which acts only on programs with capabilities of their own; the node has none."""
_LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
_MODULES = (
    *("awscli.handlers", "awscli.customizations.s3.s3", "botocore.client", "botocore.httpsession"),
    *("s3transfer.manager", "encodings.idna", "encodings.ascii"),
)
"""What the AWS CLI imports only when it runs a command."""

Request = tuple[list[str], dict[bytes, bytes], str, int, list[int]]
"""Arguments, environment, folder, umask, and the numbers of the open files."""

_libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """The call cannot run in a process of this server."""


@dataclass(frozen=True)
class Own:
    """What every call has from this process."""

    variables: dict[bytes, bytes]
    """Those that the import of the AWS CLI has set."""
    identity: dict[str, str]
    has_threads: bool
    """Whether the import has started threads, which a fork would lack (awscrt's logger does so in
    newer versions)."""


class Call:
    """A running call: its client's connection, and its process."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self.connection = connection
        self.pid = pid
        self.process = os.pidfd_open(pid)

    def kill(self) -> None:
        """Kill the call with the processes that it has started."""
        for kill in (os.killpg, os.kill):  # it is a group's leader only after its first step
            with contextlib.suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)

    def answer(self) -> None:
        """Send how it ended to its client, and forget it."""
        _, status = os.waitpid(self.pid, 0)
        with contextlib.suppress(OSError):  # the client has ended, or starts the real program
            self.connection.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))
        self.connection.close()
        os.close(self.process)


def main() -> None:
    own = Own(preload(), identity("self"), len(os.listdir("/proc/self/task")) > 1)
    calls: dict[int, Call] = {}
    with select.epoll() as ready, socket.socket(fileno=_LISTENING) as listening:
        ready.register(listening, select.EPOLLIN)
        # One event at a time: the next one may have a number that the first has closed.
        while (events := ready.poll(_IDLE_S, 1)) or calls:
            for number, _ in events:
                if number == listening.fileno():
                    if (found := _accept(listening, own)) is not None:
                        # Its process reads what the client sends; of interest here is the end.
                        ready.register(found.connection, select.EPOLLRDHUP)
                        ready.register(found.process, select.EPOLLIN)
                        calls |= {found.connection.fileno(): found, found.process: found}
                elif number == (call := calls.pop(number)).process:
                    ready.unregister(number)
                    if calls.pop(call.connection.fileno(), None) is not None:
                        ready.unregister(call.connection)
                    call.answer()
                else:
                    ready.unregister(number)
                    call.kill()


def preload() -> dict[bytes, bytes]:
    """Import the AWS CLI, and leave what was imported out of garbage collection.

    Returns the environment variables that it has set meanwhile.
    """
    before = dict(os.environb)
    importlib.import_module("awscli.clidriver")  # after it awscli.botocore is botocore

    for name in _MODULES:
        with contextlib.suppress(ImportError):  # another version: it is imported by each call
            importlib.import_module(name)
    with contextlib.suppress(ImportError, AttributeError):  # an older version has no such module
        # For its user agent; kept in the module, otherwise each call would start `lsb_release`.
        importlib.import_module("distro").major_version()
    gc.collect()
    gc.freeze()
    return {name: text for name, text in os.environb.items() if before.get(name) != text}


def identity(process: int | str) -> dict[str, str]:
    """What a process may do, and among which processes: equal for processes that may be one."""
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        rows = (line.partition(":") for line in file)
        found = {
            name: value.strip()
            for name, _, value in rows
            if name in (*_CREDENTIALS, *_CAPABILITIES)
        }
    return found | {name: os.readlink(f"/proc/{process}/ns/{name}") for name in _EQUAL}


def _accept(listening: socket.socket, own: Own) -> Call | None:
    """Start the call of a client; None if it is refused."""
    connection, _ = listening.accept()
    try:
        client, _, _ = struct.unpack(
            "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
        if own.has_threads or identity(client) != own.identity:
            raise Refused
        pid = os.fork()
    except (Refused, OSError, ValueError):  # ValueError: the name of the client is not text
        connection.close()
        return None
    if pid == 0:
        try:
            _serve(own, connection, client)
        finally:
            os._exit(1)
    try:
        return Call(connection, pid)
    except OSError:
        # Without its end the client would wait for ever.
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        connection.close()
        return None


def _serve(own: Own, connection: socket.socket, client: int) -> NoReturn:
    """Be the call of a client. Until the client is told so, it runs the AWS CLI itself."""
    try:
        _close_all_but({0, 1, 2, connection.fileno()})
        connection.settimeout(_RECEIVE_S)
        files, request = _received(connection)
        told, environment, words = _become(own, connection.detach(), client, files, request)
        os.write(told, b"s")
        os.close(told)
    except BaseException:  # noqa: BLE001  the client starts the AWS CLI
        os._exit(1)
    sys.argv = ["aws", *words]
    os._exit(_run(unbuffered=bool(environment.get(b"PYTHONUNBUFFERED"))))


def _received(connection: socket.socket) -> tuple[list[int], Request]:
    """Return a client's open files and its request. Raises Refused if it has sent too little."""
    first, files, _, _ = socket.recv_fds(connection, 4, 253)
    size = int.from_bytes(first, "big")
    parts = []
    while size > 0 and (part := connection.recv(min(size, 1 << 16))):
        parts.append(part)
        size -= len(part)
    if size > 0 or len(first) < 4:
        raise Refused
    return files, marshal.loads(b"".join(parts))


def _become(
    own: Own, connection: int, client: int, files: list[int], request: Request
) -> tuple[int, dict[bytes, bytes], list[str]]:
    """Take over what belongs to a client.

    Returns the number that the connection has now, the environment and the arguments.
    """
    words, environment, folder, mask, numbers = request
    if own.variables.keys() & environment.keys():
        raise Refused
    os.setsid()
    _join_cgroup(client)
    _join_namespaces(client)
    if not os.path.samestat(os.stat("/"), os.stat(f"/proc/{client}/root")):
        raise Refused
    os.chdir(folder)
    paths = _module_paths(environment)
    os.umask(mask)
    if (groups := _groups(client)) != os.getgroups():
        os.setgroups(groups)
    # Before the limits, because a file may have a number above them.
    connection = _take_files(connection, files, numbers)
    for limit in _LIMITS:
        wanted = resource.prlimit(client, limit)
        if wanted != resource.getrlimit(limit):
            resource.setrlimit(limit, wanted)
    os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, client))
    os.environb.clear()
    os.environb.update(own.variables | environment)
    sys.path[1:1] = paths
    sys.dont_write_bytecode = bool(environment.get(b"PYTHONDONTWRITEBYTECODE"))
    return connection, environment, words


def _module_paths(environment: dict[bytes, bytes]) -> list[str]:
    """The folders of PYTHONPATH. Raises Refused if one has a module that is imported already."""
    paths = [path for path in os.fsdecode(environment.get(b"PYTHONPATH", b"")).split(":") if path]
    for path in paths:
        names = os.listdir(path) if os.path.isdir(path) else []
        if any(name.partition(".")[0] in sys.modules for name in names):
            raise Refused
    return paths


def _groups(client: int) -> list[int]:
    with open(f"/proc/{client}/status", encoding="utf-8") as file:
        return [
            int(word) for line in file if line.startswith("Groups:") for word in line.split()[1:]
        ]


def _join_cgroup(client: int) -> None:
    with open(f"/proc/{client}/cgroup", encoding="utf-8") as file:
        path = next(line.split(":", 2)[2].strip() for line in file if line.startswith("0::"))
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        if f"0::{path}\n" in file:
            return
    with open(f"/sys/fs/cgroup{path}/cgroup.procs", "w", encoding="utf-8") as file:
        file.write("0")


def _join_namespaces(client: int) -> None:
    files = [
        os.open(f"/proc/{client}/ns/{name}", os.O_RDONLY)
        for name in _JOINED
        if os.readlink(f"/proc/{client}/ns/{name}") != os.readlink(f"/proc/self/ns/{name}")
    ]
    for file in files:
        if _libc.setns(file, 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        os.close(file)


def _take_files(connection: int, files: list[int], numbers: list[int]) -> int:
    """Have the client's open files under the client's numbers, and no others but the connection.

    Returns the number that the connection has now.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    above = max([2, connection, *numbers, *files]) + 1
    moved = [
        os.dup2(number, above + index, inheritable=False)
        for index, number in enumerate([connection, *files])
    ]
    _close_all_but(set(moved))
    for number, each in zip(numbers, moved[1:], strict=True):
        os.dup2(each, number)
        os.close(each)
    return moved[0]


def _close_all_but(kept: set[int]) -> None:
    for number in map(int, os.listdir("/proc/self/fd")):
        if number not in kept:
            with contextlib.suppress(OSError):  # that of the listing itself
                os.close(number)


def _run(*, unbuffered: bool) -> int:
    """Run the AWS CLI as an interpreter does that was started for it; return the exit code."""
    time.tzset()
    sys.stdin = _standard(0, "r", "surrogateescape")
    sys.stdout = _standard(1, "w", "surrogateescape")
    if unbuffered and sys.stdout is not None:
        sys.stdout.reconfigure(write_through=True)
    sys.stderr = _standard(2, "w", "backslashreplace")
    try:
        runpy.run_path(REAL, run_name="__main__")
        code = 0
    except SystemExit as end:
        code = _exit_code(end.code)
    except BaseException:  # noqa: BLE001  as at the end of an interpreter
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            code = 120  # that of CPython
    return code


def _standard(number: int, mode: str, errors: str) -> Any:
    """A standard stream; None if the file is not open."""
    try:
        terminal = os.isatty(number)
        return open(
            number,
            mode,
            buffering=1 if terminal or number == 2 else -1,
            encoding="utf-8",
            errors=errors,
            newline="\n" if mode == "w" else None,
            closefd=False,
        )
    except OSError:
        return None


def _exit_code(value: object) -> int:
    if value is None:
        return 0
    if isinstance(value, int):
        return value & 0xFF
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # closed: as the interpreter
            print(value, file=sys.stderr)
    return 1


if __name__ == "__main__":
    main()
