"""Files of a node that override what was generated."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from clusterwright_node.local_settings import local_settings

from tests.nodes.stub_node import stub_node

CLUSTER = SimpleNamespace(
    home_base="/home",
    users=(SimpleNamespace(name="ada"),),
    lustre=(SimpleNamespace(mount_path="/fsx"),),
    home=SimpleNamespace(mount_path="/home"),
)


def found(
    files: dict[str, str], is_controller: bool = False, is_parallelcluster: bool = False
) -> list[tuple[str, str, str]]:
    node: Any = stub_node(
        {},
        files,
        inputs=SimpleNamespace(cluster=CLUSTER),
        is_controller=is_controller,
        is_parallelcluster=is_parallelcluster,
    )
    return [(each.path, each.setting, each.effect) for each in local_settings(node)]


@pytest.mark.parametrize(
    ("path", "line", "setting", "effect"),
    [
        ("/etc/environment", "NCCL_NET=Socket", "NCCL_NET=Socket", "over TCP"),
        ("/etc/nccl.conf", "NCCL_P2P_DISABLE=1", "NCCL_P2P_DISABLE=1", "do not use NVLink"),
        ("/home/ada/.nccl.conf", "NCCL_PROTO=simple", "NCCL_PROTO=simple", "every job gets it"),
        ("/etc/profile.d/efa.sh", 'export FI_PROVIDER="tcp"', "FI_PROVIDER=tcp", "not use EFA"),
        ("/etc/profile.d/efa.sh", "export FI_PROVIDER=efa", "FI_PROVIDER=efa", "every job"),
        ("/etc/profile.d/a.csh", "setenv NCCL_SOCKET_IFNAME eth0", "NCCL_SOCKET_IFNAME=eth0",
         "another name"),
        ("/etc/security/pam_env.conf", "LD_PRELOAD DEFAULT=/opt/x.so", "LD_PRELOAD=/opt/x.so",
         "other libraries"),
        ("/etc/enroot/environ.d/10-x.env", "NCCL_NET_PLUGIN=none", "NCCL_NET_PLUGIN=none",
         "no plug-in"),
        ("/etc/enroot/enroot.conf.d/x.conf", "ENROOT_CACHE_PATH /var/cache",
         "ENROOT_CACHE_PATH=/var/cache", "every job"),
        ("/etc/default/slurmd", "SLURM_CONF=/etc/other.conf", "SLURM_CONF=/etc/other.conf",
         "another configuration"),
        ("/etc/systemd/system/slurmd.service.d/x.conf", "LimitMEMLOCK=64K", "LimitMEMLOCK=64K",
         "changes slurmd.service"),
        ("/etc/systemd/system/nvidia-dcgm.service.d/x.conf", "ExecStart=", "ExecStart=",
         "changes nvidia-dcgm.service"),
        ("/etc/slurm/gres.conf", "AutoDetect=nvml", "a file on a node that gets its "
         "configuration from the controller", "read it instead"),
        ("/etc/security/limits.d/99-hpc.conf", "* hard memlock 65536", "* hard memlock 65536",
         "cannot lock"),
        ("/etc/modprobe.d/x.conf", "blacklist efa", "blacklist efa", "does not load efa"),
        ("/etc/modprobe.d/lnet.conf", "options lnet networks=tcp(eth0)",
         "options lnet networks=tcp(eth0)", "other options"),
        ("/etc/fstab", "fs-1@tcp:/x /fsx lustre defaults 0 0", "fs-1@tcp:/x at /fsx",
         "second definition"),
        ("/etc/hosts", "10.0.0.9 s3.us-east-1.amazonaws.com", "s3.us-east-1.amazonaws.com",
         "may change"),
    ],
    ids=lambda value: value.rpartition("/")[2] if value.startswith("/") else "",
)  # fmt: skip
def test_each_kind_of_file(path: str, line: str, setting: str, effect: str) -> None:
    ((shown, said, why),) = found({path: f"# comment\n\n{line}\n"})
    assert (shown, said) == (path, setting)
    assert effect in why


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/etc/environment", 'PATH="/usr/bin"\nLANG=C.UTF-8\n'),
        ("/etc/environment", "# NCCL_NET=Socket\n"),
        ("/etc/profile.d/clusterwright-slurm.sh", "export SLURM_CONF_SERVER=10.0.0.1:6817\n"),
        ("/etc/security/limits.d/90-clusterwright.conf", "* soft memlock unlimited\n"),
        ("/etc/security/limits.d/efa.conf", "* hard memlock unlimited\n"),
        ("/etc/security/limits.d/x.conf", "* hard nofile 1024\n"),
        ("/etc/systemd/system/slurmd.service.d/50-x.conf", "# by clusterwright\nRestart=always\n"),
        ("/etc/slurm/slurm.conf", "# nothing\n"),
        ("/etc/slurm/other.conf", "A=1\n"),
        ("/etc/fstab", "UUID=1 / ext4 defaults 0 1\n"),
        ("/etc/hosts", "127.0.0.1 localhost\n"),
        ("/etc/modprobe.d/x.conf", "blacklist nouveau\n"),
    ],
)
def test_what_overrides_nothing_is_not_reported(path: str, text: str) -> None:
    assert found({path: text}) == []


def test_setting_with_two_values_in_slurm_conf() -> None:
    files = {
        "/opt/slurm/etc/slurm.conf": "SlurmctldTimeout=60\nReturnToService=1\nInclude extra.conf\n"
        "NodeName=a CPUs=1\nNodeName=b CPUs=2\n",
        "/opt/slurm/etc/extra.conf": "SlurmctldTimeout=300\nReturnToService=1\n",
        "/etc/slurm/slurm.conf": "ClusterName=x\n",
    }
    assert found(files, is_controller=True) == [
        (
            "/opt/slurm/etc/slurm.conf",
            "SlurmctldTimeout=60 and SlurmctldTimeout=300",
            "slurmctld uses the last one",
        )
    ]


@pytest.mark.parametrize("error", [IsADirectoryError(), PermissionError()])
def test_file_that_cannot_be_read_is_left_out(error: OSError) -> None:
    node: Any = stub_node(
        {},
        {},
        inputs=SimpleNamespace(cluster=CLUSTER),
        is_controller=False,
        is_parallelcluster=False,
    )

    def fail(_: str) -> str:
        raise error

    node.machine.read_text = fail
    assert local_settings(node) == []


def test_parallelcluster_mounts_by_fstab_and_shares_its_slurm_files() -> None:
    line = "fs-1.fsx.us-east-1.amazonaws.com@tcp:/x /fsx lustre defaults 0 0\n"
    slurm = {"/etc/slurm/slurm.conf": "ClusterName=x\n"}
    assert found({"/etc/fstab": line, **slurm}, is_parallelcluster=True) == []
    second = line + line.replace("fs-1", "fs-2")
    ((path, setting, effect),) = found({"/etc/fstab": second}, is_parallelcluster=True)
    assert path == "/etc/fstab"
    assert setting.startswith("fs-2.")
    assert "second definition" in effect
