"""The step that keeps unattended upgrades away from what belongs together."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.nodes.world import World

CONF = "etc/apt/apt.conf.d/90clusterwright"


def left_alone(conf: Path, *packages: str) -> set[str]:
    """What unattended-upgrades does not touch: `re.match` of each pattern on the name."""
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


@pytest.mark.parametrize("name", ["controller-1", "login-1", "workers-1"])
@pytest.mark.parametrize("configuration", ["managed", "scripted"])
def test_what_belongs_together_is_left_alone_and_nothing_else(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    node = world(name, configuration)
    assert node.run().statuses()["unattended_upgrades"] == "applied"
    assert left_alone(node.root / CONF, *TOGETHER, *APART) == set(TOGETHER)
    assert node.run().statuses()["unattended_upgrades"] == "unchanged"


def test_a_changed_file_is_put_right(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    (node.root / CONF).write_text("Unattended-Upgrade::Package-Blacklist {\n};\n")
    assert node.run().statuses()["unattended_upgrades"] == "applied"
    assert left_alone(node.root / CONF, "linux-aws") == {"linux-aws"}


def test_an_image_without_apt_is_skipped(world: Callable[..., World]) -> None:
    node = world("workers-1")
    (node.root / "etc/apt/apt.conf.d").rmdir()
    run = node.run()
    assert run.end_of("unattended_upgrades")["hint"] == "the image has no apt"
    assert not (node.root / CONF).exists()
