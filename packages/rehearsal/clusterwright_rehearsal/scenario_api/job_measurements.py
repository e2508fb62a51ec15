"""What programs write about a job that emulated nodes do not have, in the form of those programs.

NCCL Inspector writes a file for each GPU (the exporter's source `nccl` has the sources of the
form), acceptance keeps the bandwidths with which the cluster was accepted, and the prolog of
HyperPod's images writes which job holds which GPU. Their real readers take it from there.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence

from clusterwright_rehearsal.scenario_api.node import Node

_INSPECTOR = "/var/lib/clusterwright/nccl-inspector"
_GPU_JOBS = "/run/slurm/dcgm-job-mapping"
_ACCEPTED = "/var/lib/clusterwright/acceptance/accepted.json"
_EXPECTED = "/etc/clusterwright/acceptance.json"
_NODES, _RANKS, _MIB = 2, 2, 1024
_SIZE = "1-2GB"
"""NCCL's name of messages from 1 GiB on."""


def write_gpu_jobs(nodes: Sequence[Node], job: str) -> None:
    """Let the job hold the first GPU of each node."""
    for node in nodes:
        node.must(f"mkdir -p {_GPU_JOBS} && echo {job} >{_GPU_JOBS}/0")


@contextlib.contextmanager
def accepted_bandwidth(controller: Node, node: Node, gbs: float) -> Iterator[None]:
    """Let the cluster be accepted with this bandwidth of nodes of this node's type."""
    row = {
        "instance_type": json.loads(node.must(f"cat {_EXPECTED}"))["instance_type"],
        "nodes": _NODES, "ranks": _RANKS, "size_mib": _MIB, "gbs": gbs, "run": "rehearsal",
    }  # fmt: skip
    controller.must(f"[ ! -e {_ACCEPTED} ] || cp -p {_ACCEPTED} {_ACCEPTED}.kept")
    try:
        controller.write(_ACCEPTED, json.dumps({"schema_version": 1, "accepted": [row]}))
        yield
    finally:
        controller.must(f"rm -f {_ACCEPTED}")
        controller.must(f"[ ! -e {_ACCEPTED}.kept ] || mv {_ACCEPTED}.kept {_ACCEPTED}")


def write_nccl(node: Node, job: str, gbs: float) -> None:
    """Let NCCL Inspector measure this bandwidth of the job's operations."""
    shape = f'n_nodes="{_NODES}",nranks="{_RANKS}",message_size="{_SIZE}"'
    lines = []
    for kind, operation in (("", 'collective="AllReduce"'), ("p2p_", 'p2p_operation="Send"')):
        labels = f"{{{operation},{shape}}}"
        lines.append(f"nccl_{kind}bus_bandwidth_gbs{labels} {gbs}\n")
        lines.append(f"nccl_{kind or 'collective_'}exec_time_microseconds{labels} 5000\n")
    node.must(f"mkdir -p -m 755 {_INSPECTOR}/{job}")
    node.write(f"{_INSPECTOR}/{job}/nccl_inspector_metrics_GPU-0.prom", "".join(lines))


def remove(nodes: Sequence[Node], job: str) -> None:
    """Remove the files of the job, as the epilog does."""
    for node in nodes:
        node.must(f"rm -rf {_INSPECTOR}/{job} {_GPU_JOBS}/0")
