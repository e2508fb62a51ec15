"""Amazon EKS: the control plane, who may reach it, and what runs on it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from clusterwright.spec.models.common import Model


class Kubernetes(Model):
    """What `platform: hyperpod-eks` and `platform: eks` need beside the rest of the file."""

    version: Annotated[str, Field(pattern=r"^1\.[0-9]{2}$", examples=["1.34"])] = "1.34"
    """Kubernetes' version, in quotes: without them YAML reads a number."""
