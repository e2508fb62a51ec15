"""Users and groups: one name and one id each."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import users
from tests.support.rich_specs import EXISTING
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(users.problems) == {}
    assert found(users.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"slurm.users.1.name": "ada"}, "slurm.users[1].name", "duplicate user `ada`"),
        ({"slurm.users.1.uid": 20001}, "slurm.users[1].uid", "duplicate uid 20001"),
        ({"slurm.users.1.name": "ubuntu"}, "slurm.users[1].name", "is reserved by the image"),
        (
            {"slurm.user_groups.0.name": "docker", "slurm.users.0.groups": []},
            "slurm.user_groups[0].name",
            "is reserved by the image",
        ),
        (
            {"slurm.users.0.groups": ["reserch"]},
            "slurm.users[0].groups[0]",
            "group `reserch` does not exist",
        ),
        (
            {"slurm.users.0.groups": ["research", "research"]},
            "slurm.users[0].groups[1]",
            "`research` is listed twice",
        ),
        (
            {"slurm.user_groups.1": {"name": "research", "gid": 20009}},
            "slurm.user_groups[1].name",
            "duplicate group `research`",
        ),
        (
            {"slurm.user_groups.1": {"name": "other", "gid": 20000}},
            "slurm.user_groups[1].gid",
            "duplicate gid 20000",
        ),
        (
            {"slurm.user_groups.1": {"name": "grace", "gid": 20009}},
            "slurm.users[1].uid",
            "has a group `grace` with another gid than 20002",
        ),
        (
            {"slurm.users.0.gid": 20002},
            "slurm.users[1].uid",
            "the primary group 20002 is the private group of another user",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(users.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_users_can_share_a_named_primary_group() -> None:
    assert found(users.problems, {"slurm.users.1.gid": 20000}) == {}
