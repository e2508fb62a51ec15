"""AWS ParallelCluster: its version, and what only it can be told."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model

RootVolumeGib = Annotated[int, Field(ge=45, le=16384, examples=[200])]
"""ParallelCluster's own images have 45 GiB (aws-parallelcluster 3.16.1, constants.py); gp3."""


class ParallelCluster(Model):
    """What `platform: parallelcluster` needs beside the rest of the file."""

    version: Annotated[str, Field(pattern=r"^3\.[0-9]{1,2}\.[0-9]{1,2}$", examples=["3.16.1"])] = (
        "3.16.1"
    )
    """The release that deploys the cluster and whose schema its configuration is written for."""

    os: Literal["ubuntu2204", "ubuntu2404", "alinux2023", "rhel8", "rhel9"] = "ubuntu2204"
    """The operating system of every node, from ParallelCluster's own images."""

    ssh_key_name: (
        Annotated[
            str, Field(pattern=formats.KEY_NAME.pattern, examples=[formats.KEY_NAME.example])
        ]
        | None
    ) = None
    """An EC2 key pair for the image's own user; none if absent. Ubuntu refuses RSA keys."""

    head_node_root_volume_gib: RootVolumeGib | None = None
    """Root volume of the head node; the image's own size if absent."""

    root_volume_gib: RootVolumeGib | None = None
    """Root volume of each compute node; the image's own size if absent."""

    queue_update_strategy: Literal["drain", "terminate", "compute-fleet-stop"] = "drain"
    """What an update does with nodes whose queue it changes: let jobs end, end them, or refuse
    while the fleet runs."""

    scaling_strategy: Literal["all-or-nothing", "greedy-all-or-nothing", "best-effort"] = (
        "all-or-nothing"
    )
    """Whether a job's instances are kept when not all of them can be had."""

    scaledown_idle_minutes: Annotated[int, Field(ge=1, le=10_080, examples=[30])] = 10
    """Idle nodes beyond those that always run are ended after this; a change stops the fleet."""

    gpu_health_check: bool | None = None
    """NVIDIA's DCGM test before each job; if absent, where it is not known to hang (P4 to P6)."""

    login_grace_minutes: Annotated[int, Field(ge=3, le=120)] = 10
    """From the notice to people on a login node to its end."""

    detailed_monitoring: bool = False
    """EC2's metrics of the nodes each minute, which CloudWatch charges for."""
