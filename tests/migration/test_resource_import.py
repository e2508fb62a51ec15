"""Resources of the old cluster, written as `existing:`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright.migration.resource_import import MissingOutputsError, import_resources
from clusterwright.migration.rewriting import Rewriting
from clusterwright.migration.yaml_editor import Editor
from clusterwright.platforms.registry import PlatformName
from tests.support.specs import LUSTRE, SMALL, changed
from tests.support.validation import cluster

ID = "0a1b2c3d4e5f60718"
OUTPUTS = {
    "LustreFileSystemId": f"fs-{ID}",
    "LustreDnsName": f"fs-{ID}.fsx.us-east-1.amazonaws.com",
    "LustreMountName": "abcdefgh",
    "LustreSecurityGroupIds": f"sg-{ID}",
    "VpcId": f"vpc-{ID}",
    "NodeSubnetIds": f"subnet-{ID}",
    "NodeSecurityGroupIds": f"sg-{ID}",
}
CHANGES = {"storage.lustre": [LUSTRE], "environment": "next"}


def imported(
    outputs: dict[str, str], target: PlatformName = "parallelcluster", **more: Any
) -> Rewriting:
    data = changed({**CHANGES, **more}, SMALL)
    work = Rewriting(Editor(json.dumps(data, indent=1)), target, "next.yaml")
    import_resources(work, cluster({**CHANGES, **more}, SMALL), outputs)
    return work


def test_ids_of_the_outputs_are_written() -> None:
    work = imported(OUTPUTS)
    assert work.editor.get(("storage", "lustre", 0, "existing")) == {
        "id": f"fs-{ID}",
        "dns_name": f"fs-{ID}.fsx.us-east-1.amazonaws.com",
        "mount_name": "abcdefgh",
        "security_group_id": f"sg-{ID}",
    }
    assert work.editor.get(("network", "existing")) == {
        "vpc_id": f"vpc-{ID}",
        "subnet_ids": [f"subnet-{ID}"],
        "security_group_ids": [f"sg-{ID}"],
    }
    whats = [note.what for note in work.moves]
    assert f"fs-{ID} is written as deployed" in whats


def test_sizes_belong_to_the_old_stacks() -> None:
    work = imported(OUTPUTS)
    assert not work.editor.has(("storage", "lustre", 0, "capacity_gib"))
    assert "storage.lustre[0].capacity_gib" in [note.path for note in work.moves]


@pytest.mark.parametrize("missing", [("VpcId",), ("LustreDnsName", "NodeSubnetIds")])
def test_missing_outputs_are_all_named(missing: tuple[str, ...]) -> None:
    given = {name: value for name, value in OUTPUTS.items() if name not in missing}
    with pytest.raises(MissingOutputsError) as caught:
        imported(given)
    assert caught.value.message.startswith("the stacks of next have no output ")
    assert all(name in caught.value.message for name in missing)


@pytest.mark.parametrize(
    ("name", "value"),
    [("VpcId", "vpc-1"), ("NodeSubnetIds", f"subnet-{ID},other"), ("LustreFileSystemId", "x")],
)
def test_an_id_of_another_format_is_refused(name: str, value: str) -> None:
    with pytest.raises(MissingOutputsError, match=f"{name} is '{value}', not "):
        imported({**OUTPUTS, name: value})


def test_kubernetes_needs_subnets_for_its_control_plane() -> None:
    work = imported(OUTPUTS, "eks")
    assert [note.path for note in work.decisions] == ["network.existing.control_plane_subnet_ids"]
    two = f"subnet-{ID},subnet-{ID[::-1]}"
    work = imported({**OUTPUTS, "ControlPlaneSubnetIds": two}, "eks")
    assert work.decisions == []
    assert work.editor.get(("network", "existing", "control_plane_subnet_ids")) == two.split(",")


def test_what_cannot_be_written_is_a_step_by_hand() -> None:
    secret = "arn:aws:secretsmanager:us-east-1:111122223333:secret:db-AbCdEf"
    database = {"AccountingHost": "db.example.us-east-1.rds.amazonaws.com"}
    work = imported({**OUTPUTS, **database, "AccountingSecretArn": secret})
    (note,) = [note for note in work.moves if note.path == "slurm.accounting.existing"]
    assert "the password alone" in str(note.do)
    assert "network.egress" in [note.path for note in work.moves]
