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
import selectors
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
_SEND_S = 5.0
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
    with selectors.DefaultSelector() as ready, socket.socket(fileno=_LISTENING) as listening:
        ready.register(listening, selectors.EVENT_READ, None)
        # Without a call only the socket is left.
        while (events := ready.select(_IDLE_S)) or len(ready.get_map()) > 1:
            for key, _ in events:
                call: Call | None = key.data
                if call is None:
                    found = _accept(listening, own)
                    if found is not None:
                        ready.register(found.connection, selectors.EVENT_READ, found)
                        ready.register(found.process, selectors.EVENT_READ, found)
                elif key.fileobj is call.connection:
                    # A client sends nothing more: its connection has ended.
                    ready.unregister(call.connection)
                    call.kill()
                else:
                    with contextlib.suppress(KeyError):
                        ready.unregister(call.connection)
                    ready.unregister(call.process)
                    call.answer()


def preload() -> dict[bytes, bytes]:
    """Import the AWS CLI, and leave what was imported out of garbage collection.

    Returns the environment variables that it has set meanwhile.
    """
    before = dict(os.environb)
    importlib.import_module("awscli.clidriver")  # after it awscli.botocore is botocore

    for name in _MODULES:
        with contextlib.suppress(ImportError):  # another version: it is imported by each call
            importlib.import_module(name)
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
    """Start the call of a client; None if it is refused or has sent too little."""
    connection, _ = listening.accept()
    connection.settimeout(_SEND_S)
    files: list[int] = []
    try:
        first, files, _, _ = socket.recv_fds(connection, 4, 253)
        size = int.from_bytes(first, "big")
        parts = []
        while size > 0 and (part := connection.recv(min(size, 1 << 16))):
            parts.append(part)
            size -= len(part)
        client, _, _ = struct.unpack(
            "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
        incomplete = size > 0 or len(first) < 4
        if incomplete or own.has_threads or identity(client) != own.identity:
            raise Refused
        connection.settimeout(None)
        pid = os.fork()
        if pid == 0:
            _become(own, connection, client, files, marshal.loads(b"".join(parts)))
        return Call(connection, pid)
    except (Refused, OSError):
        connection.close()
        return None
    finally:
        for number in files:
            os.close(number)


def _become(
    own: Own,
    connection: socket.socket,
    client: int,
    files: list[int],
    request: tuple[list[str], dict[bytes, bytes], str, int, list[int]],
) -> NoReturn:
    """Run the call of a client in this process."""
    words, environment, folder, mask, numbers = request
    try:
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
        for limit in _LIMITS:
            wanted = resource.prlimit(client, limit)
            if wanted != resource.getrlimit(limit):
                resource.setrlimit(limit, wanted)
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, client))
        connection.sendall(b"s")
    except BaseException:  # noqa: BLE001  the client then starts the AWS CLI itself
        os._exit(0)
    _take_files(files, numbers)
    os.environb.clear()
    os.environb.update(own.variables | environment)
    sys.argv = ["aws", *words]
    sys.path[1:1] = paths
    sys.dont_write_bytecode = bool(environment.get(b"PYTHONDONTWRITEBYTECODE"))
    os._exit(_run(unbuffered=bool(environment.get(b"PYTHONUNBUFFERED"))))


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


def _take_files(files: list[int], numbers: list[int]) -> None:
    """Have the client's open files under the client's numbers, and no others."""
    above = max([2, *numbers, *files]) + 1
    moved = [os.dup2(number, above + index) for index, number in enumerate(files)]
    os.closerange(0, above)
    for number, each in zip(numbers, moved, strict=True):
        os.dup2(each, number)
    os.closerange(above, os.sysconf("SC_OPEN_MAX"))


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
    print(value, file=sys.stderr)
    return 1


if __name__ == "__main__":
    main()
