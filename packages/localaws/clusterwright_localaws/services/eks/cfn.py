"""EKS: clusters, node groups, add-ons, access entries and pod identity associations.

What ``Ref`` and ``Fn::GetAtt`` return is on the pages of the types in AWS's CloudFormation
template reference. An update of a cluster is a sequence of API updates, since EKS accepts one at a
time.
"""

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
    changed,
    key_value_map,
    lower_first,
    pick,
    retag,
)

_CLUSTER_STRUCTURES = {
    name: name[:1].lower() + name[1:]
    for name in (
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
}
_ENDPOINTS = ("EndpointPublicAccess", "EndpointPrivateAccess", "PublicAccessCidrs")
_NETWORK = ("SubnetIds", "SecurityGroupIds")
_AUTO_MODE = ("ComputeConfig", "StorageConfig", "KubernetesNetworkConfig")
_COMPONENTS = ("KubeApiServerConfig", "KubeControllerManagerConfig", "KubeSchedulerConfig")
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
        tags = ctx.tag_map(properties.get("Tags"))
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
            **_cluster_structures(properties),
            **({"logging": _logging(properties, {})} if "Logging" in properties else {}),
            **({"tags": tags} if tags else {}),
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
        _retag(ctx, old, new, done.attributes["Arn"])
        return done

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        eks = ctx.client("eks")

        def state() -> str | None:
            try:
                return str(eks.describe_cluster(name=physical_id)["cluster"]["status"])
            except eks.exceptions.ResourceNotFoundException:
                return None

        ctx.wait(lambda: state() not in ("CREATING", "UPDATING"), what=f"{physical_id} to settle")
        if state() not in (None, "DELETING"):
            eks.delete_cluster(name=physical_id)
        ctx.wait(lambda: state() is None, what=f"the cluster {physical_id} to be deleted")

    def _active(self, ctx: Context, name: str) -> Created:
        eks = ctx.client("eks")

        def ready() -> bool:
            state = eks.describe_cluster(name=name)["cluster"]["status"]
            if state in ("FAILED", "DELETING"):
                raise HandlerFailure(f"The cluster {name} is {state}", "NotStabilized")
            return bool(state == "ACTIVE")

        ctx.wait(ready, what=f"the cluster {name} to be active")
        found = eks.describe_cluster(name=name)["cluster"]
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


class Nodegroup(Handler):
    """``Ref`` is the cluster's and the node group's name with a slash between."""

    type_name = "AWS::EKS::Nodegroup"

    def create(self, ctx: Context, properties: Properties) -> Created:
        cluster = properties["ClusterName"]
        name = properties.get("NodegroupName") or ctx.generated_name(max_length=63)
        tags = ctx.tag_map(properties.get("Tags"))
        group = ctx.client("eks").create_nodegroup(
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
            **_nodegroup_structures(properties),
            **({"tags": tags} if tags else {}),
        )["nodegroup"]
        ctx.identify(f"{cluster}/{group['nodegroupName']}")
        return self._active(ctx, cluster, name)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        eks = ctx.client("eks")
        cluster, name = physical_id.split("/", 1)
        named = {"clusterName": cluster, "nodegroupName": name}
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
        done = self._active(ctx, cluster, name)
        _retag(ctx, old, new, done.attributes["Arn"])
        return done

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        eks = ctx.client("eks")
        cluster, name = physical_id.split("/", 1)
        named = {"clusterName": cluster, "nodegroupName": name}

        def state() -> str | None:
            try:
                return str(eks.describe_nodegroup(**named)["nodegroup"]["status"])
            except eks.exceptions.ResourceNotFoundException:
                return None

        ctx.wait(lambda: state() not in ("CREATING", "UPDATING"), what=f"{physical_id} to settle")
        if state() not in (None, "DELETING"):
            eks.delete_nodegroup(**named)
        ctx.wait(lambda: state() is None, what=f"the node group {physical_id} to be deleted")

    def _active(self, ctx: Context, cluster: str, name: str) -> Created:
        eks = ctx.client("eks")

        def describe() -> Mapping[str, Any]:
            found: Mapping[str, Any] = eks.describe_nodegroup(
                clusterName=cluster, nodegroupName=name
            )["nodegroup"]
            return found

        def ready() -> bool:
            found = describe()
            if found["status"] in ("CREATE_FAILED", "DELETE_FAILED", "DEGRADED", "DELETING"):
                issues = "; ".join(str(i["message"]) for i in found["health"]["issues"])
                raise HandlerFailure(
                    f"Nodegroup {name} failed to stabilize: {issues or found['status']}",
                    "NotStabilized",
                )
            return bool(found["status"] == "ACTIVE")

        ctx.wait(ready, what=f"the node group {name} to be active")
        found = describe()
        return Created(
            f"{cluster}/{name}",
            {
                "Arn": found["nodegroupArn"],
                "ClusterName": cluster,
                "Id": f"{cluster}/{name}",
                "NodegroupName": name,
            },
        )


class Addon(Handler):
    """``Ref`` is the cluster's and the add-on's name with a bar between."""

    type_name = "AWS::EKS::Addon"

    def create(self, ctx: Context, properties: Properties) -> Created:
        tags = ctx.tag_map(properties.get("Tags"))
        addon = ctx.client("eks").create_addon(
            clientRequestToken=ctx.token,
            **_addon_parameters(properties),
            **pick(properties, ClusterName="clusterName", AddonName="addonName"),
            **(
                {"namespaceConfig": lower_first(properties["NamespaceConfig"])}
                if "NamespaceConfig" in properties
                else {}
            ),
            **({"tags": tags} if tags else {}),
        )["addon"]
        ctx.identify(f"{addon['clusterName']}|{addon['addonName']}")
        return self._active(ctx, addon["clusterName"], addon["addonName"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        eks = ctx.client("eks")
        cluster, name = physical_id.split("|", 1)
        before, after = _addon_parameters(old), _addon_parameters(new)
        if before != after:
            if "podIdentityAssociations" in before:
                after.setdefault("podIdentityAssociations", [])
            update = eks.update_addon(clusterName=cluster, addonName=name, **after)["update"]
            _await_update(ctx, cluster, update["id"], addonName=name)
        done = self._active(ctx, cluster, name)
        _retag(ctx, old, new, done.attributes["Arn"])
        return done

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        eks = ctx.client("eks")
        cluster, name = physical_id.split("|", 1)
        named = {"clusterName": cluster, "addonName": name}

        def state() -> str | None:
            try:
                return str(eks.describe_addon(**named)["addon"]["status"])
            except eks.exceptions.ResourceNotFoundException:
                return None

        ctx.wait(lambda: state() not in ("CREATING", "UPDATING"), what=f"{physical_id} to settle")
        if state() not in (None, "DELETING"):
            eks.delete_addon(**named, **pick(properties, PreserveOnDelete="preserve"))
        ctx.wait(lambda: state() is None, what=f"the add-on {physical_id} to be deleted")

    def _active(self, ctx: Context, cluster: str, name: str) -> Created:
        eks = ctx.client("eks")

        def describe() -> Mapping[str, Any]:
            found: Mapping[str, Any] = eks.describe_addon(clusterName=cluster, addonName=name)[
                "addon"
            ]
            return found

        def ready() -> bool:
            state = str(describe()["status"])
            if state.endswith("_FAILED") or state in ("DEGRADED", "DELETING"):
                raise HandlerFailure(f"The add-on {name} is {state}", "NotStabilized")
            return state == "ACTIVE"

        ctx.wait(ready, what=f"the add-on {name} to be active")
        return Created(f"{cluster}|{name}", {"Arn": describe()["addonArn"]})


class AccessEntry(Handler):
    """``Ref`` is the principal's ARN and the cluster's name with a bar between."""

    type_name = "AWS::EKS::AccessEntry"

    def create(self, ctx: Context, properties: Properties) -> Created:
        eks = ctx.client("eks")
        tags = ctx.tag_map(properties.get("Tags"))
        named = pick(properties, ClusterName="clusterName", PrincipalArn="principalArn")
        made = eks.create_access_entry(
            **named,
            **pick(
                properties, KubernetesGroups="kubernetesGroups", Type="type", Username="username"
            ),
            clientRequestToken=ctx.token,
            **({"tags": tags} if tags else {}),
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
        _retag(ctx, old, new, found["accessEntryArn"])
        return Created(physical_id, {"AccessEntryArn": found["accessEntryArn"]})

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        principal, cluster = physical_id.rsplit("|", 1)
        ctx.client("eks").delete_access_entry(clusterName=cluster, principalArn=principal)


class PodIdentityAssociation(Handler):
    """``Ref`` is the association's ARN."""

    type_name = "AWS::EKS::PodIdentityAssociation"

    def create(self, ctx: Context, properties: Properties) -> Created:
        tags = ctx.tag_map(properties.get("Tags"))
        made = ctx.client("eks").create_pod_identity_association(
            **pick(
                properties,
                ClusterName="clusterName",
                Namespace="namespace",
                ServiceAccount="serviceAccount",
            ),
            **_association_parameters(properties),
            clientRequestToken=ctx.token,
            **({"tags": tags} if tags else {}),
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
        _retag(ctx, old, new, physical_id)
        return _association(eks.describe_pod_identity_association(**named)["association"])

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        _, cluster, identifier = physical_id.rsplit("/", 2)
        ctx.client("eks").delete_pod_identity_association(
            clusterName=cluster, associationId=identifier
        )


def _cluster_structures(properties: Properties) -> dict[str, Any]:
    return {
        parameter: lower_first(properties[name])
        for name, parameter in _CLUSTER_STRUCTURES.items()
        if name in properties
    }


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
    for names in (_ENDPOINTS, _NETWORK, ("ControlPlaneEgressMode",)):
        part = {name: after[name] for name in names if name in after}
        if part and any(before.get(name) != after.get(name) for name in names):
            found.append({"resourcesVpcConfig": lower_first(part)})
    if changed(old, new, "Logging"):
        found.append({"logging": _logging(new, old)})
    mode = (new.get("AccessConfig") or {}).get("AuthenticationMode")
    if mode and mode != (old.get("AccessConfig") or {}).get("AuthenticationMode"):
        found.append({"accessConfig": {"authenticationMode": mode}})
    for names in (_AUTO_MODE, _COMPONENTS):
        part = {
            _CLUSTER_STRUCTURES[name]: lower_first(new[name])
            for name in names
            if name in new and changed(old, new, name)
        }
        if part:
            found.append(part)
    for name in (
        "ControlPlaneScalingConfig",
        "RemoteNetworkConfig",
        "UpgradePolicy",
        "ZonalShiftConfig",
    ):
        if name in new and changed(old, new, name):
            found.append({_CLUSTER_STRUCTURES[name]: lower_first(new[name])})
    if changed(old, new, "DeletionProtection"):
        found.append({"deletionProtection": bool(new.get("DeletionProtection", False))})
    return found


def _nodegroup_structures(properties: Properties) -> dict[str, Any]:
    return {
        name[:1].lower() + name[1:]: lower_first(properties[name])
        for name in _NODEGROUP_STRUCTURES
        if name in properties
    }


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
    for name in ("ScalingConfig", "UpdateConfig", "NodeRepairConfig", "WarmPoolConfig"):
        if name in new and changed(old, new, name):
            config[name[:1].lower() + name[1:]] = lower_first(new[name])
    return config


def _addon_parameters(properties: Properties) -> dict[str, Any]:
    found = pick(
        properties,
        AddonVersion="addonVersion",
        ConfigurationValues="configurationValues",
        ResolveConflicts="resolveConflicts",
        ServiceAccountRoleArn="serviceAccountRoleArn",
    )
    if "PodIdentityAssociations" in properties:
        found["podIdentityAssociations"] = lower_first(properties["PodIdentityAssociations"])
    return found


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


def _retag(ctx: Context, old: Properties, new: Properties, arn: str) -> None:
    eks = ctx.client("eks")
    retag(
        ctx,
        old,
        new,
        add=lambda tags: eks.tag_resource(resourceArn=arn, tags=key_value_map(tags)),
        remove=lambda keys: eks.untag_resource(resourceArn=arn, tagKeys=keys),
    )
