"""Tests of services.sagemaker.node_faults: nodes that the world breaks."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.sagemaker.node_faults import (
    EFA_FAILED,
    LIFECYCLE_FAILED,
    NO_CAPACITY,
)
from clusterwright_localaws.worlds.injections import NodeFault
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    describe,
    group_of,
    nodes,
)

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


def fault(**what: Any) -> dict[str, Any]:
    return {"group": "workers", "number": 2, **what}


def statuses() -> list[tuple[str, str | None]]:
    return [
        (node["InstanceStatus"]["Status"], node["InstanceStatus"].get("Message"))
        for node in nodes(InstanceGroupNameContains="workers", SortBy="NAME")
    ]


def worker(number: int) -> str:
    found = nodes(InstanceGroupNameContains="workers", SortBy="NAME")
    return str(found[number - 1]["InstanceId"])


def build(count: int = 3, **more: Any) -> Site:
    site = build_site()
    site.create(site.group("workers", count), **{**CONTINUOUS, **more})
    return site


def streams() -> dict[str, list[str]]:
    logs = client("logs")
    arn = describe()["ClusterArn"]
    group = f"/aws/sagemaker/Clusters/train/{arn.rsplit('/', 1)[-1]}"
    if not logs.describe_log_groups(logGroupNamePrefix=group)["logGroups"]:
        return {}
    return {
        stream["logStreamName"]: [
            event["message"]
            for event in logs.get_log_events(
                logGroupName=group, logStreamName=stream["logStreamName"], startFromHead=True
            )["events"]
        ]
        for stream in logs.describe_log_streams(logGroupName=group)["logStreams"]
    }


def replace(number: int) -> None:
    answer = client("sagemaker").batch_replace_cluster_nodes(
        ClusterName="train", NodeIds=[worker(number)]
    )
    assert answer["Failed"] == []


class TestLaunch:
    @pytest.mark.parametrize(
        ("outcome", "message"),
        [
            ("efa", EFA_FAILED),
            ("lifecycle-scripts", LIFECYCLE_FAILED),
            ("failure", "The instance is not healthy."),
        ],
    )
    def test_node_fails_with_the_fixed_text(self, outcome: str, message: str) -> None:
        with local_aws(node_faults=[fault(outcome=outcome)]):
            build()
            assert statuses() == [("Running", None), ("Failure", message), ("Running", None)]
            assert describe()["ClusterStatus"] == "InService"

    def test_message_of_the_world_is_answered(self) -> None:
        with local_aws(node_faults=[fault(message="Xid 79")]):
            build()
            assert statuses()[1] == ("Failure", "Xid 79")

    def test_creation_without_continuous_fails_with_the_message(self) -> None:
        with local_aws(node_faults=[fault(outcome="efa")]):
            site = build_site()
            site.create(site.group("workers", 2))
            found = describe()
            assert (found["ClusterStatus"], found["FailureMessage"]) == ("Failed", EFA_FAILED)

    def test_pending_node_stays_pending(self) -> None:
        with local_aws(node_faults=[fault(outcome="pending")]) as aws:
            build()
            aws.clock.advance(86_400)
            assert statuses()[1] == ("Pending", None)
            assert group_of(describe(), "workers")["CurrentCount"] == 2

    def test_instance_without_capacity_is_launched_later(self) -> None:
        missing = fault(number=None, outcome="no-capacity", after=1, times=1)
        with local_aws(node_faults=[missing]) as aws:
            build()
            found = group_of(describe(), "workers")
            assert (found["CurrentCount"], found["TargetCount"]) == (2, 3)
            events = client("sagemaker").list_cluster_events(
                ClusterName="train", ResourceType="InstanceGroup"
            )["Events"]
            failed = next(e for e in events if e["Description"].startswith("Failed to provision"))
            detail = client("sagemaker").describe_cluster_event(
                ClusterName="train", EventId=failed["EventId"]
            )["EventDetails"]["EventDetails"]["EventMetadata"]
            assert detail["InstanceGroup"]["FailureMessage"] == NO_CAPACITY
            aws.clock.advance(60)
            assert group_of(describe(), "workers")["CurrentCount"] == 3

    def test_log_stream_tells_why_the_scripts_failed(self) -> None:
        broken = fault(
            outcome="lifecycle-scripts",
            log_lines={"LifecycleConfig": ["/fsx: mount.lustre: Connection timed out"]},
        )
        with local_aws(node_faults=[broken]):
            build()
            assert streams() == {
                f"LifecycleConfig/workers/{worker(2)}": [
                    "[SageMaker] Downloading lifecycle scripts",
                    "/fsx: mount.lustre: Connection timed out",
                ]
            }

    def test_times_limits_the_faults(self) -> None:
        with local_aws(node_faults=[fault(number=None, times=2)]):
            build()
            assert [status for status, _ in statuses()] == ["Failure", "Failure", "Running"]


class TestRunning:
    def test_running_node_that_fails_is_replaced(self) -> None:
        with local_aws() as aws:
            build()
            before = worker(2)
            aws.inject(node_faults=[NodeFault(group="workers", number=2, at="running")])
            assert statuses()[1] == ("Running", None)
            assert worker(2) != before
            again = worker(2)
            assert worker(2) == again

    def test_without_recovery_it_stays_failed(self) -> None:
        with local_aws(node_faults=[fault(at="running", message="Xid 79")]):
            build(NodeRecovery="None")
            assert statuses()[1] == ("Failure", "Xid 79")

    def test_node_breaks_after_its_time(self) -> None:
        late = fault(at="running", after_seconds=600)
        with local_aws(node_faults=[late]) as aws:
            build(NodeRecovery="None")
            assert statuses()[1][0] == "Running"
            aws.clock.advance(601)
            assert statuses()[1][0] == "Failure"

    def test_agent_replaces_a_node_and_logs_the_detection(self) -> None:
        with local_aws() as aws:
            build()
            before = worker(2)
            aws.inject(node_faults=[NodeFault(number=2, at="running", outcome="replace")])
            assert worker(2) != before
            (line,) = streams()[f"SagemakerHealthMonitoringAgent/workers/{before}"]
            assert '"HealthMonitoringAgentDetectionEvent":"HealthEvent"' in line
            assert "NvidiaErrorReplace" in line

    def test_agent_reboots_a_node_in_place(self) -> None:
        with local_aws(delays={"node": 30}) as aws:
            build()
            aws.clock.advance(60)
            before = worker(2)
            aws.inject(
                node_faults=[NodeFault(group="workers", number=2, at="running", outcome="reboot")]
            )
            assert statuses()[1][0] == "Pending"
            assert worker(2) == before
            aws.clock.advance(60)
            assert statuses()[1][0] == "Running"

    def test_agent_only_reports_without_recovery(self) -> None:
        with local_aws(node_faults=[fault(at="running", outcome="replace")]):
            build(NodeRecovery="None")
            before = worker(2)
            assert statuses()[1] == ("Running", None)
            assert f"SagemakerHealthMonitoringAgent/workers/{before}" in streams()


class TestOtherMoments:
    def test_failed_replacement_is_not_repeated(self) -> None:
        with local_aws(node_faults=[fault(at="replacement", outcome="efa", times=1)]) as aws:
            build()
            replace(2)
            assert statuses()[1] == ("Failure", EFA_FAILED)
            aws.clock.advance(86_400)
            assert statuses()[1] == ("Failure", EFA_FAILED)
            replace(2)
            # The message of the earlier try sticks.
            assert statuses()[1] == ("Running", EFA_FAILED)

    def test_replacement_without_capacity_fails(self) -> None:
        with local_aws(node_faults=[fault(at="replacement", outcome="no-capacity")]):
            build()
            replace(2)
            assert statuses()[1] == ("Failure", NO_CAPACITY)

    def test_node_does_not_come_back_from_a_reboot(self) -> None:
        with local_aws(node_faults=[fault(at="reboot")]):
            build()
            client("sagemaker").batch_reboot_cluster_nodes(
                ClusterName="train", NodeIds=[worker(2)]
            )
            assert statuses()[1][0] == "Failure"

    def test_health_check_finds_a_bad_node(self) -> None:
        bad = fault(at="health-check", outcome="failure", message="DCGM level 4 failed")
        with local_aws(node_faults=[bad]):
            build()
            bad_id = worker(2)
            client("sagemaker").start_cluster_health_check(
                ClusterName="train",
                DeepHealthCheckConfigurations=[
                    {"InstanceGroupName": "workers", "DeepHealthChecks": ["InstanceStress"]}
                ],
            )
            assert statuses()[1] == ("Failure", "DCGM level 4 failed")
            (line,) = streams()[f"DeepHealthCheckResults/{bad_id}"]
            assert "Encountered FaultyInstance. Replace the Instance." in line
            assert "DCGM level 4 failed" in line
            (passed,) = streams()[f"DeepHealthCheckResults/{worker(1)}"]
            assert passed.endswith("info  InstanceStress success")


def test_other_groups_and_clusters_are_not_broken() -> None:
    other = [fault(cluster="other"), fault(group="log*", number=None)]
    with local_aws(node_faults=other):
        build()
        assert [status for status, _ in statuses()] == ["Running"] * 3


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"outcome": "no-capacity", "at": "reboot"}, "no-capacity needs at: launch"),
        ({"outcome": "replace", "at": "launch"}, "replace needs at: running"),
        ({"outcome": "pending", "at": "running"}, "does not become Pending"),
        ({"after_seconds": 5}, "after_seconds needs at: running"),
    ],
)
def test_impossible_fault_is_refused(what: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NodeFault.model_validate(what)
