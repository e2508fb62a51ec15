"""The common structure of Kubernetes objects, and valid names."""

from __future__ import annotations

import hashlib
from typing import Any

Manifest = dict[str, Any]

MANAGED_BY = "app.kubernetes.io/managed-by"
TENANT_LABEL = "clusterwright.dev/tenant"

LONGEST_NAME = 63
"""The maximum length of a label's value (RFC 1123), in which most names are used."""


def manifest(
    api_version: str,
    kind: str,
    name: str,
    *,
    namespace: str | None = None,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    **body: Any,
) -> Manifest:
    """Return an object; `body` has its top-level fields, such as `spec` or `rules`."""
    metadata: dict[str, Any] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    metadata["labels"] = {MANAGED_BY: "clusterwright", **(labels or {})}
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **body}


def object_name(*parts: str) -> str:
    """Return the parts joined by hyphens as a DNS label.

    Two lists of parts never have the same name: if characters are removed, or the name would be
    longer than 63, it ends with a digest of the parts.
    """
    joined = "-".join(parts)
    letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in joined.lower())
    plain = "-".join(word for word in letters.split("-") if word)
    # Hyphens in parts other than the last could make two lists equal.
    plain_parts = all("-" not in part for part in parts[:-1])
    if plain == joined and len(plain) <= LONGEST_NAME and plain_parts:
        return plain
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
    return f"{plain[: LONGEST_NAME - 9].rstrip('-')}-{digest}"
