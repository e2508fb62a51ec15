"""EKS capabilities: controllers that EKS runs outside the cluster."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model


class ArgoCd(Model):
    """Managed Argo CD, which applies manifests of a Git repository continuously."""

    repository: Annotated[
        str,
        Field(
            pattern=formats.GIT_REPOSITORY.pattern,
            max_length=500,
            examples=[formats.GIT_REPOSITORY.example],
        ),
    ]
    """The Git repository with the rendered manifests."""

    path: Annotated[
        str,
        Field(pattern=formats.REPOSITORY_FILE.pattern, max_length=500, examples=["clusters/dev"]),
    ]
    """Folder of the cluster's manifests in the repository."""

    revision: Annotated[
        str,
        Field(pattern=formats.GIT_REVISION.pattern, max_length=200),
    ] = "main"
    """Branch, tag or commit."""

    identity_center_arn: Annotated[
        str,
        Field(
            pattern=formats.IDENTITY_CENTER_ARN.pattern,
            examples=[formats.IDENTITY_CENTER_ARN.example],
        ),
    ]
    """The IAM Identity Center instance for user login."""

    identity_center_region: (
        Annotated[str, Field(pattern=formats.REGION.pattern, examples=[formats.REGION.example])]
        | None
    ) = None
    """Region of the instance; the cluster's region if absent."""

    admin_group_ids: Annotated[
        list[
            Annotated[
                str,
                Field(
                    pattern=formats.IDENTITY_CENTER_ID.pattern,
                    examples=[formats.IDENTITY_CENTER_ID.example],
                ),
            ]
        ],
        Field(max_length=50),
    ] = []
    """Identity Center groups with the Argo CD administrator role."""

    prune: bool = False
    """Whether resources removed from the repository are deleted from the cluster."""


class Capabilities(Model):
    """EKS capabilities, each with a separate role."""

    argocd: ArgoCd | None = None
    """Argo CD; not created if absent."""

    ack: bool = False
    """AWS Controllers for Kubernetes; its role has no permissions until you attach policies."""

    kro: bool = False
    """Kube Resource Orchestrator."""
