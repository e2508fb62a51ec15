"""STS where IAM is enforced: sessions with tags and policies, and who the caller is."""

from __future__ import annotations

from clusterwright_localaws.services.sts import identity, sessions

__all__ = ["identity", "sessions"]
