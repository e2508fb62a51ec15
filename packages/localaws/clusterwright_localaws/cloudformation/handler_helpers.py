"""Small pieces that many handlers share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Properties


def pick(properties: Properties, *names: str, **renamed: str) -> dict[str, Any]:
    """Return the named properties that are given, as parameters of an API call.

    `renamed` maps a property to the parameter that takes it, where the names differ.
    """
    out = {name: properties[name] for name in names if name in properties}
    out.update(
        {parameter: properties[name] for name, parameter in renamed.items() if name in properties}
    )
    return out


def policy_text(document: Any) -> str:
    """Return a policy document, which a template gives as an object or as text, as text."""
    return document if isinstance(document, str) else json.dumps(document)


def changed(old: Properties, new: Properties, *names: str) -> bool:
    """Return whether any of the named properties differs."""
    return any(old.get(name) != new.get(name) for name in names)


def ec2_tags(ctx: Context, kind: str, own: object) -> dict[str, Any]:
    """Return the ``TagSpecifications`` of a create call of EC2, empty without tags."""
    tags = ctx.tags(own)
    return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags}]} if tags else {}


def retag_ec2(ctx: Context, resource_id: str, old: Properties, new: Properties) -> None:
    """Bring the tags of an EC2 resource from one set of properties to another."""
    added, removed = ctx.tag_changes(old.get("Tags"), new.get("Tags"))
    ec2 = ctx.client("ec2")
    if removed:
        ec2.delete_tags(Resources=[resource_id], Tags=[{"Key": key} for key in removed])
    if added:
        ec2.create_tags(Resources=[resource_id], Tags=added)


def retag(
    ctx: Context,
    old: Properties,
    new: Properties,
    *,
    add: Callable[[list[dict[str, str]]], object],
    remove: Callable[[list[str]], object],
) -> None:
    """Bring tags from one set of properties to another by a service's own two calls."""
    added, removed = ctx.tag_changes(old.get("Tags"), new.get("Tags"))
    if removed:
        remove(removed)
    if added:
        add(added)


def lower_first(value: Any) -> Any:
    """Return a structure with the first letter of every key in lower case."""
    if isinstance(value, Mapping):
        return {key[:1].lower() + key[1:]: lower_first(item) for key, item in value.items()}
    if isinstance(value, list):
        return [lower_first(item) for item in value]
    return value


def key_value_map(pairs: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return a list of ``Key`` and ``Value`` as a mapping."""
    return {pair["Key"]: pair["Value"] for pair in pairs}
