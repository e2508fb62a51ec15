"""What lies on a node, without what tells one machine from another: two nodes can be compared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clusterwright_rehearsal.scenario_api.context import Node

FOLDERS = ("/etc", "/opt", "/usr/local", "/var/lib/clusterwright")
# Of one machine only, or written by the system at times of its own.
_OWN = (
    "/etc/machine-id", "/etc/hosts", "/etc/munge/munge.key", "/etc/emulation/hardware.json",
    "/opt/ml/config/resource_config.json",
    "/etc/resolv.conf", "/etc/hostname", "/etc/.updated", "/etc/adjtime",
    "/var/lib/clusterwright/health.json",
)  # fmt: skip
_LOOK = r"""
import hashlib, json, os, pwd, re, stat, sys
names, folders, own = json.loads(sys.argv[1])
pattern = re.compile("|".join(map(re.escape, names)).encode())
found = {}
for folder in folders:
    device = os.stat(folder).st_dev
    for here, below, files in os.walk(folder):
        if here.startswith("/opt/dlami"):
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
            owner = pwd.getpwuid(about.st_uid).pw_name
            digest = hashlib.sha256(text).hexdigest()[:16]
            found[path] = "%s %o %s" % (digest, stat.S_IMODE(about.st_mode), owner)
print(json.dumps(found))
"""


def files(node: Node) -> dict[str, str]:
    """Path to digest of its contents, mode and owner, of each plain file of the node's disk."""
    names = [node.host, node.address, node.name, node.instance_id]
    arguments = json.dumps([names, FOLDERS, _OWN])
    found: dict[str, str] = json.loads(
        node.must(f"python3 -I -S - '{arguments}'", stdin=_LOOK, timeout_s=300)
    )
    return found


def differences(mine: dict[str, str], theirs: dict[str, str]) -> list[str]:
    """Paths that one alone has, or that are not the same."""
    return sorted(
        path for path in mine.keys() | theirs.keys() if mine.get(path) != theirs.get(path)
    )
