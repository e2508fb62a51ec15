"""Comparison of the files of two nodes, without what identifies a machine."""

from __future__ import annotations

import json

from clusterwright_rehearsal.scenario_api.node import Node

FOLDERS = ("/etc", "/opt", "/usr/local", "/var/lib/clusterwright")
# Files and folders that are specific to a machine, or written by the system at any time.
_OWN = (
    "/etc/machine-id", "/etc/hosts", "/etc/munge/munge.key", "/etc/emulation/hardware.json",
    "/opt/ml/config/resource_config.json",
    "/etc/resolv.conf", "/etc/hostname", "/etc/.updated", "/etc/adjtime",
    "/var/lib/clusterwright/health.json",
    # Requests that a controller has carried out.
    "/var/lib/clusterwright/requests.json",
    # Results of acceptance runs, which are those of one instance and boot.
    "/var/lib/clusterwright/acceptance",
    # Backups that useradd and userdel make of the files before their last change.
    "/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/subuid-", "/etc/subgid-",
)  # fmt: skip
_LIST_FILES = r"""
import hashlib, json, os, pwd, re, stat, sys
names, folders, own = json.loads(sys.argv[1])
pattern = re.compile("|".join(map(re.escape, names)).encode())
found = {}
for folder in folders:
    device = os.stat(folder).st_dev
    for here, below, files in os.walk(folder):
        if here.startswith("/opt/dlami") or here in own:
            below[:] = []
            continue
        below[:] = [b for b in below if os.lstat(os.path.join(here, b)).st_dev == device]
        for name in files:
            path = os.path.join(here, name)
            about = os.lstat(path)
            if not stat.S_ISREG(about.st_mode) or path.endswith(".pyc") or path in own:
                continue
            with open(path, "rb") as file:
                text = pattern.sub(b"NODE", file.read())
            text = re.sub(rb"(?m)^StoragePass=.*$", b"", text)
            # Only the slurmd of a later instance says that its node has booted.
            text = text.replace(b'SLURMD_OPTIONS="-b ', b'SLURMD_OPTIONS="')
            owner = pwd.getpwuid(about.st_uid).pw_name
            digest = hashlib.sha256(text).hexdigest()[:16]
            found[path] = "%s %o %s" % (digest, stat.S_IMODE(about.st_mode), owner)
print(json.dumps(found))
"""


def files(node: Node) -> dict[str, str]:
    """Path → digest of contents, mode and owner, of each regular file on the node's disk."""
    names = [node.host, node.address, node.name, node.instance_id]
    arguments = json.dumps([names, FOLDERS, _OWN])
    found: dict[str, str] = json.loads(
        node.must(f"python3 -I -S - '{arguments}'", stdin=_LIST_FILES, timeout_s=300)
    )
    return found


def differences(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Paths that exist on one node only, or differ."""
    return sorted(
        path for path in first.keys() | second.keys() if first.get(path) != second.get(path)
    )
