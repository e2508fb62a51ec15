"""Write the resources of the old cluster as `existing:` in the file of a new environment.

The ids come from the outputs of the deployed stacks, by name; `stacks/` defines them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.formats import Format
from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.cluster_spec.unused_fields import unused_fields
from clusterwright.migration.results import Note
from clusterwright.migration.rewrite import candidate
from clusterwright.migration.rewriting import Rewriting
from clusterwright.platforms.registry import KUBERNETES, traits_of
from clusterwright.platforms.stack_names import stack_name

_LISTS: Final = frozenset(
    {
        "NodeSubnetIds",
        "NodeSecurityGroupIds",
        "LustreSecurityGroupIds",
        "HomeSecurityGroupIds",
        "ControlPlaneSubnetIds",
        "DatabaseSubnetIds",
    }
)
_FORMS: Final[tuple[tuple[str, Format], ...]] = (
    (r"LustreFileSystemId\d*", formats.FILE_SYSTEM_ID),
    (r"LustreDnsName\d*|HomeDnsName", formats.FILE_SYSTEM_DNS),
    (r"LustreMountName\d*", formats.LUSTRE_MOUNT_NAME),
    (r"HomeVolumeId", formats.VOLUME_ID),
    (r"VpcId", formats.VPC_ID),
    (r"\w+SubnetIds", formats.SUBNET_ID),
    (r"\w+SecurityGroupIds", formats.SECURITY_GROUP_ID),
    (r"AccountingHost", formats.DATABASE_HOST),
    (r"AccountingSecretArn", formats.SECRET_ARN),
    (r"KeyArn", formats.KMS_KEY_ARN),
)


class MissingOutputsError(Exception):
    """The outputs lack an id of a resource to import, or an id has a wrong format."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def import_resources(work: Rewriting, cluster: Cluster, outputs: Mapping[str, str]) -> None:
    """Write what `cluster` built as `existing:` in the text of `work`.

    Raises
    ------
    MissingOutputsError
        An output is missing or has a wrong format.
    """
    found = _Outputs(outputs)
    storage, network = cluster.storage, cluster.network
    group = network.existing.security_group_ids[0] if network.existing is not None else None
    written: list[tuple[Path, dict[str, Any]]] = []
    for index, fs in enumerate(storage.lustre):
        if fs.existing is not None:
            continue
        suffix = "" if index == 0 else str(index + 1)
        values = {
            "id": found.value(f"LustreFileSystemId{suffix}"),
            "dns_name": found.value(f"LustreDnsName{suffix}"),
            "mount_name": found.value(f"LustreMountName{suffix}"),
            "security_group_id": group or found.first("LustreSecurityGroupIds"),
        }
        written.append((("storage", "lustre", index), values))
    home = storage.home
    if home is not None and home.existing is None:
        values = {
            "dns_name": found.value("HomeDnsName"),
            "security_group_id": group or found.first("HomeSecurityGroupIds"),
        }
        if traits_of(work.target).mounts_home_by_volume:
            values["volume_id"] = found.value("HomeVolumeId")
        written.append((("storage", "home"), values))
    if network.existing is None:
        written.append((("network",), _network(work, cluster, found)))
    found.require_all(cluster.environment)
    for place, values in written:
        _write(work, place, values)
    _manual_steps(work, cluster, found)


class _Outputs:
    """The outputs, and the names of requested ones that are missing."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._missing: list[str] = []
        for name, value in values.items():
            _check_form(name, value)

    def value(self, name: str) -> str:
        if name not in self._values:
            self._missing.append(name)
        return self._values.get(name, "")

    def first(self, name: str) -> str:
        return self.value(name).partition(",")[0]

    def values(self, name: str, *, required: bool = True) -> list[str]:
        if not required and name not in self._values:
            return []
        return [value for value in self.value(name).split(",") if value]

    def optional(self, name: str) -> str | None:
        return self._values.get(name)

    def require_all(self, environment: str) -> None:
        if self._missing:
            raise MissingOutputsError(
                f"the stacks of {environment} have no output "
                f"{', '.join(dict.fromkeys(self._missing))}"
            )


def _check_form(name: str, value: str) -> None:
    for pattern, form in _FORMS:
        if not re.fullmatch(pattern, name):
            continue
        for part in value.split(",") if name in _LISTS else [value]:
            if not re.fullmatch(form.pattern, part):
                raise MissingOutputsError(f"{name} is {value!r}, not {form.description}")
        return


def _network(work: Rewriting, cluster: Cluster, outputs: _Outputs) -> dict[str, Any]:
    found: dict[str, Any] = {
        "vpc_id": outputs.value("VpcId"),
        "subnet_ids": outputs.values("NodeSubnetIds"),
        "security_group_ids": outputs.values("NodeSecurityGroupIds"),
    }
    if work.target in KUBERNETES:
        subnets = outputs.values("ControlPlaneSubnetIds", required=False)
        if subnets:
            found["control_plane_subnet_ids"] = subnets
        else:
            work.decisions.append(
                Note(
                    "network.existing.control_plane_subnet_ids",
                    f"{cluster.environment} has no subnets for a control plane",
                    "create two subnets in two zones of the same VPC, /28 or larger",
                )
            )
    elif cluster.slurm.accounting.kind == "rds" and cluster.slurm.accounting.existing is None:
        subnets = outputs.values("DatabaseSubnetIds", required=False)
        if subnets:
            found["database_subnet_ids"] = subnets
    return found


def _write(work: Rewriting, place: Path, values: dict[str, Any]) -> None:
    """Replace sizes by `existing:`: they belong to the stacks that built the resource."""
    work.editor.put((*place, "existing"), values)
    left: list[str] = []
    cluster = candidate(work.editor.text, work.file)
    for item in [] if cluster is None else unused_fields(cluster):
        if item.because == (*place, "existing") and work.editor.has(item.path):
            left.append(str(item.path[-1]))
            work.editor.delete(item.path)
    name = values.get("id") or values.get("vpc_id") or values.get("dns_name")
    for key in left:
        work.moves.append(
            Note(
                path_text((*place, key)),
                f"belongs to {name}, which is used unchanged",
                "change it in the old file, as long as the old stacks exist",
            )
        )
    work.moves.append(
        Note(
            path_text((*place, "existing")),
            f"{name} is written as deployed",
            "keep its stack (`protection: retain`) when the old cluster is destroyed",
        )
    )


def _manual_steps(work: Rewriting, cluster: Cluster, outputs: _Outputs) -> None:
    """What cannot be written: a secret in another format, another key, another endpoint."""
    key = outputs.optional("KeyArn")
    if key is not None and any(bucket.create for bucket in cluster.storage.buckets):
        work.moves.append(
            Note(
                "identity.kms_key_arn",
                f"the old buckets are encrypted with {key}",
                "give the new nodes' role kms:Decrypt and kms:GenerateDataKey on it, or write it "
                "here, if its policy also allows the log groups of the new environment",
            )
        )
    host, secret = outputs.optional("AccountingHost"), outputs.optional("AccountingSecretArn")
    if host is not None and secret is not None and work.target not in KUBERNETES:
        form = (
            "the password alone"
            if traits_of(work.target).accounting_secret_is_password
            else "JSON with username, password, host and port"
        )
        work.moves.append(
            Note(
                "slurm.accounting.existing",
                f"the database is {host}, its password in {secret}",
                f"{work.target} requires a secret with {form}: create one, then write `existing:`",
            )
        )
    if cluster.network.existing is None and cluster.network.egress == "closed":
        stack = stack_name(cluster.environment, "network")
        work.moves.append(
            Note(
                "network.egress",
                f"an existing network is not changed: {work.target} may call services for which "
                f"{stack} has no endpoint",
                "`clusterwright check` of the new file lists them; create them in that VPC",
            )
        )
