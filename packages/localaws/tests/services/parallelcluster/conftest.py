"""The environment of aws-parallelcluster, which validates configurations."""

from __future__ import annotations

from tests.support.pcluster import pcluster_python, validated_by_pcluster

__all__ = ["pcluster_python", "validated_by_pcluster"]
