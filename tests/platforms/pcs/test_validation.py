"""Tests of clusterwright.platforms.pcs.validation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.platforms.pcs.specs import problems
from tests.support.rich_specs import PCS

BLOCK = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
RESERVATION = {"kind": "reservation", "id": "cr-0123456789abcdef0"}


def test_full_spec_passes(tmp_path: Path) -> None:
    assert problems(tmp_path, PCS) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"environment": "ab"}, "3 to 40 letters"),
        ({"environment": "1ab"}, "begin with a letter"),
        ({"compute__1__name": "w" * 26}, "3 to 25 letters"),
        (
            {
                "network": {
                    "availability_zone_id": "use1-az6",
                    "existing": {
                        "vpc_id": "vpc-0a1b2c3d4e5f60718",
                        "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
                        "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
                        "owner_account": "444455556666",
                    },
                }
            },
            "another account shares",
        ),
        ({"compute__1__count": 2048}, "exceed the largest PCS cluster"),
        ({"compute__1__count": 32, "pcs": {"size": "SMALL"}}, "33 instances need MEDIUM"),
        ({"pcs": {"size": "SMALL", "max_jobs": 257}}, "257 jobs need MEDIUM"),
        ({"slurm__configuration": "scripted"}, "PCS configures Slurm itself"),
        ({"slurm__accounting__kind": "rds"}, "its slurmdbd is managed"),
        ({"slurm__accounting__kind": "local"}, "its slurmdbd is managed"),
        ({"pcs": {"accounting_purge_days": 30}}, "requires managed accounting"),
        ({"slurm__topology": "tree"}, "no setting of a topology"),
        ({"pcs": {"slurm_version": "24.11", "rest_api": True}}, "requires Slurm 25.05"),
        ({"pcs": {"slurm_settings": {"SlurmdTimeout": "300"}}}, "does not know the setting"),
        (
            {"pcs": {"slurm_settings": {"JobRequeue": "0", "jobrequeue": "1"}}},
            "is the same setting as JobRequeue",
        ),
        ({"pcs": {"slurm_settings": {}}}, "must not be empty"),
        ({"pcs": {"slurm_settings": {"MinJobAge": "2"}}}, "at least 5 seconds"),
        (
            {"pcs": {"slurm_version": "25.05", "slurm_settings": {"MetricsType": "metrics/x"}}},
            "requires Slurm 25.11",
        ),
        (
            {
                "pcs": {
                    "slurm_version": "25.05",
                    "slurm_settings": {"SelectTypeParameters": "CR_Socket"},
                }
            },
            "requires Slurm 25.11",
        ),
        (
            {
                "pcs": {"slurm_version": "25.05"},
                "observability": {"metrics": {"slurm_openmetrics": True}},
            },
            "Slurm 25.05 has no metrics of its own: they came with 25.11",
        ),
        ({"pcs": {"slurmdbd_settings": {"PrivateData": "jobs"}}}, "require managed accounting"),
        ({"compute__1__spare_count": 1}, "has no free instances"),
        (
            {"compute__1__capacity": BLOCK, "compute__1__instance_type": "trn1.32xlarge"},
            "does not support capacity blocks of trn1.32xlarge",
        ),
        ({"compute__1__capacity": BLOCK, "compute__1__max_count": 8}, "as its capacity block"),
        (
            {"compute__1__capacity": RESERVATION, "compute__1__placement_group": True},
            "has a fixed placement",
        ),
    ],
)
def test_mistakes_are_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    found = problems(tmp_path, **changes)
    assert any(words in problem for problem in found), found


@pytest.mark.parametrize(
    "changes",
    [
        {"compute__1__count": 31, "pcs": {"size": "SMALL"}},
        {"compute__1__count": 2047},
        {"pcs": {"slurm_version": "25.05", "rest_api": True}},
        {"pcs": {"slurm_settings": {"MinJobAge": "5"}}},
        {"compute__1__capacity": BLOCK},
        {"compute__1__capacity": RESERVATION, "compute__1__spare_count": 1},
    ],
)
def test_limits_are_accepted(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert problems(tmp_path, **changes) == []


def test_eleventh_group_and_queue_are_refused(tmp_path: Path) -> None:
    login = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
    groups = [
        {"name": f"group-{n}", "role": "compute", "instance_type": "p5.48xlarge", "count": 1}
        for n in range(11)
    ]
    found = problems(tmp_path, compute=[login, *groups])
    assert any("12 groups: a PCS cluster has at most 10" in problem for problem in found)
    assert any("11 queues: a PCS cluster has at most 10" in problem for problem in found)


def test_one_login_group_administers(tmp_path: Path) -> None:
    workers = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 2}
    (alone,) = problems(tmp_path, compute=[workers])
    assert "no group has the role login" in alone
    (many,) = problems(tmp_path, compute__0__count=2)
    assert "one node of the first login group" in many
    found = problems(tmp_path, compute__0__role="controller")
    assert any("does not support the role controller" in problem for problem in found)
