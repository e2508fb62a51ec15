#!/usr/bin/python3 -SE
"""Emulates mount.lustre, mount.nfs and mount.nfs4 with a bind mount of a shared folder.

The kernel of the host has neither file system. A file system exists if its folder exists; its name
must resolve; it does not answer while the file `<dns>.down` exists. Mounts are recorded, so that
findmnt shows the requested type and source. Linux itself shows the file system of the folder.
Error messages of mount.lustre are as published by users; those of NFS are shortened.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys

import hardware

_SHARED = "/srv/emulation"


def main(program: str, argv: list[str]) -> int:
    kind = program.rpartition(".")[2]
    places = [word for word in argv if not word.startswith("-")]
    options = argv[argv.index("-o") + 1] if "-o" in argv else "rw"
    places = [word for word in places if word != options]
    if len(places) != 2:
        print(f"usage: {program} SOURCE TARGET [-o OPTIONS]", file=sys.stderr)
        return 1
    source, target = places
    # `host:/` is the root of an NFS server; slashes at the end have no meaning.
    match = re.fullmatch(
        r"([^@:/]+)@tcp\d*:/(\S+?)/*" if kind == "lustre" else r"([^@:/]+):/+(\S*?)/*", source
    )
    if match is None:
        print(f"{program}: {source} is no source of type {kind}", file=sys.stderr)
        return 1
    host, name = match.groups()
    folder = os.path.join(_SHARED, "lustre" if kind == "lustre" else "nfs", host, name or "root")
    problem = _problem(program, source, target, host, folder)
    if problem is not None:
        code, text = problem
        print(text, file=sys.stderr)
        return code
    # _netdev: otherwise systemd treats the mount as a local file system, orders it before
    # local-fs.target, and a boot may wait for remote-fs.target indefinitely.
    command = ["/usr/bin/mount", "-o", "bind,_netdev", folder, target]
    done = subprocess.run(command, check=False)
    if done.returncode != 0:
        return done.returncode
    mounts = hardware.read_state("mounts", {})
    mounts[os.path.realpath(target)] = {
        "source": source,
        "fstype": "lustre" if kind == "lustre" else "nfs4",
        "options": ",".join(dict.fromkeys(["rw", *options.split(",")])),
    }
    hardware.write_state("mounts", mounts)
    return 0


def _problem(
    program: str, source: str, target: str, host: str, folder: str
) -> tuple[int, str] | None:
    try:
        socket.getaddrinfo(host, None)
    except OSError:
        return 1, f"{program}: Can't parse NID '{source}': {host} does not resolve"
    if not os.path.isdir(os.path.dirname(folder)) or os.path.exists(
        os.path.dirname(folder) + ".down"
    ):
        return 110, f"{program}: mount {source} at {target} failed: Connection timed out"
    if not os.path.isdir(folder):
        return 2, (
            f"{program}: mount {source} at {target} failed: No such file or directory\n"
            "Is the MGS specification correct?\nIs the filesystem name correct?"
        )
    return None


sys.exit(main(os.path.basename(sys.argv[0]), sys.argv[1:]))
