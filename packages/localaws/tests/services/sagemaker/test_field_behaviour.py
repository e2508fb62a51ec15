"""What operators of HyperPod observe, one class each; no documentation of AWS states most of it.

Source: awslabs/awsome-distributed-ai 95b939cd (2026-07-23), `hyperpod-mental-model.md`.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.services.sagemaker.node_faults import (
    DOWNLOADING,
    EFA_FAILED,
    LIFECYCLE_FAILED,
    SUCCEEDED,
)
from packages.localaws.tests.eks_parts import build_eks_site
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    describe,
    group_of,
    nodes,
    refusal,
)

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


def events(**filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client("sagemaker").list_cluster_events(
        ClusterName="train", SortOrder="Ascending", **filters
    )["Events"]
    return found


def metadata(event: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = client("sagemaker").describe_cluster_event(
        ClusterName="train", EventId=event["EventId"]
    )["EventDetails"]["EventDetails"]["EventMetadata"]
    return found


def workers() -> list[dict[str, Any]]:
    return nodes(InstanceGroupNameContains="workers", SortBy="NAME")


def build(count: int = 2, **more: Any) -> Site:
    site = build_site()
    site.create(site.group("workers", count), **{**CONTINUOUS, **more})
    return site


def scale(site: Site, count: int) -> None:
    client("sagemaker").update_cluster(
        ClusterName="train", InstanceGroups=[site.controller(), site.group("workers", count)]
    )


class TestEventPairs:
    def test_failure_has_two_events_a_second_apart(self) -> None:
        with local_aws(capacity=[{"instance_type": "p5.48xlarge", "available": 1}]) as aws:
            build()
            aws.clock.advance(2)
            first, second = [e for e in events() if e["EventLevel"] == "Error"]
            assert first["EventId"] != second["EventId"]
            assert second["EventTime"] - first["EventTime"] == timedelta(seconds=1)
            assert (first["ResourceType"], second["ResourceType"]) == ("InstanceGroup", "Instance")
            assert second["Description"] == (
                "Instance creation in Cluster train and InstanceGroup workers failed"
            )
            reasons = (
                metadata(first)["InstanceGroup"]["FailureMessage"],
                metadata(second)["Instance"]["FailureMessage"],
            )
            assert "sufficient capacity" in reasons[0]
            assert reasons[0] == reasons[1]

    def test_second_event_is_not_there_before_its_time(self) -> None:
        with local_aws(capacity=[{"instance_type": "p5.48xlarge", "available": 1}]) as aws:
            held = aws.clock.now()
            aws.clock.now = lambda: held  # type: ignore[method-assign]
            build()
            assert len([e for e in events() if e["EventLevel"] == "Error"]) == 1

    def test_successful_scaling_warns(self, local: None) -> None:
        scale(build(1), 3)
        (warning,) = [e for e in events() if e["EventLevel"] == "Warn"]
        assert metadata(warning)["InstanceGroupScaling"] == {
            "InstanceCount": 1,
            "TargetCount": 3,
            "MinCount": 0,
        }
        assert len(workers()) == 3


class TestEventBridge:
    def queue(self) -> str:
        url = client("sqs").create_queue(QueueName="events")["QueueUrl"]
        client("events").put_rule(
            Name="hyperpod",
            EventPattern=json.dumps(
                {
                    "source": ["aws.sagemaker"],
                    "detail-type": ["SageMaker HyperPod Cluster Event"],
                }
            ),
        )
        arn = "arn:aws:sqs:us-east-1:123456789012:events"
        client("events").put_targets(Rule="hyperpod", Targets=[{"Id": "1", "Arn": arn}])
        return str(url)

    def received(self, url: str) -> list[dict[str, Any]]:
        found = client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
        return [json.loads(message["Body"]) for message in found.get("Messages", [])]

    def test_copy_has_no_metadata_and_another_id(self) -> None:
        with local_aws(node_faults=[{"group": "workers", "number": 1, "outcome": "efa"}]):
            url = self.queue()
            build(1)
            failed = next(e for e in events() if "failed in Cluster" in e["Description"])
            (copy,) = [
                message
                for message in self.received(url)
                if message["detail"]["EventDetails"]["EventId"] == failed["EventId"]
            ]
            assert copy["detail"]["EventDetails"]["EventDetails"] == {"EventMetadata": None}
            assert copy["id"] != failed["EventId"]
            assert metadata(failed)["Instance"]["FailureMessage"] == EFA_FAILED

    def test_cluster_without_continuous_sends_nothing(self, local: None) -> None:
        url = self.queue()
        site = build_site()
        site.create(site.group("workers", 1))
        assert self.received(url) == []


class TestEventsNeedContinuous:
    def test_other_clusters_are_refused(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        for call, more in (
            (client("sagemaker").list_cluster_events, {}),
            (
                client("sagemaker").describe_cluster_event,
                {"EventId": "00000000-0000-0000-0000-000000000000"},
            ),
        ):
            code, message = refusal(call, ClusterName="train", **more)
            assert (code, "Continuous" in message) == ("ValidationException", True)


class TestStatusWhileScaling:
    def test_cluster_is_in_service_with_other_counts(self) -> None:
        with local_aws(delays={"node": 60, "cluster": 30}) as aws:
            site = build(1)
            aws.clock.advance(61)
            scale(site, 3)
            found = describe()
            group = group_of(found, "workers")
            assert found["ClusterStatus"] == "InService"
            assert (group["CurrentCount"], group["TargetCount"]) == (1, 3)
            aws.clock.advance(61)
            assert group_of(describe(), "workers")["CurrentCount"] == 3

    def test_list_and_describe_disagree_in_a_transition(self) -> None:
        with local_aws(delays={"node_list": 30}) as aws:
            build(1)
            before = workers()[0]
            client("sagemaker").batch_replace_cluster_nodes(
                ClusterName="train", NodeIds=[before["InstanceId"]]
            )
            assert workers()[0]["InstanceId"] == before["InstanceId"]
            code, _ = refusal(
                client("sagemaker").describe_cluster_node,
                ClusterName="train",
                NodeId=before["InstanceId"],
            )
            assert code == "ResourceNotFound"
            aws.clock.advance(31)
            assert workers()[0]["InstanceId"] != before["InstanceId"]


class TestFailedReplacement:
    def test_it_is_not_tried_again_and_its_message_sticks(self) -> None:
        broken = {"group": "workers", "number": 1, "at": "replacement", "outcome": "efa"}
        with local_aws(node_faults=[{**broken, "times": 1}]) as aws:
            build(1)
            replace = client("sagemaker").batch_replace_cluster_nodes
            replace(ClusterName="train", NodeIds=[workers()[0]["InstanceId"]])
            aws.clock.advance(86_400)
            failed = workers()[0]
            assert failed["InstanceStatus"] == {"Status": "Failure", "Message": EFA_FAILED}
            replace(ClusterName="train", NodeIds=[failed["InstanceId"]])
            assert workers()[0]["InstanceStatus"] == {"Status": "Running", "Message": EFA_FAILED}


class TestSoftwareUpdate:
    def update(self) -> None:
        client("sagemaker").update_cluster_software(
            ClusterName="train",
            InstanceGroups=[{"InstanceGroupName": "workers", "ImageReleaseVersion": "2.0.0"}],
        )

    def test_scripts_are_tried_four_times_and_the_update_rolled_back(self) -> None:
        broken = {"group": "workers", "number": 1, "at": "software-update"}
        with local_aws(
            node_faults=[{**broken, "outcome": "lifecycle-scripts"}], delays={"cluster": 1080}
        ) as aws:
            build(2)
            aws.clock.advance(1081)
            before = group_of(describe(), "workers")
            node = workers()[0]["InstanceId"]
            self.update()
            seen = [group_of(describe(), "workers")["SoftwareUpdateStatus"]]
            aws.clock.advance(1081)
            seen.append(group_of(describe(), "workers")["SoftwareUpdateStatus"])
            # The message of the failed try is there while the node is updated again.
            assert workers()[0]["InstanceStatus"] == {
                "Status": "SystemUpdating",
                "Message": LIFECYCLE_FAILED,
            }
            aws.clock.advance(1081)
            after = group_of(describe(), "workers")
            seen.append(after["SoftwareUpdateStatus"])
            assert seen == ["InProgress", "RollbackInProgress", "Failed"]
            assert describe()["ClusterStatus"] == "InService"
            for member in ("CurrentImageReleaseVersion", "DesiredImageReleaseVersion"):
                assert after[member] == before[member]
            assert {n["CurrentImageReleaseVersion"] for n in workers()} == {
                before["CurrentImageReleaseVersion"]
            }
            assert workers()[0]["InstanceId"] == node
            group = f"/aws/sagemaker/Clusters/train/{describe()['ClusterArn'].rsplit('/', 1)[-1]}"
            lines = [
                event["message"]
                for event in client("logs").get_log_events(
                    logGroupName=group,
                    logStreamName=f"LifecycleConfig/workers/{node}",
                    startFromHead=True,
                )["events"]
            ]
            # Four tries without success, and one of the rollback.
            assert lines == [DOWNLOADING] * 4 + [DOWNLOADING, SUCCEEDED]

    def test_desired_image_differs_until_the_update_ends(self) -> None:
        image = "ami-0123456789abcdef0"
        with local_aws(delays={"cluster": 30}) as aws:
            build(1)
            aws.clock.advance(31)
            client("sagemaker").update_cluster_software(
                ClusterName="train",
                InstanceGroups=[{"InstanceGroupName": "workers"}],
                ImageId=image,
            )
            during = group_of(describe(), "workers")
            assert during["DesiredImageId"] == image
            assert "CurrentImageId" not in during
            aws.clock.advance(31)
            after = group_of(describe(), "workers")
            assert after["CurrentImageId"] == after["DesiredImageId"] == image


class TestReplacement:
    def test_slurm_node_keeps_its_name_and_address(self, local: None) -> None:
        build(1)
        before = workers()[0]
        client("sagemaker").batch_replace_cluster_nodes(
            ClusterName="train", NodeIds=[before["InstanceId"]]
        )
        after = workers()[0]
        assert after["InstanceId"] != before["InstanceId"]
        assert after["NodeLogicalId"] == before["NodeLogicalId"]
        assert after["PrivateDnsHostname"] == before["PrivateDnsHostname"]

    def test_node_of_eks_gets_another_name(self) -> None:
        """Kubernetes' name of a node is hyperpod-<instance id>."""
        with local_aws():
            site = build_eks_site()
            site.create()
            client("sagemaker").create_cluster(**site.hyperpod(**CONTINUOUS))
            before = nodes()[0]["InstanceId"]
            client("sagemaker").batch_replace_cluster_nodes(ClusterName="train", NodeIds=[before])
            assert f"hyperpod-{before}" not in {f"hyperpod-{n['InstanceId']}" for n in nodes()}

    def test_reboot_runs_no_lifecycle_scripts(self) -> None:
        scripts = {"group": "workers", "at": "launch", "outcome": "lifecycle-scripts", "after": 1}
        with local_aws(node_faults=[scripts]):
            build(1)
            node = workers()[0]["InstanceId"]
            client("sagemaker").batch_reboot_cluster_nodes(ClusterName="train", NodeIds=[node])
            found = workers()[0]
            assert (found["InstanceId"], found["InstanceStatus"]) == (node, {"Status": "Running"})
            assert client("logs").describe_log_groups()["logGroups"] == []


class TestOtherServices:
    def test_ec2_does_not_see_the_nodes(self, local: None) -> None:
        build(2)
        ec2 = client("ec2")
        assert ec2.describe_instances()["Reservations"] == []
        assert ec2.describe_instance_topology()["Instances"] == []
        code, _ = refusal(ec2.describe_instances, InstanceIds=[workers()[0]["InstanceId"]])
        assert code == "InvalidInstanceID.NotFound"

    def test_session_manager_takes_the_form_of_hyperpod_only(self, local: None) -> None:
        build(1)
        cluster = describe()["ClusterArn"].rsplit("/", 1)[-1]
        node = workers()[0]["InstanceId"]
        ssm = client("ssm")
        assert ssm.start_session(Target=f"sagemaker-cluster:{cluster}_workers-{node}")["SessionId"]
        assert refusal(ssm.start_session, Target=node)[0] == "TargetNotConnected"
        code, _ = refusal(ssm.send_command, DocumentName="AWS-RunShellScript", InstanceIds=[node])
        assert code == "InvalidInstanceId"

    def test_cloudtrail_has_nothing_of_the_service(self, local: None) -> None:
        build(1)
        code, message = refusal(client("cloudtrail").lookup_events)
        assert "does not implement" in message, code


class TestMetadata:
    """Every subtree of EventMetadata is in some event."""

    @pytest.mark.parametrize(
        "subtree",
        [
            {"SlurmHealth": {"Component": "Slurmdbd", "Status": "Unhealthy", "Reason": reason}}
            for reason in ("DaemonDown", "DaemonDisabled", "DbUnreachable")
        ]
        + [{"DatabaseConfiguration": {"RollbackStatus": "Reverted", "FailureMessage": "x"}}]
        + [{"Cluster": {"FailureMessage": "x", "EksRoleAccessEntries": ["a"]}}],
    )
    def test_event_of_the_world_is_listed_and_described(self, subtree: dict[str, Any]) -> None:
        seed = {"description": "Slurm accounting is unhealthy", "metadata": subtree}
        with local_aws(cluster_events=[seed]):
            build(1)
            found = [e for e in events() if e["Description"] == seed["description"]]
            assert [e["EventLevel"] for e in found] == ["Error"]
            assert metadata(found[0]) == subtree

    def test_event_of_a_node_names_it(self) -> None:
        seed = {"group": "workers", "number": 2, "level": "Warn", "description": "Hot"}
        with local_aws(cluster_events=[seed]):
            build(2)
            (found,) = [e for e in events(NodeId=workers()[1]["InstanceId"]) if "Hot" in str(e)]
            assert (found["ResourceType"], found["EventLevel"]) == ("Instance", "Warn")

    def test_wrong_metadata_is_refused(self) -> None:
        seed = {"description": "x", "metadata": {"SlurmHealth": {"Component": "Slurmctld"}}}
        with pytest.raises(ValueError, match="slurmHealth"), local_aws(cluster_events=[seed]):
            raise AssertionError("the world was accepted")

    def test_launched_instance_has_its_interfaces(self, local: None) -> None:
        build(1)
        node = workers()[0]["InstanceId"]
        launched = next(e for e in events(NodeId=node) if "provisioned" in e["Description"])
        found = metadata(launched)["Instance"]
        assert len(found["AdditionalEnis"]["EfaEnis"]) == 32
        assert found["CustomerEni"].startswith("eni-")
        assert found["NodeLogicalId"] == workers()[0]["NodeLogicalId"]

    def test_failed_scripts_have_their_state(self) -> None:
        broken = {"group": "workers", "number": 1, "outcome": "lifecycle-scripts"}
        with local_aws(node_faults=[broken]):
            build(1)
            node = workers()[0]["InstanceId"]
            states = [
                metadata(e)["Instance"]["LcsExecutionState"]
                for e in events(NodeId=node)
                if "lifecycle script execution" in e["Description"]
            ]
            assert states == ["Started", "Failed"]

    def test_group_without_capacity_has_its_place(self) -> None:
        with local_aws(capacity=[{"instance_type": "p5.48xlarge", "available": 0}]):
            site = build(1)
            failed = next(e for e in events(ResourceType="InstanceGroup"))
            found = metadata(failed)["InstanceGroup"]
            assert found["SubnetId"] == site.subnet_id
            assert found["SecurityGroupIds"] == [site.group_id]
            assert found["AvailabilityZoneId"] == "use1-az6"
