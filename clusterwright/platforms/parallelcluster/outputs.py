"""Conversion of the values of a deployment to stack outputs and back.

The cluster's stack has each value as an output, so that the configuration can be rendered from the
file of `cdk deploy --outputs-file`. Users of `pcluster` pass them with `--set`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.parallelcluster.storage import mounted_by_parallelcluster
from clusterwright.platforms.parallelcluster.supplied import (
    Database,
    Scripts,
    Supplied,
    placeholders,
)

_SUBNET = r"subnet-([0-9a-z]{8}|[0-9a-z]{17})"
_S3 = r"s3://[a-z0-9][a-z0-9.-]+/[^\s]*[^\s/]"
_QUEUE = r"[A-Za-z0-9_-]+=s3://[a-z0-9][a-z0-9.-]+/[^\s,#]*[^\s,#/]#[0-9a-f]{64}"
_ARN = r"arn:[a-z-]+:[^\s,]+"


class Value(NamedTuple):
    """A value: its pattern and its description."""

    pattern: str
    origin: str


VALUES: Final[Mapping[str, Value]] = {
    "HeadSubnetId": Value(_SUBNET, "the private subnet of the head node"),
    "LoginSubnetId": Value(_SUBNET, "the private subnet of login nodes"),
    "ComputeSubnetId": Value(_SUBNET, "the private subnet of compute nodes"),
    "SecurityGroupIds": Value(
        r"sg-[0-9a-z]+(,sg-[0-9a-z]+)*",
        "security groups of all nodes, separated by commas; one allows all traffic to and from "
        "itself",
    ),
    "HeadSecurityGroupIds": Value(
        r"sg-[0-9a-z]+(,sg-[0-9a-z]+)*",
        "additional security groups of the head node, separated by commas; the accounting "
        "database allows them",
    ),
    "ScriptsUri": Value(_S3, "the S3 prefix of on_node_configured.sh and the node program"),
    "ManifestSha256": Value(r"[0-9a-f]{64}", "SHA-256 of manifest.sha256 in that folder"),
    "QueueScripts": Value(
        rf"{_QUEUE}(,{_QUEUE})*",
        "QUEUE=URI#SHA256 of each queue, separated by commas: the scripts of its compute nodes "
        "and their manifest; without it ScriptsUri and ManifestSha256, so that a new group "
        "replaces the nodes of all queues",
    ),
    "EntryUri": Value(_S3, "on_node_configured.sh at a URI that is the same in every deployment"),
    "LatestUri": Value(_S3, "the object that names the latest scripts"),
    "PolicyArns": Value(
        rf"{_ARN}(,{_ARN})*",
        "managed policies with the permissions of the nodes, separated by commas",
    ),
    "LustreIds": Value(
        r"[A-Za-z0-9-]+=fs-[0-9a-f]+(,[A-Za-z0-9-]+=fs-[0-9a-f]+)*",
        "NAME=fs-... of each Lustre file system, separated by commas",
    ),
    "HomeVolumeId": Value(r"fsvol-[0-9a-f]{17}", "the OpenZFS volume of the home directories"),
    "PlacementGroups": Value(
        r"[A-Za-z0-9-]+=[^\s,=]+(,[A-Za-z0-9-]+=[^\s,=]+)*",
        "GROUP=NAME of each placement group, separated by commas; ParallelCluster creates those "
        "that are missing",
    ),
    "DatabaseHost": Value(r"[A-Za-z0-9.-]+", "the accounting database"),
    "DatabasePort": Value(r"[0-9]{1,5}", "its port"),
    "DatabaseUserName": Value(r"[A-Za-z][A-Za-z0-9_]*", "its user"),
    "DatabasePasswordSecretArn": Value(_ARN, "the secret that contains only the password"),
    "DatabaseName": Value(r"[0-9a-z_]{1,64}", "the database's name on the server"),
}
"""Every value, in the order of the documentation."""


def as_outputs(supplied: Supplied) -> dict[str, str]:
    """Return the values as text; tokens of the CDK stay tokens.

    Absent values have no text: home directories, a database, placement groups, policies.
    """
    found = {
        "HeadSubnetId": supplied.head_subnet_id,
        "LoginSubnetId": supplied.login_subnet_id,
        "ComputeSubnetId": supplied.compute_subnet_id,
        "SecurityGroupIds": ",".join(supplied.security_group_ids),
        "HeadSecurityGroupIds": ",".join(supplied.head_security_group_ids),
        "ScriptsUri": supplied.scripts_s3_uri,
        "ManifestSha256": supplied.manifest_sha256,
        "QueueScripts": _joined(
            {
                name: f"{scripts.s3_uri}#{scripts.manifest_sha256}"
                for name, scripts in supplied.queue_scripts.items()
            }
        ),
        "EntryUri": supplied.entry_s3_uri,
        "LatestUri": supplied.latest_s3_uri,
        "PolicyArns": ",".join(supplied.policy_arns),
        "LustreIds": _joined(supplied.lustre_ids),
        "HomeVolumeId": supplied.home_volume_id or "",
        "PlacementGroups": _joined(supplied.placement_group_names),
    }
    database = supplied.database
    if database is not None:
        found |= {
            "DatabaseHost": database.host,
            "DatabasePort": database.port,
            "DatabaseUserName": database.user_name,
            "DatabasePasswordSecretArn": database.password_secret_arn,
            "DatabaseName": database.name,
        }
    return {name: value for name, value in found.items() if value}


def supplied_from(cluster: Cluster, values: Mapping[str, str]) -> Supplied:
    """Return the parsed values, with placeholders for missing ones.

    Raises
    ------
    ValueError
        A text does not match its pattern, or names a file system or group that is not in the spec.
    """
    for name, value in values.items():
        if not re.fullmatch(VALUES[name].pattern, value):
            raise ValueError(f"{name}: {value!r} is not {VALUES[name].origin}")
    found = placeholders(cluster)
    plain: dict[str, tuple[str, Callable[[str], object]]] = {
        "HeadSubnetId": ("head_subnet_id", str),
        "LoginSubnetId": ("login_subnet_id", str),
        "ComputeSubnetId": ("compute_subnet_id", str),
        "SecurityGroupIds": ("security_group_ids", _listed),
        "HeadSecurityGroupIds": ("head_security_group_ids", _listed),
        "ScriptsUri": ("scripts_s3_uri", str),
        "ManifestSha256": ("manifest_sha256", str),
        "EntryUri": ("entry_s3_uri", str),
        "LatestUri": ("latest_s3_uri", str),
        "PolicyArns": ("policy_arns", _listed),
        "HomeVolumeId": ("home_volume_id", str),
    }
    changes: dict[str, object] = {
        field: read(values[name]) for name, (field, read) in plain.items() if name in values
    }
    if "ScriptsUri" in values:
        changes["scripts_bucket"] = values["ScriptsUri"].removeprefix("s3://").partition("/")[0]
    if "QueueScripts" in values:
        queues = _pairs(values["QueueScripts"])
        _known("QueueScripts", queues, {queue.name for queue in cluster.slurm.partitions})
        changes["queue_scripts"] = {
            name: Scripts(*text.split("#", maxsplit=1)) for name, text in queues.items()
        }
    if "LustreIds" in values:
        ids = _pairs(values["LustreIds"])
        _known("LustreIds", ids, {str(fs.name) for fs in cluster.storage.lustre})
        changes["lustre_ids"] = {**found.lustre_ids, **ids}
    if "PlacementGroups" in values:
        names = _pairs(values["PlacementGroups"])
        _known("PlacementGroups", names, {group.name for group in cluster.compute})
        changes["placement_group_names"] = names
    if found.database is not None:
        old = found.database
        changes["database"] = Database(
            host=values.get("DatabaseHost", old.host),
            port=values.get("DatabasePort", old.port),
            user_name=values.get("DatabaseUserName", old.user_name),
            password_secret_arn=values.get("DatabasePasswordSecretArn", old.password_secret_arn),
            name=values.get("DatabaseName", old.name),
        )
    return replace(found, **changes)  # type: ignore[arg-type]


def missing(cluster: Cluster, values: Mapping[str, str]) -> dict[str, list[str]]:
    """Return each value that the configuration needs and `values` lacks, with its placeholder."""
    found = placeholders(cluster)
    mounted = {
        str(fs.name) for fs in cluster.storage.lustre if mounted_by_parallelcluster(fs)
    } & found.lustre_ids.keys()
    given = _pairs(values["LustreIds"]) if "LustreIds" in values else {}
    stands = {name: [text] for name, text in as_outputs(found).items()}
    stands["ScriptsUri"].append(found.scripts_bucket)
    stands["LustreIds"] = [found.lustre_ids[name] for name in sorted(mounted - given.keys())]
    for name in _WITH_A_DEFAULT:
        stands.pop(name, None)
    if cluster.network.existing is not None:
        for name in _OF_THE_NETWORK:
            del stands[name]
    if not any(group.role == "login" for group in cluster.compute):
        stands.pop("LoginSubnetId", None)
    for name in values.keys() - {"LustreIds"}:
        stands.pop(name, None)
    return {name: texts for name, texts in stands.items() if texts}


_OF_THE_NETWORK = ("HeadSubnetId", "LoginSubnetId", "ComputeSubnetId", "SecurityGroupIds")
_WITH_A_DEFAULT = ("DatabasePort", "DatabaseUserName", "DatabaseName")


def _joined(pairs: Mapping[str, str]) -> str:
    return ",".join(f"{name}={value}" for name, value in pairs.items())


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in text.split(","))


def _known(what: str, pairs: Mapping[str, str], names: set[str]) -> None:
    for name in pairs:
        if name not in names:
            raise ValueError(
                f"{what}: the spec has no `{name}`; expected one of {', '.join(sorted(names))}"
            )
