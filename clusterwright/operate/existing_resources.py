"""Resources that the file names but no stack creates, so that no template describes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright.operate.results import NotCompared

_REASON = "no stack creates them: there is no template to compare them with"


def not_created(resolved: Mapping[str, Any]) -> Iterator[NotCompared]:
    """The keys `existing` of a resolved spec that have a value, and its own key of KMS."""
    paths = list(_existing(resolved, ""))
    if (resolved.get("identity") or {}).get("kms_key_arn"):
        paths.append("identity.kms_key_arn")
    if paths:
        yield NotCompared(f"existing resources: {', '.join(paths)}", _REASON)


def _existing(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            there = f"{path}.{name}" if path else str(name)
            if name == "existing" and item:
                yield there
            else:
                yield from _existing(item, there)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _existing(item, f"{path}[{index}]")
