"""On Slurm a tenant becomes an account, extends one, or contradicts it with both positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_spec import LoadedSpec, SpecErrors
from clusterwright.platforms.loading import load_cluster
from tests.support.rich_specs import MINIMAL, changed

USERS = [
    {"name": "ada", "uid": 20001},
    {"name": "grace", "uid": 20002, "slurm_account": "research"},
]


def load(tmp_path: Path, **changes: Any) -> LoadedSpec:
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(changed(MINIMAL, **changes), indent=1))
    return load_cluster(path)


def refused(tmp_path: Path, **changes: Any) -> list[str]:
    with pytest.raises(SpecErrors) as raised:
        load(tmp_path, **changes)
    return [str(problem).partition("spec.yaml:")[2] for problem in raised.value]


def accounts(loaded: LoadedSpec) -> list[tuple[str, int, int | None]]:
    return [(a.name, a.fair_share, a.max_nodes) for a in loaded.cluster.slurm.accounts]


def test_a_tenant_becomes_an_account(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        tenants=[{"name": "pretraining", "weight": 3}, {"name": "interns", "max_nodes": 2}],
        slurm={"accounts": [{"name": "other", "fair_share": 5}]},
    )
    assert accounts(loaded) == [
        ("other", 5, None),
        ("pretraining", 3, None),
        ("interns", 1, 2),
    ]
    assert loaded.origin(("slurm", "accounts", 1, "fair_share")) == "derived"


def test_without_borrowing_the_share_is_the_limit(tmp_path: Path) -> None:
    """Four nodes by 3:1; a limit below the share increases the other shares."""
    tenants: list[dict[str, Any]] = [
        {"name": "a", "weight": 3, "borrowing": False},
        {"name": "b", "borrowing": False},
    ]
    assert accounts(load(tmp_path, tenants=tenants)) == [("a", 3, 3), ("b", 1, 1)]
    tenants[0]["max_nodes"] = 2
    assert accounts(load(tmp_path, tenants=tenants)) == [("a", 3, 2), ("b", 1, 2)]


def test_tenant_extends_the_account_of_the_same_name(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        tenants=[{"name": "research", "weight": 7}],
        slurm={"accounts": [{"name": "research", "max_nodes": 3}], "users": USERS},
    )
    assert accounts(loaded) == [("research", 7, 3)]


def test_printed_spec_expands_to_itself(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        tenants=[{"name": "research", "weight": 7, "users": ["ada"], "borrowing": False}],
        slurm={"users": USERS},
    )
    again = tmp_path / "again.yaml"
    again.write_text(json.dumps(loaded.resolved()))
    assert load_cluster(again).resolved() == loaded.resolved()


def test_contradictions_name_both_positions(tmp_path: Path) -> None:
    (found,) = refused(
        tmp_path,
        tenants=[{"name": "research", "weight": 7}],
        slurm={"accounts": [{"name": "research", "fair_share": 2}], "users": USERS},
    )
    assert "the tenant `research` sets this to 7, here it is 2" in found
    assert "see tenants[0].weight at" in found


def test_users_are_in_the_account_of_their_tenant(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        tenants=[{"name": "pretraining", "users": ["ada"]}],
        slurm={"users": USERS},
    )
    assert [user.slurm_account for user in loaded.cluster.slurm.users] == [
        "pretraining",
        "research",
    ]


@pytest.mark.parametrize(
    ("tenants", "words"),
    [
        ([{"name": "a", "users": ["grace"]}], "`grace` is already charged to `research`"),
        (
            [{"name": "a", "users": ["ada"]}, {"name": "b", "users": ["ada"]}],
            "`ada` is already charged to `a`",
        ),
        ([{"name": "a", "users": ["adah"]}], "user `adah` does not exist in slurm.users"),
        ([{"name": "a"}, {"name": "a"}], "duplicate `a`"),
        ([{"name": "root"}], "the account `root` is reserved by Slurm"),
        ([{"name": "a" * 33}], "a Slurm account name has at most 32 characters; this name has 33"),
        (
            [{"name": "a", "weight": 9}, {"name": "b", "borrowing": False}],
            "its share of 4 nodes is 0 nodes, and it may not borrow",
        ),
        ([{"name": "a", "groups": ["x"]}], "`groups` applies only to Kubernetes"),
        ([{"name": 7}], "tenants[0].name"),
        ([{"name": "a", "weight": "heavy"}], "tenants[0].weight"),
        ("everybody", "tenants"),
    ],
)
def test_errors_have_their_positions(tmp_path: Path, tenants: Any, words: str) -> None:
    found = refused(tmp_path, tenants=tenants, slurm={"users": USERS})
    assert any(words in each for each in found), found
    assert all("slurm.accounts" not in each.partition(" hint")[0] for each in found), found


def test_tenants_require_a_database(tmp_path: Path) -> None:
    (found,) = refused(tmp_path, tenants=[{"name": "a"}], slurm={"accounting": {"kind": "none"}})
    assert "tenants require an accounting database, and accounting is none" in found
    assert "kind: local" in found


def test_tenants_on_parallelcluster_require_an_external_database(tmp_path: Path) -> None:
    (found,) = refused(tmp_path, tenants=[{"name": "a"}], platform="parallelcluster")
    assert "tenants require an accounting database, and accounting is none" in found
    assert "kind: rds" in found
    loaded = load(
        tmp_path,
        tenants=[{"name": "a", "weight": 2}],
        platform="parallelcluster",
        slurm={"accounting": {"kind": "rds"}},
        network__second_availability_zone_id="use1-az4",
    )
    assert accounts(loaded) == [("a", 2, None)]
