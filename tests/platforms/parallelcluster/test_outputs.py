"""Values as outputs of a stack, and read from them."""

from __future__ import annotations

import re

import pytest

from clusterwright.platforms.parallelcluster.outputs import (
    VALUES,
    as_outputs,
    missing,
    supplied_from,
)
from clusterwright.platforms.parallelcluster.supplied import placeholders
from tests.support.parallelcluster_specs import SMALL
from tests.support.validation import cluster

RDS = {"slurm.accounting": {"kind": "rds"}}
CLUSTER = cluster({**RDS, "storage.lustre.0.name": "main"}, SMALL)
ID = "0a1b2c3d4e5f60718"
GIVEN = {
    "HeadSubnetId": f"subnet-{ID}",
    "SecurityGroupIds": f"sg-{ID},sg-{ID[::-1]}",
    "ScriptsUri": "s3://scripts-bucket/train/abc",
    "PolicyArns": "arn:aws:iam::111122223333:policy/nodes",
    "LustreIds": f"main=fs-{ID}",
    "PlacementGroups": "workers=train-workers",
    "DatabaseHost": "db.example.com",
}


def test_values_survive_the_way_through_outputs() -> None:
    supplied = supplied_from(CLUSTER, GIVEN)
    assert supplied_from(CLUSTER, as_outputs(supplied)) == supplied
    assert supplied.security_group_ids == (f"sg-{ID}", f"sg-{ID[::-1]}")
    assert supplied.scripts_bucket == "scripts-bucket"
    assert supplied.lustre_ids == {"main": f"fs-{ID}"}
    assert supplied.placement_group_names == {"workers": "train-workers"}
    assert supplied.database is not None
    assert (supplied.database.host, supplied.database.port) == ("db.example.com", "3306")


def test_without_values_there_are_placeholders() -> None:
    assert supplied_from(CLUSTER, {}) == placeholders(CLUSTER)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HeadSubnetId", "subnet-1"),
        ("ScriptsUri", "s3://bucket/folder/"),
        ("ManifestSha256", "abc"),
        ("DatabasePort", "mysql"),
        ("LustreIds", f"fs-{ID}"),
    ],
)
def test_a_value_of_another_format_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: '{value}' is not {VALUES[name].origin[:9]}"):
        supplied_from(CLUSTER, {name: value})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "LustreIds",
            f"other=fs-{ID}",
            "LustreIds: the spec has no `other`; expected one of main",
        ),
        (
            "PlacementGroups",
            "gpu=train-gpu",
            "PlacementGroups: the spec has no `gpu`; expected one of controller, login, workers",
        ),
    ],
)
def test_a_name_that_the_spec_lacks_is_refused(name: str, value: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        supplied_from(CLUSTER, {name: value})


def test_missing_values_are_named_with_their_placeholders() -> None:
    found = missing(CLUSTER, {})
    assert found["HeadSubnetId"] == ["subnet-00000000000000000"]
    assert found["LustreIds"] == ["fs-00000000000000000"]
    # The port, the user and the database's name have defaults.
    assert not {"DatabasePort", "DatabaseUserName", "DatabaseName"} & found.keys()
    assert found.keys() - missing(CLUSTER, GIVEN).keys() == GIVEN.keys() - {"PlacementGroups"}


def test_login_subnets_are_needed_by_login_nodes_only() -> None:
    groups = [group for group in SMALL["compute"] if group["role"] != "login"]
    assert "LoginSubnetId" in missing(CLUSTER, {})
    assert "LoginSubnetId" not in missing(cluster({"compute": groups}, SMALL), {})
