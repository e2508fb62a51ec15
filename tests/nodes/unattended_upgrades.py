"""Packages that unattended-upgrades considers."""

from __future__ import annotations

import re
from pathlib import Path


def left_alone(conf: Path, *packages: str) -> set[str]:
    """Packages that unattended-upgrades excludes: `re.match` of each pattern on the name."""
    text = re.sub(r"//.*", "", conf.read_text())
    (inside,) = re.findall(r"Unattended-Upgrade::Package-Blacklist\s*\{([^}]*)\};", text)
    patterns = re.findall(r'"([^"]+)";', inside)
    assert re.sub(r'"[^"]+";', "", inside).strip() == ""
    return {name for name in packages if any(re.match(one, name) for one in patterns)}


TOGETHER = (
    "linux-image-5.15.0-1062-aws",
    "linux-modules-extra-5.15.0-1062-aws",
    "linux-aws",
    "lustre-client-modules-5.15.0-1062-aws",
    "lustre-client-modules-aws",
    "nvidia-driver-550-server",
    "nvidia-fabricmanager-550",
    "libnvidia-common-460",
    "libnvidia-compute-550-server",
    "cuda-toolkit-12-4",
    "datacenter-gpu-manager-4-core",
    "aws-neuronx-dkms",
    "efa",
    "libfabric1-aws",
    "rdma-core",
    "libibverbs1",
    "slurmd",
    "slurm-wlm",
    "munge",
    "libmunge2",
    "docker-ce",
    "docker.io",
    "containerd.io",
)

APART = ("openssl", "libc6", "openssh-server", "sudo", "python3.10", "curl", "systemd", "efax")
