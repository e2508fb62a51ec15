"""The tags in requests, in whichever form a service has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

# AWS keeps tags with this prefix for itself, in every capitalization.
# https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html
_RESERVED: Final = "aws:"
# Members of requests that set tags, as the services' models name them, and those that are lists of
# keys of tags to remove. CloudFront has both in a structure.
_SET: Final = re.compile(
    r"(?i).*tags(list|model|override|toadd|toupdate)?|taglist|.*tagspecifications"
)
_REMOVED: Final = re.compile(
    r"(?i)(remove|resource)?tagkeys|tagkeylist|tagsto(remove|delete)|(remove)?tags"
)
_KEYS: Final = frozenset({"key", "tagkey"})
# Tags that select something, or are none of a resource.
_OTHER: Final = frozenset(
    {"allowedaccesscontroltags", "lftags", "principaltags", "resourcegrouptags", "targettags"}
)


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


def request_tag_keys(shape: Any, parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of the tags that a request would set or remove.

    Parameters
    ----------
    shape:
        The shape of the operation's input in the model of the API; None without one.
    """
    for name, value in parameters.items():
        if shape is not None and name in shape.members and value is not None:
            yield from _keys(name, shape.members[name], value)


def sets_reserved_only(operation: str, parameters: Mapping[str, Any]) -> bool:
    """Return whether a request is PutBucketTagging with tags of AWS and no other."""
    if operation != "PutBucketTagging":
        return False
    tagging = parameters.get("Tagging")
    given = tagging.get("TagSet") or () if isinstance(tagging, Mapping) else ()
    return bool(given) and all(is_reserved(str(tag["Key"])) for tag in given)


def is_reserved(key: str) -> bool:
    """Return whether only AWS sets the tag."""
    return key.lower().startswith(_RESERVED)


def _keys(name: str, shape: Any, value: Any) -> Iterator[str]:
    kind = shape.type_name
    if name.lower() in _OTHER:
        return
    if kind == "list" and shape.member.type_name == "string":
        if _REMOVED.fullmatch(name):
            yield from value
    elif kind == "structure" and (_SET.fullmatch(name) or _REMOVED.fullmatch(name)):
        for inner, one in value.items():
            yield from _keys(name if inner == "Items" else inner, shape.members[inner], one)
    elif not _SET.fullmatch(name):
        return
    elif kind == "map":
        yield from value
    elif kind == "list":
        key = next((each for each in shape.member.members if each.lower() in _KEYS), None)
        for one in value:
            if key is None:  # a specification, with tags
                yield from _keys(name, shape.member, one)
            elif key in one:
                yield one[key]


def _pairs(value: Any) -> dict[str, str]:
    if isinstance(value, Mapping):
        return {str(key): str(text) for key, text in value.items()}
    found = {}
    for one in value if isinstance(value, list) else ():
        if isinstance(one, Mapping):
            key = one.get("Key", one.get("key", one.get("TagKey")))
            text = one.get("Value", one.get("value", one.get("TagValue", "")))
            if key is not None:
                found[str(key)] = str(text)
    return found
