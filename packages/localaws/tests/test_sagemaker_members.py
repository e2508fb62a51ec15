"""Every member of a request changes an answer or is refused: nothing is lost in silence."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    nodes,
    refusal,
)

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}
ROLLING = {
    "RollingUpdatePolicy": {
        "MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1},
        "RollbackMaximumBatchSize": {"Type": "CAPACITY_PERCENTAGE", "Value": 50},
    },
    "WaitIntervalInSeconds": 30,
}
GROUP_MEMBERS: dict[str, Any] = {
    "ThreadsPerCore": 2,
    "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}],
    "OnStartDeepHealthChecks": ["InstanceStress"],
    "ScheduledUpdateConfig": {"ScheduleExpression": "cron(0 0 * * ? *)"},
    "ImageId": "ami-0123456789abcdef0",
    "ImageReleaseVersion": "1.2.3",
    "MinInstanceCount": 1,
    "CapacityRequirements": {"Spot": {}},
    "NetworkInterface": {"InterfaceType": "efa-only"},
    "AutoPatchConfig": {
        "PatchingStrategy": "DrainFirst",
        "DrainPolicy": {"DrainTimeoutInSeconds": 60, "OnDrainTimeout": "Force"},
        "DeploymentConfig": ROLLING,
    },
}


class TestBatchLimits:
    def test_a_token_is_of_one_request_and_for_eight_hours(self) -> None:
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

    def test_controllers_are_not_replaced(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        controller = nodes(InstanceGroupNameContains="controller")[0]["InstanceId"]
        answer = client("sagemaker").batch_replace_cluster_nodes(
            ClusterName="train", NodeIds=[controller]
        )
        assert [(item["NodeId"], item["ErrorCode"]) for item in answer["Failed"]] == [
            (controller, "InstanceIdInUse")
        ]

    def test_logical_ids_are_for_continuous_clusters(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        node = nodes(InstanceGroupNameContains="workers")[0]
        sagemaker = client("sagemaker")
        for call in (
            sagemaker.batch_reboot_cluster_nodes,
            sagemaker.batch_replace_cluster_nodes,
        ):
            code, _ = refusal(call, ClusterName="train", NodeLogicalIds=[node["NodeLogicalId"]])
            assert code == "ValidationException"

    def test_at_most_99_are_deleted_at_once(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        delete = client("sagemaker").batch_delete_cluster_nodes
        ids = [f"i-{number:017x}" for number in range(100)]
        assert refusal(delete, ClusterName="train", NodeIds=ids)[0] == "ValidationException"
        assert len(delete(ClusterName="train", NodeIds=ids[:99])["Failed"]) == 99


class TestPlanExtensions:
    def plan(self, **more: Any) -> str:
        sagemaker = client("sagemaker")
        offers = sagemaker.search_training_plan_offerings(
            **{
                "InstanceType": "ml.p5.48xlarge",
                "InstanceCount": 8,
                "DurationHours": 48,
                "TargetResources": ["hyperpod-cluster"],
                **more,
            }
        )["TrainingPlanOfferings"]
        offering = next(
            offer
            for offer in offers
            if offer["ReservedCapacityOfferings"][0]["AvailabilityZone"] == "us-east-1a"
        )
        return str(
            sagemaker.create_training_plan(
                TrainingPlanName="p", TrainingPlanOfferingId=offering["TrainingPlanOfferingId"]
            )["TrainingPlanArn"]
        )

    def test_a_plan_is_extended_and_says_so(self) -> None:
        with local_aws() as runtime:
            arn = self.plan()
            sagemaker = client("sagemaker")
            before = sagemaker.describe_training_plan(TrainingPlanName="p")
            (offer,) = sagemaker.search_training_plan_offerings(
                TrainingPlanArn=arn, TargetResources=["hyperpod-cluster"], DurationHours=72
            )["TrainingPlanExtensionOfferings"]
            assert offer["StartDate"] == before["EndTime"]
            identifier = offer["TrainingPlanExtensionOfferingId"]
            sagemaker.extend_training_plan(TrainingPlanExtensionOfferingId=identifier)
            after = sagemaker.describe_training_plan(TrainingPlanName="p")
            assert after["EndTime"] == offer["EndDate"]
            assert after["DurationHours"] == 48 + 72
            history = sagemaker.describe_training_plan_extension_history(TrainingPlanArn=arn)
            assert [extension["Status"] for extension in history["TrainingPlanExtensions"]] == [
                "Scheduled"
            ]
            assert refusal(
                sagemaker.extend_training_plan, TrainingPlanExtensionOfferingId=identifier
            )[0] == ("ResourceNotFound")
            runtime.clock.advance(60 * 86_400)
            gone = sagemaker.search_training_plan_offerings(
                TrainingPlanArn=arn, TargetResources=["hyperpod-cluster"]
            )
            assert gone["TrainingPlanExtensionOfferings"] == []

    def test_no_plan_is_longer_than_182_days(self, site: Site) -> None:
        arn = self.plan(DurationHours=182 * 24)
        found = client("sagemaker").search_training_plan_offerings(
            TrainingPlanArn=arn, TargetResources=["hyperpod-cluster"]
        )
        assert found["TrainingPlanExtensionOfferings"] == []

    def test_ultra_servers_keep_spares(self, site: Site) -> None:
        sagemaker = client("sagemaker")
        offers = sagemaker.search_training_plan_offerings(
            UltraServerType="ml.u-p6e-gb200x72",
            UltraServerCount=2,
            DurationHours=24,
            TargetResources=["hyperpod-cluster"],
        )["TrainingPlanOfferings"]
        capacity = offers[0]["ReservedCapacityOfferings"][0]
        assert capacity["InstanceType"] == "ml.p6e-gb200.36xlarge"
        assert (capacity["InstanceCount"], capacity["UltraServerCount"]) == (36, 2)
        sagemaker.create_training_plan(
            TrainingPlanName="u",
            TrainingPlanOfferingId=offers[0]["TrainingPlanOfferingId"],
        )
        plan = sagemaker.describe_training_plan(TrainingPlanName="u")
        assert plan["TotalUltraServerCount"] == 2
        assert plan["AvailableSpareInstanceCount"] == 2
        assert plan["AvailableInstanceCount"] == 34
        assert plan["ReservedCapacitySummaries"][0]["ReservedCapacityType"] == "UltraServer"

    def test_a_plan_for_training_jobs_takes_no_cluster(self, site: Site) -> None:
        arn = self.plan(TargetResources=["training-job"])
        code, message = refusal(
            client("sagemaker").create_cluster,
            **site.request(site.group("workers", 1, TrainingPlanArn=arn)),
        )
        assert (code, "not for HyperPod" in message) == ("ValidationException", True)

    def test_capacity_that_is_gone_is_not_offered(self) -> None:
        with local_aws(capacity=[{"instance_type": "p5.48xlarge", "available": 4}]):
            search = client("sagemaker").search_training_plan_offerings
            asked = {
                "InstanceType": "ml.p5.48xlarge",
                "DurationHours": 24,
                "TargetResources": ["hyperpod-cluster"],
            }
            assert search(**asked, InstanceCount=8)["TrainingPlanOfferings"] == []
            assert search(**asked, InstanceCount=4)["TrainingPlanOfferings"] != []
