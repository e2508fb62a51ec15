"""IAM's operations that moto lacks: the policy simulator, clients of OpenID Connect providers."""

from __future__ import annotations

from clusterwright_localaws.services.iam import boundaries, context_keys, oidc_clients, simulator

__all__ = ["boundaries", "context_keys", "oidc_clients", "simulator"]
