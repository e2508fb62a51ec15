"""Batch operations on nodes, patching, health checks and events."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
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
ABSENT = "i-00000000000000000"


def workers() -> list[dict[str, Any]]:
    return nodes(InstanceGroupNameContains="workers")


def add(count: int, group: str = "workers", **more: Any) -> dict[str, Any]:
    token = more.pop("token", None)
    found: dict[str, Any] = client("sagemaker").batch_add_cluster_nodes(
        ClusterName="train",
        NodesToAdd=[{"InstanceGroupName": group, "IncrementTargetCountBy": count, **more}],
        **({"ClientToken": token} if token else {}),
    )
    return found


class TestAdd:
    def test_nodes_are_added_with_logical_ids(self, site: Site) -> None:
        site.create(site.group("workers", 2), **CONTINUOUS)
        answer = add(3)
        assert answer["Failed"] == []
        logical = {entry["NodeLogicalId"] for entry in answer["Successful"]}
        assert len(logical) == 3
        assert logical < {node["NodeLogicalId"] for node in workers()}
        assert group_of(describe(), "workers")["TargetCount"] == 5

    def test_repeated_token_adds_nodes_once(self, site: Site) -> None:
        site.create(site.group("workers", 1), **CONTINUOUS)
        first, again = add(2, token="t"), add(2, token="t")
        assert first["Successful"] == again["Successful"]
        assert len(workers()) == 3

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"group": "absent"}, "InstanceGroupNotFound"),
            ({"InstanceTypes": ["ml.p4d.24xlarge"]}, "IncompatibleInstanceTypes"),
            ({"AvailabilityZones": ["us-east-1b"]}, "IncompatibleAvailabilityZones"),
        ],
    )
    def test_nodes_that_cannot_be_added_are_reported(
        self, site: Site, change: dict[str, Any], code: str
    ) -> None:
        site.create(site.group("workers", 1), **CONTINUOUS)
        answer = add(2, **change)
        assert answer["Successful"] == []
        assert [(e["ErrorCode"], e["FailedCount"]) for e in answer["Failed"]] == [(code, 2)]

    def test_clusters_without_continuous_provisioning_are_refused(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        code, message = refusal(
            client("sagemaker").batch_add_cluster_nodes,
            ClusterName="train",
            NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": 1}],
        )
        assert code == "ValidationException"
        assert "Continuous" in message

    def test_at_most_fifty_nodes_can_be_added(self, site: Site) -> None:
        site.create(site.group("workers", 1), site.group("others", 1), **CONTINUOUS)
        code, _ = refusal(
            client("sagemaker").batch_add_cluster_nodes,
            ClusterName="train",
            NodesToAdd=[
                {"InstanceGroupName": name, "IncrementTargetCountBy": 30}
                for name in ("workers", "others")
            ],
        )
        assert code == "ValidationException"

    def test_quota_is_enforced(self) -> None:
        with local_aws(quotas={"sagemaker/L-8762A75F": 3}):
            site = build_site()
            site.create(site.group("workers", 2), **CONTINUOUS)
            code, _ = refusal(
                client("sagemaker").batch_add_cluster_nodes,
                ClusterName="train",
                NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": 2}],
            )
            assert code == "ResourceLimitExceeded"
            assert len(workers()) == 2


class TestDelete:
    def test_deleted_nodes_reduce_the_target_count(self, site: Site) -> None:
        site.create(site.group("workers", 3))
        doomed = workers()[0]
        kept = workers()[1]
        answer = client("sagemaker").batch_delete_cluster_nodes(
            ClusterName="train",
            NodeIds=[doomed["InstanceId"], ABSENT],
            NodeLogicalIds=[workers()[2]["NodeLogicalId"]],
        )
        assert answer["Successful"] == [doomed["InstanceId"]]
        assert [e["Code"] for e in answer["Failed"]] == ["NodeIdNotFound"]
        assert len(answer["SuccessfulNodeLogicalIds"]) == 1
        assert [node["InstanceId"] for node in workers()] == [kept["InstanceId"]]
        assert group_of(describe(), "workers")["TargetCount"] == 1

    def test_controller_cannot_be_deleted(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        controller = nodes(InstanceGroupNameContains="controller")[0]["InstanceId"]
        answer = client("sagemaker").batch_delete_cluster_nodes(
            ClusterName="train", NodeIds=[controller]
        )
        assert "Successful" not in answer
        assert answer["Failed"][0]["Code"] == "NodeIdInUse"

    def test_empty_request_is_refused(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        for name in ("batch_delete", "batch_reboot", "batch_replace"):
            call = getattr(client("sagemaker"), f"{name}_cluster_nodes")
            assert refusal(call, ClusterName="train")[0] == "ValidationException"


class TestRebootAndReplace:
    def test_reboot_keeps_the_node(self) -> None:
        with local_aws(delays={"node": 20}) as runtime:
            site = build_site()
            site.create(site.group("workers", 1))
            node = workers()[0]["InstanceId"]
            sagemaker = client("sagemaker")
            early = sagemaker.batch_reboot_cluster_nodes(ClusterName="train", NodeIds=[node])
            assert [e["ErrorCode"] for e in early["Failed"]] == ["InvalidInstanceStatus"]
            runtime.clock.advance(21)
            answer = sagemaker.batch_reboot_cluster_nodes(
                ClusterName="train", NodeIds=[node, ABSENT]
            )
            assert answer["Successful"] == [node]
            assert [e["ErrorCode"] for e in answer["Failed"]] == ["InstanceIdNotFound"]
            assert workers()[0]["InstanceStatus"]["Status"] == "Pending"
            runtime.clock.advance(21)
            assert workers()[0]["InstanceStatus"]["Status"] == "Running"

    def test_replacement_has_a_new_instance_id_and_the_same_name(self, site: Site) -> None:
        site.create(site.group("workers", 2), **CONTINUOUS)
        before = workers()[0]
        answer = client("sagemaker").batch_replace_cluster_nodes(
            ClusterName="train", NodeLogicalIds=[before["NodeLogicalId"]]
        )
        assert answer["SuccessfulNodeLogicalIds"] == [before["NodeLogicalId"]]
        after = next(n for n in workers() if n["NodeLogicalId"] == before["NodeLogicalId"])
        assert after["InstanceId"] != before["InstanceId"]
        assert after["PrivateDnsHostname"] == before["PrivateDnsHostname"]

    def test_more_than_25_nodes_are_refused_by_the_model(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        code, message = refusal(
            client("sagemaker").batch_replace_cluster_nodes,
            ClusterName="train",
            NodeIds=[f"i-{number:017x}" for number in range(26)],
        )
        assert code == "ValidationException"
        assert "Member must have length less than or equal to 25" in message


CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


class TestBatchLimits:
    def test_token_is_valid_for_one_request_for_eight_hours(self) -> None:
        with local_aws() as runtime:
            site = build_site()
            site.create(site.group("workers", 1), **CONTINUOUS)
            sagemaker = client("sagemaker")

            def add(count: int) -> list[Any]:
                answer = sagemaker.batch_add_cluster_nodes(
                    ClusterName="train",
                    ClientToken="t",
                    NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": count}],
                )
                return list(answer["Successful"])

            first = add(1)
            assert add(1) == first
            with pytest.raises(Exception, match="other parameters"):
                add(2)
            runtime.clock.advance(8 * 3600 + 1)
            assert add(1) != first

    def test_controller_cannot_be_replaced(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        controller = nodes(InstanceGroupNameContains="controller")[0]["InstanceId"]
        answer = client("sagemaker").batch_replace_cluster_nodes(
            ClusterName="train", NodeIds=[controller]
        )
        assert [(item["NodeId"], item["ErrorCode"]) for item in answer["Failed"]] == [
            (controller, "InstanceIdInUse")
        ]

    def test_logical_ids_require_continuous_provisioning(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        node = nodes(InstanceGroupNameContains="workers")[0]
        sagemaker = client("sagemaker")
        for call in (
            sagemaker.batch_reboot_cluster_nodes,
            sagemaker.batch_replace_cluster_nodes,
        ):
            code, _ = refusal(call, ClusterName="train", NodeLogicalIds=[node["NodeLogicalId"]])
            assert code == "ValidationException"

    def test_at_most_99_nodes_can_be_deleted(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        delete = client("sagemaker").batch_delete_cluster_nodes
        ids = [f"i-{number:017x}" for number in range(100)]
        assert refusal(delete, ClusterName="train", NodeIds=ids)[0] == "ValidationException"
        assert len(delete(ClusterName="train", NodeIds=ids[:99])["Failed"]) == 99
