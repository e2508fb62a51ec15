"""Add-ons. The names are AWS's. No source lists their versions, and none is invented.

Names: "AWS add-ons" (EKS user guide, awsdocs/amazon-eks-user-guide,
latest/ug/workloads/workloads-add-ons-available-eks.adoc, commit 027430e) and the add-ons of
SageMaker HyperPod that its guide and awslabs/awsome-distributed-ai name. Without a version in the
request, the answer has `UNKNOWN_VERSION`, whose zeros mark it as a placeholder.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.iam import entities
from clusterwright_localaws.services.eks import pod_identity, versions
from clusterwright_localaws.services.eks.lists import listed
from clusterwright_localaws.services.eks.state import (
    ChildResource,
    EksCluster,
    active,
    begin,
    cluster_of,
    in_use,
    invalid,
    new_child,
    not_found,
    store_of,
)

UNKNOWN_VERSION = "v0.0.1-eksbuild.1"
_VERSION = re.compile(r"v\d+\.\d+\.\d+-eksbuild\.\d+")

# Add-on -> its namespace where it is not kube-system, as far as the sources say.
NAMES: dict[str, str] = {
    "adot": "",
    "amazon-cloudwatch-observability": "amazon-cloudwatch",
    "amazon-sagemaker-hyperpod-inference": "hyperpod-inference-system",
    "amazon-sagemaker-hyperpod-observability": "",
    "amazon-sagemaker-hyperpod-taskgovernance": "",
    "amazon-sagemaker-hyperpod-training-operator": "",
    "amazon-sagemaker-spaces": "",
    "aws-ebs-csi-driver": "",
    "aws-efs-csi-driver": "",
    "aws-fsx-csi-driver": "",
    "aws-guardduty-agent": "",
    "aws-mountpoint-s3-csi-driver": "",
    "aws-network-flow-monitoring-agent": "",
    "aws-privateca-connector-for-kubernetes": "aws-privateca-issuer",
    "cert-manager": "",
    "coredns": "",
    "eks-node-monitoring-agent": "",
    "eks-pod-identity-agent": "",
    "kube-proxy": "",
    "metrics-server": "",
    "snapshot-controller": "",
    "vpc-cni": "",
}
# "you will need to have a Kubernetes version >= 1.30" (SageMaker guide, task governance,
# troubleshooting).
_LEAST_MINOR = {"amazon-sagemaker-hyperpod-taskgovernance": 30}


@operation("eks", "CreateAddon")
def create_addon(call: Call) -> Mapping[str, Any]:
    store, request, cluster = store_of(call), call.parameters, active(cluster_of(call))
    name = request["addonName"]
    if name in cluster.addons:
        # crossplane-contrib/provider-aws#1310
        raise in_use("Addon already exists")
    version = _checked(call, cluster, name)
    addon = new_child(
        call,
        cluster,
        "addon",
        name,
        str(uuid.uuid4()),
        addonName=name,
        clusterName=cluster.name,
        addonVersion=version,
        publisher="eks",
        owner="aws",
        **{
            key: request[key]
            for key in ("serviceAccountRoleArn", "configurationValues", "namespaceConfig")
            if request.get(key)
        },
    )
    cluster.addons[name] = addon
    _associate(call, cluster, addon, request.get("podIdentityAssociations") or [])
    store.after(call.world.delays.addon, lambda: setattr(addon, "status", "ACTIVE"))
    return {"addon": addon.view("addonArn")}


@operation("eks", "DescribeAddon")
def describe_addon(call: Call) -> Mapping[str, Any]:
    return {"addon": _addon(call).view("addonArn")}


@operation("eks", "ListAddons")
def list_addons(call: Call) -> Mapping[str, Any]:
    return listed(call, "addons", sorted(cluster_of(call).addons))


@operation("eks", "UpdateAddon")
def update_addon(call: Call) -> Mapping[str, Any]:
    store, request, cluster, addon = (
        store_of(call),
        call.parameters,
        cluster_of(call),
        _addon(call),
    )
    if addon.status not in ("ACTIVE", "DEGRADED", "UPDATE_FAILED", "CREATE_FAILED"):
        raise in_use(f"Addon {request['addonName']} cannot be updated: it is {addon.status}")
    version = _checked(call, cluster, request["addonName"], before=addon.members["addonVersion"])
    changes: dict[str, Any] = {"addonVersion": version}
    shown: dict[str, Any] = {"AddonVersion": version}
    for name in ("serviceAccountRoleArn", "configurationValues"):
        if request.get(name):
            changes[name] = request[name]
            shown[name[:1].upper() + name[1:]] = request[name]
    if request.get("resolveConflicts"):
        shown["ResolveConflicts"] = request["resolveConflicts"]
    if request.get("podIdentityAssociations") is not None:
        shown["PodIdentityAssociations"] = request["podIdentityAssociations"]
        _associate(call, cluster, addon, request["podIdentityAssociations"])
    update = begin(
        store, cluster, "AddonUpdate", shown, call.now, addon=addon.members["addonName"]
    )
    addon.status = "UPDATING"

    def done() -> None:
        addon.members.update(changes)
        addon.status = "ACTIVE"
        addon.modified_at = call.runtime.clock.now()
        update.status = "Successful"

    answer = {"update": update.view()}
    store.after(call.world.delays.addon, done)
    return answer


@operation("eks", "DeleteAddon")
def delete_addon(call: Call) -> Mapping[str, Any]:
    store, cluster, addon = store_of(call), cluster_of(call), _addon(call)
    if addon.status in ("CREATING", "UPDATING", "DELETING"):
        raise in_use(f"Addon {addon.members['addonName']} cannot be deleted: it is {addon.status}")
    addon.status = "DELETING"
    answer = {"addon": addon.view("addonArn")}

    def gone() -> None:
        _disassociate(cluster, addon)
        cluster.addons.pop(addon.members["addonName"], None)

    store.after(call.world.delays.addon, gone)
    return answer


@operation("eks", "DescribeAddonVersions")
def describe_addon_versions(call: Call) -> Mapping[str, Any]:
    """Answer the known names, each with the placeholder version."""
    request = call.parameters
    if request.get("kubernetesVersion") is not None:
        versions.check_creatable(request["kubernetesVersion"], call.now)
    found = []
    for name in sorted(NAMES):
        if request.get("addonName") not in (None, name):
            continue
        if (request.get("owners") and "aws" not in request["owners"]) or (
            request.get("publishers") and "eks" not in request["publishers"]
        ):
            continue
        fitting = [
            each.name
            for each in versions.VERSIONS
            if versions.creatable(each.name, call.now)
            and request.get("kubernetesVersion") in (None, each.name)
            and each.minor >= _LEAST_MINOR.get(name, 0)
        ]
        if not fitting:
            continue
        entry: dict[str, Any] = {
            "addonName": name,
            "publisher": "eks",
            "owner": "aws",
            "addonVersions": [
                {
                    "addonVersion": UNKNOWN_VERSION,
                    "compatibilities": [
                        {"clusterVersion": text, "platformVersions": ["*"], "defaultVersion": True}
                        for text in fitting
                    ],
                }
            ],
        }
        if NAMES[name]:
            entry["defaultNamespace"] = NAMES[name]
        found.append(entry)
    if request.get("types"):
        found = []  # the types of add-ons (networking, storage, ...) are not sourced
    return listed(call, "addons", found)


@operation("eks", "DescribeAddonConfiguration")
def describe_addon_configuration(call: Call) -> Mapping[str, Any]:
    """Answer a schema that accepts every object: the real schemas are not sourced."""
    request = call.parameters
    _known(request["addonName"])
    _check_version(request["addonVersion"])
    return {
        "addonName": request["addonName"],
        "addonVersion": request["addonVersion"],
        "configurationSchema": json.dumps({"type": "object"}),
        "podIdentityConfiguration": [],
    }


def _checked(call: Call, cluster: EksCluster, name: str, *, before: str | None = None) -> str:
    """Check a request, and return the version of the add-on."""
    request = call.parameters
    _known(name)
    if versions.minor_of(cluster.version) < _LEAST_MINOR.get(name, 0):
        raise invalid("Addon specified is not supported")
    version = str(request.get("addonVersion") or before or UNKNOWN_VERSION)
    _check_version(version)
    role = request.get("serviceAccountRoleArn")
    if role and entities.role_of(role) is None:
        raise invalid(f"The serviceAccountRoleArn {role} does not exist")
    if role and request.get("podIdentityAssociations"):
        raise invalid("serviceAccountRoleArn and podIdentityAssociations exclude each other")
    values = request.get("configurationValues")
    if values and not isinstance(_parsed(values), Mapping):
        raise invalid(
            "ConfigurationValue provided in request is not supported: it is neither a JSON nor a "
            "YAML object"
        )
    return version


def _known(name: str) -> None:
    if name not in NAMES:
        # aws/containers-roadmap#1429
        raise invalid("Addon specified is not supported")


def _check_version(version: str) -> None:
    if not _VERSION.fullmatch(version):
        # hashicorp/terraform-provider-aws#32238
        raise invalid("Addon version specified is not supported")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe").load(text)
    except YAMLError:
        return None


def _associate(
    call: Call, cluster: EksCluster, addon: ChildResource, requested: list[Mapping[str, Any]]
) -> None:
    """Replace the pod identity associations that an add-on owns by those of the request."""
    for entry in requested:
        pod_identity.check_role(call, entry["roleArn"])
    _disassociate(cluster, addon)
    if not requested:
        addon.members.pop("podIdentityAssociations", None)
        return
    namespace = (addon.members.get("namespaceConfig") or {}).get("namespace")
    namespace = namespace or NAMES[addon.members["addonName"]] or "kube-system"
    addon.members["podIdentityAssociations"] = [
        pod_identity.add(
            call, cluster, namespace, entry["serviceAccount"], entry["roleArn"], owner=addon.arn
        ).arn
        for entry in requested
    ]


def _disassociate(cluster: EksCluster, addon: ChildResource) -> None:
    for key, association in list(cluster.associations.items()):
        if association.members.get("ownerArn") == addon.arn:
            del cluster.associations[key]


def _addon(call: Call) -> ChildResource:
    name = call.parameters["addonName"]
    found = cluster_of(call).addons.get(name)
    if found is None:
        raise not_found(f"No addon: {name} found in cluster: {call.parameters['clusterName']}")
    return found
