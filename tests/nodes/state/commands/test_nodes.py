"""`clusterwright node` on a node: Slurm's commands, refusals, confirmation."""

from __future__ import annotations

import json

import pytest
from clusterwright_state.commands.text import plan_lines

from clusterwright.json_output.node import NodeOutput
from tests.nodes.state.commands.conftest import Commands, slurm_node


def test_drain_says_who_and_why(commands: Commands) -> None:
    found = commands.answer("node", "drain", "workers-1", "--because=slow NVLink", "--yes")
    NodeOutput.model_validate_json(json.dumps(found))
    assert set(found) == set(NodeOutput.model_fields)
    assert commands.ran == [
        ["scontrol", "update", "NodeName=workers-1", "State=DRAIN", "Reason=slow NVLink (ada)"]
    ]
    assert found["nodes"][0]["outcome"] == "done"
    assert found["exit_code"] == 0


def test_running_job_on_unknown_nodes_is_not_no_job(commands: Commands) -> None:
    commands.running = [{"id": "7", "name": "t", "user": "ada", "nodes": None, "since": None}]
    found = commands.answer("node", "drain", "workers-1", "--because=x", "--yes")
    NodeOutput.model_validate_json(json.dumps(found))
    assert found["jobs"] is None
    assert [one["what"] for one in found["unknown"]] == ["the nodes of running jobs"]
    told = plan_lines("drain", [], [], found["jobs"])
    assert "The jobs on the nodes are unknown." in told
    assert "No job runs on the nodes." in plan_lines("drain", [], [], [])


def test_platforms_that_replace_drained_nodes_reserve(commands: Commands) -> None:
    commands.setting(platform="parallelcluster", reserve=True)
    commands.answer("node", "drain", "i-workers-2", "--because=x", "--yes")
    assert "ReservationName=clusterwright_drain_workers-2" in commands.ran[0]


def test_another_reservation_does_not_hide_the_drain(commands: Commands) -> None:
    commands.setting(platform="parallelcluster", reserve=True)
    drain = {"name": "clusterwright_drain_workers-1", "nodes": ["workers-1"]}
    commands.reservations = [drain, {"name": "maintenance", "nodes": ["workers-1", "workers-2"]}]
    commands.nodes = [slurm_node("workers-1", reservation="maintenance"), slurm_node("workers-2")]
    found = commands.answer("node", "resume", "workers-1", "workers-2", "--because=x", "--yes")
    assert [one["outcome"] for one in found["nodes"]] == ["done", "unchanged"]
    assert commands.ran[-1][1:] == ["delete", "ReservationName=clusterwright_drain_workers-1"]
    found = commands.answer("status")
    assert [one["resources"] for one in found["findings"]] == [["workers-1"]]


def test_a_node_that_does_not_know_acceptance_resumes_nothing(commands: Commands) -> None:
    """A rejected node was resumed from a login node that cannot read what was published."""
    commands.nodes = [slurm_node("workers-1", states=["IDLE", "DRAIN"], reason="x")]
    words = ("node", "resume", "workers-1", "--because=x", "--yes")
    commands.setting(administers=False)
    found = commands.answer(*words)
    assert found["nodes"][0]["outcome"] == "refused"
    assert found["nodes"][0]["reason"] == (
        "its acceptance is unknown: the controller keeps it, and this node is another; "
        "state/scheduler.json of the bucket cannot be read: get-object: AccessDenied; on the "
        "controller: sudo /usr/local/bin/clusterwright node resume workers-1 --because TEXT"
    )
    assert commands.ran == []
    commands.setting(administers=False, has_service=False)
    assert commands.answer(*words)["nodes"][0]["outcome"] == "done", "nobody tests nodes"


def test_nothing_is_done_if_one_is_refused(commands: Commands) -> None:
    commands.nodes = [
        slurm_node("workers-1", states=["IDLE", "DRAIN"], reason="Action:Replace"),
        slurm_node("workers-2", states=["IDLE", "DRAIN"], reason="x"),
    ]
    found = commands.answer("node", "resume", "workers-1", "workers-2", "--because=x", "--yes")
    assert [one["outcome"] for one in found["nodes"]] == ["refused", "not-done"]
    assert "health agent" in found["nodes"][0]["reason"]
    assert found["exit_code"] == 1
    assert commands.ran == []


@pytest.mark.parametrize("verb", ["reboot", "replace"])
def test_hyperpods_own_operations_are_refused_with_the_command(
    commands: Commands, verb: str
) -> None:
    found = commands.answer("node", verb, "workers-1", "--because=x", "--yes")
    NodeOutput.model_validate_json(json.dumps(found))
    assert found["means"] is None
    assert f"clusterwright node {verb} FILE workers-1" in found["nodes"][0]["reason"]
    assert found["exit_code"] == 1
    assert commands.ran == []


def test_a_reboot_is_followed_until_the_node_takes_jobs(commands: Commands) -> None:
    commands.setting(platform="parallelcluster")
    words = ("node", "reboot", "workers-1", "--because=x", "--yes")
    found = commands.answer(*words, "--wait=0.05")
    assert found["nodes"][0]["outcome"] == "unfinished"
    assert found["exit_code"] == 2
    assert commands.ran[0][:3] == ["scontrol", "reboot", "ASAP"]
    commands.nodes = [slurm_node("workers-1", boot_time="2999-01-01T00:00:00Z")]
    assert commands.answer(*words)["nodes"][0]["outcome"] == "done"


def test_what_is_as_asked_is_unchanged(commands: Commands) -> None:
    found = commands.answer("node", "resume", "workers-1", "--because=x", "--yes")
    assert found["nodes"][0]["outcome"] == "unchanged"
    assert found["exit_code"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("drain", "workers-1"), "the reason is missing"),
        (("drain", "workers-1", f"--because={'x' * 181}"), "181 characters"),
        (
            ("drain", "workers-1", "--because=\u6545\u969c"),
            "no character that Slurm's reason keeps",
        ),
        (("drain", "no-such", "--because=x", "--yes"), "no node no-such"),
        (("drain", "workers-1", "--because=x"), "nobody can confirm"),
        (("drain", "--because=x", *(f"n{at}" for at in range(26))), "26 nodes"),
    ],
)
def test_wrong_use_is_exit_code_3(
    commands: Commands, words: tuple[str, ...], message: str
) -> None:
    code, out, err = commands.run("node", *words)
    assert code == 3
    assert not out
    assert message in err
    assert "hint: " in err
    assert commands.ran == []


def test_without_slurm_nothing_is_done(commands: Commands) -> None:
    commands.nodes = None
    code, _, err = commands.run("node", "drain", "workers-1", "--because=x", "--yes")
    assert code == 2
    assert "slurmctld does not answer" in err
