"""Quotas of ClusterQueues."""

from __future__ import annotations

from typing import Any


def quotas(manifests: list[dict[str, Any]], key: str) -> dict[str, dict[str, list[str | None]]]:
    """Flavour → resource → the amounts of all queues, in the order of the tenants."""
    found: dict[str, dict[str, list[str | None]]] = {}
    for queue in (m for m in manifests if m["kind"] == "ClusterQueue"):
        for flavor in queue["spec"]["resourceGroups"][0]["flavors"]:
            for resource in flavor["resources"]:
                amounts = found.setdefault(flavor["name"], {}).setdefault(resource["name"], [])
                amounts.append(resource.get(key))
    return found
