"""Settings of AWS ParallelCluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model

RootVolumeGib = Annotated[int, Field(ge=45, le=16384, examples=[200])]
"""The images of ParallelCluster have 45 GiB (aws-parallelcluster 3.16.1, constants.py); gp3."""


class ParallelCluster(Model):
    """Settings that only `platform: parallelcluster` has."""

    version: Annotated[str, Field(pattern=r"^3\.[0-9]{1,2}\.[0-9]{1,2}$", examples=["3.16.1"])] = (
        "3.16.1"
    )
    """The ParallelCluster version that deploys the cluster; its configuration schema is used."""

    os: Literal["ubuntu2204", "ubuntu2404", "alinux2023", "rhel8", "rhel9"] = "ubuntu2204"
    """The operating system of every node, from the images of ParallelCluster."""

    ssh_key_name: (
        Annotated[
            str, Field(pattern=formats.KEY_NAME.pattern, examples=[formats.KEY_NAME.example])
        ]
        | None
    ) = None
    """An EC2 key pair for the default user of the image; none if absent. Ubuntu refuses RSA
    keys."""

    head_node_root_volume_gib: RootVolumeGib | None = None
    """Root volume size of the head node; the size of the image if absent."""

    root_volume_gib: RootVolumeGib | None = None
    """Root volume size of each compute node; the size of the image if absent."""

    queue_update_strategy: Literal["drain", "terminate", "compute-fleet-stop"] = "drain"
    """What an update does with nodes of a changed queue: wait for their jobs, terminate them, or
    fail while the compute fleet runs."""

    scaling_strategy: Literal["all-or-nothing", "greedy-all-or-nothing", "best-effort"] = (
        "all-or-nothing"
    )
    """Whether instances of a job are kept if not all of them can be launched."""

    scaledown_idle_minutes: Annotated[int, Field(ge=1, le=10_080, examples=[30])] = 10
    """Idle dynamic nodes are terminated after this time; changing it stops the compute fleet."""

    gpu_health_check: bool | None = None
    """NVIDIA DCGM health check before each job; if absent, on unless it is known to hang (P4 to
    P6)."""

    login_grace_minutes: Annotated[int, Field(ge=3, le=120)] = 10
    """Time between the notice to users of a login node and its termination."""

    detailed_monitoring: bool = False
    """EC2 metrics of the nodes every minute, which CloudWatch charges for."""
