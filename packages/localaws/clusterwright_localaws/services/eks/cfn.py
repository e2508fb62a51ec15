"""EKS: clusters, node groups, add-ons, access entries and pod identity associations.

What ``Ref`` and ``Fn::GetAtt`` return is on the pages of the types in AWS's CloudFormation
template reference. An update of a cluster is a sequence of API updates, since EKS accepts one at a
time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

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

_CLUSTER_STRUCTURES = (
    "AccessConfig",
    "ComputeConfig",
    "ControlPlaneScalingConfig",
    "EncryptionConfig",
    "KubeApiServerConfig",
    "KubeControllerManagerConfig",
    "KubeSchedulerConfig",
    "KubernetesNetworkConfig",
    "RemoteNetworkConfig",
    "ResourcesVpcConfig",
    "StorageConfig",
    "UpgradePolicy",
    "ZonalShiftConfig",
)
_ENDPOINTS = ("EndpointPublicAccess", "EndpointPrivateAccess", "PublicAccessCidrs")
_NETWORK = ("SubnetIds", "SecurityGroupIds")
_AUTO_MODE = ("ComputeConfig", "StorageConfig", "KubernetesNetworkConfig")
_COMPONENTS = ("KubeApiServerConfig", "KubeControllerManagerConfig", "KubeSchedulerConfig")
_ALONE = ("ControlPlaneScalingConfig", "RemoteNetworkConfig", "UpgradePolicy", "ZonalShiftConfig")
_NODEGROUP_STRUCTURES = (
    "LaunchTemplate",
    "NodeRepairConfig",
    "RemoteAccess",
    "ScalingConfig",
    "Taints",
    "UpdateConfig",
    "WarmPoolConfig",
)


class Cluster(Handler):
    """``Ref`` is the cluster's name."""

    type_name = "AWS::EKS::Cluster"
    unsupported_properties = frozenset(
        {"ActiveCertificateAuthorityId", "CertificateAuthority", "OutpostConfig", "RollbackConfig"}
    )
    # For clusters on an Outpost, and for certificate rotation.
    unsupported_attributes = frozenset({"CertificateAuthority.Active", "Id"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        name = properties.get("Name") or ctx.generated_name(max_length=100)
        ctx.client("eks").create_cluster(
            name=name,
            clientRequestToken=ctx.token,
            **pick(
                properties,
                RoleArn="roleArn",
                Version="version",
                BootstrapSelfManagedAddons="bootstrapSelfManagedAddons",
                DeletionProtection="deletionProtection",
            ),
            **_structures(properties, *_CLUSTER_STRUCTURES),
            **({"logging": _logging(properties, {})} if "Logging" in properties else {}),
            **ctx.tagging(properties, "tags", as_map=True),
        )
        ctx.identify(name)
        return self._active(ctx, name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        eks = ctx.client("eks")
        for change in _cluster_changes(old, new):
            self._active(ctx, physical_id)
            update = eks.update_cluster_config(name=physical_id, **change)["update"]
            _await_update(ctx, physical_id, update["id"])
        if changed(old, new, "Version") and new.get("Version"):
            force = {"force": True} if new.get("Force") else {}
            update = eks.update_cluster_version(
                name=physical_id, version=str(new["Version"]), **force
            )["update"]
            _await_update(ctx, physical_id, update["id"])
        done = self._active(ctx, physical_id)
        retag(ctx, "eks", old, new, resourceArn=done.attributes["Arn"])
        return done

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        eks = ctx.client("eks")
        delete_settled(
            ctx,
            lambda: eks.describe_cluster(name=physical_id)["cluster"]["status"],
            lambda: eks.delete_cluster(name=physical_id),
            f"The cluster {physical_id}",
        )

    def _active(self, ctx: Context, name: str) -> Created:
        eks = ctx.client("eks")
        found = ready(
            ctx, lambda: eks.describe_cluster(name=name)["cluster"], f"The cluster {name}"
        )
        data = found["certificateAuthority"]["data"]
        attributes = {
            "Arn": found["arn"],
            "CertificateAuthorityData": data,
            "CertificateAuthority.Data": data,
            "ClusterSecurityGroupId": found["resourcesVpcConfig"]["clusterSecurityGroupId"],
            "Endpoint": found["endpoint"],
            "OpenIdConnectIssuerUrl": found["identity"]["oidc"]["issuer"],
        }
        for entry in found.get("encryptionConfig", ()):
            attributes["EncryptionConfigKeyArn"] = entry["provider"]["keyArn"]
        ipv6 = found["kubernetesNetworkConfig"].get("serviceIpv6Cidr")
        if ipv6:
            attributes["KubernetesNetworkConfig.ServiceIpv6Cidr"] = ipv6
        return Created(name, attributes)


class ClusterChild(Handler):
    """A resource of a cluster, with a state. `kind` is its name in the API."""

    kind: ClassVar[str] = ""

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        named = self._named(physical_id, properties)
        delete_settled(
            ctx,
            lambda: self._call(ctx, "describe", **named)["status"],
            lambda: self._call(
                ctx, "delete", **named, **pick(properties, PreserveOnDelete="preserve")
            ),
            physical_id,
        )

    def _named(self, physical_id: str, properties: Properties) -> dict[str, str]:
        """Return the parameters that name the resource."""
        cluster, name = physical_id.replace("|", "/").split("/", 1)
        return {"clusterName": cluster, f"{self.kind}Name": name}

    def _call(self, ctx: Context, verb: str, **parameters: Any) -> dict[str, Any]:
        answer = getattr(ctx.client("eks"), f"{verb}_{self.kind}")(**parameters)
        found: dict[str, Any] = answer[self.kind]
        return found

    def _ready(self, ctx: Context, named: Mapping[str, str], what: str) -> Mapping[str, Any]:
        def failure(found: Mapping[str, Any]) -> str | None:
            issues = "; ".join(str(issue["message"]) for issue in found["health"]["issues"])
            return f"{what} failed to stabilize: {issues}" if issues else None

        return ready(ctx, lambda: self._call(ctx, "describe", **named), what, failure=failure)


class Nodegroup(ClusterChild):
    """``Ref`` is the cluster's and the node group's name with a slash between."""

    type_name = "AWS::EKS::Nodegroup"
    kind = "nodegroup"

    def create(self, ctx: Context, properties: Properties) -> Created:
        cluster = properties["ClusterName"]
        name = properties.get("NodegroupName") or ctx.generated_name(max_length=63)
        group = self._call(
            ctx,
            "create",
            clusterName=cluster,
            nodegroupName=name,
            clientRequestToken=ctx.token,
            **pick(
                properties,
                NodeRole="nodeRole",
                Subnets="subnets",
                AmiType="amiType",
                CapacityType="capacityType",
                InstanceTypes="instanceTypes",
                Labels="labels",
                ReleaseVersion="releaseVersion",
                Version="version",
            ),
            **({"diskSize": int(properties["DiskSize"])} if "DiskSize" in properties else {}),
            **_structures(properties, *_NODEGROUP_STRUCTURES),
            **ctx.tagging(properties, "tags", as_map=True),
        )
        physical_id = f"{cluster}/{group['nodegroupName']}"
        ctx.identify(physical_id)
        return self._active(ctx, physical_id)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        eks = ctx.client("eks")
        named = self._named(physical_id, new)
        cluster, name = named.values()
        if changed(old, new, "Version", "ReleaseVersion", "LaunchTemplate"):
            template = new.get("LaunchTemplate") if changed(old, new, "LaunchTemplate") else None
            update = eks.update_nodegroup_version(
                **named,
                **pick(new, Version="version", ReleaseVersion="releaseVersion"),
                **({"launchTemplate": lower_first(template)} if template else {}),
                **({"force": True} if new.get("ForceUpdateEnabled") else {}),
            )["update"]
            _await_update(ctx, cluster, update["id"], nodegroupName=name)
        config = _nodegroup_config(old, new)
        if config:
            update = eks.update_nodegroup_config(**named, **config)["update"]
            _await_update(ctx, cluster, update["id"], nodegroupName=name)
        done = self._active(ctx, physical_id)
        retag(ctx, "eks", old, new, resourceArn=done.attributes["Arn"])
        return done

    def _active(self, ctx: Context, physical_id: str) -> Created:
        named = self._named(physical_id, {})
        found = self._ready(ctx, named, f"Nodegroup {named['nodegroupName']}")
        return Created(
            physical_id,
            {
                "Arn": found["nodegroupArn"],
                "ClusterName": found["clusterName"],
                "Id": physical_id,
                "NodegroupName": found["nodegroupName"],
            },
        )


class Addon(ClusterChild):
    """``Ref`` is the cluster's and the add-on's name with a bar between."""

    type_name = "AWS::EKS::Addon"
    kind = "addon"

    def create(self, ctx: Context, properties: Properties) -> Created:
        addon = self._call(
            ctx,
            "create",
            clientRequestToken=ctx.token,
            **_addon_parameters(properties),
            **pick(properties, ClusterName="clusterName", AddonName="addonName"),
            **_structures(properties, "NamespaceConfig"),
            **ctx.tagging(properties, "tags", as_map=True),
        )
        physical_id = f"{addon['clusterName']}|{addon['addonName']}"
        ctx.identify(physical_id)
        return self._active(ctx, physical_id)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        eks = ctx.client("eks")
        cluster, name = self._named(physical_id, new).values()
        before, after = _addon_parameters(old), _addon_parameters(new)
        if before != after:
            if "podIdentityAssociations" in before:
                after.setdefault("podIdentityAssociations", [])
            update = eks.update_addon(clusterName=cluster, addonName=name, **after)["update"]
            _await_update(ctx, cluster, update["id"], addonName=name)
        done = self._active(ctx, physical_id)
        retag(ctx, "eks", old, new, resourceArn=done.attributes["Arn"])
        return done

    def _active(self, ctx: Context, physical_id: str) -> Created:
        named = self._named(physical_id, {})
        found = self._ready(ctx, named, f"The add-on {named['addonName']}")
        return Created(physical_id, {"Arn": found["addonArn"]})


class AccessEntry(Handler):
    """``Ref`` is the principal's ARN and the cluster's name with a bar between."""

    type_name = "AWS::EKS::AccessEntry"

    def create(self, ctx: Context, properties: Properties) -> Created:
        eks = ctx.client("eks")
        named = pick(properties, ClusterName="clusterName", PrincipalArn="principalArn")
        made = eks.create_access_entry(
            **named,
            **pick(
                properties, KubernetesGroups="kubernetesGroups", Type="type", Username="username"
            ),
            clientRequestToken=ctx.token,
            **ctx.tagging(properties, "tags", as_map=True),
        )["accessEntry"]
        physical_id = f"{named['principalArn']}|{named['clusterName']}"
        ctx.identify(physical_id)
        for policy in properties.get("AccessPolicies", ()):
            _associate(eks, named, policy)
        return Created(physical_id, {"AccessEntryArn": made["accessEntryArn"]})

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        eks = ctx.client("eks")
        named = pick(new, ClusterName="clusterName", PrincipalArn="principalArn")
        if changed(old, new, "KubernetesGroups", "Username"):
            eks.update_access_entry(
                **named,
                kubernetesGroups=new.get("KubernetesGroups", []),
                **pick(new, Username="username"),
            )
        before = {policy["PolicyArn"]: policy for policy in old.get("AccessPolicies", ())}
        after = {policy["PolicyArn"]: policy for policy in new.get("AccessPolicies", ())}
        for arn in before.keys() - after.keys():
            eks.disassociate_access_policy(**named, policyArn=arn)
        for arn, policy in after.items():
            if before.get(arn) != policy:
                _associate(eks, named, policy)
        found = eks.describe_access_entry(**named)["accessEntry"]
        retag(ctx, "eks", old, new, resourceArn=found["accessEntryArn"])
        return Created(physical_id, {"AccessEntryArn": found["accessEntryArn"]})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        principal, cluster = physical_id.rsplit("|", 1)
        ctx.client("eks").delete_access_entry(clusterName=cluster, principalArn=principal)


class PodIdentityAssociation(Handler):
    """``Ref`` is the association's ARN."""

    type_name = "AWS::EKS::PodIdentityAssociation"

    def create(self, ctx: Context, properties: Properties) -> Created:
        made = ctx.client("eks").create_pod_identity_association(
            **pick(
                properties,
                ClusterName="clusterName",
                Namespace="namespace",
                ServiceAccount="serviceAccount",
            ),
            **_association_parameters(properties),
            clientRequestToken=ctx.token,
            **ctx.tagging(properties, "tags", as_map=True),
        )["association"]
        ctx.identify(made["associationArn"])
        return _association(made)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        eks = ctx.client("eks")
        named = {
            "clusterName": new["ClusterName"],
            "associationId": physical_id.rsplit("/", 1)[-1],
        }
        if _association_parameters(old) != _association_parameters(new):
            eks.update_pod_identity_association(**named, **_association_parameters(new))
        retag(ctx, "eks", old, new, resourceArn=physical_id)
        return _association(eks.describe_pod_identity_association(**named)["association"])

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        _, cluster, identifier = physical_id.rsplit("/", 2)
        ctx.client("eks").delete_pod_identity_association(
            clusterName=cluster, associationId=identifier
        )


def _structures(properties: Properties, *names: str) -> dict[str, Any]:
    """Return the named properties that are given, with the API's names at every level."""
    found: dict[str, Any] = lower_first(pick(properties, *names))
    return found


def _logging(new: Properties, old: Properties) -> dict[str, Any]:
    """Return the API's logging configuration; the template lists enabled types, the API takes
    changes.
    """

    def enabled(properties: Properties) -> list[str]:
        logging = (properties.get("Logging") or {}).get("ClusterLogging") or {}
        return [entry["Type"] for entry in logging.get("EnabledTypes", ())]

    on, before = enabled(new), enabled(old)
    off = [kind for kind in before if kind not in on]
    entries = [{"types": on, "enabled": True}] if on else []
    return {"clusterLogging": entries + ([{"types": off, "enabled": False}] if off else [])}


def _cluster_changes(old: Properties, new: Properties) -> list[dict[str, Any]]:
    """Yield the parameters of UpdateClusterConfig for each kind of update, in order."""
    found: list[dict[str, Any]] = []
    before, after = old.get("ResourcesVpcConfig", {}), new.get("ResourcesVpcConfig", {})
    names: tuple[str, ...]
    for names in (_ENDPOINTS, _NETWORK, ("ControlPlaneEgressMode",)):
        part = {name: after[name] for name in names if name in after}
        if part and any(before.get(name) != after.get(name) for name in names):
            found.append({"resourcesVpcConfig": lower_first(part)})
    if changed(old, new, "Logging"):
        found.append({"logging": _logging(new, old)})
    mode = (new.get("AccessConfig") or {}).get("AuthenticationMode")
    if mode and mode != (old.get("AccessConfig") or {}).get("AuthenticationMode"):
        found.append({"accessConfig": {"authenticationMode": mode}})
    for names in (_AUTO_MODE, _COMPONENTS, *((name,) for name in _ALONE)):
        part = _structures(new, *(name for name in names if changed(old, new, name)))
        if part:
            found.append(part)
    if changed(old, new, "DeletionProtection"):
        found.append({"deletionProtection": bool(new.get("DeletionProtection", False))})
    return found


def _nodegroup_config(old: Properties, new: Properties) -> dict[str, Any]:
    config: dict[str, Any] = {}
    before, after = old.get("Labels", {}), new.get("Labels", {})
    if before != after:
        config["labels"] = {
            "addOrUpdateLabels": {k: v for k, v in after.items() if before.get(k) != v},
            "removeLabels": [key for key in before if key not in after],
        }
    if changed(old, new, "Taints"):
        requested = lower_first(new.get("Taints", []))
        kept = {(taint.get("key"), taint.get("effect")) for taint in requested}
        config["taints"] = {
            "addOrUpdateTaints": requested,
            "removeTaints": [
                taint
                for taint in lower_first(old.get("Taints", []))
                if (taint.get("key"), taint.get("effect")) not in kept
            ],
        }
    names = ("ScalingConfig", "UpdateConfig", "NodeRepairConfig", "WarmPoolConfig")
    return {**config, **_structures(new, *(name for name in names if changed(old, new, name)))}


def _addon_parameters(properties: Properties) -> dict[str, Any]:
    found = pick(
        properties,
        AddonVersion="addonVersion",
        ConfigurationValues="configurationValues",
        ResolveConflicts="resolveConflicts",
        ServiceAccountRoleArn="serviceAccountRoleArn",
    )
    return {**found, **_structures(properties, "PodIdentityAssociations")}


def _association_parameters(properties: Properties) -> dict[str, Any]:
    return pick(
        properties,
        RoleArn="roleArn",
        DisableSessionTags="disableSessionTags",
        TargetRoleArn="targetRoleArn",
        Policy="policy",
    )


def _association(found: Mapping[str, Any]) -> Created:
    attributes = {
        "AssociationArn": found["associationArn"],
        "AssociationId": found["associationId"],
    }
    if found.get("externalId"):
        attributes["ExternalId"] = found["externalId"]
    return Created(found["associationArn"], attributes)


def _associate(eks: Any, named: Mapping[str, Any], policy: Mapping[str, Any]) -> None:
    eks.associate_access_policy(
        **named, policyArn=policy["PolicyArn"], accessScope=lower_first(policy["AccessScope"])
    )


def _await_update(ctx: Context, cluster: str, update_id: str, **of: str) -> None:
    eks = ctx.client("eks")

    def done() -> bool:
        update = eks.describe_update(name=cluster, updateId=update_id, **of)["update"]
        if update["status"] in ("Failed", "Cancelled"):
            reasons = "; ".join(str(error["errorMessage"]) for error in update["errors"])
            raise HandlerFailure(reasons or f"The update is {update['status']}", "NotStabilized")
        return bool(update["status"] == "Successful")

    ctx.wait(done, what=f"the update {update_id} of {cluster}")
