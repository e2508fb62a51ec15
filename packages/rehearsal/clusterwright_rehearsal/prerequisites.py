"""Checks whether nodes can be emulated: on this platform and on this machine."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal import runs

PROGRAMS = ("systemd-nspawn", "ip", "nsenter")
_NUMBERS = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21, "CAP_SYS_RESOURCE": 24}
"""Those of include/uapi/linux/capability.h."""
_REQUIRED = ("CAP_NET_ADMIN", "CAP_SYS_ADMIN")
"""For namespaces, mounts and addresses."""
_STATUS = Path("/proc/self/status")


def unsupported_platform(cluster: Cluster) -> str | None:
    """The reason why nodes of the cluster's platform are not emulated, or None."""
    if not cluster.uses_kubernetes:
        return None
    return (
        f"nodes of {cluster.platform} are not emulated: no Kubernetes control plane is "
        "available, so only the deployment is rehearsed"
    )


def nodes_unavailable() -> str | None:
    """The reason why this machine cannot run emulated nodes, or None."""
    if platform.system() != "Linux":
        return f"emulated nodes require Linux, and this is {platform.system()}"
    if not runs.is_root():
        return "emulated nodes require root"
    if not all(map(has_capability, _REQUIRED)):
        return "emulated nodes require more privileges than root has in this container"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return (
            f"{', '.join(missing)} not installed "
            "(apt-get install systemd-container iproute2 util-linux)"
        )
    return None


def has_capability(name: str) -> bool:
    """Whether this process has one of root's capabilities, which it may lack in containers."""
    for line in _STATUS.read_text().splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> _NUMBERS[name] & 1)
    return True
