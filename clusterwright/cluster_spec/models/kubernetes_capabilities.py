"""Controllers that EKS runs outside of the cluster's nodes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model


class ArgoCd(Model):
    """Argo CD, run by EKS: it applies what lies in a repository, and keeps it so."""

    repository: Annotated[
        str,
        Field(
            pattern=formats.GIT_REPOSITORY.pattern,
            max_length=500,
            examples=[formats.GIT_REPOSITORY.example],
        ),
    ]
    """The reviewed repository that holds the rendered manifests."""

    path: Annotated[
        str,
        Field(pattern=formats.REPOSITORY_FILE.pattern, max_length=500, examples=["clusters/dev"]),
    ]
    """The folder of this cluster's manifests in the repository."""

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
    """The instance of IAM Identity Center that people log in with."""

    identity_center_region: (
        Annotated[str, Field(pattern=formats.REGION.pattern, examples=[formats.REGION.example])]
        | None
    ) = None
    """Its region; the cluster's if absent."""

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
    """Groups of Identity Center that administer Argo CD."""

    prune: bool = False
    """Whether what is taken out of the repository is taken out of the cluster too."""


class Capabilities(Model):
    """Capabilities of EKS; each has a role of its own."""

    argocd: ArgoCd | None = None
    """Delivers the manifests; none if absent."""

    ack: bool = False
    """AWS Controllers for Kubernetes; its role may do nothing until you give it rights."""

    kro: bool = False
    """Kube Resource Orchestrator."""
