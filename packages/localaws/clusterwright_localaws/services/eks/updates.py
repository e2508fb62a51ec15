"""UpdateClusterConfig, UpdateClusterVersion, AssociateEncryptionConfig, and how they end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.eks import checks, clusters, versions
from clusterwright_localaws.services.eks.lists import listed
from clusterwright_localaws.services.eks.state import (
    EksCluster,
    begin,
    cluster_of,
    in_use,
    invalid,
    not_found,
    store_of,
)

# Access changes only from the config map to the API (aws/aws-cdk#31032).
_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")
_ENDPOINT = ("endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs")
_NETWORK = ("subnetIds", "securityGroupIds")
_COMPONENTS = ("kubeApiServerConfig", "kubeSchedulerConfig", "kubeControllerManagerConfig")
Change = tuple[str, dict[str, Any], Callable[[], None]]
"""An update: its kind, its parameters as the API names them, and its effect at the end."""


@operation("eks", "UpdateClusterConfig")
def update_cluster_config(call: Call) -> Mapping[str, Any]:
    cluster = _idle(call, "ConfigUpdate")
    changes = _changes(call, cluster)
    if not changes:
        raise invalid("The type for cluster update was not provided.")
    if len(changes) > 1:
        raise invalid("Only one type of update can be allowed.")
    return _start(call, cluster, changes[0])


@operation("eks", "UpdateClusterVersion")
def update_cluster_version(call: Call) -> Mapping[str, Any]:
    """Update by one minor version, upwards (terraform-aws-modules/terraform-aws-eks#2607)."""
    request = call.parameters
    cluster = _idle(call, "VersionUpdate")
    if request.get("rollbackConfig"):
        raise invalid("the local AWS does not support version rollbacks (rollbackConfig)")
    requested = str(request["version"])
    versions.check_creatable(requested, call.now)
    step = versions.minor_of(requested) - versions.minor_of(cluster.version)
    if step == 0:
        raise invalid(f"Cluster is already at version {requested}")
    if step != 1:
        raise invalid(
            f"Unsupported Kubernetes minor version update from {cluster.version} to {requested}"
        )

    def apply() -> None:
        cluster.version = requested

    parameters = {"Version": requested, "PlatformVersion": versions.PLATFORM_VERSION}
    return _start(call, cluster, ("VersionUpdate", parameters, apply))


@operation("eks", "AssociateEncryptionConfig")
def associate_encryption_config(call: Call) -> Mapping[str, Any]:
    cluster = _idle(call, "AssociateEncryptionConfig")
    requested = call.parameters["encryptionConfig"]
    if cluster.members.get("encryptionConfig"):
        raise invalid("Encryption is already enabled on the cluster")
    if len(requested) != 1:
        raise invalid("encryptionConfig must have one entry")
    clusters.check_encryption(call, requested[0])

    def apply() -> None:
        cluster.members["encryptionConfig"] = requested

    kind = "AssociateEncryptionConfig"
    return _start(call, cluster, (kind, {"EncryptionConfig": requested}, apply))


@operation("eks", "DescribeUpdate")
def describe_update(call: Call) -> Mapping[str, Any]:
    request, cluster = call.parameters, cluster_of(call)
    update = cluster.updates.get(request["updateId"])
    if (
        update is None
        or update.nodegroup != request.get("nodegroupName")
        or update.addon != request.get("addonName")
    ):
        raise not_found(f"No update found for ID: {request['updateId']}")
    return {"update": update.view()}


@operation("eks", "ListUpdates")
def list_updates(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    found = [
        update.id
        for update in cluster_of(call).updates.values()
        if update.nodegroup == request.get("nodegroupName")
        and update.addon == request.get("addonName")
    ]
    return listed(call, "updateIds", found)


def _idle(call: Call, kind: str) -> EksCluster:
    cluster = cluster_of(call)
    if cluster.status != "ACTIVE":
        detail = (
            f"currently has update {cluster.busy_with} in progress"
            if cluster.busy_with
            else f"is {cluster.status}"
        )
        raise in_use(f"Cannot {kind} because cluster {cluster.name} {detail}")
    return cluster


def _start(call: Call, cluster: EksCluster, change: Change) -> Mapping[str, Any]:
    kind, parameters, apply = change
    store = store_of(call)
    update = begin(store, cluster, kind, parameters, call.now)
    cluster.status = "UPDATING"
    cluster.busy_with = update.id

    def done() -> None:
        apply()
        update.status = "Successful"
        cluster.status = "ACTIVE"
        cluster.busy_with = None

    answer = {"update": update.view()}
    store.after(call.world.delays.eks_cluster, done)
    return answer


def _changes(call: Call, cluster: EksCluster) -> list[Change]:
    request = call.parameters
    found = _network_changes(call, cluster, request.get("resourcesVpcConfig") or {})
    if request.get("logging") is not None:
        found.append(_logging(cluster, request["logging"]))
    if request.get("accessConfig") is not None:
        found.append(_access(cluster, request["accessConfig"]))
    auto = {
        name: request[name]
        for name in ("computeConfig", "storageConfig", "kubernetesNetworkConfig")
        if request.get(name) is not None
    }
    if auto:
        found.append(_auto_mode(cluster, auto))
    if request.get("deletionProtection") is not None:
        requested = request["deletionProtection"]
        found.append(
            _set(
                cluster,
                "DeletionProtectionUpdate",
                {"DeletionProtection": requested},
                {"deletionProtection": requested},
            )
        )
    for name, kind, parameter in (
        ("upgradePolicy", "UpgradePolicyUpdate", "UpgradePolicy"),
        ("zonalShiftConfig", "ZonalShiftConfigUpdate", "ZonalShiftConfig"),
        ("remoteNetworkConfig", "RemoteNetworkConfigUpdate", "RemoteNetworkConfig"),
        ("controlPlaneScalingConfig", "ControlPlaneScalingConfigUpdate", "UpdatedTier"),
    ):
        if request.get(name) is not None:
            shown = request[name].get("tier") if parameter == "UpdatedTier" else request[name]
            found.append(_set(cluster, kind, {parameter: shown}, {name: request[name]}))
    components = {name: request[name] for name in _COMPONENTS if request.get(name) is not None}
    if components:
        shown = {name[:1].upper() + name[1:]: value for name, value in components.items()}
        found.append(_set(cluster, "ControlPlaneComponentConfigUpdate", shown, components))
    return found


def _set(
    cluster: EksCluster, kind: str, parameters: dict[str, Any], members: dict[str, Any]
) -> Change:
    if all(cluster.members.get(name) == value for name, value in members.items()):
        raise invalid(f"Cluster is already at the desired configuration: {', '.join(members)}")
    return kind, parameters, lambda: cluster.members.update(members)


def _network_changes(call: Call, cluster: EksCluster, request: Mapping[str, Any]) -> list[Change]:
    store = store_of(call)
    before = cluster.members["resourcesVpcConfig"]
    found: list[Change] = []
    if any(request.get(name) is not None for name in _ENDPOINT):
        given = {name: request[name] for name in _ENDPOINT if request.get(name) is not None}
        after = {**before, **given}
        if after["endpointPublicAccess"] and not after["publicAccessCidrs"]:
            after["publicAccessCidrs"] = ["0.0.0.0/0"]
        clusters.check_endpoints(after)
        if not after["endpointPublicAccess"]:
            after["publicAccessCidrs"] = []
        if after == before:
            raise invalid(
                "Cluster is already at the desired configuration with endpointPrivateAccess: "
                f"{_word(before['endpointPrivateAccess'])} , endpointPublicAccess: "
                f"{_word(before['endpointPublicAccess'])}, and Public Endpoint Restrictions: "
                f"[{', '.join(before['publicAccessCidrs'])}]"
            )
        parameters = {
            "EndpointPublicAccess": after["endpointPublicAccess"],
            "EndpointPrivateAccess": after["endpointPrivateAccess"],
            "PublicAccessCidrs": after["publicAccessCidrs"],
        }
        found.append(
            ("EndpointAccessUpdate", parameters, lambda: before.update(after)),
        )
    if any(request.get(name) is not None for name in _NETWORK):
        requested = {name: request[name] for name in _NETWORK if request.get(name) is not None}
        moved = {**before, **requested}
        subnets = checks.check_cluster_network(
            store, moved["subnetIds"], moved["securityGroupIds"]
        )
        if subnets[0].vpc_id != cluster.vpc_id:
            raise invalid("Provided subnets must belong to the VPC of the cluster")
        zones = {subnet.availability_zone_id for subnet in subnets}
        old = checks.subnets_of(store, before["subnetIds"])
        if not {subnet.availability_zone_id for subnet in old} >= zones:
            # The API model's page "UpdateClusterConfig": the zones must be the cluster's.
            raise invalid("Provided subnets must be in the Availability Zones of the cluster")
        parameters = {"Subnets": moved["subnetIds"], "SecurityGroups": moved["securityGroupIds"]}

        def move() -> None:
            before.update(requested)
            clusters.hold_network(store, cluster, subnets)

        found.append(("VpcConfigUpdate", parameters, move))
    if request.get("controlPlaneEgressMode") is not None:
        mode = request["controlPlaneEgressMode"]
        found.append(
            (
                "ControlPlaneEgressUpdate",
                {"ControlPlaneEgressMode": mode},
                lambda: before.update(controlPlaneEgressMode=mode),
            )
        )
    return found


def _logging(cluster: EksCluster, request: Mapping[str, Any]) -> Change:
    after = clusters.logging_of(request, cluster.members["logging"])
    if after == cluster.members["logging"]:
        raise invalid("No changes needed for the logging config provided")
    return (
        "LoggingUpdate",
        {"ClusterLogging": after["clusterLogging"]},
        lambda: cluster.members.update(logging=after),
    )


def _access(cluster: EksCluster, request: Mapping[str, Any]) -> Change:
    before, after = cluster.authentication_mode, request.get("authenticationMode")
    if after not in _MODES or _MODES.index(after) != _MODES.index(before) + 1:
        raise invalid(f"Unsupported authentication mode update from {before} to {after}")
    return (
        "AccessConfigUpdate",
        {"AuthenticationMode": after},
        lambda: cluster.members["accessConfig"].update(authenticationMode=after),
    )


def _auto_mode(cluster: EksCluster, request: Mapping[str, Any]) -> Change:
    network = request.get("kubernetesNetworkConfig") or {}
    before = cluster.members["kubernetesNetworkConfig"]
    for name in ("serviceIpv4Cidr", "ipFamily"):
        if name in network and network[name] != before.get(name):
            raise invalid(f"{name} cannot be changed")
    after = {**cluster.members, **request, "kubernetesNetworkConfig": {**before, **network}}
    clusters.check_auto_mode({**after, "bootstrapSelfManagedAddons": False})
    parameters = {name[:1].upper() + name[1:]: value for name, value in request.items()}
    return (
        "AutoModeUpdate",
        parameters,
        lambda: cluster.members.update({name: after[name] for name in request}),
    )


def _word(value: bool) -> str:
    return "true" if value else "false"
