"""Keys, roles and access."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.spec.models.common import Arn, Model


class Identity(Model):
    kms_key_arn: Annotated[Arn, Field(pattern=r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/.+$")] | None = None
    """An existing key, never altered; one is created if absent."""

    permissions_boundary_arn: (
        Annotated[Arn, Field(pattern=r"^arn:aws[a-z-]*:iam::(\d{12}|aws):policy/.+$")] | None
    ) = None
    session_manager: bool = True
    """Shells on nodes through AWS Systems Manager."""
