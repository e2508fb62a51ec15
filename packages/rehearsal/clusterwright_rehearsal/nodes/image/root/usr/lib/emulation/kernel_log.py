#!/usr/bin/python3 -SE
"""dmesg that prints only the messages of this machine, from `/run/emulation/kernel.log`.

All machines share the kernel of the host, whose messages are not shown. A line of the file is
`SECONDS TEXT`, with the seconds since the start of the host; a reboot empties it. The format is
that of util-linux's dmesg: `[   12.345678] TEXT`, or with --ctime (-T) the time of day. The
messages do not appear in journald.
"""

from __future__ import annotations

import sys
import time

import hardware

_LOG = hardware.STATE + "/kernel.log"
_TIMES = ("-T", "--ctime")
_WITHOUT = ("-t", "--notime")
_IGNORED = ("-H", "--human", "-P", "--nopager", "-k", "--kernel", "-L", "--color", "--color=never")


def main(argv: list[str]) -> int:
    unknown = [word for word in argv if word not in (*_TIMES, *_WITHOUT, *_IGNORED)]
    if unknown:
        print(f"dmesg (emulated): unsupported option {unknown[0]}", file=sys.stderr)
        return 1
    try:
        with open(_LOG, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return 0
    started = time.time() - time.monotonic()
    for line in lines:
        seconds, _, text = line.partition(" ")
        if any(word in argv for word in _WITHOUT):
            print(text)
        elif any(word in argv for word in _TIMES):
            print(f"[{time.ctime(started + float(seconds))}] {text}")
        else:
            print(f"[{float(seconds):12.6f}] {text}")
    return 0


sys.exit(main(sys.argv[1:]))
