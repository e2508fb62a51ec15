"""Keys, roles and access."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.base import Model


class Identity(Model):
    """Keys, roles and access."""

    kms_key_arn: (
        Annotated[
            str, Field(pattern=formats.KMS_KEY_ARN.pattern, examples=[formats.KMS_KEY_ARN.example])
        ]
        | None
    ) = None
    """An existing key, never modified; a key is created if absent."""

    permissions_boundary_arn: (
        Annotated[
            str, Field(pattern=formats.POLICY_ARN.pattern, examples=[formats.POLICY_ARN.example])
        ]
        | None
    ) = None
    """A managed policy that is the permissions boundary of every created role."""

    session_manager: bool = True
    """Shell access to nodes through AWS Systems Manager Session Manager."""
