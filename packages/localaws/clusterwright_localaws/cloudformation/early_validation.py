"""Early validation: what a change set reports before it can be executed.

Three of AWS's six validations: wrong properties and names that are taken, which fail the change
set, and buckets with objects that would be deleted, which are warnings.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/validate-stack-deployments.html
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.drift import reading_context
from clusterwright_localaws.cloudformation.handler import HandlerFailure, NotReadable
from clusterwright_localaws.cloudformation.planning import (
    CREATE,
    KEEPING,
    REPLACE,
    Plan,
    Step,
    handler_of,
)
from clusterwright_localaws.cloudformation.schema import resource_schema
from clusterwright_localaws.cloudformation.state import Failure, Resource, Stack

if TYPE_CHECKING:
    from clusterwright_localaws.cloudformation.store import Store

_BUCKET = "AWS::S3::Bucket"


@dataclass(frozen=True)
class _Kind:
    """One validation: the hook that the change set's reason names, and the name in its events.

    The names are those that users quote (aws-cloudformation/rain#744, aws/aws-cdk-cli#1000).
    """

    name: str
    hook: str
    mode: str = "FAIL"


_PROPERTIES = _Kind("PROPERTY_VALIDATION", "AWS::EarlyValidation::PropertyValidation")
_NAMES = _Kind("NAME_CONFLICT_VALIDATION", "AWS::EarlyValidation::ResourceExistenceCheck")
_BUCKETS = _Kind("BUCKET_EMPTINESS_VALIDATION", "", mode="WARN")
_HOOKS = {one.name: one.hook for one in (_PROPERTIES, _NAMES)}


def validate(
    store: Store, stack: Stack, plan: Plan, *, operation_id: str, import_existing: bool
) -> list[Failure]:
    """Return what early validation finds in a plan.

    Parameters
    ----------
    store, stack, plan:
        The stacks of the account and region, the one that changes, and how.
    operation_id:
        The operation that the events belong to.
    import_existing:
        Resources whose name exists are imported, and no conflict.
    """

    def failure(
        kind: _Kind, name: str, type_name: str, physical_id: str, message: str, path: str = ""
    ) -> Failure:
        return Failure(
            event_id=str(uuid.uuid4()),
            operation_id=operation_id,
            logical_id=name,
            physical_id=physical_id,
            resource_type=type_name,
            message=message,
            path=f"/Resources/{name}{path}",
            time=stack.tick(),
            name=kind.name,
            mode=kind.mode,
        )

    found = [
        failure(
            _PROPERTIES,
            step.logical_id,
            step.type_name,
            step.old.physical_id if step.old else "",
            violation.message,
            "/Properties" + violation.path.removeprefix("#"),
        )
        for step, violation in plan.violations
    ]
    if not import_existing:
        for step, identifier in _conflicts(store, stack, plan):
            message = (
                f"Resource of type '{step.type_name}' with identifier '{identifier}' already "
                "exists."
            )
            found.append(failure(_NAMES, step.logical_id, step.type_name, identifier, message))
    for one in _buckets_with_objects(store, stack, plan):
        message = (
            f"The bucket '{one.physical_id}' is not empty. You must either delete all objects and "
            "versions or use the deletion policy to retain it, otherwise the delete operation "
            "will fail."
        )
        found.append(failure(_BUCKETS, one.logical_id, one.type_name, one.physical_id, message))
    return found


def refusal(found: Sequence[Failure]) -> str | None:
    """Return the reason of a change set that fails for what was found, None where none does."""
    hooks = list(dict.fromkeys(_HOOKS[one.name] for one in found if one.mode == "FAIL"))
    if not hooks:
        return None
    return (
        f"The following hook(s)/validation failed: [{', '.join(hooks)}]. To troubleshoot Early "
        "Validation errors, use the DescribeEvents API for detailed failure information."
    )


def _conflicts(store: Store, stack: Stack, plan: Plan) -> Iterator[tuple[Step, str]]:
    """Yield the resources to be created whose name exists, with that name.

    Examined are types whose primary identifier the template states, and whose handler can read.
    """
    for step in plan.steps.values():
        name = _stated_name(stack, step)
        if step.action != CREATE or step.violations or name is None:
            continue
        context = reading_context(store, stack, step.logical_id, step.type_name)
        try:
            actual = handler_of(step.type_name).read(context, name, step.properties)
        except (NotReadable, HandlerFailure, ClientError):
            continue  # not there, or the service refuses the name, as it will at the creation
        if actual is not None:
            yield step, name


def _stated_name(stack: Stack, step: Step) -> str | None:
    """Return the primary identifier, if it is one property that the template gives a value."""
    schema = resource_schema(step.type_name, stack.region)
    if schema is None or len(schema.primary_identifier) != 1:
        return None
    (path,) = schema.primary_identifier
    if len(path) != 1 or path in schema.read_only:
        return None
    name = step.properties.get(path[0])
    return name if isinstance(name, str) and "{{resolve:" not in name else None


def _buckets_with_objects(store: Store, stack: Stack, plan: Plan) -> Iterator[Resource]:
    for one in _deleted(stack, plan):
        if one.type_name != _BUCKET or not one.physical_id:
            continue
        s3 = reading_context(store, stack, one.logical_id, one.type_name).client("s3")
        try:
            versions = s3.list_object_versions(Bucket=one.physical_id, MaxKeys=1)
        except ClientError:
            continue  # it is gone, or the caller may not list it: AWS skips the validation
        if versions.get("Versions") or versions.get("DeleteMarkers"):
            yield one


def _deleted(stack: Stack, plan: Plan) -> Iterable[Resource]:
    """Yield the resources that the plan deletes."""
    for name in plan.removed:
        one = stack.resources[name]
        if one.deletion_policy not in KEEPING:
            yield one
    for step in plan.steps.values():
        replaced = step.old
        if (
            step.action == REPLACE
            and replaced is not None
            and replaced.update_replace_policy not in KEEPING
        ):
            yield replaced
