"""Every member of a request changes an answer or is refused: nothing is lost in silence."""

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


@pytest.mark.parametrize("member", sorted(GROUP_MEMBERS))
def test_a_member_of_a_group_is_shown(site: Site, member: str) -> None:
    """As it was asked for, under its own name or the one that the answer has for it."""
    wanted = GROUP_MEMBERS[member]
    bare = site.create(site.group("workers", 1), name="bare")
    full = site.create(site.group("workers", 1, **{member: wanted}), name="full")
    before, after = (dict(group_of(c, "workers")) for c in (bare, full))
    assert before != after
    shown = {
        "ImageId": "DesiredImageId",
        "ImageReleaseVersion": "DesiredImageReleaseVersion",
        "MinInstanceCount": "MinCount",
    }.get(member, member)
    if member == "AutoPatchConfig":
        assert after[member]["PatchingStrategy"] == "DrainFirst"
        assert after[member]["DrainPolicy"] == wanted["DrainPolicy"]
    else:
        assert after[shown] == wanted


def test_every_member_of_a_group_is_looked_at() -> None:
    """A member that a newer model adds must find its place here."""
    model = client("sagemaker").meta.service_model
    members = set(model.shape_for("ClusterInstanceGroupSpecification").members)
    elsewhere = {
        "InstanceCount",  # test_sagemaker_clusters
        "InstanceGroupName",
        "InstanceType",
        "InstanceRequirements",
        "LifeCycleConfig",
        "ExecutionRole",
        "OverrideVpcConfig",
        "SlurmConfig",
        "TrainingPlanArn",  # test_sagemaker_plans
        "KubernetesConfig",  # test_sagemaker_eks
    }
    assert members == set(GROUP_MEMBERS) | elsewhere


class TestDeepHealthChecks:
    def test_they_follow_the_start_of_a_node(self) -> None:
        with local_aws(delays={"node": 60}) as runtime:
            site = build_site()
            checks = {"OnStartDeepHealthChecks": ["InstanceConnectivity"]}
            client("sagemaker").create_cluster(**site.request(site.group("workers", 1, **checks)))
            seen = []
            for _ in range(3):
                node = nodes(InstanceGroupNameContains="workers")[0]
                seen.append(node["InstanceStatus"]["Status"])
                runtime.clock.advance(60.5)
            assert seen == ["Pending", "DeepHealthCheckInProgress", "Running"]


def test_a_health_check_is_of_the_groups_own_instances(site: Site) -> None:
    site.create(site.group("workers", 1))
    controller = nodes(InstanceGroupNameContains="controller")[0]["InstanceId"]
    code, message = refusal(
        client("sagemaker").start_cluster_health_check,
        ClusterName="train",
        DeepHealthCheckConfigurations=[
            {
                "InstanceGroupName": "workers",
                "InstanceIds": [controller],
                "DeepHealthChecks": ["InstanceStress"],
            }
        ],
    )
    assert (code, controller in message) == ("ResourceNotFound", True)


class TestAwaitedNodes:
    def test_nodes_to_come_have_logical_ids(self) -> None:
        capacity = [{"instance_type": "p5.48xlarge", "available": 2}]
        with local_aws(capacity=capacity) as runtime:
            site = build_site()
            site.create(site.group("workers", 1), **CONTINUOUS)
            sagemaker = client("sagemaker")
            added = sagemaker.batch_add_cluster_nodes(
                ClusterName="train",
                NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": 3}],
            )["Successful"]
            assert len(added) == 3
            waiting = [item["NodeLogicalId"] for item in added if item["Status"] == "Pending"]
            assert len(waiting) == 2
            assert len(nodes(InstanceGroupNameContains="workers")) == 2
            shown = nodes(InstanceGroupNameContains="workers", IncludeNodeLogicalIds=True)
            assert {entry["NodeLogicalId"] for entry in shown[2:]} == set(waiting)
            details = sagemaker.describe_cluster_node(
                ClusterName="train", NodeLogicalId=waiting[0]
            )["NodeDetails"]
            assert details["InstanceStatus"]["Status"] == "Pending"
            assert "InstanceId" not in details
            sagemaker.batch_delete_cluster_nodes(ClusterName="train", NodeLogicalIds=[waiting[0]])
            assert group_of(describe(), "workers")["TargetCount"] == 3
            assert refusal(
                sagemaker.describe_cluster_node,
                ClusterName="train",
                NodeLogicalId=waiting[0],
            )[0] == ("ResourceNotFound")
            # A node that leaves makes room for the one that waits, under the id that it has.
            first = nodes(InstanceGroupNameContains="workers")[0]["InstanceId"]
            sagemaker.batch_delete_cluster_nodes(ClusterName="train", NodeIds=[first])
            runtime.clock.advance(31)
            come = {n["NodeLogicalId"] for n in nodes(InstanceGroupNameContains="workers")}
            assert waiting[1] in come

    def test_zones_and_types_of_a_request_narrow_it(self, site: Site) -> None:
        site.create(site.group("workers", 1), **CONTINUOUS)
        narrowed = {
            "AvailabilityZones": ["us-east-1a"],
            "InstanceTypes": ["ml.p5.48xlarge"],
        }
        answer = client("sagemaker").batch_add_cluster_nodes(
            ClusterName="train",
            NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": 1, **narrowed}],
        )
        (found,) = answer["Successful"]
        assert {name: found[name] for name in narrowed} == narrowed


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


class TestRollingUpdates:
    def update(self, **more: Any) -> None:
        client("sagemaker").update_cluster_software(
            ClusterName="train",
            InstanceGroups=[{"InstanceGroupName": "workers", "ImageReleaseVersion": "2.0.0"}],
            **more,
        )

    def releases(self) -> list[str]:
        found = nodes(InstanceGroupNameContains="workers", SortBy="NAME")
        return [node["CurrentImageReleaseVersion"] for node in found]

    def test_batch_after_batch_with_a_wait_between(self) -> None:
        with local_aws(delays={"cluster": 10}) as runtime:
            site = build_site()
            client("sagemaker").create_cluster(**site.request(site.group("workers", 2)))
            runtime.clock.advance(11)
            assert describe()["ClusterStatus"] == "InService"
            self.update(DeploymentConfig=ROLLING)
            group = group_of(describe(), "workers")
            assert group["SoftwareUpdateStatus"] == "InProgress"
            assert group["ActiveSoftwareUpdateConfig"] == ROLLING
            assert group["DesiredImageReleaseVersion"] == "2.0.0"
            assert group["CurrentImageReleaseVersion"] != "2.0.0"
            runtime.clock.advance(11)
            assert self.releases()[0] == "2.0.0" != self.releases()[1]
            assert group_of(describe(), "workers")["TargetStateCount"] == 1
            runtime.clock.advance(20)
            assert self.releases()[1] != "2.0.0"
            runtime.clock.advance(21)
            assert self.releases() == ["2.0.0", "2.0.0"]
            after = group_of(describe(), "workers")
            assert after["SoftwareUpdateStatus"] == "Succeeded"
            assert "ActiveSoftwareUpdateConfig" not in after
            assert describe()["ClusterStatus"] == "InService"

    def test_an_alarm_rolls_it_back(self, site: Site) -> None:
        site.create(site.group("workers", 3))
        before = self.releases()
        cloudwatch = client("cloudwatch")
        cloudwatch.put_metric_alarm(
            AlarmName="goodput",
            ComparisonOperator="LessThanThreshold",
            EvaluationPeriods=1,
            MetricName="m",
            Namespace="n",
            Period=60,
            Statistic="Average",
            Threshold=1.0,
        )
        cloudwatch.set_alarm_state(AlarmName="goodput", StateValue="ALARM", StateReason="test")
        alarms = [{"AlarmName": "goodput"}]
        self.update(DeploymentConfig={**ROLLING, "AutoRollbackConfiguration": alarms})
        group = group_of(describe(), "workers")
        assert group["SoftwareUpdateStatus"] == "RollbackComplete"
        assert self.releases() == before
        assert "goodput" in describe()["FailureMessage"]
        absent = [{"AlarmName": "absent"}]
        with pytest.raises(Exception, match="alarm absent does not exist"):
            self.update(DeploymentConfig={**ROLLING, "AutoRollbackConfiguration": absent})

    def test_a_custom_image_must_be_named_again(self, site: Site) -> None:
        image = "ami-0123456789abcdef0"
        site.create(site.group("workers", 1, ImageId=image))
        with pytest.raises(Exception, match="ImageId is required"):
            self.update()
        self.update(ImageId="ami-00000000000000001")
        shown = group_of(describe(), "workers")
        assert shown["CurrentImageId"] == "ami-00000000000000001"
        self.update(ImageId="default")
        assert "CurrentImageId" not in group_of(describe(), "workers")


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
