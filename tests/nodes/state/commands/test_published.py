"""Nodes that do not keep acceptance read what the controller published."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from clusterwright_state import service
from clusterwright_state.commands import published

from clusterwright.cluster_state import published as elsewhere
from tests.nodes.state.commands.conftest import Commands, slurm_node

TESTED = {"reason": "", "action": None, "level": "quick", "since": "2026-11-23T07:00:00Z"}
REJECTED = {**TESTED, "state": "rejected", "reason": "one GPU less", "action": "replace"}


def publish(commands: Commands, minutes: int = 1, **changes: Any) -> str:
    at = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=minutes)
    state = {
        "environment": "prod",
        "written_at": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "acceptance": {"workers-1": REJECTED, "workers-2": {**TESTED, "state": "accepted"}},
        "history": {"workers-2": {"advice": "replace"}},
    }
    commands.published = json.dumps({**state, **changes})
    commands.setting(administers=False)
    return str(state["written_at"])


def parts(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["what"]: one for one in found["unknown"]}


def test_status_has_the_published_acceptance_and_history(commands: Commands) -> None:
    written_at = publish(commands)
    found = commands.answer("status")
    assert [node["accepted"] for node in found["nodes"]] == ["no", "yes"]
    assert found["nodes"][0]["reason"] == "one GPU less"
    assert [one["code"] for one in found["findings"]] == ["node-rejected", "node-lemon"]
    assert found["scheduler_written_at"] == written_at
    assert "the acceptance of nodes" not in parts(found)
    assert f"Nodes (acceptance published {written_at})" in commands.run("status")[1]
    assert commands.answer("capacity")["spares"][0]["idle"] == ["workers-2"]


def test_a_node_that_started_since_is_unknown(commands: Commands) -> None:
    publish(commands)
    later = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    commands.nodes = [slurm_node("workers-1", boot_time=later), slurm_node("workers-2")]
    found = commands.answer("status")
    assert [node["accepted"] for node in found["nodes"]] == ["unknown", "yes"]


def test_resume_knows_the_published_acceptance(commands: Commands) -> None:
    publish(commands)
    drained = {"states": ["IDLE", "DRAIN"]}
    commands.nodes = [slurm_node(f"workers-{n}", **drained) for n in (1, 2)]
    words = ("node", "resume", "--because=ok", "--yes")
    refused = commands.answer(*words, "workers-1")
    assert refused["nodes"][0]["reason"] == "acceptance: rejected: one GPU less"
    done = commands.answer(*words, "workers-2")
    assert done["nodes"][0]["outcome"] == "done"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"minutes": 16}, "it was published last at "),
        ({"environment": "other"}, "is not the state of prod"),
        ({"written_at": None}, "is not the state of prod"),
    ],
)
def test_another_state_is_not_used(
    commands: Commands, changes: dict[str, Any], reason: str
) -> None:
    publish(commands, **changes)
    part = parts(commands.answer("status"))["the acceptance of nodes"]
    assert part["reason"].startswith("the controller keeps it, and this node is another; ")
    assert reason in part["reason"]


def test_without_the_right_it_is_unknown_with_the_reason(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.setting(administers=False)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    for command in ("status", "capacity"):
        part = parts(commands.answer(command))["the acceptance of nodes"]
        assert "get-object: AccessDenied" in part["reason"]
        assert part["hint"] == "sudo /usr/local/bin/clusterwright " + command
    commands.setting(administers=False, state_bucket=None)
    part = parts(commands.answer("status"))["the acceptance of nodes"]
    assert "no bucket" in part["reason"]


def test_limits_are_those_of_the_command_elsewhere() -> None:
    assert elsewhere.STALE_AFTER == published.STALE_AFTER
    assert elsewhere.MAXIMUM_BYTES == published.LARGEST_BYTES
    assert elsewhere.KEY == service.KEY
