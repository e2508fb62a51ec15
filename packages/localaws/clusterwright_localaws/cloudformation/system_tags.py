"""The tags that CloudFormation adds by itself to what a stack creates.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-resource-tags.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_PREFIX: Final = "aws:cloudformation:"
_NAMES: Final = ("stack-name", "stack-id", "logical-id")
_KEYS: Final = frozenset(f"{_PREFIX}{name}" for name in _NAMES)


def system_tags(stack_name: str, stack_id: str, logical_id: str) -> dict[str, str]:
    """Return the tags of one resource."""
    values = (stack_name, stack_id, logical_id)
    return {f"{_PREFIX}{name}": one for name, one in zip(_NAMES, values, strict=True)}


def without_system_tags(value: Any) -> Any:
    """Return properties of a resource without the tags of CloudFormation, in whichever form."""
    if isinstance(value, Mapping):
        return {key: without_system_tags(one) for key, one in value.items() if key not in _KEYS}
    if isinstance(value, list):
        return [without_system_tags(one) for one in value if not _is_system_tag(one)]
    return value


def _is_system_tag(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    return any(value.get(name) in _KEYS for name in ("Key", "key", "TagKey"))
