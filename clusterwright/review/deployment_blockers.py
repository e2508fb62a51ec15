"""Changes that CloudFormation or a service refuses, so that the deployment would fail.

A refused update rolls back and loses no data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from clusterwright.review import update_rules
from clusterwright.review.assembly import Assembly
from clusterwright.review.resource_changes import (
    ChangeAnalysis,
    Pair,
    ResourceVersion,
    SchemaOf,
    exports,
    imports,
)
from clusterwright.review.resource_types import CLUSTER
from clusterwright.review.results import DeploymentBlocker, ResourceChange

_EXPORTS: Final = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-exports.html"
)


def deployment_blockers(
    before: Assembly, after: Assembly, analysis: ChangeAnalysis, schema_of: SchemaOf
) -> tuple[DeploymentBlocker, ...]:
    """Yield every blocker, beginning with exports."""
    changes = {(change.stack, change.logical_id): change for change in analysis.changes}
    found = [*_exports_in_use(before, after, analysis)]
    found += _names_taken(analysis, changes, schema_of)
    for key, pair in analysis.pairs.items():
        change = changes.get(key)
        if pair.before is None or pair.after is None or change is None:
            continue
        if pair.before.type != pair.after.type:
            found.append(_type_changed(pair))
        elif change.effect in ("update", "restart"):
            found += _refused(pair.before, pair.after, change.properties)
    return tuple(found)


def _exports_in_use(
    before: Assembly, after: Assembly, analysis: ChangeAnalysis
) -> Iterator[DeploymentBlocker]:
    """Exports that are removed or changed while a deployed stack imports them.

    "You can't modify or remove an output value that is referenced by another stack", and
    "You can't delete a stack if another stack references one of its outputs" (using-cfn-stack-
    exports). The CDK deploys the exporting stack first, while the importer still has its old
    template.
    """
    old, new = exports(before), exports(after)
    importers: dict[str, list[str]] = {}
    for stack in before.stacks:
        for name in imports(before, stack):
            importers.setdefault(name, []).append(stack)
    blocked: dict[str, dict[str, list[str]]] = {}
    for name, (how, _) in analysis.changed_exports.items():
        # A possible change is one in place, which rarely changes the value: no reason to block.
        if how != "certain":
            continue
        stack = old[name][0]
        users = [user for user in importers.get(name, ()) if user != stack]
        if stack in after.stacks and users:
            blocked.setdefault(stack, {})[name] = users
    for stack, names in blocked.items():
        importing = tuple(sorted({user for users in names.values() for user in users}))
        steps = _steps(before, after, stack, importing, list(names), set(new) - set(old))
        reasons = "; ".join(
            f"{name.partition(':')[2] or name}: {analysis.changed_exports[name][1]}"
            for name in list(names)[:3]
        )
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        many = "exports" if len(names) > 1 else "an export"
        use = "still use" if len(importing) > 1 else "still uses"
        yield DeploymentBlocker(
            kind="export-in-use",
            where=stack,
            message=(
                f"{stack} changes {many} that {', '.join(importing)} {use} when it is deployed "
                f"({reasons}{more}); CloudFormation refuses that: the change needs two "
                "deployments"
            ),
            hint=steps,
        )


def _steps(
    before: Assembly,
    after: Assembly,
    stack: str,
    users: tuple[str, ...],
    names: list[str],
    fresh: set[str],
) -> str:
    """The steps of a deployment: importers first, then stacks that leave the app."""
    gone = _leaving(before, after, users)
    held = {user for user in users if user in after.stacks}
    held |= {user for name in gone for user in _importers(before, name) if user in after.stacks}
    there = [name for name in after.stacks if name in held]
    still = [user for user in there if imports(after, user) & set(names)]
    wants_new = [user for user in there if imports(after, user) & fresh]
    if still:
        return (
            f"the new {', '.join(still)} uses the changed value too: first deploy a version that "
            "does not use it, then this one"
        )
    if wants_new:
        return (
            f"the new {', '.join(wants_new)} needs exports that {stack} does not have yet: split "
            "the change: first add the new exports and stop using the old ones, then remove them"
        )
    first = []
    if there:
        stops = "stops" if len(there) == 1 else "stop"
        first.append(
            f"`cdk deploy {' '.join(there)} --exclusively`, which {stops} using the exports"
        )
    if gone:
        # `cdk destroy` of this version does not know stacks that have left the app.
        deleted = ", ".join(f"`aws cloudformation delete-stack --stack-name {n}`" for n in gone)
        why = (
            "because it is no longer part of the app"
            if len(gone) == 1
            else "in this order, each after the previous one is deleted"
        )
        first.append(f"{deleted}, {why}")
    return f"first {', then '.join(first)}, then `cdk deploy --all` ({_EXPORTS})"


def _importers(before: Assembly, stack: str) -> list[str]:
    """Deployed stacks that import from a stack."""
    own = {name for name, (where, _) in exports(before).items() if where == stack}
    return [other for other in before.stacks if other != stack and imports(before, other) & own]


def _leaving(before: Assembly, after: Assembly, users: tuple[str, ...]) -> list[str]:
    """Importers that are no longer part of the app, in the order of their deletion."""
    order: list[str] = []

    def visit(name: str) -> None:
        if name in order or name in after.stacks:
            return
        for other in _importers(before, name):
            visit(other)
        order.append(name)

    for user in users:
        visit(user)
    return order


def _names_taken(
    analysis: ChangeAnalysis,
    changes: Mapping[tuple[str, str], ResourceChange],
    schema_of: SchemaOf,
) -> Iterator[DeploymentBlocker]:
    """New resources with the name of a resource that is deleted only after them.

    "CloudFormation cannot update a stack when a custom-named resource requires replacing."
    """
    ending: dict[tuple[Any, ...], ResourceVersion] = {}
    for key, pair in analysis.pairs.items():
        change = changes.get(key)
        schema = schema_of(pair.before.type) if pair.before is not None else None
        if pair.before is None or change is None or schema is None:
            continue
        if change.action == "replace" and pair.after is not None and not schema.deletes_first:
            own = _identities(pair.after, schema_of)
            for name in _identities(pair.before, schema_of):
                if name in own and pair.before.type == pair.after.type:
                    yield DeploymentBlocker(
                        kind="name-taken",
                        where=change.name,
                        message=(
                            f"{change.name} must be replaced, and its name {_name(name)} is "
                            "fixed: CloudFormation creates the new resource before it deletes "
                            "the old one, and refuses to replace a custom-named resource"
                        ),
                        hint="give it another name in the same change, or keep the property",
                    )
                    break
        elif change.effect == "delete":
            for name in _identities(pair.before, schema_of):
                ending[name] = pair.before
    for key, pair in analysis.pairs.items():
        if pair.before is not None or pair.after is None:
            continue
        for name in _identities(pair.after, schema_of):
            old = ending.get(name)
            if old is not None:
                yield DeploymentBlocker(
                    kind="name-taken",
                    where="/".join(key),
                    message=(
                        f"{'/'.join(key)} takes the name {_name(name)} of {'/'.join(old.key)}, "
                        "which is deleted after the new one is created, or retained"
                    ),
                    hint="keep the logical id, or deploy the removal first",
                )
                break


def _identities(side: ResourceVersion, schema_of: SchemaOf) -> Iterator[tuple[Any, ...]]:
    """Return the custom names of the resource that no second resource can have."""
    schema = schema_of(side.type)
    for pointers in schema.identifiers if schema is not None else ():
        if pointers & (schema.read_only if schema is not None else frozenset()):
            continue
        values = [side.properties.get(p[0]) if len(p) == 1 else None for p in sorted(pointers)]
        if values and all(isinstance(value, str) for value in values):
            yield (side.type, *values)


def _name(identity: tuple[Any, ...]) -> str:
    return "/".join(str(part) for part in identity[1:])


def _type_changed(pair: Pair) -> DeploymentBlocker:
    assert pair.before is not None
    assert pair.after is not None
    name = "/".join(pair.key)
    return DeploymentBlocker(
        kind="type-changed",
        where=name,
        message=(
            f"{name} changes from {pair.before.type} to {pair.after.type}: CloudFormation says "
            '"Update of resource type is not permitted"'
        ),
        hint="give the new resource another construct id",
    )


# --- changes that services refuse
# -------------------------------------------------------------------


def _refused(
    before: ResourceVersion, after: ResourceVersion, moved: Collection[str]
) -> Iterator[DeploymentBlocker]:
    yield from update_rules.refusals(before, after, moved)
    if after.type == CLUSTER:
        yield from _controller(before, after)


def _controller(before: ResourceVersion, after: ResourceVersion) -> Iterator[DeploymentBlocker]:
    """HyperPod: the controller group cannot be removed.

    SageMaker developer guide, `sagemaker-hyperpod-external-accounting-db-slurm`.
    """
    new = groups_of(after)
    for name, group in groups_of(before).items():
        slurm = group.get("SlurmConfig")
        role = slurm.get("NodeType") if isinstance(slurm, Mapping) else None
        if role == "Controller" and name not in new:
            where = "/".join(after.key)
            yield DeploymentBlocker(
                kind="cannot-change",
                where=where,
                message=f"{where}: HyperPod cannot delete the controller group ({name})",
                hint="keep its name",
            )


def groups_of(side: ResourceVersion) -> dict[str, Mapping[str, Any]]:
    """The instance groups of a HyperPod cluster by name, as expressions."""
    found = {}
    for kind in ("InstanceGroups", "RestrictedInstanceGroups"):
        groups = side.properties.get(kind)
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, Mapping):
                found[str(group.get("InstanceGroupName"))] = group
    return found
