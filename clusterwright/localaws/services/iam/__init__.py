"""IAM's operations that moto lacks: the policy simulator."""

from __future__ import annotations

from clusterwright.localaws.services.iam import boundaries, context_keys, simulator

__all__ = ["boundaries", "context_keys", "simulator"]
