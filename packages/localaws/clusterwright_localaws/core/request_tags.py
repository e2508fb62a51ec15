"""The tags in requests, in whichever form a service has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

# AWS keeps tags with this prefix for itself, in every capitalization.
# https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html
_RESERVED: Final = "aws:"


def request_tags(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the tags that a request would set, in whichever form the service has them."""
    found: dict[str, str] = {}
    for name, value in parameters.items():
        if name.lower() == "tagspecifications":
            for one in value or []:
                found |= _pairs(one.get("Tags"))
        elif name.lower() in ("tags", "taglist", "resourcetags"):
            found |= _pairs(value)
    return found


def request_tag_keys(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of the tags that a request would set or remove."""
    yield from request_tags(parameters)
    for name, value in parameters.items():
        if name.lower() in ("tagkeys", "tagkeylist"):
            yield from (str(key) for key in value or ())


def sets_reserved_only(parameters: Mapping[str, Any]) -> bool:
    """Return whether PutBucketTagging sets tags of AWS and no other."""
    tagging = parameters.get("Tagging")
    # Of objects it is the text of a query.
    given = tagging.get("TagSet") or () if isinstance(tagging, Mapping) else ()
    return bool(given) and all(is_reserved(str(tag["Key"])) for tag in given)


def is_reserved(key: str) -> bool:
    """Return whether only AWS sets the tag."""
    return key.lower().startswith(_RESERVED)


def _pairs(value: Any) -> dict[str, str]:
    if isinstance(value, Mapping):
        return {str(key): str(text) for key, text in value.items()}
    found = {}
    for one in value or []:
        if isinstance(one, Mapping):
            key = one.get("Key", one.get("key", one.get("TagKey")))
            text = one.get("Value", one.get("value", one.get("TagValue", "")))
            if key is not None:
                found[str(key)] = str(text)
    return found
