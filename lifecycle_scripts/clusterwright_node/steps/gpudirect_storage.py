"""Check whether GPUs can read Lustre without the CPU (GPUDirect Storage).

File systems with EFA support GPUDirect Storage (FSx for Lustre guide, "Working with EFA-enabled
file systems"); the node needs NVIDIA's kernel module nvidia-fs, and `gdscheck -p` shows which file
systems it serves (NVIDIA, GPUDirect Storage installation guide). Nothing is installed: if the
module is on the image it is loaded, now and at each boot. Jobs also run without it, only slower,
so the step does not fail.
"""

from __future__ import annotations

import re

from clusterwright_node.errors import CommandError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("efa_transport", "software_versions")
DEADLINE_SECONDS = 120
RETRIES = 0

# Types whose EFA has GPUDirect RDMA: p5.4xlarge does not.
TYPES = frozenset(
    ("p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge")
)
# In /run, so that each boot checks again; gdscheck takes seconds.
ANSWER = "/run/clusterwright/gpudirect-storage"
MODULES_LOAD = "/etc/modules-load.d/clusterwright-nvidia-fs.conf"
_LOADED = "/sys/module/nvidia_fs"
_GDSCHECK = ("/usr/local/cuda/gds/tools/gdscheck", "/usr/local/cuda/gds/tools/gdscheck.py")
_WORKS = "works"


def applies(node: Node) -> Verdict:
    if node.group.instance_type not in TYPES:
        return skip(f"{node.group.instance_type} has no GPUDirect Storage")
    if not node.group.efa or not any(entry.efa for entry in node.inputs.cluster.lustre):
        return skip("no Lustre file system has EFA")
    return APPLIES


def check(node: Node) -> Verdict:
    answer = node.machine.read_text(ANSWER)
    if answer is None:
        return missing("GPUDirect Storage has not been checked since this node started")
    if answer.strip() != _WORKS:
        node.notice(f"GPUDirect Storage is not used for Lustre: {answer.strip()}")
    return SATISFIED


def apply(node: Node) -> None:
    node.machine.write_text(ANSWER, _look(node) + "\n")


def _look(node: Node) -> str:
    """`works`, or the reason in one line."""
    if not node.machine.exists(_LOADED):
        if not node.machine.query("modinfo", "nvidia-fs").ok:
            return "the image has no kernel module nvidia-fs"
        node.machine.write_text(MODULES_LOAD, "nvidia-fs\n")
        try:
            node.machine.change("modprobe", "nvidia-fs", timeout_seconds=30.0)
        except CommandError as error:
            return " ".join(error.cause.split())
    program = next((path for path in _GDSCHECK if node.machine.exists(path)), None)
    if program is None:
        return (
            "nvidia-fs is loaded, but the image has no gdscheck to check whether it supports "
            "Lustre"
        )
    try:
        result = node.machine.query(program, "-p", timeout_seconds=60.0)
    except CommandError as error:
        return " ".join(error.cause.split())
    return judged(result.stdout)


def judged(text: str) -> str:
    """The meaning of gdscheck's line about Lustre. Since 1.16 it has modes; compat uses the
    CPU.
    """
    match = re.search(r"(?m)^\s*Lustre\s*:\s*(.*?)\s*$", text)
    if match is None:
        return "gdscheck reports nothing about Lustre"
    words = set(re.findall(r"[a-z0-9]+", match.group(1).lower()))
    if words & {"supported", "nvfs", "p2pdma"}:
        return _WORKS
    return f"gdscheck reports `Lustre : {match.group(1)}`"
