"""Files of the node that override what was generated: environment, drop-ins, leftovers.

An image, a custom step or an administrator may leave a file that Slurm, NCCL, libfabric, enroot,
pam or systemd reads besides the generated ones, or instead of them. Nothing fails then: jobs are
slow, or daemons have other settings than the spec says. Each such file is reported; none is
changed, because it may be intended.

Sources of what is read: slurm.conf(5), "Include" and "SLURM_CONF"; slurm.schedmd.com, Configless
Slurm, order of precedence; NCCL user guide, Environment Variables (/etc/nccl.conf, ~/.nccl.conf);
fi_efa(7); NVIDIA/enroot, doc/configuration.md; limits.conf(5); systemd.unit(5); modprobe.d(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clusterwright_node import slurm_conf
from clusterwright_node.node import Node

OURS = re.compile(r"clusterwright", re.IGNORECASE)

_VARIABLE = re.compile(
    r"^\s*(?:export\s+|setenv\s+|Environment=\"?)?"
    r"((?:NCCL|OFI_NCCL|FI|RDMAV|UCX|ENROOT|PMIX|NEURON_RT)_[A-Z0-9_]+"
    r"|LD_LIBRARY_PATH|LD_PRELOAD|CUDA_VISIBLE_DEVICES|SLURM_CONF|SLURM_CONF_SERVER)"
    r"(?:\s+DEFAULT=|\s*=|\s+)\s*(\S*)"
)
"""A variable in /etc/environment, a shell script, a unit, nccl.conf or pam_env.conf."""

_ENVIRONMENT_FILES = (
    "/etc/environment",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/profile",
    "/etc/security/pam_env.conf",
    "/etc/nccl.conf",
    "/etc/default/slurmd",
    "/etc/sysconfig/slurmd",
    "/root/.nccl.conf",
)
_ENVIRONMENT_FOLDERS = (
    "/etc/profile.d",
    "/etc/environment.d",
    "/etc/enroot/environ.d",
    "/etc/enroot/enroot.conf.d",
)
_UNITS = (
    *("slurmd", "slurmctld", "slurmdbd", "sackd", "munge", "docker", "containerd"),
    *("nvidia-dcgm", "nvidia-fabricmanager", "nvidia-persistenced"),
)
_UNIT_SETTING = re.compile(
    r"^\s*(Environment|EnvironmentFile|ExecStart|ExecStartPre|Limit\w+|TasksMax|MemoryMax|Restart"
    r"|User|PrivateTmp|Delegate|AllowedCPUs|CPUQuota)\s*=\s*(.*)$"
)
_SLURM_FILES = ("slurm.conf", "gres.conf", "cgroup.conf", "topology.conf", "plugstack.conf")
_MODULES = re.compile(
    r"^\s*(?:blacklist|install)\s+(efa|ib_uverbs|nvidia\S*|gdrdrv|lustre|lnet|neuron)\b(.*)$"
)
_MODULE_OPTIONS = re.compile(r"^\s*options\s+(lnet|lustre|ksocklnd|kefalnd|efa)\s+(\S.*)$")

# What these values do to a job; other values of these variables are reported without a reason.
_EFFECTS = (
    (r"NCCL_NET$", r"[Ss]ocket", "jobs communicate over TCP instead of EFA"),
    (r"FI_PROVIDER$", r"(?!.*efa).+", "libfabric does not use EFA"),
    (r"NCCL_P2P_DISABLE$|NCCL_SHM_DISABLE$", r"1", "GPUs of a node do not use NVLink"),
    (r"NCCL_NET_PLUGIN$", r"none", "NCCL loads no plug-in for EFA"),
    (r"NCCL_SOCKET_IFNAME$", r"(?!\^).+", "NCCL fails on nodes whose interface has another name"),
    (r"FI_EFA_USE_DEVICE_RDMA$", r"0", "transfers do not use RDMA"),
    (r"CUDA_VISIBLE_DEVICES$", r".*", "jobs do not see the GPUs that Slurm gives them"),
    (r"LD_LIBRARY_PATH$|LD_PRELOAD$", r".*", "jobs may load other libraries than the image's"),
    (r"SLURM_CONF$|SLURM_CONF_SERVER$", r".*", "Slurm's commands read another configuration"),
)


@dataclass(frozen=True)
class LocalSetting:
    """A setting of a file that was not generated."""

    path: str
    setting: str
    effect: str

    def __str__(self) -> str:
        return f"{self.path}: {self.setting}: {self.effect}"


def local_settings(node: Node) -> list[LocalSetting]:
    """Settings that override or add to what was generated, in the order of their files."""
    found = [
        *_environment(node),
        *_units(node),
        *_slurm(node),
        *_limits(node),
        *_kernel_modules(node),
        *_mounts_and_names(node),
    ]
    return sorted(set(found), key=lambda each: (each.path, each.setting))


def _lines(node: Node, path: str) -> Iterator[str]:
    """Lines of a file that was not generated, without comments; none if it cannot be read."""
    try:
        text = node.machine.read_text(path) or ""
    except (OSError, UnicodeDecodeError):
        return  # such as a folder, or a home directory that root may not read
    if OURS.search(path) or OURS.search(text):
        return
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith(("#", ";")):
            yield line.strip()


def _files(node: Node, folder: str) -> Iterator[str]:
    for name in node.machine.listing(folder):
        yield f"{folder}/{name}"


def _environment(node: Node) -> Iterator[LocalSetting]:
    paths = list(_ENVIRONMENT_FILES)
    for folder in _ENVIRONMENT_FOLDERS:
        paths += _files(node, folder)
    base = node.inputs.cluster.home_base
    paths += [f"{base}/{user.name}/.nccl.conf" for user in node.inputs.cluster.users]
    for path in paths:
        for line in _lines(node, path):
            match = _VARIABLE.match(line)
            if match:
                name, value = match.group(1), match.group(2).strip("\"';")
                yield LocalSetting(path, f"{name}={value}", _effect(name, value))


def _effect(name: str, value: str) -> str:
    for pattern, values, effect in _EFFECTS:
        if re.match(pattern, name) and re.fullmatch(values, value):
            return effect
    return "every job gets it, whatever its own script expects"


def _units(node: Node) -> Iterator[LocalSetting]:
    for unit in _UNITS:
        for path in _files(node, f"/etc/systemd/system/{unit}.service.d"):
            for line in _lines(node, path):
                match = _UNIT_SETTING.match(line)
                if match:
                    setting = f"{match.group(1)}={match.group(2)}"
                    yield LocalSetting(path, setting, f"changes {unit}.service")


def _slurm(node: Node) -> Iterator[LocalSetting]:
    if node.is_parallelcluster and not node.is_controller:
        return  # its Slurm reads /opt/slurm/etc, which the head node shares, and not /etc/slurm
    if not node.is_controller:
        for name in _SLURM_FILES:
            path = f"/etc/slurm/{name}"
            if any(True for _ in _lines(node, path)):
                yield LocalSetting(
                    path,
                    "a file on a node that gets its configuration from the controller",
                    "Slurm's commands read it instead",
                )
        return
    yield from _repeated(node, slurm_conf.SLURM_CONF)


def _repeated(node: Node, path: str) -> Iterator[LocalSetting]:
    """Settings with two values in slurm.conf and its included files: the last one is used."""
    values: dict[str, list[str]] = {}
    for line in slurm_conf.active_lines(node.machine, path):
        key, equals, value = line.partition("=")
        key = key.strip()
        if equals and re.fullmatch(r"[A-Za-z]+", key) and key.lower() not in _RECORDS:
            values.setdefault(key.lower(), []).append(f"{key}={value.strip()}")
    for found in values.values():
        if len({each.partition("=")[2] for each in found}) > 1:
            yield LocalSetting(path, " and ".join(found), "slurmctld uses the last one")


_RECORDS = ("nodename", "partitionname", "nodeset", "downnodes", "slurmctldhost", "include")


def _limits(node: Node) -> Iterator[LocalSetting]:
    paths = ["/etc/security/limits.conf", *_files(node, "/etc/security/limits.d")]
    for path in paths:
        for line in _lines(node, path):
            words = line.split()
            if len(words) == 4 and words[2] == "memlock" and words[3] not in ("unlimited", "-1"):
                yield LocalSetting(path, line, "NCCL and EFA cannot lock enough memory")


def _kernel_modules(node: Node) -> Iterator[LocalSetting]:
    for path in _files(node, "/etc/modprobe.d"):
        for line in _lines(node, path):
            match = _MODULES.match(line)
            if match:
                yield LocalSetting(path, line, f"the kernel does not load {match.group(1)}")
            match = _MODULE_OPTIONS.match(line)
            if match:
                yield LocalSetting(path, line, "Lustre or EFA have other options than configured")


def _mounts_and_names(node: Node) -> Iterator[LocalSetting]:
    cluster = node.inputs.cluster
    mounts = {entry.mount_path for entry in cluster.lustre}
    if cluster.home is not None:
        mounts.add(cluster.home.mount_path)
    # ParallelCluster mounts shared storage by /etc/fstab itself.
    expected = set(mounts) if node.is_parallelcluster else set()
    for line in _lines(node, "/etc/fstab"):
        words = line.split()
        if len(words) >= 3 and words[1] in mounts and words[2] in ("lustre", "nfs", "nfs4"):
            if words[1] in expected:
                expected.remove(words[1])
                continue
            setting = f"{words[0]} at {words[1]}"
            yield LocalSetting("/etc/fstab", setting, "a second definition of a mount of the spec")
    for line in _lines(node, "/etc/hosts"):
        names = [name for name in line.split()[1:] if ".amazonaws.com" in name]
        if names:
            effect = "addresses of AWS's services may change"
            yield LocalSetting("/etc/hosts", " ".join(names), effect)
