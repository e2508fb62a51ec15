"""Teams that share the cluster."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.spec.models.common import Model


class Tenant(Model):
    """A team: a namespace with its rights and limits, or a Slurm account with limits."""

    name: Annotated[
        str, Field(pattern=r"^[a-z](-?[a-z0-9])*$", max_length=40, examples=["pretraining"])
    ]
    """The team; its namespace on Kubernetes, its account in Slurm."""
