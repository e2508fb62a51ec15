"""What a cluster built, written as `existing:` in the file of the cluster that comes beside it.

The ids come from the outputs of the deployed stacks, by name; `stacks/` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.formats import Form
from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.cluster_spec.unused_fields import meaningless
from clusterwright.migration.results import Note
from clusterwright.migration.rewrite import Rewriting, candidate
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
_FORMS: Final[tuple[tuple[str, Form], ...]] = (
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


class OutputsLack(Exception):
    """The outputs have not what is to be taken over, or something that is no such id."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def take_over(work: Rewriting, cluster: Cluster, outputs: Mapping[str, str]) -> None:
    """Write what `cluster` built as existing in the text of `work`.

    Raises
    ------
    OutputsLack
        An output is missing or has not its form.
    """
    given = _Outputs(outputs)
    storage, network = cluster.storage, cluster.network
    group = network.existing.security_group_ids[0] if network.existing is not None else None
    written: list[tuple[Path, dict[str, Any]]] = []
    for index, fs in enumerate(storage.lustre):
        if fs.existing is not None:
            continue
        suffix = "" if index == 0 else str(index + 1)
        values = {
            "id": given.one(f"LustreFileSystemId{suffix}"),
            "dns_name": given.one(f"LustreDnsName{suffix}"),
            "mount_name": given.one(f"LustreMountName{suffix}"),
            "security_group_id": group or given.first("LustreSecurityGroupIds"),
        }
        written.append((("storage", "lustre", index), values))
    home = storage.home
    if home is not None and home.existing is None:
        values = {
            "dns_name": given.one("HomeDnsName"),
            "security_group_id": group or given.first("HomeSecurityGroupIds"),
        }
        if traits_of(work.target).mounts_home_by_volume:
            values["volume_id"] = given.one("HomeVolumeId")
        written.append((("storage", "home"), values))
    if network.existing is None:
        written.append((("network",), _network(work, cluster, given)))
    given.complain(cluster.environment)
    for place, values in written:
        _write(work, place, values)
    _what_a_person_does(work, cluster, given)


class _Outputs:
    """The outputs, and which of those that were asked for are not there."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._missing: list[str] = []
        for name, value in values.items():
            _check_form(name, value)

    def one(self, name: str) -> str:
        if name not in self._values:
            self._missing.append(name)
        return self._values.get(name, "")

    def first(self, name: str) -> str:
        return self.one(name).partition(",")[0]

    def several(self, name: str, *, wanted: bool = True) -> list[str]:
        if not wanted and name not in self._values:
            return []
        return [one for one in self.one(name).split(",") if one]

    def maybe(self, name: str) -> str | None:
        return self._values.get(name)

    def complain(self, environment: str) -> None:
        if self._missing:
            raise OutputsLack(
                f"no output {', '.join(dict.fromkeys(self._missing))} of {environment}'s stacks"
            )


def _check_form(name: str, value: str) -> None:
    for pattern, form in _FORMS:
        if not re.fullmatch(pattern, name):
            continue
        for one in value.split(",") if name in _LISTS else [value]:
            if not re.fullmatch(form.pattern, one):
                raise OutputsLack(f"{name} is {value!r}, not {form.words}")
        return


def _network(work: Rewriting, cluster: Cluster, given: _Outputs) -> dict[str, Any]:
    found: dict[str, Any] = {
        "vpc_id": given.one("VpcId"),
        "subnet_ids": given.several("NodeSubnetIds"),
        "security_group_ids": given.several("NodeSecurityGroupIds"),
    }
    if work.target in KUBERNETES:
        subnets = given.several("ControlPlaneSubnetIds", wanted=False)
        if subnets:
            found["control_plane_subnet_ids"] = subnets
        else:
            work.decisions.append(
                Note(
                    "network.existing.control_plane_subnet_ids",
                    f"{cluster.environment} has no subnets for a control plane",
                    "two subnets in two zones of the same VPC, /28 or larger, made by you",
                )
            )
    elif cluster.slurm.accounting.kind == "rds" and cluster.slurm.accounting.existing is None:
        subnets = given.several("DatabaseSubnetIds", wanted=False)
        if subnets:
            found["database_subnet_ids"] = subnets
    return found


def _write(work: Rewriting, place: Path, values: dict[str, Any]) -> None:
    """`existing:` in the place of sizes, which stay with what has them."""
    work.editor.put((*place, "existing"), values)
    left: list[str] = []
    cluster = candidate(work.editor.text, work.file)
    for item in [] if cluster is None else meaningless(cluster):
        if item.because == (*place, "existing") and work.editor.has(item.path):
            left.append(str(item.path[-1]))
            work.editor.delete(item.path)
    name = values.get("id") or values.get("vpc_id") or values.get("dns_name")
    for key in left:
        work.moves.append(
            Note(
                path_text((*place, key)),
                f"stays with {name}, which is used as it is",
                "it is the old file's to change, as long as the old stacks are there",
            )
        )
    work.moves.append(
        Note(
            path_text((*place, "existing")),
            f"{name} is written as it is deployed",
            "keep its stack (`protection: retain`) when the old cluster goes",
        )
    )


def _what_a_person_does(work: Rewriting, cluster: Cluster, given: _Outputs) -> None:
    """What is known and cannot be written: another form of secret, another key, another route."""
    key = given.maybe("KeyArn")
    if key is not None and any(bucket.create for bucket in cluster.storage.buckets):
        work.moves.append(
            Note(
                "identity.kms_key_arn",
                f"the old buckets are encrypted with {key}",
                "the new nodes' role needs kms:Decrypt and kms:GenerateDataKey on it, or write it "
                "here, where its policy also lets the logs of the new name be encrypted",
            )
        )
    host, secret = given.maybe("AccountingHost"), given.maybe("AccountingSecretArn")
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
                f"{work.target} wants a secret with {form}: make one, then write `existing:`",
            )
        )
    if cluster.network.existing is None and cluster.network.egress == "closed":
        stack = stack_name(cluster.environment, "network")
        work.moves.append(
            Note(
                "network.egress",
                f"a network that exists is only used: {work.target} may call services for which "
                f"{stack} has no endpoint",
                "`clusterwright check` of the new file names them; make them in that VPC",
            )
        )
