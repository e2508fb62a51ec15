"""The five sentences of a review; `test_ten_changes.py` has those of typical changes."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cost.headline import signed
from clusterwright.review.causes import causes
from clusterwright.review.node_changes import NodeGroup
from clusterwright.review.results import (
    AccessChange,
    DeploymentBlocker,
    GateResult,
    NodesChange,
    ResourceChange,
    Review,
    SpecChange,
    Summary,
    Unknown,
)
from clusterwright.review.summary import summary_of
from tests.review.reviewed import reviewed, version
from tests.review.templates import resource

TODAY = dt.date(2026, 11, 20)
PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/p"
NOTHING = "nothing: no job ends and no data is deleted"
GROUPS = {"workers": NodeGroup("workers", "p5.48xlarge", 4, True)}
SPEC = SpecChange("protection", "retain", "destroy")


def summary(
    platform: str = "hyperpod-slurm",
    *,
    homes: bool = True,
    groups: Mapping[str, NodeGroup] = GROUPS,
    **parts: Any,
) -> Summary:
    found = Review(file="f", environment="prod", base="main", today=TODAY, **parts)
    found = dataclasses.replace(found, causes=causes(found.resources))
    return summary_of(found, groups, None, platform=platform, shared_homes=homes)


def files(**more: Any) -> ResourceChange:
    given = {
        "effect": "replace", "action": "replace", "holds": "files", "data_loss": True,
        "outcome": "lost: files", **more,
    }  # fmt: skip
    return ResourceChange(stack="s", logical_id="Fs", type="AWS::FSx::FileSystem", **given)


def nodes(**more: Any) -> NodesChange:
    given = {
        "group": "workers", "change": "replaced", "before": 4, "after": 4, "jobs": "die",
        "message": "m", "whole_group": True, **more,
    }  # fmt: skip
    return NodesChange(**given)


def test_nothing() -> None:
    found = summary()
    assert found.happens == "nothing changes"
    assert found.lost == "nothing: no job ends and no data is deleted"
    assert found.survives == "jobs on 4 nodes of workers"


def test_kept_data_is_not_lost() -> None:
    """T2: the headline and the row of a retained file system say the same."""
    kept = files(data_loss=False, outcome="it is retained outside the stack; the new one is empty")
    found = summary(resources=(kept,))
    assert "files" not in found.lost
    assert found.lost == "nothing: no job ends and no data is deleted"
    assert "the file system s/Fs: it is retained outside the stack" in found.survives
    assert "1 resource retained" in found.costs


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "files of the file system s/Fs"),
        ({"certainty": "possible"}, "possibly files of the file system s/Fs"),
    ],
)
def test_lost_data_is_named(more: dict[str, Any], words: str) -> None:
    assert summary(resources=(files(**more),)).lost == words


def test_stack_that_leaves_the_app_keeps_running() -> None:
    found = summary(resources=(files(effect="delete", action="leave"),))
    assert found.lost == "nothing: no job ends and no data is deleted"
    assert "stacks that leave the app keep running, at their cost: s" in found.survives
    assert "is left by the app" in found.happens


@pytest.mark.parametrize(("homes", "words"), [(True, "local disks"), (False, "home directories")])
def test_local_disks_are_lost_with_nodes(homes: bool, words: str) -> None:
    found = summary(homes=homes, nodes=(nodes(),))
    assert "running jobs on all 4 nodes of workers" in found.lost
    assert words in found.lost
    assert ("home directories" in found.lost) is not homes


def test_waiting_nodes_end_no_job() -> None:
    found = summary(nodes=(nodes(change="updated", jobs="wait", whole_group=False),))
    assert "no running job of workers" in found.lost
    assert found.survives == "jobs on 4 nodes of workers"


def test_nodes_without_jobs_are_apart() -> None:
    groups = {**GROUPS, "login": NodeGroup("login", "m5.4xlarge", 2, False)}
    fewer = nodes(group="login", before=2, after=1, whole_group=False, change="shrunk")
    found = summary(nodes=(fewer,), groups=groups)
    assert found.lost.startswith("what runs on 1 of the 2 nodes of login; ")
    assert "running jobs" not in found.lost
    assert found.survives == "jobs on 4 nodes of workers; 1 node of login"


@pytest.mark.parametrize(
    ("path", "before", "after", "words"),
    [
        (
            "observability.log_retention_days", 365, 30,
            "logs of `observability` older than 30 days",
        ),
        (
            "slurm.accounting.backup_retention_days", 14, 7,
            "automatic backups of `slurm.accounting` older than 7 days",
        ),
        (
            "storage.lustre[fsx].backup_retention_days", 7, 0,
            "possibly the automatic backups of `storage.lustre[fsx]`",
        ),
        ("observability.log_retention_days", 30, 365, NOTHING),
        ("observability.log_retention_days", None, 30, NOTHING),
    ],
)  # fmt: skip
def test_data_that_is_kept_for_fewer_days_is_lost(
    path: str, before: int | None, after: int, words: str
) -> None:
    assert summary(changes=(SpecChange(path, before, after),)).lost == words


def test_unknown_resources_are_said() -> None:
    found = summary(resources_known=False, changes=(SPEC,))
    assert "the effect on each resource is unknown" in found.happens
    assert "what is lost with resources is unknown" in found.lost
    assert "nothing" not in found.lost


def test_refusal_and_wider_access_are_on_the_first_line() -> None:
    blocker = DeploymentBlocker(kind="cannot-shrink", where="w", message="m", hint="keep it")
    gate = GateResult(gate="order", status="fail", name="n", message="m", hint="keep it")
    found = summary(
        resources=(files(),), deployment_blockers=(blocker,), gates=(gate,),
        access=(AccessChange("a", "b", "c"),),
    )  # fmt: skip
    assert found.happens.startswith("the deployment would be refused: a resource cannot shrink")
    assert "access becomes wider in 1 place" in found.happens
    assert "keep it" in found.instead


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (SpecChange("a", ["x"], ["x", "y"]), "a: +y"),
        (SpecChange("a", ["x", "y"], ["x"]), "a: -y"),
        (SpecChange("a", None, {"b": 1}), "a is added"),
        (SpecChange("a", {"b": 1}, None), "a is removed"),
        (SpecChange("a", 1, None), "a: 1 -> none"),
        (SpecChange("a", "x" * 99, "y"), "x…"),
    ],
)
def test_changes_of_the_spec_are_short(change: SpecChange, words: str) -> None:
    assert words in summary(changes=(change,)).happens


def test_unpriced_change_is_not_zero(tmp_path: Path) -> None:
    """U6: an unknown price is no cost of 0."""
    fs = resource("AWS::FSx::FileSystem", FileSystemType="LUSTRE")
    spec = {"region": "us-west-2", "network.availability_zone_id": "usw2-az1"}
    kind = {"compute.1.instance_type": "p5en.48xlarge"}
    found = reviewed(
        version(tmp_path, {**spec, **kind}, Fs=fs),
        version(tmp_path, {**spec, **kind, "compute.1.count": 12}, Fs=fs),
    )
    assert found.cost is not None
    assert found.summary is not None
    unknown = bool(found.cost.unknown_changes)
    assert ("unknown: " in found.summary.costs) is unknown
    assert not found.summary.costs.startswith("+0.00")


def test_unpriced_change_has_its_scenario(tmp_path: Path) -> None:
    fs = resource("AWS::FSx::FileSystem", FileSystemType="LUSTRE")
    plan = {"kind": "training-plan", "arn": PLAN}
    kind = {"compute.1.instance_type": "p5en.48xlarge", "compute.1.capacity": plan}
    found = reviewed(
        version(tmp_path, kind, Fs=fs), version(tmp_path, {**kind, "compute.1.count": 12}, Fs=fs)
    )
    assert found.cost is not None
    assert found.cost.scenario is not None
    assert found.summary is not None
    amount = signed(found.cost.scenario.monthly_usd)
    assert found.summary.costs.startswith(f"about {amount} USD a month (")
    assert "not your plan's, for workers" in found.summary.costs
    assert "; cost unknown: no price of workers" in found.summary.costs


def test_unknown_has_its_hint() -> None:
    found = summary(unknown=(Unknown("the drift", "no access", "allow it"),))
    assert found.instead == "to know the drift: allow it"
