"""Consistency of QOS, accounts, preemption and spares."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import scheduling
from tests.support.rich_specs import EXISTING, SCRIPTED
from tests.support.validation import ABSENT, found


def test_consistent_specs_pass() -> None:
    for base in ({}, EXISTING, SCRIPTED):
        assert found(scheduling.problems, **({"base": base} if base else {})) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"slurm.qos.2": {"name": "urgent"}}, "slurm.qos[2].name", "duplicate `urgent`"),
        ({"slurm.qos.2": {"name": "normal"}}, "slurm.qos[2].name", "` is reserved"),
        (
            {"slurm.qos.2": {"name": "cw-partition-training"}},
            "slurm.qos[2].name",
            "` is reserved",
        ),
        (
            {"slurm.accounts.1": {"name": "research"}},
            "slurm.accounts[1].name",
            "duplicate `research`",
        ),
        (
            {"slurm.accounts.1": {"name": "root"}},
            "slurm.accounts[1].name",
            "the account `root` is reserved by Slurm",
        ),
        ({"slurm.accounts.0.qos": ["urgnt"]}, "slurm.accounts[0].qos[0]", "` does not exist"),
        ({"slurm.qos.0.preempts.1": "lo"}, "slurm.qos[0].preempts[1]", "QOS `lo` does not exist"),
        ({"slurm.preemption": "off"}, "slurm.qos[0].preempts", "preemption is off"),
        (
            {"slurm.qos.0.preempts": [], "slurm.qos.1.grace_seconds": 0},
            "slurm.preemption",
            "no QOS preempts another",
        ),
        (
            {"slurm.qos.0.grace_seconds": 5},
            "slurm.qos[0].grace_seconds",
            "` is not preempted by any QOS, so grace_seconds has no effect",
        ),
        (
            {"slurm.qos.0.preempts": ["low", "urgent"]},
            "slurm.qos[0].preempts",
            "` would preempt itself",
        ),
        (
            {"slurm.timeouts.message_seconds": 90, "slurm.timeouts.credential_seconds": 200},
            "",
            "",
        ),
        (
            {"slurm.timeouts.node_down_seconds": 30},
            "slurm.timeouts.node_down_seconds",
            "must be greater than message_seconds 30: otherwise a single late response ends jobs",
        ),
        (
            {"slurm.timeouts.credential_seconds": 30},
            "slurm.timeouts.credential_seconds",
            "must be greater than message_seconds 30: otherwise a single late response ends jobs",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(scheduling.problems, changes, SCRIPTED)
    assert list(problems) == ([path] if path else [])
    assert message in problems.get(path, "")


def test_circular_dependency_is_reported_at_each_member() -> None:
    changes = {"slurm.qos.1.preempts": ["urgent"], "slurm.qos.0.grace_seconds": 1}
    problems = found(scheduling.problems, changes, SCRIPTED)
    assert list(problems) == ["slurm.qos[0].preempts", "slurm.qos[1].preempts"]


def test_spares_require_enforced_limits() -> None:
    changes: dict[str, Any] = {
        "slurm.accounting": {"kind": "none"},
        "slurm.qos": ABSENT,
        "slurm.accounts": ABSENT,
        "slurm.preemption": ABSENT,
    }
    problems = found(scheduling.problems, changes, SCRIPTED)
    assert list(problems) == ["compute[2].spare_count"]
    assert found(scheduling.problems, {**changes, "compute.2.spare_count": 0}, SCRIPTED) == {}
    managed = {**changes, "slurm.configuration": "managed"}
    assert "compute[2].spare_count" not in found(scheduling.problems, managed, SCRIPTED)
