"""AWS ParallelCluster: its version, and what only it can be told."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.spec.models.common import Model


class ParallelCluster(Model):
    """What `platform: parallelcluster` needs beside the rest of the file."""

    version: Annotated[str, Field(pattern=r"^3\.[0-9]{1,2}\.[0-9]{1,2}$", examples=["3.16.1"])] = (
        "3.16.1"
    )
    """The release that deploys the cluster and whose schema its configuration is written for."""

    os: Literal["ubuntu2204", "ubuntu2404", "alinux2023", "rhel8", "rhel9"] = "ubuntu2204"
    """The operating system of every node, from ParallelCluster's own images."""
