"""Tests of services.sagemaker.software."""

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

ROLLING = {
    "RollingUpdatePolicy": {
        "MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1},
        "RollbackMaximumBatchSize": {"Type": "CAPACITY_PERCENTAGE", "Value": 50},
    },
    "WaitIntervalInSeconds": 30,
}


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

    def test_batches_are_updated_with_a_wait_between_them(self) -> None:
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

    def test_alarm_rolls_back_the_update(self, site: Site) -> None:
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

    def test_custom_image_must_be_repeated(self, site: Site) -> None:
        image = "ami-0123456789abcdef0"
        site.create(site.group("workers", 1, ImageId=image))
        with pytest.raises(Exception, match="ImageId is required"):
            self.update()
        self.update(ImageId="ami-00000000000000001")
        shown = group_of(describe(), "workers")
        assert shown["CurrentImageId"] == "ami-00000000000000001"
        self.update(ImageId="default")
        assert "CurrentImageId" not in group_of(describe(), "workers")


def workers() -> list[dict[str, Any]]:
    return nodes(InstanceGroupNameContains="workers")


class TestSoftware:
    def test_update_passes_through_system_updating(self) -> None:
        with local_aws(delays={"cluster": 30}) as runtime:
            site = build_site()
            site.create(site.group("workers", 1))
            runtime.clock.advance(31)
            client("sagemaker").update_cluster_software(
                ClusterName="train",
                InstanceGroups=[{"InstanceGroupName": "workers", "ImageReleaseVersion": "9.9.9"}],
            )
            assert describe()["ClusterStatus"] == "SystemUpdating"
            assert workers()[0]["InstanceStatus"]["Status"] == "SystemUpdating"
            runtime.clock.advance(31)
            assert describe()["ClusterStatus"] == "InService"
            workers_now = group_of(describe(), "workers")
            assert workers_now["CurrentImageReleaseVersion"] == "9.9.9"
            assert workers_now["SoftwareUpdateStatus"] == "Succeeded"
            assert workers()[0]["CurrentImageReleaseVersion"] == "9.9.9"
            assert "LastSoftwareUpdateTime" in workers()[0]

    def test_unknown_groups_are_refused(self, site: Site) -> None:
        site.create(site.group("workers", 1))
        code, _ = refusal(
            client("sagemaker").update_cluster_software,
            ClusterName="train",
            InstanceGroups=[{"InstanceGroupName": "absent"}],
        )
        assert code == "ValidationException"
