"""What many handlers share: parameters, tags, and waiting for states."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.handler import Context, HandlerFailure, Properties

_BUSY = frozenset(
    {
        "CREATING",
        "MODIFYING",
        "PENDING",
        "ROLLINGBACK",
        "SHUTTING-DOWN",
        "SYSTEMUPDATING",
        "UPDATING",
        "VERSION_UPDATING",
    }
)
_DELETED = frozenset({"CANCELLED", "DELETED", "DELETING", "EXPIRED", "TERMINATED"})


def pick(properties: Properties, *names: str, **renamed: str) -> dict[str, Any]:
    """Return the named properties that the template has, as parameters of an API call.

    `renamed` maps a property to its parameter if the names differ.
    """
    out = {name: properties[name] for name in names if name in properties}
    out.update(
        {parameter: properties[name] for name, parameter in renamed.items() if name in properties}
    )
    return out


def policy_text(document: Any) -> str:
    """Return a policy document as text; a template has it as an object or as text."""
    return document if isinstance(document, str) else json.dumps(document)


def changed(old: Properties, new: Properties, *names: str) -> bool:
    """Return whether any of the named properties differs."""
    return any(old.get(name) != new.get(name) for name in names)


def ec2_tags(ctx: Context, kind: str, own: object) -> dict[str, Any]:
    """Return the ``TagSpecifications`` of a create call of EC2; empty without tags."""
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
    service: str,
    old: Properties,
    new: Properties,
    *,
    calls: tuple[str, str] = ("tag_resource", "untag_resource"),
    **resource: str,
) -> None:
    """Bring the tags of a resource from one set of properties to another.

    `calls` are the service's methods that add and remove tags, `resource` their parameters that
    name the resource. The API's model gives the name and the form of their tags.
    """
    added, removed = ctx.tag_changes(old.get("Tags"), new.get("Tags"))
    client = ctx.client(service)
    for call, values in ((calls[1], removed), (calls[0], added)):
        if values:
            getattr(client, call)(**resource, **_tag_member(client, call, values))


def _tag_member(client: Any, call: str, values: list[Any]) -> dict[str, Any]:
    model = client.meta.service_model.operation_model(client.meta.method_to_api_mapping[call])
    name, shape = next(
        item for item in model.input_shape.members.items() if item[0].lower().startswith("tag")
    )
    if shape.type_name == "map":
        return {name: key_value_map(values)}
    if shape.member.type_name == "structure":
        key, value = shape.member.members
        return {name: [{key: tag["Key"], value: tag["Value"]} for tag in values]}
    return {name: values}


def ready(
    ctx: Context,
    describe: Callable[[], Mapping[str, Any]],
    what: str,
    *,
    status: str = "status",
    wanted: str | tuple[str, ...] = "ACTIVE",
    failure: Callable[[Mapping[str, Any]], str | None] = lambda found: None,
) -> Mapping[str, Any]:
    """Wait until no change of a resource runs, and return its description.

    `describe` returns the description, with its status in `status`.

    Raises
    ------
    HandlerFailure
        The status is not `wanted` then. `failure` returns the reason; default: the status.
    """
    found: dict[str, Any] = {}

    def done() -> bool:
        found.clear()
        found.update(describe())
        return str(found[status]).upper() not in _BUSY

    states = (wanted,) if isinstance(wanted, str) else wanted
    ctx.wait(done, what=f"{what} to be {' or '.join(states)}")
    if found[status] not in states:
        raise HandlerFailure(failure(found) or f"{what} is {found[status]}", "NotStabilized")
    return found


def delete_settled(
    ctx: Context, status: Callable[[], str], delete: Callable[[], object], what: str
) -> None:
    """Delete a resource when no change of it runs, and wait until it is deleted.

    `status` describes the resource, and lets the API's not-found error through.
    """
    settle(ctx, status, what)
    if _status(status) not in (None, *_DELETED):
        delete()
    wait_deleted(ctx, status, what)


def settle(ctx: Context, status: Callable[[], str], what: str) -> None:
    """Wait until no change of a resource runs; `status` as for `delete_settled`.

    A cancelled creation, or a change that a rollback reverts, may still be running.
    """
    ctx.wait(lambda: _status(status) not in _BUSY, what=f"{what} to settle")


def wait_deleted(ctx: Context, status: Callable[[], str], what: str) -> None:
    """Wait until a resource is deleted; `status` as for `delete_settled`.

    Raises
    ------
    HandlerFailure
        The service reports that the deletion failed.
    """

    def deleted() -> bool:
        found = _status(status)
        if found is not None and found.replace("_", "") == "DELETEFAILED":
            raise HandlerFailure(f"{what} is {found}", "NotStabilized")
        return found in (None, "DELETED")

    ctx.wait(deleted, what=f"{what} to be deleted")


def _status(status: Callable[[], str]) -> str | None:
    try:
        return str(status()).upper()
    except ClientError as error:
        if "NotFound" in error.response["Error"]["Code"]:
            return None
        raise


def difference(old: Properties, new: Properties, name: str) -> tuple[list[Any], list[Any]]:
    """Return the items of a list property that an update removes, and those that it adds."""
    before, after = old.get(name, []), new.get(name, [])
    return (
        [item for item in before if item not in after],
        [item for item in after if item not in before],
    )


def text_attributes(properties: Properties, names: Iterable[str]) -> dict[str, str]:
    """Return the named properties as attributes of SNS or SQS, which are all text.

    ``Fifo...`` attributes are left out where they are false.
    """
    out = {}
    for name in names:
        value = properties.get(name)
        if value is None or (name in ("FifoQueue", "FifoTopic") and not value):
            continue
        if isinstance(value, str):
            out[name] = value
        elif isinstance(value, bool):
            out[name] = str(value).lower()
        else:
            out[name] = json.dumps(value)
    return out


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
