"""HyperPod clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    pick,
    ready,
    retag,
    wait_deleted,
)

_CLUSTER = (
    "InstanceGroups",
    "RestrictedInstanceGroups",
    "RestrictedInstanceGroupsConfig",
    "Orchestrator",
    "NodeRecovery",
    "TieredStorageConfig",
    "NodeProvisioningMode",
    "ClusterRole",
    "AutoScaling",
)
_READ_ONLY = frozenset({"CurrentCount"})
# ClusterName allows 63 characters, without a hyphen at either end.
_NAME_LENGTH = 63


class Cluster(Handler):
    """``Ref`` is the cluster's ARN.

    The stack waits for ``InService``. AWS does not document how its handler treats a group that
    was rolled back because ``MinInstanceCount`` was not met; here the resource fails, since nodes
    of the template are missing.
    """

    type_name = "AWS::SageMaker::Cluster"
    # Other resources cannot refer to a failed cluster.
    unsupported_attributes = frozenset({"FailureMessage"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = properties.get("ClusterName") or ctx.generated_name(max_length=_NAME_LENGTH)
        arn = ctx.client("sagemaker").create_cluster(
            ClusterName=name,
            **_parameters(properties),
            **pick(properties, "VpcConfig"),
            **ctx.tagging(properties),
        )["ClusterArn"]
        ctx.identify(arn)
        return self._settled(ctx, arn, properties)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        sagemaker = ctx.client("sagemaker")
        parameters = _parameters(new)
        if _parameters(old) != parameters:
            gone = sorted(_names(old) - _names(new))
            sagemaker.update_cluster(
                ClusterName=physical_id,
                **parameters,
                **({"InstanceGroupsToDelete": gone} if gone else {}),
            )
            self._settled(ctx, physical_id, new)
            self._patch(ctx, physical_id, old, new)
        retag(
            ctx, "sagemaker", old, new, calls=("add_tags", "delete_tags"), ResourceArn=physical_id
        )
        return self._settled(ctx, physical_id, new)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        sagemaker = ctx.client("sagemaker")
        sagemaker.delete_cluster(ClusterName=physical_id)
        wait_deleted(
            ctx,
            lambda: sagemaker.describe_cluster(ClusterName=physical_id)["ClusterStatus"],
            f"cluster {physical_id}",
        )

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        found = ctx.client("sagemaker").describe_cluster(ClusterName=physical_id)
        live = {group["InstanceGroupName"]: group for group in found["InstanceGroups"]}
        actual: dict[str, Any] = {
            name: found[name]
            for name in (
                "ClusterName",
                "ClusterRole",
                "NodeRecovery",
                "VpcConfig",
                "NodeProvisioningMode",
                "TieredStorageConfig",
            )
            if name in found and name in properties
        }
        if "InstanceGroups" in properties:
            requested = [group["InstanceGroupName"] for group in properties["InstanceGroups"]]
            order = [n for n in requested if n in live] + [n for n in live if n not in requested]
            written = {g["InstanceGroupName"]: g for g in properties["InstanceGroups"]}
            actual["InstanceGroups"] = [_as_written(live[n], written.get(n)) for n in order]
        return actual

    def _settled(self, ctx: Context, arn: str, properties: Properties) -> Created:
        sagemaker = ctx.client("sagemaker")
        found = ready(
            ctx,
            lambda: sagemaker.describe_cluster(ClusterName=arn),
            "The cluster",
            status="ClusterStatus",
            wanted="InService",
            failure=lambda found: found.get("FailureMessage"),
        )
        shown = dict(found)

        def done() -> bool:
            shown.clear()
            shown.update(sagemaker.describe_cluster(ClusterName=arn))
            return bool(shown.get("FailureMessage")) or not _below_minimum(shown, properties)

        # A continuous cluster is InService while its compute nodes are Pending.
        ctx.wait(done, what="the groups to have MinInstanceCount")
        if shown.get("FailureMessage"):
            raise HandlerFailure(shown["FailureMessage"], "NotStabilized")
        return Created(
            arn,
            {
                "ClusterArn": arn,
                "ClusterStatus": found["ClusterStatus"],
                "CreationTime": found["CreationTime"].isoformat(),
            },
        )

    def _patch(self, ctx: Context, arn: str, old: Properties, new: Properties) -> None:
        """Apply a changed ImageReleaseVersion with UpdateClusterSoftware (CloudFormation's
        schema).
        """
        before = _releases(old)
        groups = [
            {"InstanceGroupName": name, "ImageReleaseVersion": release}
            for name, release in _releases(new).items()
            if name in before and before[name] != release and release is not None
        ]
        if groups:
            ctx.client("sagemaker").update_cluster_software(ClusterName=arn, InstanceGroups=groups)
            self._settled(ctx, arn, new)


def _parameters(properties: Properties) -> dict[str, Any]:
    found = pick(properties, *_CLUSTER)
    for kind in ("InstanceGroups", "RestrictedInstanceGroups"):
        if kind in found:
            found[kind] = [
                {k: v for k, v in group.items() if k not in _READ_ONLY} for group in found[kind]
            ]
    return found


def _names(properties: Properties) -> set[str]:
    return {
        str(group["InstanceGroupName"])
        for kind in ("InstanceGroups", "RestrictedInstanceGroups")
        for group in properties.get(kind, ())
    }


def _releases(properties: Properties) -> dict[str, str | None]:
    return {
        str(group["InstanceGroupName"]): group.get("ImageReleaseVersion")
        for group in properties.get("InstanceGroups", ())
    }


def _below_minimum(found: Mapping[str, Any], properties: Properties) -> bool:
    """Whether a group has fewer instances that are not Pending than MinInstanceCount."""
    counts = {g["InstanceGroupName"]: g["CurrentCount"] for g in found["InstanceGroups"]}
    return any(
        counts.get(group["InstanceGroupName"], 0) < int(group.get("MinInstanceCount") or 0)
        for group in properties.get("InstanceGroups", ())
    )


def _as_written(live: Mapping[str, Any], written: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a live group with the members of the template, for comparison."""
    renamed = {
        "InstanceCount": "TargetCount",
        "MinInstanceCount": "MinCount",
        "ImageReleaseVersion": "DesiredImageReleaseVersion",
    }
    names = written if written is not None else ("InstanceGroupName", "InstanceType")
    found = {
        name: live[renamed.get(name, name)]
        for name in names
        if live.get(renamed.get(name, name)) is not None
    }
    if "KubernetesConfig" in found:
        # DescribeCluster answers current and target values; the template has the target.
        config = found["KubernetesConfig"]
        found["KubernetesConfig"] = {
            name: config[f"Desired{name}"]
            for name in ("Labels", "Taints")
            if config.get(f"Desired{name}")
        }
    return found
