#!/usr/bin/python3 -SE
"""Makes a mounted folder hang until this program gets SIGTERM: silence.py FOLDER.

Processes that access the folder wait in the kernel, as with an unreachable Lustre or NFS server,
and continue when it answers again. Unlike with Lustre, open files continue to work, and waiting
processes can be killed. This is an autofs mount over the folder whose daemon, this program, does
not answer: protocol version 5, direct mount (Linux, Documentation/filesystems/autofs.rst and
include/uapi/linux/auto_fs.h). Its source contains a slash, so that findmnt (findmnt.py) still
shows the file system below it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import signal
import struct
import sys
import time

_DIRECT = "fd={fd},pgrp={pgrp},minproto=5,maxproto=5,direct"
_PACKET = struct.Struct("iiI")
_PACKET_BYTES = 304  # struct autofs_v5_packet
_READY = 0x9360  # AUTOFS_IOC_READY
_MS_BIND = 4096
_MNT_DETACH = 2
_AFTER_SECONDS = 0.5

_libc = ctypes.CDLL(None, use_errno=True)


def main(folder: str) -> int:
    stop: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stop.append(number))
    # Processes of this process group are not blocked.
    if os.getpgrp() != os.getpid():
        os.setpgrp()
    below = os.open(folder, os.O_PATH)
    packets, kernels_end = os.pipe2(os.O_CLOEXEC | os.O_DIRECT)
    os.set_inheritable(kernels_end, True)
    data = _DIRECT.format(fd=kernels_end, pgrp=os.getpgrp())
    _call("mount", b"emulated/silent", folder.encode(), b"autofs", 0, data.encode())
    os.close(kernels_end)
    covering = os.open(folder, os.O_RDONLY)
    print(f"{folder} does not answer", flush=True)
    waiting: list[int] = []
    while not stop:
        _collect(packets, waiting, 0.2)
    # An autofs mount must contain a mount when it reports that it is ready.
    _call("mount", f"/proc/self/fd/{below}".encode(), folder.encode(), None, _MS_BIND, None)
    ends = time.monotonic() + _AFTER_SECONDS
    while time.monotonic() < ends:
        for token in waiting:
            fcntl.ioctl(covering, _READY, token)
        waiting.clear()
        _collect(packets, waiting, 0.1)
    os.close(covering)
    _call("umount2", folder.encode(), _MNT_DETACH)
    _call("umount2", folder.encode(), _MNT_DETACH)
    print(f"{folder} answers", flush=True)
    return 0


def _collect(packets: int, waiting: list[int], seconds: float) -> None:
    """Record the tokens of waiting processes."""
    try:
        readable, _, _ = select.select([packets], [], [], seconds)
    except InterruptedError:
        return
    if readable:
        waiting.append(_PACKET.unpack_from(os.read(packets, _PACKET_BYTES))[2])


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


sys.exit(main(sys.argv[1]))
