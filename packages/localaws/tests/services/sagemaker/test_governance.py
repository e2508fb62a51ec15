"""Tests of services.sagemaker.governance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.eks_parts import EksSite, build_eks_site
from packages.localaws.tests.parts import client, refusal

ADDON = "amazon-sagemaker-hyperpod-taskgovernance"


@pytest.fixture
def eks_site() -> Iterator[EksSite]:
    with local_aws():
        site = build_eks_site()
        site.create()
        yield site


@pytest.fixture
def arn(eks_site: EksSite) -> str:
    """A HyperPod cluster on EKS with the task governance add-on."""
    client("eks").create_addon(clusterName="eks", addonName=ADDON)
    return str(client("sagemaker").create_cluster(**eks_site.hyperpod())["ClusterArn"])


def policy(arn: str, **more: Any) -> dict[str, Any]:
    return {
        "Name": "policy",
        "ClusterArn": arn,
        "SchedulerConfig": {"PriorityClasses": [{"Name": "training", "Weight": 90}]},
        **more,
    }


def quota(arn: str, team: str = "research", **more: Any) -> dict[str, Any]:
    return {
        "Name": f"{team}-quota",
        "ClusterArn": arn,
        "ComputeQuotaConfig": {
            "ComputeQuotaResources": [{"InstanceType": "ml.m5.xlarge", "Count": 1}]
        },
        "ComputeQuotaTarget": {"TeamName": team},
        **more,
    }


class TestPolicies:
    def test_versions_increase_and_are_kept(self, arn: str) -> None:
        sagemaker = client("sagemaker")
        made = sagemaker.create_cluster_scheduler_config(
            **policy(arn, Description="first", Tags=[{"Key": "a", "Value": "b"}])
        )
        identifier = {"ClusterSchedulerConfigId": made["ClusterSchedulerConfigId"]}
        shown = sagemaker.describe_cluster_scheduler_config(**identifier)
        assert (shown["Status"], shown["ClusterSchedulerConfigVersion"]) == ("Created", 1)
        assert shown["SchedulerConfig"]["FairShare"] == "Enabled"
        changed = sagemaker.update_cluster_scheduler_config(
            **identifier,
            TargetVersion=1,
            SchedulerConfig={"FairShare": "Disabled", "IdleResourceSharing": "Enabled"},
        )
        assert changed["ClusterSchedulerConfigVersion"] == 2
        stale = {**identifier, "TargetVersion": 1, "Description": "x"}
        code, message = refusal(sagemaker.update_cluster_scheduler_config, **stale)
        assert (code, "current version" in message) == ("ConflictException", True)
        now = sagemaker.describe_cluster_scheduler_config(**identifier)
        assert (now["Status"], now["Description"]) == ("Updated", "first")
        assert now["SchedulerConfig"]["IdleResourceSharing"] == "Enabled"
        first = sagemaker.describe_cluster_scheduler_config(
            **identifier, ClusterSchedulerConfigVersion=1
        )
        assert first["SchedulerConfig"]["PriorityClasses"] == [{"Name": "training", "Weight": 90}]
        assert sagemaker.list_tags(ResourceArn=made["ClusterSchedulerConfigArn"])["Tags"] == [
            {"Key": "a", "Value": "b"}
        ]
        sagemaker.delete_cluster_scheduler_config(**identifier)
        assert refusal(sagemaker.describe_cluster_scheduler_config, **identifier)[0] == (
            "ResourceNotFound"
        )

    def test_a_quota_has_the_documented_defaults(self, arn: str) -> None:
        sagemaker = client("sagemaker")
        made = sagemaker.create_compute_quota(**quota(arn))
        identifier = {"ComputeQuotaId": made["ComputeQuotaId"]}
        shown = sagemaker.describe_compute_quota(**identifier)
        assert shown["ActivationState"] == "Enabled"
        assert shown["ComputeQuotaTarget"] == {"TeamName": "research", "FairShareWeight": 0}
        assert shown["ComputeQuotaConfig"]["PreemptTeamTasks"] == "LowerPriority"
        assert shown["ComputeQuotaConfig"]["ResourceSharingConfig"] == {
            "Strategy": "LendAndBorrow",
            "BorrowLimit": 50,
        }
        sagemaker.update_compute_quota(**identifier, TargetVersion=1, ActivationState="Disabled")
        assert sagemaker.describe_compute_quota(**identifier)["ActivationState"] == "Disabled"

    @pytest.mark.parametrize(
        ("config", "words"),
        [
            (
                {"ComputeQuotaResources": [{"InstanceType": "ml.p5.48xlarge", "Count": 1}]},
                "no instance group of the cluster has ml.p5.48xlarge",
            ),
            (
                {"ComputeQuotaResources": [{"InstanceType": "ml.m5.xlarge"}]},
                "needs one of",
            ),
            (
                {
                    "ComputeQuotaResources": [
                        {"InstanceType": "ml.m5.xlarge", "Count": 1},
                        {"InstanceType": "ml.m5.xlarge", "VCpu": 2.0},
                    ]
                },
                "named twice",
            ),
            (
                {"ResourceSharingConfig": {"Strategy": "LendAndBorrow", "BorrowLimit": 501}},
                "not between 1 and 500",
            ),
        ],
    )
    def test_invalid_quotas_are_refused(
        self, arn: str, config: dict[str, Any], words: str
    ) -> None:
        code, message = refusal(
            client("sagemaker").create_compute_quota, **quota(arn, ComputeQuotaConfig=config)
        )
        assert (code, words in message) == ("ValidationException", True)

    def test_names_and_teams_are_unique_per_cluster(self, arn: str) -> None:
        sagemaker = client("sagemaker")
        sagemaker.create_compute_quota(**quota(arn))
        assert refusal(sagemaker.create_compute_quota, **quota(arn))[0] == "ConflictException"
        code, message = refusal(sagemaker.create_compute_quota, **quota(arn, Name="other"))
        assert (code, "Team research" in message) == ("ConflictException", True)
        sagemaker.create_cluster_scheduler_config(**policy(arn))
        assert refusal(sagemaker.create_cluster_scheduler_config, **policy(arn))[0] == (
            "ConflictException"
        )

    def test_priority_classes_are_unique_with_weights(self, arn: str) -> None:
        twice = {"PriorityClasses": [{"Name": "a", "Weight": 1}, {"Name": "a", "Weight": 2}]}
        create = client("sagemaker").create_cluster_scheduler_config
        assert "unique: a" in refusal(create, **policy(arn, SchedulerConfig=twice))[1]
        heavy = {"PriorityClasses": [{"Name": "a", "Weight": 101}]}
        assert (
            "less than or equal to 100" in refusal(create, **policy(arn, SchedulerConfig=heavy))[1]
        )

    def test_slurm_clusters_are_refused(self, eks_site: EksSite) -> None:
        site = eks_site.site
        found = site.create(site.group("w", 1, "ml.m5.xlarge"), name="slurm")
        for call, request in (
            (client("sagemaker").create_compute_quota, quota(found["ClusterArn"])),
            (client("sagemaker").create_cluster_scheduler_config, policy(found["ClusterArn"])),
        ):
            code, message = refusal(call, **request)
            assert (code, "orchestrated by Amazon EKS" in message) == (
                "ValidationException",
                True,
            )

    def test_policy_without_the_addon_fails_and_can_only_be_deleted(
        self, eks_site: EksSite
    ) -> None:
        sagemaker = client("sagemaker")
        arn = sagemaker.create_cluster(**eks_site.hyperpod())["ClusterArn"]
        made = sagemaker.create_compute_quota(**quota(arn))
        identifier = {"ComputeQuotaId": made["ComputeQuotaId"]}
        shown = sagemaker.describe_compute_quota(**identifier)
        assert shown["Status"] == "CreateFailed"
        assert ADDON in shown["FailureReason"]
        assert refusal(sagemaker.update_compute_quota, **identifier, TargetVersion=1)[0] == (
            "ConflictException"
        )
        sagemaker.delete_compute_quota(**identifier)
        assert sagemaker.list_compute_quotas()["ComputeQuotaSummaries"] == []

    def test_cluster_with_policies_cannot_be_deleted(self, arn: str) -> None:
        sagemaker = client("sagemaker")
        made = sagemaker.create_compute_quota(**quota(arn))
        code, message = refusal(sagemaker.delete_cluster, ClusterName="train")
        assert (code, made["ComputeQuotaArn"] in message) == ("ConflictException", True)
        sagemaker.delete_compute_quota(ComputeQuotaId=made["ComputeQuotaId"])
        sagemaker.delete_cluster(ClusterName="train")

    def test_lists_are_paginated_filtered_and_sorted(self, arn: str) -> None:
        sagemaker = client("sagemaker")
        for team in ("c", "a", "b"):
            sagemaker.create_compute_quota(**quota(arn, team))
        pages = list(
            sagemaker.get_paginator("list_compute_quotas").paginate(
                SortBy="Name", SortOrder="Descending", PaginationConfig={"PageSize": 2}
            )
        )
        names = [summary["Name"] for page in pages for summary in page["ComputeQuotaSummaries"]]
        assert names == ["c-quota", "b-quota", "a-quota"]
        assert len(pages) == 2

        def found(**filters: Any) -> list[str]:
            answer = sagemaker.list_compute_quotas(**filters)["ComputeQuotaSummaries"]
            return [item["Name"] for item in answer]

        assert found(NameContains="a-q") == ["a-quota"]
        assert found(Status="Deleting") == []
        assert len(found(ClusterArn=arn)) == 3
        assert found(CreatedBefore="2020-01-01T00:00:00Z") == []

    def test_states_take_the_delay(self) -> None:
        with local_aws(delays={"governance": 60}) as runtime:
            site = build_eks_site()
            site.create()
            client("eks").create_addon(clusterName="eks", addonName=ADDON)
            sagemaker = client("sagemaker")
            arn = sagemaker.create_cluster(**site.hyperpod())["ClusterArn"]
            made = sagemaker.create_cluster_scheduler_config(**policy(arn))
            identifier = {"ClusterSchedulerConfigId": made["ClusterSchedulerConfigId"]}

            def status() -> str:
                found = sagemaker.describe_cluster_scheduler_config(**identifier)
                return str(found["Status"])

            assert status() == "Creating"
            update = {**identifier, "TargetVersion": 1, "Description": "x"}
            assert refusal(sagemaker.update_cluster_scheduler_config, **update)[0] == (
                "ConflictException"
            )
            runtime.clock.advance(61)
            assert status() == "Created"
            sagemaker.delete_cluster_scheduler_config(**identifier)
            assert status() == "Deleting"
