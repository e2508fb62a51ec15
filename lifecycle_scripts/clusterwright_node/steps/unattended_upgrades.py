"""Exclude the kernel, drivers, Lustre, EFA, Slurm and Docker from unattended upgrades.

On Ubuntu `unattended-upgrades` installs security updates every night. A new kernel has no module
of the Lustre client after the next reboot, and the mount fails (aws/aws-parallelcluster #2095);
new libraries of NVIDIA do not match the loaded module, and no program finds a GPU (#4127,
lyulyul/shine-cluster #30); a new Docker ends its containers. These are updated together by a
change of the image; everything else is still updated.
"""

from __future__ import annotations

from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("not_built",)
DEADLINE_SECONDS = 10
RETRIES = 0

FOLDER = "/etc/apt/apt.conf.d"
CONF = FOLDER + "/90clusterwright"
KEPT = (
    "linux-",
    "lustre-",
    "nvidia-",
    "libnvidia-",
    "xserver-xorg-video-nvidia",
    "cuda-",
    "datacenter-gpu-manager",
    "libnccl",
    "aws-neuronx-",
    "efa$",
    "efa-",
    "libfabric",
    "rdma-core",
    "ibverbs-",
    "libibverbs",
    "slurm",
    "munge$",
    "libmunge",
    "docker",
    "containerd",
)
"""Regular expressions that match the beginning of a package's name (unattended-upgrades,
50unattended-upgrades: `Unattended-Upgrade::Package-Blacklist`). Lists of several files add up."""
_LINES = "".join(f'  "{pattern}";\n' for pattern in KEPT)
_TEXT = f"""\
// Written by clusterwright_node: these are updated together, by a change of the image.
Unattended-Upgrade::Package-Blacklist {{
{_LINES}}};
"""


def applies(node: Node) -> Verdict:
    return APPLIES if node.machine.exists(FOLDER) else skip("the image has no apt")


def check(node: Node) -> Verdict:
    same = node.machine.read_text(CONF) == _TEXT
    return SATISFIED if same else missing(f"{CONF} is outdated")


def apply(node: Node) -> None:
    node.machine.write_text(CONF, _TEXT)
