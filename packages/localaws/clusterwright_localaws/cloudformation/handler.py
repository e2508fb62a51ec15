"""The base class of resource types: a small class that converts properties to API calls.

To support a new type, add a module to this package and define a `Handler` subclass in it; the
registry finds it by its `type_name`. Nothing else has to be notified.

The engine has done the following before a handler is called, so a handler need not:

* resolved every intrinsic function, so `properties` holds plain JSON values;
* dropped properties whose value is ``AWS::NoValue``;
* checked `properties` against the type's CloudFormation schema, and turned ``"5"`` and
  ``"true"`` into what the schema says (CloudFormation accepts both spellings);
* decided, from the schema's create-only properties and `Handler.replacing`, whether a change
  is an update in place or a replacement. `update` is never called for a replacement.

A handler calls the service's API by `Context.client` and lets its `ClientError` through: the
engine turns it into the event and the rollback that CloudFormation shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from clusterwright_localaws.core.request_tags import is_reserved

Properties = Mapping[str, Any]


@dataclass(frozen=True)
class Created:
    """The result of a handler's operation on a resource.

    Parameters
    ----------
    physical_id:
        What ``Ref`` returns, and what ``DescribeStackResources`` shows.
    attributes:
        What ``Fn::GetAtt`` returns, by the full attribute name (``Arn``, ``Endpoint.Address``).
        Values are strings, or lists of strings where AWS's attribute is a list.
    remark:
        The reason of the event that says it is complete; AWS's such events have none.
    """

    physical_id: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    remark: str | None = None


class HandlerFailure(Exception):
    """A handler fails without an API error to pass on.

    Parameters
    ----------
    message:
        The message, in AWS's wording where it is known.
    code:
        CloudFormation's handler error code: ``InvalidRequest``, ``AlreadyExists``, ``NotFound``,
        ``NotStabilized``, ``ServiceLimitExceeded``, ``GeneralServiceException``.
        https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-test-contract-errors.html
    """

    def __init__(self, message: str, code: str = "GeneralServiceException") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class Cancelled(Exception):
    """The operation that the handler works for was cancelled while it waited."""


@dataclass
class Context:
    """The context of a handler's operation: one per resource and operation.

    Parameters
    ----------
    account, region, partition:
        The 12-digit account, the region, and ``aws``, ``aws-cn`` or ``aws-us-gov``.
    stack_name, stack_id, logical_id, resource_type:
        The resource's place in its stack.
    stack_tags, previous_stack_tags:
        Tags of the stack, which CloudFormation puts on every resource that can carry tags, as
        they are to be and, in an update, as they were.
    system_tags:
        The tags that CloudFormation adds by itself; empty for a type that does not have them.
    creating:
        The resource is created: it has no tags before.
    token:
        A token that is the same for one create, update or delete of one resource, for
        parameters such as ``ClientRequestToken``.
    managed:
        At a read: returns physical id and properties of every resource of a type in every
        stack here, for what one resource shows and another one brought, such as rules.
    take_snapshot:
        At a delete: the template says ``Snapshot``, so the data must be kept in one.
    rolling_back:
        The operation undoes what it did: an update goes back, a delete takes away what was new.
    creation_policy:
        At a create: the resource's ``CreationPolicy``, evaluated.
    """

    account: str
    region: str
    partition: str
    stack_name: str
    stack_id: str
    logical_id: str
    resource_type: str
    stack_tags: Mapping[str, str]
    token: str
    previous_stack_tags: Mapping[str, str] = field(default_factory=dict)
    system_tags: Mapping[str, str] = field(default_factory=dict)
    creating: bool = False
    take_snapshot: bool = False
    rolling_back: bool = False
    creation_policy: Mapping[str, Any] = field(default_factory=dict)
    managed: Callable[[str], list[tuple[str, Properties]]] = lambda type_name: []
    poll_interval_s: float = 0.05
    suffix: str = ""
    on_identified: Callable[[str], None] = lambda physical_id: None
    cancelled: Callable[[], bool] = lambda: False
    pause: Callable[[float], None] = time.sleep

    def client(self, service: str, *, region: str | None = None) -> Any:
        """Return the in-process boto3 client of `service` in this account and region."""
        from clusterwright_localaws.core.boto_clients import client

        return client(service, account=self.account, region=region or self.region)

    def identify(self, physical_id: str) -> None:
        """Record the physical id as soon as the API has returned it, before waiting for anything.

        From then on a failure of this create leaves a resource that the rollback deletes;
        without it, the engine believes that nothing was created.
        """
        self.on_identified(physical_id)

    def wait(self, done: Callable[[], bool], *, what: str, timeout_s: float = 3600.0) -> None:
        """Call `done` until it answers true, with a short pause in between.

        `done` describes the resource; it raises `HandlerFailure` (code ``NotStabilized``) when
        the resource has failed for good.

        Parameters
        ----------
        what:
            What is waited for, for the message of a time-out: ``"the cluster to be InService"``.

        Raises
        ------
        HandlerFailure
            `timeout_s` seconds have passed.
        Cancelled
            The stack operation was cancelled.
        """
        deadline = time.monotonic() + timeout_s
        pause_s = min(0.01, self.poll_interval_s)
        while not done():
            if self.cancelled():
                raise Cancelled
            if time.monotonic() > deadline:
                raise HandlerFailure(f"Exceeded attempts to wait for {what}", "NotStabilized")
            self.pause(pause_s)
            pause_s = min(pause_s * 1.5, self.poll_interval_s)

    def generated_name(
        self, *, max_length: int = 255, lower: bool = False, upper_suffix: bool = False
    ) -> str:
        """Return a name for a resource without one in its template: stack, logical id, 12 random
        characters.

        The name is the same for all calls within one create. If it is too long, the left parts are
        truncated, never the random one, which has capital letters and digits only where
        `upper_suffix` says so.
        """
        suffix = self.suffix.upper() if upper_suffix else self.suffix
        room = max_length - len(suffix) - 2
        stack, logical = self.stack_name, self.logical_id
        if len(stack) + len(logical) > room:
            stack = stack[: max(room - len(logical), room // 2)]
            logical = logical[: room - len(stack)]
        name = f"{stack}-{logical}-{suffix}"
        return name.lower() if lower else name

    def tags(self, own: object = None) -> list[dict[str, str]]:
        """Merge a resource's own tags over the stack's, as a list of ``Key`` and ``Value``.

        `own` is the ``Tags`` property: a list of pairs, a mapping, or nothing. The tags of
        CloudFormation are among them.

        Raises
        ------
        HandlerFailure
            InvalidRequest: an own tag has a key that is reserved for AWS.
        """
        return [{"Key": key, "Value": value} for key, value in self.tag_map(own).items()]

    def tagging(
        self, properties: Properties, member: str = "Tags", *, as_map: bool = False
    ) -> dict[str, Any]:
        """Return the parameter of a create call that sets the tags; empty without tags."""
        own = properties.get("Tags")
        tags = self.tag_map(own) if as_map else self.tags(own)
        return {member: tags} if tags else {}

    def tag_map(self, own: object = None) -> dict[str, str]:
        """Like `tags`, as a mapping."""
        return {**_merged(self.stack_tags, own), **self.system_tags}

    def tag_changes(self, old: object, new: object) -> tuple[list[dict[str, str]], list[str]]:
        """Return the tags to set and the keys to remove in an update.

        `old` and `new` are the ``Tags`` property before and after; changes of the stack's own
        tags are included.
        """
        before = _merged(self.previous_stack_tags, old)
        if not self.creating:
            before |= self.system_tags
        after = self.tag_map(new)
        changed = [
            {"Key": key, "Value": value}
            for key, value in after.items()
            if before.get(key) != value
        ]
        return changed, [key for key in before if key not in after]


class Handler:
    """The operations of one resource type: create, update, delete and read.

    Handlers have no state: one instance serves every stack, from several threads at once.
    """

    type_name: ClassVar[str] = ""
    """For example ``AWS::EC2::VPC``. A class without one is a base class, and not registered."""

    unsupported_properties: ClassVar[frozenset[str]] = frozenset()
    """Properties of the schema that this handler does not support. A template with one of them is
    refused by name before anything runs: no property is ignored silently.
    """

    supported_properties: ClassVar[frozenset[str] | None] = None
    """The supported properties, for types of which only a part is supported; None for all."""

    unsupported_attributes: ClassVar[frozenset[str]] = frozenset()
    """Attributes of the schema that `Created` never has, each with everything below it. A template
    that uses one is refused by name before anything runs.
    """

    def create(self, ctx: Context, properties: Properties) -> Created:
        """Create the resource, wait until it is usable, and return its id and attributes.

        Call ``ctx.identify(physical_id)`` before waiting. Let `ClientError` through.
        """
        raise NotImplementedError

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        """Change the resource in place from `old` to `new`, and return the result.

        The returned `physical_id` is normally unchanged. A type whose properties cannot change in
        place need not override this.
        """
        raise HandlerFailure(f"{self.type_name} cannot be updated in place", "NotUpdatable")

    def exists(self, ctx: Context, physical_id: str, properties: Properties) -> bool:
        """Return whether the resource to be updated is still there.

        For types whose API would create it anew, where the schema lets the update read; an error
        that says it is gone, as `delete` may raise, is an answer. For other APIs, `update` fails.
        """
        return True

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        """Delete the resource and wait until it is deleted.

        A resource that no longer exists is not an error: call `gone` around the API call, or raise
        the service's not-found error, which the engine treats as success.
        """
        raise NotImplementedError

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties | None:
        """Return the live properties that can be read back, for drift; None if it is gone.

        Only properties that appear in the result are compared with the template.

        Raises
        ------
        NotReadable
            This type does not support drift detection here.
        """
        raise NotReadable

    def snapshot_refusal(self, properties: Properties) -> str | None:
        """Return why ``Snapshot`` cannot be a policy of this resource, or None where it can.

        Where it can, `delete` must heed ``ctx.take_snapshot``, and a template that gives no
        ``DeletionPolicy`` means ``Snapshot``: that is the default of the types carried so far.
        """
        return f"{self.type_name} does not support the policy Snapshot"

    def refused(self, properties: Properties) -> list[str]:
        """Return the given properties that the local AWS does not support for this type."""
        return [
            name
            for name in properties
            if name in self.unsupported_properties
            or (self.supported_properties is not None and name not in self.supported_properties)
        ]

    def outdated(
        self, account: str, region: str, physical_id: str, properties: Properties
    ) -> bool:
        """Return whether what the properties point at has changed, as a nested template."""
        return False

    takes_creation_policy: ClassVar[bool] = False
    """Return whether this type supports ``CreationPolicy``."""

    def lacks(self, attribute: str) -> bool:
        """Return whether an attribute of the schema is none that the local AWS answers."""
        return any(
            attribute == one or attribute.startswith(f"{one}.")
            for one in self.unsupported_attributes
        )

    def replacing(self, old: Properties, new: Properties) -> set[str]:
        """Return changed properties that force a replacement although the schema allows them.

        For the schema's ``conditionalCreateOnlyProperties``; the schema's create-only
        properties are known to the engine.
        """
        return set()


class NotReadable(Exception):
    """The type cannot be read; drift detection returns ``NOT_CHECKED``."""


def _merged(stack_tags: Mapping[str, str], own: object) -> dict[str, str]:
    merged = dict(stack_tags)
    if isinstance(own, Mapping):
        merged.update({str(key): str(value) for key, value in own.items()})
    elif isinstance(own, Iterable):
        merged.update({str(tag["Key"]): str(tag["Value"]) for tag in own})
    reserved = sorted(key for key in merged if is_reserved(key))
    if reserved:
        raise HandlerFailure(
            f"Tag keys [{', '.join(reserved)}] start with the reserved prefix aws:",
            "InvalidRequest",
        )
    return merged
