"""Training plans: searched, bought, described, and enforced on groups."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    describe,
    group_of,
    refusal,
)

PREFIX = "arn:aws:sagemaker:us-east-1:123456789012:training-plan"


def seed(**more: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": "p",
            "instance_type": "p5.48xlarge",
            "instance_count": 8,
            "zone_id": "use1-az6",
            **more,
        }
    ]


def refused(site: Site, count: int = 2, **more: Any) -> tuple[str, str]:
    group = site.group("workers", count, **{"TrainingPlanArn": f"{PREFIX}/p", **more})
    return refusal(client("sagemaker").create_cluster, **site.request(group))


def search(**more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client("sagemaker").search_training_plan_offerings(
        **{
            "InstanceType": "ml.p5.48xlarge",
            "InstanceCount": 8,
            "DurationHours": 48,
            "TargetResources": ["hyperpod-cluster"],
            **more,
        }
    )["TrainingPlanOfferings"]
    return found


def test_group_uses_its_plan_and_not_the_on_demand_quota() -> None:
    with local_aws(training_plans=seed(), quotas={"sagemaker/L-8762A75F": 0}):
        site = build_site()
        cluster = site.create(site.group("workers", 6, TrainingPlanArn=f"{PREFIX}/p"))
        assert cluster["ClusterStatus"] == "InService"
        assert group_of(cluster, "workers")["TrainingPlanStatus"] == "Active"
        plan = client("sagemaker").describe_training_plan(TrainingPlanName="p")
        assert (plan["InUseInstanceCount"], plan["AvailableInstanceCount"]) == (6, 2)
        code, message = refusal(
            client("sagemaker").create_cluster,
            **site.request(site.group("workers", 3, TrainingPlanArn=f"{PREFIX}/p"), name="second"),
        )
        assert code == "ResourceLimitExceeded"
        assert "has 8 instances, 6 are in use and 3 are requested" in message


@pytest.mark.parametrize(
    ("plan", "group", "message"),
    [
        ({"status": "Expired"}, {}, "is Expired"),
        ({"start": "-9d", "end": "-1d"}, {}, "is Expired since"),
        ({"status": "Failed"}, {}, "is Failed"),
        ({}, {"instance_type": "ml.p4d.24xlarge"}, "is for ml.p5.48xlarge"),
        ({"zone_id": "use1-az1"}, {}, "is in use1-az1"),
        ({}, {"TrainingPlanArn": f"{PREFIX}/absent"}, "does not exist"),
        ({}, {"CapacityRequirements": {"Spot": {}}}, "cannot use a training plan and Spot"),
    ],
)
def test_unsuitable_plan_is_refused(
    plan: dict[str, Any], group: dict[str, Any], message: str
) -> None:
    with local_aws(training_plans=seed(**plan), unlisted_plans="none"):
        code, text = refused(build_site(), **group)
        assert code == "ValidationException"
        assert message in text


@pytest.mark.parametrize("mode", [{}, {"NodeProvisioningMode": "Continuous"}])
def test_scheduled_plan_accepts_groups_and_launches_at_its_start(
    mode: dict[str, str],
) -> None:
    with local_aws(training_plans=seed(start="+1d")) as runtime:
        site = build_site()
        cluster = site.create(site.group("workers", 2, TrainingPlanArn=f"{PREFIX}/p"), **mode)
        assert cluster["ClusterStatus"] == "InService"
        workers = group_of(cluster, "workers")
        assert (workers["TrainingPlanStatus"], workers["Status"]) == ("Scheduled", "InService")
        assert (workers["CurrentCount"], workers["TargetCount"]) == (0, 2)
        runtime.clock.advance(86_401)
        workers = group_of(describe(), "workers")
        assert (workers["TrainingPlanStatus"], workers["CurrentCount"]) == ("Active", 2)


def test_group_of_an_expired_plan_can_shrink() -> None:
    with local_aws(training_plans=seed(end="+1d")) as runtime:
        site = build_site()
        site.create(site.group("workers", 4, TrainingPlanArn=f"{PREFIX}/p"))
        runtime.clock.advance(2 * 86_400)
        change = {"TrainingPlanArn": f"{PREFIX}/p"}
        client("sagemaker").update_cluster(
            ClusterName="train", InstanceGroups=[site.group("workers", 2, **change)]
        )
        assert group_of(describe(), "workers")["CurrentCount"] == 2
        code, message = refusal(
            client("sagemaker").update_cluster,
            ClusterName="train",
            InstanceGroups=[site.group("workers", 3, **change)],
        )
        assert (code, "is Expired" in message) == ("ValidationException", True)


def test_every_plan_is_active_in_the_generous_world() -> None:
    with local_aws("expired-plan"):
        plan = client("sagemaker").describe_training_plan(
            TrainingPlanName=f"{PREFIX}/mine-p4d-24xlarge"
        )
        assert plan["Status"] == "Expired"
        assert plan["ReservedCapacitySummaries"][0]["InstanceType"] == "ml.p4d.24xlarge"
        assert "AvailabilityZone" not in plan["ReservedCapacitySummaries"][0]
        assert "is Expired" in refused(build_site())[1]


def test_plans_of_another_account_are_not_found(aws: Runtime) -> None:
    code, _ = refusal(
        client("sagemaker").describe_training_plan,
        TrainingPlanName="arn:aws:sagemaker:us-east-1:999999999999:training-plan/p",
    )
    assert code == "ResourceNotFound"


def test_offering_is_found_purchased_and_listed(aws: Runtime) -> None:
    offerings = search()
    zones = {o["ReservedCapacityOfferings"][0]["AvailabilityZone"] for o in offerings}
    assert "us-east-1a" in zones
    assert len(zones) == len(offerings)
    # 45.7675 USD per instance-hour (the catalogue's training-plan offer) × 8 × 48 h.
    assert offerings[0]["UpfrontFee"] == "17574.7200"
    made = client("sagemaker").create_training_plan(
        TrainingPlanName="mine", TrainingPlanOfferingId=offerings[0]["TrainingPlanOfferingId"]
    )
    assert made["TrainingPlanArn"] == f"{PREFIX}/mine"
    listed = client("sagemaker").list_training_plans()["TrainingPlanSummaries"]
    assert [(p["TrainingPlanName"], p["Status"]) for p in listed] == [("mine", "Scheduled")]
    assert (
        client("sagemaker").list_training_plans(Filters=[{"Name": "Status", "Value": "Active"}])[
            "TrainingPlanSummaries"
        ]
        == []
    )


def test_offering_can_be_purchased_once(aws: Runtime) -> None:
    offering = search()[0]["TrainingPlanOfferingId"]
    sagemaker = client("sagemaker")
    sagemaker.create_training_plan(TrainingPlanName="a", TrainingPlanOfferingId=offering)
    assert (
        refusal(
            sagemaker.create_training_plan, TrainingPlanName="b", TrainingPlanOfferingId=offering
        )[0]
        == "ResourceNotFound"
    )
    assert (
        refusal(
            sagemaker.create_training_plan,
            TrainingPlanName="a",
            TrainingPlanOfferingId=search()[0]["TrainingPlanOfferingId"],
        )[0]
        == "ResourceInUse"
    )


def test_types_without_plans_have_no_offering(aws: Runtime) -> None:
    assert search(InstanceCount=3) == []
    assert search(DurationHours=183 * 24) == []
    assert search(InstanceType="ml.trn2.48xlarge") == []


def test_reserved_capacity_quota_is_enforced() -> None:
    with local_aws(quotas={"sagemaker/L-9EF527CA": 8}):
        sagemaker = client("sagemaker")
        sagemaker.create_training_plan(
            TrainingPlanName="a", TrainingPlanOfferingId=search()[0]["TrainingPlanOfferingId"]
        )
        code, message = refusal(
            sagemaker.create_training_plan,
            TrainingPlanName="b",
            TrainingPlanOfferingId=search(InstanceCount=1)[0]["TrainingPlanOfferingId"],
        )
        assert code == "ResourceLimitExceeded"
        assert "current utilization of 8 Instances and a request delta of 1" in message


def test_plan_quota_per_region_is_enforced() -> None:
    with local_aws(quotas={"sagemaker/L-867702E6": 1}, training_plans=seed()):
        code, message = refusal(
            client("sagemaker").create_training_plan,
            TrainingPlanName="b",
            TrainingPlanOfferingId=search()[0]["TrainingPlanOfferingId"],
        )
        assert (code, "training plans per Region" in message) == ("ResourceLimitExceeded", True)


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

    def test_plan_is_extended_with_history(self) -> None:
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

    def test_plan_is_limited_to_182_days(self, site: Site) -> None:
        arn = self.plan(DurationHours=182 * 24)
        found = client("sagemaker").search_training_plan_offerings(
            TrainingPlanArn=arn, TargetResources=["hyperpod-cluster"]
        )
        assert found["TrainingPlanExtensionOfferings"] == []

    def test_ultraserver_plan_reserves_spares(self, site: Site) -> None:
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

    def test_plan_for_training_jobs_is_refused(self, site: Site) -> None:
        arn = self.plan(TargetResources=["training-job"])
        code, message = refusal(
            client("sagemaker").create_cluster,
            **site.request(site.group("workers", 1, TrainingPlanArn=arn)),
        )
        assert (code, "not for HyperPod" in message) == ("ValidationException", True)

    def test_used_capacity_is_not_offered(self) -> None:
        with local_aws(capacity=[{"instance_type": "p5.48xlarge", "available": 4}]):
            search = client("sagemaker").search_training_plan_offerings
            asked = {
                "InstanceType": "ml.p5.48xlarge",
                "DurationHours": 24,
                "TargetResources": ["hyperpod-cluster"],
            }
            assert search(**asked, InstanceCount=8)["TrainingPlanOfferings"] == []
            assert search(**asked, InstanceCount=4)["TrainingPlanOfferings"] != []
