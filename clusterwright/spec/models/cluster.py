"""The whole cluster."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clusterwright.spec.models.common import Model
from clusterwright.spec.models.compute import ComputeGroup
from clusterwright.spec.models.identity import Identity
from clusterwright.spec.models.network import Network
from clusterwright.spec.models.operations import (
    Budget,
    Image,
    Observability,
    Resilience,
    Run,
    Waiver,
)
from clusterwright.spec.models.slurm import Slurm
from clusterwright.spec.models.storage import Storage


TAG_PATTERN = r"^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$"
"""Characters of a tag's key and value (SageMaker's TagKey and TagValue)."""


class Cluster(Model):
    """One cluster for training, as reviewed: everything that is built, and nothing else."""

    environment: Annotated[str, Field(pattern=r"^[a-z0-9](-?[a-z0-9])*$", max_length=40)]
    """The cluster's name; stacks are `<environment>-<part>`."""

    account: Annotated[str, Field(pattern=r"^\d{12}$")]
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")]
    partition: Literal["aws", "aws-us-gov", "aws-cn"]
    """AWS partition; follows from the region."""

    platform: Literal["hyperpod-slurm", "hyperpod-eks", "parallelcluster", "eks"]
    protection: Literal["retain", "destroy"] = "retain"
    """retain: stateful resources outlive the stacks, which are protected. destroy: for dev and demo."""

    network: Network
    compute: Annotated[list[ComputeGroup], Field(min_length=1, max_length=100)]
    storage: Storage = Storage()
    identity: Identity = Identity()
    slurm: Slurm = Slurm()
    image: Image = Image()
    resilience: Resilience = Resilience()
    observability: Observability = Observability()
    budget: Budget | None = None
    run: Run | None = None
    tags: Annotated[
        dict[
            Annotated[str, Field(pattern=TAG_PATTERN, min_length=1, max_length=128)],
            Annotated[str, Field(pattern=TAG_PATTERN, max_length=256)],
        ],
        Field(max_length=45),
    ] = {}
    waivers: list[Waiver] = []
