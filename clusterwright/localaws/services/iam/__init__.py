"""IAM's operations that moto lacks: the policy simulator."""

from __future__ import annotations

from clusterwright.localaws.services.iam import context_keys, simulator

__all__ = ["context_keys", "simulator"]
