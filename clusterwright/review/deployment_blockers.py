"""Changes that CloudFormation or a service refuses, so that the deployment would fail.

A refused update rolls back and loses no data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright.review.assembly import Assembly
from clusterwright.review.expressions import references
from clusterwright.review.resource_changes import (
    ChangeAnalysis,
    Pair,
    ResourceVersion,
    SchemaOf,
    exports,
    imports,
)
from clusterwright.review.resource_types import CLUSTER, FILE_SYSTEM
from clusterwright.review.results import DeploymentBlocker, ResourceChange

_EXPORTS: Final = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-exports.html"
)
_OPENZFS_GROWTH: Final = 1.1


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
            found += _refused(pair.before, pair.after)
            if change.effect == "restart" and pair.after.type == "AWS::EKS::Nodegroup":
                found += _node_group(pair.before, pair.after)
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


def _refused(before: ResourceVersion, after: ResourceVersion) -> Iterator[DeploymentBlocker]:
    rule = _RULES.get(after.type)
    if rule is not None:
        yield from rule(before, after)


def _file_system(before: ResourceVersion, after: ResourceVersion) -> Iterator[DeploymentBlocker]:
    """FSx: capacity only grows, and the throughput tier of a file system with EFA is fixed.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-storage-capacity.html
    https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/managing-storage-capacity.html
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html
    """
    where = "/".join(after.key)
    old, new = _number(before, "StorageCapacity"), _number(after, "StorageCapacity")
    openzfs = after.properties.get("FileSystemType") == "OPENZFS"
    if old is not None and new is not None and new < old:
        yield DeploymentBlocker(
            kind="cannot-shrink",
            where=where,
            message=(
                f"{where}: a file system cannot shrink from {old:,.0f} GiB to {new:,.0f} GiB; FSx "
                "only increases capacity, so the update fails and rolls back"
            ),
            hint=(
                "add a smaller file system under another mount path, copy the data, and remove "
                "the "
                "first one in a later change; or keep the capacity"
            ),
        )
    elif openzfs and old is not None and new is not None and old < new < _OPENZFS_GROWTH * old:
        yield DeploymentBlocker(
            kind="cannot-change",
            where=where,
            message=f"{where}: FSx for OpenZFS grows by at least 10 percent, not to {new:,.0f} "
            "GiB",
            hint=f"at least {_OPENZFS_GROWTH * old:,.0f} GiB",
        )
    lustre = ("LustreConfiguration",)
    efa = _text(before, *lustre, "EfaEnabled") == "true"
    tiers = [_number(side, *lustre, "PerUnitStorageThroughput") for side in (before, after)]
    if efa and None not in tiers and tiers[0] != tiers[1]:
        yield DeploymentBlocker(
            kind="cannot-change",
            where=where,
            message=(
                f"{where}: the throughput tier of a file system with EFA is fixed at its creation"
            ),
            hint="keep throughput_mbps_per_tib, or create a second file system",
        )
    for member, what in (
        (("MetadataConfiguration", "Iops"), "metadata IOPS"),
        (("ThroughputCapacity",), "the throughput of Intelligent-Tiering"),
    ):
        less = [_number(side, *lustre, *member) for side in (before, after)]
        if less[0] is not None and less[1] is not None and less[1] < less[0]:
            yield DeploymentBlocker(
                kind="cannot-shrink",
                where=where,
                message=f"{where}: {what} cannot be reduced ({less[0]:,.0f} to {less[1]:,.0f})",
                hint="keep the value",
            )


def _database(before: ResourceVersion, after: ResourceVersion) -> Iterator[DeploymentBlocker]:
    """RDS: "You can only increase the allocated storage. You can't reduce the allocated storage."

    https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html
    """
    old, new = _number(before, "AllocatedStorage"), _number(after, "AllocatedStorage")
    if old is not None and new is not None and new < old:
        where = "/".join(after.key)
        yield DeploymentBlocker(
            kind="cannot-shrink",
            where=where,
            message=f"{where}: RDS cannot shrink a database from {old:,.0f} to {new:,.0f} GiB",
            hint="keep the capacity",
        )


def _cluster(before: ResourceVersion, after: ResourceVersion) -> Iterator[DeploymentBlocker]:
    """HyperPod: an external accounting database and the controller group cannot be removed.

    SageMaker developer guide, `sagemaker-hyperpod-external-accounting-db-slurm`.
    """
    where = "/".join(after.key)
    database = ("Orchestrator", "Slurm", "AccountingDatabase")
    if _at(before, *database) is not None and _at(after, *database) is None:
        yield DeploymentBlocker(
            kind="cannot-change",
            where=where,
            message=f"{where}: HyperPod cannot return from an external accounting database",
            hint="keep slurm.accounting, or create a new cluster",
        )
    old, new = groups_of(before), groups_of(after)
    for name, group in old.items():
        slurm = group.get("SlurmConfig")
        role = slurm.get("NodeType") if isinstance(slurm, Mapping) else None
        if role == "Controller" and name not in new:
            yield DeploymentBlocker(
                kind="cannot-change",
                where=where,
                message=f"{where}: HyperPod cannot delete the controller group ({name})",
                hint="keep its name",
            )
        override = group.get("OverrideVpcConfig")
        if name in new and override != new[name].get("OverrideVpcConfig"):
            yield DeploymentBlocker(
                kind="cannot-change",
                where=where,
                message=f"{where}: OverrideVpcConfig of the group {name} cannot be changed",
                hint="create a new group under another name",
            )


def _minor(side: ResourceVersion) -> int | None:
    """Return the minor version of Kubernetes; None if unknown."""
    found = re.fullmatch(r"1\.(\d+)", _text(side, "Version") or "")
    return int(found[1]) if found else None


def _control_plane(before: ResourceVersion, after: ResourceVersion) -> Iterator[DeploymentBlocker]:
    """EKS: the version increases by one minor version at a time.

    EKS user guide, "Update existing cluster to new Kubernetes version".
    """
    old, new = _minor(before), _minor(after)
    if old is None or new is None or old <= new <= old + 1:
        return
    where = "/".join(after.key)
    yield DeploymentBlocker(
        kind="cannot-change",
        where=where,
        message=f"{where}: EKS cannot update Kubernetes 1.{old} to 1.{new}"
        + ("; it never downgrades" if new < old else "; it updates one minor version at a time"),
        hint=f"kubernetes: {{version: '1.{old + 1 if new > old else old}'}}",
    )


def _node_group(before: ResourceVersion, after: ResourceVersion) -> Iterator[DeploymentBlocker]:
    """EKS: a node group in a Capacity Block must have no nodes during an update.

    EKS user guide, "Create a managed node group with Capacity Blocks for ML": "make sure to set
    the desired size of the node group to 0" for an upgrade.
    """
    if "CAPACITY_BLOCK" not in (_text(before, "CapacityType"), _text(after, "CapacityType")):
        return
    sizes = [_number(side, "ScalingConfig", "DesiredSize") for side in (before, after)]
    if sizes == [0, 0]:
        return
    where = "/".join(after.key)
    yield DeploymentBlocker(
        kind="cannot-change",
        where=where,
        message=f"{where}: EKS updates a node group in a Capacity Block only while it has no "
        "nodes",
        hint="deploy `count: 0` first, then this change, then the count",
    )


_RULES: Final = {
    "AWS::EKS::Cluster": _control_plane,
    FILE_SYSTEM: _file_system,
    "AWS::RDS::DBInstance": _database,
    CLUSTER: _cluster,
}


def groups_of(side: ResourceVersion) -> dict[str, Mapping[str, Any]]:
    """The instance groups of a HyperPod cluster by name, as expressions."""
    found = {}
    for kind in ("InstanceGroups", "RestrictedInstanceGroups"):
        groups = side.properties.get(kind)
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, Mapping):
                found[str(group.get("InstanceGroupName"))] = group
    return found


def _at(side: ResourceVersion, *path: str) -> Any:
    here: Any = side.properties
    for part in path:
        here = here.get(part) if isinstance(here, Mapping) else None
    return here


def _text(side: ResourceVersion, *path: str) -> str | None:
    found = _at(side, *path)
    return found if isinstance(found, str) else None


def _number(side: ResourceVersion, *path: str) -> float | None:
    text = _text(side, *path)
    if text is None or list(references(text)) or not re.fullmatch(r"\d+(\.\d+)?", text):
        return None
    return float(text)
