"""CreateCluster, DescribeCluster, ListClusters and DeleteCluster of EKS.

Messages with a named source are as users published them; others are ours. Defaults are the
API model's (botocore 1.44.5).
"""

from __future__ import annotations

import base64
import ipaddress
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.network import User
from clusterwright_localaws.services.eks import access, checks, versions
from clusterwright_localaws.services.eks.lists import listed
from clusterwright_localaws.services.eks.state import (
    MAX_CONTROL_PLANE_INTERFACES,
    MIN_CONTROL_PLANE_INTERFACES,
    EksCluster,
    Store,
    bad_request,
    cluster_of,
    in_use,
    invalid,
    store_in,
    store_of,
)

CLUSTERS = "L-1194D53C"
LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")
# "one of these ranges by default" (API model, kubernetesNetworkConfig.serviceIpv4Cidr).
_SERVICE_CIDRS = ("10.100.0.0/16", "172.20.0.0/16")
_SERVICE_RANGES = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
_KEPT = (
    "upgradePolicy",
    "zonalShiftConfig",
    "remoteNetworkConfig",
    "computeConfig",
    "storageConfig",
    "controlPlaneScalingConfig",
    "kubeApiServerConfig",
    "kubeSchedulerConfig",
    "kubeControllerManagerConfig",
    "encryptionConfig",
)


@operation("eks", "CreateCluster")
def create_cluster(call: Call) -> Mapping[str, Any]:
    return {"cluster": view(_create(call))}


@operation("eks", "DescribeCluster")
def describe_cluster(call: Call) -> Mapping[str, Any]:
    return {"cluster": view(cluster_of(call))}


@operation("eks", "ListClusters")
def list_clusters(call: Call) -> Mapping[str, Any]:
    return listed(call, "clusters", sorted(store_of(call).clusters))


@operation("eks", "DeleteCluster")
def delete_cluster(call: Call) -> Mapping[str, Any]:
    """Delete a cluster with its add-ons, entries and associations; refused while it has node
    groups.
    """
    store, cluster = store_of(call), cluster_of(call)
    if cluster.members["deletionProtection"]:
        raise bad_request(
            f"Cluster {cluster.name} cannot be deleted because deletion protection is enabled."
        )
    if cluster.nodegroups:
        # rebuy-de/aws-nuke#573
        raise in_use("Cluster has nodegroups attached")
    if cluster.status in ("CREATING", "UPDATING"):
        raise in_use(f"Cluster has status {cluster.status} and cannot be deleted now")
    cluster.status = "DELETING"
    answer = {"cluster": view(cluster)}

    def gone() -> None:
        for subnet_id, ranges in cluster.addresses:
            store.network.give_back(subnet_id, ranges)
        store.network.release(cluster.arn)
        _drop_security_group(store, cluster)
        store.clusters.pop(cluster.name, None)

    store.after(call.world.delays.eks_cluster, gone)
    return answer


def view(cluster: EksCluster) -> dict[str, Any]:
    """Return the cluster as DescribeCluster answers it; without an endpoint while CREATING."""
    members = cluster.members
    vpc_config = {
        **members["resourcesVpcConfig"],
        "vpcId": cluster.vpc_id,
    }
    access_config = dict(members["accessConfig"])
    answer: dict[str, Any] = {
        "name": cluster.name,
        "arn": cluster.arn,
        "createdAt": cluster.created_at,
        "version": cluster.version,
        "roleArn": members["roleArn"],
        "resourcesVpcConfig": vpc_config,
        "kubernetesNetworkConfig": members["kubernetesNetworkConfig"],
        "logging": members["logging"],
        "status": cluster.status,
        "certificateAuthority": {},
        "platformVersion": versions.PLATFORM_VERSION,
        "tags": dict(cluster.tags),
        "health": {"issues": []},
        "accessConfig": access_config,
        "deletionProtection": members["deletionProtection"],
        **{name: members[name] for name in _KEPT if members.get(name) is not None},
    }
    if cluster.client_token:
        answer["clientRequestToken"] = cluster.client_token
    if cluster.status != "CREATING":
        vpc_config["clusterSecurityGroupId"] = cluster.security_group_id
        answer["endpoint"] = endpoint(cluster)
        answer["identity"] = {"oidc": {"issuer": issuer(cluster)}}
        answer["certificateAuthority"] = {"data": certificate(cluster)}
    return answer


def endpoint(cluster: EksCluster) -> str:
    """Return the URL of the API server; nothing listens there."""
    return f"https://{cluster.id}.gr7.{cluster.region}.eks.amazonaws.com"


def issuer(cluster: EksCluster) -> str:
    return f"https://oidc.eks.{cluster.region}.amazonaws.com/id/{cluster.id}"


def certificate(cluster: EksCluster) -> str:
    """Return a placeholder for the certificate."""
    text = f"no certificate: {cluster.name} is a cluster of the local AWS"
    return base64.b64encode(text.encode()).decode()


def check_auto_mode(members: Mapping[str, Any]) -> None:
    """Check that Auto Mode is enabled in all three members or in none.

    Raises
    ------
    AwsError
        InvalidParameterException.
    """
    switches = {
        bool((members.get("computeConfig") or {}).get("enabled")),
        bool(((members.get("storageConfig") or {}).get("blockStorage") or {}).get("enabled")),
        bool(
            (members["kubernetesNetworkConfig"].get("elasticLoadBalancing") or {}).get("enabled")
        ),
    }
    if len(switches) > 1:
        raise invalid(
            "For EKS Auto Mode, please ensure that all required configs, including "
            "computeConfig, kubernetesNetworkConfig, and blockStorage are all either fully "
            "enabled or fully disabled."
        )
    if switches == {True} and members.get("bootstrapSelfManagedAddons") is not False:
        raise invalid("EKS Auto Mode requires bootstrapSelfManagedAddons to be false.")
    compute = members.get("computeConfig") or {}
    if compute.get("nodePools") and not compute.get("nodeRoleArn"):
        raise invalid("computeConfig.nodeRoleArn is required with nodePools.")


def check_endpoints(vpc_config: Mapping[str, Any]) -> None:
    if not vpc_config["endpointPublicAccess"] and not vpc_config["endpointPrivateAccess"]:
        raise invalid("Private and public endpoint access cannot be false")
    for cidr in vpc_config["publicAccessCidrs"]:
        _network(cidr, "publicAccessCidrs")


def logging_of(asked: Mapping[str, Any] | None, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the enabled log types after a request, in the shape of AWS's answer.

    Raises
    ------
    AwsError
        InvalidParameterException: a type is named twice.
    """
    on = {
        kind
        for entry in before.get("clusterLogging", ())
        if entry.get("enabled")
        for kind in entry.get("types", ())
    }
    seen: set[str] = set()
    for entry in (asked or {}).get("clusterLogging", ()):
        for kind in entry.get("types", ()):
            if kind in seen:
                raise invalid(f"Duplicate log type in the request: {kind}")
            seen.add(kind)
            (on.add if entry.get("enabled") else on.discard)(kind)
    entries = []
    for state in (True, False):
        types = [kind for kind in LOG_TYPES if (kind in on) == state]
        if types:
            entries.append({"types": types, "enabled": state})
    return {"clusterLogging": entries}


def hold_network(store: Store, cluster: EksCluster, subnets: Sequence[Any]) -> None:
    """Reserve the addresses of the control plane's interfaces; record subnets and groups.

    AWS documents two to four interfaces; here one per subnet, at least two and at most four.
    """
    for subnet_id, ranges in cluster.addresses:
        store.network.give_back(subnet_id, ranges)
    count = max(MIN_CONTROL_PLANE_INTERFACES, min(len(subnets), MAX_CONTROL_PLANE_INTERFACES))
    chosen = [subnets[index % len(subnets)] for index in range(count)]
    cluster.addresses = [(subnet.id, store.network.take(subnet, 1)) for subnet in chosen]
    config = cluster.members["resourcesVpcConfig"]
    store.network.use(
        cluster.arn,
        User(
            f"EKS cluster {cluster.name}",
            (*config["securityGroupIds"], cluster.security_group_id),
            tuple(config["subnetIds"]),
        ),
    )


def _create(call: Call) -> EksCluster:
    store, asked = store_of(call), call.parameters
    name = asked["name"]
    if name in store.clusters:
        # terraform-aws-modules/terraform-aws-eks#1262
        raise in_use(f"Cluster already exists with name: {name}")
    if asked.get("outpostConfig"):
        raise invalid("the local AWS does not support Outposts (outpostConfig)")
    version = str(asked.get("version") or versions.default_version())
    versions.check_creatable(version, call.now)
    checks.require_role(
        asked["roleArn"],
        "eks.amazonaws.com",
        # crossplane-contrib/provider-aws#218
        f"Role with arn: {asked['roleArn']}, could not be assumed because it does not exist or "
        "the trusted entity is not correct",
    )
    network = asked["resourcesVpcConfig"]
    subnets = checks.check_cluster_network(
        store, network.get("subnetIds", ()), network.get("securityGroupIds", ())
    )
    members = _members(asked, subnets[0], store)
    check_endpoints(members["resourcesVpcConfig"])
    bootstraps = asked.get("bootstrapSelfManagedAddons", True)
    check_auto_mode({**members, "bootstrapSelfManagedAddons": bootstraps})
    for entry in asked.get("encryptionConfig", ()):
        check_encryption(call, entry)
    try:
        quotas.require(
            call.runtime, call.account, call.region, "eks", CLUSTERS, 1, unit="Clusters"
        )
    except AwsError as error:
        raise checks.limited(error) from error
    cluster = EksCluster(
        name=name,
        account=call.account,
        region=call.region,
        created_at=call.now,
        version=version,
        members=members,
        vpc_id=subnets[0].vpc_id,
        security_group_id=_make_security_group(store, name, subnets[0].vpc_id),
        tags=dict(asked.get("tags", {})),
        client_token=asked.get("clientRequestToken"),
    )
    store.clusters[name] = cluster
    hold_network(store, cluster, subnets)
    if members["accessConfig"]["bootstrapClusterCreatorAdminPermissions"]:
        access.admit_creator(call, cluster)
    store.after(call.world.delays.eks_cluster, lambda: _become_active(cluster))
    return cluster


def check_encryption(call: Call, entry: Mapping[str, Any]) -> None:
    """Check encryptionConfig: only secrets, with a symmetric key of the region.

    Raises
    ------
    AwsError
        InvalidParameterException.
    """
    if entry.get("resources") != ["secrets"]:
        raise invalid("The only value of encryptionConfig.resources is secrets")
    key_arn = (entry.get("provider") or {}).get("keyArn")
    if not key_arn:
        raise invalid("encryptionConfig.provider.keyArn is required")
    checks.check_key(call, key_arn)


def _become_active(cluster: EksCluster) -> None:
    if cluster.status == "CREATING":
        cluster.status = "ACTIVE"


def _members(asked: Mapping[str, Any], subnet: Any, store: Store) -> dict[str, Any]:
    network = asked["resourcesVpcConfig"]
    config = {
        "subnetIds": list(network["subnetIds"]),
        "securityGroupIds": list(network.get("securityGroupIds", ())),
        "endpointPublicAccess": network.get("endpointPublicAccess", True),
        "endpointPrivateAccess": network.get("endpointPrivateAccess", False),
        "publicAccessCidrs": list(network.get("publicAccessCidrs") or ["0.0.0.0/0"]),
    }
    if network.get("controlPlaneEgressMode"):
        config["controlPlaneEgressMode"] = network["controlPlaneEgressMode"]
    if not config["endpointPublicAccess"]:
        config["publicAccessCidrs"] = []
    asked_access = asked.get("accessConfig") or {}
    mode = asked_access.get("authenticationMode", "CONFIG_MAP")
    bootstrap = asked_access.get("bootstrapClusterCreatorAdminPermissions", True)
    if mode == "CONFIG_MAP" and not bootstrap:
        raise invalid(
            "bootstrapClusterCreatorAdminPermissions must be true if cluster authentication mode "
            "is set to CONFIG_MAP"
        )
    return {
        **{name: asked[name] for name in _KEPT if asked.get(name)},
        "roleArn": asked["roleArn"],
        "resourcesVpcConfig": config,
        "kubernetesNetworkConfig": _kubernetes_network(
            asked.get("kubernetesNetworkConfig") or {}, subnet, store
        ),
        "logging": logging_of(asked.get("logging"), {}),
        "accessConfig": {
            "bootstrapClusterCreatorAdminPermissions": bootstrap,
            "authenticationMode": mode,
        },
        "upgradePolicy": asked.get("upgradePolicy") or {"supportType": "EXTENDED"},
        "deletionProtection": asked.get("deletionProtection", False),
    }


def _kubernetes_network(asked: Mapping[str, Any], subnet: Any, store: Store) -> dict[str, Any]:
    vpc = store.network.ec2.vpcs[subnet.vpc_id]
    vpc_networks = [
        ipaddress.ip_network(each["cidr_block"])
        for each in vpc.get_cidr_block_association_set(ipv6=False)
    ]
    family = asked.get("ipFamily", "ipv4")
    balancing = asked.get("elasticLoadBalancing") or {"enabled": False}
    if family == "ipv6":
        if asked.get("serviceIpv4Cidr"):
            raise invalid("serviceIpv4Cidr cannot be specified with ipFamily ipv6")
        return {
            "ipFamily": "ipv6",
            "serviceIpv6Cidr": "fd00:ec2::/108",
            "elasticLoadBalancing": balancing,
        }
    cidr = asked.get("serviceIpv4Cidr")
    if cidr is None:
        cidr = next(
            (
                text
                for text in _SERVICE_CIDRS
                if not any(
                    ipaddress.ip_network(text).overlaps(vpc_network)
                    for vpc_network in vpc_networks
                )
            ),
            _SERVICE_CIDRS[0],
        )
    else:
        _check_service_cidr(cidr, vpc_networks)
    return {"ipFamily": "ipv4", "serviceIpv4Cidr": cidr, "elasticLoadBalancing": balancing}


def _check_service_cidr(cidr: str, vpc_networks: Sequence[Any]) -> None:
    """Check the service range: private, between /24 and /12, not overlapping the VPC (API
    model).
    """
    network = _network(cidr, "serviceIpv4Cidr")
    private = any(network.subnet_of(ipaddress.IPv4Network(each)) for each in _SERVICE_RANGES)
    if not private or not 12 <= network.prefixlen <= 24:
        raise invalid(
            f"serviceIpv4Cidr {cidr} must be a /12 to /24 within {', '.join(_SERVICE_RANGES)}"
        )
    if any(network.overlaps(each) for each in vpc_networks):
        raise invalid(f"serviceIpv4Cidr {cidr} overlaps the CIDR block of the VPC")


def _network(cidr: str, what: str) -> ipaddress.IPv4Network:
    try:
        return ipaddress.IPv4Network(cidr)
    except ValueError as error:
        raise invalid(f"The following CIDRs are invalid in {what}: {cidr}") from error


def _make_security_group(store: Store, name: str, vpc_id: str) -> str:
    """Create the cluster security group, named and described as by EKS; members reach each
    other.
    """
    ec2 = store.network.ec2
    group = ec2.create_security_group(
        f"eks-cluster-sg-{name}-{secrets.randbelow(10**9)}",
        "EKS created security group applied to ENI that is attached to EKS Control Plane master "
        "nodes, as well as any managed workloads.",
        vpc_id=vpc_id,
    )
    ec2.authorize_security_group_ingress(
        group.id, "-1", None, None, [], source_groups=[{"GroupId": group.id}]
    )
    return str(group.id)


def _drop_security_group(store: Store, cluster: EksCluster) -> None:
    groups = store.network.ec2.groups.get(cluster.vpc_id, {})
    groups.pop(cluster.security_group_id, None)


@quotas.counts_usage("eks", CLUSTERS)
def _clusters_in_use(runtime: Runtime, account: str, region: str) -> float:
    return len(store_in(runtime, account, region).clusters)
