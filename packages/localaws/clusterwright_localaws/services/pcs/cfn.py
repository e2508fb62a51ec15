"""AWS PCS: clusters, compute node groups and queues.

``Ref`` is the ARN, the primary identifier of the types' schemas. What ``Fn::GetAtt`` returns is on
their pages in AWS's CloudFormation template reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    delete_settled,
    lower_first,
    pick,
    ready,
    retag,
)
from clusterwright_localaws.services.pcs.clusters import UPDATABLE
from clusterwright_localaws.services.pcs.settings import IDLE_TIME_S

# What a template leaves out of a cluster's Slurm configuration has these values (API model).
_CLUSTER_DEFAULTS: Final = {
    "scaleDownIdleTimeInSeconds": IDLE_TIME_S,
    "accounting": {"mode": "NONE", "defaultPurgeTimeInDays": -1},
    "slurmRest": {"mode": "NONE"},
}
# "A value of -1 removes the override" (API model, ComputeNodeGroupSlurmConfiguration).
_GROUP_DEFAULTS: Final = {"scaleDownIdleTimeInSeconds": -1}
_GROUP_STRUCTURES: Final = ("NodeLifecycleActions", "ScalingConfiguration", "SpotOptions")


class PcsHandler(Handler):
    """A resource of PCS; `kind` is its name in the methods of boto3, `member` in answers."""

    kind: ClassVar[str] = ""
    member: ClassVar[str] = ""
    identifier: ClassVar[str] = ""
    longest_name: ClassVar[int] = 25
    # Lists of structures, which no attribute of a template can be.
    unsupported_attributes = frozenset({"ErrorInfo"})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        """Delete the resource and wait until it is deleted."""
        named = self._named(physical_id)
        delete_settled(
            ctx,
            lambda: self._get(ctx, physical_id)["status"],
            lambda: getattr(ctx.client("pcs"), f"delete_{self.kind}")(**named),
            f"The {self.kind.replace('_', ' ')} {physical_id}",
        )

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties | None:
        """Return the live properties, without defaults that the template leaves out."""
        try:
            found = self._get(ctx, physical_id)
        except ClientError as error:
            if error.response["Error"]["Code"] == "ResourceNotFoundException":
                return None
            raise
        tags = ctx.client("pcs").list_tags_for_resource(resourceArn=physical_id)["tags"]
        live = {**self._live(found), "Tags": tags}
        return {
            name: _as_written(value, properties[name])
            for name, value in live.items()
            if name in properties
        }

    def _live(self, found: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def _name(self, ctx: Context, properties: Properties) -> str:
        return str(properties.get("Name") or ctx.generated_name(max_length=self.longest_name))

    def _named(self, physical_id: str) -> dict[str, str]:
        """Return the parameters that name the resource with an ARN."""
        parts = physical_id.rsplit(":", 1)[-1].split("/")
        named = {"clusterIdentifier": parts[1]}
        return {**named, self.identifier: parts[-1]}

    def _get(self, ctx: Context, physical_id: str) -> dict[str, Any]:
        answer = getattr(ctx.client("pcs"), f"get_{self.kind}")(**self._named(physical_id))
        found: dict[str, Any] = answer[self.member]
        return found

    def _settled(self, ctx: Context, arn: str) -> Created:
        """Wait until the resource is active, and return it."""

        def failure(found: Mapping[str, Any]) -> str | None:
            errors = [f"{one['code']}: {one['message']}" for one in found.get("errorInfo", ())]
            return "; ".join(errors) or None

        found = ready(
            ctx,
            lambda: self._get(ctx, arn),
            f"The {self.kind.replace('_', ' ')} {arn}",
            failure=failure,
        )
        return Created(arn, {"Arn": arn, "Id": found["id"], "Status": found["status"]})


class Cluster(PcsHandler):
    """A cluster."""

    type_name = "AWS::PCS::Cluster"
    kind = "cluster"
    member = "cluster"
    identifier = "clusterIdentifier"
    longest_name = 40
    unsupported_attributes = frozenset({"Endpoints", "ErrorInfo"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        """Create a cluster and wait until it is active."""
        made = ctx.client("pcs").create_cluster(
            clusterName=self._name(ctx, properties),
            clientToken=ctx.token,
            size=properties["Size"],
            scheduler=lower_first(properties["Scheduler"]),
            networking=lower_first(properties["Networking"]),
            **_configuration(properties),
            **ctx.tagging(properties, "tags", as_map=True),
        )["cluster"]
        ctx.identify(made["arn"])
        return self._settled(ctx, made["arn"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        """Update version and Slurm configuration in one call."""
        change: dict[str, Any] = {}
        version = new["Scheduler"]["Version"]
        # A rollback of a refused version: the cluster has the former one still.
        if version != self._get(ctx, physical_id)["scheduler"]["version"]:
            change["scheduler"] = {"version": version}
        if changed(old, new, "SlurmConfiguration"):
            change["slurmConfiguration"] = _changes(old, new, _CLUSTER_DEFAULTS)
        if change:
            if self._get(ctx, physical_id)["status"] not in UPDATABLE:
                self._settled(ctx, physical_id)
            ctx.client("pcs").update_cluster(**self._named(physical_id), **change)
        done = self._settled(ctx, physical_id)
        retag(ctx, "pcs", old, new, resourceArn=physical_id)
        return done

    def _live(self, found: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "Name": found["name"],
            "Size": found["size"],
            "Scheduler": _upper_first(found["scheduler"]),
            "Networking": _upper_first(found["networking"]),
            "SlurmConfiguration": _upper_first(found["slurmConfiguration"]),
        }


class ComputeNodeGroup(PcsHandler):
    """A compute node group."""

    type_name = "AWS::PCS::ComputeNodeGroup"
    kind = "compute_node_group"
    member = "computeNodeGroup"
    identifier = "computeNodeGroupIdentifier"

    def create(self, ctx: Context, properties: Properties) -> Created:
        """Create a compute node group and wait until it is active."""
        made = ctx.client("pcs").create_compute_node_group(
            clusterIdentifier=properties["ClusterId"],
            computeNodeGroupName=self._name(ctx, properties),
            clientToken=ctx.token,
            instanceConfigs=lower_first(properties["InstanceConfigs"]),
            **_group_parameters(properties),
            **_configuration(properties),
            **ctx.tagging(properties, "tags", as_map=True),
        )["computeNodeGroup"]
        ctx.identify(made["arn"])
        return self._settled(ctx, made["arn"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        """Update what differs in one call."""
        before, after = _group_parameters(old), _group_parameters(new)
        change = {name: value for name, value in after.items() if before.get(name) != value}
        removed = before.keys() - after.keys()
        if "amiId" in removed:
            change["amiId"] = ""
        if "purchaseOption" in removed:
            change["purchaseOption"] = "ONDEMAND"
        kept = removed - {"amiId", "purchaseOption", "spotOptions"}
        if kept:
            raise HandlerFailure(
                f"UpdateComputeNodeGroup cannot remove {', '.join(sorted(kept))}.",
                "InvalidRequest",
            )
        if changed(old, new, "SlurmConfiguration"):
            change["slurmConfiguration"] = _changes(old, new, _GROUP_DEFAULTS)
        if change:
            self._settled(ctx, physical_id)
            ctx.client("pcs").update_compute_node_group(**self._named(physical_id), **change)
        done = self._settled(ctx, physical_id)
        retag(ctx, "pcs", old, new, resourceArn=physical_id)
        return done

    def _live(self, found: Mapping[str, Any]) -> dict[str, Any]:
        live = {
            "Name": found["name"],
            "ClusterId": found["clusterId"],
            **pick(
                found,
                amiId="AmiId",
                iamInstanceProfileArn="IamInstanceProfileArn",
                purchaseOption="PurchaseOption",
                subnetIds="SubnetIds",
            ),
            "InstanceConfigs": _upper_first(found["instanceConfigs"]),
            "ScalingConfiguration": _upper_first(found["scalingConfiguration"]),
        }
        for name in ("nodeLifecycleActions", "slurmConfiguration", "spotOptions"):
            if name in found:
                live[name[0].upper() + name[1:]] = _upper_first(found[name])
        template = found.get("customLaunchTemplate")
        if template:
            live["CustomLaunchTemplate"] = {
                "TemplateId": template["id"],
                "Version": template["version"],
            }
        return live


class Queue(PcsHandler):
    """A queue."""

    type_name = "AWS::PCS::Queue"
    kind = "queue"
    member = "queue"
    identifier = "queueIdentifier"

    def create(self, ctx: Context, properties: Properties) -> Created:
        """Create a queue and wait until it is active."""
        made = ctx.client("pcs").create_queue(
            clusterIdentifier=properties["ClusterId"],
            queueName=self._name(ctx, properties),
            clientToken=ctx.token,
            computeNodeGroupConfigurations=_associations(properties),
            **_configuration(properties),
            **ctx.tagging(properties, "tags", as_map=True),
        )["queue"]
        ctx.identify(made["arn"])
        return self._settled(ctx, made["arn"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        """Update what differs in one call."""
        change: dict[str, Any] = {}
        if changed(old, new, "ComputeNodeGroupConfigurations"):
            change["computeNodeGroupConfigurations"] = _associations(new)
        if changed(old, new, "SlurmConfiguration"):
            change["slurmConfiguration"] = _changes(old, new, {})
        if change:
            self._settled(ctx, physical_id)
            ctx.client("pcs").update_queue(**self._named(physical_id), **change)
        done = self._settled(ctx, physical_id)
        retag(ctx, "pcs", old, new, resourceArn=physical_id)
        return done

    def _live(self, found: Mapping[str, Any]) -> dict[str, Any]:
        live = {
            "Name": found["name"],
            "ClusterId": found["clusterId"],
            "ComputeNodeGroupConfigurations": _upper_first(
                found["computeNodeGroupConfigurations"]
            ),
        }
        if "slurmConfiguration" in found:
            live["SlurmConfiguration"] = _upper_first(found["slurmConfiguration"])
        return live


def _group_parameters(properties: Properties) -> dict[str, Any]:
    """Return the parameters that creation and update of a group have in common."""
    found = pick(
        properties,
        AmiId="amiId",
        IamInstanceProfileArn="iamInstanceProfileArn",
        PurchaseOption="purchaseOption",
        SubnetIds="subnetIds",
    )
    for name in _GROUP_STRUCTURES:
        if name in properties:
            found[name[0].lower() + name[1:]] = lower_first(properties[name])
    template = properties.get("CustomLaunchTemplate")
    if template:
        found["customLaunchTemplate"] = {
            "id": template.get("TemplateId", ""),
            "version": template.get("Version", ""),
        }
    return found


def _associations(properties: Properties) -> list[Any]:
    found: list[Any] = lower_first(properties.get("ComputeNodeGroupConfigurations", []))
    return found


def _configuration(properties: Properties) -> dict[str, Any]:
    configuration = properties.get("SlurmConfiguration")
    return {"slurmConfiguration": _lowered(configuration)} if configuration else {}


def _changes(old: Properties, new: Properties, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Slurm configuration of an update: removed lists are empty, removed values have
    their default. PCS refuses empty lists.
    """
    before = _lowered(old.get("SlurmConfiguration", {}))
    after = _lowered(new.get("SlurmConfiguration", {}))
    found = {name: value for name, value in after.items() if before.get(name) != value}
    for name in before.keys() - after.keys():
        found[name] = defaults.get(name, [])
    return found


def _lowered(configuration: Mapping[str, Any]) -> dict[str, Any]:
    for name in ("AuthKey", "JwtAuth"):
        if name in configuration:
            raise HandlerFailure(
                f"SlurmConfiguration.{name} cannot be set: AWS PCS creates the key.",
                "InvalidRequest",
            )
    found: dict[str, Any] = {}
    for name, value in configuration.items():
        # The attributes of a gres.conf record keep their names.
        kept = name == "GresCustomSettings"
        found[name[0].lower() + name[1:]] = value if kept else lower_first(value)
    return found


def _as_written(live: Any, written: Any) -> Any:
    """Return a live value with those members only that the template has."""
    if isinstance(live, Mapping) and isinstance(written, Mapping):
        return {key: _as_written(live[key], written[key]) for key in written if key in live}
    if isinstance(live, list) and isinstance(written, list) and len(live) == len(written):
        return [_as_written(one, other) for one, other in zip(live, written, strict=True)]
    return live


def _upper_first(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key[:1].upper() + key[1:]: _upper_first(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_upper_first(item) for item in value]
    return value
