"""Cluster extensions, such as sagemaker-observability, on Slurm clusters with Continuous.

The rules are those of the API model (botocore 1.44.5). The settings of an extension are not
published: every JSON object is accepted. Its versions are the world's `extension_versions`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.sagemaker import rules
from clusterwright_localaws.services.sagemaker.events import aware
from clusterwright_localaws.services.sagemaker.records import Extension
from clusterwright_localaws.services.sagemaker.state import Cluster, clusters_of


@operation("sagemaker", "CreateClusterExtension")
def create_cluster_extension(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    cluster = _cluster(call)
    if cluster.eks_arn is not None or not cluster.continuous:
        raise rules.invalid(
            "Extensions are only supported for clusters orchestrated by Slurm with Continuous as "
            "the NodeProvisioningMode."
        )
    name = request["ExtensionName"]
    if cluster.status in ("Creating", "Deleting", "RollingBack", "Failed"):
        raise AwsError(
            "ConflictException",
            f"Cluster {cluster.name} cannot be extended while it is in status {cluster.status}.",
        )
    for each in cluster.extensions.values():
        if each.name == name:
            raise AwsError("ResourceInUse", f"Resource already in use: {each.arn}")
    version = _offered(call, name, request.get("ExtensionVersion"))
    extension = Extension(
        name=name,
        arn=call.arn(
            "sagemaker", f"extension/sagemaker-{cluster.id}/{name}/{secrets.token_hex(6)}"
        ),
        version=version,
        configuration=_settings(request.get("ConfigurationValues")),
        created_at=call.now,
        changed_at=call.now,
        tags=list(request.get("Tags", ())),
    )
    cluster.extensions[extension.arn] = extension
    _settle(call, cluster, extension, "Active")
    return {"ExtensionArn": extension.arn}


@operation("sagemaker", "UpdateClusterExtension")
def update_cluster_extension(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    cluster, extension = _extension(call)
    if extension.status == "Deleting":
        raise AwsError("ConflictException", f"Extension {extension.arn} is being deleted.")
    version = request.get("ExtensionVersion")
    if version is not None and version != extension.version:
        if _order(version) < _order(extension.version):
            raise rules.invalid(
                f"Extension {extension.name} cannot be updated from version {extension.version} "
                f"to the earlier version {version}."
            )
        extension.version = _offered(call, extension.name, version)
    extension.configuration = _merged(
        extension.configuration, _settings(request.get("ConfigurationValues"))
    )
    extension.status = "Updating"
    extension.changed_at = call.now
    _settle(call, cluster, extension, "Active")
    return {"ExtensionArn": extension.arn}


@operation("sagemaker", "DeleteClusterExtension")
def delete_cluster_extension(call: Call) -> Mapping[str, Any]:
    cluster, extension = _extension(call)
    if extension.status == "Deleting":
        raise AwsError("ConflictException", f"Extension {extension.arn} is being deleted already.")
    extension.status = "Deleting"
    extension.changed_at = call.now
    _settle(call, cluster, extension, None)
    return {"ExtensionArn": extension.arn}


@operation("sagemaker", "DescribeClusterExtension")
def describe_cluster_extension(call: Call) -> Mapping[str, Any]:
    cluster, extension = _extension(call)
    running = sum(node.status_at(call.now) == "Running" for node in cluster.nodes())
    details: dict[str, Any] = {
        **_summary(extension),
        "ClusterArn": cluster.arn,
        "LastModifiedTime": extension.changed_at,
    }
    if extension.configuration:
        details["ConfigurationValues"] = json.dumps(extension.configuration)
    return {
        "ExtensionDetails": details,
        "NodeSummary": {
            "TotalCount": running,
            "ActiveCount": running if extension.status == "Active" else 0,
        },
        "Health": {"Issues": []},
    }


@operation("sagemaker", "ListClusterExtensions")
def list_cluster_extensions(call: Call) -> Mapping[str, Any]:
    after = call.parameters.get("CreationTimeAfter")
    before = call.parameters.get("CreationTimeBefore")
    found = [
        each
        for each in _cluster(call).extensions.values()
        if not (after and each.created_at < aware(after))
        and not (before and each.created_at > aware(before))
    ]
    return paged(call, "Extensions", found, _summary, maximum=100)


@operation("sagemaker", "ListClusterExtensionVersions")
def list_cluster_extension_versions(call: Call) -> Mapping[str, Any]:
    found = sorted(_versions(call, call.parameters["ExtensionName"]), key=_order, reverse=True)
    return paged(
        call,
        "ExtensionVersions",
        found,
        lambda version: {"ExtensionVersion": version},
        maximum=100,
    )


def find_extension(call: Call, arn: str) -> Extension:
    """Return an extension of any cluster of the caller.

    Raises
    ------
    AwsError
        ResourceNotFound.
    """
    for cluster in clusters_of(call).by_name.values():
        if arn in cluster.extensions:
            return cluster.extensions[arn]
    raise AwsError("ResourceNotFound", f"Extension {arn} does not exist.")


def _cluster(call: Call) -> Cluster:
    return clusters_of(call).find(call.parameters["ClusterArn"])


def _extension(call: Call) -> tuple[Cluster, Extension]:
    cluster = _cluster(call)
    extension = cluster.extensions.get(call.parameters["ExtensionArn"])
    if extension is None:
        raise AwsError(
            "ResourceNotFound",
            f"Extension {call.parameters['ExtensionArn']} does not exist on cluster "
            f"{cluster.name}.",
        )
    return cluster, extension


def _settle(call: Call, cluster: Cluster, extension: Extension, status: str | None) -> None:
    """Set the status after the world's delay; None: the extension is gone."""

    def settle(_: datetime) -> None:
        if status is None:
            cluster.extensions.pop(extension.arn, None)
        elif extension.status != "Deleting":
            extension.status = status

    cluster.at(call.now + timedelta(seconds=call.world.delays.extension), settle)


def _summary(extension: Extension) -> dict[str, Any]:
    return {
        "ExtensionArn": extension.arn,
        "ExtensionName": extension.name,
        "ExtensionVersion": extension.version,
        "Status": extension.status,
        "CreationTime": extension.created_at,
    }


def _versions(call: Call, name: str) -> list[str]:
    return list(call.world.extension_versions.get(name, ()))


def _offered(call: Call, name: str, requested: str | None) -> str:
    versions = _versions(call, name)
    if not versions:
        raise AwsError("ResourceNotFound", f"There is no extension with name {name}.")
    if requested is None:
        return max(versions, key=_order)
    if requested not in versions:
        raise rules.invalid(f"Extension {name} has no version {requested}.")
    return requested


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _settings(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise rules.invalid("ConfigurationValues must be a JSON object.")
    return found


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with changes: omitted ones stay, null returns to the default."""
    found = dict(old)
    for key, value in new.items():
        if value is None:
            found.pop(key, None)
        elif isinstance(value, dict) and isinstance(found.get(key), dict):
            found[key] = _merged(found[key], value)
        else:
            found[key] = value
    return found


def token_mismatch() -> AwsError:
    return AwsError("ConflictException", "The ClientToken was used with other parameters before.")
